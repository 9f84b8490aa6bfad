// The linear Gaussian module: P(y | x) = N(y; b0 + B x, L L^T) for vectors; no parents, no B.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "whence/math/dense.hpp"
#include "whence/mechanisms/mechanism.hpp"

namespace whence {

/// Row i of the parameters is (b0_i, B_i0 ... , L_i0 ... L_i,i-1, log L_ii): the factor's diagonal
/// is kept as its logarithm, so that every vector of parameters is a valid covariance. The parents'
/// values stand one after the other in x. `T` may be double, long double or a dual number: this is
/// the readable reference that the fast code must agree with.
template <class T = double>
class LinearGaussian {
 public:
  using Scalar = T;

  /// The standard normal law, whatever the parents.
  LinearGaussian(std::size_t dimension, std::size_t inputs)
      : LinearGaussian(dimension, inputs, std::vector<T>(start(dimension, inputs), T(0))) {}

  LinearGaussian(std::size_t dimension, std::size_t inputs, std::vector<T> parameters)
      : dimension_(dimension), inputs_(inputs), parameters_(std::move(parameters)) {}

  std::size_t dimension() const { return dimension_; }
  std::size_t inputs() const { return inputs_; }

  std::span<T> parameters() { return parameters_; }
  std::span<const T> parameters() const { return parameters_; }
  /// Row i: 1 + inputs + i + 1 numbers.
  std::span<const T> row(std::size_t i) const {
    return parameters().subspan(start(i, inputs_), inputs_ + 2 + i);
  }

  T log_prob(const Dataset& data, const Family& family, std::size_t index) const {
    const std::vector<T> z = whitened(child(data, family, index), inputs(data, family, index));
    T sum(0);
    for (std::size_t i = 0; i < dimension_; ++i)
      sum -= T(0.5) * z[i] * z[i] + row(i).back() + T(half_log_two_pi);
    return sum;
  }

  /// With z = L^-1 (y - mean) and w = L^-T z: d/d b0 = w, d/dB = w x^T, d/d L_ij = w_i z_j, and
  /// d/d log L_ii = w_i z_i L_ii - 1.
  void add_gradient(const Dataset& data, const Family& family, std::size_t index, T weight,
                    std::span<T> gradient) const {
    using std::exp;
    const std::vector<double> x = inputs(data, family, index);
    const std::vector<T> z = whitened(child(data, family, index), x);
    const std::vector<T> w = weighed(z);
    for (std::size_t i = 0; i < dimension_; ++i) {
      const T pull = weight * w[i];
      const auto into = gradient.subspan(start(i, inputs_), inputs_ + 2 + i);
      into[0] += pull;
      for (std::size_t j = 0; j < inputs_; ++j) into[1 + j] += pull * T(x[j]);
      for (std::size_t j = 0; j < i; ++j) into[1 + inputs_ + j] += pull * z[j];
      into[1 + inputs_ + i] += pull * z[i] * exp(row(i).back()) - weight;
    }
  }

  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t index) const {
    const std::vector<double> x = inputs(data, family, index);
    std::vector<double> noise(dimension_);
    for (double& n : noise) n = sample_normal(stream);
    double* y = &data.columns[family.child.value].values[index * dimension_];
    for (std::size_t i = 0; i < dimension_; ++i) {
      const auto r = row(i);
      y[i] = double(r[0]) + portable_exp(double(r.back())) * noise[i];
      for (std::size_t j = 0; j < inputs_; ++j) y[i] += double(r[1 + j]) * x[j];
      for (std::size_t j = 0; j < i; ++j) y[i] += double(r[1 + inputs_ + j]) * noise[j];
    }
  }

  /// Where row i of the parameters begins.
  static std::size_t start(std::size_t i, std::size_t inputs) {
    return i * (inputs + 2) + (i == 0 ? 0 : i * (i - 1) / 2);
  }

 private:
  static constexpr double half_log_two_pi = 0.91893853320467274178;

  std::span<const double> child(const Dataset& data, const Family& family,
                                std::size_t index) const {
    return std::span(data.columns[family.child.value].values)
        .subspan(index * dimension_, dimension_);
  }
  std::vector<double> inputs(const Dataset& data, const Family& family, std::size_t index) const {
    std::vector<double> x;
    for (VariableId parent : family.parents) {
      const auto size = std::size_t(data.variables[parent.value].dimension);
      const double* values = &data.columns[parent.value].values[index * size];
      x.insert(x.end(), values, values + size);
    }
    return x;
  }

  /// L^-1 (y - b0 - B x).
  std::vector<T> whitened(std::span<const double> y, std::span<const double> x) const {
    using std::exp;
    std::vector<T> z(dimension_);
    for (std::size_t i = 0; i < dimension_; ++i) {
      const auto r = row(i);
      T left = T(y[i]) - r[0];
      for (std::size_t j = 0; j < inputs_; ++j) left -= r[1 + j] * T(x[j]);
      for (std::size_t j = 0; j < i; ++j) left -= r[1 + inputs_ + j] * z[j];
      z[i] = left * exp(-r.back());
    }
    return z;
  }

  /// L^-T z.
  std::vector<T> weighed(std::vector<T> w) const {
    using std::exp;
    for (std::size_t i = dimension_; i-- > 0;) {
      for (std::size_t k = i + 1; k < dimension_; ++k) w[i] -= row(k)[1 + inputs_ + i] * w[k];
      w[i] *= exp(-row(i).back());
    }
    return w;
  }

  std::size_t dimension_, inputs_;
  std::vector<T> parameters_;
};

static_assert(Mechanism<LinearGaussian<double>>);

/// The same module in words of matrices: mean = offset + slope x, covariance = factor factor^T.
struct GaussianTerms {
  std::vector<double> offset;
  Matrix slope;   // no columns: a marginal
  Matrix factor;  // lower triangular, positive diagonal
};

LinearGaussian<double> linear_gaussian(const GaussianTerms& terms);
GaussianTerms terms_of(const LinearGaussian<double>& module);

/// A joint law of two vectors as one of its two factorisations.
struct GaussianPair {
  GaussianTerms marginal, conditional;
};

/// The other factorisation of the same joint, exactly (Bayes' rule): from P(A), P(B | A) to P(B),
/// P(A | B). In information form, (S_A^-1 + b1^T S_N^-1 b1)^-1, and there by square roots: the
/// subtraction S_A - S_A b1^T S_B^-1 b1 S_A loses its digits and its sign when d is 100.
GaussianPair bayes_inverse(const GaussianPair& pair);

}  // namespace whence
