// The paper's continuous conditional: a mixture density network (Bishop 1994) of one real parent.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "whence/mechanisms/mechanism.hpp"
#include "whence/mechanisms/mixture_head.hpp"

namespace whence {

/// Where the parameters of a network lie in its one vector: input weights, hidden biases, output
/// weights [output][hidden], output biases. Outputs: K logits, K means, K log standard deviations.
struct DensityShape {
  std::size_t hidden = 32, components = 10;

  std::size_t outputs() const { return 3 * components; }
  std::size_t hidden_bias() const { return hidden; }
  std::size_t output_weight() const { return 2 * hidden; }
  std::size_t output_bias() const { return output_weight() + outputs() * hidden; }
  std::size_t size() const { return output_bias() + outputs(); }
  bool operator==(const DensityShape&) const = default;
};

/// p(y | x) = sum_k pi_k(x) N(y; mu_k(x), sigma_k(x)^2), all three from one tanh layer. `T` may be
/// double, long double or a dual number, in parameters and data alike: this is the readable
/// reference that the fast code must agree with.
template <class T = double>
class MixtureDensity {
 public:
  using Scalar = T;

  explicit MixtureDensity(DensityShape shape = {}) : shape_(shape), theta_(shape.size(), T(0)) {}
  MixtureDensity(DensityShape shape, std::vector<T> parameters)
      : shape_(shape), theta_(std::move(parameters)) {}

  const DensityShape& shape() const { return shape_; }
  std::span<T> parameters() { return theta_; }
  std::span<const T> parameters() const { return theta_; }

  T log_prob(const T& x, const T& y) const {
    std::vector<T> h, z, terms(shape_.components);
    forward(x, h, z);
    return mixture_log_prob(parts(z), y, std::span<T>(terms));
  }
  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    return log_prob(T(parent(data, family)[row]), T(child(data, family)[row]));
  }

  void add_gradient(const T& x, const T& y, const T& weight, std::span<T> gradient) const {
    std::vector<T> h, z, terms(shape_.components), delta(shape_.outputs(), T(0));
    forward(x, h, z);
    const T log_p = mixture_log_prob(parts(z), y, std::span<T>(terms));
    add_mixture_gradient(parts(z), y, std::span<const T>(terms), log_p, weight, std::span(delta));
    for (std::size_t o = 0; o < delta.size(); ++o) {
      gradient[shape_.output_bias() + o] += delta[o];
      for (std::size_t j = 0; j < h.size(); ++j) gradient[weight_at(o, j)] += delta[o] * h[j];
    }
    for (std::size_t j = 0; j < h.size(); ++j) {
      T pull(0);
      for (std::size_t o = 0; o < delta.size(); ++o) pull += theta_[weight_at(o, j)] * delta[o];
      pull *= T(1) - h[j] * h[j];
      gradient[j] += pull * x;
      gradient[shape_.hidden_bias() + j] += pull;
    }
  }
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    add_gradient(T(parent(data, family)[row]), T(child(data, family)[row]), weight, gradient);
  }

  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    std::vector<T> h, z;
    forward(T(parent(data, family)[row]), h, z);
    data.columns[family.child.value].values[row] = sample_mixture(stream, z);
  }

  /// How many components have their log sigma beyond the limit at x.
  int clamped(const T& x) const {
    std::vector<T> h, z;
    forward(x, h, z);
    int hits = 0;
    for (const T& s : parts(z).log_sigmas) hits += beyond_limit(s) ? 1 : 0;
    return hits;
  }

 private:
  static const std::vector<double>& parent(const Dataset& data, const Family& family) {
    return data.columns[family.parents[0].value].values;
  }
  static const std::vector<double>& child(const Dataset& data, const Family& family) {
    return data.columns[family.child.value].values;
  }
  std::size_t weight_at(std::size_t output, std::size_t unit) const {
    return shape_.output_weight() + output * shape_.hidden + unit;
  }
  MixtureParts<T> parts(std::span<const T> z) const {
    const std::size_t k = shape_.components;
    return {z.first(k), z.subspan(k, k), z.subspan(2 * k, k)};
  }

  /// Hidden activations and outputs at x.
  void forward(const T& x, std::vector<T>& h, std::vector<T>& z) const {
    using std::tanh;
    h.clear();
    for (std::size_t j = 0; j < shape_.hidden; ++j)
      h.push_back(tanh(theta_[j] * x + theta_[shape_.hidden_bias() + j]));
    z.assign(theta_.begin() + std::ptrdiff_t(shape_.output_bias()), theta_.end());
    for (std::size_t o = 0; o < z.size(); ++o)
      for (std::size_t j = 0; j < h.size(); ++j) z[o] += theta_[weight_at(o, j)] * h[j];
  }

  double sample_mixture(Stream& stream, std::span<const T> z) const {
    const MixtureParts<T> p = parts(z);
    const T normaliser = log_sum_exp_of(p.logits);
    double left = stream.uniform();
    std::size_t k = 0;
    for (; k + 1 < shape_.components; ++k) {
      left -= portable_exp(double(p.logits[k] - normaliser));
      if (left < 0) break;
    }
    const double sigma = portable_exp(double(bounded_log_sigma(p.log_sigmas[k])));
    return double(p.means[k]) + sigma * sample_normal(stream);
  }

  DensityShape shape_;
  std::vector<T> theta_;
};

static_assert(Mechanism<MixtureDensity<double>>);

/// Starting parameters as PyTorch draws them for Linear layers: uniform within 1/sqrt(inputs).
MixtureDensity<double> initial_density(DensityShape shape, Stream stream);

}  // namespace whence
