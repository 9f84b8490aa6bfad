#include "whence/discover/label_support.hpp"

#include <algorithm>
#include <numeric>

namespace whence {

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
  const auto& terms = support.against_reverse;
  support.reverse = std::accumulate(terms.begin(), terms.end(), 0.0);
  support.hidden =
      std::accumulate(support.against_hidden.begin(), support.against_hidden.end(), 0.0);
  if (!terms.empty()) {
    support.best = std::size_t(std::max_element(terms.begin(), terms.end()) - terms.begin());
    support.without_best = support.reverse - std::max(0.0, terms[support.best]);
  }
  return support;
}

DirectionLimit direction_limit(const LabelSupport& support) {
  constexpr double clear = 3;  // nats: odds of 20
  constexpr double unsupported = 0.75, contested = 0.9;
  if (support.reverse < clear) return {unsupported, false};
  if (support.hidden < clear) return {contested, true};
  if (support.without_best < -1) return {contested, false};  // the others turn it round
  return {};
}

}  // namespace whence
