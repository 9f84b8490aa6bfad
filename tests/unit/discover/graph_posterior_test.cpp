// The whole posterior over graphs and changes, against a sum that is written out term by term.
//
// The reference knows nothing of Gram matrices, pools, or decoupling: it predicts row after row,
// and adds up every graph, every regime, and every pattern of changes of all mechanisms.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "whence/belief/graph_belief.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

using Wide = long double;
using Rows = std::vector<std::vector<Wide>>;  // [row][variable]

struct SmallData {
  Dataset data;
  std::size_t variables, environments;
};

/// A chain 0 -> 1 -> ... in which one mechanism changes per environment, somewhat.
SmallData small_data(std::size_t m, const std::vector<std::size_t>& rows, std::uint64_t seed) {
  SmallData out{{}, m, rows.size()};
  Stream stream(seed, Purpose::tests, {std::uint32_t(m), 5, 0});
  out.data.columns.resize(m);
  std::size_t n = 0;
  for (std::size_t v = 0; v < m; ++v)
    out.data.variables.push_back({"x" + std::to_string(v), Variable::Kind::real, 0, 1, {}});
  for (std::size_t e = 0; e < rows.size(); ++e) {
    out.data.environments.push_back({"e" + std::to_string(e), n, n + rows[e]});
    n += rows[e];
    for (std::size_t k = 0; k < rows[e]; ++k) {
      double before = 0;
      for (std::size_t v = 0; v < m; ++v) {
        const double shift = e > 0 && v == (e - 1) % m ? 1.5 : 0;
        before = (v == 0 ? 0 : 0.8 * before) + shift + sample_normal(stream);
        out.data.columns[v].values.push_back(before);
      }
    }
  }
  return out;
}

/// Where a column lies and how far it spreads, once more and by sorting.
void expect_place(const SmallData& in, std::size_t v, std::size_t reference,
                  const ColumnUnit& unit) {
  const auto lower_median = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x[(x.size() - 1) / 2];
  };
  const auto& values = in.data.columns[v].values;
  std::vector<double> distances;
  for (std::size_t e = 0; e < in.environments; ++e) {
    const Environment& place = in.data.environments[e];
    const double middle = lower_median(
        {values.begin() + std::ptrdiff_t(place.begin), values.begin() + std::ptrdiff_t(place.end)});
    if (e == reference) {
      EXPECT_EQ(unit.centre, middle);
    }
    for (std::size_t n = place.begin; n < place.end; ++n)
      distances.push_back(std::abs(values[n] - middle));
  }
  EXPECT_DOUBLE_EQ(unit.spread, 1.4826 * lower_median(distances));
}

/// As the scorer sees it: in the columns' units.
Rows scaled(const SmallData& in, std::size_t reference, const std::vector<ColumnUnit>& units) {
  Rows rows(in.data.columns[0].values.size(), std::vector<Wide>(in.variables));
  for (std::size_t v = 0; v < in.variables; ++v) expect_place(in, v, reference, units[v]);
  for (std::size_t v = 0; v < in.variables; ++v)
    for (std::size_t n = 0; n < rows.size(); ++n)
      rows[n][v] = (in.data.columns[v].values[n] - units[v].centre) / units[v].unit;
  return rows;
}

/// Bayesian regression, one row after the other.
class Predictor {
 public:
  Predictor(const RegressionPrior& prior, std::vector<std::size_t> parents, std::size_t child)
      : parents_(std::move(parents)), child_(child), shape_(prior.shape), rate_(prior.rate) {
    const std::size_t d = parents_.size() + 1;
    mean_.assign(d, 0);
    covariance_.assign(d, std::vector<Wide>(d, 0));
    for (std::size_t k = 0; k < d; ++k)
      covariance_[k][k] = 1 / Wide(k == 0 ? prior.intercept : prior.slope);
  }

  Wide log_predict(const std::vector<Wide>& row) {
    const std::size_t d = mean_.size();
    std::vector<Wide> x(d, 1), gain(d, 0);
    for (std::size_t k = 1; k < d; ++k) x[k] = row[parents_[k - 1]];
    Wide width = 1, centre = 0;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) gain[i] += covariance_[i][j] * x[j];
      width += gain[i] * x[i];
      centre += mean_[i] * x[i];
    }
    const Wide miss = row[child_] - centre, dof = 2 * shape_, scale = rate_ / shape_ * width;
    const Wide log_p = std::lgamma((dof + 1) / 2) - std::lgamma(dof / 2) -
                       std::log(dof * std::acos(Wide(-1)) * scale) / 2 -
                       (dof + 1) / 2 * std::log1p(miss * miss / (dof * scale));
    shape_ += Wide(0.5);
    rate_ += miss * miss / width / 2;
    for (std::size_t i = 0; i < d; ++i) mean_[i] += gain[i] * miss / width;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) covariance_[i][j] -= gain[i] * gain[j] / width;
    return log_p;
  }
  Wide variance() const { return rate_ / shape_; }

 private:
  std::vector<std::size_t> parents_;
  std::size_t child_;
  Wide shape_, rate_;
  std::vector<Wide> mean_;
  std::vector<std::vector<Wide>> covariance_;
};

Wide add(Wide a, Wide b) {
  const Wide top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log(std::exp(a - top) + std::exp(b - top));
}

/// Everything summed literally.
struct Reference {
  std::vector<Wide> edges, changed, all, none;
  Wide quiet = 0;
  std::map<std::string, Wide> classes;  // P(Markov class)
};

/// Skeleton and v-structures, from the definition.
std::string markov_class(const Graph& graph) {
  const std::size_t m = graph.variables();
  const auto edge = [&](std::size_t a, std::size_t b) {
    return graph.edge(VariableId(a), VariableId(b));
  };
  std::string name;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      const bool joined = edge(a, b) || edge(b, a);
      if (joined) name += std::to_string(a) + std::to_string(b) + " ";
      for (std::size_t c = 0; c < m && !joined; ++c)
        if (edge(a, c) && edge(b, c))
          name += std::to_string(a) + ">" + std::to_string(c) + "<" + std::to_string(b) + " ";
    }
  return name;
}

class BruteForce {
 public:
  BruteForce(const SmallData& in, const LinearScoreOptions& options,
             std::optional<std::size_t> baseline)
      : in_(in), options_(options), baseline_(baseline) {
    reference_ = 0;
    for (std::size_t e = 1; e < in.environments; ++e)
      if (in.data.environments[e].rows() > in.data.environments[reference_].rows()) reference_ = e;
    units_ = column_units(in.data, reference_);
    rows_ = scaled(in, reference_, units_);
    graphs_ = all_acyclic_graphs(in.variables);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      names_.push_back(markov_class(graphs_[g]));
      members_[names_[g]].push_back(g);
    }
  }

  Reference sum() {
    collect();
    Wide total = -INFINITY;
    for (const Term& term : terms_) total = add(total, term.log_weight);
    const std::size_t m = in_.variables, environments = in_.environments;
    Reference out;
    out.edges.assign(m * m, 0);
    out.changed.assign(m * environments, 0);
    out.all.assign(environments, 0);
    out.none.assign(environments, 0);
    for (const Term& term : terms_) {
      const Wide p = std::exp(term.log_weight - total);
      const Graph& graph = graphs_[term.graph];
      out.classes[names_[term.graph]] += p;
      if (term.quiet) out.quiet += p;
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j)
          if (graph.edge(VariableId(i), VariableId(j))) out.edges[i * m + j] += p;
      for (std::size_t e = 0; e < environments; ++e) {
        bool none = term.states[e] == 0;
        out.all[e] += term.states[e] != 0 ? p : 0;
        for (std::size_t v = 0; v < m; ++v) {
          const bool changed = term.states[e] != 0 || (term.pattern >> (v * environments + e) & 1);
          out.changed[v * environments + e] += changed ? p : 0;
          none = none && !changed;
        }
        out.none[e] += none ? p : 0;
      }
    }
    return out;
  }

 private:
  struct Term {
    std::size_t graph;
    std::vector<int> states;  // 0 sparse, 1 all soft, 2 all hard
    bool quiet;
    std::size_t pattern;  // bit v * environments + e
    Wide log_weight;
  };

  std::vector<std::size_t> parents_of(const Graph& graph, std::size_t v) const {
    std::vector<std::size_t> parents;
    for (std::size_t u = 0; u < in_.variables; ++u)
      if (graph.edge(VariableId(u), VariableId(v))) parents.push_back(u);
    return parents;
  }

  Wide alone(const RegressionPrior& prior, const std::vector<std::size_t>& parents,
             std::size_t child, const std::vector<std::size_t>& environments) const {
    Predictor predictor(prior, parents, child);
    Wide sum = 0;
    for (std::size_t e : environments)
      for (std::size_t n = in_.data.environments[e].begin; n < in_.data.environments[e].end; ++n)
        sum += predictor.log_predict(rows_[n]);
    return sum;
  }

  struct Priors {
    RegressionPrior pooled, changed, redrawn, hard;
  };
  Priors priors(const std::vector<std::size_t>& parents, std::size_t child) const {
    const double t = options_.scale, p = double(parents.size()), weight = options_.mean_weight;
    Priors out;
    out.pooled = {weight, t, (3 + p) / 2, t / 2};
    Predictor reference(out.pooled, parents, child);
    const Environment& place = in_.data.environments[reference_];
    for (std::size_t n = place.begin; n < place.end; ++n) reference.log_predict(rows_[n]);
    const double variance = double(reference.variance());
    out.changed = {weight, t, 2, 2 * variance};
    out.redrawn = {weight, options_.redrawn_scale, (3 + p) / 2, options_.redrawn_scale / 2};
    const double spread = units_[child].spread / units_[child].unit;
    out.hard = {options_.hard_mean_weight, 1, 1.5, options_.hard_scale * spread * spread / 2};
    return out;
  }

  /// One family with one choice for each environment: log of prior times likelihood.
  Wide family(std::size_t child, const std::vector<std::size_t>& parents,
              const std::vector<int>& states, bool quiet, std::size_t pattern) {
    auto& known = families_[{child, parents, states, quiet, pattern}];
    if (known.done) return known.value;
    const Priors prior = priors(parents, child);
    const Wide pi = 1 / Wide(in_.variables);
    std::vector<std::size_t> pool;
    Wide sum = 0;
    for (std::size_t e = 0; e < in_.environments; ++e) {
      const Wide hard = alone(prior.hard, {}, child, {e});
      if (quiet) {
        pool.push_back(e);
      } else if (states[e] == 1) {
        continue;  // the Markov class speaks for it
      } else if (states[e] == 2) {
        sum += hard;
      } else if (pattern >> e & 1) {
        sum += std::log(pi / 2) + add(hard, alone(prior.changed, parents, child, {e}));
      } else {
        sum += baseline_ == e ? 0 : std::log1p(-pi);
        pool.push_back(e);
      }
    }
    known = {true, sum + alone(prior.pooled, parents, child, pool)};
    return known.value;
  }

  /// log of the mean over the Markov class of what environment e says, everything redrawn.
  Wide class_evidence(std::size_t g, std::size_t e) {
    auto& known = redrawn_[{names_[g], e}];
    if (known.done) return known.value;
    Wide sum = -INFINITY, members = 0;
    for (std::size_t member : members_[names_[g]]) {
      const Graph& other = graphs_[member];
      Wide evidence = 0;
      for (std::size_t v = 0; v < in_.variables; ++v) {
        const auto parents = parents_of(other, v);
        evidence += alone(priors(parents, v).redrawn, parents, v, {e});
      }
      sum = add(sum, evidence);
      members += 1;
    }
    known = {true, sum - std::log(members)};
    return known.value;
  }

  Wide log_prior(const Graph& graph) const {
    const Wide m = Wide(in_.variables);
    Wide sum = 0;
    for (std::size_t v = 0; v < in_.variables; ++v) {
      const Wide k = Wide(parents_of(graph, v).size());
      sum += std::lgamma(k + 1) + std::lgamma(m - k) - std::lgamma(m);
    }
    return sum;
  }

  Wide log_prior(const std::vector<int>& states) const {
    // Beta(1, 9) over the share of environments in which everything changed.
    const Wide open = Wide(in_.environments - (baseline_ ? 1 : 0));
    const Wide all =
        Wide(std::count_if(states.begin(), states.end(), [](int s) { return s != 0; }));
    return std::log(Wide(0.5)) + std::lgamma(1 + all) + std::lgamma(9 + open - all) -
           std::lgamma(10 + open) + std::lgamma(Wide(10)) - std::lgamma(Wide(9)) -
           all * std::log(Wide(2));
  }

  void collect() {
    const std::size_t m = in_.variables, environments = in_.environments;
    std::vector<std::vector<int>> regimes = {{}};
    for (std::size_t e = 0; e < environments; ++e) {
      std::vector<std::vector<int>> longer;
      for (const auto& regime : regimes)
        for (int state = 0; state < (baseline_ == e ? 1 : 3); ++state) {
          longer.push_back(regime);
          longer.back().push_back(state);
        }
      regimes = longer;
    }
    const std::vector<int> still(environments, 0);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      Wide quiet = std::log(Wide(0.5)) + log_prior(graphs_[g]);
      for (std::size_t v = 0; v < m; ++v)
        quiet += family(v, parents_of(graphs_[g], v), still, true, 0);
      terms_.push_back({g, still, true, 0, quiet});
      for (const auto& states : regimes) collect(g, states);
    }
  }

  void collect(std::size_t g, const std::vector<int>& states) {
    const std::size_t m = in_.variables, environments = in_.environments;
    Wide common = log_prior(graphs_[g]) + log_prior(states);
    for (std::size_t e = 0; e < environments; ++e)
      if (states[e] == 1) common += class_evidence(g, e);
    std::vector<std::vector<std::size_t>> parents;
    for (std::size_t v = 0; v < m; ++v) parents.push_back(parents_of(graphs_[g], v));
    for (std::size_t pattern = 0; pattern < (std::size_t(1) << (m * environments)); ++pattern) {
      bool possible = true;
      for (std::size_t e = 0; e < environments; ++e)
        for (std::size_t v = 0; v < m; ++v)
          if ((states[e] != 0 || baseline_ == e) && (pattern >> (v * environments + e) & 1))
            possible = false;
      if (!possible) continue;
      Wide sum = common;
      for (std::size_t v = 0; v < m; ++v) {
        const std::size_t own =
            pattern >> (v * environments) & ((std::size_t(1) << environments) - 1);
        sum += family(v, parents[v], states, false, own);
      }
      terms_.push_back({g, states, false, pattern, sum});
    }
  }

  struct Known {
    bool done = false;
    Wide value = 0;
  };
  const SmallData& in_;
  LinearScoreOptions options_;
  std::optional<std::size_t> baseline_;
  std::size_t reference_ = 0;
  std::vector<ColumnUnit> units_;
  Rows rows_;
  std::vector<Graph> graphs_;
  std::vector<std::string> names_;                           // of their Markov classes
  std::map<std::string, std::vector<std::size_t>> members_;  // by the name of the class
  std::vector<Term> terms_;
  std::map<std::tuple<std::size_t, std::vector<std::size_t>, std::vector<int>, bool, std::size_t>,
           Known>
      families_;
  std::map<std::pair<std::string, std::size_t>, Known> redrawn_;
};

/// The engine on the same data: its own enumeration.
struct Engine {
  Engine(const SmallData& in, LinearScoreOptions options, std::optional<std::size_t> baseline) {
    if (baseline) {
      options.known.assign(in.variables * in.environments, KnownChange::unknown);
      for (std::size_t v = 0; v < in.variables; ++v)
        options.known[v * in.environments + *baseline] = KnownChange::unchanged;
      prior.fixed.assign(in.environments, false);
      prior.fixed[*baseline] = true;
    }
    scorer = std::make_unique<LinearFamilyScorer>(in.data, options);
    table = std::make_unique<FamilyTable>(*scorer, EdgeKnowledge{}, prior);
  }
  RegimePrior prior;
  std::unique_ptr<LinearFamilyScorer> scorer;
  std::unique_ptr<FamilyTable> table;
};

/// The largest difference of any probability between the engine and the literal sum.
double largest_difference(const SmallData& in, const LinearScoreOptions& engine_options,
                          const LinearScoreOptions& literal_options,
                          std::optional<std::size_t> baseline) {
  const Engine engine(in, engine_options, baseline);
  std::vector<double> log_weights;
  const GraphBelief belief = enumerate_graphs(*engine.table, &log_weights);
  const Reference sum = BruteForce(in, literal_options, baseline).sum();
  double worst = std::abs(belief.quiet - double(sum.quiet));
  const auto compare = [&](double a, Wide b) { worst = std::max(worst, std::abs(a - double(b))); };
  for (std::size_t k = 0; k < sum.edges.size(); ++k) compare(belief.edges.values[k], sum.edges[k]);
  for (std::size_t k = 0; k < sum.changed.size(); ++k) compare(belief.changed[k], sum.changed[k]);
  for (std::size_t e = 0; e < in.environments; ++e) {
    compare(belief.all_changed[e], sum.all[e]);
    compare(belief.none_changed[e], sum.none[e]);
  }
  std::map<std::string, double> classes;
  double top = *std::max_element(log_weights.begin(), log_weights.end()), total = 0;
  for (double w : log_weights) total += std::exp(w - top);
  const std::vector<Graph> graphs = all_acyclic_graphs(in.variables);
  for (std::size_t g = 0; g < graphs.size(); ++g)
    classes[markov_class(graphs[g])] += std::exp(log_weights[g] - top) / total;
  EXPECT_EQ(classes.size(), sum.classes.size());
  for (const auto& [name, p] : sum.classes) compare(classes[name], p);
  return worst;
}

TEST(GraphPosterior, EqualsTheLiteralSumOverGraphsRegimesAndChanges) {
  const LinearScoreOptions options{.scale = 0.3};
  EXPECT_LT(largest_difference(small_data(2, {9, 7, 6, 5}, 1), options, options, {}), 1e-9);
  EXPECT_LT(largest_difference(small_data(3, {8, 6, 5}, 2), options, options, {}), 1e-9);
  EXPECT_LT(largest_difference(small_data(3, {12, 5, 6, 1}, 3), options, options, 0), 1e-9);
  EXPECT_LT(largest_difference(small_data(4, {10, 6}, 4), options, options, {}), 1e-9);
}

TEST(GraphPosterior, EqualsTheLiteralSumOfFiveVariables) {
  if (support::effort_divisor > 1) GTEST_SKIP() << "millions of terms: left to ordinary builds";
  const LinearScoreOptions options{.scale = 0.2};
  EXPECT_LT(largest_difference(small_data(5, {11, 7}, 5), options, options, 0), 1e-9);
}

TEST(GraphPosterior, TheComparisonNoticesASmallMistake) {
  const SmallData in = small_data(3, {8, 6, 5}, 2);
  const LinearScoreOptions right{.scale = 0.3};
  LinearScoreOptions planted = right;
  planted.mean_weight *= 1.001;
  EXPECT_GT(largest_difference(in, planted, right, {}), 1e-7);
  planted = right;
  planted.hard_scale *= 1.001;
  EXPECT_GT(largest_difference(in, planted, right, {}), 1e-7);
}

/// The largest difference between a chain's edge frequencies and the enumeration of `truth`.
double chain_difference(const FamilyTable& chained, const FamilyTable& truth, int sweeps) {
  const std::size_t m = truth.variables();
  const std::size_t regime = chained.number_of(sparse_regime(chained.scorer().environments()));
  const GraphDraw start{Dag(m), regime, 0};
  const ParentLists lists(chained, regime, std::vector<Dag>{start.dag});
  GraphChain chain(chained, lists, start, Stream(4, Purpose::tests, {9, 0, 0}));
  EdgeMatrix drawn(m);
  for (int s = 0; s < sweeps; ++s) {
    chain.sweep();
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        drawn.at(i, j) += chain.state().dag.edge(i, j) ? 1.0 / sweeps : 0;
  }
  const GraphBelief exact = enumerate_graphs(truth);
  double worst = 0;
  for (std::size_t k = 0; k < m * m; ++k)
    worst = std::max(worst, std::abs(drawn.values[k] - exact.edges.values[k]));
  return worst;
}

TEST(GraphChain, DrawsFromTheEnumeratedPosterior) {
  const SmallData in = small_data(4, {14, 9, 8}, 6);
  const Engine engine(in, {.scale = 0.3}, 0);
  EXPECT_LT(chain_difference(*engine.table, *engine.table, 6000), 0.03);
  // Planted: a chain that believes changes to be rarer than they are.
  const Engine other(in, {.scale = 0.3, .change_probability = 0.01}, 0);
  EXPECT_GT(chain_difference(*other.table, *engine.table, 6000), 0.05);
}

TEST(LinearFamilyScores, WithoutChangesOrWhereAllChangedAMarkovClassScoresAlike) {
  const SmallData in = small_data(4, {15, 9}, 7);
  const Engine engine(in, {.scale = 0.25}, 0);
  EnvironmentRegime redrawn = sparse_regime(2);
  redrawn.states[1] = EnvironmentState::all_soft;
  for (const EnvironmentRegime& regime : {quiet_regime(2), redrawn}) {
    const std::size_t number = engine.table->number_of(regime);
    std::map<std::string, double> scores;
    for (const Graph& graph : all_acyclic_graphs(4)) {
      const double score = engine.table->total(number, Dag(graph));
      const auto [place, fresh] = scores.try_emplace(markov_class(graph), score);
      if (!fresh) {
        EXPECT_NEAR(place->second, score, 1e-9);
      }
    }
    EXPECT_EQ(scores.size(), 185u);  // the number of classes over four variables
  }
}

TEST(LinearFamilyScores, ManyEnvironmentsAreSummedAroundTheModes) {
  // Eight free environments: beyond the exact sum. The reference is the literal sum over 2^8 pools.
  const SmallData in = small_data(4, {30, 8, 8, 8, 8, 8, 8, 8, 8}, 8);
  const Engine engine(in, {.scale = 0.1, .change_probability = 0.2}, 0);
  const EnvironmentRegime regime = sparse_regime(9);
  for (const std::vector<std::size_t>& parents : {std::vector<std::size_t>{}, {1}, {1, 3}}) {
    std::vector<double> changed(9), terms;
    engine.scorer->changed(0, parents, regime, changed);
    for (std::size_t pool = 0; pool < 256; ++pool) {
      LinearScoreOptions options{.scale = 0.1, .change_probability = 0.2};
      options.known.assign(36, KnownChange::unchanged);
      double log_prior = 0;
      for (std::size_t e = 1; e < 9; ++e) {
        const bool apart = pool >> (e - 1) & 1;
        options.known[e] = apart ? KnownChange::changed : KnownChange::unchanged;
        log_prior += std::log(apart ? 0.2 : 0.8);
      }
      const LinearFamilyScorer known(in.data, options);
      terms.push_back(log_prior + known.log_score(0, parents, regime));
    }
    const double exact = log_sum_exp(terms);
    EXPECT_NEAR(engine.scorer->log_score(0, parents, regime), exact, 0.02);
    for (std::size_t e = 1; e < 9; ++e) {
      std::vector<double> with;
      for (std::size_t pool = 0; pool < 256; ++pool)
        if (pool >> (e - 1) & 1) with.push_back(terms[pool]);
      EXPECT_NEAR(changed[e], std::exp(log_sum_exp(with) - exact), 0.02) << e;
    }
  }
}

}  // namespace
}  // namespace whence
