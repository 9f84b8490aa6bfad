// What every fuzz target asks of a reader: it returns or throws an Error that no input may call
// internal.
#pragma once

#include <cstdlib>
#include <string_view>

#include "whence/core/error.hpp"

namespace whence::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// `also`: a code that this reader's errors may have beside those of data.
template <class Work>
bool succeeds(Work work, ExitCode also = ExitCode::bad_data) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    require(error.code() == ExitCode::bad_data || error.code() == ExitCode::resource ||
            error.code() == ExitCode::usage || error.code() == also);
    require(error.id().starts_with("E-"));
    require(std::string_view(error.what()).size() + error.hint().size() < 4096);
    for (const char c : std::string_view(error.what())) require(c >= 0x20 || (c & 0x80));
    return false;
  }
}

}  // namespace whence::fuzz
