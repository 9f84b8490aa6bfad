#include "whence/backends/backend.hpp"

#include <gtest/gtest.h>

#include "support/optimizers.hpp"
#include "support/tables.hpp"
#include "whence/core/error.hpp"

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

TEST(Backends, DivergeWithEveryOptimizer) {
  for (const auto& backend : {reference_backend(), cpu_backend()})
    for (auto optimizer : support::all_optimizers()) {
      optimizer.spec.learning_rate = 1e308;
      EXPECT_EQ(divergence(*backend, optimizer.spec, 1).id(), "E-NUM-DIVERGED") << optimizer.name;
    }
}

TEST(Backends, NoticeNotANumberInTheTables) {
  SmallTask task;
  task.modules[0].mechanism = CategoricalTable<double>(2, std::vector<double>{std::nan(""), 0});
  for (const auto& backend : {reference_backend(), cpu_backend()})
    EXPECT_THROW(backend->score(task.data, task.episodes, task.modules, {}), Error);
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
