#include "whence/belief/graph_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "whence/belief/equivalence_class.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr std::size_t none = std::size_t(-1);
constexpr std::size_t candidates_per_variable = 9;
constexpr std::size_t small_set = 3;
constexpr double negligible = 25;      // nats below the best set of the list
constexpr double hopeless_gain = -40;  // nats: candidates estimated below this are not scored
constexpr double hopeless_in_large_graphs = -15;

/// The gain of toggling v where scores are so costly that estimates choose what is listed, else
/// NaN.
double listing_estimate(const FamilyTable& table, std::size_t regime, std::size_t child,
                        const VariableSet& parents, std::size_t v) {
  if (!table.scores_are_dear()) return std::nan("");
  return table.estimated_gain(regime, child, parents, v);
}

/// Estimates below this leave nothing to list.
double hopeless_below(const FamilyTable& table) {
  return table.restricted() ? hopeless_in_large_graphs : hopeless_gain;
}

/// The most promising parents of `child`: neighbours in good graphs first, then by the gain of
/// adding them to the best graph's parents.
std::vector<std::size_t> candidates_of(const FamilyTable& table, std::size_t regime,
                                       std::span<const Dag> good, std::size_t child) {
  std::vector<std::pair<double, std::size_t>> ranked;
  const VariableSet& parents = good[0].parents(child);
  const double present = table.score(regime, child, parents);
  for (const std::size_t v : table.candidates(child)) {
    double gain = listing_estimate(table, regime, child, parents, v);
    if (!(gain < hopeless_below(table)))
      gain = table.score(regime, child, parents.flipped(v)) - present;
    if (parents.has(v)) gain = std::abs(gain);
    for (const Dag& dag : good)
      if (dag.adjacent(v, child)) gain = std::max(gain, 0.0) + 1e6;
    ranked.emplace_back(-gain, v);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> result;
  for (const auto& [gain, v] : ranked)
    if (result.size() < candidates_per_variable) result.push_back(v);
  return result;
}

void add_small_sets(const std::vector<std::size_t>& candidates, std::size_t from,
                    const VariableSet& set, std::unordered_set<VariableSet, VariableSetHash>& all) {
  all.insert(set);
  if (set.size() == small_set) return;
  for (std::size_t k = from; k < candidates.size(); ++k)
    add_small_sets(candidates, k + 1, set.flipped(candidates[k]), all);
}

/// Whether an estimate says that toggling v leaves nothing to list.
bool hopeless(const FamilyTable& table, std::size_t regime, std::size_t child,
              const VariableSet& parents, std::size_t v) {
  return listing_estimate(table, regime, child, parents, v) < hopeless_below(table);
}

/// The same of toggling two. Where there are estimates, two parents can leave if each can, and
/// another pair is worth scoring if one of its members is after the other.
bool hopeless(const FamilyTable& table, std::size_t regime, std::size_t child,
              const VariableSet& parents, std::size_t a, std::size_t b) {
  if (parents.has(a) && parents.has(b))
    return hopeless(table, regime, child, parents, a) || hopeless(table, regime, child, parents, b);
  if (parents.has(b)) std::swap(a, b);
  return hopeless(table, regime, child, parents.flipped(a), b) &&
         hopeless(table, regime, child, parents, b);
}

/// Small sets that lack a parent without which the best graph's family is hopeless, or have one
/// with which it is. (What could stand in for one, or needs another, is listed with the pairs.)
/// Without estimates scoring them is cheap: all stay.
void drop_hopeless(const FamilyTable& table, std::size_t regime, std::size_t child,
                   const VariableSet& parents,
                   std::unordered_set<VariableSet, VariableSetHash>& sets) {
  if (!table.scores_are_dear()) return;
  const double present = table.score(regime, child, parents);
  VariableSet needed, useless;
  for (const std::size_t v : table.candidates(child)) {
    const bool never = hopeless(table, regime, child, parents, v);
    if (!parents.has(v)) {
      if (never) useless = useless.flipped(v);
    } else if (never ||
               table.score(regime, child, parents.flipped(v)) - present < hopeless_below(table)) {
      needed = needed.flipped(v);
    }
  }
  std::erase_if(sets, [&](const VariableSet& set) {
    bool lacks = false;
    needed.each([&](std::size_t v) { lacks = lacks || !set.has(v); });
    return (lacks || set.meets(useless)) && !set.empty();
  });
}

std::vector<VariableSet> listed_sets(const FamilyTable& table, std::size_t regime,
                                     std::span<const Dag> good, std::size_t child) {
  const std::vector<std::size_t> candidates = candidates_of(table, regime, good, child);
  std::unordered_set<VariableSet, VariableSetHash> all;
  add_small_sets(candidates, 0, {}, all);
  drop_hopeless(table, regime, child, good[0].parents(child), all);
  for (const Dag& dag : good) {
    const VariableSet parents = dag.parents(child);
    all.insert(parents);
    for (const std::size_t v : table.candidates(child))
      if (!hopeless(table, regime, child, parents, v)) all.insert(parents.flipped(v));
    for (std::size_t a = 0; a < candidates.size(); ++a)
      for (std::size_t b = a + 1; b < candidates.size(); ++b)
        if (!hopeless(table, regime, child, parents, candidates[a], candidates[b]))
          all.insert(parents.flipped(candidates[a]).flipped(candidates[b]));
  }
  // An order that does not depend on the hash function.
  std::vector<std::pair<std::vector<std::size_t>, VariableSet>> ordered;
  for (const VariableSet& set : all) ordered.emplace_back(set.members(), set);
  std::sort(ordered.begin(), ordered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<VariableSet> sets;
  for (const auto& [members, set] : ordered) sets.push_back(set);
  const std::vector<double> scores = table.scores(regime, child, sets);
  const double best = *std::max_element(scores.begin(), scores.end());
  std::vector<VariableSet> kept;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    // Without parents a variable can always stand: the chain needs a way out of every corner.
    bool keep = scores[k] > best - negligible || sets[k].empty();
    for (const Dag& dag : good) keep = keep || dag.parents(child) == sets[k];
    if (keep && std::isfinite(scores[k])) kept.push_back(sets[k]);
  }
  return kept;
}

}  // namespace

namespace {

/// What the listed sets of a variable score, and which of them the best graph has.
struct ListedScores {
  std::vector<double> scores;
  double present = 0;
};

/// The best score among the listed sets that `wanted` accepts, against that of the best graph.
template <class Wanted>
double best_gain(const std::vector<VariableSet>& sets, const ListedScores& listed,
                 const Wanted& wanted) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (wanted(sets[k])) best = std::max(best, listed.scores[k]);
  return best - listed.present;
}

/// How probable other parents than the best graph's are, its other families being as they are.
double doubt(const std::vector<VariableSet>& sets, const ListedScores& listed, const Dag& best,
             std::size_t child) {
  const VariableSet descendants = best.descendants(child);
  double other = 0;
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (!(sets[k] == best.parents(child)) && !sets[k].meets(descendants))
      other += std::exp(std::min(50.0, listed.scores[k] - listed.present));
  return other;
}

/// Variables whose parents are not settled by themselves, and the ends of edges that may be turned.
std::vector<std::size_t> unsettled(const FamilyTable& table, std::size_t regime,
                                   std::span<const Dag> good,
                                   const std::vector<std::vector<VariableSet>>& sets) {
  constexpr double settled = 1e-3;      // probability of other parents
  constexpr double never_turned = -12;  // nats
  const Dag& best = good[0];
  const std::size_t m = table.variables();
  std::vector<ListedScores> listed(m);
  VariableSet moves;
  for (std::size_t v = 0; v < m; ++v) {
    if (sets[v].empty()) continue;
    listed[v] = {table.scores(regime, v, sets[v]), table.score(regime, v, best.parents(v))};
    bool differs = false;
    for (const Dag& dag : good) differs = differs || !(dag.parents(v) == best.parents(v));
    if (differs || doubt(sets[v], listed[v], best, v) > settled) moves.insert(v);
  }
  for (std::size_t to = 0; to < m; ++to)
    best.parents(to).each([&](std::size_t from) {
      const double without =
          best_gain(sets[to], listed[to], [&](const VariableSet& set) { return !set.has(from); });
      const double turned =
          best_gain(sets[from], listed[from], [&](const VariableSet& set) { return set.has(to); });
      if (!(without + turned > never_turned)) return;
      moves.insert(from);
      moves.insert(to);
    });
  return moves.members();
}

}  // namespace

ParentLists::ParentLists(const FamilyTable& table, std::size_t regime, std::span<const Dag> good,
                         const EachOf& each_of)
    : sets_(table.variables()) {
  each_of(sets_.size(), [&](std::size_t v) { sets_[v] = listed_sets(table, regime, good, v); });
  find_movable(table, regime, good);
}

ParentLists::ParentLists(const FamilyTable& table, std::size_t regime, std::span<const Dag> good,
                         std::vector<std::vector<VariableSet>> sets)
    : sets_(std::move(sets)) {
  find_movable(table, regime, good);
}

std::vector<VariableSet> ParentLists::list(const FamilyTable& table, std::size_t regime,
                                           std::span<const Dag> good, std::size_t child) {
  return listed_sets(table, regime, good, child);
}

void ParentLists::find_movable(const FamilyTable& table, std::size_t regime,
                               std::span<const Dag> good) {
  if (table.restricted()) {
    movable_ = unsettled(table, regime, good, sets_);
  } else {
    for (std::size_t v = 0; v < sets_.size(); ++v) movable_.push_back(v);
  }
  for (std::size_t v : movable_) is_movable_.insert(v);
}

GraphChain::GraphChain(const FamilyTable& table, const ParentLists& lists, const GraphDraw& start,
                       Stream stream, double inverse_temperature)
    : table_(table), lists_(lists), state_(start), stream_(stream), heat_(inverse_temperature) {
  state_.score = table_.total(state_.regime, state_.dag);
}

double GraphChain::score_of(std::size_t child, const VariableSet& parents) const {
  return table_.score(state_.regime, child, parents);
}

const std::vector<double>& GraphChain::listed_scores(std::size_t child) {
  auto& of_regime = listed_[state_.regime];
  if (of_regime.empty()) of_regime.resize(table_.variables());
  std::vector<double>& scores = of_regime[child];
  if (scores.empty()) scores = table_.scores(state_.regime, child, lists_.sets(child));
  return scores;
}

GraphChain::Weighed GraphChain::weigh(std::size_t child, const VariableSet& descendants,
                                      std::size_t must) {
  const std::vector<VariableSet>& sets = lists_.sets(child);
  const std::vector<double>& scores = listed_scores(child);
  Weighed result;
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (sets[k].meets(descendants) || (must != none && !sets[k].has(must))) continue;
    result.allowed.push_back(k);
    result.has_current = result.has_current || sets[k] == state_.dag.parents(child);
    top = std::max(top, scores[k]);
  }
  double sum = 0;
  for (std::size_t k : result.allowed) {
    result.weights.push_back(std::exp(heat_ * (scores[k] - top)));
    sum += result.weights.back();
  }
  result.log_sum = result.allowed.empty() ? top : heat_ * top + std::log(sum);
  return result;
}

const VariableSet& GraphChain::draw(std::size_t child, const Weighed& weighed) {
  double total = 0;
  for (double weight : weighed.weights) total += weight;
  double u = stream_.uniform() * total;
  std::size_t k = 0;
  while (k + 1 < weighed.weights.size() && (u -= weighed.weights[k]) > 0) ++k;
  return lists_.sets(child)[weighed.allowed[k]];
}

bool GraphChain::accept(double log_ratio) { return std::log(stream_.uniform()) < log_ratio; }

std::size_t GraphChain::any_movable() {
  const auto& movable = lists_.movable();
  return movable[std::size_t(sample_index(stream_, int(movable.size())))];
}

/// Edges between variables that move.
std::size_t GraphChain::movable_edges(const Dag& dag) const {
  std::size_t count = 0;
  for (std::size_t v : lists_.movable()) count += (dag.parents(v) & lists_.are_movable()).size();
  return count;
}

void GraphChain::redraw_parents() {
  const std::size_t child = any_movable();
  const Weighed weighed = weigh(child, state_.dag.descendants(child), none);
  if (!weighed.has_current) return;  // redrawn only within the list
  const VariableSet& next = draw(child, weighed);
  if (next == state_.dag.parents(child)) return;
  state_.score += score_of(child, next) - score_of(child, state_.dag.parents(child));
  state_.dag.replace_parents(child, next);
}

void GraphChain::turn_and_redraw() {
  const std::size_t edges = movable_edges(state_.dag);
  if (edges == 0) return;
  std::size_t pick = std::size_t(sample_index(stream_, int(edges))), from = 0, to = 0;
  for (std::size_t v : lists_.movable())
    (state_.dag.parents(v) & lists_.are_movable()).each([&](std::size_t u) {
      if (pick-- == 0) from = u, to = v;
    });
  const auto listed = [&](std::size_t v) {
    const auto& sets = lists_.sets(v);
    return std::find(sets.begin(), sets.end(), state_.dag.parents(v)) != sets.end();
  };
  if (!listed(from) || !listed(to)) return;

  Dag bare = state_.dag;  // both ends without parents
  bare.replace_parents(from, {});
  bare.replace_parents(to, {});
  const Weighed forward_first = weigh(from, bare.descendants(from), to);
  if (forward_first.allowed.empty()) return;
  const VariableSet from_parents = draw(from, forward_first);
  Dag next = bare;
  next.replace_parents(from, from_parents);
  const Weighed forward_second = weigh(to, next.descendants(to), none);
  if (forward_second.allowed.empty()) return;
  const VariableSet to_parents = draw(to, forward_second);
  next.replace_parents(to, to_parents);

  const Weighed backward_first = weigh(to, bare.descendants(to), from);
  Dag old_half = bare;
  old_half.replace_parents(to, state_.dag.parents(to));
  const Weighed backward_second = weigh(from, old_half.descendants(from), none);
  const double log_ratio = std::log(double(edges)) - std::log(double(movable_edges(next))) +
                           forward_first.log_sum + forward_second.log_sum - backward_first.log_sum -
                           backward_second.log_sum;
  if (!accept(log_ratio)) return;
  state_.score += score_of(from, from_parents) + score_of(to, to_parents) -
                  score_of(from, state_.dag.parents(from)) - score_of(to, state_.dag.parents(to));
  state_.dag = next;
}

void GraphChain::toggle_edge() {
  const int m = int(table_.variables());
  std::size_t cause = 0, effect = 0;
  if (table_.restricted()) {
    effect = any_movable();
    const auto& candidates = table_.candidates(effect);
    if (candidates.empty()) return;
    cause = candidates[std::size_t(sample_index(stream_, int(candidates.size())))];
  } else {
    cause = std::size_t(sample_index(stream_, m));
    effect = std::size_t(sample_index(stream_, m));
  }
  if (cause == effect) return;
  if (!state_.dag.edge(cause, effect) && state_.dag.closes_cycle(cause, effect)) return;
  if (hopeless(table_, state_.regime, effect, state_.dag.parents(effect), cause)) return;
  const VariableSet next = state_.dag.parents(effect).flipped(cause);
  const double gain = score_of(effect, next) - score_of(effect, state_.dag.parents(effect));
  if (!accept(heat_ * gain)) return;
  state_.score += gain;
  state_.dag.replace_parents(effect, next);
}

void GraphChain::turn_edge() {
  const int m = int(table_.variables());
  const std::size_t cause = std::size_t(sample_index(stream_, m));
  const std::size_t effect = std::size_t(sample_index(stream_, m));
  if (cause == effect || !state_.dag.edge(cause, effect)) return;
  if (state_.dag.turning_closes_cycle(cause, effect)) return;
  const auto at_best = [&](std::size_t child, std::size_t v) {
    return FamilyTable::at_best(
        listing_estimate(table_, state_.regime, child, state_.dag.parents(child), v));
  };
  if (at_best(effect, cause) + at_best(cause, effect) < hopeless_gain) return;
  const VariableSet of_effect = state_.dag.parents(effect).flipped(cause);
  const VariableSet of_cause = state_.dag.parents(cause).flipped(effect);
  const double gain = score_of(effect, of_effect) + score_of(cause, of_cause) -
                      score_of(effect, state_.dag.parents(effect)) -
                      score_of(cause, state_.dag.parents(cause));
  if (!accept(heat_ * gain)) return;
  state_.score += gain;
  state_.dag.set_parents(effect, of_effect);
  state_.dag.set_parents(cause, of_cause);
  state_.dag.update();
}

void GraphChain::swap_parent() {
  const int m = int(table_.variables());
  const std::size_t child = std::size_t(sample_index(stream_, m));
  const std::size_t out = std::size_t(sample_index(stream_, m));
  const std::size_t in = std::size_t(sample_index(stream_, m));
  const VariableSet& parents = state_.dag.parents(child);
  if (in == child || out == child || in == out || !parents.has(out) || parents.has(in)) return;
  if (state_.dag.is_ancestor(child, in)) return;
  const VariableSet next = parents.flipped(out).flipped(in);
  if (listing_estimate(table_, state_.regime, child, parents.flipped(out), in) +
          score_of(child, parents.flipped(out)) - score_of(child, parents) <
      hopeless_gain)
    return;
  const double gain = score_of(child, next) - score_of(child, parents);
  if (!accept(heat_ * gain)) return;
  state_.score += gain;
  state_.dag.replace_parents(child, next);
}

/// Without shifts all graphs of the class score alike, and this reaches each of them at once.
void GraphChain::redraw_within_class() {
  const EquivalenceClass members = equivalence_class(state_.dag.graph());
  if (members.undirected.empty()) return;
  const Dag next = random_member(members, stream_);
  if (costly(next)) return;
  const double score = table_.total(state_.regime, next);
  if (!accept(heat_ * (score - state_.score))) return;
  state_.dag = next;
  state_.score = score;
}

/// Where scores are costly, whether going from here to there would need those of large families.
/// (The way back would need the same: leaving the move out leaves the distribution as it is.)
bool GraphChain::costly(const Dag& other) const {
  constexpr std::size_t large = 6;  // parents
  if (!table_.scores_are_dear()) return false;
  for (std::size_t v = 0; v < table_.variables(); ++v) {
    const VariableSet &here = state_.dag.parents(v), &there = other.parents(v);
    if (!(here == there) && std::max(here.size(), there.size()) > large) return true;
  }
  return false;
}

void GraphChain::move_to(std::size_t regime) {
  state_.regime = regime;
  state_.score = table_.total(regime, state_.dag);
}

/// Whether the environment is sparse and estimates leave nothing to the other states.
bool GraphChain::surely_sparse(std::size_t e) const {
  const auto hopeless = [&](EnvironmentState state) {
    const double gain = table_.estimated_redraw(state_.regime, state_.dag, e, state);
    return heat_ * (gain + FamilyTable::redraw_error) < -negligible;
  };
  return hopeless(EnvironmentState::all_soft) && hopeless(EnvironmentState::all_hard);
}

void GraphChain::redraw_environment() {
  const EnvironmentRegime present = table_.regime(state_.regime);
  if (present.quiet) return;
  const std::size_t e = std::size_t(sample_index(stream_, int(present.states.size())));
  if (table_.regime_prior().is_fixed(e)) return;
  if (surely_sparse(e)) return;
  constexpr EnvironmentState states[] = {EnvironmentState::sparse, EnvironmentState::all_soft,
                                         EnvironmentState::all_hard};
  std::vector<std::size_t> regimes;
  std::vector<double> scores;
  for (const EnvironmentState state : states) {
    EnvironmentRegime next = present;
    next.states[e] = state;
    regimes.push_back(table_.number_of(next));
    scores.push_back(heat_ * table_.total(regimes.back(), state_.dag));
  }
  double u = stream_.uniform();
  const double total = log_sum_exp(scores);
  std::size_t k = 0;
  while (k < 2 && (u -= std::exp(scores[k] - total)) > 0) ++k;
  if (regimes[k] != state_.regime) move_to(regimes[k]);
}

void GraphChain::redraw_quiet() {
  const EnvironmentRegime present = table_.regime(state_.regime);
  const std::size_t environments = present.states.size();
  const EnvironmentRegime sparse = sparse_regime(environments);
  if (!present.quiet && !(present == sparse)) return;
  const std::size_t other = table_.number_of(present.quiet ? sparse : quiet_regime(environments));
  const double score = table_.total(other, state_.dag);
  // A draw of the two, not a step between them.
  if (stream_.uniform() < sigmoid(heat_ * (score - state_.score))) move_to(other);
}

void GraphChain::sweep() {
  for (std::size_t k = 0; k < lists_.movable().size(); ++k) {
    redraw_parents();
    if (k % 2 == 0) turn_and_redraw();
    if (heat_ != 1) continue;  // a hot chain keeps to the lists: their scores are known
    toggle_edge();
    if (table_.restricted()) continue;  // lists have the other moves, and pairs are many
    turn_edge();
    swap_parent();
  }
  redraw_within_class();
  redraw_environment();
  redraw_quiet();
}

void GraphChain::exchange(GraphChain& other) {
  const double log_ratio = (heat_ - other.heat_) * (other.state_.score - state_.score);
  if (accept(log_ratio)) std::swap(state_, other.state_);
}

EdgeMatrix GraphChain::edge_probabilities() {
  EdgeMatrix present(table_.variables());
  for (std::size_t child = 0; child < table_.variables(); ++child) {
    const Weighed weighed = weigh(child, state_.dag.descendants(child), none);
    if (!weighed.has_current) {  // outside the list: the present state speaks for itself
      state_.dag.parents(child).each([&](std::size_t v) { present.at(v, child) = 1; });
      continue;
    }
    double total = 0;
    for (double weight : weighed.weights) total += weight;
    for (std::size_t k = 0; k < weighed.allowed.size(); ++k)
      lists_.sets(child)[weighed.allowed[k]].each(
          [&](std::size_t v) { present.at(v, child) += weighed.weights[k] / total; });
  }
  share_out_directions(table_, state_, stream_, present);
  return present;
}

namespace {

/// Which mechanisms changed in each sparse environment, drawn given the graph.
std::vector<std::vector<std::size_t>> draw_targets(const FamilyTable& table, const GraphDraw& graph,
                                                   Stream& stream) {
  const EnvironmentRegime regime = table.regime(graph.regime);
  std::vector<std::vector<std::size_t>> targets(regime.states.size());
  if (regime.quiet) return targets;
  for (std::size_t v = 0; v < table.variables(); ++v) {
    const std::vector<double>& changed = table.changed(graph.regime, v, graph.dag.parents(v));
    for (std::size_t e = 0; e < targets.size(); ++e)
      if (regime.states[e] == EnvironmentState::sparse && changed[e] > 1e-6 &&
          stream.uniform() < changed[e])
        targets[e].push_back(v);
  }
  return targets;
}

}  // namespace

void share_out_directions(const FamilyTable& table, const GraphDraw& graph, Stream& stream,
                          EdgeMatrix& present) {
  const EquivalenceClass members =
      equivalence_class(graph.dag.graph(), draw_targets(table, graph, stream));
  constexpr int drawn = 4;
  std::vector<double> forward(members.undirected.size(), 0.0);
  for (int k = 0; k < drawn && !members.undirected.empty(); ++k) {
    Dag member = random_member(members, stream);
    if (!table.allows(member)) member = graph.dag;
    for (std::size_t i = 0; i < forward.size(); ++i) {
      const auto& [a, b] = members.undirected[i];
      forward[i] += member.edge(a, b) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < forward.size(); ++i) {
    const auto& [a, b] = members.undirected[i];
    const double adjacent = present.at(a, b) + present.at(b, a);
    present.at(a, b) = adjacent * forward[i] / drawn;
    present.at(b, a) = adjacent - present.at(a, b);
  }
}

}  // namespace whence
