// How jobs run: one job adapts one family on one episode and fills one row of Scores.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "whence/adapt/gradient.hpp"
#include "whence/core/scores.hpp"
#include "whence/mechanisms/all.hpp"

namespace whence {

class Backend {
 public:
  virtual ~Backend() = default;

  /// Scores of every module on every episode. Without `adaptation.reset` the episodes of a family
  /// form one long run; with it they are independent. Throws E-NUM-DIVERGED, with the place, when
  /// an episode leaves the finite numbers.
  virtual Scores score(const Dataset& data, std::span<const Episode> episodes,
                       std::span<const Module> modules, const GradientAdaptation& adaptation,
                       int threads = 1) const = 0;
};

/// The readable one, in double precision: adapt() of adapt/gradient.hpp, nothing else.
std::unique_ptr<Backend> reference_backend();

/// Threads over jobs, vectors inside a job.
std::unique_ptr<Backend> cpu_backend();

/// Throws E-NUM-DIVERGED for the first score that is not finite.
void check_finite(const Scores& scores);

}  // namespace whence
