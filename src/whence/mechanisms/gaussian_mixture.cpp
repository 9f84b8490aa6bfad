#include "whence/mechanisms/gaussian_mixture.hpp"

#include "whence/math/dual.hpp"

namespace whence {

namespace {

/// A component this light has lost its points: its mean and variance would be quotients of nothing.
constexpr double dead_share = 1e-12;

double value_of(double x) { return x; }
double value_of(const Dual<double>& x) { return x.value; }

template <class T>
T variance_of(std::span<const T> x) {
  T mean(0), sum(0);
  for (const T& v : x) mean += v;
  mean /= T(double(x.size()));
  for (const T& v : x) sum += (v - mean) * (v - mean);
  return sum / T(double(x.size()));
}

/// The point with the smallest density.
template <class T>
T worst_explained(const GaussianMixture<T>& mixture, std::span<const T> x) {
  T worst = x[0], lowest = mixture.log_prob(x[0]);
  for (const T& v : x) {
    const T log_p = mixture.log_prob(v);
    if (log_p < lowest) {
      lowest = log_p;
      worst = v;
    }
  }
  return worst;
}

template <class T>
struct Maximiser {
  const GaussianMixture<T> start;  // where imaginary points lie
  std::span<const T> x;
  const EmOptions& options;
  T variance;
  EmOutcome& outcome;

  /// The parameters that the sums call for.
  void update(GaussianMixture<T>& mixture, const EmSums<T>& sums) {
    using std::log;
    const std::size_t k_count = mixture.components();
    const T total(double(x.size()) + options.prior_rows * double(k_count));
    const GaussianMixture<T> before = mixture;
    const auto theta = mixture.parameters();
    for (std::size_t k = 0; k < k_count; ++k) {
      const T weight = sums.r[k] + T(options.prior_rows);
      if (value_of(weight) < dead_share * value_of(total)) {
        reseed(before, theta, k);
        continue;
      }
      const auto [mean, spread] = moments(before, sums, k, weight);
      theta[k] = log(weight / total);
      theta[k_count + k] = mean;
      theta[2 * k_count + k] = T(0.5) * log(floored(spread));
    }
  }

 private:
  /// Mean and variance of a component; imaginary points count with their own mean and variance.
  std::pair<T, T> moments(const GaussianMixture<T>& before, const EmSums<T>& sums, std::size_t k,
                          const T& weight) const {
    using std::exp;
    const T old = before.parts().means[k];
    T first = sums.r_d[k], second = sums.r_d2[k];
    if (options.prior_rows > 0) {
      const T rows(options.prior_rows), offset = start.parts().means[k] - old;
      const T sigma = exp(start.parts().log_sigmas[k]);
      first += rows * offset;
      second += rows * (offset * offset + sigma * sigma);
    }
    const T move = first / weight;
    return {old + move, second / weight - move * move};
  }

  T floored(const T& spread) {
    const T floor = T(options.relative_floor) * variance;
    if (spread > floor) return spread;
    ++outcome.floored;
    return floor > T(0) ? floor : T(1e-12);  // all points equal: any small width will do
  }

  void reseed(const GaussianMixture<T>& before, std::span<T> theta, std::size_t k) {
    using std::log;
    const std::size_t k_count = before.components();
    ++outcome.reseeded;
    theta[k] = T(-std::log(double(x.size())));
    theta[k_count + k] = worst_explained(before, x);
    theta[2 * k_count + k] = T(0.5) * log(floored(variance));
  }
};

}  // namespace

template <class T>
EmOutcome fit_mixture(GaussianMixture<T>& mixture, std::span<const T> x, const EmOptions& options,
                      const EmPass<T>& pass) {
  EmOutcome outcome;
  EmSums<T> sums;
  Maximiser<T> maximiser{mixture, x, options, variance_of(x), outcome};
  while (outcome.iterations < options.iterations) {
    const double before = outcome.log_lik;
    outcome.log_lik = value_of(pass(mixture, x, sums));
    outcome.trace.push_back(outcome.log_lik);
    if (outcome.iterations > 0 && outcome.log_lik - before < options.gain) break;
    maximiser.update(mixture, sums);
    ++outcome.iterations;
  }
  return outcome;
}

template EmOutcome fit_mixture(GaussianMixture<double>&, std::span<const double>, const EmOptions&,
                               const EmPass<double>&);
template EmOutcome fit_mixture(GaussianMixture<Dual<double>>&, std::span<const Dual<double>>,
                               const EmOptions&, const EmPass<Dual<double>>&);

GaussianMixture<double> random_mixture(std::size_t components, Stream stream) {
  GaussianMixture<double> mixture(components);
  for (std::size_t k = 0; k < components; ++k)
    mixture.parameters()[components + k] = sample_normal(stream);
  return mixture;
}

template <class T>
GaussianMixture<T> spread_mixture(std::size_t components, std::span<const T> x) {
  using std::log;
  using std::sqrt;
  T mean(0);
  for (const T& v : x) mean += v;
  mean /= T(double(x.size()));
  const T variance = variance_of(x), deviation = sqrt(variance);
  GaussianMixture<T> mixture(components);
  const double shrink = 4.0 / double(components * components);
  for (std::size_t k = 0; k < components; ++k) {
    const double place = normal_quantile((double(k) + 0.5) / double(components));
    mixture.parameters()[components + k] = mean + T(place) * deviation;
    mixture.parameters()[2 * components + k] = T(0.5) * log(T(shrink) * variance);
  }
  return mixture;
}

template GaussianMixture<double> spread_mixture(std::size_t, std::span<const double>);
template GaussianMixture<Dual<double>> spread_mixture(std::size_t, std::span<const Dual<double>>);

}  // namespace whence
