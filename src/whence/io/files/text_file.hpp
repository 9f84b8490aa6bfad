// Reading a small file that the user named.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace whence {

/// The whole of a regular file of at most `max_bytes`. Never waits: a pipe, a device or a folder is
/// refused. Errors are of code io and name the path.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t(1)
                                                                                      << 20);

}  // namespace whence
