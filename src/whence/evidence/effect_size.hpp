// What a step of a cause does to its effect, in the units of the data.
#pragma once

#include <cstddef>
#include <string>

namespace whence {

/// The other causes stay as they are in the rows of the reference.
struct EffectSize {
  double start = 0, end = 0;             // the step of the cause; levels where it is categorical
  double change = 0, low = 0, high = 0;  // of the effect's mean, or of the probability of `level`
  // Names of levels, of categories: where the step begins and ends, and whose probability changes.
  std::string start_level = {}, end_level = {}, level = {};
  bool turns = false;    // it rises and falls, or falls and rises, within the step
  std::size_t rows = 0;  // that it was estimated from
};

/// A place on the fitted curve of one cause, the other causes as in the reference.
struct FittedPoint {
  double x = 0, y = 0, low = 0, high = 0;
};

}  // namespace whence
