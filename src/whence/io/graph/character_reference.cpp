#include "whence/io/graph/character_reference.hpp"

#include <charconv>

#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

/// What stands between & and ;
std::optional<char32_t> character_of(std::string_view name) {
  if (name == "amp") return U'&';
  if (name == "lt") return U'<';
  if (name == "gt") return U'>';
  if (name == "quot") return U'"';
  if (name == "apos") return U'\'';
  if (name.size() < 2 || name[0] != '#') return std::nullopt;
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t point = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, point, hex ? 16 : 10);
  if (error != std::errc{} || stop != end || point == 0 || point > 0x10FFFF ||
      (point >= 0xD800 && point < 0xE000))
    return std::nullopt;
  return char32_t(point);
}

}  // namespace

std::optional<std::string> without_references(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '&') {
      out += text[at];
      continue;
    }
    const std::size_t end = text.find(';', at);
    if (end == std::string_view::npos) return std::nullopt;
    const auto point = character_of(text.substr(at + 1, end - at - 1));
    if (!point) return std::nullopt;
    append_utf8(out, *point);
    at = end;
  }
  return out;
}

std::string with_references(std::string_view text) {
  std::string out;
  for (const char32_t point : code_points(text)) {
    const bool plain = point >= 0x20 && point < 0x7F && point != U'&' && point != U'<' &&
                       point != U'>' && point != U'"' && point != U'\'';
    if (plain)
      out += char(point);
    else
      out += "&#" + std::to_string(std::uint32_t(point)) + ";";
  }
  return out;
}

}  // namespace whence
