// Text for people: safe to print, short to read, and a guess at what was meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// Bytes of the UTF-8 character that `text` begins with; 0 when it does not begin with one.
std::size_t utf8_length(std::string_view text);

/// The same text with everything that could act on a terminal shown as \xNN: control characters,
/// bytes that are not UTF-8, and characters that are invisible or change the reading direction.
std::string printable(std::string_view text);

/// Of ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// At most `bytes` bytes of printable text, with "..." where something was left out.
std::string excerpt(std::string_view text, std::size_t bytes = 60);

/// The shortest decimal that reads back as the same double; whole numbers without an exponent.
/// Negative zero is written as 0.
std::string shortest(double value);

/// Rounded to `digits` significant digits, for people.
std::string rounded(double value, int digits = 4);

/// A probability for people, to a tenth of a percent; the last tenth at either end has a name of
/// its own: "> 99.9 %", in a sentence "over 99.9 %".
enum class PercentStyle { table, sentence };
std::string percent(double p, PercentStyle style = PercentStyle::table);
inline std::string in_percent(double p) { return percent(p, PercentStyle::sentence); }

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (Damerau-Levenshtein, restricted).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "did you mean 'x'?" for the nearest candidate; empty when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

/// The parts between separators; empty parts are kept.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace whence
