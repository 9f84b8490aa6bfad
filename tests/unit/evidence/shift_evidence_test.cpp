// Changes of mechanisms by evidence from labels: seen where they are, absent where they are not,
// and smaller the more drift is allowed for.
#include "whence/evidence/labels/shift_evidence.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// x, then y = sin(2 x) + noise, then a level that depends on y. Environment 1: x moved; 2: y's
/// mechanism got an offset; 3: nothing.
Dataset sine_data() {
  Stream stream(31, Purpose::tests, {0, 0, 0});
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1, {}},
                    {"y", Variable::Kind::real, 0, 1, {}},
                    {"level", Variable::Kind::categorical, 3, 1, {}}};
  data.columns.resize(3);
  std::size_t at = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t rows = e == 0 ? 800 : 250;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = sample_normal(stream) + (e == 1 ? 1.5 : 0);
      const double y = std::sin(2 * x) + 0.3 * sample_normal(stream) + (e == 2 ? 0.5 : 0);
      const double u = stream.uniform();
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(y);
      data.columns[2].levels.push_back(u < 0.3 ? 0 : y > 0 ? 1 : 2);
    }
    data.environments.push_back({"e" + std::to_string(e), at, at + rows});
    at += rows;
  }
  return data;
}

TEST(CodedColumns, TellFewerLevelsApartWhereManyColumnsHaveMany) {
  const auto indicators = [](std::size_t columns) {
    Dataset data;
    for (std::size_t v = 0; v < columns; ++v) {
      data.variables.push_back({"v" + std::to_string(v), Variable::Kind::categorical, 12, 1, {}});
      Column& column = data.columns.emplace_back();
      for (int r = 0; r < 240; ++r) column.levels.push_back((r / int(v + 1)) % 12);
    }
    data.environments = {{"e0", 0, 240}};
    return CodedColumns(data, 0).coordinates() / columns;
  };
  EXPECT_EQ(indicators(2), 8U);
  EXPECT_EQ(indicators(5), 8U);
  EXPECT_EQ(indicators(9), 4U);
  EXPECT_EQ(indicators(30), 3U);
}

class ShiftEvidenceOfSines : public testing::Test {
 protected:
  Dataset data = sine_data();
  CodedColumns columns{data, 0};
  ShiftEvidence shift{columns, data, 0, 5};
  VariableSet none, x = VariableSet().with(0), y = VariableSet().with(1);
};

TEST_F(ShiftEvidenceOfSines, SeesWhichVariablesMoved) {
  EXPECT_GT(shift.moved(0, 0), 20);
  EXPECT_LT(shift.moved(0, 1), 2);
  EXPECT_GT(shift.moved(1, 1), 10);
  for (std::size_t v = 0; v < 3; ++v) EXPECT_LT(shift.moved(v, 2), 2) << v;
}

TEST_F(ShiftEvidenceOfSines, AHandfulOfRowsDecidesNothing) {
  for (std::size_t r = 0; r < 5; ++r) data.columns[0].values[data.environments[3].begin + r] = 12;
  const CodedColumns coded(data, 0);
  const ShiftEvidence evidence(coded, data, 0, 5);
  EXPECT_GT(evidence.change(0, none, 2), 3);  // five rows of 250: twenty to one
  EXPECT_LT(evidence.change_beyond_few(0, none, 2), 2);
  EXPECT_GT(evidence.change_beyond_few(0, none, 0), 20);  // all of them
  EXPECT_GT(evidence.change_beyond_few(1, x, 1), 10);
  EXPECT_LE(evidence.change_beyond_few(1, x, 1), evidence.change(1, x, 1));
}

TEST_F(ShiftEvidenceOfSines, WhatFollowsIsWhereItIsExpectedOrFurther) {
  // The second column follows the first one as ever, the third goes twice as far.
  Stream stream(32, Purpose::tests, {0, 0, 0});
  Dataset lines;
  for (const char* name : {"x", "follows", "overshoots"})
    lines.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  lines.columns.resize(3);
  for (std::size_t r = 0; r < 1000; ++r) {
    const double moved = r < 800 ? 0 : 3, at = moved + sample_normal(stream);
    lines.columns[0].values.push_back(at);
    lines.columns[1].values.push_back(at + 0.5 * sample_normal(stream));
    lines.columns[2].values.push_back(at + moved + 0.5 * sample_normal(stream));
  }
  lines.environments = {{"baseline", 0, 800}, {"moved", 800, 1000}};
  const CodedColumns coded(lines, 0);
  const ShiftEvidence evidence(coded, lines, 0, 5);
  EXPECT_LT(evidence.overshoot(1, x, 0), 0.2);
  EXPECT_GT(evidence.overshoot(2, x, 0), 0.5);
}

TEST_F(ShiftEvidenceOfSines, AMechanismThatStayedIsNotCalledChanged) {
  EXPECT_LT(shift.change(1, x, 0), 2);  // x moved, y given x did not
  EXPECT_LT(shift.change(2, y, 0), 2);
  EXPECT_LT(shift.change(2, y, 1), 2);
  EXPECT_GT(shift.change(1, x, 1), 10);
  EXPECT_GT(shift.change(0, y, 0), 10);  // the wrong way round it seems to have changed
}

TEST_F(ShiftEvidenceOfSines, DriftExplainsNoMoreThanItMay) {
  const DriftedChange& offset = shift.drifted(1, x, 1);  // .5 / .3 standard deviations
  for (std::size_t t = 1; t < drift_scales.size(); ++t)
    EXPECT_LE(offset.log_odds[t], offset.log_odds[0]) << drift_scales[t];
  EXPECT_GT(offset.log_odds[2], 5);                        // a drift of .1 does not explain it
  EXPECT_LT(offset.log_odds[drift_scales.size() - 1], 5);  // one of 3.2 does
  const DriftedChange& calm = shift.drifted(1, x, 2);
  EXPECT_EQ(calm.log_odds[3], calm.log_odds[0]);
}

TEST_F(ShiftEvidenceOfSines, WhatStaysWhereItIsDoesNotDrift) {
  const DriftedChange& calm = shift.drifted(1, x, 2);
  EXPECT_EQ(calm.at_times[0], calm.log_odds[0]);
  // Every second run at most: an environment without a move costs no more than log 2.
  for (std::size_t t = 1; t < drift_scales.size(); ++t) {
    EXPECT_GE(calm.at_times[t], calm.at_times[t - 1]) << drift_scales[t];
    EXPECT_LE(calm.at_times[t], calm.at_times[0] + std::log(2.0) + 1e-4) << drift_scales[t];
  }
}

/// A cause of which only a noisy reading is seen, and an effect of the cause itself. Environment 1:
/// the cause moved; 2: the effect's mechanism got an offset; 3: both, the effect against its cause.
Dataset noisy_reading() {
  Stream stream(32, Purpose::tests, {0, 0, 0});
  Dataset data;
  data.variables = {{"reading", Variable::Kind::real, 0, 1, {}},
                    {"effect", Variable::Kind::real, 0, 1, {}}};
  data.columns.resize(2);
  std::size_t at = 0;
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t rows = e == 0 ? 800 : 250;
    for (std::size_t r = 0; r < rows; ++r) {
      const double cause = sample_normal(stream) + (e == 1 || e == 3 ? 1 : 0);
      data.columns[0].values.push_back(cause + sample_normal(stream));
      data.columns[1].values.push_back(cause + 0.3 * sample_normal(stream) +
                                       (e == 2   ? 1
                                        : e == 3 ? -2
                                                 : 0));
    }
    data.environments.push_back({"e" + std::to_string(e), at, at + rows});
    at += rows;
  }
  return data;
}

TEST(NoisyReadings, ExplainAnEffectThatFollowsFurtherThanExpected) {
  const Dataset data = noisy_reading();
  const CodedColumns columns(data, 0);
  const ShiftEvidence shift(columns, data, 0, 5);
  const VariableSet reading = VariableSet().with(0);
  EXPECT_GT(shift.change(1, reading, 0), 10);
  EXPECT_LT(shift.change_beyond_noise(1, reading, 0), 3);
  // Neither what happens without the cause nor what goes against it is explained by noise.
  for (std::size_t e : {1, 2}) {
    EXPECT_GT(shift.change(1, reading, e), 10) << e;
    EXPECT_GT(shift.change_beyond_noise(1, reading, e), 10) << e;
  }
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_LE(shift.change_beyond_noise(1, reading, e), shift.change(1, reading, e)) << e;
    EXPECT_EQ(shift.change_beyond_noise(0, {}, e), shift.change(0, {}, e)) << e;
  }
}

TEST(CombinedDrift, IsTheHypotenuseRoundedUp) {
  EXPECT_EQ(combined_drift(0, 4), 4u);
  EXPECT_EQ(combined_drift(3, 0), 3u);
  EXPECT_EQ(drift_scales[combined_drift(4, 4)], 0.5);  // .3 and .3: .42
}

TEST(BoundedCode, GrowsSlowlyAndStops) {
  EXPECT_EQ(bounded_code(2.5), 2.5F);
  EXPECT_EQ(bounded_code(-2.5), -2.5F);
  EXPECT_LT(bounded_code(6), 6);
  EXPECT_GT(bounded_code(6), 4);
  EXPECT_EQ(bounded_code(1e30), float(largest_code));
}

}  // namespace
}  // namespace whence
