#include "whence/io/table/formats/number_parser.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fast_float/fast_float.h>

#include "whence/core/text.hpp"

namespace whence {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == y; });
}

bool begins_ignoring_case(std::string_view text, std::string_view begin) {
  return same_ignoring_case(text.substr(0, begin.size()), begin);
}

/// nan, nan(...), inf, infinity and what old Microsoft libraries print: 1.#QNAN, 1.#IND, 1.#INF.
FieldKind not_finite(std::string_view unsigned_text) {
  if (same_ignoring_case(unsigned_text, "nan")) return FieldKind::not_a_number;
  if (begins_ignoring_case(unsigned_text, "nan(") && unsigned_text.back() == ')')
    return FieldKind::not_a_number;
  if (same_ignoring_case(unsigned_text, "inf") || same_ignoring_case(unsigned_text, "infinity"))
    return FieldKind::infinite;
  if (begins_ignoring_case(unsigned_text, "1.#inf")) return FieldKind::infinite;
  for (const std::string_view word : {"1.#qnan", "1.#snan", "1.#ind", "1.#nan"})
    if (begins_ignoring_case(unsigned_text, word)) return FieldKind::not_a_number;
  return FieldKind::text;
}

/// Digits with something between them that people write in numbers: a separator of thousands, the
/// other decimal mark, a hexadecimal prefix. Dates, ranges and times are text.
bool looks_like_number(std::string_view text) {
  if (begins_ignoring_case(text, "0x") && text.size() > 2)
    return std::all_of(text.begin() + 2, text.end(), [](char c) {
      return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f') || lower(c) == 'p' || c == '.' ||
             c == '-' || c == '+';
    });
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  const std::string_view exponent = text.substr(std::min(mantissa + 1, text.size()));
  const bool digits = std::any_of(text.begin(), text.begin() + std::ptrdiff_t(mantissa), is_digit);
  for (std::size_t i = 0; i < mantissa; ++i) {
    if (is_digit(text[i]) || std::string_view("., '_").find(text[i]) != std::string_view::npos)
      continue;
    // Two characters for spaces that do not break, and the typographic apostrophe.
    const std::string_view rest = text.substr(i, 3);
    if (rest.substr(0, 2) == "\xC2\xA0")
      i += 1;
    else if (rest == "\xE2\x80\xAF" || rest == "\xE2\x80\x99")
      i += 2;
    else
      return false;
  }
  return digits && std::all_of(exponent.begin(), exponent.end(),
                               [](char c) { return is_digit(c) || c == '+' || c == '-'; });
}

bool has_nonzero_digit(std::string_view number) {
  for (const char c : number) {
    if (c == 'e' || c == 'E') return false;
    if (c >= '1' && c <= '9') return true;
  }
  return false;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

ParsedField parse_field(std::string_view text, char decimal) {
  text = trimmed(text);
  if (text.empty()) return {FieldKind::empty, 0};
  const bool negative = text.front() == '-';
  const std::string_view digits = text.substr(negative || text.front() == '+');
  if (digits.empty()) return {FieldKind::text, 0};
  if (!is_digit(digits.front()) && digits.front() != decimal) {
    const FieldKind kind = not_finite(digits);
    return {kind == FieldKind::text && looks_like_number(digits) ? FieldKind::malformed : kind, 0};
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = fast_float::from_chars_advanced(
      digits.data(), end, value,
      fast_float::parse_options(fast_float::chars_format::general, decimal));
  if (stop == end && (error == std::errc() || error == std::errc::result_out_of_range)) {
    if (!std::isfinite(value)) return {FieldKind::overflow, 0};
    if (value == 0) {
      const bool small = has_nonzero_digit(digits);
      return {small ? FieldKind::underflow : FieldKind::number, 0};
    }
    return {FieldKind::number, negative ? -value : value};
  }
  const FieldKind kind = not_finite(digits);
  return {kind == FieldKind::text && looks_like_number(digits) ? FieldKind::malformed : kind, 0};
}

}  // namespace whence
