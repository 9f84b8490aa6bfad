// What whence direction remembers between runs, so that an environment may arrive later: counts
// where both columns are categorical, otherwise the rows themselves, which the check of the model
// and evidence from labels need. A run that continues gives the bytes of one run over all
// environments.
#pragma once

#include <string>
#include <string_view>

#include "whence/io/json/json.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

/// Raised when older programs could not continue.
inline constexpr int state_format = 1;

struct DirectionState {
  Json options;  // everything that was asked for at the start
  LoadedData loaded;
};

/// Equal states give equal bytes; a checksum is among them.
std::string state_text(const DirectionState& state);

/// Errors are of code checkpoint: the file is damaged, of another program, or newer than this one.
DirectionState read_state(std::string_view text, const std::string& file);

/// New environments behind those of the state. Levels are united as a reader of all files would; an
/// Error of code checkpoint where the variables or the names of environments do not fit.
void append(LoadedData& state, LoadedData more, const std::string& file);

/// How new files must be read to fit the state: its variables and their kinds.
void require_kinds(const LoadedData& state, ReadOptions& read);

}  // namespace whence
