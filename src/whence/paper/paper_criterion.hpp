// The paper's criterion on a user-like data set: modules fitted to the baseline, adapted to each
// shifted environment by gradient; the model that adapts faster is the causal one.
#pragma once

#include "whence/core/dataset.hpp"

namespace whence {

/// sigmoid of the summed log-odds of X -> Y over the environments after the first, the baseline;
/// mini-batches of ten. Two categorical columns, or two real ones of dimension 1.
double paper_belief(const Dataset& data);

}  // namespace whence
