// An episode is not a variable.
#include "whence/core/dataset.hpp"

std::size_t rows_of(const whence::Dataset& data) {
#ifdef CONTROL
  return data.levels(whence::VariableId(1)).size();
#else
  return data.levels(whence::EpisodeId(1)).size();
#endif
}
