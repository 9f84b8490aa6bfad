// Gradient adaptation of mixture density networks, fast: agrees with gradient.hpp to rounding.
//
// The experiments of the paper use one batch of 1000 points for all steps of an episode, scored
// before each step; Backend::score cuts an episode into a fresh mini-batch per step, so these are
// functions of their own. Lanes run over points; sums over points are eight interleaved partial
// sums combined in one fixed order, so that results are the same bits on every instruction set.
//
// With slopes, the same code carries the derivative along one direction (the encoder's angle)
// through data, parameters and every optimizer step: the exact meta-gradient, by forward tangents.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/math/aligned.hpp"
#include "whence/math/dual.hpp"
#include "whence/math/optimizer.hpp"
#include "whence/mechanisms/mixture_density.hpp"

namespace whence {

/// Parents x and children y. Slopes may be empty: then the points are constants.
struct DensityPoints {
  std::span<const double> x, y;
  std::span<const double> x_slope = {}, y_slope = {};

  /// Points [first, first + n).
  DensityPoints part(std::size_t first, std::size_t n) const {
    const auto cut = [&](std::span<const double> s) { return s.empty() ? s : s.subspan(first, n); };
    return {cut(x), cut(y), cut(x_slope), cut(y_slope)};
  }
};

/// A network that learns: parameters, optimizer state, and their slopes if it carries tangents.
class DensityLearner {
 public:
  DensityLearner(const MixtureDensity<double>& start, const OptimizerSpec& optimizer,
                 bool tangent = false);

  /// Back to these parameters, with a fresh optimizer and zero slopes.
  void restart(const MixtureDensity<double>& start);
  /// A fresh optimizer; the parameters stay.
  void restart_optimizer();

  MixtureDensity<double> density() const;

  /// Summed log-likelihood of the points, with its slope.
  Dual<double> log_lik(const DensityPoints& points);
  /// The same, then one step down the gradient of the mean negative log-likelihood.
  Dual<double> learn(const DensityPoints& points);
  /// The same as log_lik, and the gradient of the log-likelihood with respect to the parameters.
  Dual<double> gradient(const DensityPoints& points);
  /// Of the last gradient() or learn(): the derivative of the log-likelihood with respect to the
  /// parameters, and, when `want_inputs` is set, with respect to each point's x and y.
  std::span<const double> parameter_gradient() const { return gradient_; }
  std::span<const double> x_gradient() const { return x_gradient_; }
  std::span<const double> y_gradient() const { return y_gradient_; }
  bool want_inputs = false;

  std::span<const double> parameters() const { return theta_; }
  std::span<const double> parameter_slopes() const { return theta_slope_; }

  /// How often a log sigma was held at its limit, over all points, components and passes.
  long clamped() const { return clamped_; }

  /// What the kernels work on.
  struct Work;

 private:
  Dual<double> pass(const DensityPoints& points, bool with_gradient);

  DensityShape shape_;
  OptimizerSpec optimizer_;
  bool tangent_;
  int steps_ = 0;
  long clamped_ = 0;
  AlignedNumbers theta_, theta_slope_, gradient_, gradient_slope_;
  AlignedNumbers first_, first_slope_, second_, second_slope_;
  AlignedNumbers x_gradient_, y_gradient_;
  AlignedNumbers scratch_;  // points, hidden units, outputs and partial sums of a block
};

}  // namespace whence
