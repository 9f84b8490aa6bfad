// Linear families with Student noise: rows that lie far off count less, so that a heavy tail is
// neither an edge nor a change.
//
// y = z'beta + sigma eps / sqrt(w), w ~ Gamma(nu/2, nu/2) per row. For any rates b of
// q(w) = Gamma((nu+1)/2, b) the evidence is bounded from below by that of a Gaussian regression
// whose Gram matrix weighs each row by E w, plus one number per row. So pools of environments stay
// sums of Gram matrices, and all that is known of them (pool_sum.hpp) holds as it is. The bound
// lies below the evidence by log((nu+3)/(nu+1))/2 per coefficient and log((nu+3)/nu)/2 once: some
// tenths of a nat, against edges and against changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whence/evidence/linear/regression_pools.hpp"

namespace whence {

/// Rows of all environments cut into pieces of one length, a lane each. No sum crosses lanes: the
/// same bits on every instruction set.
class RowPieces {
 public:
  RowPieces() = default;
  explicit RowPieces(std::span<const std::size_t> rows_per_environment);

  /// Before the values of a column are set: all of them 0.
  void add_column() { columns_.emplace_back(length_ * stride_, 0.0); }
  /// Row `row` of an environment, in units that the caller chose. Column 0 is the constant.
  void set(std::size_t environment, std::size_t row, std::size_t column, double value);

  std::size_t length() const { return length_; }  // rows per piece
  std::size_t stride() const { return stride_; }  // pieces, padded
  const double* column(std::size_t k) const { return columns_[k].data(); }
  std::span<const std::uint32_t> environment_of() const { return environment_of_; }

 private:
  std::size_t length_ = 0, stride_ = 0;
  std::vector<std::size_t> first_piece_;       // [environment]
  std::vector<std::uint32_t> environment_of_;  // [piece], the padding left out
  std::vector<std::vector<double>> columns_;   // of [length][stride], zero in the padding
};

/// The weighted Gram matrices of one family, and what the weights themselves add to its evidence.
class StudentFamily {
 public:
  /// `columns`: those of the family, the constant first and the child last. `plain` are its Gram
  /// matrices with all weights 1, which is where it starts.
  StudentFamily(const RowPieces& rows, std::span<const std::size_t> columns,
                const FamilyGrams& plain);
  StudentFamily(const StudentFamily&) = delete;
  StudentFamily& operator=(const StudentFamily&) = delete;

  void set_freedom(double nu) { freedom_ = nu; }
  /// All weights 1.
  void restart();

  /// How the noise's precision is taken from a pool: by its rows, which never lowers the bound, or
  /// by the sum of their weights, which has the same fixed point and comes near it sooner
  /// (parameter expansion: Liu, Rubin and Wu 1998).
  enum class Pace : unsigned char { steady, fast };

  /// Weighs the rows of each environment e by the fit of `base` + sign[e] * environment e.
  void reweigh(const RegressionPrior& prior, std::span<const double> base, double base_count,
               std::span<const double> sign, Pace pace);

  /// The products of another column, with the weights of the last reweigh: with the family's
  /// columns and, behind these, with itself. [order + 1][environments, padded].
  void column_products(std::size_t column, std::span<double> products) const;

  const FamilyGrams& grams() const { return grams_; }
  /// To be added to the evidence for each environment of a pool.
  std::span<const double> offsets() const { return offsets_; }

 private:
  void expand_factors();
  void fold_pieces();
  void fold(const double* pieces, double* environments) const;

  const RowPieces& rows_;
  const FamilyGrams& plain_;
  double freedom_ = 4;
  FamilyGrams grams_;
  std::vector<const double*> columns_, entries_;
  std::vector<double> weighted_, factors_;                // [packed][environments, padded]
  std::vector<double> piece_factors_, piece_sums_;        // [packed][pieces, padded]
  std::vector<double> weights_;                           // [length][pieces, padded]
  std::vector<double> piece_logs_, log_rates_, offsets_;  // sums of log b
};

}  // namespace whence
