// The inner loops of evidence from features: weighted Gram matrices and one pass of logistic
// regression. Sums run over eight lanes that are combined in a fixed order, so every machine and
// every number of threads gets the same bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/math/aligned.hpp"

namespace whence {

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

/// Columns of floats of one length. Each column is padded with zeros to a multiple of eight.
class FeatureColumns {
 public:
  FeatureColumns(std::size_t rows, std::size_t columns)
      : rows_(rows), stride_((rows + 7) / 8 * 8), columns_(columns), values_(stride_ * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t stride() const { return stride_; }
  std::size_t columns() const { return columns_; }
  float* column(std::size_t j) { return values_.data() + j * stride_; }
  const float* column(std::size_t j) const { return values_.data() + j * stride_; }

 private:
  std::size_t rows_, stride_, columns_;
  AlignedFloats values_;
};

/// gram[i * q + j] = sum over rows of x_i x_j (times `weight`, of stride() numbers, where given).
void gram_matrix(const FeatureColumns& x, const float* weight, std::span<double> gram);

/// to = a smooth wave of (phase + sum_k weight_k column_k), period 2: close to sin(pi x), between
/// -1 and 1.
void fill_wave(std::span<const float* const> columns, std::span<const float> weight, float phase,
               std::size_t stride, float* to);

/// score += step * x w for all rows.
void add_scores(const FeatureColumns& x, std::span<const double> w, double step,
                std::span<float> score);

/// to = |lower u|^2 for all rows, u being a row's first q features and `lower` a lower triangular
/// matrix, row by row.
void squared_norms(const FeatureColumns& x, std::size_t q, std::span<const float> lower,
                   std::span<float> to);

/// gradient_j = sum over rows of x_j residual.
void project(const FeatureColumns& x, std::span<const float> residual, std::span<double> gradient);

/// The log-likelihood of labels (0 or 1) under log-odds `score`. Fills residual = label - p and
/// weight = p (1 - p); both are 0 in the padding.
double logistic_pass(std::size_t rows, std::span<const float> score, std::span<const float> label,
                     std::span<float> residual, std::span<float> weight);

}  // namespace whence
