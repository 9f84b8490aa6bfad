// The inner loops of additive logit mechanisms, on vectors.
//
// Coefficients are a matrix [row][class]: row 0 the intercept, then one row per level of each
// parent. Rows are padded to a multiple of eight classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence {

/// Configurations of the parents, as the rows of coefficients that they pick.
struct AdditiveItems {
  std::size_t parents = 0, items = 0;
  std::vector<std::uint16_t> row;  // [item][parent]
};

/// One look at all items.
struct AdditivePass {
  std::vector<double> log_sum;   // of each item: log of the sum over classes of exp(logit)
  std::vector<double> expected;  // [row][class]: sum over items of weight * probability
  std::vector<double> outer;     // [class][class]: sum over items of weight * p p'
  std::vector<double> scratch;
  std::vector<float> theta, rough;  // of a rough look: coefficients, and what is expected
};

/// Eight positive definite matrices side by side: entry (i, j), j <= i, of all eight lies at
/// lanes * (i (i + 1) / 2 + j).
struct CholeskyLanes {
  static constexpr std::size_t lanes = 8;
  std::size_t order = 0;
  std::vector<double> lower;    // the matrices, then their factors
  std::vector<double> inverse;  // [i][lane]: 1 / L_ii

  void resize(std::size_t n) {
    order = n;
    lower.assign(lanes * n * (n + 1) / 2, 0.0);
    inverse.resize(lanes * n);
  }
  double* at(std::size_t i, std::size_t j) { return &lower[lanes * (i * (i + 1) / 2 + j)]; }
  const double* at(std::size_t i, std::size_t j) const {
    return &lower[lanes * (i * (i + 1) / 2 + j)];
  }
};

/// Orthogonal directions in the space of the classes, and the curvature along each: eight
/// directions to a group of matrices.
struct AdditiveCurvature {
  std::size_t stride = 0;             // of directions
  std::vector<double> directions;     // [class][direction]
  std::vector<CholeskyLanes> groups;  // sums of weight * Var(direction' indicator) x x'

  /// So many directions have matrices.
  std::size_t exact() const { return CholeskyLanes::lanes * groups.size(); }
};

/// `weight`: of each item; `theta`: [rows][width], of which `classes` columns count. The outer
/// products are left out unless asked for.
void additive_pass(const AdditiveItems& items, std::span<const double> weight,
                   std::span<const double> theta, std::size_t classes, std::size_t width,
                   bool with_outer, AdditivePass& pass);

/// The same in single precision, without outer products: twice as fast, and good enough for a step.
void additive_pass_rough(const AdditiveItems& items, std::span<const double> weight,
                         std::span<const double> theta, std::size_t classes, std::size_t width,
                         AdditivePass& pass);

/// Adds the items' curvature to that of the groups.
void additive_curvature(const AdditiveItems& items, std::span<const double> weight,
                        std::span<const double> theta, std::size_t classes, std::size_t width,
                        const AdditivePass& pass, AdditiveCurvature& curvature);

/// Probabilities of the classes and variances along the directions of every item, for candidates
/// that are not parents yet: [item][width + exact directions].
std::vector<double> additive_moments(const AdditiveItems& items, std::span<const double> theta,
                                     std::size_t classes, std::size_t width,
                                     const AdditivePass& pass, const AdditiveCurvature& curvature);

/// Adds row r's moments, those of item[r], to sum [offset[k] + column[k][r]] for every column k.
void sum_by_level(std::span<const double> moments, std::size_t stride,
                  std::span<const std::uint32_t> item, std::span<const std::uint8_t* const> columns,
                  std::span<const std::size_t> offset, std::size_t begin, std::size_t end,
                  std::span<double> sums);

/// Adds a group's variances of row r, which lie `from` doubles behind its item's moments, to
/// cross [column[r]][row of coefficients][lane] for all rows of coefficients that the item picks.
void cross_by_level(const AdditiveItems& items, std::span<const double> moments, std::size_t stride,
                    std::size_t from, std::span<const std::uint32_t> item,
                    const std::uint8_t* column, std::size_t begin, std::size_t end,
                    std::size_t order, std::span<double> cross);

void factor(CholeskyLanes& matrix);

/// Of each block of rows, from first[b] up to first[b + 1], its part of the inverse matrix: the
/// lower half, row by row, lane by lane, block after block.
std::vector<double> inverse_blocks(const CholeskyLanes& factor, std::span<const std::size_t> first);

/// Solves in place, x being [i][lane].
void solve(const CholeskyLanes& factor, std::span<double> x);

}  // namespace whence
