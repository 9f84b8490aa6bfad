// Bytes that are on the disk when the function returns.
#pragma once

#include <filesystem>
#include <string>

namespace whence {

/// Makes a file that was not there, writes and flushes it. Errors are of code io; a file that could
/// not be finished is left to the caller, which may have more to clean up.
void write_new_file(const std::filesystem::path& path, const std::string& content);

/// Flushes the names in a folder.
void sync_folder(const std::filesystem::path& folder);

}  // namespace whence
