// What the kernels of mixture density networks read and write.
#pragma once

#include <cstddef>

#include "whence/adapt/mixture_density_adapter.hpp"

namespace whence {

inline constexpr std::size_t density_block = 64;  // points whose activations stay in the cache
inline constexpr std::size_t partial_sums = 8;
inline constexpr std::size_t max_components = 64;

/// Values and slopes of one array; slopes are null without tangent.
struct DensityArray {
  double *v = nullptr, *s = nullptr;
};

/// What one pass over the points reads and writes.
struct DensityLearner::Work {
  DensityShape shape;
  std::size_t points;  // without padding; arrays over points are padded to whole blocks
  DensityArray theta, x, y;
  DensityArray hidden, outputs, pull;  // [row][density_block]
  DensityArray log_p;                  // [point]
  DensityArray partial;                // [parameter][partial_sums]
  double *x_gradient, *y_gradient;
  bool with_gradient, with_inputs;
  long clamped;
};

/// What one optimizer step reads and writes.
struct OptimizerWork {
  const OptimizerSpec& spec;
  std::size_t size;  // padded to eight
  double scale;      // gradient of the loss = scale * stored gradient
  double correction1, correction2;
  DensityArray theta, gradient, first, second;
};

}  // namespace whence
