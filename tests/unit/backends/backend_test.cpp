#include "whence/backends/backend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/networks.hpp"
#include "support/optimizers.hpp"
#include "support/tables.hpp"
#include "whence/core/error.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence {
namespace {

/// A marginal of two levels that expects level 1; episode 2 of 3 sees level 0, then level 1.
struct SmallTask {
  Dataset data;
  std::vector<Episode> episodes = {{0, 2, 1}, {2, 2, 1}, {4, 2, 1}};
  std::vector<Module> modules = {
      {{VariableId(0), {}}, CategoricalTable<double>(2, std::vector<double>{-5, 5})}};
  SmallTask() {
    data.variables = support::categorical_variables({2});
    data.columns = {{{0, 0, 0, 1, 0, 0}, {}}};
  }
};

Error divergence(const Backend& backend, const OptimizerSpec& optimizer, int threads) {
  const SmallTask task;
  try {
    backend.score(task.data, task.episodes, task.modules, {optimizer, true}, threads);
  } catch (const Error& error) {
    return error;
  }
  return {ExitCode::ok, "", "", "nothing thrown"};
}

TEST(Backends, SayWhereAnEpisodeDiverged) {
  for (const auto& backend : {reference_backend(), cpu_backend()})
    for (int threads : {1, 2}) {
      const Error error = divergence(*backend, {.learning_rate = 1e308}, threads);
      EXPECT_EQ(error.id(), "E-NUM-DIVERGED");
      EXPECT_EQ(error.code(), ExitCode::numerical);
      EXPECT_EQ(error.place(), "episode 2, step 2");
      EXPECT_NE(error.hint().find("learning rate"), std::string::npos);
    }
}

TEST(Backends, DivergeWithEveryOptimizer) {  // N14
  for (const auto& backend : {reference_backend(), cpu_backend()})
    for (auto optimizer : support::all_optimizers()) {
      optimizer.spec.learning_rate = 1e308;
      EXPECT_EQ(divergence(*backend, optimizer.spec, 1).id(), "E-NUM-DIVERGED") << optimizer.name;
    }
}

TEST(Backends, NoticeTablesThatAreNoDistributions) {  // N05: not a number, nothing possible, +inf
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto& logits : {std::vector{std::nan(""), 0.0}, {-inf, -inf}, {inf, inf}}) {
    SmallTask task;
    task.modules[0].mechanism = CategoricalTable<double>(2, logits);
    for (const auto& backend : {reference_backend(), cpu_backend()})
      EXPECT_THROW(backend->score(task.data, task.episodes, task.modules, {}), Error);
  }
}

/// An optimizer without its epsilon divides 0 by 0 where the gradient is 0: the step that reads the
/// result is named, whatever came before stays.
TEST(Backends, NameTheStepAfterADivisionOfZeroByZero) {  // N14
  SmallTask task;
  // Certain of level 0: rows of level 0 have no gradient at all.
  task.modules[0].mechanism = CategoricalTable<double>(2, std::vector<double>{0, -800});
  for (auto& column : task.data.columns) std::fill(column.levels.begin(), column.levels.end(), 0);
  for (const auto kind : {OptimizerSpec::Kind::rmsprop, OptimizerSpec::Kind::adam}) {
    const OptimizerSpec bare{.kind = kind, .epsilon = 0};
    try {
      reference_backend()->score(task.data, task.episodes, task.modules, {bare, true});
      ADD_FAILURE() << name_of(kind);
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "E-NUM-DIVERGED");
      EXPECT_EQ(error.place(), "episode 1, step 2") << name_of(kind);
    }
    const OptimizerSpec usual{.kind = kind};
    EXPECT_NO_THROW(cpu_backend()->score(task.data, task.episodes, task.modules, {usual, true}));
  }
}

TEST(Backends, FillOneCellPerEpisodeFamilyAndStep) {
  const SmallTask task;
  for (const auto& backend : {reference_backend(), cpu_backend()}) {
    const Scores scores = backend->score(task.data, task.episodes, task.modules, {});
    EXPECT_EQ(scores.episodes(), 3u);
    EXPECT_EQ(scores.families(), 1u);
    EXPECT_EQ(scores.steps(), 2u);
    for (std::size_t e = 0; e < 3; ++e)
      EXPECT_NEAR(scores.of(EpisodeId(e), FamilyId(0))[0], -std::log1p(std::exp(10.0)), 1e-14);
  }
}

/// A levelled child and parent, then a real child and parent: every kind of mechanism has a family.
struct EveryMechanism {
  Dataset data = support::random_rows({5, 3}, 160, 21);
  std::vector<Episode> episodes;
  std::vector<Module> modules;

  EveryMechanism() {
    support::Inputs inputs(22);
    for (const char* name : {"X", "Y"}) {
      data.variables.push_back({name, Variable::Kind::real});
      data.columns.push_back({{}, inputs.reals(160, -3, 3)});
    }
    for (std::size_t e : {1, 0, 3, 2}) episodes.push_back({e * 40, 4, 10});
    const Family levels{VariableId(0), {VariableId(1)}}, reals{VariableId(2), {VariableId(3)}};
    const Family alone{VariableId(2), {}};
    const std::vector<double> y = inputs.reals(8, -4, 4);
    modules = {
        {levels, support::random_table(inputs, 5, 3)},
        {levels, support::random_mlp({5, 3}, 6, Activation::relu, 1)},
        {reals, LinearGaussian<double>(1, 1, {0.3, -0.7, 0.2})},
        {alone, LinearGaussian<double>(1, 0, {0.3, 0.2})},
        {reals, MixtureDensity<double>({6, 3}, inputs.reals(DensityShape{6, 3}.size(), -1, 1))},
        {alone, GaussianMixture<double>(3, inputs.reals(9, -1, 1))},
        {reals, SplineNoise<double>(2, even_points(8, 8), std::span<const double>(y), 0.1)}};
  }
};

TEST(Backends, AgreeOnEveryMechanism) {
  const EveryMechanism task;
  std::vector<bool> met(std::variant_size_v<AnyMechanism>, false);
  for (const Module& module : task.modules) met[module.mechanism.index()] = true;
  for (std::size_t kind = 0; kind < met.size(); ++kind)
    EXPECT_TRUE(met[kind]) << "mechanism " << kind << " is missing here";
  for (const auto& optimizer : support::all_optimizers())
    for (bool reset : {true, false}) {
      const GradientAdaptation how{optimizer.spec, reset};
      // Without a reset all 16 steps follow one another; RMSprop divides small gradients by their
      // own size, so that the last digits of either side grow from step to step.
      const double tolerance = reset ? 1e-11 : 1e-9;
      const Scores slow = reference_backend()->score(task.data, task.episodes, task.modules, how);
      const Scores fast = cpu_backend()->score(task.data, task.episodes, task.modules, how, 3);
      for (std::size_t e = 0; e < 4; ++e)
        for (std::size_t f = 0; f < task.modules.size(); ++f)
          for (std::size_t t = 0; t < 4; ++t) {
            const double expected = slow.of(EpisodeId(e), FamilyId(f))[t];
            ASSERT_NEAR(fast.of(EpisodeId(e), FamilyId(f))[t], expected,
                        tolerance * std::max(1.0, std::abs(expected)))
                << optimizer.name << ", reset " << reset << ", module " << f << ", step " << t;
          }
    }
}

/// A hundred thousand examples: e^-300000 is no number, its logarithm is exact. N01
TEST(Backends, LikelihoodsFarBelowTheSmallestNumberKeepTheirDigits) {
  const auto world = CategoricalWorld::draw_pair(10, 1, 3, 0);
  const std::size_t rows = support::effort(100'000);
  Dataset data = make_dataset(world.variables(), rows);
  ShiftedWorld shifted(world);
  shifted.sample(Stream(3, Purpose::sample, {}), data, 0, rows);
  const Episode episode{0, int(rows / 100), 100};
  const GradientAdaptation how{{.learning_rate = 0.1}, true};
  std::vector<Module> modules;
  long double expected = 0;
  for (const Family& family : pair_hypotheses().families) {
    const CategoricalTable<double> table = world.conditional(family);
    modules.push_back({family, table});
    CategoricalTable<long double> wide(
        10, std::vector<long double>(table.parameters().begin(), table.parameters().end()));
    Optimizer<long double> optimizer(how.optimizer, wide.parameters().size());
    std::vector<long double> scores(std::size_t(episode.steps));
    adapt(wide, optimizer, data, family, episode, std::span(scores));
    for (long double s : scores) expected += modules.size() <= 2 ? s : -s;
  }
  const auto pair = pair_hypotheses();
  const Scores scores = cpu_backend()->score(data, {&episode, 1}, modules, how);
  const double log_lik = scores.log_lik(EpisodeId(0), pair.forward);
  EXPECT_LT(log_lik, -3.0 * double(rows));
  EXPECT_EQ(std::exp(log_lik), 0);
  EXPECT_NEAR(log_lik - scores.log_lik(EpisodeId(0), pair.backward), double(expected),
              1e-12 * std::abs(log_lik));
}

TEST(CheckFinite, PassesFiniteScoresAndNamesTheFirstBadOne) {
  Scores scores(3, 2, 4);
  EXPECT_NO_THROW(check_finite(scores));
  scores.of(EpisodeId(2), FamilyId(0))[0] = std::nan("");
  scores.of(EpisodeId(1), FamilyId(1))[3] = -std::numeric_limits<double>::infinity();
  try {
    check_finite(scores);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.place(), "episode 2, step 4");
  }
}

}  // namespace
}  // namespace whence
