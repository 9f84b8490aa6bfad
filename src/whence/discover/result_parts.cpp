#include "whence/discover/result_parts.hpp"

#include <fmt/format.h>

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

std::string percent(double p, PercentStyle style) {
  const bool sentence = style == PercentStyle::sentence;
  if (p < 0.001) return sentence ? "under 0.1 %" : "< 0.1 %";
  if (p > 0.999) return sentence ? "over 99.9 %" : "> 99.9 %";
  return fmt::format("{:.1f} %", 100 * p);
}

}  // namespace whence
