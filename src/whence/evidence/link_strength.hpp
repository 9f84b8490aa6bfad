// How much of one variable another one explains.
#pragma once

#include <cstddef>
#include <span>

#include "whence/core/dataset.hpp"

namespace whence {

/// The largest squared correlation between a feature of `u` and one of `v`, within environments: of
/// real columns ranks, of categories one level against the rest.
double link_strength(const Dataset& data, std::size_t u, std::size_t v,
                     std::span<const std::size_t> environments);

}  // namespace whence
