// What the shape of a regression's noise adds to its evidence.
#pragma once

#include <span>

namespace whence {

/// log-evidence gained by noise whose scale differs between fifths of the fit, and whose law is any
/// histogram, over normal noise of one variance. Each part counts only where it gains.
double noise_shape_gain(std::span<const float> residual, std::span<const float> fit,
                        double variance);

}  // namespace whence
