#include "whence/discover/graph/graph_search_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/chain_error.hpp"
#include "whence/belief/graph_neighbourhood.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/graph/search_steps.hpp"
#include "whence/discover/graph/shared_search.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"

namespace whence {

namespace {

constexpr double comparable = 5;   // nats: graphs this close to the best one are starts of chains
constexpr int kept_of_large = 50;  // states of a chain over a large graph
constexpr int most_rounds = 4;     // of chains, each twice as long as the one before
constexpr std::int64_t most_sweeps = 1'000'000'000;

/// The same graph under the regime that suits it best.
GraphDraw settled(const FamilyTable& table, const GraphTask& options, const GraphDraw& start) {
  GraphClimber climber(table, start.regime, start.dag);
  settle_regime(table, climber, options.control.stop);
  return {climber.dag(), climber.regime(), climber.score()};
}

/// Without any edge, whole environments may look changed: edges found before that is tested would
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
    share_searches(
        table, options, fmt::format("starts {}", b), std::span(found).subspan(b * batch),
        [&](std::size_t i) {
          const std::size_t k = b * batch + i;
          if (stopped(options)) return first;
          Stream stream = stream_of(options, 1, k);
          const int rounds = rounds_of(options, table);
          GraphDraw start = first;
          if (k >= 2) start.dag = random_start(table, stream);
          return k == 1 ? search_from_nothing(table, options, first, rounds, stream)
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

/// A chain beside hotter ones that cross valleys for it and hand their graphs down. Whatever the
/// number of sweeps, about as many states are kept.
ChainDraws run_chain(const FamilyTable& table, const ParentLists& lists, const GraphDraw& start,
                     const GraphTask& options, std::size_t number, int sweeps) {
  std::vector<GraphChain> ladder;
  for (const double heat : {1.0, 0.6, 0.36})
    ladder.emplace_back(table, lists, start,
                        stream_of(options, std::uint32_t(2 + ladder.size()), number), heat);
  ChainDraws out{{}, EdgeMatrix(table.variables())};
  const int forgotten = options.sweeps / 4;
  // Where states are large some of them stand for all.
  const int kept = table.restricted() ? kept_of_large : std::max(1, options.sweeps);
  const int every = std::max(1, sweeps / kept);
  for (int s = 0; s < forgotten + sweeps; ++s) {
    const bool last = stopped(options);
    for (GraphChain& chain : ladder)
      if (!last) chain.sweep();
    for (std::size_t k = ladder.size() - 1; k > 0 && !last; --k) ladder[k - 1].exchange(ladder[k]);
    if ((s < forgotten || (s - forgotten) % every != 0) && !last) continue;
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

/// Draws and edges as bytes.
void put_chain(ByteWriter& bytes, const FamilyTable& table, const ChainDraws& chain) {
  bytes.put(chain.draws.size());
  for (const GraphDraw& draw : chain.draws) put_draw(bytes, table, draw);
  std::vector<std::uint64_t> places;
  std::vector<double> values;
  for (std::size_t k = 0; k < chain.edges.values.size(); ++k)
    if (chain.edges.values[k] != 0) {
      places.push_back(k);
      values.push_back(chain.edges.values[k]);
    }
  bytes.put_list(places).put_list(values);
}

ChainDraws get_chain(ByteReader& bytes, const FamilyTable& table) {
  ChainDraws chain{{}, EdgeMatrix(table.variables())};
  const auto count = bytes.get<std::size_t>();
  for (std::size_t k = 0; k < count && !bytes.failed(); ++k)
    chain.draws.push_back(get_draw(bytes, table));
  const auto places = bytes.get_list<std::uint64_t>();
  const auto values = bytes.get_list<double>();
  for (std::size_t k = 0; k < std::min(places.size(), values.size()); ++k)
    if (places[k] < chain.edges.values.size()) chain.edges.values[places[k]] = values[k];
  return chain;
}

/// The parent sets that chains choose from, with their scores, listed by any free thread.
ParentLists shared_lists(const FamilyTable& table, const GraphTask& options, std::size_t regime,
                         std::span<const Dag> good) {
  constexpr std::size_t at_once = 4;  // variables per unit
  const std::size_t m = table.variables(), units = (m + at_once - 1) / at_once;
  std::vector<std::vector<VariableSet>> all(m);
  const SharedUnit unit{
      [&](std::size_t i, ByteWriter& bytes) {
        for (std::size_t v = i * at_once; v < std::min(m, (i + 1) * at_once); ++v) {
          const auto sets = stopped(options) ? std::vector<VariableSet>()
                                             : ParentLists::list(table, regime, good, v);
          bytes.put_list(table.scores(regime, v, sets));
          for (const VariableSet& set : sets) bytes.put_list(set.members());
        }
      },
      [&](std::size_t i, ByteReader& bytes) {
        for (std::size_t v = i * at_once; v < std::min(m, (i + 1) * at_once); ++v)
          for (const double score : bytes.get_list<double>()) {
            VariableSet set;
            for (std::size_t u : bytes.get_list<std::size_t>())
              if (u < m) set.insert(u);
            table.learn(regime, v, set, score);
            all[v].push_back(set);
          }
      }};
  share_units(table, options, "lists", units, unit);
  return {table, regime, good, std::move(all)};
}

/// One round of chains, each from its start.
std::vector<ChainDraws> run_round(const FamilyTable& table, const ParentLists& lists,
                                  const GraphTask& options, const std::vector<GraphDraw>& starts,
                                  int round, const Progress& progress) {
  std::vector<ChainDraws> chains(starts.size());
  const auto run = [&](std::size_t k) {
    return run_chain(table, lists, starts[k], options, std::size_t(round) * starts.size() + k,
                     int(std::min(std::int64_t(options.sweeps) << round, most_sweeps)));
  };
  if (options.control.work == nullptr) {
    parallel_for(
        chains.size(), options.control.threads, [&](std::size_t k) { chains[k] = run(k); },
        progress);
  } else {
    const SharedUnit unit{
        [&](std::size_t k, ByteWriter& bytes) { put_chain(bytes, table, run(k)); },
        [&](std::size_t k, ByteReader& bytes) { chains[k] = get_chain(bytes, table); }};
    share_units(table, options, round == 0 ? "chains" : fmt::format("chains {}", round),
                chains.size(), unit, progress);
  }
  return chains;
}

/// Each chain starts where one search ended; from the best graph if that was far below.
std::vector<GraphDraw> starts_of(const GraphTask& options, const std::vector<GraphDraw>& found) {
  const GraphDraw& best = best_of(found);
  std::vector<GraphDraw> starts(std::size_t(std::max(1, options.chains)));
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const GraphDraw& own = found[k % found.size()];
    starts[k] = own.score > best.score - comparable ? own : best;
  }
  return starts;
}

/// The parent sets that chains choose from: those that do well beside good graphs.
ParentLists lists_of(const FamilyTable& table, const GraphTask& options,
                     const std::vector<GraphDraw>& found) {
  const GraphDraw& best = best_of(found);
  std::vector<Dag> good = {best.dag};
  for (const GraphDraw& one : found)
    if (one.score > best.score - comparable &&
        std::find(good.begin(), good.end(), one.dag) == good.end())
      good.push_back(one.dag);
  const EachOf until_stopped = [&](std::size_t n, const auto& job) {
    parallel_for(n, options.control.threads, [&](std::size_t i) {
      if (!stopped(options)) job(i);
    });
  };
  return options.control.work != nullptr ? shared_lists(table, options, best.regime, good)
                                         : ParentLists(table, best.regime, good, until_stopped);
}

/// How the chains differ: the largest difference of an edge from the mean, and how good the means
/// are.
void judge_chains(const GraphBelief& mean, const std::vector<GraphBelief>& chains,
                  FoundBelief& result) {
  SearchRecord& record = result.record;
  record.chain_spread = 0;
  for (const GraphBelief& one : chains)
    for (std::size_t k = 0; k < mean.edges.values.size(); ++k) {
      const double spread = std::abs(one.edges.values[k] - mean.edges.values[k]);
      if (spread <= record.chain_spread) continue;
      record.chain_spread = spread;
      record.spread_from = k / mean.edges.variables, record.spread_to = k % mean.edges.variables;
    }
  const auto errors_of = [&](const auto& values) {
    std::vector<const std::vector<double>*> lists;
    for (const GraphBelief& one : chains) lists.push_back(&values(one));
    return chain_errors(lists);
  };
  result.edge_errors = errors_of([](const GraphBelief& b) -> auto& { return b.edges.values; });
  result.change_errors = errors_of([](const GraphBelief& b) -> auto& { return b.changed; });
  record.chain_error.reset();
  for (const auto* errors : {&result.edge_errors, &result.change_errors})
    for (const double error : *errors)
      record.chain_error = std::max(record.chain_error.value_or(0), error);
}

/// The chains together.
void pool(const FamilyTable& table, const std::vector<ChainDraws>& chains, FoundBelief& result) {
  std::vector<GraphBelief> beliefs;
  std::vector<GraphDraw> draws;
  EdgeMatrix edges(table.variables());
  for (const ChainDraws& one : chains) {
    beliefs.push_back(belief_of_draws(table, one.draws));
    beliefs.back().edges = one.edges;
    draws.insert(draws.end(), one.draws.begin(), one.draws.end());
    for (std::size_t k = 0; k < edges.values.size(); ++k)
      edges.values[k] += one.edges.values[k] / double(chains.size());
  }
  result.belief = belief_of_draws(table, std::move(draws));
  result.belief.edges = edges;
  judge_chains(result.belief, beliefs, result);
}

/// Rounds of chains, each from where the one before ended and twice as long, until what the last
/// round says is good enough. A round that was interrupted says less than the one before it.
void run_chains(const FamilyTable& table, const GraphTask& options,
                const std::vector<GraphDraw>& found, const Progress& progress,
                FoundBelief& result) {
  if (stopped(options)) return;
  const ParentLists lists = lists_of(table, options, found);
  if (stopped(options)) return;
  result.record.moved = lists.movable().size();
  result.record.one_graph = false;
  std::vector<GraphDraw> starts = starts_of(options, found);
  const int rounds = table.restricted() ? 1 : most_rounds;  // one takes minutes there
  for (int round = 0; round < rounds; ++round) {
    const Progress part = part_of(progress, 1 - std::pow(0.5, round), 1 - std::pow(0.5, round + 1));
    const std::vector<ChainDraws> chains = run_round(table, lists, options, starts, round, part);
    if (round > 0 && stopped(options)) return;
    pool(table, chains, result);
    if (stopped(options) || result.record.chain_error.value_or(0) <= good_chain_error) return;
    for (std::size_t k = 0; k < starts.size(); ++k) starts[k] = chains[k].draws.back();
  }
}

}  // namespace

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

GraphTask::GraphTask(const GraphOptions& options, const Control& how)
    : GraphOptions(options), control(how) {
  if (control.threads == 0) control.threads = available_threads();
}

std::unique_ptr<LinearFamilyScorer> linear_scorer(const Dataset& data, const GraphTask& options,
                                                  double scale) {
  LinearScoreOptions how;
  how.scale = scale;
  how.robust = options.robust;
  how.known = known_changes(data, options);
  if (options.columns) return std::make_unique<LinearFamilyScorer>(options.columns, how);
  return std::make_unique<LinearFamilyScorer>(data, how);
}

ScoredFamilies score_families(const Dataset& data, const GraphTask& options, double scale,
                              const FamilyScorer* like) {
  ScoredFamilies result;
  result.scorer = options.entry->make(data, options, scale, like);
  refuse_large_families(data, *result.scorer, options.knowledge);
  result.table =
      std::make_unique<FamilyTable>(*result.scorer, options.knowledge, regime_prior(data, options));
  result.scale = scale;
  return result;
}

ScoredFamilies choose_scores(const Dataset& data, const GraphTask& options, GraphDraw& best) {
  // Along the list as long as the best graph gains; each search starts where the last one ended.
  std::vector<double> scales = options.scales;
  if (!options.entry->has_scale) scales = {0};
  ScoredFamilies chosen;
  for (std::size_t k = 0; k < scales.size() && (k == 0 || !stopped(options)); ++k) {
    ScoredFamilies next = score_families(data, options, scales[k], chosen.scorer.get());
    GraphDraw start{required_graph(*next.table), 0, 0};
    EnvironmentRegime regime = sparse_regime(data.environments.size());
    if (k > 0) {
      start.dag = best.dag;
      regime = chosen.table->regime(best.regime);
    }
    start.regime = next.table->number_of(regime);
    const int rounds = rounds_of(options, *next.table) / 2;
    GraphDraw found;
    share_searches(*next.table, options, fmt::format("scale {}", k), {&found, 1}, [&](std::size_t) {
      estimate_first_steps(*next.table, options, start);
      return search_from(*next.table, options, start, rounds, stream_of(options, 0, k));
    });
    if (k > 0 && found.score <= best.score) break;
    best = found;
    chosen = std::move(next);
  }
  return chosen;
}

FoundBelief weigh_graphs(const FamilyTable& table, const GraphTask& options,
                         const std::vector<GraphDraw>& found, const Progress& progress) {
  FoundBelief result;
  for (const GraphDraw& one : found) result.record.scores.push_back(one.score);
  result.best = best_of(found);
  result.record.one_graph = true;
  run_chains(table, options, found, progress, result);
  if (result.record.one_graph) pool(table, {only(table, options, result.best)}, result);
  const GraphDraw& drawn = best_of(result.belief.draws);
  if (drawn.score > result.best.score) result.best = drawn;
  return result;
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
    result = weigh_graphs(table, options, found, part_of(progress, 0.6, 1));
  }
  result.record.families_scored = table.scored();
  if (stopped(options)) result.record.stopped = "stopped";
  return result;
}

}  // namespace whence
