// The score of a graph whose arcs may be causes, hidden links, or links seen only in shifts.
//
// A family is a variable with two sets: `linked`, whatever it depends on in the baseline, and
// `causes`, what its mechanism is invariant given. An arc in both is a cause; in `linked` alone, a
// dependence that is not a cause (something hidden acts on both); in `causes` alone, a cause that
// shows only in shifts. Links are paid for by joint evidence, which knows no direction; causes by
// invariance: how few mechanisms must have changed to explain every environment.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/variable_set.hpp"
#include "whence/evidence/labels/joint_evidence.hpp"
#include "whence/evidence/labels/shared_cache.hpp"
#include "whence/evidence/labels/shift_evidence.hpp"

namespace whence {

struct LabelFamily {
  VariableSet causes, linked;
  VariableSet all() const { return causes | linked; }
  bool operator==(const LabelFamily&) const = default;
};

/// What is believed of environments while families are scored.
struct LabelRegime {
  std::vector<char> counts;                    // [environment]: whether it says anything
  std::vector<std::size_t> environment_drift;  // indices into drift_scales
  std::vector<std::size_t> variable_drift;
  bool noisy_parents = false;  // whether causes may have been read with noise
  bool operator==(const LabelRegime&) const = default;
};

/// Prices, in nats unless said.
struct LabelPrices {
  double counted_rows = 250;   // the joint evidence of more rows than this is tempered to this many
  double link_per_row = 0.01;  // dependence weaker than this is not believed
  double hidden = 4, shift_only = 4;
  double moved_share = 0.2;  // nats per row: a cause moved far
  double passed_on = 0.25;   // share of a cause's move that its effect must show at least
};

class LabelScore {
 public:
  LabelScore(const JointEvidence& joint, const ShiftEvidence& shift,
             const LabelPrices& prices = {});

  std::size_t variables() const { return shift_.variables(); }
  std::size_t environments() const { return shift_.environments(); }
  const JointEvidence& joint() const { return joint_; }
  const ShiftEvidence& shift() const { return shift_; }

  const LabelPrices& prices() const { return prices_; }
  const LabelRegime& regime() const { return regime_; }
  void set_regime(const LabelRegime& regime);

  double family(std::size_t child, const LabelFamily& family) const;
  /// No less than that, for less work: shifts only take away.
  double family_at_most(std::size_t child, const LabelFamily& family) const;
  /// The same where it is above `floor`; elsewhere some number that is not, for less work.
  double family_above(double floor, std::size_t child, const LabelFamily& family) const;

  /// Nats that `linked` gains by one more variable, before prices: positive where it depends.
  double link_gain(std::size_t child, const VariableSet& linked) const;
  /// What each environment costs the family: 0 where the mechanism is the same, negative elsewhere.
  double change_cost(std::size_t child, const LabelFamily& family, std::size_t e) const;
  /// Log-odds that the mechanism changed, drift allowed for, before the prior.
  double change(std::size_t child, const VariableSet& causes, std::size_t e) const;
  /// The same for a family with hidden links. Where what they join the child with has the law that
  /// it had, what is hidden has, too: then the child given those must be as it was.
  double family_change(std::size_t child, const LabelFamily& family, std::size_t e) const;
  /// Drift scale of one mechanism in one environment.
  std::size_t drift_of(std::size_t environment_drift, std::size_t child) const;
  /// What each environment adds to the family's score.
  std::vector<double> by_environment(std::size_t child, const LabelFamily& family) const;

 private:
  struct Key {
    std::size_t child;
    LabelFamily family;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.child * 0x9E3779B97F4A7C15ULL ^ key.family.causes.hash() ^
             (key.family.linked.hash() * 0x165667B19E3779F9ULL);
    }
  };

  /// What shifts take away. It may stop as soon as that is sure to be below `floor`.
  double shifts_above(double floor, std::size_t child, const LabelFamily& family) const;
  std::vector<std::size_t> telling_first(std::size_t child, const VariableSet& causes) const;
  std::vector<double> invariance(std::size_t child, const LabelFamily& family) const;
  void charge_transmission(std::size_t child, const LabelFamily& family, std::size_t cause,
                           std::vector<double>& terms) const;

  const JointEvidence& joint_;
  const ShiftEvidence& shift_;
  LabelPrices prices_;
  double temper_ = 1;
  std::vector<double> change_price_;  // [environment]
  LabelRegime regime_;
  mutable SharedCache<Key, double, KeyHash> cache_;
};

}  // namespace whence
