#include "whence/discover/labels/label_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/backends/threads.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr double impossible = -1e9;  // nats
constexpr double improved = 1e-6;    // smaller gains are rounding
constexpr double clear_move = 5;     // nats: the variable's own law differs

}  // namespace

Link LabelGraph::link(std::size_t a, std::size_t b) const {
  const LabelFamily &of_a = families[a], &of_b = families[b];
  if (of_b.linked.has(a)) return of_b.causes.has(a) ? Link::forward : Link::hidden_forward;
  if (of_a.linked.has(b)) return of_a.causes.has(b) ? Link::backward : Link::hidden_backward;
  if (of_b.causes.has(a)) return Link::shift_forward;
  return of_a.causes.has(b) ? Link::shift_backward : Link::none;
}

void LabelGraph::set(std::size_t a, std::size_t b, Link link) {
  LabelFamily &of_a = families[a], &of_b = families[b];
  of_a = {of_a.causes.without(b), of_a.linked.without(b)};
  of_b = {of_b.causes.without(a), of_b.linked.without(a)};
  switch (link) {
    case Link::none: break;
    case Link::forward: of_b = {of_b.causes.with(a), of_b.linked.with(a)}; break;
    case Link::backward: of_a = {of_a.causes.with(b), of_a.linked.with(b)}; break;
    case Link::hidden_forward: of_b.linked = of_b.linked.with(a); break;
    case Link::hidden_backward: of_a.linked = of_a.linked.with(b); break;
    case Link::shift_forward: of_b.causes = of_b.causes.with(a); break;
    case Link::shift_backward: of_a.causes = of_a.causes.with(b); break;
  }
}

bool LabelGraph::reaches(std::size_t from, std::size_t to) const {
  std::vector<std::size_t> open = {to};
  VariableSet seen = VariableSet().with(to);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == from) return true;
    const VariableSet fresh = families[at].all().minus(seen);
    seen = seen | fresh;
    fresh.each([&](std::size_t v) { open.push_back(v); });
  }
  return false;
}

std::vector<std::size_t> LabelGraph::order() const {
  std::vector<std::size_t> list;
  VariableSet placed;
  while (list.size() < variables())
    for (std::size_t v = 0; v < variables(); ++v)
      if (!placed.has(v) && families[v].all().minus(placed).empty()) {
        list.push_back(v);
        placed = placed.with(v);
      }
  return list;
}

LabelSearch::LabelSearch(LabelScore& score, const LabelSearchOptions& options)
    : score_(score),
      options_(options),
      m_(score.variables()),
      candidates_(m_ * m_),
      partners_(m_),
      movers_(m_),
      unmoved_by_(m_),
      best_(m_) {}

double LabelSearch::total(const LabelGraph& graph) const {
  double sum = 0;
  for (std::size_t v = 0; v < m_; ++v) sum += score_.family(v, graph.families[v]);
  return sum;
}

bool LabelSearch::allowed(std::size_t a, std::size_t b, Link link) const {
  const bool goes_forward = link == Link::forward || link == Link::shift_forward;
  const bool goes_backward = link == Link::backward || link == Link::shift_backward;
  using Word = EdgeKnowledge::Word;
  const bool known = options_.knowledge != nullptr && !options_.knowledge->words.empty();
  const Word forward = known ? options_.knowledge->of(m_, a, b) : Word::open,
             backward = known ? options_.knowledge->of(m_, b, a) : Word::open;
  if (goes_forward && forward != Word::required && unmoved_by_[b].has(a)) return false;
  if (goes_backward && backward != Word::required && unmoved_by_[a].has(b)) return false;
  if (forward == Word::required) return goes_forward;
  if (backward == Word::required) return goes_backward;
  return !(goes_forward && forward == Word::forbidden) &&
         !(goes_backward && backward == Word::forbidden);
}

bool LabelSearch::allows_family(std::size_t child, const LabelFamily& family) const {
  if (family.all().size() > options_.most_parents) return false;
  if (options_.knowledge == nullptr || options_.knowledge->words.empty())
    return (family.causes & unmoved_by_[child]).empty();
  bool fine = true;
  for (std::size_t v = 0; v < m_; ++v) {
    const auto word = options_.knowledge->of(m_, v, child);
    const bool barred = word == EdgeKnowledge::Word::forbidden ||
                        (word != EdgeKnowledge::Word::required && unmoved_by_[child].has(v));
    if (barred && family.causes.has(v)) fine = false;
    if (word == EdgeKnowledge::Word::required && !family.causes.has(v)) fine = false;
    if (options_.knowledge->of(m_, child, v) == EdgeKnowledge::Word::required &&
        family.all().has(v))
      fine = false;
  }
  return fine;
}

/// Pairs that depend on each other, alone or beside others, or that move together.
void LabelSearch::find_candidates() {
  const JointEvidence& joint = score_.joint();
  const double rows = double(joint.rows()), price = 0.01 * rows;
  constexpr std::size_t most_partners = 20, most_blanket = 8;
  std::vector<double> marginal(m_ * m_, -INFINITY);
  parallel_for(m_, options_.threads, [&](std::size_t a) {
    if (stopped()) return;
    for (std::size_t b = 0; b < a; ++b) {
      const auto one = VariableSet().with(a), other = VariableSet().with(b);
      marginal[a * m_ + b] =
          joint.joint(one | other) - joint.joint(one) - joint.joint(other) - price;
    }
  });
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = 0; b < a; ++b) marginal[b * m_ + a] = marginal[a * m_ + b];
  std::vector<VariableSet> blanket(m_);
  parallel_for(m_, options_.threads, [&](std::size_t i) {
    if (stopped()) return;
    // In large tables only the strongest partners are tried beside others.
    std::vector<std::size_t> tried;
    for (std::size_t v = 0; v < m_; ++v)
      if (v != i) tried.push_back(v);
    if (tried.size() > most_partners) {
      std::stable_sort(tried.begin(), tried.end(), [&](std::size_t a, std::size_t b) {
        return marginal[i * m_ + a] > marginal[i * m_ + b];
      });
      tried.resize(most_partners);
    }
    VariableSet given;
    double reached = joint.conditional(i, given);
    for (std::size_t step = 0; step < most_blanket; ++step) {
      double best = reached + price + 3;
      VariableSet better = given;
      for (std::size_t v : tried) {
        if (given.has(v)) continue;
        const double next = joint.conditional(i, given.with(v));
        if (next <= best) continue;
        best = next;
        better = given.with(v);
      }
      if (better == given) break;
      given = better;
      reached = best;
    }
    blanket[i] = given;
  });
  const ShiftEvidence& shift = score_.shift();
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = a + 1; b < m_; ++b) {
      bool found = marginal[a * m_ + b] > 0 || blanket[a].has(b) || blanket[b].has(a);
      for (std::size_t e = 0; e < shift.environments() && !found; ++e)
        found = shift.moved(a, e) > clear_move && shift.moved(b, e) > clear_move;
      if (options_.knowledge != nullptr && !options_.knowledge->words.empty())
        found = found || !allowed(a, b, Link::none);
      candidates_[a * m_ + b] = candidates_[b * m_ + a] = found ? 1 : 0;
    }
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = 0; b < m_; ++b)
      if (candidate(a, b)) partners_[a] = partners_[a].with(b);
}

/// For each variable, what moved most in the environments where it moved.
void LabelSearch::find_movers() {
  constexpr double far = 10;
  const ShiftEvidence& shift = score_.shift();
  for (std::size_t e = 0; e < shift.environments(); ++e) {
    std::size_t top = m_;
    double most = far;
    for (std::size_t v = 0; v < m_; ++v)
      if (shift.moved(v, e) > most) {
        most = shift.moved(v, e);
        top = v;
      }
    for (std::size_t v = 0; v < m_ && top < m_; ++v)
      if (v != top && shift.moved(v, e) > far) movers_[v] = movers_[v].with(top);
  }
}

/// A cause that moves in most environments moves its effects there. What moves nearly everywhere
/// could otherwise pass for the cause of every change.
void LabelSearch::find_restless() {
  constexpr std::size_t fewest = 4;
  // How much of the labels a cause gives away, and in which share of such environments an effect
  // may stay where it is: the further the cause moves, the fewer.
  constexpr std::pair<double, double> limits[] = {{0.2, 0.5}, {0.5, 0.25}};
  const ShiftEvidence& shift = score_.shift();
  const std::size_t environments = shift.environments();
  for (const auto& [far, share] : limits)
    for (std::size_t a = 0; a < m_; ++a) {
      std::vector<std::size_t> moves;
      for (std::size_t e = 0; e < environments; ++e)
        if (shift.given_away(VariableSet().with(a), e) > far) moves.push_back(e);
      if (moves.size() < fewest || 2 * moves.size() <= environments) continue;
      for (std::size_t b = 0; b < m_; ++b) {
        const auto still = std::count_if(moves.begin(), moves.end(), [&](std::size_t e) {
          return shift.moved(b, e) <= std::log(double(m_));
        });
        if (b != a && double(still) > share * double(moves.size()))
          unmoved_by_[b] = unmoved_by_[b].with(a);
      }
    }
}

/// Of putting another link between two variables; `impossible` where that closes a cycle.
double LabelSearch::gain(const LabelGraph& graph, std::size_t a, std::size_t b, Link link) const {
  if (!allowed(a, b, link)) return impossible;
  LabelGraph other = graph;
  other.set(a, b, Link::none);
  const bool forward =
      link == Link::forward || link == Link::hidden_forward || link == Link::shift_forward;
  if (link != Link::none && (forward ? other.reaches(b, a) : other.reaches(a, b)))
    return impossible;
  other.set(a, b, link);
  if (other.families[a].all().size() > options_.most_parents ||
      other.families[b].all().size() > options_.most_parents)
    return impossible;
  double sum = 0;
  for (std::size_t v : {a, b})
    if (!(other.families[v] == graph.families[v]))
      sum += score_.family(v, other.families[v]) - score_.family(v, graph.families[v]);
  return sum;
}

void LabelSearch::climb(LabelGraph& graph, std::optional<Pair> kept) const {
  struct Move {
    double gain = improved;
    std::size_t b = 0;
    Link link = Link::none;
  };
  for (std::vector<Move> best(m_); !stopped();) {
    parallel_for(m_, options_.threads, [&](std::size_t a) {
      best[a] = {};
      for (std::size_t b = a + 1; b < m_; ++b) {
        if (!candidate(a, b) || kept == Pair(a, b)) continue;
        for (int k = 0; k < link_kinds; ++k) {
          if (Link(k) == graph.link(a, b)) continue;
          const double found = gain(graph, a, b, Link(k));
          if (found > best[a].gain) best[a] = {found, b, Link(k)};
        }
      }
    });
    std::size_t top = 0;
    for (std::size_t a = 1; a < m_; ++a)
      if (best[a].gain > best[top].gain) top = a;
    if (best[top].gain <= improved) return;
    graph.set(top, best[top].b, best[top].link);
  }
}

/// Whether every edge that must be there is there.
bool LabelSearch::keeps_required(const LabelGraph& graph) const {
  if (options_.knowledge == nullptr || options_.knowledge->words.empty()) return true;
  for (std::size_t cause = 0; cause < m_; ++cause)
    for (std::size_t v = 0; v < m_; ++v)
      if (options_.knowledge->of(m_, cause, v) == EdgeKnowledge::Word::required &&
          !graph.families[v].causes.has(cause))
        return false;
  return true;
}

bool LabelSearch::known(std::size_t from, std::size_t to, bool hidden) const {
  if (options_.knowledge == nullptr || options_.knowledge->words.empty()) return true;
  using Word = EdgeKnowledge::Word;
  const Word forward = options_.knowledge->of(m_, from, to),
             backward = options_.knowledge->of(m_, to, from);
  if (hidden) return forward != Word::required && backward != Word::required;
  return forward != Word::forbidden && backward != Word::required;
}

std::optional<LabelGraph> LabelSearch::alternative(std::size_t from, std::size_t to,
                                                   bool hidden) const {
  const Pair pair(std::min(from, to), std::max(from, to));
  const Link link = hidden ? (from < to ? Link::hidden_forward : Link::hidden_backward)
                           : (from < to ? Link::forward : Link::backward);
  if (!allowed(pair.first, pair.second, link)) return {};
  // The cause is moved just before its effect in the order; what then points backwards is dropped.
  std::vector<std::size_t> order = best_.order();
  order.erase(std::find(order.begin(), order.end(), from));
  order.insert(std::find(order.begin(), order.end(), to), from);
  LabelGraph graph(m_);
  VariableSet before;
  for (std::size_t v : order) {
    const LabelFamily& family = best_.families[v];
    graph.families[v] = {family.causes & before, family.linked & before};
    before = before.with(v);
  }
  graph.set(pair.first, pair.second, link);
  if (graph.families[to].all().size() > options_.most_parents || !keeps_required(graph)) return {};
  climb(graph, pair);
  return graph;
}

/// Best family among the variables before the child, one change at a time.
LabelFamily LabelSearch::grown(std::size_t child, const VariableSet& before,
                               VariableSet start) const {
  const VariableSet partners = before & partners_[child];
  start = start & partners;
  for (std::size_t v = 0; v < m_ && options_.knowledge != nullptr; ++v)
    if (options_.knowledge->of(m_, v, child) == EdgeKnowledge::Word::required && before.has(v))
      start = start.with(v);
  LabelFamily family{start, start};
  if (!allows_family(child, family)) family = {};
  double reached = score_.family(child, family);
  for (bool moved = true; moved && !stopped();) {
    moved = false;
    LabelFamily better = family;
    double best = reached + improved;
    const auto consider = [&](const LabelFamily& next) {
      if (next == family || !allows_family(child, next)) return;
      const double value = score_.family(child, next);
      if (value <= best) return;
      best = value;
      better = next;
      moved = true;
    };
    partners.each([&](std::size_t v) {
      const LabelFamily rest{family.causes.without(v), family.linked.without(v)};
      consider(rest);
      consider({rest.causes.with(v), rest.linked.with(v)});
      consider({rest.causes, rest.linked.with(v)});
      consider({rest.causes.with(v), rest.linked});
      if (family.all().has(v))
        partners.each([&](std::size_t other) {
          if (!family.all().has(other))
            consider({rest.causes.with(other), rest.linked.with(other)});
        });
    });
    family = better;
    if (moved) reached = best;
  }
  return family;
}

LabelFamily LabelSearch::best_family(std::size_t child, const VariableSet& before) const {
  const LabelFamily plain = grown(child, before, {});
  VariableSet likely = movers_[child] & before & partners_[child];
  constexpr std::size_t most = 6;
  while (likely.size() > most) likely = likely.without(likely.members().back());
  if (likely.empty()) return plain;
  const LabelFamily other = grown(child, before, likely);
  return score_.family(child, plain) >= score_.family(child, other) ? plain : other;
}

double LabelSearch::family_in_order(std::size_t child, const VariableSet& before,
                                    LabelFamily* found) const {
  const VariableSet partners = before & partners_[child];
  const LabelFamily& family =
      best_families_.get({child, partners}, [&] { return best_family(child, partners); });
  if (found != nullptr) *found = family;
  double missing = 0;
  for (std::size_t v = 0; v < m_ && options_.knowledge != nullptr; ++v)
    if (options_.knowledge->of(m_, v, child) == EdgeKnowledge::Word::required && !before.has(v))
      missing += impossible;
  return score_.family(child, family) + missing;
}

double LabelSearch::order_score(const std::vector<std::size_t>& order, LabelGraph* graph) const {
  VariableSet before;
  double sum = 0;
  for (std::size_t v : order) {
    sum += family_in_order(v, before, graph != nullptr ? &graph->families[v] : nullptr);
    before = before.with(v);
  }
  return sum;
}

/// Takes one variable out of the order and puts it back where that gains most, until nothing does.
void LabelSearch::improve_order(std::vector<std::size_t>& order) const {
  double reached = order_score(order, nullptr);
  std::vector<std::pair<double, std::size_t>> best(m_);
  while (!stopped()) {
    parallel_for(m_, options_.threads, [&](std::size_t from) {
      best[from] = {reached + improved, from};
      for (std::size_t to = 0; to < m_ && !stopped(); ++to) {
        if (to == from) continue;
        std::vector<std::size_t> other = order;
        other.erase(other.begin() + std::ptrdiff_t(from));
        other.insert(other.begin() + std::ptrdiff_t(to), order[from]);
        const double value = order_score(other, nullptr);
        if (value > best[from].first) best[from] = {value, to};
      }
    });
    std::size_t top = 0;
    for (std::size_t from = 1; from < m_; ++from)
      if (best[from].first > best[top].first) top = from;
    if (best[top].second == top) return;
    const std::size_t moved = order[top];
    order.erase(order.begin() + std::ptrdiff_t(top));
    order.insert(order.begin() + std::ptrdiff_t(best[top].second), moved);
    reached = best[top].first;
  }
}

void LabelSearch::from_orders(const std::vector<std::vector<std::size_t>>& starts) {
  for (std::vector<std::size_t> order : starts) {
    if (stopped()) return;
    improve_order(order);
    LabelGraph graph(m_);
    order_score(order, &graph);
    climb(graph);
    if (total(graph) > total(best_)) best_ = graph;
  }
}

/// What moved in an environment may explain a change that is still unexplained there.
void LabelSearch::add_candidates_of_changes() {
  const ShiftEvidence& shift = score_.shift();
  for (int round = 0; round < 2 && !stopped(); ++round) {
    bool added = false;
    for (std::size_t e = 0; e < shift.environments(); ++e)
      for (std::size_t i = 0; i < m_; ++i) {
        if (shift.change(i, best_.families[i].causes, e) <= 0) continue;
        for (std::size_t v = 0; v < m_; ++v) {
          if (v == i || candidate(v, i) || shift.moved(v, e) <= clear_move) continue;
          candidates_[v * m_ + i] = candidates_[i * m_ + v] = 1;
          partners_[v] = partners_[v].with(i);
          partners_[i] = partners_[i].with(v);
          added = true;
        }
      }
    if (!added) return;
    climb(best_);
  }
}

/// Drift of environments and of mechanisms by empirical Bayes, given a graph.
LabelRegime LabelSearch::estimated_regime(const LabelGraph& graph) const {
  const ShiftEvidence& shift = score_.shift();
  const std::size_t environments = shift.environments(), scales = drift_scales.size();
  const double log_m = std::log(double(m_)), changed = -log_m,
               unchanged = std::log1p(-1.0 / double(m_));
  // [variable][environment][scale]: log-probability of what is seen.
  std::vector<double> table(m_ * environments * scales);
  parallel_for(m_ * environments, options_.threads, [&](std::size_t k) {
    const std::size_t v = k / environments, e = k % environments;
    const DriftedChange& seen = shift.drifted(v, graph.families[v].causes, e);
    for (std::size_t t = 0; t < scales; ++t)
      table[k * scales + t] = log_add_exp(unchanged - double(seen.log_odds[t]), changed);
  });
  LabelRegime regime = score_.regime();
  std::fill(regime.environment_drift.begin(), regime.environment_drift.end(), 0);
  std::fill(regime.variable_drift.begin(), regime.variable_drift.end(), 0);
  constexpr double usual_drift = 0.3;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t e = 0; e < environments; ++e) {
      double best = -INFINITY;
      for (std::size_t t = 0; t < scales; ++t) {
        double value = t > 0 ? -2 * log_m - 0.5 * std::pow(drift_scales[t] / usual_drift, 2) : 0;
        for (std::size_t v = 0; v < m_; ++v)
          value +=
              table[(v * environments + e) * scales + combined_drift(t, regime.variable_drift[v])];
        if (value <= best + 1e-9) continue;
        best = value;
        regime.environment_drift[e] = t;
      }
    }
    constexpr std::size_t few_environments = 4;
    for (std::size_t v = 0; v < m_ && environments >= few_environments; ++v) {
      double best = -INFINITY;
      for (std::size_t t = 0; t < scales; ++t) {
        double value = t > 0 ? -2 * log_m : 0;
        for (std::size_t e = 0; e < environments; ++e)
          value += table[(v * environments + e) * scales +
                         combined_drift(regime.environment_drift[e], t)];
        if (value <= best + 1e-9) continue;
        best = value;
        regime.variable_drift[v] = t;
      }
    }
  }
  return regime;
}

/// The best graph's score under the present regime, with the price of each drift in it.
double LabelSearch::total_with_drift() const {
  const LabelRegime& regime = score_.regime();
  const auto drifting = [](std::size_t scale) { return scale > 0; };
  const auto count =
      std::count_if(regime.variable_drift.begin(), regime.variable_drift.end(), drifting) +
      std::count_if(regime.environment_drift.begin(), regime.environment_drift.end(), drifting);
  return total(best_) - 2 * std::log(double(m_)) * double(count);
}

/// An effect that drifts seems to be linked through something hidden until its drift is known: each
/// such link is tried as a cause, with the drift that goes with it.
void LabelSearch::try_drifting_effects() {
  const LabelGraph start = best_;
  for (std::size_t to = 0; to < m_; ++to)
    start.families[to].linked.minus(start.families[to].causes).each([&](std::size_t from) {
      const std::size_t low = std::min(from, to), high = std::max(from, to);
      const Link link = from < to ? Link::forward : Link::backward;
      if (stopped() || !allowed(low, high, link)) return;
      const LabelGraph before = best_;
      const LabelRegime regime = score_.regime();
      const double reached = total_with_drift();
      best_.set(low, high, link);
      LabelRegime other = estimated_regime(best_);
      other.counts = regime.counts;
      score_.set_regime(other);
      if (total_with_drift() > reached + improved) return;
      best_ = before;
      score_.set_regime(regime);
    });
}

/// Estimates drift, drops environments in which too much changed, and searches again.
void LabelSearch::refine(const Progress& progress) {
  constexpr double everything_drifts = 0.8;
  const std::size_t environments = score_.environments();
  const auto search_again = [&] {
    best_families_.clear();
    climb(best_);
    from_orders({best_.order()});
  };
  for (int round = 0; round < 3 && !stopped(); ++round) {
    LabelRegime regime = estimated_regime(best_);
    for (std::size_t e = 0; e < environments; ++e)
      regime.counts[e] = drift_scales[regime.environment_drift[e]] < everything_drifts ? 1 : 0;
    if (round > 0 && regime == score_.regime()) break;
    score_.set_regime(regime);
    if (round == 0) try_drifting_effects();
    if (round < 2) search_again();
    if (progress) progress(0.6 + 0.05 * round);
  }
  for (int round = 0; round < 3 && !stopped(); ++round) {
    LabelRegime regime = score_.regime();
    const double many = std::max(2.0, double(m_) / 3);
    bool dropped = false;
    for (std::size_t e = 0; e < environments; ++e) {
      if (!regime.counts[e]) continue;
      double changed = 0;
      for (std::size_t v = 0; v < m_; ++v)
        changed += score_.change(v, best_.families[v].causes, e) > std::log(double(m_)) ? 1 : 0;
      if (changed <= many) continue;
      regime.counts[e] = 0;
      dropped = true;
    }
    if (!dropped) return;
    score_.set_regime(regime);
    search_again();
  }
}

/// Turns each edge of the best graph round, or makes it hidden, and fits all else to that; or
/// leaves it out for what stands next to the cause; until nothing gains by it.
void LabelSearch::try_alternatives() {
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    const LabelGraph start = best_;
    LabelGraph better = best_;
    for (std::size_t to = 0; to < m_; ++to)
      start.families[to].causes.each([&](std::size_t from) {
        if (stopped()) return;
        for (bool hidden : {false, true}) {
          const auto found = hidden ? alternative(from, to, true) : alternative(to, from, false);
          if (found && total(*found) > total(better) + improved) better = *found;
        }
        const auto found = bypassed(from, to);
        if (found && total(*found) > total(better) + improved) better = *found;
      });
    if (better == start) return;
    climb(better);
    best_ = better;
  }
}

void LabelSearch::run(const Progress& progress) {
  for (std::size_t e = 0; e < score_.environments(); ++e)  // once, before threads ask for them
    for (std::size_t v = 0; v < m_; ++v) score_.shift().moved(v, e);
  find_candidates();
  if (progress) progress(0.15);
  find_movers();
  find_restless();
  for (std::size_t v = 0; v < m_ && options_.knowledge != nullptr; ++v)
    for (std::size_t cause = 0; cause < m_; ++cause)
      if (options_.knowledge->of(m_, cause, v) == EdgeKnowledge::Word::required)
        best_.set(std::min(cause, v), std::max(cause, v),
                  cause < v ? Link::forward : Link::backward);
  climb(best_);
  if (progress) progress(0.3);
  // Orders to start from: what moves rarely first; that of the climbed graph; random ones.
  std::vector<std::size_t> rare(m_);
  std::iota(rare.begin(), rare.end(), 0);
  std::vector<std::size_t> moves(m_);
  for (std::size_t v = 0; v < m_; ++v)
    for (std::size_t e = 0; e < score_.environments(); ++e)
      moves[v] += score_.shift().moved(v, e) > 2 * clear_move ? 1 : 0;
  std::stable_sort(rare.begin(), rare.end(),
                   [&](std::size_t a, std::size_t b) { return moves[a] < moves[b]; });
  std::vector<std::vector<std::size_t>> starts = {rare, best_.order()};
  Stream stream(options_.seed, Purpose::search, {7, 0, 0});
  while (int(starts.size()) < options_.starts) {
    std::vector<std::size_t> order = rare;
    for (std::size_t i = m_; i > 1; --i)
      std::swap(order[i - 1], order[std::size_t(sample_index(stream, int(i)))]);
    starts.push_back(order);
  }
  from_orders(starts);
  add_candidates_of_changes();
  if (progress) progress(0.6);
  refine(progress);
  try_alternatives();
}

/// One proposal: another link between a pair of candidates, or one parent for another.
bool LabelSearch::step(LabelGraph& graph, Stream& stream) const {
  if (stream.uniform() < 1.0 / 3) {
    const auto child = std::size_t(sample_index(stream, int(m_)));
    const LabelFamily& family = graph.families[child];
    const std::vector<std::size_t> in = family.all().members();
    std::vector<std::size_t> out;
    partners_[child].each([&](std::size_t v) {
      if (!family.all().has(v) && !graph.families[v].all().has(child)) out.push_back(v);
    });
    if (in.empty() || out.empty()) return false;
    const std::size_t old = in[std::size_t(sample_index(stream, int(in.size())))];
    const std::size_t fresh = out[std::size_t(sample_index(stream, int(out.size())))];
    LabelGraph other = graph;
    LabelFamily& next = other.families[child];
    next = {next.causes.without(old), next.linked.without(old)};
    if (other.reaches(child, fresh)) return false;
    if (family.causes.has(old)) next.causes = next.causes.with(fresh);
    if (family.linked.has(old)) next.linked = next.linked.with(fresh);
    if (!allows_family(child, next)) return false;
    const double gained = score_.family(child, next) - score_.family(child, family);
    if (std::log(stream.uniform()) >= gained) return false;
    graph = other;
    return true;
  }
  const auto a = std::size_t(sample_index(stream, int(m_)));
  const std::vector<std::size_t> partners = partners_[a].members();
  if (partners.empty()) return false;
  const std::size_t b = partners[std::size_t(sample_index(stream, int(partners.size())))];
  const auto link = Link(sample_index(stream, link_kinds));
  const std::size_t low = std::min(a, b), high = std::max(a, b);
  if (link == graph.link(low, high)) return false;
  const double gained = gain(graph, low, high, link);
  if (std::log(stream.uniform()) >= gained) return false;
  graph.set(low, high, link);
  return true;
}

std::vector<LabelGraph> LabelSearch::draw(const Progress& progress) {
  constexpr int every = 10;
  const auto chains = std::size_t(options_.chains);
  std::vector<std::vector<LabelGraph>> drawn(chains);
  parallel_for(
      chains, options_.threads,
      [&](std::size_t c) {
        Stream stream(options_.seed, Purpose::search, {8, std::uint32_t(c), 0});
        LabelGraph graph = best_;
        for (int s = 0; s < options_.steps && !stopped(); ++s) {
          step(graph, stream);
          if (s % every == every - 1 && s >= options_.steps / 10) drawn[c].push_back(graph);
        }
      },
      [&](double share) {
        if (progress) progress(0.75 + 0.25 * share);
      });
  std::vector<LabelGraph> all;
  for (const auto& list : drawn) all.insert(all.end(), list.begin(), list.end());
  if (all.empty()) all.push_back(best_);
  return all;
}

}  // namespace whence
