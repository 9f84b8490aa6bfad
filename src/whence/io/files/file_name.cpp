#include "whence/io/files/file_name.hpp"

#include <algorithm>
#include <array>

#include "whence/io/files/sha256.hpp"

namespace whence {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_allowed(char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }

/// Device names of Windows: results travel, and there such a file cannot be opened or removed.
bool is_device_name(std::string_view name) {
  std::string stem(name.substr(0, name.find('.')));
  std::transform(stem.begin(), stem.end(), stem.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  constexpr std::array<std::string_view, 4> devices = {"con", "prn", "aux", "nul"};
  if (std::find(devices.begin(), devices.end(), stem) != devices.end()) return true;
  const std::string_view head = std::string_view(stem).substr(0, 3);
  return stem.size() == 4 && (head == "com" || head == "lpt") && stem[3] >= '0' && stem[3] <= '9';
}

}  // namespace

bool is_safe_file_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), is_allowed) &&
         is_letter_or_digit(name[0]) && name.back() != '.' && !is_device_name(name);
}

std::string file_name_for(std::string_view text) {
  if (is_safe_file_name(text)) return std::string(text);
  std::string slug;
  for (const char c : text.substr(0, 200)) {
    const bool keep = is_letter_or_digit(c) || (!slug.empty() && c == '_');
    if (keep)
      slug += c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
    if (slug.size() == 48) break;
  }
  while (!slug.empty() && !is_letter_or_digit(slug.back())) slug.pop_back();
  return (slug.empty() ? "x" : slug) + "-" + sha256_hex(text).substr(0, 8);
}

}  // namespace whence
