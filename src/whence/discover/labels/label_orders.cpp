// Graphs by labels from orders of their variables.
#include <algorithm>

#include "whence/backends/threads.hpp"
#include "whence/discover/labels/label_search.hpp"

namespace whence {

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
      const double value = score_.family_above(best, child, next);
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
    });
    // One for another, where nothing simpler helps.
    if (!moved)
      family.all().each([&](std::size_t v) {
        const LabelFamily rest{family.causes.without(v), family.linked.without(v)};
        partners.minus(family.all()).each([&](std::size_t other) {
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

/// Where the variable at a place of the order gains most, and how much: it is swapped with its
/// neighbours, one after the other, so that only two families change at a time.
LabelSearch::Place LabelSearch::best_place(const std::vector<std::size_t>& order,
                                           std::size_t from) const {
  const std::size_t v = order[from];
  VariableSet ahead;
  for (std::size_t k = 0; k < from; ++k) ahead.insert(order[k]);
  const auto swapped = [&](std::size_t first, std::size_t second, const VariableSet& before) {
    return family_in_order(second, before, nullptr) +
           family_in_order(first, before.with(second), nullptr) -
           family_in_order(first, before, nullptr) -
           family_in_order(second, before.with(first), nullptr);
  };
  Place best{0, from};
  VariableSet before = ahead;
  double gained = 0;
  for (std::size_t to = from; to-- > 0 && !stopped();) {
    before.erase(order[to]);
    gained += swapped(order[to], v, before);
    if (gained > best.gain) best = {gained, to};
  }
  before = ahead;
  gained = 0;
  for (std::size_t to = from + 1; to < m_ && !stopped(); ++to) {
    gained += swapped(v, order[to], before);
    before.insert(order[to]);
    if (gained > best.gain) best = {gained, to};
  }
  return best;
}

/// Puts variables where they gain most, those that gain most first, until nothing does.
void LabelSearch::improve_order(std::vector<std::size_t>& order) const {
  for (bool moved = true; moved && !stopped();) {
    moved = false;
    std::vector<std::pair<double, std::size_t>> promising(m_);
    share("places", m_, [&](std::size_t k) { best_place(order, k); });
    parallel_for(m_, options_.threads, [&](std::size_t k) {
      promising[k] = {-best_place(order, k).gain, order[k]};
    });
    std::sort(promising.begin(), promising.end());
    for (const auto& [loss, v] : promising) {
      if (-loss <= improved) break;
      const auto at = std::find(order.begin(), order.end(), v);
      const Place place = best_place(order, std::size_t(at - order.begin()));
      if (place.gain <= improved) continue;
      order.erase(at);
      order.insert(order.begin() + std::ptrdiff_t(place.at), v);
      moved = true;
    }
  }
}

/// Where two orders in a row end at the same score, further ones are not tried.
void LabelSearch::from_orders(const std::vector<std::vector<std::size_t>>& starts) {
  double last = -INFINITY;
  for (std::vector<std::size_t> order : starts) {
    if (stopped()) return;
    improve_order(order);
    LabelGraph graph(m_);
    order_score(order, &graph);
    climb(graph, options_.threads);
    const double reached = total(graph);
    if (reached > total(best_)) best_ = graph;
    if (std::abs(reached - last) < improved) return;
    last = reached;
  }
}

}  // namespace whence
