// Special functions of many numbers at once.
#pragma once

#include <span>

namespace whence {

/// x <- log Gamma(x) for every x > 0, the bits of log_gamma.
void log_gamma_all(std::span<double> x);

}  // namespace whence
