// What the variables behind a linear mixture do to each other: where one was changed, the others
// that follow from it move too.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/discover/encoder/find_unmixing.hpp"

namespace whence {

/// A total effect, through whatever lies between, in baseline deviations of the effect for one of
/// the cause.
struct LatentEffect {
  std::size_t from = 0, to = 0;  // rows of the unmixing matrix
  double effect = 0, sd = 0;
};

/// Clear effects only, by how the means of rows moved in the environments that changed a cause.
/// Effects on rows of kind latent: a noise follows from nothing. The baseline comes first, as for
/// find_unmixing.
std::vector<LatentEffect> find_latent_effects(std::span<const Matrix> environments,
                                              const UnmixingAnswer& found);

}  // namespace whence
