// Unmixing without environments, for comparison: principal and independent components of the rows.
#pragma once

#include "whence/math/dense.hpp"

namespace whence {

/// Rows of weights, the direction of largest variance first. `rows` is [row][column].
Matrix principal_components(const Matrix& rows);

/// FastICA (Hyvarinen 1999): symmetric, with tanh. Rows of weights, of variance one.
Matrix independent_components(const Matrix& rows);

}  // namespace whence
