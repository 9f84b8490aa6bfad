// The paper's categorical module: one softmax row of logits per configuration of the parents.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "whence/mechanisms/mechanism.hpp"

namespace whence {

/// P(V = j | parents = i) = softmax(logits[i])[j]. `T` may be double, long double or a dual number:
/// this is the readable reference that the fast code must agree with.
template <class T = double>
class CategoricalTable {
 public:
  using Scalar = T;

  /// Uniform to start with.
  CategoricalTable(int levels, std::size_t rows)
      : levels_(levels), logits_(rows * std::size_t(levels), T(0)) {}

  /// From the logarithms of probabilities, or any other logits.
  CategoricalTable(int levels, std::vector<T> logits)
      : levels_(levels), logits_(std::move(logits)) {}

  int levels() const { return levels_; }
  std::size_t rows() const { return logits_.size() / std::size_t(levels_); }

  std::span<T> parameters() { return logits_; }
  std::span<const T> parameters() const { return logits_; }
  std::span<const T> row(std::size_t i) const {
    return parameters().subspan(i * std::size_t(levels_), std::size_t(levels_));
  }

  T log_prob(const Dataset& data, const Family& family, std::size_t row_index) const {
    return log_prob(parent_configuration(data, family, row_index),
                    data.columns[family.child.value].levels[row_index]);
  }
  T log_prob(std::size_t configuration, int level) const {
    const auto logits = row(configuration);
    return logits[std::size_t(level)] - log_normaliser(logits);
  }

  /// d log P(j | i) / d logits[i] = onehot(j) - P(. | i).
  void add_gradient(const Dataset& data, const Family& family, std::size_t row_index, T weight,
                    std::span<T> gradient) const {
    using std::exp;
    const std::size_t i = parent_configuration(data, family, row_index);
    const auto logits = row(i);
    const T normaliser = log_normaliser(logits);
    const auto slice = gradient.subspan(i * std::size_t(levels_), std::size_t(levels_));
    for (std::size_t j = 0; j < logits.size(); ++j)
      slice[j] -= weight * exp(logits[j] - normaliser);
    slice[std::size_t(data.columns[family.child.value].levels[row_index])] += weight;
  }

  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row_index) const {
    const auto logits = row(parent_configuration(data, family, row_index));
    const T normaliser = log_normaliser(logits);
    double left = stream.uniform();
    std::size_t level = 0;
    for (; level + 1 < logits.size(); ++level) {
      left -= double(portable_exp(double(logits[level] - normaliser)));
      if (left < 0) break;
    }
    data.columns[family.child.value].levels[row_index] = std::int32_t(level);
  }

 private:
  static T log_normaliser(std::span<const T> logits) {
    using std::exp;
    using std::log;
    T top = logits[0];
    for (const T& l : logits)
      if (l > top) top = l;
    T sum(0);
    for (const T& l : logits) sum += exp(l - top);
    return top + log(sum);
  }

  int levels_;
  std::vector<T> logits_;  // [parent configuration][level]
};

static_assert(Mechanism<CategoricalTable<double>>);

/// The relative frequencies of rows [begin, end), smoothed by `equivalent_rows` imaginary rows
/// spread evenly over all cells of child and parents. Spread that way the two factorisations of a
/// joint stay equal (likelihood equivalence); Laplace's "one per cell" would break it. A row of the
/// table that neither data nor smoothing reaches is uniform, and counted in `unseen` when given.
CategoricalTable<double> fit_counts(const Dataset& data, std::size_t begin, std::size_t end,
                                    const Family& family, double equivalent_rows,
                                    int* unseen = nullptr);

}  // namespace whence
