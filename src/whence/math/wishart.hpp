// Inverse-Wishart covariances, drawn as their Cholesky factors.
#pragma once

#include "whence/math/dense.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// Covariances with Sigma^-1 ~ Wishart(degrees, I / scale). Where degrees > dimension + 1 their
/// mean is scale / (degrees - dimension - 1) times the identity.
struct InverseWishart {
  int dimension = 1;
  double degrees = 2;  // greater than dimension - 1
  double scale = 1;
};

/// The lower triangular L of Sigma = L L^T, by Bartlett's decomposition: no matrix is formed, none
/// is factored. L = sqrt(scale) T^-1, T lower triangular with independent entries, standard normal
/// below the diagonal and T_ii^2 ~ chi-square with degrees - dimension + 1 + i degrees of freedom.
Matrix sample_inverse_wishart_factor(Stream& stream, const InverseWishart& law);

}  // namespace whence
