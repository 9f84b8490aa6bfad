// Errata E5 (P5): before anything is adapted, both directions of an edge have exactly the same
// score, the pointwise mutual information. Direction enters through adaptation alone.
#include <array>
#include <cmath>

#include "tests/paper/law.hpp"
#include "whence/belief/edges.hpp"
#include "whence/paper/tasks/gaussian_task.hpp"

namespace whence::test {
namespace {

/// Which step of the episodes is looked at, and how far the marginal of B is from the truth.
struct Look {
  std::size_t step = 0;
  double error = 0;
};

/// What each edge adds to the score of its effect: A -> B, then B -> A.
std::array<double, 2> gains(const Scores& scores, std::size_t e, std::size_t step) {
  const auto at = [&](std::size_t f) { return scores.of(EpisodeId(e), FamilyId(f))[step]; };
  return {at(1) - at(2), at(3) - at(0)};  // families: A, B|A, B, A|B
}

double worst_difference(const Scores& scores, std::size_t step) {
  double worst = 0;
  for (std::size_t e = 0; e < scores.episodes(); ++e) {
    const auto [forward, backward] = gains(scores, e, step);
    worst = std::max(worst, std::abs(forward - backward) / std::max(1.0, std::abs(forward)));
  }
  return worst;
}

constexpr OptimizerSpec sgd{.learning_rate = 0.1};

Scores table_scores(int levels, double error) {
  PairTask task = PairTask::exact(CategoricalWorld::draw_pair(levels, 1, 5, 0));
  std::get<CategoricalTable<double>>(task.modules[2].mechanism).parameters()[0] += error;
  const EpisodeSet set = draw_episodes(task.world, {ShiftKind::cause}, 1, {5, 0}, 30, 2, 10);
  return cpu_backend()->score(set.data, set.episodes, task.modules, {sgd, true});
}

double table_difference(const Look& look) {
  double worst = 0;
  for (int levels : {2, 5, 10})
    worst = std::max(worst, worst_difference(table_scores(levels, look.error), look.step));
  return worst;
}

double vector_difference(const Look& look) {
  double worst = 0;
  for (int d : {1, 3, 10}) {
    const auto prior = LinearGaussianPrior::of(d, std::max(2 * d, d + 2));
    const auto task = GaussianTask::exact(LinearGaussianWorld::draw_pair(prior, 5, 0));
    const EpisodeSet set = draw_episodes(task.world, ShiftKind::cause, prior, {5, 0}, 0, 20, 2, 10);
    const Scores scores =
        cpu_backend()->score(set.data, set.episodes, task.modules, {{.learning_rate = 1e-3}, true});
    worst = std::max(worst, worst_difference(scores, look.step));
  }
  return worst;
}

TEST(Proposition5, BothDirectionsOfAnEdgeScoreTheSameBeforeAdaptation) {
  expect_law("P5", 1e-12, table_difference, Look{}, Planted{"after one step", Look{1, 0}},
             Planted{"a marginal that is not the joint's", Look{0, 1e-6}});
  expect_law("P5", 1e-11, vector_difference, Look{}, Planted{"after one step", Look{1, 0}});
}

/// So the first step moves both edges of gamma alike, and neither sign nor size tells them apart.
double difference_of_steps(const Look& look) {
  const Scores scores = table_scores(10, look.error);
  double worst = 0;
  for (std::size_t e = 0; e < scores.episodes(); ++e) {
    const auto at = [&](std::size_t f) { return scores.of(EpisodeId(e), FamilyId(f))[look.step]; };
    const std::vector<double> log_lik = {at(0), at(3), at(2), at(1)};  // A, A|B, B, B|A
    const EdgeMatrix g = edge_gradient(EdgeMatrix(2), log_lik);
    worst = std::max(worst, std::abs(g.at(0, 1) - g.at(1, 0)));
  }
  return worst;
}

TEST(Proposition5, TheFirstStepMovesBothEdgesAlike) {
  expect_law("P5", 1e-12, difference_of_steps, Look{}, Planted{"after one step", Look{1, 0}},
             Planted{"a marginal that is not the joint's", Look{0, 1e-6}});
}

}  // namespace
}  // namespace whence::test
