// What a linear answer must not state alone: directions without a shift, links that something
// hidden explains as well, and changes that are drift.
#include "whence/discover/limits/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

struct World {
  bool shifts = true, hidden = false;
  double drift = 0;
};

/// a -> b -> c by lines, each set once where there are shifts; d stands apart, or shares a hidden
/// cause with c.
Dataset linear_data(const World& world, std::uint32_t run) {
  Stream stream(43, Purpose::tests, {run, 0, 0});
  std::vector<std::vector<double>> columns(4);
  std::vector<int> labels;
  for (std::size_t e = 0; e < 5; ++e) {
    double offset[4] = {};
    for (double& x : offset) x = e == 0 ? 0 : world.drift * sample_normal(stream);
    for (std::size_t r = 0; r < (e == 0 ? 1000 : 300); ++r) {
      const auto value = [&](std::size_t v, double usual) {
        const bool set = world.shifts && e == v + 1;
        return set ? 2 + sample_normal(stream) : usual + sample_normal(stream) + offset[v];
      };
      const double behind = world.hidden ? 1.5 * sample_normal(stream) : 0;
      const double a = value(0, 0), b = value(1, a), c = value(2, b + behind), d = value(3, behind);
      const double row[] = {a, b, c, d};
      for (std::size_t v = 0; v < 4; ++v) columns[v].push_back(row[v]);
      labels.push_back(int(e));
    }
  }
  return Dataset::from_columns({DataColumn("a", columns[0]), DataColumn("b", columns[1]),
                                DataColumn("c", columns[2]), DataColumn("d", columns[3])},
                               labels);
}

GraphResult found(const World& world, std::uint32_t run) {
  GraphOptions options;
  options.baseline = 0;
  return find_graph(linear_data(world, run), options);
}

double surest(const GraphResult& result) {
  double most = 0;
  for (double p : result.edges.values) most = std::max(most, p);
  return most;
}

TEST(SecondOpinion, CleanLinesKeepTheirAnswer) {
  const GraphResult result = found({}, 1);
  EXPECT_EQ(result.model, GraphModel::linear);
  EXPECT_GT(result.edges.at(0, 1), 0.99);
  EXPECT_GT(result.edges.at(1, 2), 0.99);
  for (std::size_t e = 1; e < 5; ++e) EXPECT_GT(result.environments[e].changed[e - 1], 0.99) << e;
}

TEST(SecondOpinion, FewRowsSayHowStrongALinkMustBe) {
  EXPECT_FALSE(has(found({}, 1).remarks, RemarkCode::weak_links_unseen));
  Dataset few = linear_data({}, 1);
  for (Column& column : few.columns) column.values.resize(40);
  few.environments = {{"a", 0, 20}, {"b", 20, 40}};
  const GraphResult result = find_graph(few);
  const auto at = std::find_if(result.remarks.begin(), result.remarks.end(), [](const Remark& r) {
    return r.code == RemarkCode::weak_links_unseen;
  });
  ASSERT_NE(at, result.remarks.end());
  EXPECT_GT(at->numbers[0], 0.3);
  EXPECT_LT(at->numbers[0], 0.8);
}

TEST(SecondOpinion, NoDirectionIsSureWithoutAShift) {
  const GraphResult result = found({false}, 2);
  EXPECT_GT(surest(result), 0.4);
  EXPECT_LE(surest(result), 0.95);
}

/// Answers of both engines to data in which a acts on b, with the changes that lines find.
struct TwoAnswers {
  GraphResult lines, labels;
};
TwoAnswers that_differ(double changed_b) {
  TwoAnswers both;
  both.lines.variables = {"a", "b"};
  both.lines.graph = Graph(2);
  both.lines.edges = both.lines.hidden = both.lines.shift_only = EdgeMatrix(2);
  both.lines.environments.resize(2);
  both.lines.environments[0].changed = {0, 0};
  both.lines.environments[1].changed = {1, changed_b};
  both.labels = both.lines;
  both.lines.edges.at(0, 1) = 1;
  both.labels.hidden.at(0, 1) = both.labels.hidden.at(1, 0) = 1;
  return both;
}

TEST(SecondOpinion, AHiddenLinkNeedsASignByLines) {
  TwoAnswers followed = that_differ(0), together = that_differ(1);
  EXPECT_FALSE(denies_much(followed.labels, followed.lines, false));
  EXPECT_TRUE(denies_much(together.labels, together.lines, false));
  EXPECT_TRUE(denies_much(followed.labels, followed.lines, true));
  const Dataset data = linear_data({}, 1);
  temper(followed.lines, followed.labels, data);
  temper(together.lines, together.labels, data);
  EXPECT_DOUBLE_EQ(followed.lines.edges.at(0, 1), 0.9);  // not confirmed, but not denied
  EXPECT_LT(together.lines.edges.at(0, 1), 0.5);
  EXPECT_GT(together.lines.hidden.at(0, 1), 0.5);
}

/// a -> b -> c and d -> c by lines, in data where d has another mean in the second environment and
/// other noise in the third: lines call both a change, labels agree as far as they do.
TwoAnswers on_moves(double offset_confirmed, double spread_confirmed, Dataset& data) {
  data = linear_data({false}, 8);
  TwoAnswers both;
  GraphResult& lines = both.lines;
  lines.variables = {"a", "b", "c", "d"};
  lines.graph = Graph(4);
  lines.edges = lines.hidden = lines.shift_only = EdgeMatrix(4);
  for (const Environment& here : data.environments) {
    GraphEnvironment& environment = lines.environments.emplace_back();
    environment.rows = here.rows();
    environment.baseline = lines.environments.size() == 1;
    environment.changed.assign(4, 0.0);
  }
  const Environment moved = data.environments[1], spread = data.environments[2];
  for (std::size_t r = moved.begin; r < moved.end; ++r) data.columns[3].values[r] += 1;
  for (std::size_t r = spread.begin; r < spread.end; ++r) data.columns[3].values[r] *= 2;
  lines.environments[1].changed[3] = lines.environments[2].changed[3] = 1;
  both.labels = lines;
  lines.edges.at(0, 1) = lines.edges.at(1, 2) = 1;
  lines.edges.at(3, 2) = 0.8;
  both.labels.edges.at(0, 1) = 0.95;
  both.labels.edges.at(1, 2) = 0.75;
  both.labels.environments[1].changed[3] = offset_confirmed;
  both.labels.environments[2].changed[3] = spread_confirmed;
  return both;
}

TEST(SecondOpinion, MovesThatLabelsDoNotSeeAreDriftUnlessNoiseChanged) {
  Dataset data;
  TwoAnswers denied = on_moves(0.1, 0.1, data);
  temper(denied.lines, denied.labels, data);
  EXPECT_DOUBLE_EQ(denied.lines.environments[1].changed[3], 0.1);
  EXPECT_DOUBLE_EQ(denied.lines.environments[1].none_changed, 0.9);
  EXPECT_GT(denied.lines.environments[2].changed[3], 0.8);
  EXPECT_LT(denied.lines.environments[2].changed[3], 0.9);
  EXPECT_EQ(denied.lines.edges.at(0, 1), 1);           // confirmed
  EXPECT_DOUBLE_EQ(denied.lines.edges.at(1, 2), 0.9);  // its direction is not
  EXPECT_LT(denied.lines.edges.at(3, 2), 0.5);         // labels have no such link
  EXPECT_GT(denied.lines.edges.at(3, 2), 0.3);

  TwoAnswers noise = on_moves(0.99, 0.1, data);  // no drift: labels see less of noise
  temper(noise.lines, noise.labels, data);
  EXPECT_DOUBLE_EQ(noise.lines.environments[1].changed[3], 0.99);
  EXPECT_EQ(noise.lines.edges.at(1, 2), 1);
  EXPECT_DOUBLE_EQ(noise.lines.edges.at(3, 2), 0.8);
}

TEST(SecondOpinion, IsAskedWhereOneMechanismChangesAgainAndAgain) {
  Dataset data;
  GraphResult often = on_moves(1, 1, data).lines, seldom = often;
  EXPECT_FALSE(calls_for_second_opinion(seldom, data));
  often.environments[3].changed[3] = 1;
  EXPECT_TRUE(calls_for_second_opinion(often, data));
}

TEST(SecondOpinion, SmallChangesAreToldFromLargeOnes) {
  // d alone is off in every environment, by little or by much.
  for (const double offset : {0.3, 1.0}) {
    Dataset data = linear_data({false}, 8);
    GraphResult lines;
    lines.variables = {"a", "b", "c", "d"};
    lines.graph = Graph(4);
    for (std::size_t e = 0; e < 5; ++e) {
      const Environment& here = data.environments[e];
      GraphEnvironment& environment = lines.environments.emplace_back();
      environment.rows = here.rows();
      environment.baseline = e == 0;
      environment.changed.assign(4, 0.0);
      if (e == 0) continue;
      environment.changed[3] = 1;
      for (std::size_t r = here.begin; r < here.end; ++r) data.columns[3].values[r] += offset;
    }
    EXPECT_EQ(small_changes_abound(lines, data), offset < 0.5) << offset;
  }
}

TEST(SecondOpinion, SeveralVariancesSetAnewAreNoDrift) {
  // A chain of six; in each environment two mechanisms hear nothing and get another variance.
  Stream stream(45, Purpose::tests, {0, 0, 0});
  std::vector<std::vector<double>> columns(6);
  std::vector<int> labels;
  const std::size_t targets[5][2] = {{6, 6}, {0, 1}, {2, 4}, {3, 5}, {1, 3}};
  for (std::size_t e = 0; e < 5; ++e)
    for (std::size_t r = 0; r < (e == 0 ? 1000 : 200); ++r) {
      double before = 0;
      for (std::size_t v = 0; v < 6; ++v) {
        const bool set = v == targets[e][0] || v == targets[e][1];
        before = set ? 1.6 * sample_normal(stream) : 0.8 * before + 0.8 * sample_normal(stream);
        columns[v].push_back(before);
      }
      labels.push_back(int(e));
    }
  std::vector<DataColumn> named;
  for (std::size_t v = 0; v < 6; ++v) named.emplace_back("x" + std::to_string(v), columns[v]);
  GraphOptions options;
  options.baseline = 0;
  const GraphResult result = find_graph(Dataset::from_columns(named, labels), options);
  EXPECT_EQ(result.model, GraphModel::linear);
  // The first two changed together only: that may be something hidden.
  for (std::size_t v = 1; v + 1 < 6; ++v) EXPECT_GT(result.edges.at(v, v + 1), 0.8) << v;
}

/// An answer by lines in which everything changed in some of eight environments.
GraphResult all_changed_in(std::size_t environments) {
  GraphResult result;
  result.model = GraphModel::linear;
  result.variables = {"a", "b", "c", "d"};
  result.edges = EdgeMatrix(4);
  for (std::size_t e = 0; e < 9; ++e) {
    GraphEnvironment& environment = result.environments.emplace_back();
    environment.rows = 300;
    environment.baseline = e == 0;
    environment.changed.assign(4, 0.0);
    environment.all_changed = e > 0 && e <= environments ? 1 : 0;
  }
  return result;
}

TEST(SecondOpinion, IsAskedWhereEverythingSeemsToChangeInFewEnvironments) {
  const Dataset data = linear_data({}, 1);
  EXPECT_FALSE(calls_for_second_opinion(all_changed_in(0), data));
  EXPECT_TRUE(calls_for_second_opinion(all_changed_in(1), data));
  EXPECT_TRUE(calls_for_second_opinion(all_changed_in(2), data));
  EXPECT_FALSE(calls_for_second_opinion(all_changed_in(4), data));
  GraphResult small = all_changed_in(1);
  for (GraphEnvironment& environment : small.environments) environment.rows = 20;
  EXPECT_FALSE(calls_for_second_opinion(small, data));
}

TEST(SecondOpinion, SomethingHiddenIsNoSureCause) {
  for (std::uint32_t run = 3; run < 6; ++run) {
    const GraphResult result = found({true, true}, run);
    EXPECT_LE(result.edges.at(2, 3), 0.95) << run;
    EXPECT_LE(result.edges.at(3, 2), 0.95) << run;
    EXPECT_GT(result.edges.at(0, 1), 0.9) << run;
  }
}

TEST(SecondOpinion, DriftIsNoChange) {
  const GraphResult result = found({false, false, 0.3}, 7);
  EXPECT_EQ(result.model, GraphModel::labels);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      if (!(i == 0 && j == 1) && !(i == 1 && j == 2)) {
        EXPECT_LE(result.edges.at(i, j), 0.95) << i << " " << j;
      }
  // Drift is drawn anew for each mechanism and environment: one draw of sixteen may be large.
  int stated = 0;
  for (const GraphEnvironment& environment : result.environments)
    for (double p : environment.changed) stated += p > 0.95 ? 1 : 0;
  EXPECT_LE(stated, 1);
}

/// Two columns, a -> b by lines with these probabilities; both changed once.
GraphResult two_columns(double forward, double hidden, double changed, std::size_t baseline = 200) {
  GraphResult result;
  result.variables = {"a", "b"};
  result.edges = EdgeMatrix(2);
  result.edges.at(0, 1) = forward;
  result.hidden = EdgeMatrix(2);
  result.hidden.at(0, 1) = result.hidden.at(1, 0) = hidden;
  result.environments.resize(2);
  result.environments[0].rows = baseline;
  result.environments[0].baseline = true;
  result.environments[1].rows = 60;
  result.environments[0].changed = {0, 0};
  result.environments[1].changed = {changed, 0};
  result.findings = edges_worth_showing(result.edges);
  return result;
}

TEST(SecondOpinion, WithFewRowsLinesAreNotChecked) {
  const auto unchecked = [](std::size_t baseline, std::size_t variables, std::size_t shifted = 60,
                            std::size_t environments = 2) {
    GraphResult result = two_columns(1, 0, 1, baseline);
    result.environments[1].rows = shifted;
    result.environments.resize(environments + 1, result.environments[1]);
    return lines_are_unchecked(result, variables);
  };
  EXPECT_TRUE(unchecked(200, 10));
  EXPECT_FALSE(unchecked(rows_that_check, 10));
  EXPECT_FALSE(unchecked(50, 10));  // labels say nothing either
  EXPECT_FALSE(unchecked(200, 10, 30));
  EXPECT_FALSE(unchecked(200, 10, 60, 1));
  EXPECT_FALSE(unchecked(200, 100));  // they would take too long
}

TEST(SecondOpinion, TwoAnswersKeepWhatBothHave) {
  GraphResult same = two_columns(0.99, 0, 0.99), hidden = same, none = same;
  join(same, two_columns(0.7, 0.3, 0.6));
  EXPECT_EQ(same.edges.at(0, 1), 0.99);
  EXPECT_EQ(same.environments[1].changed[0], 0.99);
  join(hidden, two_columns(0.02, 0.98, 0.2));
  EXPECT_EQ(hidden.edges.at(0, 1), 0.02);
  EXPECT_EQ(hidden.hidden.at(0, 1), 0.9);
  EXPECT_EQ(hidden.environments[1].changed[0], 0.2);
  join(none, two_columns(0.1, 0.05, 0.1));
  EXPECT_EQ(none.edges.at(0, 1), 0.1);
  GraphResult open = two_columns(0.99, 0, 0.99);
  join(open, two_columns(0.42, 0.53, 0.99));
  EXPECT_EQ(open.edges.at(0, 1), 0.9);
  GraphResult unseen = two_columns(0.1, 0, 0.1);
  join(unseen, two_columns(0.99, 0, 0.99));
  EXPECT_EQ(unseen.edges.at(0, 1), 0.9);
  EXPECT_EQ(unseen.environments[1].changed[0], 0.9);
}

TEST(SecondOpinion, FewRowsAreReadByBoth) {
  Dataset data = linear_data({}, 1);
  Dataset few = data;  // 300 rows of the baseline, 100 of each other environment
  for (std::size_t v = 0; v < 4; ++v) {
    few.columns[v].values.clear();
    for (const Environment& e : data.environments)
      for (std::size_t r = 0; r < e.rows() * 3 / (e.rows() == 1000 ? 10 : 9); ++r)
        few.columns[v].values.push_back(data.columns[v].values[e.begin + r]);
  }
  std::size_t at = 0;
  for (Environment& e : few.environments) {
    const std::size_t rows = e.rows() * 3 / (e.rows() == 1000 ? 10 : 9);
    e.begin = at;
    e.end = at += rows;
  }
  GraphOptions options;
  options.baseline = 0;
  const GraphResult result = find_graph(few, options);
  EXPECT_EQ(result.model, GraphModel::linear);
  EXPECT_TRUE(has(result.remarks, RemarkCode::compared_with_labels));
  EXPECT_GT(result.edges.at(0, 1), 0.95);
  EXPECT_GT(result.edges.at(1, 2), 0.95);
  EXPECT_FALSE(has(find_graph(data, options).remarks, RemarkCode::compared_with_labels));
}

TEST(SecondOpinion, WhatIsKnownOfChangesIsNoQuestion) {
  const Dataset data = linear_data({}, 1);
  const std::size_t environments = data.environments.size();
  GraphOptions options;
  options.baseline = 0;
  options.known.assign(4 * environments, KnownChange::unknown);
  options.known[0 * environments + 1] = KnownChange::unchanged;  // a was set there all the same
  options.known[3 * environments + 1] = KnownChange::changed;    // d was not
  for (const GraphModel model : {GraphModel::automatic, GraphModel::labels}) {
    options.model = model;
    const GraphResult result = find_graph(data, options);
    EXPECT_NEAR(result.environments[1].changed[0], 0, 1e-9) << int(model);
    EXPECT_NEAR(result.environments[1].changed[3], 1, 1e-9) << int(model);
  }
}

}  // namespace
}  // namespace whence
