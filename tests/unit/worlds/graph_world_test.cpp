// Worlds on graphs: shapes, given tables, refusals, and the networks of categorical variables.
#include "whence/worlds/graph_world.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/statistics.hpp"
#include "whence/core/error.hpp"
#include "whence/worlds/embedded_network.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

std::string id_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

TEST(EmbeddedNetwork, OrthogonalMatricesAreOrthogonal) {
  Stream stream(1, Purpose::tests, {});
  for (const auto& [rows, columns] : {std::pair{48u, 4u}, {10u, 48u}, {48u, 96u}, {5u, 5u}}) {
    const auto m = draw_orthogonal(rows, columns, 2.5, stream);
    const bool tall = rows >= columns;
    const std::size_t count = tall ? columns : rows;
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) {
        double dot = 0;
        for (std::size_t k = 0; k < (tall ? rows : columns); ++k)
          dot += tall ? m[k * columns + a] * m[k * columns + b]
                      : m[a * columns + k] * m[b * columns + k];
        EXPECT_NEAR(dot, a == b ? 6.25 : 0, 1e-12);
      }
  }
}

TEST(EmbeddedNetwork, RowsAreDistributionsThatListenToEveryParent) {
  Stream stream(2, Purpose::tests, {});
  const std::vector<int> parents = {3, 4};
  const EmbeddedNetwork net = EmbeddedNetwork::draw(parents, 6, stream);
  std::vector<double> base(6), other(6);
  net.cumulative(std::vector<std::int32_t>{0, 0}, base);
  EXPECT_DOUBLE_EQ(base[5], 1);
  for (std::size_t k = 1; k < 6; ++k) EXPECT_GE(base[k], base[k - 1]);
  for (const auto& states : {std::vector<std::int32_t>{1, 0}, {0, 1}, {2, 3}}) {
    net.cumulative(states, other);
    EXPECT_NE(base, other);
  }
}

TEST(GraphWorld, TheSameSeedGivesTheSameDataAndAnotherSeedOther) {
  GraphWorldSpec spec{draw_named_graph("er:6:8", Stream(1, Purpose::world, {1}))};
  for (GraphMechanism mechanism : all_graph_mechanisms) {
    spec.mechanism = mechanism;
    spec.drift = is_node_mechanism(mechanism) ? 0.2 : 0;
    spec.hidden = 1;
    spec.typos = mechanism == GraphMechanism::categorical ? 0 : 1;
    spec.noise_rows = 0.05;
    const auto a = simulate_graph(spec, 1), b = simulate_graph(spec, 1),
               c = simulate_graph(spec, 2);
    for (std::size_t v = 0; v < 6; ++v) {
      EXPECT_EQ(a.data.columns[v].values, b.data.columns[v].values);
      EXPECT_EQ(a.data.columns[v].levels, b.data.columns[v].levels);
      EXPECT_TRUE(a.data.columns[v].values != c.data.columns[v].values ||
                  a.data.columns[v].levels != c.data.columns[v].levels)
          << name_of(mechanism);
    }
    EXPECT_EQ(a.data.rows(), 100u + 20 * 10);
    EXPECT_EQ(a.truth.targets[1], std::vector<std::size_t>{0});
    EXPECT_EQ(a.truth.targets[7], std::vector<std::size_t>{0});
    EXPECT_TRUE(a.truth.targets[0].empty());
    EXPECT_EQ(a.truth.names[5], "X5");
  }
}

TEST(GraphWorld, GivenTablesAreFollowed) {
  GraphWorldSpec spec{read_graph("0->1")};
  spec.mechanism = GraphMechanism::categorical;
  spec.variables = {{"rain", Variable::Kind::categorical, 2, 1, {"no", "yes"}},
                    {"wet", Variable::Kind::categorical, 3, 1, {"dry", "damp", "wet"}}};
  const auto logs = [](std::vector<double> p) {
    for (double& x : p) x = std::log(x);
    return p;
  };
  spec.tables = {{2, logs({.7, .3})}, {3, logs({.8, .1, .1, .1, .3, .6})}};
  spec.shift = GraphShift::soft;
  spec.environments = 2;
  spec.baseline_rows = spec.rows = 50000;
  const auto s = simulate_graph(spec, 1);
  const auto counts = [&](std::size_t e) {
    std::vector<std::size_t> n(6, 0);
    for (std::size_t r = s.data.environments[e].begin; r < s.data.environments[e].end; ++r)
      ++n[std::size_t(s.data.columns[0].levels[r] * 3 + s.data.columns[1].levels[r])];
    return n;
  };
  const std::vector<double> joint = {.56, .07, .07, .03, .09, .18};
  EXPECT_GT(support::counts_p_value(counts(0), joint), support::alpha);
  EXPECT_LT(support::counts_p_value(counts(1), joint), support::alpha) << "rain redrawn";
  EXPECT_LT(support::counts_p_value(counts(2), joint), support::alpha) << "wet redrawn";
}

TEST(GraphWorld, RefusesWhatItCannotSimulate) {
  const auto simulate = [](auto change) {
    GraphWorldSpec spec{read_graph("chain3")};
    change(spec);
    return id_of([&] { simulate_graph(spec, 0); });
  };
  EXPECT_EQ(simulate([](GraphWorldSpec&) {}), "none");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.graph.set_edge(VariableId(2), VariableId(0)); }),
            "E-WORLD-CYCLE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) {
              s.mechanism = GraphMechanism::categorical;
              s.shift = GraphShift::weak;
            }),
            "E-CONFIG-CHOICE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.hidden = 2; }), "E-WORLD-SHAPE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.drift = 0.1; }), "E-CONFIG-CHOICE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.noise_rows = 1.5; }), "E-CONFIG-RANGE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.typos = 100'000; }), "E-WORLD-SHAPE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) {
              s.mechanism = GraphMechanism::sine;
              s.shift = GraphShift::weak;
            }),
            "E-CONFIG-CHOICE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.variables.resize(2); }), "E-WORLD-SHAPE");
  EXPECT_EQ(simulate([](GraphWorldSpec& s) { s.graph = Graph(0); }), "E-WORLD-SHAPE");
}

TEST(GraphWorld, RandomGraphTextsAreChecked) {
  const Stream stream(0, Purpose::tests, {});
  for (const char* text : {"er:20", "er:20:40:1", "er:x:4", "er:20:191", "sf:5:5", "sf:1:1",
                           "sf:5:0", "er:20:-1", "er::", "wheel5"})
    EXPECT_EQ(id_of([&] { draw_named_graph(text, stream); }), "E-GRAPH-SYNTAX") << text;
  EXPECT_EQ(draw_named_graph("jungle12", stream), read_graph("jungle12"));
}

}  // namespace
}  // namespace whence
