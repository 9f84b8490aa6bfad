// Names for files, from an allow-list: whatever the text was, the name is harmless.
#pragma once

#include <string>
#include <string_view>

namespace whence {

/// 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit, and no name that an operating
/// system keeps for itself ("con", "nul", ...).
bool is_safe_file_name(std::string_view name);

/// The text itself where it is safe; otherwise its safe characters and 8 hex digits of its hash, so
/// that different texts keep different names: "belief/N=10" -> "belief-N-10-5f0d5a30".
std::string file_name_for(std::string_view text);

}  // namespace whence
