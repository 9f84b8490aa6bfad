// Groups that were formed by what their rows hold: no sure arrow may rest on what a choice of rows
// would show as well.
#include "whence/discover/limits/selection_doubt.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

enum class Groups { by_effect, cause_moved, middle_moved, effect_moved };

/// z -> x -> y by lines. The second group is chosen by y, or one mechanism is moved in it.
Dataset grouped(Groups how, std::uint32_t run) {
  Stream stream(71, Purpose::tests, {run, std::uint32_t(how), 0});
  std::vector<std::vector<double>> columns(3);
  std::vector<int> labels;
  for (int e = 0; e < 2; ++e)
    for (int r = 0; r < 600;) {
      const auto moved = [&](Groups which) { return e == 1 && how == which ? 1.5 : 0.0; };
      const double z = sample_normal(stream) + moved(Groups::cause_moved);
      const double x = z + 0.7 * sample_normal(stream) + moved(Groups::middle_moved);
      const double y = x + 0.7 * sample_normal(stream) + moved(Groups::effect_moved);
      const bool chosen = y + 0.5 * sample_normal(stream) > 1;
      if (how == Groups::by_effect && chosen != (e == 1)) continue;
      const double row[] = {z, x, y};
      for (std::size_t v = 0; v < 3; ++v) columns[v].push_back(row[v]);
      labels.push_back(e);
      ++r;
    }
  return Dataset::from_columns(
      {DataColumn("z", columns[0]), DataColumn("x", columns[1]), DataColumn("y", columns[2])},
      labels);
}

GraphOptions doubting(GraphModel model = GraphModel::automatic) {
  GraphOptions options;
  options.baseline = 0;
  options.model = model;
  options.maybe_selected = true;
  return options;
}

TEST(SelectionDoubt, RowsChosenByAnEffectTurnNoArrowRoundSurely) {
  const Dataset data = grouped(Groups::by_effect, 1);
  for (const GraphModel model : {GraphModel::linear, GraphModel::labels}) {
    GraphOptions trusting = doubting(model);
    trusting.maybe_selected = false;
    const double trusted = find_graph(data, trusting).edges.at(2, 1);
    if (model == GraphModel::linear) {
      EXPECT_GT(trusted, highest_if_selected);
    }
    const GraphResult result = find_graph(data, doubting(model));
    EXPECT_LE(result.edges.at(2, 1), highest_if_selected) << name_of(model);
    // By labels one environment is not enough to begin with.
    EXPECT_EQ(has(result.remarks, RemarkCode::maybe_selected), model == GraphModel::linear)
        << name_of(model);
    EXPECT_NEAR(result.edges.at(2, 1) + result.edges.at(1, 2), 1, 0.05) << "they stay linked";
  }
}

TEST(SelectionDoubt, AnEffectThatChangesAloneIsNoSelection) {
  for (const GraphModel model : {GraphModel::linear, GraphModel::labels}) {
    GraphOptions trusting = doubting(model);
    trusting.maybe_selected = false;
    const Dataset data = grouped(Groups::effect_moved, 2);
    EXPECT_EQ(find_graph(data, doubting(model)).edges.values,
              find_graph(data, trusting).edges.values)
        << name_of(model);
  }
  // That something hidden joins the two is not excluded: x did not change.
  EXPECT_GT(find_graph(grouped(Groups::effect_moved, 2), doubting()).edges.at(1, 2),
            highest_if_selected);
}

TEST(SelectionDoubt, ACauseThatMovedAloneMayHaveBeenChosen) {
  const Dataset data = grouped(Groups::cause_moved, 3);
  const GraphResult result = find_graph(data, doubting());
  EXPECT_NEAR(result.edges.at(0, 1), highest_if_selected, 1e-9);
  GraphOptions known = doubting();
  known.known.assign(6, KnownChange::unknown);
  known.known[0 * 2 + 1] = KnownChange::changed;
  EXPECT_GT(find_graph(data, known).edges.at(0, 1), 0.95) << "a known target";
  GraphOptions required = doubting();
  required.knowledge.require(data, "z", "x");
  EXPECT_GT(find_graph(data, required).edges.at(0, 1), 0.95) << "a known edge";
}

TEST(SelectionDoubt, WhatMovedAgainstItsOwnCauseWasNotChosen) {
  // Rows chosen by x would have moved z as well: so x changed, and y followed it.
  const GraphResult result = find_graph(grouped(Groups::middle_moved, 4), doubting());
  EXPECT_GT(result.edges.at(0, 1), highest_if_selected);
  EXPECT_GT(result.edges.at(1, 2), 0.95);
  EXPECT_FALSE(has(result.remarks, RemarkCode::maybe_selected));
}

}  // namespace
}  // namespace whence
