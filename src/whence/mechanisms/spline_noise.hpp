// A spline of the parent plus Gaussian noise: B = f(A) + N(0, sigma^2).
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "whence/math/spline.hpp"
#include "whence/mechanisms/mechanism.hpp"
#include "whence/mechanisms/mixture_head.hpp"

namespace whence {

/// The spline through the unit values: value 1 at one point and 0 at the others. A spline is linear
/// in its values, so f(x) = sum over k of value_k * cardinal_k(x).
std::vector<Spline> cardinal_splines(int degree, std::span<const double> x, Extrapolation outside);

/// Parameters: the values of f at its points, then log sigma.
template <class T = double>
class SplineNoise {
 public:
  using Scalar = T;

  SplineNoise(int degree, std::span<const double> x, std::span<const T> y, T log_sigma,
              Extrapolation outside = Extrapolation::linear)
      : basis_(std::make_shared<const std::vector<Spline>>(cardinal_splines(degree, x, outside))),
        parameters_(y.begin(), y.end()) {
    parameters_.push_back(log_sigma);
  }

  std::span<T> parameters() { return parameters_; }
  std::span<const T> parameters() const { return parameters_; }

  T mean(double x) const {
    T sum(0);
    for (std::size_t k = 0; k < basis_->size(); ++k) sum += parameters_[k] * T((*basis_)[k](x));
    return sum;
  }

  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    const auto [x, y] = point(data, family, row);
    const T q = standardised(x, y);
    return -T(0.5) * q * q - parameters_.back() - T(log_root_two_pi);
  }

  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    using std::exp;
    const auto [x, y] = point(data, family, row);
    const T q = standardised(x, y), pull = weight * q * exp(-parameters_.back());
    for (std::size_t k = 0; k < basis_->size(); ++k) gradient[k] += pull * T((*basis_)[k](x));
    gradient[basis_->size()] += weight * (q * q - T(1));
  }

  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    const double x = data.columns[family.parents[0].value].values[row];
    data.columns[family.child.value].values[row] =
        double(mean(x)) + std::exp(double(parameters_.back())) * sample_normal(stream);
  }

 private:
  static std::pair<double, double> point(const Dataset& data, const Family& family,
                                         std::size_t row) {
    return {data.columns[family.parents[0].value].values[row],
            data.columns[family.child.value].values[row]};
  }
  T standardised(double x, double y) const {
    using std::exp;
    return (T(y) - mean(x)) * exp(-parameters_.back());
  }

  std::shared_ptr<const std::vector<Spline>> basis_;  // constant, so copies may share it
  std::vector<T> parameters_;
};

static_assert(Mechanism<SplineNoise<double>>);

}  // namespace whence
