// Whether two variables depend on each other within environments, by tables.
#pragma once

#include <span>

#include "whence/core/dataset.hpp"

namespace whence {

/// log-evidence that the two variables depend on each other within environments: coarse tables of
/// within-environment ranks, dependent against independent; one table for all environments, or one
/// for each, of which any may have been cut. The same for (u, v) and (v, u).
double dependence_evidence(const Dataset& data, std::span<const double> share = {});

}  // namespace whence
