// Linear Gaussian ground truths for pairs of vectors: A ~ N(mu_A, S_A), B = b1 A + b0 + N(0, S_N).
#pragma once

#include <cstdint>
#include <vector>

#include "whence/core/shift.hpp"
#include "whence/math/wishart.hpp"
#include "whence/mechanisms/linear_gaussian.hpp"

namespace whence {

/// How worlds and what changes in them are drawn: means, offsets and slopes standard normal,
/// covariances inverse-Wishart.
struct LinearGaussianPrior {
  InverseWishart covariance;
  bool shift_covariance = false;  // a shift of the cause or mechanism redraws its covariance, too

  /// `degrees` of freedom, scaled so that the mean covariance is the identity (degrees > d + 1).
  static LinearGaussianPrior of(int dimension, double degrees);
};

class LinearGaussianWorld {
 public:
  /// Throws an Error when a covariance is singular to working precision: a condition number above
  /// 1e12.
  explicit LinearGaussianWorld(GaussianPair forward);

  static LinearGaussianWorld draw_pair(const LinearGaussianPrior& prior, std::uint64_t seed,
                                       std::uint32_t run);

  std::size_t dimension() const { return forward_.marginal.offset.size(); }
  const GaussianPair& forward() const { return forward_; }    // P(A), P(B | A)
  const GaussianPair& backward() const { return backward_; }  // P(B), P(A | B), by Bayes' rule
  /// The larger of the two covariances' condition numbers.
  double condition() const { return condition_; }

  std::vector<Variable> variables() const;
  /// The exact P(child | parents) of one of the pair's four families.
  LinearGaussian<double> conditional(const Family& family) const;

  /// The world after a shift. cause: mu_A redrawn; effect: B becomes a fresh N(mu, S) whatever A
  /// is; mechanism: b0 and b1 redrawn; both: cause and mechanism. There are no rows here: `row` is
  /// an Error.
  GaussianPair shifted(ShiftKind what, const LinearGaussianPrior& prior, Stream stream) const;

 private:
  GaussianPair forward_, backward_;
  double condition_;
};

/// Writes rows [first, first + rows) of data: columns 0 and 1 are A and B.
void sample_pair(const GaussianPair& pair, Stream stream, Dataset& data, std::size_t first,
                 std::size_t rows);

/// An empty data set of real columns of that shape, to be filled by sample_pair().
Dataset make_real_dataset(const std::vector<Variable>& variables, std::size_t rows);

}  // namespace whence
