// An axis of a chart: where a value lies, and which values deserve a tick.
#pragma once

#include <string>
#include <vector>

namespace whence {

/// Values [low, high] laid out over pixels [start, end]; `end` may be the smaller one.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  double start = 0, end = 1;
  bool whole = false;  // counts: no ticks between whole numbers

  /// NaN for values that have no place on the axis: NaN itself, and zero or less on a log axis.
  double pixel(double value) const;
};

/// The smallest and the largest of what was shown so far; empty until the first value.
struct Extent {
  double low = 1, high = -1;
  bool empty() const { return low > high; }
  void include(double value);
};

/// Whether ticks can be told apart between the two: neither too close together, nor too small or
/// too large for the arithmetic of an axis.
bool can_be_drawn(double low, double high, bool logarithmic);

/// A drawable axis for data of that extent: never empty, never of zero length, with `margin` (a
/// share of the length) on both sides. A margin does not carry an axis of positive data below 0.
Axis fit_axis(Extent data, bool logarithmic, double margin);

/// Major ticks have a label; minor ones (between powers of ten) do not.
struct Tick {
  double value = 0;
  std::string label;
};

/// Lengthened to the next round value where that is near: an axis to 999 ends at 1000.
Axis round_off(Axis axis, int wanted);

/// About `wanted` round values inside the axis, in ascending order.
std::vector<Tick> ticks(const Axis& axis, int wanted);

}  // namespace whence
