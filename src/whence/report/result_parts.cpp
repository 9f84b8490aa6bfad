#include "whence/report/result_parts.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "whence/core/text.hpp"

namespace whence {

Json input_json(const SourceInfo& source) {
  Json json =
      Json::object({{"file", source.file},
                    {"environment", source.environment.empty() ? Json() : source.environment},
                    {"sha256", source.sha256},
                    {"bytes", source.bytes},
                    {"rows", source.rows},
                    {"dropped", source.dropped}});
  if (source.drawn != 0 && source.drawn != source.rows) json.set("drawn", source.drawn);
  return json;
}

Json left_out_json(const LoadedData& loaded) {
  Json list = Json::list();
  for (const LeftOut& column : loaded.columns_left_out)
    list.items.push_back(Json::object({{"column", column.name}, {"reason", column.reason}}));
  for (const LeftOut& environment : loaded.environments_left_out)
    list.items.push_back(
        Json::object({{"environment", environment.name}, {"reason", environment.reason}}));
  return list;
}

Json variable_json(const Variable& variable) {
  const bool categorical = variable.kind == Variable::Kind::categorical;
  return Json::object(
      {{"name", variable.name},
       {"kind", categorical ? "categorical" : "real"},
       {categorical ? "levels" : "dimension", categorical ? variable.levels : variable.dimension}});
}

std::string some_of(const std::vector<std::string>& names, std::size_t shown) {
  const std::size_t count = std::min(names.size(), shown);
  const std::string first = joined(std::span(names).first(count));
  return names.size() > count ? first + fmt::format(" and {} more", names.size() - count) : first;
}

Json prior_json(const ChangePrior& prior) {
  ChangePrior copy = prior;
  Json object = Json::object();
  for (const auto& group : weight_groups(copy))
    for (const PriorWeight& weight : group) object.set(weight.name, *weight.value);
  object.set("hidden", prior.hidden);
  object.set("quiet", prior.quiet);
  object.set("turbulent", prior.turbulent);
  return object;
}

}  // namespace whence
