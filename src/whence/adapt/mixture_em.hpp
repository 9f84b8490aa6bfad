// Expectation maximisation for Gaussian mixtures, fast: the pass over the points of
// mechanisms/gaussian_mixture.hpp with lanes over points. Agrees with the reference to rounding,
// and is the same bits on every instruction set.
#pragma once

#include <span>

#include "whence/math/aligned.hpp"
#include "whence/math/dual.hpp"
#include "whence/mechanisms/gaussian_mixture.hpp"

namespace whence {

/// Points laid out for the kernels, and room for them to work in. One per thread.
struct EmScratch {
  AlignedNumbers x, x_slope;  // padded to whole blocks
  AlignedNumbers memory;      // of the kernel
};

/// fit_mixture with the fast pass.
EmOutcome fit_mixture_fast(GaussianMixture<double>& mixture, std::span<const double> x,
                           const EmOptions& options, EmScratch& scratch);
/// The same with derivatives: slopes of the points and of the mixture's parameters are carried
/// through every iteration.
EmOutcome fit_mixture_fast(GaussianMixture<Dual<double>>& mixture, std::span<const Dual<double>> x,
                           const EmOptions& options, EmScratch& scratch);

/// Summed log-likelihood of the points.
double mixture_log_lik(const GaussianMixture<double>& mixture, std::span<const double> x,
                       EmScratch& scratch);
Dual<double> mixture_log_lik(const GaussianMixture<Dual<double>>& mixture,
                             std::span<const Dual<double>> x, EmScratch& scratch);

}  // namespace whence
