#include "whence/report/result_parts.hpp"

namespace whence {

Json input_json(const SourceInfo& source) {
  return Json::object({{"file", source.file},
                       {"environment", source.environment.empty() ? Json() : source.environment},
                       {"sha256", source.sha256},
                       {"bytes", source.bytes},
                       {"rows", source.rows},
                       {"dropped", source.dropped}});
}

Json variable_json(const Variable& variable) {
  const bool categorical = variable.kind == Variable::Kind::categorical;
  return Json::object(
      {{"name", variable.name},
       {"kind", categorical ? "categorical" : "real"},
       {categorical ? "levels" : "dimension", categorical ? variable.levels : variable.dimension}});
}

Json prior_json(const ChangePrior& prior) {
  ChangePrior copy = prior;
  Json object = Json::object();
  for (const auto& group : weight_groups(copy))
    for (const PriorWeight& weight : group) object.set(weight.name, *weight.value);
  object.set("quiet", prior.quiet);
  object.set("turbulent", prior.turbulent);
  return object;
}

}  // namespace whence
