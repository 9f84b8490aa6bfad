// The sum over which environments share one mechanism and which have their own.
//
// Environments that were not changed are pooled: they share one parameter. The sum runs over all
// subsets; it is exact for few free environments, else it is the mass around the modes that two
// starts climb to (everything pooled; only the reference pooled), or one start that is given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "whence/math/logspace.hpp"

namespace whence {

/// What is known of one environment before its rows are pooled or not.
struct PoolChoice {
  enum class Freedom : unsigned char { free, pooled, apart };
  Freedom freedom = Freedom::free;
  double log_pooled = 0;  // log of the prior weight of being unchanged
  double log_apart = 0;   // log of (prior weight of a change x its evidence on its own)
};

/// Up to so many free environments the sum is exact.
inline constexpr std::size_t exact_pool_limit = 6;

/// `Pool` keeps a set of environments:
///   void toggle(std::size_t e);                      joins or leaves
///   bool holds(std::size_t e) const;
///   double evidence(std::span<double> toggled);      of the set, and of the set with each toggled
///   double evidence() const;                         of the set alone, for less
template <class Pool>
class PoolSum {
 public:
  PoolSum(Pool& pool, std::span<const PoolChoice> choices, std::size_t reference)
      : pool_(pool), choices_(choices), reference_(reference) {
    for (std::size_t e = 0; e < choices.size(); ++e)
      if (choices[e].freedom == PoolChoice::Freedom::free) free_.push_back(e);
  }

  /// The modes are those that are climbed to from this set alone.
  void start_from(const std::vector<bool>& inside) { given_ = inside; }

  /// The logarithm of the sum. `log_changed`, if not empty, becomes log P(apart) per environment.
  double log_sum(std::span<double> log_changed) {
    log_changed_ = log_changed;
    for (std::size_t e = 0; e < log_changed_.size(); ++e)
      log_changed_[e] = choices_[e].freedom == PoolChoice::Freedom::apart ? 0 : log_never;
    return free_.size() <= exact_pool_limit ? over_all_subsets() : around_modes();
  }

  /// After log_sum: the environments of the heaviest set.
  std::vector<bool> likeliest() const {
    std::vector<bool> inside(choices_.size());
    for (std::size_t e = 0; e < choices_.size(); ++e)
      inside[e] = choices_[e].freedom == PoolChoice::Freedom::pooled;
    for (std::size_t k = 0; k < free_.size(); ++k) inside[free_[k]] = likeliest_[k];
    return inside;
  }

 private:
  static constexpr double log_never = -std::numeric_limits<double>::infinity();

  double weight(double evidence) const {
    double sum = evidence;
    for (std::size_t e = 0; e < choices_.size(); ++e)
      sum += pool_.holds(e) ? choices_[e].log_pooled : choices_[e].log_apart;
    return sum;
  }

  void put(std::size_t e, bool inside) {
    if (pool_.holds(e) != inside) pool_.toggle(e);
  }
  void start(bool all) {
    for (std::size_t e = 0; e < choices_.size(); ++e)
      put(e, choices_[e].freedom == PoolChoice::Freedom::pooled ||
                 (choices_[e].freedom == PoolChoice::Freedom::free && (all || e == reference_)));
  }

  double over_all_subsets() {
    start(true);
    const std::size_t subsets = std::size_t(1) << free_.size();
    std::vector<double> weights(subsets);
    for (std::size_t code = 0; code < subsets; ++code) {  // in Gray's order: one toggle a step
      weights[code] = weight(pool_.evidence());
      const std::size_t next = code + 1;
      if (next < subsets) pool_.toggle(free_[std::size_t(__builtin_ctzll(next))]);
    }
    const double total = log_sum_exp(weights);
    const auto heaviest =
        std::size_t(std::max_element(weights.begin(), weights.end()) - weights.begin());
    likeliest_.resize(free_.size());
    for (std::size_t k = 0; k < free_.size(); ++k)
      likeliest_[k] = !(((heaviest ^ (heaviest >> 1)) >> k) & 1);
    for (std::size_t k = 0; k < free_.size() && !log_changed_.empty(); ++k) {
      std::vector<double> apart;
      for (std::size_t code = 0; code < subsets; ++code)
        if (((code ^ (code >> 1)) >> k) & 1) apart.push_back(weights[code] - total);
      log_changed_[free_[k]] = log_sum_exp(apart);
    }
    return total;
  }

  /// A set that no single toggle improves, with the log-odds of each toggle.
  struct Mode {
    std::vector<bool> inside;
    double log_weight = log_never;
    std::vector<double> log_odds_apart;  // per free environment

    double log_mass() const {
      double sum = log_weight;
      for (double odds : log_odds_apart) sum += std::log1p(std::exp(-std::abs(odds)));
      return sum;
    }
  };

  /// Looks at the present set: its weight, and for each free environment the log-odds of a change.
  void look(Mode& mode) {
    mode.log_weight = weight(pool_.evidence(toggled_));
    const double evidence = mode.log_weight - weight(0);
    mode.log_odds_apart.resize(free_.size());
    mode.inside.resize(free_.size());
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const std::size_t e = free_[k];
      const double with = pool_.holds(e) ? evidence : toggled_[e];
      const double without = pool_.holds(e) ? toggled_[e] : evidence;
      mode.inside[k] = pool_.holds(e);
      mode.log_odds_apart[k] = choices_[e].log_apart + without - choices_[e].log_pooled - with;
    }
  }

  /// All environments that sit on the wrong side move together, as long as that helps; then the
  /// most wrongly placed one alone.
  Mode climb() {
    Mode mode;
    look(mode);
    bool together = true;
    for (std::size_t round = 0; round < 4 * free_.size(); ++round) {
      std::vector<std::size_t> wrong;
      std::size_t worst = 0;
      double gain = 0;
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const double better = mode.inside[k] ? mode.log_odds_apart[k] : -mode.log_odds_apart[k];
        if (better <= 0) continue;
        wrong.push_back(k);
        if (better > gain) gain = better, worst = k;
      }
      if (wrong.empty()) break;
      if (!together) wrong = {worst};
      for (std::size_t k : wrong) pool_.toggle(free_[k]);
      Mode next;
      look(next);
      if (next.log_weight > mode.log_weight) {
        mode = std::move(next);
        together = true;
        continue;
      }
      if (!together) break;  // nothing left but rounding
      for (std::size_t k : wrong) pool_.toggle(free_[k]);
      together = false;
    }
    return mode;
  }

  double around_modes() {
    toggled_.resize(choices_.size());
    const bool given = !given_.empty();
    for (std::size_t e = 0; given && e < choices_.size(); ++e) put(e, given_[e]);
    if (!given) start(true);
    Mode best = climb();
    if (!given) start(false);
    Mode other = given ? best : climb();
    if (other.log_weight > best.log_weight) std::swap(best, other);
    const std::vector<std::size_t> unsure = least_sure(best);
    const Cloud cloud = around(best, unsure);
    const bool elsewhere = differs_beyond(unsure, best, other);
    const double far = elsewhere ? other.log_mass() : log_never;
    const double total = log_add_exp(cloud.log_mass, far);
    likeliest_ = best.inside;
    for (std::size_t k = 0; k < free_.size() && !log_changed_.empty(); ++k) {
      double& log_apart = log_changed_[free_[k]];
      log_apart = cloud.log_mass - total + cloud.log_apart[k];
      if (elsewhere)
        log_apart = log_add_exp(log_apart, far - total + log_sigmoid(other.log_odds_apart[k]));
    }
    return total;
  }

  /// The environments whose place is least certain: these are summed over together.
  std::vector<std::size_t> least_sure(const Mode& mode) const {
    constexpr double sure = 4;  // nats
    constexpr std::size_t most = 5;
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (std::abs(mode.log_odds_apart[k]) < sure) list.push_back(k);
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(mode.log_odds_apart[a]) < std::abs(mode.log_odds_apart[b]);
    });
    if (list.size() > most) list.resize(most);
    return list;
  }

  /// The mass around a mode: all subsets of the unsure environments, the others one by one.
  struct Cloud {
    double log_mass = 0;
    std::vector<double> log_apart;  // log P per free environment
  };
  Cloud around(const Mode& mode, const std::vector<std::size_t>& unsure) {
    Cloud cloud;
    for (double odds : mode.log_odds_apart) cloud.log_apart.push_back(log_sigmoid(odds));
    cloud.log_mass = mode.log_mass();
    if (unsure.size() < 2) return cloud;  // one at a time is all there is
    for (std::size_t k = 0; k < free_.size(); ++k) put(free_[k], mode.inside[k]);
    for (std::size_t k : unsure)
      cloud.log_mass -= std::log1p(std::exp(-std::abs(mode.log_odds_apart[k])));
    const std::size_t subsets = std::size_t(1) << unsure.size();
    std::vector<double> weights(subsets);
    for (std::size_t code = 0; code < subsets; ++code) {
      weights[code] = weight(pool_.evidence()) - mode.log_weight;
      if (code + 1 < subsets) pool_.toggle(free_[unsure[std::size_t(__builtin_ctzll(code + 1))]]);
    }
    const double sum = log_sum_exp(weights);
    cloud.log_mass += sum;
    for (std::size_t u = 0; u < unsure.size(); ++u) {
      double apart = 0;
      for (std::size_t code = 0; code < subsets; ++code) {
        const bool moved = ((code ^ (code >> 1)) >> u) & 1;
        if (moved == mode.inside[unsure[u]]) apart += std::exp(weights[code] - sum);
      }
      cloud.log_apart[unsure[u]] = std::log(apart);
    }
    return cloud;
  }

  /// Whether the other mode lies outside what was summed around the first.
  static bool differs_beyond(const std::vector<std::size_t>& unsure, const Mode& best,
                             const Mode& other) {
    for (std::size_t k = 0; k < best.inside.size(); ++k)
      if (best.inside[k] != other.inside[k] &&
          std::find(unsure.begin(), unsure.end(), k) == unsure.end())
        return true;
    return false;
  }

  Pool& pool_;
  std::span<const PoolChoice> choices_;
  std::size_t reference_;
  std::vector<std::size_t> free_;
  std::vector<bool> given_;      // per environment, or empty
  std::vector<bool> likeliest_;  // per free environment
  std::vector<double> toggled_;
  std::span<double> log_changed_;
};

}  // namespace whence
