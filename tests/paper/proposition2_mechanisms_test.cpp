// P2d beyond tables: whatever the mechanism and the optimizer, online likelihoods of all episodes
// add up, or integrate, to 1. Sums run over all levels; integrals by the trapezoidal rule over
// episodes of two examples, which is exact for densities that die out smoothly.
#include <array>
#include <cmath>
#include <functional>

#include "tests/paper/law.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/optimizers.hpp"
#include "whence/backends/backend.hpp"

namespace whence::test {
namespace {

using support::Inputs;

const Family child_given_parent{VariableId(0), {VariableId(1)}};

/// Every episode that the child could show while its parent follows one path, with its weight.
struct AllEpisodes {
  Dataset data;
  std::vector<Episode> episodes;
  double weight = 1;  // of an episode in the sum
};

AllEpisodes every_sequence(int levels, int steps, int batch) {
  AllEpisodes all;
  all.data.variables = support::categorical_variables({levels, 3});
  all.data.columns.resize(2);
  const auto length = std::size_t(steps * batch);
  std::size_t count = 1;
  for (std::size_t i = 0; i < length; ++i) count *= std::size_t(levels);
  for (std::size_t s = 0; s < count; ++s) {
    all.episodes.push_back({s * length, steps, batch});
    std::size_t rest = s;
    for (std::size_t i = 0; i < length; ++i, rest /= std::size_t(levels)) {
      all.data.columns[0].levels.push_back(std::int32_t(rest % std::size_t(levels)));
      all.data.columns[1].levels.push_back(std::int32_t(i % 3));
    }
  }
  return all;
}

/// Two examples on a square grid.
AllEpisodes every_pair_of_points() {
  AllEpisodes all;
  all.data.variables = {{"B", Variable::Kind::real}, {"A", Variable::Kind::real}};
  all.data.columns.resize(2);
  const int side = support::effort_divisor > 1 ? 60 : 120;
  const double h = 12.0 / side;
  all.weight = h * h;
  for (int i = -side; i <= side; ++i)
    for (int j = -side; j <= side; ++j) {
      all.episodes.push_back({all.data.columns[0].values.size(), 2, 1});
      for (double y : {h * i, h * j}) all.data.columns[0].values.push_back(y);
      for (double x : {0.4, -1.1}) all.data.columns[1].values.push_back(x);
    }
  return all;
}

/// Scores of all episodes under one module.
using ModuleScorer = std::function<Scores(const AllEpisodes&, const Module&, const OptimizerSpec&)>;

const ModuleScorer backend = [](const AllEpisodes& all, const Module& module,
                                const OptimizerSpec& optimizer) {
  return cpu_backend()->score(all.data, all.episodes, {&module, 1}, {optimizer, true, false}, 2);
};

/// Planted: every mini-batch is scored after it has been learnt from.
const ModuleScorer after_update = [](const AllEpisodes& all, const Module& module,
                                     const OptimizerSpec& optimizer) {
  Scores scores(all.episodes.size(), 1, std::size_t(all.episodes[0].steps));
  std::visit(
      [&](const auto& trained) {
        for (std::size_t e = 0; e < all.episodes.size(); ++e) {
          auto learner = trained;
          Optimizer<double> rule(optimizer, learner.parameters().size());
          const Episode& episode = all.episodes[e];
          for (int t = 0; t < episode.steps; ++t) {
            const auto batch = std::size_t(episode.batch);
            const Episode one{episode.first_row + std::size_t(t) * batch, 1, episode.batch};
            std::vector<double> before(1);
            adapt(learner, rule, all.data, module.family, one, std::span(before));
            double& score = scores.of(EpisodeId(e), FamilyId(0))[std::size_t(t)];
            for (std::size_t r = 0; r < batch; ++r)
              score += learner.log_prob(all.data, module.family, one.first_row + r);
          }
        }
      },
      module.mechanism);
  return scores;
};

/// |sum over episodes of L - 1|.
double excess(const ModuleScorer& score, const AllEpisodes& all, const Module& module,
              const OptimizerSpec& optimizer) {
  const Scores scores = score(all, module, optimizer);
  long double sum = 0;
  for (std::size_t e = 0; e < scores.episodes(); ++e) {
    long double log_l = 0;
    for (double s : scores.of(EpisodeId(e), FamilyId(0))) log_l += s;
    if (!std::isnan(log_l)) sum += all.weight * std::exp(log_l);  // a point of no weight
  }
  return double(std::abs(sum - 1));
}

double network_excess(const ModuleScorer& score) {
  double worst = 0;
  for (auto [levels, steps, batch] : {std::array{2, 3, 1}, {3, 3, 1}, {3, 2, 2}, {2, 3, 2}}) {
    const AllEpisodes all = every_sequence(levels, steps, batch);
    for (Activation activation : support::all_activations) {
      const Module module{child_given_parent, support::random_mlp({levels, 3}, 5, activation, 4)};
      for (const auto& optimizer : support::all_optimizers())
        worst = std::max(worst, excess(score, all, module, optimizer.spec));
    }
  }
  return worst;
}

TEST(Proposition2, OnlineLikelihoodsOfNetworksAddUpToOne) {
  expect_law("P2d", 1e-12, network_excess, backend,
             Planted{"scored after the update", after_update});
}

double density_excess(const ModuleScorer& score) {
  Inputs inputs(3);
  const std::vector<double> knots = {1, -2, 1, 0.5, -1, 2, 1, -1};
  const std::vector<AnyMechanism> mechanisms = {
      LinearGaussian<double>(1, 1, {0.2, 0.7, 0.1}),
      GaussianMixture<double>(2, {0.2, -0.1, -1.5, 1.0, 0.1, -0.1}),
      MixtureDensity<double>({4, 2}, inputs.reals(DensityShape{4, 2}.size(), -0.4, 0.4)),
      SplineNoise<double>(2, even_points(8, 8), std::span<const double>(knots), 0.1)};
  const AllEpisodes all = every_pair_of_points();
  double worst = 0;
  for (const AnyMechanism& mechanism : mechanisms)
    for (auto kind : {OptimizerSpec::Kind::sgd, OptimizerSpec::Kind::adam})
      worst = std::max(worst, excess(score, all, {child_given_parent, mechanism},
                                     {.kind = kind, .learning_rate = 0.02}));
  return worst;
}

TEST(Proposition2, OnlineLikelihoodsOfDensitiesIntegrateToOne) {
  expect_law("P2d", 1e-8, density_excess, backend,
             Planted{"scored after the update", after_update});
}

}  // namespace
}  // namespace whence::test
