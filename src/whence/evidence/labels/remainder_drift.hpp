// How what a regression leaves over may have drifted in an environment, and what noise in its
// causes would have done to it.
#pragma once

#include <cstddef>
#include <vector>

namespace whence {

/// What is left of `still_changed` once a drift that was estimated as `moved`, with `variance`, has
/// been taken out: its density under no drift against drift of scale tau.
double with_drift(double still_changed, double moved, double variance, double tau);

/// Evidence for a change against a mechanism that drifts in every second run.
float drifts_at_times(double unmoved, double drifted);

/// Evidence for a change when parents were read with noise. A regression on such readings is too
/// flat: where the parents themselves moved, the child moves further than it expects, in the same
/// direction, although its mechanism is the same. With a share r of signal in the readings the
/// child is off by 1/r - 1 times what was expected; all shares from `signal` on are as likely, and
/// so is noise at all. `moved` is how far the child is off and `expected` what the regression
/// expected, beyond doubt and in one direction, in residual standard deviations.
double with_noisy_parents(double still_changed, double moved, double variance, double expected,
                          double signal);

/// How far an environment's rows are off on average.
struct Offset {
  double value = 0, variance = 1;
};

/// Of the first n rows, which are the environment's, against so many of the baseline.
Offset offset_of(const std::vector<float>& z, std::size_t n, double reference);

/// How a remainder may have drifted: its offset, a slope for each coordinate of the parents, and
/// its scale, estimated in one environment; and what is left without each.
struct Drift {
  Offset offset;
  std::vector<double> moved, variances;  // along independent axes
  double log_scale = 0;
  std::vector<float> without_offset, without_all;  // the environment's rows
};

Drift estimate_drift(const std::vector<float>& z, std::size_t n, double reference,
                     const std::vector<const float*>& parents);

}  // namespace whence
