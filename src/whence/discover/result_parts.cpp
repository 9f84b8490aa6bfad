#include "whence/discover/result_parts.hpp"

namespace whence {

Json input_json(const SourceInfo& source) {
  return Json::object({{"file", source.file},
                       {"environment", source.environment.empty() ? Json() : source.environment},
                       {"sha256", source.sha256},
                       {"bytes", source.bytes},
                       {"rows", source.rows},
                       {"dropped", source.dropped}});
}

}  // namespace whence
