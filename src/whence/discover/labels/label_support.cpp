#include "whence/discover/labels/label_support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/math/logspace.hpp"

namespace whence {

namespace {

double sum_of(const std::vector<double>& terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

void add_up(LabelSupport& support) {
  const auto& terms = support.against_reverse;
  support.reverse = support.dearer + sum_of(terms);
  support.hidden = sum_of(support.against_hidden);
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

/// What each environment has for one graph against another.
std::vector<double> difference(const std::vector<double>& best, const std::vector<double>& rival) {
  std::vector<double> terms(best.size());
  for (std::size_t e = 0; e < terms.size(); ++e) terms[e] = best[e] - rival[e];
  return terms;
}

/// Puts another support in place of one that is stronger.
void weaken(std::vector<double>& support, std::vector<double> other) {
  if (sum_of(other) < sum_of(support)) support = std::move(other);
}

/// Graphs may have to be explained by drift of different mechanisms: each is judged by its own, and
/// pays for it.
class OwnDrift {
 public:
  OwnDrift(const LabelScore& score, const LabelSearch& search)
      : search_(search),
        regime_(score.regime()),
        own_(score.joint(), score.shift(), score.prices()),
        each_(2 * std::log(double(score.variables()))) {}

  /// The score by which a rival is judged; valid until the next is asked for.
  const LabelScore& of(const LabelGraph& rival) {
    LabelRegime regime = search_.estimated_regime(rival);
    regime.noisy_parents = regime_.noisy_parents;
    own_.set_regime(regime);
    return own_;
  }
  /// What the last rival pays beyond the present graph.
  double dearer() const { return price(own_.regime()) - price(regime_); }

 private:
  double price(const LabelRegime& regime) const {
    const auto drifts = [](std::size_t scale) { return scale > 0; };
    const auto& mechanisms = regime.variable_drift;
    const auto& environments = regime.environment_drift;
    return each_ * double(std::count_if(mechanisms.begin(), mechanisms.end(), drifts) +
                          std::count_if(environments.begin(), environments.end(), drifts));
  }

  const LabelSearch& search_;
  LabelRegime regime_;
  LabelScore own_;
  double each_;
};

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
  const std::vector<double> effect_hidden = score.by_environment(to, linked(effect, from, false));
  const std::vector<double> cause_caused = score.by_environment(from, linked(cause, to, true));
  LabelSupport support;
  for (std::size_t e = 0; e < score.environments(); ++e) {
    const double counts = speaks[e] ? 1 : 0;
    support.against_reverse.push_back(
        counts * (cause_alone[e] + effect_caused[e] - cause_caused[e] - effect_alone[e]));
    support.against_hidden.push_back(counts * (effect_caused[e] - effect_hidden[e]));
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

namespace {

/// The support of each edge of the best graph, against graphs that were fitted to its rivals, too.
class Supports {
 public:
  Supports(const LabelScore& score, const LabelSearch& search, const std::vector<char>& speaks)
      : score_(score),
        best_(search.best()),
        speaks_(speaks),
        as_read_(score.joint(), score.shift(), score.prices()),
        own_drift_(score, search) {
    LabelRegime regime = score.regime();
    regime.noisy_parents = false;
    as_read_.set_regime(regime);
    now_ = shift_scores(score, best_, speaks);
    now_as_read_ = shift_scores(as_read_, best_, speaks);
  }

  LabelSupport of(const LabelSearch::Rivals& edge) {
    LabelSupport support = label_support(score_, best_, edge.from, edge.to, speaks_);
    if (edge.reversed) against_reverse(*edge.reversed, support);
    // An effect that follows further than a regression on its cause expects may have a cause that
    // was read with noise; and as well one that is hidden, and moved what was read along with it.
    weaken(support.against_hidden,
           label_support(as_read_, best_, edge.from, edge.to, speaks_).against_hidden);
    if (edge.hidden) {
      weaken(support.against_hidden, difference(now_, shift_scores(score_, *edge.hidden, speaks_)));
      weaken(support.against_hidden,
             difference(now_as_read_, shift_scores(as_read_, *edge.hidden, speaks_)));
    }
    for (std::size_t e = 0; e < speaks_.size(); ++e)
      if (!followed(edge.to, e))
        support.against_hidden[e] = std::min(0.0, support.against_hidden[e]);
    add_up(support);
    return support;
  }

  /// By how much a graph is behind the best one, each with its own drift.
  double behind(const LabelGraph& rival) {
    const LabelScore& own = own_drift_.of(rival);
    double lead = own_drift_.dearer();
    for (std::size_t v = 0; v < rival.variables(); ++v)
      lead += score_.family(v, best_.families[v]) - own.family(v, rival.families[v]);
    return lead;
  }

 private:
  /// That an effect followed its causes counts only where its mechanism looks the same, not where
  /// so little is known of it that it may be; and not where it went half as far again as it should
  /// have, as what moves with something hidden does.
  bool followed(std::size_t effect, std::size_t e) const {
    constexpr double too_far = 0.5;
    const VariableSet& causes = best_.families[effect].causes;
    return as_read_.change(effect, causes, e) <= 0 &&
           score_.shift().overshoot(effect, causes, e) < too_far;
  }

  void against_reverse(const LabelGraph& rival, LabelSupport& support) {
    weaken(support.against_reverse, difference(now_, shift_scores(score_, rival, speaks_)));
    std::vector<double> own = difference(now_, shift_scores(own_drift_.of(rival), rival, speaks_));
    if (sum_of(own) + own_drift_.dearer() >= sum_of(support.against_reverse)) return;
    support.against_reverse = std::move(own);
    support.dearer = own_drift_.dearer();
  }

  const LabelScore& score_;
  const LabelGraph& best_;
  const std::vector<char>& speaks_;
  LabelScore as_read_;
  OwnDrift own_drift_;
  std::vector<double> now_, now_as_read_;
};

}  // namespace

Judgement judged_edges(const LabelScore& score, LabelSearch& search,
                       const std::vector<char>& speaks) {
  constexpr double plausible = 10;  // nats: rivals whose whole graph fits worse do not count
  Supports supports(score, search, speaks);
  Judgement judgement;
  std::vector<JudgedEdge>& list = judgement.edges;
  for (const LabelSearch::Rivals& rivals : search.rivals()) {
    const auto& [from, to, reversed, hidden, bypassed] = rivals;
    JudgedEdge& edge = list.emplace_back(JudgedEdge{from, to, supports.of(rivals), {}});
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
    if (edge.limit.highest < 1 && rival && supports.behind(*rival) < plausible)
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
