// Distances between graphs against their definitions, and areas under curves against counting.
#include "whence/judge/graph_metrics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// A random acyclic graph whose edges follow a random order.
Graph random_graph(std::size_t m, double p, std::uint32_t run) {
  Stream stream(11, Purpose::tests, {run});
  std::vector<double> key(m);
  for (double& k : key) k = stream.uniform();
  Graph graph(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (key[i] < key[j] && stream.uniform() < p) graph.set_edge(VariableId(i), VariableId(j));
  return graph;
}

bool edge(const Graph& g, std::size_t a, std::size_t b) {
  return g.edge(VariableId(a), VariableId(b));
}

// ---- adjustment by listing every path ----

bool descends(const Graph& g, std::size_t from, std::size_t to) {
  if (from == to) return true;
  for (std::size_t v = 0; v < g.variables(); ++v)
    if (edge(g, from, v) && descends(g, v, to)) return true;
  return false;
}

struct PathList {
  const Graph& graph;
  std::vector<std::vector<std::size_t>> found;
  void extend(std::vector<std::size_t>& path, std::size_t end) {
    if (path.back() == end) return found.push_back(path);
    for (std::size_t v = 0; v < graph.variables(); ++v) {
      if (std::find(path.begin(), path.end(), v) != path.end()) continue;
      if (!edge(graph, path.back(), v) && !edge(graph, v, path.back())) continue;
      path.push_back(v);
      extend(path, end);
      path.pop_back();
    }
  }
};

bool is_directed(const Graph& g, const std::vector<std::size_t>& path) {
  for (std::size_t k = 0; k + 1 < path.size(); ++k)
    if (!edge(g, path[k], path[k + 1])) return false;
  return true;
}

bool is_open(const Graph& g, const std::vector<std::size_t>& path,
             const std::vector<std::size_t>& given) {
  for (std::size_t k = 1; k + 1 < path.size(); ++k) {
    const bool collider = edge(g, path[k - 1], path[k]) && edge(g, path[k + 1], path[k]);
    bool hit = false;
    for (std::size_t z : given) hit = hit || (collider ? descends(g, path[k], z) : path[k] == z);
    if (hit != collider) return false;
  }
  return true;
}

/// Peters and Buehlmann's definition, word by word.
std::size_t distance_by_paths(const Graph& found, const Graph& truth) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < truth.variables(); ++i) {
    std::vector<std::size_t> given;
    for (std::size_t p = 0; p < truth.variables(); ++p)
      if (edge(found, p, i)) given.push_back(p);
    for (std::size_t j = 0; j < truth.variables(); ++j) {
      if (i == j) continue;
      if (edge(found, j, i)) {
        wrong += descends(truth, i, j);
        continue;
      }
      PathList paths{truth, {}};
      std::vector<std::size_t> path = {i};
      paths.extend(path, j);
      bool valid = true;
      for (const auto& p : paths.found) {
        if (!is_directed(truth, p)) {
          valid = valid && !is_open(truth, p, given);
          continue;
        }
        for (std::size_t k = 1; k < p.size(); ++k)
          for (std::size_t z : given) valid = valid && !descends(truth, p[k], z);
      }
      wrong += !valid;
    }
  }
  return wrong;
}

TEST(InterventionDistance, EqualsTheDefinitionOnAllSmallGraphs) {
  const auto graphs = all_acyclic_graphs(3);
  for (const Graph& truth : graphs)
    for (const Graph& found : graphs)
      ASSERT_EQ(intervention_distance(found, truth), distance_by_paths(found, truth))
          << truth.to_string() << " / " << found.to_string();
}

TEST(InterventionDistance, EqualsTheDefinitionOnRandomGraphs) {
  for (std::uint32_t run = 0; run < 400; ++run) {
    const std::size_t m = 4 + run % 4;
    const Graph truth = random_graph(m, 0.3 + 0.1 * (run % 5), 2 * run);
    const Graph found = random_graph(m, 0.3 + 0.1 * (run % 3), 2 * run + 1);
    ASSERT_EQ(intervention_distance(found, truth), distance_by_paths(found, truth))
        << truth.to_string() << " / " << found.to_string();
    EXPECT_EQ(intervention_distance(truth, truth), 0u);
  }
}

// ---- adjustment by the effects it gives in linear models ----

struct LinearModel {
  std::vector<std::vector<double>> covariance, effect;  // effect[i][j]: of do(i) on j
};

/// Weights +-U(.5, 2), unit noise; the covariance is T' T with T the total effects.
LinearModel random_model(const Graph& graph, std::uint32_t run) {
  const std::size_t m = graph.variables();
  Stream stream(12, Purpose::tests, {run});
  std::vector<std::vector<double>> weight(m, std::vector<double>(m, 0));
  for (auto& row : weight)
    for (double& w : row) w = (stream.uniform() < .5 ? -1 : 1) * (.5 + 1.5 * stream.uniform());
  LinearModel model{{m, std::vector<double>(m, 0)}, {m, std::vector<double>(m, 0)}};
  for (std::size_t i = 0; i < m; ++i) model.effect[i][i] = 1;
  for (std::size_t round = 0; round < m; ++round)  // T = I + T W, m times
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<double> next(m, 0);
      next[i] = 1;
      for (std::size_t p = 0; p < m; ++p)
        for (std::size_t j = 0; j < m; ++j)
          if (edge(graph, p, j)) next[j] += model.effect[i][p] * weight[p][j];
      model.effect[i] = next;
    }
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      for (std::size_t k = 0; k < m; ++k)
        model.covariance[a][b] += model.effect[k][a] * model.effect[k][b];
  return model;
}

/// The first coefficient of the regression of `y` on `xs`, by elimination.
double first_coefficient(const LinearModel& model, const std::vector<std::size_t>& xs,
                         std::size_t y) {
  const std::size_t n = xs.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) a[r][c] = model.covariance[xs[r]][xs[c]];
    a[r][n] = model.covariance[xs[r]][y];
  }
  for (std::size_t k = n; k-- > 0;)  // upwards, so that row 0 keeps only its own unknown
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = a[r][k] / a[k][k];
      for (std::size_t c = 0; c <= n; ++c) a[r][c] -= factor * a[k][c];
    }
  return a[0][n] / a[0][0];
}

TEST(InterventionDistance, CountsTheWrongTotalEffectsOfLinearModels) {
  for (std::uint32_t run = 0; run < 60; ++run) {
    constexpr std::size_t m = 8;
    const Graph truth = random_graph(m, 0.35, 5000 + 2 * run);
    const Graph found = random_graph(m, 0.35, 5001 + 2 * run);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (i == j) continue;
        bool differs = false;  // for some of a few random weights
        for (std::uint32_t draw = 0; draw < 3; ++draw) {
          const LinearModel model = random_model(truth, 10 * run + draw);
          std::vector<std::size_t> xs = {i};
          for (std::size_t p = 0; p < m; ++p)
            if (edge(found, p, i)) xs.push_back(p);
          const double claimed = edge(found, j, i) ? 0 : first_coefficient(model, xs, j);
          differs = differs || std::fabs(claimed - model.effect[i][j]) > 1e-7;
        }
        wrong += differs;
      }
    EXPECT_EQ(intervention_distance(found, truth), wrong) << run;
  }
}

TEST(InterventionDistance, KnownValues) {
  const Graph chain = read_graph("0->1->2"), turned = read_graph("2->1->0"), empty(3);
  EXPECT_EQ(intervention_distance(chain, chain), 0u);
  EXPECT_EQ(intervention_distance(turned, chain), 6u);
  EXPECT_EQ(intervention_distance(empty, chain), 3u) << "the effects against the arrows";
  EXPECT_EQ(intervention_distance(chain, empty), 0u) << "too many parents do no harm here";
}

TEST(StructuralDistance, CountsEveryPairOnce) {
  const Graph truth = read_graph("0->1,1->2,2->3", 5), found = read_graph("1->0,1->2,0->4", 5);
  const StructuralDistance d = structural_distance(found, truth);
  EXPECT_EQ(d.missing, 1u);
  EXPECT_EQ(d.extra, 1u);
  EXPECT_EQ(d.reversed, 1u);
  EXPECT_EQ(d.total(), 3u);
  EXPECT_EQ(structural_distance(truth, found).total(), 3u);
  EXPECT_EQ(structural_distance(truth, truth).total(), 0u);
}

TEST(ExpectedDistance, AveragesWithWeights) {
  const Graph truth = read_graph("0->1->2");
  const std::vector<Graph> graphs = {truth, read_graph("2->1->0")};
  EXPECT_EQ(expected_distance(graphs, truth).structural, 1);
  EXPECT_EQ(expected_distance(graphs, truth).intervention, 3);
  const std::vector<double> weights = {3, 1};
  EXPECT_EQ(expected_distance(graphs, truth, weights).structural, 0.5);
  EXPECT_EQ(expected_distance(graphs, truth, weights).intervention, 1.5);
}

// ---- rankings ----

TEST(Ranking, AreasEqualCountingWithTies) {
  for (std::uint32_t run = 0; run < 50; ++run) {
    Stream stream(13, Purpose::tests, {run});
    Ranking r;
    for (int k = 0; k < 40; ++k) {
      r.scores.push_back(double(sample_index(stream, run % 2 == 0 ? 8 : 1000)));
      r.labels.push_back(stream.uniform() < 0.3);
    }
    double won = 0, pairs = 0, precision = 0, positives = 0;
    for (std::size_t a = 0; a < 40; ++a) {
      if (!r.labels[a]) continue;
      double above = 0, true_above = 0;
      for (std::size_t b = 0; b < 40; ++b) {
        if (!r.labels[b]) {
          ++pairs;
          won += r.scores[a] > r.scores[b] ? 1 : r.scores[a] == r.scores[b] ? .5 : 0;
        }
        above += r.scores[b] >= r.scores[a];
        true_above += r.scores[b] >= r.scores[a] && r.labels[b];
      }
      precision += true_above / above;
      ++positives;
    }
    EXPECT_NEAR(area_under_roc(r), won / pairs, 1e-12);
    EXPECT_NEAR(average_precision(r), precision / positives, 1e-12);
  }
}

TEST(Ranking, AConstantScoreKnowsNothing) {
  const Ranking r{{.5, .5, .5, .5}, {1, 0, 0, 0}};
  EXPECT_EQ(area_under_roc(r), 0.5);
  EXPECT_EQ(average_precision(r), 0.25);
  EXPECT_EQ(precision_recall_area(r), (1 + .25) / 2) << "why average precision is used";
  EXPECT_TRUE(std::isnan(area_under_roc({{1, 2}, {1, 1}})));
  EXPECT_TRUE(std::isnan(average_precision({{1, 2}, {0, 0}})));
}

TEST(Detection, PrecisionRecallAndTheirMean) {
  const Detection d = detections({{.9, .5, .4, .1}, {1, 0, 1, 0}});
  EXPECT_EQ(d.right, 1u);
  EXPECT_EQ(d.wrong, 1u);
  EXPECT_EQ(d.missed, 1u);
  EXPECT_EQ(d.f1(), 0.5);
  EXPECT_EQ(Detection().f1(), 1);
}

TEST(EdgeRanking, LeavesTheDiagonalOutAndCausesComeFirst) {
  EdgeMatrix p(2, 0);
  p.at(0, 1) = 0.9;
  p.at(0, 0) = 5;
  const Ranking r = edge_ranking(p, read_graph("0->1"));
  EXPECT_EQ(r.scores, (std::vector<double>{.9, 0}));
  EXPECT_EQ(r.labels, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_NEAR(cross_entropy_bits(p, read_graph("0->1"), 1e-9), -std::log2(.9) / 2, 1e-6);
  EXPECT_TRUE(std::isfinite(cross_entropy_bits(p, read_graph("1->0"), 1e-9)));
}

}  // namespace
}  // namespace whence
