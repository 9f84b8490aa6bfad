// The files of experiments/, carried inside the library. The build writes the definitions.
#pragma once

namespace whence {

struct EmbeddedFile {
  const char* name;  // file name without .json
  const char* text;
};

extern const EmbeddedFile embedded_experiments[];  // sorted by name
extern const int embedded_experiment_count;

}  // namespace whence
