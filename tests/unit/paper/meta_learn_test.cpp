// Algorithm 1 as one call: the same as its parts, whatever the chunks and threads; every switch.
#include "whence/paper/meta_learn.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/tasks/gaussian_task.hpp"

namespace whence {
namespace {

using support::same_bits;

const double concentration = 1;

PairTask categorical_task() {
  return PairTask::exact(CategoricalWorld::draw_pair(10, concentration, 3, 0));
}

MetaLearning switches(const PairTask& task) {
  MetaLearning how;
  how.modules = task.modules;
  how.first = task.pair.forward;
  how.second = task.pair.backward;
  how.episodes = 600;
  how.adaptation.optimizer.learning_rate = 0.1;
  return how;
}

EpisodeSource cause_shifts(const PairTask& task) {
  return episodes_of(task.world, {ShiftKind::cause}, concentration, {3, 0});
}

/// The same run from its parts: all episodes at once, then the scan over the scores.
BeliefTrajectory from_parts(const PairTask& task, const MetaLearning& how) {
  const EpisodeSet set = draw_episodes(task.world, {ShiftKind::cause}, concentration, {3, 0},
                                       how.episodes, how.steps, how.batch);
  const Scores scores = cpu_backend()->score(set.data, set.episodes, task.modules, how.adaptation);
  return learn_belief(step_log_odds(scores, how.first, how.second), scores.steps(), how.belief);
}

TEST(MetaLearn, IsItsPartsBitForBit) {
  const PairTask task = categorical_task();
  for (auto objective :
       {BeliefObjective::mixture, BeliefObjective::printed, BeliefObjective::per_step})
    for (bool reset : {true, false}) {
      MetaLearning how = switches(task);
      how.belief.objective = objective;
      how.adaptation.reset = reset;
      how.steps = 3;
      EXPECT_TRUE(same_bits(meta_learn(cause_shifts(task), how).gamma, from_parts(task, how).gamma))
          << name_of(objective) << ", reset " << reset;
    }
}

TEST(MetaLearn, ThreadsChangeNoBit) {
  const PairTask task = categorical_task();
  MetaLearning how = switches(task);
  const MetaResult one = meta_learn(cause_shifts(task), how);
  for (int threads : {2, 3, 7}) {
    how.threads = threads;
    EXPECT_TRUE(same_bits(meta_learn(cause_shifts(task), how).gamma, one.gamma)) << threads;
  }
}

TEST(MetaLearn, FindsTheCauseAndItsMirror) {
  const PairTask task = categorical_task();
  MetaLearning how = switches(task);
  const MetaResult result = meta_learn(cause_shifts(task), how);
  EXPECT_GT(sigmoid(result.gamma.back()), 0.9);
  std::swap(how.first, how.second);
  const MetaResult mirrored = meta_learn(cause_shifts(task), how);
  for (std::size_t e = 0; e < how.episodes; ++e)
    ASSERT_EQ(mirrored.gamma[e], -result.gamma[e]) << e;
}

TEST(MetaLearn, TellsEveryEpisodeInOrderAndStopsWhenTold) {
  const PairTask task = categorical_task();
  MetaLearning how = switches(task);
  std::vector<MetaStep> heard;
  const MetaResult result = meta_learn(cause_shifts(task), how, [&](const MetaStep& step) {
    heard.push_back(step);
    return heard.size() < 300;
  });
  ASSERT_EQ(heard.size(), 300u);
  ASSERT_EQ(result.gamma.size(), 300u);
  double bayes = 0;
  for (std::size_t e = 0; e < heard.size(); ++e) {
    EXPECT_EQ(heard[e].episode, e);
    EXPECT_NEAR(heard[e].delta, heard[e].log_lik_first - heard[e].log_lik_second, 1e-11);
    EXPECT_EQ(heard[e].gamma, result.gamma[e]);
    EXPECT_EQ(heard[e].belief, sigmoid(result.gamma[e]));
    const double before = e == 0 ? 0 : result.gamma[e - 1];
    EXPECT_EQ(heard[e].regret, regret(before, heard[e].log_lik_first, heard[e].log_lik_second));
    bayes = std::clamp(bayes + heard[e].delta, -gamma_limit, gamma_limit);
    EXPECT_NEAR(heard[e].bayes_gamma, bayes, 1e-9);
  }
}

TEST(MetaLearn, AnEncoderStandsBeforeTheModules) {
  // Observations with A and B exchanged; the encoder puts them back.
  const PairTask task = categorical_task();
  const MetaLearning plain = switches(task);
  const EpisodeSource straight = cause_shifts(task);
  const auto exchanged = [](const Dataset& data) {
    Dataset other = data;
    std::swap(other.columns[0], other.columns[1]);
    return other;
  };
  EpisodeSource crossed = straight;
  crossed.draw = [&](std::size_t e, Dataset& data, std::size_t first, std::size_t rows) {
    straight.draw(e, data, first, rows);
    for (std::size_t r = first; r < first + rows; ++r)
      std::swap(data.columns[0].levels[r], data.columns[1].levels[r]);
  };
  MetaLearning encoded = plain;
  encoded.encoder = exchanged;
  const auto expected = meta_learn(straight, plain).gamma;
  EXPECT_TRUE(same_bits(meta_learn(crossed, encoded).gamma, expected));
  EXPECT_FALSE(same_bits(meta_learn(crossed, plain).gamma, expected));
}

// ---- a belief per edge ----

struct EdgeTask {
  CategoricalWorld world = CategoricalWorld::draw_pair(6, concentration, 3, 0);
  EpisodeSource source = episodes_of(world, {ShiftKind::cause}, concentration, {3, 0});
  EdgeMetaLearning how;
  EdgeTask() {
    for (const Family& family : all_families(2))
      how.modules.push_back({family, world.conditional(family)});
    how.episodes = 300;
    how.adaptation.optimizer.learning_rate = 0.1;
    how.key = {3, 0};
  }
};

/// The same from its parts, by exact sums over independent edges.
TEST(EdgeMetaLearn, IsItsPartsBitForBit) {
  const EdgeTask task;
  const EpisodeSet set =
      draw_episodes(task.world, {ShiftKind::cause}, concentration, {3, 0}, 300, 2, 10);
  const Scores scores =
      cpu_backend()->score(set.data, set.episodes, task.how.modules, task.how.adaptation);
  EdgeBelief belief(EdgeMatrix(2), task.how.belief);
  const EdgeMetaResult result = meta_learn(task.source, task.how);
  ASSERT_EQ(result.log_odds.size(), 300u);
  for (std::size_t e = 0; e < 300; ++e) {
    const std::vector<double> log_lik = episode_log_lik(scores, EpisodeId(e));
    EXPECT_EQ(result.regret[e], edge_regret(belief.gamma(), log_lik));
    belief.update(log_lik, Stream(3, Purpose::initialise, {}));
    EXPECT_TRUE(same_bits(result.log_odds[e].values, belief.log_odds().values)) << e;
  }
}

TEST(EdgeMetaLearn, ThreadsAndChunksChangeNoBit) {
  EdgeTask task;
  task.how.belief.samples = 6;
  task.how.frozen_or_adapting = true;
  const EdgeMetaResult one = meta_learn(task.source, task.how);
  EXPECT_EQ(one.effective_samples.size(), 300u);
  for (int threads : {2, 3, 7}) {
    task.how.threads = threads;
    const EdgeMetaResult many = meta_learn(task.source, task.how);
    EXPECT_TRUE(same_bits(many.log_odds.back().values, one.log_odds.back().values)) << threads;
  }
}

/// Without acyclicity both directions are believed at once (errata E5); with it one is.
TEST(EdgeMetaLearn, AcyclicityDecidesTheDirection) {
  EdgeTask task;
  task.how.belief.optimizer.learning_rate = 0.1;
  const EdgeMatrix both = meta_learn(task.source, task.how).log_odds.back();
  EXPECT_GT(both.at(0, 1), 3);
  EXPECT_GT(both.at(1, 0), 3);
  task.how.belief.acyclicity = Acyclicity::exact;
  task.how.all_so_far = true;
  const EdgeMetaResult acyclic = meta_learn(task.source, task.how);
  EXPECT_GT(acyclic.log_odds.back().at(0, 1), 3);
  EXPECT_LT(acyclic.log_odds.back().at(1, 0), -3);
  EXPECT_GT(acyclic.bayes_log_odds.back().at(0, 1), 3);
}

TEST(EdgeMetaLearn, StopsWhenToldAndRefusesWhatDoesNotFit) {
  EdgeTask task;
  std::size_t heard = 0;
  const EdgeMetaResult result = meta_learn(task.source, task.how, [&](const EdgeMetaStep& step) {
    EXPECT_EQ(step.episode, heard);
    return ++heard < 20;
  });
  EXPECT_EQ(result.log_odds.size(), 20u);
  EdgeTask one_graph = task;
  one_graph.how.belief.samples = 1;
  EXPECT_THROW(meta_learn(one_graph.source, one_graph.how), Error);
  task.how.modules.pop_back();
  EXPECT_THROW(meta_learn(task.source, task.how), Error);
}

// ---- leaving the finite numbers ----

struct Exploding {
  LinearGaussianPrior prior = LinearGaussianPrior::of(5, 10);
  GaussianTask task = GaussianTask::exact(LinearGaussianWorld::draw_pair(prior, 4, 0));
  EpisodeSource source = episodes_of(task.world, ShiftKind::cause, prior, {4, 0});
  MetaLearning how;
  Exploding() {
    how.modules = task.modules;
    how.first = task.pair.forward;
    how.second = task.pair.backward;
    how.episodes = 40;
    how.steps = 10;
    how.adaptation.optimizer.learning_rate = 10;
  }
};

TEST(MetaLearn, DivergenceIsAnErrorWithItsPlace) {
  const Exploding e;
  try {
    meta_learn(e.source, e.how);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-NUM-DIVERGED");
    EXPECT_EQ(error.code(), ExitCode::numerical);
    EXPECT_EQ(error.place().rfind("episode 1, step ", 0), 0u) << error.place();
  }
}

TEST(MetaLearn, DivergenceAsAnOutcomeIsCounted) {
  Exploding e;
  e.how.adaptation.must_stay_finite = false;
  const MetaResult result = meta_learn(e.source, e.how);
  EXPECT_EQ(result.delta.size(), 40u);
  EXPECT_GT(result.lost_first + result.lost_second, 0u);
  for (std::size_t i = 0; i < result.gamma.size(); ++i) {
    EXPECT_TRUE(std::isfinite(result.delta[i]));
    EXPECT_TRUE(std::isfinite(result.gamma[i]));
  }
}

TEST(MetaLearn, AModelWithoutALikelihoodHasLost) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(log_odds_or_lost(-3, -5), 2);
  EXPECT_EQ(log_odds_or_lost(-3, -infinity), lost_by);
  EXPECT_EQ(log_odds_or_lost(std::nan(""), -3), -lost_by);
  EXPECT_EQ(log_odds_or_lost(-infinity, std::nan("")), 0);
}

}  // namespace
}  // namespace whence
