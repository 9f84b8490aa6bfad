// Smooth functions of one number, ordered by how much they bend.
#pragma once

#include <cstddef>
#include <span>

#include "whence/math/dense.hpp"

namespace whence {

/// Natural cubic splines at evenly spaced places, orthonormal under the weights of the places and
/// without mean (the constant is not among them), the smoothest first: Demmler and Reinsch's basis.
/// The first is nearly a straight line. Signs are fixed: functions end above zero.
/// [place][function]
Matrix smooth_basis(std::span<const double> places, std::span<const double> weights,
                    std::size_t functions);

}  // namespace whence
