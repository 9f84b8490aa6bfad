#include "whence/discover/labels/label_support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/math/logspace.hpp"

namespace whence {

namespace {

void add_up(LabelSupport& support) {
  const auto& terms = support.against_reverse;
  support.reverse = std::accumulate(terms.begin(), terms.end(), 0.0);
  support.hidden =
      std::accumulate(support.against_hidden.begin(), support.against_hidden.end(), 0.0);
  if (terms.empty()) return;
  support.best = std::size_t(std::max_element(terms.begin(), terms.end()) - terms.begin());
  support.clearest = terms[support.best];
  support.without_best = support.reverse - std::max(0.0, support.clearest);
}

/// What shifts say of a whole graph, by environment.
std::vector<double> shift_scores(const LabelScore& score, const LabelGraph& graph,
                                 const std::vector<char>& speaks) {
  std::vector<double> sums(score.environments());
  for (std::size_t v = 0; v < graph.variables(); ++v) {
    const std::vector<double> terms = score.by_environment(v, graph.families[v]);
    for (std::size_t e = 0; e < sums.size(); ++e)
      if (speaks[e]) sums[e] += terms[e];
  }
  return sums;
}

/// Puts the difference to a rival graph in place of a support that is stronger.
void weaken(std::vector<double>& support, const std::vector<double>& best,
            const std::vector<double>& rival) {
  const auto sum = [](const std::vector<double>& terms) {
    return std::accumulate(terms.begin(), terms.end(), 0.0);
  };
  if (sum(best) - sum(rival) >= sum(support)) return;
  for (std::size_t e = 0; e < support.size(); ++e) support[e] = best[e] - rival[e];
}

}  // namespace

LabelSupport label_support(const LabelScore& score, const LabelGraph& graph, std::size_t from,
                           std::size_t to, const std::vector<char>& speaks) {
  // The two families without any link between them, then with each of the rivals.
  LabelGraph apart = graph;
  apart.set(std::min(from, to), std::max(from, to), Link::none);
  const LabelFamily cause = apart.families[from], effect = apart.families[to];
  const auto linked = [](LabelFamily family, std::size_t v, bool causal) {
    family.linked = family.linked.with(v);
    if (causal) family.causes = family.causes.with(v);
    return family;
  };
  const std::vector<double> cause_alone = score.by_environment(from, cause);
  const std::vector<double> effect_alone = score.by_environment(to, effect);
  const std::vector<double> effect_caused = score.by_environment(to, linked(effect, from, true));
  const std::vector<double> cause_caused = score.by_environment(from, linked(cause, to, true));
  LabelSupport support;
  for (std::size_t e = 0; e < score.environments(); ++e) {
    const double counts = speaks[e] ? 1 : 0;
    support.against_reverse.push_back(
        counts * (cause_alone[e] + effect_caused[e] - cause_caused[e] - effect_alone[e]));
    support.against_hidden.push_back(counts * (effect_caused[e] - effect_alone[e]));
  }
  add_up(support);
  return support;
}

DirectionLimit direction_limit(const LabelSupport& support) {
  constexpr double clear = 4;  // nats: odds of 50
  constexpr double unsupported = 0.75, contested = 0.9;
  if (support.reverse < clear) return {unsupported, RestOf::reverse};
  // Many environments that hardly tell add up to how mechanisms were priced, not to a shift.
  if (support.clearest < std::log(20.0)) return {contested, RestOf::reverse};
  if (support.hidden < clear) return {contested, RestOf::hidden};
  if (support.without_best < -1) return {contested, RestOf::reverse};  // the others turn it round
  return {};
}

/// What stands between two variables in a graph without this edge.
static RestOf rest_in(const LabelGraph& rival, std::size_t from, std::size_t to) {
  if (rival.families[from].causes.has(to)) return RestOf::reverse;
  const bool linked = rival.families[from].all().has(to) || rival.families[to].all().has(from);
  return linked ? RestOf::hidden : RestOf::no_link;
}

/// An edge is no surer than its graph leads the one that goes round it.
static DirectionLimit bypass_limit(double lead) {
  const double clear = std::log(50.0);
  if (lead >= clear) return {};
  return {sigmoid(std::max(lead, 0.0)), RestOf::no_link};
}

Judgement judged_edges(const LabelScore& score, LabelSearch& search,
                       const std::vector<char>& speaks) {
  constexpr double plausible = 10;  // nats: rivals whose whole graph fits worse do not count
  const LabelGraph& best = search.best();
  const std::vector<double> now = shift_scores(score, best, speaks);
  Judgement judgement;
  std::vector<JudgedEdge>& list = judgement.edges;
  for (const auto& [from, to, reversed, hidden, bypassed] : search.rivals()) {
    JudgedEdge& edge =
        list.emplace_back(JudgedEdge{from, to, label_support(score, best, from, to, speaks), {}});
    if (reversed) weaken(edge.support.against_reverse, now, shift_scores(score, *reversed, speaks));
    if (hidden) weaken(edge.support.against_hidden, now, shift_scores(score, *hidden, speaks));
    add_up(edge.support);
    // What is known needs no support.
    constexpr double certain = 1e6;
    LabelSupport support = edge.support;
    if (!search.may_cause(edge.to, edge.from))
      support.reverse = support.without_best = support.clearest = certain;
    if (!search.may_be_hidden(edge.from, edge.to)) support.hidden = certain;
    edge.limit = direction_limit(support);
    if (bypassed) {
      const auto limit = bypass_limit(search.best_score() - search.total(*bypassed));
      if (limit.highest < edge.limit.highest) edge.limit = limit;
    }
    const auto& rival = edge.limit.rest == RestOf::reverse  ? reversed
                        : edge.limit.rest == RestOf::hidden ? hidden
                                                            : bypassed;
    if (edge.limit.highest < 1 && rival && search.total(*rival) > search.best_score() - plausible)
      judgement.rivals.push_back({*rival, 1 - edge.limit.highest});
  }
  for (JudgedEdge& edge : list)
    for (const auto& [rival, weight] : judgement.rivals) {
      const double highest = 1 - weight;
      if (rival.families[edge.to].causes.has(edge.from) || edge.limit.highest <= highest) continue;
      edge.limit = {highest, rest_in(rival, edge.from, edge.to)};
    }
  return judgement;
}

}  // namespace whence
