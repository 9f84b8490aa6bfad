// In which environments a mechanism changed, summed over.
//
// Environments in which it did not change share one unknown parameter: they form a pool, scored by
// the marginal likelihood of all of it; a changed environment is scored on its own. With few
// environments all 2^E ways are added up. With many the best way is climbed to from two starts, and
// the first-order mass of its single flips is added: exact where environments are independent given
// the pool.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "whence/math/logspace.hpp"

namespace whence {

struct ChangeSum {
  double log_evidence = 0;
  std::vector<double> changed;  // P(changed | everything), one per environment that was listed
};

/// Either of two explanations: their masses add up.
inline ChangeSum either(ChangeSum a, const ChangeSum& b) {
  const double share = sigmoid(a.log_evidence - b.log_evidence);
  a.log_evidence = log_add_exp(a.log_evidence, b.log_evidence);
  for (std::size_t t = 0; t < a.changed.size(); ++t)
    a.changed[t] = share * a.changed[t] + (1 - share) * b.changed[t];
  return a;
}

/// One way, and how much likelier than not each environment changed, given all others.
struct ChangeMode {
  std::vector<char> changed;
  std::vector<double> log_odds;
  double log_joint = 0;

  /// With the first-order mass of every single flip.
  ChangeSum with_flips() const {
    ChangeSum result{log_joint, std::vector<double>(changed.size())};
    for (std::size_t t = 0; t < changed.size(); ++t) {
      const double flip = changed[t] ? -log_odds[t] : log_odds[t];
      result.log_evidence -= log_sigmoid(-flip);  // log(1 + e^flip)
      result.changed[t] = sigmoid(log_odds[t]);
    }
    return result;
  }
};

/// What a change costs: its prior probability, and how many environments are summed exactly.
struct ChangeCost {
  double log_change = 0, log_stay = 0;
  std::size_t exact = 6;

  ChangeCost(double probability, std::size_t exact_environments)
      : log_change(std::log(probability)),
        log_stay(std::log1p(-probability)),
        exact(exact_environments) {}
};

/// `Pool` has add(e), remove(e) and predictive(e): log P(environment e | the pool without it).
template <class Pool>
class ChangeSummation {
 public:
  /// `environments`: the largest first; `fresh[t]`: log P(environments[t] | it changed). The pool
  /// is empty, and is left in any state.
  ChangeSummation(Pool& pool, std::span<const std::size_t> environments,
                  std::span<const double> fresh, const ChangeCost& cost)
      : pool_(pool), environments_(environments), fresh_(fresh), cost_(cost) {}

  ChangeSum sum() {
    if (environments_.size() <= cost_.exact) return all_ways();
    return around_modes();
  }

 private:
  using Mode = ChangeMode;

  ChangeSum all_ways() {
    const std::size_t n = environments_.size();
    leaves_.assign(std::size_t(1) << n, 0.0);
    descend(0, 0, 0);
    ChangeSum result{log_sum_exp(leaves_), std::vector<double>(n, 0.0)};
    for (std::size_t way = 0; way < leaves_.size(); ++way) {
      const double weight = std::exp(leaves_[way] - result.log_evidence);
      for (std::size_t t = 0; t < n; ++t)
        if (way >> t & 1) result.changed[t] += weight;
    }
    return result;
  }

  /// Both fates of environment t, under the fates of those before it.
  void descend(std::size_t t, double log_joint, std::size_t way) {
    if (t == environments_.size()) {
      leaves_[way] = log_joint;
      return;
    }
    descend(t + 1, log_joint + cost_.log_change + fresh_[t], way | std::size_t(1) << t);
    const double pooled = pool_.predictive(environments_[t]);
    pool_.add(environments_[t]);
    descend(t + 1, log_joint + cost_.log_stay + pooled, way);
    pool_.remove(environments_[t]);
  }

  ChangeSum around_modes() {
    const Mode all = climb(start_pooled());
    empty(all);
    const Mode preferred = start_from_largest();
    if (preferred.changed == all.changed) return all.with_flips();
    const Mode other = climb(preferred);
    if (other.changed == all.changed) return all.with_flips();
    return either(all.with_flips(), other.with_flips());  // more than one flip apart
  }

  Mode start_pooled() {
    const std::size_t n = environments_.size();
    Mode mode{std::vector<char>(n, 0), std::vector<double>(n, 0.0), 0};
    for (std::size_t e : environments_) {
      mode.log_joint += cost_.log_stay + pool_.predictive(e);
      pool_.add(e);
    }
    return mode;
  }

  /// The largest alone, then each of the others joins it or not.
  Mode start_from_largest() {
    const std::size_t n = environments_.size();
    Mode mode{std::vector<char>(n, 0), std::vector<double>(n, 0.0), 0};
    for (std::size_t t = 0; t < n; ++t) {
      const double stays = cost_.log_stay + pool_.predictive(environments_[t]);
      const double changes = cost_.log_change + fresh_[t];
      mode.changed[t] = t > 0 && changes > stays;
      mode.log_joint += mode.changed[t] ? changes : stays;
      if (!mode.changed[t]) pool_.add(environments_[t]);
    }
    return mode;
  }

  void empty(const Mode& mode) {
    for (std::size_t t = 0; t < environments_.size(); ++t)
      if (!mode.changed[t]) pool_.remove(environments_[t]);
  }

  /// One environment after the other takes its likelier fate, until none moves.
  Mode climb(Mode mode) {
    constexpr int most_passes = 50;
    bool moved = true;
    for (int pass = 0; moved && pass < most_passes; ++pass) {
      moved = false;
      for (std::size_t t = 0; t < environments_.size(); ++t) moved |= reconsider(mode, t);
    }
    return mode;
  }

  bool reconsider(Mode& mode, std::size_t t) {
    const std::size_t e = environments_[t];
    if (!mode.changed[t]) pool_.remove(e);
    const double log_odds = cost_.log_change + fresh_[t] - cost_.log_stay - pool_.predictive(e);
    const bool changed = log_odds > 0, moves = changed != bool(mode.changed[t]);
    if (!changed) pool_.add(e);
    if (moves) mode.log_joint += std::abs(log_odds);
    mode.changed[t] = changed;
    mode.log_odds[t] = log_odds;
    return moves;
  }

  Pool& pool_;
  std::span<const std::size_t> environments_;
  std::span<const double> fresh_;
  ChangeCost cost_;
  std::vector<double> leaves_;
};

}  // namespace whence
