#include "whence/discover/graph_search_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/collider_search.hpp"
#include "whence/belief/graph_neighbourhood.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/core/error.hpp"
#include "whence/evidence/categorical_family_scores.hpp"
#include "whence/evidence/linear_family_scores.hpp"

namespace whence {

namespace {

constexpr double comparable = 5;  // nats: graphs this close to the best one are starts of chains

bool stopped(const GraphTask& options) { return options.control.stopped(); }

/// Only for watching: nothing depends on it, so nothing depends on who comes first.
void tell(const GraphTask& options, double score) {
  if (options.control.best_score == nullptr) return;
  double best = options.control.best_score->load(std::memory_order_relaxed);
  while (score > best && !options.control.best_score->compare_exchange_weak(best, score)) {
  }
}

Stream stream_of(const GraphTask& options, std::uint32_t stage, std::size_t number) {
  return {options.seed, Purpose::search, {stage, std::uint32_t(number), 0}};
}

/// The baseline, and environments of which every mechanism is known, did not change as a whole.
RegimePrior regime_prior(const Dataset& data, const GraphTask& options) {
  RegimePrior prior;
  const std::size_t environments = data.environments.size();
  for (std::size_t e = 0; e < environments; ++e) {
    bool all_known = !options.known.empty();
    for (std::size_t v = 0; v < data.variables.size() && all_known; ++v)
      all_known = options.known[v * environments + e] != KnownChange::unknown;
    prior.fixed.push_back(all_known || options.baseline == e);
  }
  return prior;
}

std::vector<KnownChange> known_changes(const Dataset& data, const GraphTask& options) {
  const std::size_t environments = data.environments.size();
  std::vector<KnownChange> known = options.known;
  if (known.empty()) known.assign(data.variables.size() * environments, KnownChange::unknown);
  if (options.baseline)
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      known[v * environments + *options.baseline] = KnownChange::unchanged;
  return known;
}

/// Fewer where scores are dear: what many rounds would find there, more starts find sooner.
int rounds_of(const GraphTask& options, const FamilyTable& table) {
  const int m = int(table.variables());
  if (options.rounds > 0) return options.rounds;
  return table.scores_are_dear() ? std::max(10, m / 2) : std::max(60, 6 * m);
}

/// What a climber asks for first, by all threads: a single search has only one.
void estimate_first_steps(const FamilyTable& table, const GraphTask& options,
                          const GraphDraw& start) {
  parallel_for(table.variables(), options.control.threads, [&](std::size_t child) {
    const std::size_t other = child == 0 ? 1 : 0;  // estimates of all others come with it
    table.estimated_gain(start.regime, child, start.dag.parents(child), other);
  });
}

/// Climbs, turns stars, disturbs, and lets the regime follow.
GraphDraw search_from(const FamilyTable& table, const GraphTask& options, const GraphDraw& start,
                      int rounds, Stream stream) {
  GraphClimber climber(table, start.regime, start.dag);
  climber.climb(options.control.stop);
  tell(options, climber.score());
  climber.turn_stars(options.control.stop);
  climber.iterate(rounds, stream, options.control.stop);
  tell(options, climber.score());
  for (int k = 0; k < 5 && !stopped(options) && settle_regime(table, climber, options.control.stop);
       ++k) {
    climber.climb(options.control.stop);
    climber.iterate(rounds / 4, stream, options.control.stop);
    tell(options, climber.score());
  }
  if (table.scores_are_dear()) {
    open_colliders(table, climber, options.control.stop);
  } else {
    climber.exchange_parents(options.control.stop);
    climber.climb_by_scores(options.control.stop);
  }
  tell(options, climber.score());
  return {climber.dag(), climber.regime(), climber.score()};
}

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

/// The same graph under the regime that suits it best.
GraphDraw settled(const FamilyTable& table, const GraphTask& options, const GraphDraw& start) {
  GraphClimber climber(table, start.regime, start.dag);
  settle_regime(table, climber, options.control.stop);
  return {climber.dag(), climber.regime(), climber.score()};
}

/// Without any edge, whole environments may look changed: edges found before anybody asks would
/// hide it. So the empty graph is tried under both regimes.
GraphDraw search_from_nothing(const FamilyTable& table, const GraphTask& options,
                              const GraphDraw& first, int rounds, const Stream& stream) {
  const GraphDraw start{required_graph(table), first.regime, 0};
  const GraphDraw found = search_from(table, options, start, rounds, stream);
  constexpr double within_reach = 100;  // nats
  if (stopped(options)) return found;
  const GraphDraw apart = settled(table, options, start);
  if (apart.score < found.score - within_reach) return found;
  const GraphDraw other = search_from(table, options, apart, rounds, stream);
  return other.score > found.score ? other : found;
}

const GraphDraw& best_of(const std::vector<GraphDraw>& found) {
  return *std::max_element(found.begin(), found.end(),
                           [](const auto& a, const auto& b) { return a.score < b.score; });
}

/// Whether a second search came as far as the best one.
bool confirmed(const std::vector<GraphDraw>& found) {
  const double best = best_of(found).score;
  return std::count_if(found.begin(), found.end(),
                       [&](const GraphDraw& one) { return one.score > best - 1; }) >= 2;
}

/// The graph that choosing the scale ended with, the empty one, and random ones; once more as many
/// random ones, and again, as long as only one search reached the best graph.
std::vector<GraphDraw> search_from_many(const FamilyTable& table, const GraphTask& options,
                                        const GraphDraw& first, const Progress& progress) {
  const std::size_t batch = std::size_t(std::max(1, options.restarts));
  constexpr std::size_t most_batches = 3;
  std::vector<GraphDraw> found;
  for (std::size_t b = 0; b < most_batches; ++b) {
    if (b > 0 && (batch == 1 || stopped(options) || confirmed(found))) break;
    found.resize((b + 1) * batch);
    parallel_for(
        batch, options.control.threads,
        [&](std::size_t i) {
          const std::size_t k = b * batch + i;
          found[k] = first;
          if (stopped(options)) return;
          Stream stream = stream_of(options, 1, k);
          const int rounds = rounds_of(options, table);
          GraphDraw start = first;
          if (k >= 2) start.dag = random_start(table, stream);
          found[k] = k == 1 ? search_from_nothing(table, options, first, rounds, stream)
                            : search_from(table, options, start, rounds, stream);
        },
        b == 0 ? progress : Progress{});
  }
  return found;
}

struct ChainDraws {
  std::vector<GraphDraw> draws;
  EdgeMatrix edges;
};

/// A chain beside hotter ones that cross valleys for it and hand their graphs down.
ChainDraws run_chain(const FamilyTable& table, const ParentLists& lists, const GraphDraw& start,
                     const GraphTask& options, std::size_t number) {
  std::vector<GraphChain> ladder;
  for (const double heat : {1.0, 0.6, 0.36})
    ladder.emplace_back(table, lists, start,
                        stream_of(options, std::uint32_t(2 + ladder.size()), number), heat);
  ChainDraws out{{}, EdgeMatrix(table.variables())};
  const int forgotten = options.sweeps / 4;
  for (int s = 0; s < forgotten + options.sweeps; ++s) {
    const bool last = stopped(options);
    for (GraphChain& chain : ladder)
      if (!last) chain.sweep();
    for (std::size_t k = ladder.size() - 1; k > 0 && !last; --k) ladder[k - 1].exchange(ladder[k]);
    if (s < forgotten && !last) continue;
    out.draws.push_back(ladder[0].state());
    const EdgeMatrix present = ladder[0].edge_probabilities();
    for (std::size_t i = 0; i < present.values.size(); ++i)
      out.edges.values[i] += present.values[i];
    if (last) break;
  }
  for (double& p : out.edges.values) p /= double(out.draws.size());
  return out;
}

/// One graph that stands for all; its neighbours say how sure each edge is.
ChainDraws only(const FamilyTable& table, const GraphTask& options, const GraphDraw& graph) {
  const EachOf on_threads = [&](std::size_t n, const auto& job) {
    parallel_for(n, options.control.threads, job);
  };
  return {{graph}, neighbourhood_probabilities(table, graph, stream_of(options, 5, 0), on_threads)};
}

/// Each chain starts where one search ended; from the best graph if that was far below. None where
/// the search was stopped before they could.
std::vector<ChainDraws> run_chains(const FamilyTable& table, const GraphTask& options,
                                   const std::vector<GraphDraw>& found, const Progress& progress) {
  const GraphDraw& best = best_of(found);
  std::vector<Dag> good = {best.dag};
  for (const GraphDraw& one : found)
    if (one.score > best.score - comparable &&
        std::find(good.begin(), good.end(), one.dag) == good.end())
      good.push_back(one.dag);
  if (stopped(options)) return {};
  const EachOf until_stopped = [&](std::size_t n, const auto& job) {
    parallel_for(n, options.control.threads, [&](std::size_t i) {
      if (!stopped(options)) job(i);
    });
  };
  const ParentLists lists(table, best.regime, good, until_stopped);
  if (stopped(options)) return {};
  std::vector<ChainDraws> chains(std::size_t(std::max(1, options.chains)));
  parallel_for(
      chains.size(), options.control.threads,
      [&](std::size_t k) {
        const GraphDraw& own = found[k % found.size()];
        const GraphDraw& start = own.score > best.score - comparable ? own : best;
        chains[k] = run_chain(table, lists, start, options, k);
      },
      progress);
  return chains;
}

/// The chains together; how much they disagree goes into the record.
GraphBelief pooled(const FamilyTable& table, const std::vector<ChainDraws>& chains,
                   SearchRecord& record) {
  std::vector<GraphDraw> draws;
  EdgeMatrix edges(table.variables());
  for (const ChainDraws& one : chains) {
    draws.insert(draws.end(), one.draws.begin(), one.draws.end());
    for (std::size_t k = 0; k < edges.values.size(); ++k)
      edges.values[k] += one.edges.values[k] / double(chains.size());
  }
  for (const ChainDraws& one : chains)
    for (std::size_t k = 0; k < edges.values.size(); ++k) {
      const double spread = std::abs(one.edges.values[k] - edges.values[k]);
      if (spread <= record.chain_spread) continue;
      record.chain_spread = spread;
      record.spread_from = k / edges.variables, record.spread_to = k % edges.variables;
    }
  GraphBelief belief = belief_of_draws(table, std::move(draws));
  belief.edges = edges;
  return belief;
}

/// A part of the whole work, as seen from outside.
Progress part_of(const Progress& whole, double from, double to) {
  if (!whole) return {};
  return [whole, from, to](double share) { whole(from + share * (to - from)); };
}

}  // namespace

namespace {

/// What must be there has to fit into a family.
void refuse_large_families(const Dataset& data, const FamilyScorer& scorer,
                           const EdgeKnowledge& knowledge) {
  const std::size_t m = data.variables.size();
  for (std::size_t effect = 0; effect < m; ++effect) {
    std::size_t causes = 0;
    for (std::size_t cause = 0; cause < m; ++cause)
      causes += knowledge.of(m, cause, effect) == EdgeKnowledge::Word::required;
    if (causes > scorer.max_parents())
      throw Error(ExitCode::resource, "E-LIMIT-PARENTS", data.variables[effect].name,
                  fmt::format("{} causes are given, and this model takes at most {} of an effect",
                              causes, scorer.max_parents()),
                  "leave out the weakest of them");
  }
}

}  // namespace

GraphTask::GraphTask(const GraphOptions& options, const Control& how)
    : GraphOptions(options), control(how) {
  if (control.threads == 0) control.threads = available_threads();
}

ScoredFamilies score_families(const Dataset& data, const GraphTask& options, double scale) {
  ScoredFamilies result;
  if (options.model == GraphModel::categorical) {
    CategoricalScoreOptions how;
    how.known = known_changes(data, options);
    result.scorer = std::make_unique<CategoricalFamilyScorer>(data, how);
  } else {
    LinearScoreOptions how;
    how.scale = scale;
    how.robust = options.robust;
    how.known = known_changes(data, options);
    result.scorer = std::make_unique<LinearFamilyScorer>(data, how);
  }
  refuse_large_families(data, *result.scorer, options.knowledge);
  result.table =
      std::make_unique<FamilyTable>(*result.scorer, options.knowledge, regime_prior(data, options));
  result.scale = scale;
  return result;
}

ScoredFamilies choose_scores(const Dataset& data, const GraphTask& options, GraphDraw& best) {
  // Along the list as long as the best graph gains; each search starts where the last one ended.
  std::vector<double> scales = options.scales;
  if (options.model == GraphModel::categorical) scales = {0};
  ScoredFamilies chosen;
  for (std::size_t k = 0; k < scales.size() && (k == 0 || !stopped(options)); ++k) {
    ScoredFamilies next = score_families(data, options, scales[k]);
    GraphDraw start{required_graph(*next.table), 0, 0};
    EnvironmentRegime regime = sparse_regime(data.environments.size());
    if (k > 0) {
      start.dag = best.dag;
      regime = chosen.table->regime(best.regime);
    }
    start.regime = next.table->number_of(regime);
    estimate_first_steps(*next.table, options, start);
    const int rounds = rounds_of(options, *next.table) / 2;
    const GraphDraw found =
        search_from(*next.table, options, start, rounds, stream_of(options, 0, k));
    if (k > 0 && found.score <= best.score) break;
    best = found;
    chosen = std::move(next);
  }
  return chosen;
}

FoundBelief find_belief(const FamilyTable& table, const GraphTask& options,
                        const GraphDraw& start) {
  const Progress& progress = options.control.progress;
  FoundBelief result;
  if (can_enumerate(table)) {
    result.belief = enumerate_graphs(table);
    result.best = result.belief.draws[0];
    result.record.exact = true;
    result.record.scores = {result.best.score};
  } else {
    const std::vector<GraphDraw> found =
        search_from_many(table, options, start, part_of(progress, 0.2, 0.6));
    for (const GraphDraw& one : found) result.record.scores.push_back(one.score);
    result.best = best_of(found);
    auto chains = run_chains(table, options, found, part_of(progress, 0.6, 1));
    result.record.one_graph = chains.empty();
    if (chains.empty()) chains.push_back(only(table, options, result.best));
    result.belief = pooled(table, chains, result.record);
    const GraphDraw& drawn = best_of(result.belief.draws);
    if (drawn.score > result.best.score) result.best = drawn;
  }
  result.record.families_scored = table.scored();
  if (stopped(options)) result.record.stopped = "stopped";
  return result;
}

}  // namespace whence
