// No family is asked for that its scorer cannot hold.
#include "whence/belief/family_table.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/made_up_scores.hpp"
#include "whence/belief/graph_search.hpp"

namespace whence {
namespace {

/// Takes two parents at most; variable 0 is joined with all others, whichever way.
class HubScorer final : public FamilyScorer {
 public:
  std::size_t variables() const override { return 6; }
  std::size_t environments() const override { return 1; }
  std::size_t max_parents() const override { return 2; }
  double log_score(std::size_t child, std::span<const std::size_t> parents,
                   const EnvironmentRegime&) const override {
    double score = 0;
    for (std::size_t parent : held(parents)) score += gain(child, parent);
    return score;
  }
  double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime& regime, std::size_t) const override {
    return log_score(child, parents, regime);
  }
  double log_redrawn(std::size_t, std::span<const std::size_t> parents, std::size_t,
                     EnvironmentState) const override {
    return -10 * double(held(parents).size() + 1);
  }
  void changed(std::size_t, std::span<const std::size_t> parents, const EnvironmentRegime&,
               std::span<double> probability) const override {
    probability[0] = held(parents).empty() ? 0 : 0.1;
  }
  bool has_estimates() const override { return true; }
  EstimateQuality estimate_quality() const override { return {-4, true, false}; }
  void estimate_gains(std::size_t child, std::span<const std::size_t> parents,
                      const EnvironmentRegime&, std::span<double> gains) const override {
    for (std::size_t v = 0; v < variables(); ++v) gains[v] = gain(child, v);
    for (std::size_t parent : held(parents)) gains[parent] *= -1;
  }
  bool estimate_redrawn(std::size_t, std::span<const std::size_t> parents, const EnvironmentRegime&,
                        std::span<double> soft, std::span<double> hard) const override {
    soft[0] = hard[0] = held(parents).empty() ? 1 : 2;
    return true;
  }
  bool likelihood_equivalent() const override { return true; }

 private:
  static double gain(std::size_t a, std::size_t b) { return a == 0 || b == 0 ? 50 : -50; }
  std::span<const std::size_t> held(std::span<const std::size_t> parents) const {
    EXPECT_LE(parents.size(), max_parents());
    return parents;
  }
};

TEST(FamilyTable, ScoresNoFamilyThatIsTooLarge) {
  const HubScorer scorer;
  const FamilyTable table(scorer);
  const std::size_t regime = table.number_of(sparse_regime(1));
  VariableSet parents;
  for (std::size_t v = 1; v <= 3; ++v) parents.insert(v);
  EXPECT_EQ(table.score(regime, 0, parents), -INFINITY);
  EXPECT_TRUE(std::isnan(table.estimated_gain(regime, 0, parents, 4)));
  EXPECT_TRUE(std::isnan(table.estimated_gain(regime, 0, parents, 3)));  // away with it
  EXPECT_EQ(table.changed(regime, 0, parents)[0], 0);
  Dag star(scorer.variables());
  EXPECT_TRUE(std::isfinite(table.estimated_redraw(regime, star, 0, EnvironmentState::all_soft)));
  star.set_parents(0, parents);
  EXPECT_TRUE(std::isnan(table.estimated_redraw(regime, star, 0, EnvironmentState::all_soft)));
  parents.erase(3);
  EXPECT_TRUE(std::isnan(table.estimated_gain(regime, 0, parents, 3)));
  EXPECT_LT(table.estimated_gain(regime, 0, parents, 2), 0);
}

/// Counts how many families it is asked for together.
class BatchScorer final : public support::MadeUpScores {
 public:
  using MadeUpScores::MadeUpScores;
  void log_scores(std::span<const Query> queries, const EnvironmentRegime& regime,
                  std::span<double> scores) const override {
    batches.push_back(queries.size());
    MadeUpScores::log_scores(queries, regime, scores);
  }
  mutable std::vector<std::size_t> batches;
};

TEST(FamilyTable, ScoresOfManySetsAreThoseOfEachAndAreAskedForTogether) {
  const auto score = [](std::size_t child, std::span<const std::size_t> parents) {
    double sum = 0.1 * double(child);
    for (const std::size_t p : parents) sum += 1 / double(p + 2);
    return sum;
  };
  const BatchScorer scorer(5, 1, score);
  EdgeKnowledge knowledge;
  knowledge.words.assign(25, EdgeKnowledge::Word::open);
  knowledge.words[3 * 5 + 0] = EdgeKnowledge::Word::forbidden;
  const FamilyTable together(scorer, knowledge), alone(scorer, knowledge);
  const std::size_t regime = together.number_of(sparse_regime(1));
  alone.number_of(sparse_regime(1));
  std::vector<VariableSet> sets(4);
  sets[1].insert(1);
  sets[2].insert(3);  // against what is known
  sets[3].insert(2), sets[3].insert(4);
  together.score(regime, 0, sets[1]);
  const std::vector<double> found = together.scores(regime, 0, sets);
  for (std::size_t k = 0; k < sets.size(); ++k)
    EXPECT_EQ(found[k], alone.score(regime, 0, sets[k])) << k;
  EXPECT_EQ(scorer.batches, std::vector<std::size_t>{2});  // one was known, one is forbidden
  EXPECT_EQ(together.scores(regime, 0, sets), found);
  EXPECT_EQ(together.scored(), 3u);
}

TEST(GraphClimber, TurnsNoStarIntoAFamilyThatIsTooLarge) {
  const HubScorer scorer;
  const FamilyTable table(scorer);
  GraphClimber climber(table, table.number_of(sparse_regime(1)), Dag(scorer.variables()));
  climber.climb();
  climber.turn_stars();
  Stream stream(3, Purpose::tests, {});
  climber.iterate(200, stream);
  EXPECT_TRUE(std::isfinite(climber.score()));
  for (std::size_t v = 1; v < scorer.variables(); ++v) EXPECT_TRUE(climber.dag().adjacent(0, v));
}

}  // namespace
}  // namespace whence
