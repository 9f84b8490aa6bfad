#include "whence/discover/graph/search_steps.hpp"

#include <algorithm>

#include "whence/backends/threads.hpp"
#include "whence/belief/collider_search.hpp"
#include "whence/belief/graph_search.hpp"

namespace whence {

bool stopped(const GraphTask& options) { return options.control.stopped(); }

void tell(const GraphTask& options, double score) {
  if (options.control.best_score == nullptr) return;
  double best = options.control.best_score->load(std::memory_order_relaxed);
  while (score > best && !options.control.best_score->compare_exchange_weak(best, score)) {
  }
}

Stream stream_of(const GraphTask& options, std::uint32_t stage, std::size_t number) {
  return {options.seed, Purpose::search, {stage, std::uint32_t(number), 0}};
}

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

int rounds_of(const GraphTask& options, const FamilyTable& table) {
  const int m = int(table.variables());
  if (options.rounds > 0) return options.rounds;
  if (table.restricted() && m > 256) return 2 * m;
  if (table.restricted()) return 6 * m;
  // Fewer when scoring is expensive: extra starts find the same graphs sooner.
  return table.scores_are_dear() ? std::max(10, m / 2) : std::max(60, 6 * m);
}

void estimate_first_steps(const FamilyTable& table, const GraphTask& options,
                          const GraphDraw& start) {
  parallel_for(table.variables(), options.control.threads, [&](std::size_t child) {
    const std::size_t other = child == 0 ? 1 : 0;  // estimates of all others come with it
    table.estimated_gain(start.regime, child, start.dag.parents(child), other);
  });
}

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
  if (table.restricted()) {
    climber.exchange_parents(options.control.stop);
  } else if (table.scores_are_dear()) {
    open_colliders(table, climber, options.control.stop);
  } else {
    climber.exchange_parents(options.control.stop);
    climber.climb_by_scores(options.control.stop);
  }
  tell(options, climber.score());
  return {climber.dag(), climber.regime(), climber.score()};
}

Dag random_start(const FamilyTable& table, Stream& stream) {
  Dag dag = required_graph(table);
  const int m = int(table.variables());
  for (int k = 0; k < m; ++k) {
    const std::size_t from = std::size_t(sample_index(stream, m));
    std::size_t to = 0;
    if (table.restricted()) {
      const auto& candidates = table.candidates(from);
      if (candidates.empty()) continue;
      to = candidates[std::size_t(sample_index(stream, int(candidates.size())))];
    } else {
      to = std::size_t(sample_index(stream, m));
    }
    if (from == to || dag.edge(from, to) || dag.closes_cycle(from, to)) continue;
    if (table.knowledge().of(table.variables(), from, to) == EdgeKnowledge::Word::forbidden)
      continue;
    dag.flip(from, to);
    dag.update();
  }
  return dag;
}

Progress part_of(const Progress& whole, double from, double to) {
  if (!whole) return {};
  return [whole, from, to](double share) { whole(from + share * (to - from)); };
}

const GraphDraw& best_of(const std::vector<GraphDraw>& found) {
  return *std::max_element(found.begin(), found.end(),
                           [](const auto& a, const auto& b) { return a.score < b.score; });
}

}  // namespace whence
