#include "whence/belief/graph_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace whence {

namespace {

constexpr double least_gain = 1e-9;  // nats: below this a gain may be rounding

bool stopped(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

using Edge = std::pair<std::size_t, std::size_t>;  // cause, effect

/// One edge of a graph that has some.
std::optional<Edge> any_edge(const Dag& dag, Stream& stream) {
  std::vector<Edge> edges;
  for (std::size_t v = 0; v < dag.variables(); ++v)
    dag.parents(v).each([&](std::size_t u) { edges.emplace_back(u, v); });
  if (edges.empty()) return {};
  return edges[std::size_t(sample_index(stream, int(edges.size())))];
}

}  // namespace

Dag required_graph(const FamilyTable& table) {
  Dag dag(table.variables());
  for (std::size_t cause = 0; cause < table.variables(); ++cause)
    for (std::size_t effect = 0; effect < table.variables(); ++effect)
      if (table.knowledge().of(table.variables(), cause, effect) == EdgeKnowledge::Word::required)
        dag.flip(cause, effect);
  dag.update();
  return dag;
}

EnvironmentRegime sparse_regime(std::size_t environments) {
  return {false, std::vector<EnvironmentState>(environments, EnvironmentState::sparse)};
}
EnvironmentRegime quiet_regime(std::size_t environments) {
  return {true, std::vector<EnvironmentState>(environments, EnvironmentState::sparse)};
}

GraphClimber::GraphClimber(const FamilyTable& table, std::size_t regime, const Dag& start)
    : table_(table),
      regime_(regime),
      dag_(start),
      scores_(table.variables()),
      gains_(table.variables() * table.variables(), 0.0),
      estimated_(gains_.size(), 0),
      is_kept_(table.variables(), 0) {
  for (std::size_t v = 0; v < dag_.variables(); ++v) refresh(v);
}

double GraphClimber::score() const {
  double sum = table_.log_prior(regime_);
  for (double score : scores_) sum += score;
  return sum;
}

void GraphClimber::refresh(std::size_t child) {
  keep_row(child);
  const std::size_t m = dag_.variables();
  const VariableSet& parents = dag_.parents(child);
  scores_[child] = table_.score(regime_, child, parents);
  const std::vector<std::size_t>& candidates = table_.candidates(child);
  std::vector<double> estimates(candidates.size());
  table_.estimated_gains(regime_, child, parents, estimates);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const std::size_t v = candidates[k];
    gains_[child * m + v] = estimates[k];
    estimated_[child * m + v] = 1;
    if (std::isnan(estimates[k])) score_gain(child, v);
  }
}

void GraphClimber::keep_row(std::size_t child) {
  if (!keeping_ || is_kept_[child]) return;
  const std::size_t m = dag_.variables();
  const auto gains = gains_.begin() + std::ptrdiff_t(child * m);
  const auto estimated = estimated_.begin() + std::ptrdiff_t(child * m);
  kept_.push_back({child,
                   scores_[child],
                   {gains, gains + std::ptrdiff_t(m)},
                   {estimated, estimated + std::ptrdiff_t(m)}});
  is_kept_[child] = 1;
}

void GraphClimber::score_gain(std::size_t child, std::size_t parent) {
  const std::size_t at = child * dag_.variables() + parent;
  if (!estimated_[at]) return;
  keep_row(child);
  gains_[at] = table_.score(regime_, child, dag_.parents(child).flipped(parent)) - scores_[child];
  estimated_[at] = 0;
}

void GraphClimber::set_dag(const Dag& dag) { apply(dag); }

void GraphClimber::set_regime(std::size_t regime) {
  regime_ = regime;
  for (std::size_t v = 0; v < dag_.variables(); ++v) refresh(v);
}

void GraphClimber::apply(const Dag& next) {
  std::vector<std::size_t> moved;
  for (std::size_t v = 0; v < dag_.variables(); ++v)
    if (!(dag_.parents(v) == next.parents(v))) moved.push_back(v);
  dag_ = next;
  for (std::size_t v : moved) refresh(v);
}

double GraphClimber::optimistic(std::size_t child, std::size_t parent) const {
  const std::size_t at = child * dag_.variables() + parent;
  return estimated_[at] ? FamilyTable::at_best(gains_[at]) : gains_[at];
}

/// Where nothing seems to gain: scores what is possible and not hopeless. Whether there was any.
bool GraphClimber::score_doubtful() {
  const std::size_t m = dag_.variables();
  const double hopeless = table_.scorer().estimate_quality().hopeless;
  bool any = false;
  for (std::size_t child = 0; child < m; ++child)
    for (const std::size_t v : table_.candidates(child)) {
      const std::size_t at = child * m + v;
      if (!estimated_[at] || gains_[at] < hopeless) continue;
      if (!dag_.edge(v, child) && (dag_.edge(child, v) || dag_.closes_cycle(v, child))) continue;
      score_gain(child, v);
      any = true;
    }
  return any;
}

bool GraphClimber::step() {
  const std::size_t m = dag_.variables();
  double best = least_gain;
  std::size_t from = 0, to = 0;
  bool turn = false;
  const auto consider = [&](double gain, std::size_t cause, std::size_t effect, bool turned) {
    if (gain > best) best = gain, from = cause, to = effect, turn = turned;
  };
  for (std::size_t child = 0; child < m; ++child)
    for (const std::size_t v : table_.candidates(child)) {
      const double gain = gains_[child * m + v];
      if (dag_.edge(v, child)) {
        consider(gain, v, child, false);
        if (optimistic(child, v) + optimistic(v, child) <= best) continue;
        if (dag_.turning_closes_cycle(v, child)) continue;
        // The difference of two large numbers: estimates are not good enough for it.
        score_gain(v, child);
        if (optimistic(child, v) + gains_[v * m + child] <= best) continue;
        score_gain(child, v);
        consider(gains_[child * m + v] + gains_[v * m + child], v, child, true);
      } else if (gain > best && !dag_.closes_cycle(v, child) && !dag_.edge(child, v)) {
        consider(gain, v, child, false);
      }
    }
  if (best <= least_gain) return score_doubtful();
  // What is done was scored; it may have been on the way, after its estimate was considered.
  const std::size_t at = to * m + from;
  if (!turn && (estimated_[at] || gains_[at] != best)) {
    score_gain(to, from);
    return true;
  }
  dag_.replace_parents(to, dag_.parents(to).flipped(from));
  if (turn) dag_.replace_parents(from, dag_.parents(from).flipped(to));
  refresh(to);
  if (turn) refresh(from);
  return true;
}

void GraphClimber::climb(const std::atomic<bool>* stop) {
  while (!stopped(stop) && step()) {
  }
}

/// Whether estimates say that the graph is so much worse that climbing will not make up for it.
bool GraphClimber::out_of_reach(const Dag& next) const {
  constexpr double reach = -300;  // nats
  if (!table_.scores_are_dear()) return false;
  double gain = 0;
  for (std::size_t child = 0; child < dag_.variables(); ++child) {
    std::size_t toggled = 0, last = 0;
    if (dag_.parents(child) == next.parents(child)) continue;
    for (std::size_t v = 0; v < dag_.variables(); ++v)
      if (dag_.edge(v, child) != next.edge(v, child)) ++toggled, last = v;
    if (toggled == 1) gain += optimistic(child, last);
    if (toggled > 1) gain += table_.score(regime_, child, next.parents(child)) - scores_[child];
  }
  return gain < reach;
}

void GraphClimber::climb_by_scores(const std::atomic<bool>* stop) {
  const std::size_t m = dag_.variables();
  do {
    for (std::size_t child = 0; child < m && !stopped(stop); ++child)
      for (std::size_t v = 0; v < m; ++v)
        if (v != child && !dag_.closes_cycle(v, child)) score_gain(child, v);
  } while (!stopped(stop) && step());
}

bool GraphClimber::turn_stars(const std::atomic<bool>* stop) {
  const std::size_t m = dag_.variables();
  bool any = false;
  for (std::size_t v = 0; v < m; ++v)
    for (const bool inward : {true, false}) {
      if (stopped(stop)) return any;
      Dag turned = dag_;
      for (std::size_t u = 0; u < m; ++u)
        if (u != v && dag_.adjacent(u, v) && dag_.edge(u, v) != inward) {
          turned.flip(u, v);
          turned.flip(v, u);
        }
      if (turned == dag_ || !turned.update() || out_of_reach(turned)) continue;
      // Back by estimates, not as climb_from() does: gains that were scored would be kept,
      // and climbing might go another way.
      const Dag before = dag_;
      const double old = score();
      apply(turned);
      climb(stop);
      if (score() > old + least_gain)
        any = true;
      else
        apply(before);
    }
  return any;
}

bool GraphClimber::exchange_parents(const std::atomic<bool>* stop) {
  constexpr double worth_climbing = -20;  // nats
  bool any = false;
  for (std::size_t to = 0; to < dag_.variables(); ++to)
    for (const std::size_t from : dag_.parents(to).members()) {
      if (stopped(stop)) return any;
      if (!dag_.edge(from, to)) continue;  // it went with an earlier one
      Dag next = dag_;
      next.set_parents(to, dag_.parents(from));
      next.set_parents(from, dag_.parents(to).flipped(from).flipped(to));
      if (!table_.are_candidates(to, next.parents(to)) ||
          !table_.are_candidates(from, next.parents(from)) || !next.update())
        continue;
      const double gain = table_.score(regime_, from, next.parents(from)) +
                          table_.score(regime_, to, next.parents(to)) - scores_[from] - scores_[to];
      if (!(gain > worth_climbing)) continue;
      any = climb_from(next, stop) || any;
    }
  return any;
}

bool GraphClimber::climb_from(const Dag& next, const std::atomic<bool>* stop) {
  const Dag before = dag_;
  const double old = score();
  keeping_ = true;
  apply(next);
  climb(stop);
  keeping_ = false;
  const bool better = score() > old + least_gain;
  if (!better) dag_ = before;
  for (const Row& row : kept_) {
    is_kept_[row.child] = 0;
    if (better) continue;
    // Back with the gains that were scored there.
    const std::size_t at = row.child * dag_.variables();
    scores_[row.child] = row.score;
    std::copy(row.gains.begin(), row.gains.end(), gains_.begin() + std::ptrdiff_t(at));
    std::copy(row.estimated.begin(), row.estimated.end(), estimated_.begin() + std::ptrdiff_t(at));
  }
  kept_.clear();
  return better;
}

namespace {

/// Variables joined by edges that only one of two graphs has, as lists.
std::vector<std::vector<std::size_t>> differing_parts(const Dag& a, const Dag& b) {
  const std::size_t m = a.variables();
  std::vector<std::size_t> part(m);
  for (std::size_t v = 0; v < m; ++v) part[v] = v;
  const auto root = [&](std::size_t v) {
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
  };
  for (std::size_t v = 0; v < m; ++v) {
    const VariableSet here = a.parents(v), there = b.parents(v);
    (here.minus(there) | there.minus(here)).each([&](std::size_t u) { part[root(u)] = root(v); });
  }
  std::vector<std::vector<std::size_t>> lists(m);
  for (std::size_t v = 0; v < m; ++v)
    if (!(a.parents(v) == b.parents(v))) lists[root(v)].push_back(v);
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  return lists;
}

}  // namespace

bool GraphClimber::take_over(const Dag& other, const std::atomic<bool>* stop) {
  bool any = false;
  for (const std::vector<std::size_t>& part : differing_parts(dag_, other)) {
    if (stopped(stop)) break;
    Dag next = dag_;
    double gain = 0;
    for (std::size_t v : part) {
      next.set_parents(v, other.parents(v));
      gain += table_.score(regime_, v, other.parents(v)) - scores_[v];
    }
    if (!(gain > least_gain) || !next.update()) continue;
    apply(next);
    any = true;
  }
  if (any) climb(stop);
  return any;
}

Dag GraphClimber::disturbed(Stream& stream) const {
  const std::size_t m = dag_.variables();
  Dag next = dag_;
  const int kind = sample_index(stream, 4);
  if (kind == 3) {  // turn one edge round and let both its ends look for their parents anew
    const std::optional<Edge> edge = any_edge(next, stream);
    if (!edge) return dag_;
    const auto [u, v] = *edge;
    const std::size_t most = table_.scores_are_dear() ? 4 : m;  // else it takes too long
    next.flip(u, v);
    if (next.parents(u).size() <= most) next.set_parents(u, {});
    if (next.parents(v).size() <= most) next.set_parents(v, {});
    next.flip(v, u);
  } else if (kind == 0) {  // turn some edges round
    const int turns = 1 + sample_index(stream, 4);
    for (int k = 0; k < turns; ++k) {
      const std::optional<Edge> edge = any_edge(next, stream);
      if (!edge) break;
      const auto [u, v] = *edge;
      next.update();
      if (next.turning_closes_cycle(u, v)) continue;
      next.flip(u, v);
      next.flip(v, u);
    }
  } else {
    const std::size_t v = std::size_t(sample_index(stream, int(m)));
    const bool inward = stream.uniform() < 0.5;
    for (std::size_t u = 0; u < m; ++u) {
      if (u == v || !dag_.adjacent(u, v)) continue;
      if (kind == 1) {  // take one variable out
        if (dag_.edge(u, v)) next.flip(u, v);
        if (dag_.edge(v, u)) next.flip(v, u);
      } else if (dag_.edge(u, v) != inward) {  // turn its star
        next.flip(u, v);
        next.flip(v, u);
      }
    }
  }
  if (!next.update()) return dag_;
  return next;
}

void GraphClimber::iterate(int rounds, Stream& stream, const std::atomic<bool>* stop) {
  for (int round = 0; round < rounds && !stopped(stop); ++round) {
    const Dag next = disturbed(stream);
    if (next == dag_) continue;
    climb_from(next, stop);
  }
}

bool settle_regime(const FamilyTable& table, GraphClimber& climber, const std::atomic<bool>* stop) {
  const std::size_t environments = table.scorer().environments();
  std::size_t best = climber.regime();
  double best_score = climber.score();
  const auto consider = [&](const EnvironmentRegime& regime) {
    const std::size_t number = table.number_of(regime);
    const double score = table.total(number, climber.dag());
    if (score > best_score + least_gain) best = number, best_score = score;
  };
  const auto worth_scoring = [&](std::size_t present, std::size_t e, EnvironmentState state) {
    return !(table.estimated_redraw(present, climber.dag(), e, state) < -FamilyTable::redraw_error);
  };
  for (bool moved = true; moved;) {
    const std::size_t before = best;
    for (std::size_t e = 0; e < environments && !stopped(stop); ++e) {
      if (table.regime_prior().is_fixed(e) || table.regime(best).quiet) continue;
      for (const auto state :
           {EnvironmentState::sparse, EnvironmentState::all_soft, EnvironmentState::all_hard}) {
        EnvironmentRegime next = table.regime(best);
        next.states[e] = state;
        if (next.states != table.regime(best).states && worth_scoring(best, e, state))
          consider(next);
      }
    }
    moved = best != before;
  }
  consider(quiet_regime(environments));
  consider(sparse_regime(environments));
  if (best == climber.regime()) return false;
  climber.set_regime(best);
  return true;
}

}  // namespace whence
