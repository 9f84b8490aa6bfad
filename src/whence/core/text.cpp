#include "whence/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace whence {
namespace {

struct Character {
  std::size_t bytes;   // 1 when the byte is not UTF-8
  std::uint32_t code;  // meaningless then
  bool valid;
};

/// Decodes one character; overlong forms, surrogates and truncated sequences are not valid.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return std::uint32_t(std::uint8_t(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {1, first, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {1, 0, false};
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {1, 0, false};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[length] || surrogate || code > 0x10FFFF) return {1, 0, false};
  return {length, code, true};
}

/// Controls, line separators, zero-width characters and direction overrides.
bool acts_on_terminals(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

void append_hex(std::string& out, std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = std::uint8_t(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Character c = decode(text);
  return c.valid ? c.bytes : 0;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decode(text);
    const std::string_view bytes = text.substr(0, c.bytes);
    if (c.valid && !acts_on_terminals(c.code))
      out += bytes;
    else
      append_hex(out, bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string excerpt(std::string_view text, std::size_t bytes) {
  std::string out = printable(text.substr(0, bytes + 1));
  if (text.size() <= bytes && out.size() <= bytes) return out;
  std::size_t cut = std::min(bytes, out.size());
  while (cut > 0 && (std::uint8_t(out[cut - 1]) & 0xC0) == 0x80) --cut;  // never inside a character
  if (cut > 0 && std::uint8_t(out[cut - 1]) >= 0xC0) --cut;
  return out.substr(0, cut) + "...";
}

std::string shortest(double value) {
  if (value == 0) return "0";
  char buffer[400];
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, (long long)value).ptr
                         : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string rounded(double value, int digits) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::string percent(double p, PercentStyle style) {
  const bool sentence = style == PercentStyle::sentence;
  if (p < 0.001) return sentence ? "under 0.1 %" : "< 0.1 %";
  if (p > 0.999) return sentence ? "over 99.9 %" : "> 99.9 %";
  char digits[16];
  std::snprintf(digits, sizeof digits, "%.1f", 100 * p);
  return std::string(digits) + " %";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two back (for swaps), one back, current.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 64;  // longer texts are no typing mistakes; bounds the work
  if (name.empty() || name.size() > longest) return {};
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = name.size() >= 3 && candidate.compare(0, name.size(), name) == 0;
    const std::size_t distance = begins ? 1 : edit_distance(name, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? "did you mean '" + *best + "'?" : std::string{};
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace whence
