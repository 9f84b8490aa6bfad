#include "whence/core/quoting.hpp"

namespace whence {
namespace {

constexpr std::string_view before_a_name = ",:=+";

/// Past the closing quote of what begins at `at`; `at` itself where nothing quoted begins there.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  if (text[at] != '"') return at;
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(' ', at - 1);
  if (before != std::string_view::npos &&
      before_a_name.find(text[before]) == std::string_view::npos)
    return at;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (i + 1 == text.size() || text[i + 1] != '"') return i + 1;
    ++i;  // doubled
  }
  return at;  // never closed: an ordinary character
}

}  // namespace

std::vector<std::string> split_outside_quotes(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_quoted(text, at);
    if (end > at)
      parts.back() += text.substr(at, end - at);
    else if (text[at] == separator)
      parts.emplace_back();
    else
      parts.back() += text[at];
    at = end > at ? end : at + 1;
  }
  return parts;
}

std::size_t rfind_outside_quotes(std::string_view text, char wanted) {
  std::size_t found = std::string_view::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_quoted(text, at);
    if (end == at && text[at] == wanted) found = at;
    at = end > at ? end : at + 1;
  }
  return found;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || end_of_quoted(text, 0) != text.size()) return std::string(text);
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"') ++i;
  }
  return out;
}

std::string list_name(std::string_view name) {
  const bool plain =
      name.find_first_of(before_a_name) == std::string_view::npos && name.substr(0, 1) != "\"";
  if (plain) return std::string(name);
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace whence
