// What the two-variable commands are made of: priors as people write them, simulated truths, the
// JSON object, the belief on its way, and evaluation.
#include <gtest/gtest.h>

#include "apps/whence/direction_settings.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/check/data_check.hpp"
#include "whence/judge/evaluation.hpp"
#include "whence/judge/graph_truth.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

/// Data and the object of truth.json.
struct SimulatedPair {
  Dataset data;
  Json truth;
};

SimulatedPair simulated(ShiftKind shift,
                        PairSimulation::Truth truth = PairSimulation::Truth::forward) {
  PairSimulation what;
  what.shift = shift;
  what.truth = truth;
  what.levels = 4;
  what.environments = 5;
  what.rows = 200;
  what.seed = 3;
  return {simulate_pair(what), pair_truth_json(what)};
}

DirectionResult found(const SimulatedPair& pair) {
  DirectionOptions options;
  options.baseline = 0;
  return find_direction(pair.data, options);
}

TEST(DirectionSettings, GivenWeightsHoldAndTheOthersShareTheRest) {
  const ChangePrior prior = parse_prior("no_link=0.5,row=0,quiet=0.1");
  EXPECT_DOUBLE_EQ(prior.structure[2], 0.5);
  EXPECT_DOUBLE_EQ(prior.structure[0], 0.25);
  EXPECT_EQ(prior.change[std::size_t(Change::row)], 0);
  double sum = 0;
  for (const double p : prior.change) sum += p;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(prior.quiet, 0.1);
  EXPECT_EQ(prior.turbulent, ChangePrior().turbulent);
}

TEST(DirectionSettings, ReadsWhatItWrites) {
  const ChangePrior prior = parse_prior("forward=0.5,backward=0.25,both=0.2,turbulent=0.4");
  const auto again = read_direction_settings(
      Json::object({{"model", "labels"}, {"prior", prior_json(prior)}}).dump(), "c.json");
  EXPECT_EQ(again.model, DirectionModel::labels);
  for (std::size_t s = 0; s < structures; ++s)
    EXPECT_NEAR(again.prior.structure[s], prior.structure[s], 1e-12);
  for (std::size_t k = 0; k < change_kinds; ++k)
    EXPECT_NEAR(again.prior.change[k], prior.change[k], 1e-12);
}

TEST(DirectionSettings, RefusesWhatCannotBe) {
  for (const char* text : {"", "x", "row", "row=", "row=x", "row=-1", "row=inf", "row=.1,row=.1",
                           "quiet=1", "forward=0", "forward=.6,backward=.6", "nothing=.5,both=.5",
                           "forward=.1,backward=.1,no_link=.1"})
    EXPECT_THROW(parse_prior(text), Error) << text;
  for (const char* text : {"[]", "{\"models\": 1}", "{\"model\": \"x\"}", "{\"prior\": 1}",
                           "{\"prior\": {\"row\": \"1\"}}", "{\"prior\": {\"rows\": 1}}"})
    EXPECT_THROW(read_direction_settings(text, "c.json"), Error) << text;
}

TEST(SimulatePair, TellsWhatChangedByVariable) {
  const auto changed = [](const SimulatedPair& pair, std::size_t e, const char* variable) {
    return pair.truth.find("environments")->items[e].find("changed")->find(variable)->truth;
  };
  const auto forward = simulated(ShiftKind::cause);
  EXPECT_TRUE(changed(forward, 1, "X"));
  EXPECT_FALSE(changed(forward, 1, "Y"));
  EXPECT_FALSE(changed(forward, 0, "X"));
  const auto backward = simulated(ShiftKind::cause, PairSimulation::Truth::backward);
  EXPECT_FALSE(changed(backward, 1, "X"));
  EXPECT_TRUE(changed(backward, 1, "Y"));
  EXPECT_EQ(forward.data.columns[0].levels, backward.data.columns[1].levels);
}

TEST(DirectionReport, BeliefPathEndsAtTheResult) {
  const auto pair = simulated(ShiftKind::mechanism);
  DirectionOptions options;
  options.baseline = 0;
  const DirectionResult result = find_direction(pair.data, options);
  const auto path = belief_path(result);
  ASSERT_EQ(path.size(), 6u);  // the prior, then 2 to 6 environments
  EXPECT_EQ(path.front().environments, 0u);
  EXPECT_EQ(path.back().environments, 6u);
  EXPECT_EQ(path.back().belief, result.belief);
}

TEST(DirectionReport, NamesEveryChangeInWords) {
  DirectionResult result;
  result.variables = {"rain", "umbrella"};
  result.belief = {0.9, 0.05, 0.05};
  EXPECT_EQ(change_in_words(result, Change::cause), "rain itself");
  EXPECT_EQ(change_in_words(result, Change::mechanism), "how umbrella answers to rain");
  result.belief = {0.05, 0.9, 0.05};
  EXPECT_EQ(change_in_words(result, Change::cause), "umbrella itself");
  result.belief = {0.05, 0.05, 0.9};
  EXPECT_EQ(change_in_words(result, Change::mechanism), "umbrella itself");
}

TEST(Evaluation, JudgesVerdictBeliefAndChanges) {
  for (const auto truth : {PairSimulation::Truth::forward, PairSimulation::Truth::backward}) {
    const auto pair = simulated(ShiftKind::mechanism, truth);
    const Json result = direction_json(found(pair), {});
    const Evaluation said = evaluate(result, "r", pair.truth, "t");
    EXPECT_EQ(said.outcome, "right");
    EXPECT_GT(said.belief, decided_belief);
    EXPECT_EQ(said.judged, 10u);
    EXPECT_GE(said.found, 9u);
  }
  const auto none = simulated(ShiftKind::none);
  EXPECT_EQ(evaluate(direction_json(found(none), {}), "r", none.truth, "t").outcome, "undecided");
  // The truth of another world: as sure as before, and wrong.
  const Json result = direction_json(found(simulated(ShiftKind::cause)), {});
  const auto other = simulated(ShiftKind::cause, PairSimulation::Truth::backward);
  EXPECT_EQ(evaluate(result, "r", other.truth, "t").outcome, "wrong");
  EXPECT_THROW(evaluate(Json::object(), "r", other.truth, "t"), Error);
}

TEST(DataCheck, SeesWhichLawMoved) {
  const DataCheck cause = check_data(simulated(ShiftKind::cause).data, 0, 1);
  const DataCheck none = check_data(simulated(ShiftKind::none).data, 0, 1);
  int moved = 0;
  for (std::size_t e = 1; e < cause.environments.size(); ++e) {
    moved += cause.environments[e].first > clear_evidence;
    EXPECT_LT(cause.environments[e].second_given_first, clear_evidence);
    EXPECT_LT(none.environments[e].first, clear_evidence);
    EXPECT_LT(none.environments[e].second, clear_evidence);
  }
  EXPECT_GE(moved, 4);
  EXPECT_TRUE(cause.environments[0].baseline);
}

}  // namespace
}  // namespace whence
