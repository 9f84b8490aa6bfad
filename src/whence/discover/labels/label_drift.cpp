// Mechanisms that drift, and environments in which too much changed.
#include <algorithm>
#include <array>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/discover/labels/label_search.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

LabelRegime LabelSearch::estimated_regime(const LabelGraph& graph, bool at_times) const {
  const ShiftEvidence& shift = score_.shift();
  const std::size_t environments = shift.environments(), scales = drift_scales.size();
  const double log_m = std::log(double(m_)), changed = -log_m,
               unchanged = std::log1p(-1.0 / double(m_));
  // [variable][environment][scale]: log-probability of what is seen.
  std::vector<double> table(m_ * environments * scales);
  std::vector<unsigned> beyond(m_ * environments);  // a bit for each scale
  parallel_for(m_ * environments, options_.threads, [&](std::size_t k) {
    const std::size_t v = k / environments, e = k % environments;
    const DriftedChange& seen = shift.drifted(v, graph.families[v].causes, e);
    const auto& odds = at_times ? seen.at_times : seen.log_odds;
    for (std::size_t t = 0; t < scales; ++t) {
      table[k * scales + t] = log_add_exp(unchanged - double(odds[t]), changed);
      beyond[k] |= seen.log_odds[t] > 0 ? 1U << t : 0U;
    }
  });
  // What drifts far is off by a quarter of that in three environments of four. What is set anew in
  // some, by doses perhaps, is where it was in the others.
  const auto drifts_by = [&](std::size_t v, std::size_t scale) {
    constexpr double far = 0.8, part = 0.25;
    if (drift_scales[scale] < far) return true;
    std::size_t less = 0, often = 0;
    while (drift_scales[less] < part * drift_scales[scale]) ++less;
    for (std::size_t e = 0; e < environments; ++e)
      often += beyond[v * environments + e] >> less & 1;
    return 2 * often >= environments;
  };
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
        if (!drifts_by(v, t)) continue;
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
    climb(best_, options_.threads);
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

}  // namespace whence
