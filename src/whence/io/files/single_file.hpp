// One file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace whence {

/// Written beside it, flushed, then renamed. An existing file is replaced only where `replace` is
/// set, and is E-OUT-EXISTS otherwise; folders never are. Errors are of code io.
void write_single_file(const std::filesystem::path& path, const std::string& content, bool replace);

}  // namespace whence
