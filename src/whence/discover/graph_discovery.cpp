#include "whence/discover/graph_discovery.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "whence/backends/threads.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr Purpose searching = Purpose(7);

bool stopped(const GraphOptions& options) {
  return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

RegimePrior regime_prior(const Dataset& data, const GraphOptions& options) {
  RegimePrior prior;
  prior.fixed.assign(data.environments.size(), false);
  if (options.baseline) prior.fixed[*options.baseline] = true;
  for (std::size_t e = 0; e < data.environments.size() && !options.known.empty(); ++e) {
    bool all_known = true;
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      all_known =
          all_known && options.known[v * data.environments.size() + e] != KnownChange::unknown;
    if (all_known) prior.fixed[e] = true;
  }
  return prior;
}

std::vector<KnownChange> known_changes(const Dataset& data, const GraphOptions& options) {
  const std::size_t environments = data.environments.size();
  std::vector<KnownChange> known = options.known;
  if (known.empty()) known.assign(data.variables.size() * environments, KnownChange::unknown);
  if (options.baseline)
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      known[v * environments + *options.baseline] = KnownChange::unchanged;
  return known;
}

/// One search for the best graph under one scorer.
class Search {
 public:
  Search(const FamilyTable& table, const GraphOptions& options) : table_(table), options_(options) {
    const int m = int(table.variables());
    rounds_ = options.rounds > 0 ? options.rounds : std::max(60, 6 * m);
  }

  int rounds() const { return rounds_; }

  /// Climbs, turns stars, disturbs, and lets the regime follow.
  GraphDraw from(const GraphDraw& start, int rounds, Stream stream) const {
    GraphClimber climber(table_, start.regime, start.dag);
    climber.climb(options_.stop);
    climber.turn_stars(options_.stop);
    climber.iterate(rounds, stream, options_.stop);
    for (int k = 0; k < 5 && settle_regime(table_, climber); ++k) {
      climber.climb(options_.stop);
      climber.iterate(rounds / 4, stream, options_.stop);
    }
    return {climber.dag(), climber.regime(), climber.score()};
  }

 private:
  const FamilyTable& table_;
  const GraphOptions& options_;
  int rounds_;
};

/// About one edge per variable, at random.
Dag random_start(const FamilyTable& table, Stream& stream) {
  Dag dag = required_graph(table);
  const int m = int(table.variables());
  for (int k = 0; k < m; ++k) {
    const std::size_t from = std::size_t(sample_index(stream, m));
    const std::size_t to = std::size_t(sample_index(stream, m));
    if (from == to || dag.edge(from, to) || dag.closes_cycle(from, to)) continue;
    if (table.knowledge().of(table.variables(), from, to) == EdgeKnowledge::Word::forbidden)
      continue;
    dag.flip(from, to);
    dag.update();
  }
  return dag;
}

struct Scored {
  std::unique_ptr<FamilyScorer> scorer;
  std::unique_ptr<FamilyTable> table;
  double scale = 0;
};

Scored linear_scorer(const Dataset& data, const GraphOptions& options, double scale,
                     const LinearFamilyScorer* like) {
  Scored result;
  LinearScoreOptions how;
  how.scale = scale;
  how.known = known_changes(data, options);
  result.scorer = like ? std::make_unique<LinearFamilyScorer>(like->with_scale(scale))
                       : std::make_unique<LinearFamilyScorer>(data, how);
  result.table =
      std::make_unique<FamilyTable>(*result.scorer, options.knowledge, regime_prior(data, options));
  result.scale = scale;
  return result;
}

/// The scale of the prior by evidence: along the list as long as the best graph gains, each search
/// starting where the one before ended.
Scored choose_scale(const Dataset& data, const GraphOptions& options, GraphDraw& best) {
  Scored chosen;
  const LinearFamilyScorer* like = nullptr;
  std::vector<Scored> tried;
  for (std::size_t k = 0; k < options.scales.size(); ++k) {
    Scored next = linear_scorer(data, options, options.scales[k], like);
    like = static_cast<const LinearFamilyScorer*>(next.scorer.get());
    const Search search(*next.table, options);
    GraphDraw start = best;
    if (k == 0) start.dag = required_graph(*next.table);
    start.regime = next.table->number_of(k == 0 ? sparse_regime(data.environments.size())
                                                : tried.back().table->regime(best.regime));
    const GraphDraw found = search.from(start, search.rounds() / 2,
                                        Stream(options.seed, searching, {0, std::uint32_t(k)}));
    const bool better = k == 0 || found.score > best.score;
    tried.push_back(std::move(next));
    if (!better) break;
    best = found;
    chosen.scale = options.scales[k];
  }
  for (Scored& one : tried)
    if (one.scale == chosen.scale) chosen = std::move(one);
  return chosen;
}

std::vector<GraphDraw> restart(const FamilyTable& table, const GraphOptions& options,
                               const GraphDraw& first) {
  std::vector<GraphDraw> found(std::size_t(std::max(1, options.restarts)));
  parallel_for(found.size(), options.threads, [&](std::size_t k) {
    Stream stream(options.seed, searching, {1, std::uint32_t(k)});
    GraphDraw start = first;
    if (k == 1) start.dag = required_graph(table);
    if (k >= 2) start.dag = random_start(table, stream);
    const Search search(table, options);
    found[k] = search.from(start, search.rounds(), stream);
  });
  return found;
}

struct Chained {
  std::vector<GraphDraw> draws;
  EdgeMatrix edges;
};

/// Chains from the best graphs; those whose search ended far below start from the best one.
std::vector<Chained> run_chains(const FamilyTable& table, const GraphOptions& options,
                                const std::vector<GraphDraw>& found) {
  const auto better = [](const GraphDraw& a, const GraphDraw& b) { return a.score < b.score; };
  const GraphDraw& best = *std::max_element(found.begin(), found.end(), better);
  constexpr double comparable = 15;
  std::vector<Dag> good = {best.dag};
  for (const GraphDraw& one : found)
    if (one.score > best.score - comparable &&
        std::find(good.begin(), good.end(), one.dag) == good.end())
      good.push_back(one.dag);
  const ParentLists lists(table, best.regime, good);
  std::vector<Chained> chained(std::size_t(std::max(1, options.chains)));
  parallel_for(chained.size(), options.threads, [&](std::size_t k) {
    const GraphDraw& own = found[k % found.size()];
    const GraphDraw& start = own.score > best.score - comparable ? own : best;
    GraphChain chain(table, lists, start, Stream(options.seed, searching, {2, std::uint32_t(k)}));
    Chained& out = chained[k];
    out.edges = EdgeMatrix(table.variables());
    const int forget = options.sweeps / 4;
    for (int s = 0; s < forget + options.sweeps; ++s) {
      const bool last = stopped(options);
      if (!last) chain.sweep();
      if (s < forget && !last) continue;
      out.draws.push_back(chain.state());
      const EdgeMatrix present = chain.edge_probabilities();
      for (std::size_t i = 0; i < present.values.size(); ++i)
        out.edges.values[i] += present.values[i];
      if (last) break;
    }
    for (double& p : out.edges.values) p /= double(out.draws.size());
  });
  return chained;
}

}  // namespace

std::string_view name_of(GraphModel model) {
  switch (model) {
    case GraphModel::automatic: return "automatic";
    case GraphModel::linear: return "linear";
    case GraphModel::categorical: return "categorical";
  }
  return "?";
}

GraphResult find_graph(const Dataset& data, const GraphOptions& options, const Progress& progress) {
  (void)progress;
  GraphDraw best;
  Scored scored = choose_scale(data, options, best);
  const FamilyTable& table = *scored.table;
  GraphResult result;
  for (const Variable& variable : data.variables) result.variables.push_back(variable.name);
  result.scale = scored.scale;
  GraphBelief belief;
  if (can_enumerate(table)) {
    belief = enumerate_graphs(table);
    result.search.exact = true;
    result.edges = belief.edges;
    result.search.scores = {belief.draws[0].score};
  } else {
    const std::vector<GraphDraw> found = restart(table, options, best);
    for (const GraphDraw& one : found) result.search.scores.push_back(one.score);
    std::vector<Chained> chained = run_chains(table, options, found);
    std::vector<GraphDraw> draws;
    result.edges = EdgeMatrix(table.variables());
    for (const Chained& one : chained) {
      draws.insert(draws.end(), one.draws.begin(), one.draws.end());
      for (std::size_t k = 0; k < one.edges.values.size(); ++k)
        result.edges.values[k] += one.edges.values[k] / double(chained.size());
    }
    for (const Chained& one : chained)
      for (std::size_t k = 0; k < one.edges.values.size(); ++k)
        result.search.chain_spread = std::max(
            result.search.chain_spread, std::abs(one.edges.values[k] - result.edges.values[k]));
    belief = belief_of_draws(table, std::move(draws));
  }
  result.search.families_scored = table.scored();
  result.quiet = belief.quiet;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    GraphEnvironment environment;
    environment.name = data.environments[e].name;
    environment.rows = data.environments[e].rows();
    environment.baseline = options.baseline == e;
    environment.all_changed = belief.all_changed[e];
    environment.none_changed = belief.none_changed[e];
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      environment.changed.push_back(belief.changed[v * data.environments.size() + e]);
    result.environments.push_back(std::move(environment));
  }
  for (const GraphDraw& draw : belief.draws) {
    result.draws.push_back(draw.dag.graph());
    result.best_score =
        result.draws.size() == 1 ? draw.score : std::max(result.best_score, draw.score);
  }
  for (double score : result.search.scores) result.best_score = std::max(result.best_score, score);
  result.graph = Graph(data.variables.size());
  for (std::size_t i = 0; i < data.variables.size(); ++i)
    for (std::size_t j = 0; j < data.variables.size(); ++j)
      if (result.edges.at(i, j) > 0.5) result.graph.set_edge(VariableId(i), VariableId(j));
  return result;
}

double graph_score(const Dataset& data, const Graph& graph, const GraphOptions& options,
                   double scale) {
  const Scored scored = linear_scorer(data, options, scale, nullptr);
  GraphClimber climber(
      *scored.table, scored.table->number_of(sparse_regime(data.environments.size())), Dag(graph));
  settle_regime(*scored.table, climber);
  return climber.score();
}

}  // namespace whence
