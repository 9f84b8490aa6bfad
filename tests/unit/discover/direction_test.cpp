// The answer on two variables: right whichever mechanism shifted, silent when none did.
#include "whence/discover/pair/direction.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "whence/core/error.hpp"
#include "whence/paper/tasks/pair_task.hpp"
#include "whence/report/direction_report.hpp"

namespace whence {
namespace {

/// A baseline and shifted environments of a categorical pair A -> B.
Dataset categorical(ShiftKind kind, int levels, std::size_t baseline, std::size_t rows,
                    std::size_t shifted, std::uint32_t run, double concentration = 1) {
  const auto world = CategoricalWorld::draw_pair(levels, concentration, 17, run);
  Dataset data = make_dataset(world.variables(), baseline + rows * shifted);
  ShiftedWorld view(world);
  view.sample(Stream(17, Purpose::training, {run, 0, 0}), data, 0, baseline);
  data.environments.push_back({"baseline", 0, baseline});
  for (std::size_t e = 0; e < shifted; ++e) {
    const Cell cell{run, std::uint32_t(e), 0};
    view.shift({kind}, concentration, Stream(17, Purpose::shift, cell));
    const std::size_t begin = baseline + e * rows;
    view.sample(Stream(17, Purpose::sample, cell), data, begin, rows);
    data.environments.push_back({"week " + std::to_string(e + 1), begin, begin + rows});
  }
  return data;
}

DirectionOptions with_baseline() {
  DirectionOptions options;
  options.baseline = 0;
  return options;
}

struct Tally {
  int right = 0, wrong = 0, runs = 0;
};

Tally tally(ShiftKind kind, int runs, double concentration) {
  Tally t;
  DirectionOptions options = with_baseline();
  options.sensitivity = false;
  for (int run = 0; run < runs; ++run) {
    const auto result = find_direction(
        categorical(kind, 6, 1000, 100, 5, std::uint32_t(run), concentration), options);
    t.right += result.belief[0] > decided_belief;
    t.wrong += result.belief[1] > decided_belief;
    ++t.runs;
  }
  return t;
}

class DirectionUnderShift : public testing::TestWithParam<std::tuple<ShiftKind, double>> {};

TEST_P(DirectionUnderShift, IsRightWhicheverMechanismShifted) {
  const auto [kind, concentration] = GetParam();
  const Tally t = tally(kind, std::max(2, int(support::effort(12))), concentration);
  EXPECT_EQ(t.wrong, 0);
  EXPECT_GE(t.right, t.runs - 1);
}

INSTANTIATE_TEST_SUITE_P(SingleMechanisms, DirectionUnderShift,
                         testing::Combine(testing::Values(ShiftKind::cause, ShiftKind::effect,
                                                          ShiftKind::mechanism),
                                          testing::Values(1.0, 1.0 / 6)));

class DirectionWithoutSignal : public testing::TestWithParam<std::tuple<ShiftKind, double>> {};

TEST_P(DirectionWithoutSignal, StaysUndecided) {
  const auto [kind, concentration] = GetParam();
  const Tally t = tally(kind, std::max(2, int(support::effort(12))), concentration);
  EXPECT_EQ(t.right + t.wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(NothingOrEverything, DirectionWithoutSignal,
                         testing::Combine(testing::Values(ShiftKind::none, ShiftKind::both),
                                          testing::Values(1.0, 1.0 / 6)));

TEST(Direction, SaysWhatChangedWhere) {
  const auto cause =
      find_direction(categorical(ShiftKind::cause, 4, 2000, 300, 3, 1), with_baseline());
  EXPECT_EQ(cause.verdict.kind, Verdict::Kind::direction);
  EXPECT_EQ(cause.verdict.from, 0);
  for (std::size_t e = 1; e < 4; ++e) {
    EXPECT_GT(cause.environments[e].changed[0], 0.95);
    EXPECT_LT(cause.environments[e].changed[1], 0.5);
  }
  const auto none =
      find_direction(categorical(ShiftKind::none, 4, 2000, 300, 3, 2), with_baseline());
  EXPECT_EQ(none.verdict.kind, Verdict::Kind::no_shift);
  EXPECT_TRUE(has(none.remarks, RemarkCode::shift_of_one));
  const auto both =
      find_direction(categorical(ShiftKind::both, 4, 2000, 300, 3, 3), with_baseline());
  EXPECT_NE(both.verdict.kind, Verdict::Kind::direction);
}

TEST(Direction, ShuffledColumnsHaveNoLink) {
  Dataset data = categorical(ShiftKind::cause, 5, 1000, 200, 4, 5);
  Stream stream(3, Purpose::tests, {});
  auto& y = data.columns[1].levels;
  for (const Environment& e : data.environments)
    for (std::size_t i = e.end - 1; i > e.begin; --i)
      std::swap(y[i], y[e.begin + std::size_t(sample_index(stream, int(i - e.begin + 1)))]);
  EXPECT_EQ(find_direction(data, with_baseline()).verdict.kind, Verdict::Kind::no_link);
}

Dataset swapped(Dataset data) {
  std::swap(data.variables[0], data.variables[1]);
  std::swap(data.columns[0], data.columns[1]);
  return data;
}

TEST(Direction, SwappingTheColumnsMirrorsEveryBit) {
  for (ShiftKind kind : {ShiftKind::cause, ShiftKind::effect, ShiftKind::none}) {
    const Dataset data = categorical(kind, 3, 200, 50, 4, 9);
    const auto one = find_direction(data, with_baseline());
    const auto other = find_direction(swapped(data), with_baseline());
    EXPECT_EQ(one.belief[0], other.belief[1]);
    EXPECT_EQ(one.belief[1], other.belief[0]);
    EXPECT_EQ(one.belief[2], other.belief[2]);
    EXPECT_EQ(one.leave_one_out, other.leave_one_out_mirrored);
    for (std::size_t e = 0; e < one.environments.size(); ++e) {
      EXPECT_EQ(one.environments[e].log_odds, -other.environments[e].log_odds);
      EXPECT_EQ(one.environments[e].changed[0], other.environments[e].changed[1]);
    }
  }
}

TEST(Direction, RelabellingLevelsAndReorderingRowsChangesNothing) {
  Dataset data = categorical(ShiftKind::mechanism, 4, 300, 60, 3, 11);
  const auto before = find_direction(data, with_baseline());
  for (auto& level : data.columns[0].levels) level = 3 - level;
  const auto relabelled = find_direction(data, with_baseline());
  for (const Environment& e : data.environments)
    for (Column& column : data.columns)
      std::reverse(column.levels.begin() + std::ptrdiff_t(e.begin),
                   column.levels.begin() + std::ptrdiff_t(e.end));
  const auto reordered = find_direction(data, with_baseline());
  for (std::size_t s = 0; s < structures; ++s) {
    EXPECT_NEAR(before.belief[s], relabelled.belief[s], 1e-12);
    EXPECT_NEAR(relabelled.belief[s], reordered.belief[s], 1e-9);
  }
}

TEST(Direction, SameBitsForAnyNumberOfThreads) {
  const Dataset data = categorical(ShiftKind::row, 4, 300, 60, 6, 12);
  DirectionOptions options = with_baseline();
  const auto one = find_direction(data, options);
  for (int threads : {2, 3, 7}) {
    const auto many = find_direction(data, options, {.threads = threads});
    EXPECT_EQ(one.belief, many.belief);
    EXPECT_EQ(one.leave_one_out, many.leave_one_out);
    for (std::size_t i = 0; i < one.prior_sensitivity.size(); ++i)
      EXPECT_EQ(one.prior_sensitivity[i].belief, many.prior_sensitivity[i].belief);
  }
}

/// y = f(x) + noise; the cause's location or the effect's offset shifts.
Dataset real_pair(bool curved, double cause, double effect, std::size_t environments,
                  std::size_t rows, std::uint32_t run) {
  Stream stream(21, Purpose::tests, {run, 0, 0});
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1}, {"y", Variable::Kind::real, 0, 1}};
  data.columns.resize(2);
  std::size_t at = 0;
  for (std::size_t e = 0; e <= environments; ++e) {
    const double sign = e % 2 ? 1 : -1;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = sample_normal(stream) + (e ? sign * cause : 0);
      const double y = (curved ? 2 * std::sin(x) : x) + 0.5 * sample_normal(stream);
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(y + (e ? sign * effect : 0));
    }
    data.environments.push_back({"e" + std::to_string(e), at, at + rows});
    at += rows;
  }
  return data;
}

TEST(Direction, RealColumnsUseTheModelThatFits) {
  const auto gaussian = find_direction(real_pair(false, 1, 0, 6, 200, 1), with_baseline());
  EXPECT_EQ(gaussian.model, DirectionModel::gaussian);
  EXPECT_EQ(gaussian.verdict.from, 0) << in_words(gaussian);
  DirectionOptions nothing_hidden = with_baseline();
  nothing_hidden.prior.hidden = 0;
  const auto effect = find_direction(real_pair(false, 0, 1, 6, 200, 2), nothing_hidden);
  EXPECT_EQ(effect.verdict.from, 0) << in_words(effect);
  const auto curved = find_direction(real_pair(true, 1, 0, 10, 300, 3), with_baseline());
  EXPECT_EQ(curved.model, DirectionModel::labels) << name_of(curved.model_reason.code);
  EXPECT_EQ(curved.verdict.from, 0) << in_words(curved);
  const auto idle = find_direction(real_pair(true, 0, 0, 10, 300, 4), with_baseline());
  EXPECT_NE(idle.verdict.kind, Verdict::Kind::direction) << in_words(idle);
}

TEST(Direction, UnitsDoNotMatter) {
  Dataset data = real_pair(false, 1, 0, 4, 150, 5);
  const auto before = find_direction(data, with_baseline());
  for (double& x : data.columns[0].values) x = 1000 * x + 5;
  for (double& y : data.columns[1].values) y = -0.001 * y;
  const auto after = find_direction(data, with_baseline());
  for (std::size_t s = 0; s < structures; ++s) EXPECT_NEAR(before.belief[s], after.belief[s], 1e-9);
}

TEST(Direction, MixedKindsUseLabels) {
  Dataset data = real_pair(true, 1.2, 0, 8, 300, 6);
  Column& x = data.columns[0];
  for (double value : x.values) x.levels.push_back(value < -0.7 ? 0 : value < 0.7 ? 1 : 2);
  x.values.clear();
  data.variables[0].kind = Variable::Kind::categorical;
  data.variables[0].levels = 3;
  const auto result = find_direction(data, with_baseline());
  EXPECT_EQ(result.model, DirectionModel::labels);
  EXPECT_GT(result.belief[0], result.belief[1]) << in_words(result);
}

TEST(Direction, NeedsTwoColumnsAndAShift) {
  Dataset data = categorical(ShiftKind::none, 3, 100, 10, 1, 1);
  data.environments.pop_back();
  EXPECT_THROW(find_direction(data), Error);
  data.variables.pop_back();
  EXPECT_THROW(find_direction(data), Error);
}

}  // namespace
}  // namespace whence
