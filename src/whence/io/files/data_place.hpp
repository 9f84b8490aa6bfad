// Where in a data file something was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "whence/core/text.hpp"

namespace whence {

/// Text files have lines and columns, both from 1; a column is a character, not a field.
struct DataPlace {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

inline std::string at_place(const std::string& file, DataPlace place) {
  return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

/// A name or value from a file as messages show it: printable, short, in quotes.
inline std::string in_quotes(std::string_view text) { return "\"" + excerpt(text) + "\""; }

}  // namespace whence
