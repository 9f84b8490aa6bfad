#include "whence/io/table/column_names.hpp"

#include <cstdint>
#include <map>
#include <string_view>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"

namespace whence {
namespace {

/// The letter under the accent for U+00C0 to U+017F; '.' where there is none.
constexpr std::string_view plain_letters =
    "aaaaaaaceeeeiiii.nooooo.ouuuuy.saaaaaaaceeeeiiii.nooooo.ouuuuy.y"   // 00C0
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkk.lllllll"   // 0100
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";  // 0140

/// Lower case, without accents whether they are part of the letter or follow it.
std::string skeleton(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(name.substr(i)));
    const std::string_view character = name.substr(i, length);
    i += length;
    const auto byte = [&](std::size_t k) { return std::uint32_t(std::uint8_t(character[k])); };
    if (length == 1) {
      const char c = character[0];
      out += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
      continue;
    }
    const std::uint32_t code = length == 2 ? (byte(0) & 31) << 6 | (byte(1) & 63) : 0;
    if (code >= 0x300 && code < 0x370) continue;  // an accent that follows its letter
    if (code >= 0xC0 && code < 0x180 && plain_letters[code - 0xC0] != '.')
      out += plain_letters[code - 0xC0];
    else
      out += character;
  }
  return out;
}

}  // namespace

void check_column_names(const std::vector<std::string>& names,
                        const std::function<std::string(std::size_t)>& place) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto fail = [&](const char* id, const std::string& problem, const std::string& hint) {
      throw Error(ExitCode::bad_data, id, place(i), problem, hint);
    };
    const std::string number = std::to_string(i + 1);
    if (names[i].empty())
      fail("E-CSV-NAME", "column " + number + " has no name",
           i + 1 == names.size() ? "does every line end with a delimiter? remove it"
                                 : "name every column in the first line");
    if (names[i].size() > max_name_bytes)
      fail("E-CSV-NAME",
           "the name of column " + number + " has " + std::to_string(names[i].size()) +
               " bytes; at most " + std::to_string(max_name_bytes) + " are allowed",
           "is the first line a header?");
    const auto [other, is_new] = seen.emplace(names[i], i);
    if (!is_new)
      fail("E-CSV-DUPLICATE",
           "columns " + std::to_string(other->second + 1) + " and " + number +
               " have the same name " + in_quotes(names[i]),
           "rename one of them");
  }
}

std::vector<std::string> lookalike_warnings(const std::vector<std::string>& names,
                                            const std::string& file) {
  constexpr std::size_t shown = 5;
  std::vector<std::string> warnings;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < names.size() && warnings.size() < shown; ++i) {
    const auto [other, is_new] = seen.emplace(skeleton(names[i]), i);
    if (!is_new)
      warnings.push_back(file + ": column names " + in_quotes(names[other->second]) + " and " +
                         in_quotes(names[i]) + " look alike, but are different columns");
  }
  return warnings;
}

}  // namespace whence
