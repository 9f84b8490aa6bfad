// What to do about an error of the library, in terms of the command's options.
#pragma once

#include "whence/core/error.hpp"

namespace whence {

/// The same error; where the command has an option that mends it, place and hint name the option.
Error with_command_hint(const Error& error);

}  // namespace whence
