// A strict reader of JSON (RFC 8259). Beyond the grammar it refuses what would be read in two ways:
// a key given twice, a number that no double can hold, and negative zero. It never recurses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "whence/io/json/json.hpp"

namespace whence {

struct JsonLimits {
  std::size_t bytes = std::size_t(1) << 20;
  int depth = 64;
};

/// Errors are of code bad_config and name the place as `file:line:column`.
Json read_json(std::string_view text, std::string_view file, const JsonLimits& limits = {});

/// "file:line:column" as error messages show it; without a line for values that were not read.
std::string place_in(std::string_view file, TextPlace place);

}  // namespace whence
