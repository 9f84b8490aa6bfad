// Proposition 1 beyond tables: whatever the mechanism, at the truth the expected gradient is zero,
// and the covariance of the score is the Fisher information. Expectations are sums over the child's
// levels, or integrals by the trapezoidal rule, which is exact for densities that die out smoothly.
#include <cmath>
#include <functional>

#include "tests/paper/law.hpp"
#include "tests/support/networks.hpp"
#include "whence/math/dual.hpp"
#include "whence/mechanisms/all.hpp"

namespace whence::test {
namespace {

using support::Inputs;

const Family child_given_parent{VariableId(0), {VariableId(1)}};

/// Where the child of one row is placed, with a weight.
struct Place {
  Dataset data;
  double weight;
};

std::vector<Place> real_line(double x) {
  constexpr double h = 0.05;
  std::vector<Place> places;
  for (int i = -800; i <= 800; ++i) {
    Place place{{}, h};
    place.data.variables = {{"B", Variable::Kind::real}, {"A", Variable::Kind::real}};
    place.data.columns = {{{}, {h * i}}, {{}, {x}}};
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<Place> every_level(int levels, std::int32_t parent, int parent_levels) {
  std::vector<Place> places;
  for (std::int32_t j = 0; j < levels; ++j) {
    Place place{{}, 1};
    place.data.variables = support::categorical_variables({levels, parent_levels});
    place.data.columns = {{{j}, {}}, {{parent}, {}}};
    places.push_back(std::move(place));
  }
  return places;
}

double child_of(const Place& place) {
  const Column& column = place.data.columns[0];
  return column.values.empty() ? double(column.levels[0]) : column.values[0];
}

/// How the data's law differs from the model's: by a factor of its density, as a logarithm.
using Tilt = std::function<double(double child)>;

/// The largest entry of the expected gradient when the data follow the tilted model.
template <class M>
double expected_pull(const M& model, std::span<const Place> places, const Tilt& tilt) {
  std::vector<double> sum(model.parameters().size());
  for (const Place& place : places) {
    const double log_p = model.log_prob(place.data, child_given_parent, 0);
    const double p = place.weight * std::exp(log_p + tilt(child_of(place)));
    model.add_gradient(place.data, child_given_parent, 0, p, std::span(sum));
  }
  double worst = 0;
  for (double s : sum) worst = std::max(worst, std::abs(s));
  return worst;
}

GaussianMixture<double> some_mixture() { return {3, {0.3, -0.2, 0.5, -2, 0.4, 3, 0.1, -0.4, 0.2}}; }
MixtureDensity<double> some_density() {
  Inputs inputs(7);
  return {{5, 3}, inputs.reals(DensityShape{5, 3}.size(), -0.7, 0.7)};
}
SplineNoise<double> some_spline() {
  const std::vector<double> x = even_points(8, 8), y = {1, -2, 3, 0.5, -1, 2, 4, -3};
  return {2, x, std::span<const double>(y), 0.2};
}
LinearGaussian<double> some_gaussian() { return {1, 1, {0.4, -1.3, 0.25}}; }
CategoricalMlp<double> some_network(Activation activation) {
  return support::random_mlp({5, 3}, 6, activation, 2);
}

/// Continuous mechanisms, at a few places of the parent.
double pull_on_densities(const Tilt& tilt) {
  double worst = 0;
  for (double x : {-3.0, 0.7, 5.2}) {
    const auto places = real_line(x);
    worst = std::max({worst, expected_pull(some_mixture(), places, tilt),
                      expected_pull(some_density(), places, tilt),
                      expected_pull(some_spline(), places, tilt),
                      expected_pull(some_gaussian(), places, tilt)});
  }
  return worst;
}

double pull_on_networks(const Tilt& tilt) {
  double worst = 0;
  for (Activation activation : support::all_activations)
    for (std::int32_t parent = 0; parent < 3; ++parent)
      worst =
          std::max(worst, expected_pull(some_network(activation), every_level(5, parent, 3), tilt));
  return worst;
}

const Tilt truth = [](double) { return 0.0; };
const Tilt leaning = [](double child) { return 1e-3 * child; };
const Tilt heavier = [](double) {
  return 1e-6;
};  // not even normalised: the score still has mean 0

TEST(Proposition1, NoMechanismIsPulledWhereItIsRight) {
  expect_law("P1e", 1e-10, pull_on_densities, truth, Planted{"the data lean", leaning});
  expect_law("P1e", 1e-14, pull_on_networks, truth, Planted{"the data lean", leaning});
  EXPECT_LT(pull_on_densities(heavier), 1e-10);
}

/// E[s s^T] + E[ds/dtheta] = 0, the largest entry of it: `scale` multiplies the scores.
template <template <class> class M>
double information_gap(const M<double>& model, const M<Dual<double>>& dual_model,
                       std::span<const Place> places, double scale) {
  const std::size_t n = model.parameters().size();
  std::vector<double> gap(n * n), score(n);
  for (const Place& place : places) {
    const double p = place.weight * std::exp(model.log_prob(place.data, child_given_parent, 0));
    score.assign(n, 0);
    model.add_gradient(place.data, child_given_parent, 0, scale, std::span(score));
    for (std::size_t i = 0; i < n; ++i) {
      M<Dual<double>> moved = dual_model;
      moved.parameters()[i].slope = 1;
      std::vector<Dual<double>> slopes(n);
      moved.add_gradient(place.data, child_given_parent, 0, Dual<double>(1.0), std::span(slopes));
      for (std::size_t j = 0; j < n; ++j)
        gap[i * n + j] += p * (score[i] * score[j] + slopes[j].slope);
    }
  }
  double worst = 0;
  for (double g : gap) worst = std::max(worst, std::abs(g));
  return worst;
}

template <class To, class From>
std::vector<To> converted(std::span<From> values) {
  return {values.begin(), values.end()};
}

double information_gap_of_all(double scale) {
  using D = Dual<double>;
  const auto places = real_line(0.7);
  const auto gaussian = some_gaussian();
  const auto mixture = some_mixture();
  const auto density = some_density();
  const LinearGaussian<D> dual_gaussian(1, 1, converted<D>(gaussian.parameters()));
  const GaussianMixture<D> dual_mixture(3, converted<D>(mixture.parameters()));
  const MixtureDensity<D> dual_density(density.shape(), converted<D>(density.parameters()));
  return std::max({information_gap<LinearGaussian>(gaussian, dual_gaussian, places, scale),
                   information_gap<GaussianMixture>(mixture, dual_mixture, places, scale),
                   information_gap<MixtureDensity>(density, dual_density, places, scale)});
}

TEST(Proposition1, TheScoresCovarianceIsTheFisherInformation) {
  expect_law("P1e", 1e-9, information_gap_of_all, 1.0, Planted{"scores a thousandth off", 1.001});
}

}  // namespace
}  // namespace whence::test
