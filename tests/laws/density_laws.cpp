// Laws of continuous mechanisms: a density integrates to 1, gradients are derivatives, samples
// follow the density. One row per kind.
#include <cmath>

#include "laws/law.hpp"
#include "support/effort.hpp"
#include "support/statistics.hpp"
#include "support/tables.hpp"
#include "whence/math/dual.hpp"
#include "whence/mechanisms/gaussian_mixture.hpp"
#include "whence/mechanisms/mixture_density.hpp"
#include "whence/mechanisms/spline_noise.hpp"

namespace whence::laws {
namespace {

using support::Inputs;

/// Column 0 is the child, column 1 its parent; one row.
struct Point {
  double x, y;
  Dataset data() const {
    Dataset d;
    d.variables = {{"B", Variable::Kind::real}, {"A", Variable::Kind::real}};
    d.columns = {{{}, {y}}, {{}, {x}}};
    return d;
  }
};
const Family child_given_parent{VariableId(0), {VariableId(1)}};

/// A mechanism with its types forgotten: everything is a function of the parameters.
struct DensityUnderTest {
  std::function<std::vector<double>(Inputs&)> parameters;
  std::function<double(const std::vector<double>&, Point)> log_prob;
  std::function<std::vector<double>(const std::vector<double>&, Point, double weight)> gradient;
  std::function<std::vector<long double>(const std::vector<double>&, Point)> wide_gradient;
  std::function<double(const std::vector<double>&, Point, std::size_t)> slope;  // by duals
  std::function<double(const std::vector<double>&, double x, Stream&)> sample;
};

template <class T>
std::vector<T> as(const std::vector<double>& theta) {
  return {theta.begin(), theta.end()};
}

struct MakeNetwork {
  static constexpr DensityShape shape{12, 4};
  template <class T>
  static MixtureDensity<T> make(std::vector<T> theta) {
    return {shape, std::move(theta)};
  }
  static std::vector<double> parameters(Inputs& inputs) {
    return inputs.reals(shape.size(), -0.35, 0.35);
  }
};
struct MakePaperNetwork {
  static constexpr DensityShape shape{};
  template <class T>
  static MixtureDensity<T> make(std::vector<T> theta) {
    return {shape, std::move(theta)};
  }
  static std::vector<double> parameters(Inputs& inputs) {
    return inputs.reals(shape.size(), -0.2, 0.2);
  }
};
struct MakeMixture {
  template <class T>
  static GaussianMixture<T> make(std::vector<T> theta) {
    return {theta.size() / 3, std::move(theta)};
  }
  static std::vector<double> parameters(Inputs& inputs) { return inputs.reals(3 * 6, -1.5, 1.5); }
};
struct MakeSpline {
  template <class T>
  static SplineNoise<T> make(std::vector<T> theta) {
    const T log_sigma = theta.back();
    theta.pop_back();
    return {2, even_points(8, 8), std::span<const T>(theta), log_sigma};
  }
  static std::vector<double> parameters(Inputs& inputs) {
    std::vector<double> theta = inputs.reals(8, -8, 8);
    theta.push_back(inputs.real(-1, 1));
    return theta;
  }
};

template <class Kind>
DensityUnderTest under_test() {
  using D = Dual<double>;
  DensityUnderTest t;
  t.parameters = Kind::parameters;
  t.log_prob = [](const std::vector<double>& theta, Point p) {
    return Kind::make(theta).log_prob(p.data(), child_given_parent, 0);
  };
  t.gradient = [](const std::vector<double>& theta, Point p, double weight) {
    std::vector<double> g(theta.size());
    Kind::make(theta).add_gradient(p.data(), child_given_parent, 0, weight, std::span(g));
    return g;
  };
  t.wide_gradient = [](const std::vector<double>& theta, Point p) {
    std::vector<long double> g(theta.size());
    Kind::make(as<long double>(theta))
        .add_gradient(p.data(), child_given_parent, 0, 1.0L, std::span(g));
    return g;
  };
  t.slope = [](const std::vector<double>& theta, Point p, std::size_t i) {
    std::vector<D> dual = as<D>(theta);
    dual[i].slope = 1;
    return Kind::make(std::move(dual)).log_prob(p.data(), child_given_parent, 0).slope;
  };
  t.sample = [](const std::vector<double>& theta, double x, Stream& stream) {
    Dataset data = Point{x, 0}.data();
    Kind::make(theta).sample(stream, data, child_given_parent, 0);
    return data.columns[0].values[0];
  };
  return t;
}

std::vector<Named<DensityUnderTest>> densities() {
  return {{"mixture density network", under_test<MakeNetwork>()},
          {"mixture density network of the paper", under_test<MakePaperNetwork>()},
          {"Gaussian mixture", under_test<MakeMixture>()},
          {"spline with noise", under_test<MakeSpline>()}};
}

// The trapezoidal rule converges faster than any power for smooth functions that die out.
Finding integrates_to_one(const DensityUnderTest& t) {
  Finding finding;
  Inputs inputs(1);
  for (std::size_t repeat = 0; repeat < support::effort(50); ++repeat) {
    const std::vector<double> theta = t.parameters(inputs);
    const double x = inputs.real(-7, 7), h = 0.05;
    double sum = 0;
    for (int i = -1200; i <= 1200; ++i) sum += h * std::exp(t.log_prob(theta, {x, h * i}));
    finding.near(sum, 1, 1e-10, "integral of the density");
  }
  return finding;
}

DensityUnderTest changed_log_prob(double (*change)(double)) {
  DensityUnderTest t = under_test<MakeMixture>();
  t.log_prob = [log_prob = t.log_prob, change](const std::vector<double>& theta, Point p) {
    return change(log_prob(theta, p));
  };
  return t;
}

LAW(DensityLaws, IntegratesToOne, integrates_to_one, densities(),
    {{"constant forgotten", changed_log_prob([](double l) { return l + 0.9189385332; })},
     {"tempered", changed_log_prob([](double l) { return 1.01 * l; })}});

double relative(long double measured, long double expected, long double largest) {
  return double(std::abs(measured - expected) / (std::abs(expected) + 1e-3L * largest));
}

Finding gradient_is_the_derivative(const DensityUnderTest& t) {
  Finding finding;
  Inputs inputs(2);
  for (std::size_t repeat = 0; repeat < support::effort(20); ++repeat) {
    const std::vector<double> theta = t.parameters(inputs);
    const Point p{inputs.real(-6, 6), inputs.real(-4, 4)};
    const auto g = t.gradient(theta, p, 1), doubled = t.gradient(theta, p, 2);
    const auto wide = t.wide_gradient(theta, p);
    long double largest = 0;
    for (long double v : wide) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < theta.size(); ++i) {
      finding.at_most(relative(g[i], wide[i], largest), 5e-12, "against long double");
      finding.at_most(relative(doubled[i], 2 * wide[i], 2 * largest), 5e-12, "weight 2");
      finding.at_most(relative(t.slope(theta, p, i), wide[i], largest), 5e-12, "against duals");
    }
  }
  return finding;
}

template <class Kind>
DensityUnderTest changed_gradient(void (*change)(std::vector<double>&, double weight)) {
  DensityUnderTest t = under_test<Kind>();
  t.gradient = [gradient = t.gradient, change](const std::vector<double>& theta, Point p,
                                               double weight) {
    auto g = gradient(theta, p, weight);
    change(g, weight);
    return g;
  };
  return t;
}

LAW(DensityLaws, GradientIsTheDerivative, gradient_is_the_derivative, densities(),
    {{"wrong sign", changed_gradient<MakeNetwork>([](std::vector<double>& g, double) {
        for (double& v : g) v = -v;
      })},
     {"weight ignored", changed_gradient<MakeMixture>([](std::vector<double>& g, double weight) {
        for (double& v : g) v /= weight;
      })},
     {"variance for standard deviation",
      changed_gradient<MakeMixture>([](std::vector<double>& g, double) {
        for (std::size_t i = g.size() * 2 / 3; i < g.size(); ++i) g[i] *= 0.5;
      })},
     {"normaliser forgotten",
      changed_gradient<MakeMixture>([](std::vector<double>& g, double w) { g[0] += 0.1 * w; })}});

/// The distribution function by summing the density.
Finding samples_follow_the_density(const DensityUnderTest& t) {
  Finding finding;
  Inputs inputs(3);
  const std::vector<double> theta = t.parameters(inputs);
  const double x = 1.3, h = 0.01, low = -40;
  std::vector<double> cdf = {0};
  for (double y = low; y < 40; y += h)
    cdf.push_back(cdf.back() + h * std::exp(t.log_prob(theta, {x, y + h / 2})));
  const auto at = [&](double y) {
    const double place = (y - low) / h;
    const auto i = std::size_t(std::max(0.0, std::min(place, double(cdf.size() - 2))));
    return cdf[i] + (place - double(i)) * (cdf[i + 1] - cdf[i]);
  };
  Stream stream(4, Purpose::tests, {});
  std::vector<double> samples;
  for (int i = 0; i < 10000; ++i)  // fewer would not notice the smallest of the planted bugs
    samples.push_back(t.sample(theta, x, stream));
  finding.likely(support::ks_p_value(samples, at), "samples against the density");
  return finding;
}

template <class Kind>
DensityUnderTest changed_sample(double (*change)(double)) {
  DensityUnderTest t = under_test<Kind>();
  t.sample = [sample = t.sample, change](const std::vector<double>& theta, double x,
                                         Stream& stream) {
    return change(sample(theta, x, stream));
  };
  return t;
}

LAW(DensityLaws, SamplesFollowTheDensity, samples_follow_the_density, densities(),
    {{"spread too wide", changed_sample<MakeMixture>([](double y) { return 1.2 * y; })},
     {"shifted", changed_sample<MakeSpline>([](double y) { return y + 0.2; })},
     {"mirrored", changed_sample<MakeNetwork>([](double y) { return -y; })}});

}  // namespace
}  // namespace whence::laws
