// The paper's continuous marginal: a mixture of Gaussians, fitted by expectation maximisation.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "whence/mechanisms/mechanism.hpp"
#include "whence/mechanisms/mixture_head.hpp"

namespace whence {

/// Parameters: K logits (softmax gives the weights), K means, K log standard deviations.
template <class T = double>
class GaussianMixture {
 public:
  using Scalar = T;

  /// Standard Gaussians of equal weight.
  explicit GaussianMixture(std::size_t components = 10)
      : components_(components), theta_(3 * components, T(0)) {}
  GaussianMixture(std::size_t components, std::vector<T> parameters)
      : components_(components), theta_(std::move(parameters)) {}

  std::size_t components() const { return components_; }
  std::span<T> parameters() { return theta_; }
  std::span<const T> parameters() const { return theta_; }
  MixtureParts<T> parts() const {
    const std::span<const T> all = theta_;
    return {all.first(components_), all.subspan(components_, components_),
            all.subspan(2 * components_)};
  }

  T log_prob(const T& y) const {
    std::vector<T> terms(components_);
    return mixture_log_prob(parts(), y, std::span<T>(terms));
  }
  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    return log_prob(T(data.columns[family.child.value].values[row]));
  }
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    std::vector<T> terms(components_);
    const T y(data.columns[family.child.value].values[row]);
    const T log_p = mixture_log_prob(parts(), y, std::span<T>(terms));
    add_mixture_gradient(parts(), y, std::span<const T>(terms), log_p, weight, gradient);
  }
  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    const MixtureParts<T> p = parts();
    const T normaliser = log_sum_exp_of(p.logits);
    double left = stream.uniform();
    std::size_t k = 0;
    for (; k + 1 < components_; ++k) {
      left -= portable_exp(double(p.logits[k] - normaliser));
      if (left < 0) break;
    }
    const double sigma = portable_exp(double(bounded_log_sigma(p.log_sigmas[k])));
    data.columns[family.child.value].values[row] =
        double(p.means[k]) + sigma * sample_normal(stream);
  }

 private:
  std::size_t components_;
  std::vector<T> theta_;
};

static_assert(Mechanism<GaussianMixture<double>>);

/// How a mixture is fitted.
struct EmOptions {
  int iterations = 1000;         // at the most
  double gain = 1e-8;            // stop when the summed log-likelihood rises by less
  double relative_floor = 1e-6;  // of a component's variance, against that of the data
  /// Imaginary points per component that follow its starting mean and variance; 0: plain maximum
  /// likelihood. With it the log posterior rises with every iteration, not the log-likelihood.
  double prior_rows = 0;
};

/// What happened during a fit; every fallback is counted.
struct EmOutcome {
  int iterations = 0;
  double log_lik = 0;  // summed, of the data under the parameters before the last update
  int floored = 0;     // variances lifted to the floor
  int reseeded = 0;    // components that had lost all points
  std::vector<double> trace = {};  // log-likelihood before each update
};

/// What the points say about each component, relative to its mean m before the update: sums of the
/// responsibilities r, of r (x - m) and of r (x - m)^2.
template <class T>
struct EmSums {
  std::vector<T> r, r_d, r_d2;
};

/// Sums of one pass over the points; returns the summed log-likelihood.
template <class T>
using EmPass = std::function<T(const GaussianMixture<T>&, std::span<const T> x, EmSums<T>&)>;

/// The readable pass, point by point; the fast one lives in adapt/.
template <class T>
T reference_em_pass(const GaussianMixture<T>& mixture, std::span<const T> x, EmSums<T>& sums) {
  using std::exp;
  const std::size_t k_count = mixture.components();
  std::vector<T> terms(k_count);
  T log_lik(0);
  sums = {std::vector<T>(k_count, T(0)), std::vector<T>(k_count, T(0)),
          std::vector<T>(k_count, T(0))};
  for (const T& point : x) {
    const T log_p = mixture_log_prob(mixture.parts(), point, std::span<T>(terms));
    log_lik += log_p;
    for (std::size_t k = 0; k < k_count; ++k) {
      const T r = exp(terms[k] - log_p), d = point - mixture.parts().means[k];
      sums.r[k] += r;
      sums.r_d[k] += r * d;
      sums.r_d2[k] += r * d * d;
    }
  }
  return log_lik;
}

/// Expectation maximisation from the mixture's present parameters. A variance never falls below its
/// floor; a component that has lost all points starts again at the point that the mixture explains
/// worst. Both are counted. `T` is double or Dual<double>: then the fit carries its derivative.
template <class T>
EmOutcome fit_mixture(GaussianMixture<T>& mixture, std::span<const T> x, const EmOptions& options,
                      const EmPass<T>& pass = reference_em_pass<T>);

/// Equal weights, means N(0, 1), unit variances: where the released code starts.
GaussianMixture<double> random_mixture(std::size_t components, Stream stream);

/// Means at the quantiles (k + 1/2)/K of the Gaussian that fits the points, and standard deviations
/// of 2/K of its own, so that neighbours overlap. Smooth in the points, as derivatives need it:
/// their own quantiles would jump where two points change places.
template <class T>
GaussianMixture<T> spread_mixture(std::size_t components, std::span<const T> x);

/// The released code scores with softmax(pi) although pi are probabilities already: nearly equal
/// weights.
template <class T>
GaussianMixture<T> doubly_softmaxed(const GaussianMixture<T>& mixture) {
  using std::exp;
  GaussianMixture<T> wrong = mixture;
  const T normaliser = log_sum_exp_of(mixture.parts().logits);
  for (std::size_t k = 0; k < mixture.components(); ++k)
    wrong.parameters()[k] = exp(mixture.parts().logits[k] - normaliser);
  return wrong;
}

}  // namespace whence
