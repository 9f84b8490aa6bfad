// What one row, or a hundredth of the rows, may do to a direction, with every model: it turns no
// direction round surely, and where nothing shifted it makes none.
#include <functional>

#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/graph/graph_models.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

constexpr std::size_t rows_each = 150, environments = 5;
enum class Shifted { nothing, cause_and_effect };

/// x moves in the second and the third environment, what y does with it in the last two.
Dataset pair_of_numbers(Shifted shifted) {
  Stream stream(81, Purpose::tests, {std::uint32_t(shifted), 0, 0});
  const double step = shifted == Shifted::nothing ? 0 : 2;
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1, {}}, {"y", Variable::Kind::real, 0, 1, {}}};
  data.columns.resize(2);
  for (std::size_t r = 0; r < environments * rows_each; ++r) {
    const std::size_t e = r / rows_each;
    const double x = sample_normal(stream) + (e == 1 ? step : e == 2 ? -step : 0);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back(2 * x + 0.5 * sample_normal(stream) +
                                     (e == 3   ? 2 * step
                                      : e == 4 ? -2 * step
                                               : 0));
  }
  for (std::size_t e = 0; e < environments; ++e)
    data.environments.push_back({"e" + std::to_string(e), e * rows_each, (e + 1) * rows_each});
  return data;
}

/// The same with three levels each.
Dataset pair_of_levels(Shifted shifted) {
  Stream stream(82, Purpose::tests, {std::uint32_t(shifted), 0, 0});
  const bool still = shifted == Shifted::nothing;
  Dataset data;
  for (const char* name : {"x", "y"})
    data.variables.push_back({name, Variable::Kind::categorical, 3, 1, {"0", "1", "2"}});
  data.columns.resize(2);
  for (std::size_t r = 0; r < environments * rows_each; ++r) {
    const std::size_t e = still ? 0 : r / rows_each;
    const double u = stream.uniform();
    const bool moved = e == 1 || e == 2;
    const int x = u < (moved ? 0.1 : 0.5) ? 0 : u < (moved ? 0.3 : 0.8) ? 1 : 2;
    const bool follows = stream.uniform() < 0.8;
    data.columns[0].levels.push_back(x);
    data.columns[1].levels.push_back(follows ? (x + (e > 2 ? 1 : 0)) % 3 : sample_index(stream, 3));
  }
  for (std::size_t e = 0; e < environments; ++e)
    data.environments.push_back({"e" + std::to_string(e), e * rows_each, (e + 1) * rows_each});
  return data;
}

/// One cell as a slip of the hand leaves it.
void mistype(Dataset& data, Stream& stream) {
  const auto row = std::size_t(sample_index(stream, int(data.rows())));
  Column& column = data.columns[std::size_t(sample_index(stream, 2))];
  if (!column.levels.empty()) {
    column.levels[row] = sample_index(stream, 3);
    return;
  }
  double& x = column.values[row];
  switch (sample_index(stream, 5)) {
    case 0: x *= 10; break;
    case 1: x = -x; break;
    case 2: x += 100; break;
    case 3: x = column.values[std::size_t(sample_index(stream, int(data.rows())))]; break;
    default: x = 12 * stream.uniform() - 6;
  }
}

/// What is believed of x -> y and of y -> x.
using Ask = std::function<std::array<double, 2>(const Dataset&)>;

/// Every third edit is of a hundredth of the rows, the others of one. Labels need more rows than
/// these to be sure; wrong they must not be.
void expect_little_influence(const std::string& model, Dataset (*make)(Shifted), const Ask& ask,
                             int most_edits) {
  const Dataset shifted = make(Shifted::cause_and_effect), still = make(Shifted::nothing);
  if (model != "labels") {
    ASSERT_GT(ask(shifted)[0], decided_belief) << model;
  }
  Stream stream(83, Purpose::tests, {0, 0, 0});
  const int edits = std::max(3, int(support::effort(std::uint64_t(most_edits))));
  for (int k = 0; k < edits; ++k) {
    Dataset turned = shifted, made = still;
    const std::size_t cells = k % 3 == 0 ? shifted.rows() / 100 : 1;
    for (std::size_t i = 0; i < cells; ++i) mistype(turned, stream), mistype(made, stream);
    EXPECT_LT(ask(turned)[1], decided_belief) << model << " " << k;
    const auto [forward, backward] = ask(made);
    EXPECT_LT(std::max(forward, backward), decided_belief) << model << " " << k;
  }
}

TEST(Influence, OfFewRowsOnEveryModelOfDiscover) {
  std::size_t models = 0;
  for (const ModelEntry& model : graph_models()) {
    GraphOptions options;
    options.baseline = 0;
    options.model = model.id;
    const auto ask = [&](const Dataset& data) -> std::array<double, 2> {
      const GraphResult found = find_graph(data, options);
      return {found.edges.at(0, 1), found.edges.at(1, 0)};
    };
    const bool levels = model.id == GraphModel::categorical;
    const bool slow = model.id == GraphModel::labels;
    expect_little_influence(std::string(model.name), levels ? pair_of_levels : pair_of_numbers, ask,
                            slow ? 3 : 15);
    ++models;
  }
  EXPECT_EQ(models, 3u);  // a new one says here which data are its own
}

TEST(FindGraphByLabels, NothingIsSureOfTwoColumnsThatDifferEverywhere) {
  // Turned round, this pair has two changes in every environment, which labels took for drift.
  GraphOptions options;
  options.baseline = 0;
  options.model = GraphModel::labels;
  const GraphResult found = find_graph(pair_of_levels(Shifted::cause_and_effect), options);
  EXPECT_LT(found.edges.at(1, 0), decided_belief);
}

TEST(Influence, OfFewRowsOnEveryModelOfDirection) {
  for (const DirectionModel model :
       {DirectionModel::gaussian, DirectionModel::categorical, DirectionModel::labels}) {
    DirectionOptions options;
    options.baseline = 0;
    options.model = model;
    options.sensitivity = false;
    const auto ask = [&](const Dataset& data) -> std::array<double, 2> {
      const DirectionResult found = find_direction(data, options);
      return {found.belief[0], found.belief[1]};
    };
    const bool levels = model == DirectionModel::categorical;
    expect_little_influence(std::string(name_of(model)), levels ? pair_of_levels : pair_of_numbers,
                            ask, model == DirectionModel::labels ? 3 : 15);
  }
}

}  // namespace
}  // namespace whence
