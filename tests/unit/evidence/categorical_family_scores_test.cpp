// Evidence of categorical families: equivalence, the sum over changes, and data that is hardly any.
#include "whence/evidence/categorical/categorical_family_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/core/graph.hpp"
#include "whence/math/random.hpp"
#include "whence/math/special.hpp"

namespace whence {
namespace {

using Parents = std::vector<std::size_t>;

/// Variables in a row, each a noisy function of the two before it; environment e > 0 has variable
/// e % m replaced by noise of its own.
Dataset shifting_data(std::span<const int> levels, std::span<const std::size_t> rows,
                      std::uint64_t seed) {
  Dataset data;
  const std::size_t m = levels.size();
  for (std::size_t v = 0; v < m; ++v) {
    data.variables.push_back({"v" + std::to_string(v), Variable::Kind::categorical, levels[v]});
    data.columns.emplace_back();
  }
  Stream stream(seed, Purpose::tests, {});
  for (std::size_t e = 0, begin = 0; e < rows.size(); begin += rows[e++]) {
    data.environments.push_back({"e" + std::to_string(e), begin, begin + rows[e]});
    for (std::size_t r = 0; r < rows[e]; ++r)
      for (std::size_t v = 0; v < m; ++v) {
        auto& column = data.columns[v].levels;
        const double u = stream.uniform();
        int level = int(u * u * levels[v]);
        const bool replaced = e > 0 && e % m == v;
        if (!replaced && v > 0 && stream.uniform() < 0.7) {
          level = data.columns[v - 1].levels[column.size()];
          if (v > 1) level += data.columns[v - 2].levels[column.size()];
        }
        if (replaced) level = levels[v] - 1 - level;
        column.push_back(level % levels[v]);
      }
  }
  return data;
}

EnvironmentRegime sparse(std::size_t environments) {
  return {false, std::vector<EnvironmentState>(environments, EnvironmentState::sparse)};
}

double graph_score(const FamilyScorer& scorer, const Graph& graph,
                   const EnvironmentRegime& regime) {
  double sum = 0;
  for (const Family& family : graph.families()) {
    Parents parents;
    for (VariableId p : family.parents) parents.push_back(p.value);
    sum += scorer.log_score(family.child.value, parents, regime);
  }
  return sum;
}

const std::vector<int> mixed_levels = {3, 2, 4, 3};
const std::vector<std::size_t> few_rows = {120, 40, 30, 25};

TEST(CategoricalFamilyScorer, GraphsOfOneClassScoreAlikeWhenNothingChanged) {
  const Dataset data = shifting_data(mixed_levels, few_rows, 1);
  const CategoricalFamilyScorer scorer(data, {.ess = 7, .additive = false});
  EXPECT_TRUE(scorer.likelihood_equivalent());
  EnvironmentRegime quiet = sparse(4), redrawn = sparse(4);
  quiet.quiet = true;
  redrawn.states = {EnvironmentState::all_soft, EnvironmentState::all_soft,
                    EnvironmentState::all_hard, EnvironmentState::all_soft};
  for (const EnvironmentRegime& regime : {quiet, redrawn}) {
    const double chain = graph_score(scorer, read_graph("0->1->2->3"), regime);
    EXPECT_NEAR(graph_score(scorer, read_graph("3->2->1->0"), regime), chain, 1e-9);
    EXPECT_NEAR(graph_score(scorer, read_graph("1->0,1->2->3"), regime), chain, 1e-9);
    EXPECT_GT(std::abs(graph_score(scorer, read_graph("0->1,2->1,2->3"), regime) - chain), 1e-3);
    EXPECT_NEAR(graph_score(scorer, read_graph("3->{0-2},2->{0-1},1->0"), regime),
                graph_score(scorer, read_graph("0->{1-3},1->{2-3},2->3"), regime), 1e-9);
  }
}

/// BDeu of the rows of a set of environments, straight from its definition.
double literal_bdeu(const Dataset& data, std::size_t child, const Parents& parents,
                    const std::vector<std::size_t>& environments, double ess) {
  std::size_t configurations = 1;
  for (std::size_t p : parents) configurations *= std::size_t(data.variables[p].levels);
  const std::size_t levels = std::size_t(data.variables[child].levels);
  std::vector<double> cells(configurations * levels, 0.0);
  for (std::size_t e : environments)
    for (std::size_t r = data.environments[e].begin; r < data.environments[e].end; ++r) {
      std::size_t at = 0;
      for (std::size_t p : parents)
        at = at * std::size_t(data.variables[p].levels) + std::size_t(data.columns[p].levels[r]);
      cells[at * levels + std::size_t(data.columns[child].levels[r])] += 1;
    }
  const double alpha = ess / double(cells.size());
  double sum = 0;
  for (std::size_t q = 0; q < configurations; ++q) {
    double total = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      total += cells[q * levels + l];
      sum += std::lgamma(alpha + cells[q * levels + l]) - std::lgamma(alpha);
    }
    sum -= std::lgamma(alpha * double(levels) + total) - std::lgamma(alpha * double(levels));
  }
  return sum;
}

struct Literal {
  double log_evidence;
  std::vector<double> changed;
};

/// All 2^E ways, each from scratch.
Literal literal_sum(const Dataset& data, std::size_t child, const Parents& parents, double ess,
                    double change) {
  const std::size_t n = data.environments.size();
  std::vector<double> ways;
  const double levels = data.variables[child].levels;
  for (std::size_t way = 0; way < std::size_t(1) << n; ++way) {
    std::vector<std::size_t> pool;
    double sum = 0;
    for (std::size_t e = 0; e < n; ++e) {
      sum += std::log(way >> e & 1 ? change : 1 - change);
      if (way >> e & 1)
        sum += log_add_exp(literal_bdeu(data, child, {}, {e}, levels),
                           literal_bdeu(data, child, parents, {e}, ess)) -
               std::log(2.0);
      else
        pool.push_back(e);
    }
    ways.push_back(sum + literal_bdeu(data, child, parents, pool, ess));
  }
  Literal result{log_sum_exp(ways), std::vector<double>(n, 0.0)};
  for (std::size_t way = 0; way < ways.size(); ++way)
    for (std::size_t e = 0; e < n; ++e)
      if (way >> e & 1) result.changed[e] += std::exp(ways[way] - result.log_evidence);
  return result;
}

TEST(CategoricalFamilyScorer, TheSumOverChangesIsTheLiteralOne) {
  const std::vector<std::size_t> sizes = {12, 30, 8, 1, 15};
  const Dataset data = shifting_data(mixed_levels, sizes, 2);
  const CategoricalFamilyScorer scorer(data, {.change = 0.2, .ess = 5, .additive = false});
  for (const auto& [child, parents] : std::vector<std::pair<std::size_t, Parents>>{
           {0, {}}, {2, {0}}, {2, {0, 1}}, {1, {0, 2, 3}}}) {
    const Literal literal = literal_sum(data, child, parents, 5, 0.2);
    EXPECT_NEAR(scorer.log_score(child, parents, sparse(5)), literal.log_evidence, 1e-9);
    std::vector<double> changed(5);
    scorer.changed(child, parents, sparse(5), changed);
    for (std::size_t e = 0; e < 5; ++e) EXPECT_NEAR(changed[e], literal.changed[e], 1e-9);
  }
}

TEST(CategoricalFamilyScorer, ManyEnvironmentsAreSummedNearlyExactly) {
  for (std::size_t environments : {8, 9, 10}) {
    std::vector<std::size_t> sizes(environments, 60);
    sizes[0] = 400;
    const Dataset data = shifting_data(mixed_levels, sizes, environments);
    const CategoricalFamilyScorer nearly(data, {.ess = 10, .additive = false});
    const CategoricalFamilyScorer exactly(data,
                                          {.ess = 10, .exact_environments = 10, .additive = false});
    std::vector<double> a(environments), b(environments);
    for (std::size_t child = 0; child < 4; ++child) {
      Parents parents;
      for (std::size_t p = 0; p < child; ++p) parents.push_back(p);
      const EnvironmentRegime regime = sparse(environments);
      const double exact = exactly.log_score(child, parents, regime);
      EXPECT_NEAR(nearly.log_score(child, parents, regime), exact, 0.5);
      nearly.changed(child, parents, regime, a);
      exactly.changed(child, parents, regime, b);
      for (std::size_t e = 0; e < environments; ++e) EXPECT_NEAR(a[e], b[e], 0.1) << e;
    }
  }
}

TEST(CategoricalFamilyScorer, FindsWhatChanged) {
  const std::vector<std::size_t> sizes = {2000, 200, 200, 200, 200, 200, 200, 200, 200};
  const std::vector<int> levels(8, 4);
  const Dataset data = shifting_data(levels, sizes, 3);
  for (bool additive : {false, true}) {
    const CategoricalFamilyScorer scorer(data, {.additive = additive});
    std::vector<double> changed(9);
    for (std::size_t child = 0; child < 8; ++child) {
      Parents parents;
      for (std::size_t p = child > 1 ? child - 2 : 0; p < child; ++p) parents.push_back(p);
      scorer.changed(child, parents, sparse(9), changed);
      for (std::size_t e = 0; e < 9; ++e)
        EXPECT_EQ(changed[e] > 0.5, e > 0 && e % 8 == child) << child << " " << e;
    }
  }
}

TEST(CategoricalFamilyScorer, AnEnvironmentLeftOutIsOneThatWasNotThere) {
  const std::vector<std::size_t> sizes = {100, 40, 30, 50};
  Dataset data = shifting_data(mixed_levels, sizes, 4);
  Dataset without = data;
  without.environments.erase(without.environments.begin() + 2);
  for (bool additive : {false, true}) {
    const CategoricalScoreOptions options{.ess = 10, .additive = additive, .tolerance = 0};
    const CategoricalFamilyScorer scorer(data, options), smaller(without, options);
    const Parents parents = {0, 1};
    // Fits take it away to first order, and keep the scale of their prior.
    EXPECT_NEAR(scorer.log_score_without(2, parents, sparse(4), 2),
                smaller.log_score(2, parents, sparse(3)), additive ? 1.0 : 1e-9);
  }
}

TEST(CategoricalFamilyScorer, RowOrderDoesNotMatterAndNamesOfLevelsHardlyDo) {
  const Dataset data = shifting_data(mixed_levels, few_rows, 5);
  Dataset reversed = data, renamed = data;
  for (std::size_t v = 0; v < data.columns.size(); ++v) {
    for (const Environment& e : data.environments)
      std::reverse(reversed.columns[v].levels.begin() + std::ptrdiff_t(e.begin),
                   reversed.columns[v].levels.begin() + std::ptrdiff_t(e.end));
    for (std::int32_t& level : renamed.columns[v].levels)
      level = (level + 1) % data.variables[v].levels;
  }
  for (bool additive : {false, true}) {
    const CategoricalScoreOptions options{.additive = additive};
    const CategoricalFamilyScorer a(data, options), b(reversed, options), c(renamed, options);
    const Parents parents = {0, 1, 3};
    EXPECT_EQ(a.ess(), c.ess());
    EXPECT_EQ(a.log_score(2, parents, sparse(4)), b.log_score(2, parents, sparse(4)));
    EXPECT_NEAR(a.log_score(2, parents, sparse(4)), c.log_score(2, parents, sparse(4)), 1e-9);
  }
}

TEST(CategoricalFamilyScorer, HardlyAnyDataHasAFiniteScore) {
  std::vector<std::size_t> sizes = {40, 1, 0, 7, 5, 5, 5, 5, 5};
  std::vector<int> levels = mixed_levels;
  levels.push_back(1);  // a constant column
  Dataset data = shifting_data(levels, sizes, 6);
  for (std::size_t r = 0; r < 40; ++r)  // a level never seen in the baseline
    if (data.columns[2].levels[r] == 3) data.columns[2].levels[r] = 0;
  for (std::size_t r = 48; r < 53; ++r) data.columns[0].levels[r] = 1;  // constant in environment 4
  for (bool additive : {false, true}) {
    const CategoricalFamilyScorer scorer(data, {.additive = additive});
    std::vector<double> changed(9);
    for (std::size_t child = 0; child < 5; ++child) {
      Parents parents;
      for (std::size_t p = 0; p < 5; ++p)
        if (p != child) parents.push_back(p);
      for (std::size_t k = 0; k <= 4; ++k) {
        const auto some = std::span(parents).first(k);
        EXPECT_TRUE(std::isfinite(scorer.log_score(child, some, sparse(9))));
        EXPECT_TRUE(std::isfinite(scorer.log_redrawn(child, some, 2, EnvironmentState::all_soft)));
        scorer.changed(child, some, sparse(9), changed);
        for (double p : changed) EXPECT_TRUE(p >= 0 && p <= 1);
      }
    }
    EXPECT_NEAR(scorer.log_score(4, {}, sparse(9)), 0, 1e-9);
  }
}

TEST(CategoricalFamilyScorer, ARedrawnEnvironmentAddsWhatItSaysOnItsOwn) {
  const Dataset data = shifting_data(mixed_levels, few_rows, 8);
  const CategoricalFamilyScorer scorer(data);
  const Parents parents = {0, 1};
  for (EnvironmentState state : {EnvironmentState::all_soft, EnvironmentState::all_hard}) {
    EnvironmentRegime regime = sparse(4);
    regime.states[3] = state;
    const double alone = scorer.log_redrawn(2, parents, 3, state);
    EXPECT_NEAR(scorer.log_score(2, parents, regime) - alone,
                scorer.log_score_without(2, parents, sparse(4), 3), 1e-9);
  }
}

void expect_near_estimates(const CategoricalFamilyScorer& scorer, std::size_t child,
                           const Parents& parents) {
  const EnvironmentRegime regime = sparse(scorer.environments());
  std::vector<double> gains(scorer.variables());
  scorer.estimate_gains(child, parents, regime, gains);
  const double present = scorer.log_score(child, parents, regime);
  for (std::size_t v = 0; v < scorer.variables(); ++v) {
    if (v == child) {
      EXPECT_TRUE(std::isnan(gains[v]));
      continue;
    }
    Parents other = parents;
    const auto at = std::lower_bound(other.begin(), other.end(), v);
    const bool leaves = at != other.end() && *at == v;
    if (leaves)
      other.erase(at);
    else
      other.insert(at, v);
    const double gain = scorer.log_score(child, other, regime) - present;
    const double part = leaves ? 0.4 : 0.25;  // a parent that leaves goes a longer way
    EXPECT_NEAR(gains[v], gain, 5 + part * std::abs(gain)) << child << ", " << v;
  }
}

TEST(CategoricalFamilyScorer, EstimatedGainsAreNearTheTrueOnes) {
  const std::vector<std::size_t> sizes = {1500, 100, 100, 100, 100, 100};
  const std::vector<int> levels = {4, 3, 5, 4, 6, 4};
  const Dataset data = shifting_data(levels, sizes, 10);
  CategoricalScoreOptions told;
  told.known.assign(levels.size() * sizes.size(), KnownChange::unchanged);
  for (std::size_t e = 1; e < sizes.size(); ++e)
    told.known[e * sizes.size() + e] = KnownChange::changed;
  for (const CategoricalScoreOptions& options : {CategoricalScoreOptions{}, told}) {
    const CategoricalFamilyScorer scorer(data, options);
    ASSERT_TRUE(scorer.has_estimates());
    for (const auto& [child, parents] : std::vector<std::pair<std::size_t, Parents>>{
             {4, {}}, {4, {3}}, {4, {2, 3}}, {3, {0, 1, 2}}, {0, {2, 5}}})
      expect_near_estimates(scorer, child, parents);
  }
}

TEST(CategoricalFamilyScorer, WhatIsKnownIsNotDoubted) {
  for (std::size_t environments : {3, 5, 9}) {
    std::vector<std::size_t> sizes(environments, 60);
    sizes[0] = 200;
    const Dataset data = shifting_data(mixed_levels, sizes, 9);
    CategoricalScoreOptions options;
    options.known.assign(4 * environments, KnownChange::unknown);
    options.known[2 * environments + 0] = KnownChange::unchanged;
    options.known[2 * environments + 1] = KnownChange::changed;
    options.known[2 * environments + 2] = KnownChange::unchanged;  // it did change
    for (bool additive : {false, true}) {
      options.additive = additive;
      const CategoricalFamilyScorer scorer(data, options);
      const Parents parents = {0, 1};
      std::vector<double> changed(environments);
      scorer.changed(2, parents, sparse(environments), changed);
      EXPECT_NEAR(changed[0], 0, 1e-12);
      EXPECT_EQ(changed[1], 1);
      EXPECT_NEAR(changed[2], 0, 1e-12);
      EXPECT_TRUE(std::isfinite(scorer.log_score(2, parents, sparse(environments))));
    }
  }
}

TEST(CategoricalFamilyScorer, RefusesWhatItCannotRead) {
  Dataset data = shifting_data(mixed_levels, few_rows, 7);
  data.variables[1].levels = 1;
  EXPECT_THROW(CategoricalFamilyScorer{data}, Error);
  data.variables[1].kind = Variable::Kind::real;
  EXPECT_THROW(CategoricalFamilyScorer{data}, Error);
}

}  // namespace
}  // namespace whence
