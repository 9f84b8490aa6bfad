// Whether a variable still follows another one as it did, whatever else changed.
#pragma once

#include <cstddef>
#include <span>

#include "whence/core/dataset.hpp"

namespace whence {

/// How clearly the way in which variable `shifted` (0 or 1) goes with the other one differs between
/// an environment and those it is compared with, in nats; 0 where it does not. Noise that is added
/// to a variable changes its law and leaves its covariance with any function of the other alone; a
/// mechanism that answers otherwise changes it.
double changed_covariance(const Dataset& data, std::size_t shifted, std::size_t environment,
                          std::span<const std::size_t> reference,
                          std::span<const double> share = {});

}  // namespace whence
