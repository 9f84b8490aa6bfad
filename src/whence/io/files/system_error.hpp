// What the operating system refused, as an Error of code io that names the path.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

/// `doing` completes "cannot ...": "write", "rename". Read errno before anything can change it.
[[noreturn]] inline void fail_io(const std::string& doing, const std::filesystem::path& path,
                                 int error = errno) {
  const char* hint = error == ENOSPC || error == EDQUOT
                         ? "free some space, or choose another place with -o"
                     : error == EACCES || error == EPERM || error == EROFS
                         ? "choose a place you may write to, with -o"
                         : "";
  throw Error(ExitCode::io, "E-IO-SYSTEM", printable(path.string()),
              "cannot " + doing + ": " + std::strerror(error), hint);
}

}  // namespace whence
