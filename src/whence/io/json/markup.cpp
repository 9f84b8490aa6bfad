#include "whence/io/json/markup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "whence/core/text.hpp"

namespace whence {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// Takes one code point off the front of `rest`, or one bad byte, given as U+FFFD.
char32_t take(std::string_view& rest) {
  const std::size_t length = utf8_length(rest);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  char32_t point = length == 0 ? replacement : length == 1 ? byte(0) : byte(0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) point = (point << 6) | (byte(i) & 0x3Fu);
  rest.remove_prefix(std::max<std::size_t>(length, 1));
  return point;
}

bool reorders(char32_t p) { return (p >= 0x202A && p <= 0x202E) || (p >= 0x2066 && p <= 0x2069); }

bool forbidden_in_markup(char32_t p) {
  const bool control = (p < 0x20 && p != '\n' && p != '\t') || (p >= 0x7F && p < 0xA0);
  const bool nonchar = (p & 0xFFFE) == 0xFFFE || (p >= 0xFDD0 && p <= 0xFDEF);
  return control || nonchar || reorders(p);
}

void trim_zeros(std::string& digits) {
  if (digits.find('.') == std::string::npos) return;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  while (!text.empty()) points.push_back(take(text));
  return points;
}

void append_utf8(std::string& out, char32_t p) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (p < 0x80) return put(p);
  if (p < 0x800) {
    put(0xC0 | (p >> 6));
  } else if (p < 0x10000) {
    put(0xE0 | (p >> 12));
    put(0x80 | ((p >> 6) & 0x3F));
  } else {
    put(0xF0 | (p >> 18));
    put(0x80 | ((p >> 12) & 0x3F));
    put(0x80 | ((p >> 6) & 0x3F));
  }
  put(0x80 | (p & 0x3F));
}

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const char32_t p = take(text);
    switch (p) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: append_utf8(out, forbidden_in_markup(p) ? replacement : p);
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char32_t p = take(text);
    const bool dangerous = p < 0x20 || p == '<' || p == '>' || p == '&' || p == '\'' || p == 0x7F ||
                           p == 0x2028 || p == 0x2029 || reorders(p);
    if (p == '"' || p == '\\') {
      out += '\\';
      out += static_cast<char>(p);
    } else if (dangerous) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(p));
    } else {
      append_utf8(out, p);
    }
  }
  return out + '"';
}

std::string power_of_ten(int exponent) {
  static constexpr std::string_view raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (char digit : fmt::format("{}", std::abs(exponent))) out += raised[digit - '0'];
  return out;
}

std::string human_number(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  const double size = std::fabs(value);
  const std::string sign = value < 0 ? "−" : "";
  if (size == std::floor(size) && size < 1e15) return sign + fmt::format("{:.0f}", size);
  if (size >= 1e-4 && size < 1e6) {
    const int leading = static_cast<int>(std::floor(std::log10(size)));
    std::string plain = fmt::format("{:.{}f}", size, std::clamp(digits - 1 - leading, 0, 6));
    trim_zeros(plain);
    return sign + plain;
  }
  std::string mantissa = fmt::format("{:.{}e}", size, digits - 1);
  const std::size_t e = mantissa.find('e');
  const std::string exponent = mantissa.substr(e + 1);
  mantissa.erase(e);
  trim_zeros(mantissa);
  int power = 0;
  for (char c : exponent)
    if (c >= '0' && c <= '9') power = power * 10 + (c - '0');
  return sign + mantissa + " × " + power_of_ten(exponent[0] == '-' ? -power : power);
}

std::string slug(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) out += c;
    if (!plain && !out.empty() && out.back() != '-') out += '-';
    if (out.size() == 48) break;
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unnamed" : out;
}

}  // namespace whence
