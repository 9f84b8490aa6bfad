#include "whence/discover/labels/label_score.hpp"

#include <algorithm>
#include <cmath>

#include "whence/math/special.hpp"

namespace whence {

namespace {

double log_choose(std::size_t n, std::size_t k) {
  return log_gamma(double(n) + 1) - log_gamma(double(k) + 1) - log_gamma(double(n - k) + 1);
}

/// log of (1 - e^-price) e^-b + e^-price: unchanged at the cost b, or changed at the price.
double cheaper_of(double b, double price) {
  if (b <= 0) return 0;
  return std::log((1 - std::exp(-price)) * std::exp(-b) + std::exp(-price));
}

}  // namespace

LabelScore::LabelScore(const JointEvidence& joint, const ShiftEvidence& shift,
                       const LabelPrices& prices)
    : joint_(joint), shift_(shift), prices_(prices) {
  temper_ = std::min(1.0, prices.counted_rows / double(joint.rows()));
  for (std::size_t e = 0; e < shift.environments(); ++e)
    change_price_.push_back(std::log(double(shift.variables())) +
                            1.5 * std::log(double(shift.rows(e))));
  regime_.counts.assign(shift.environments(), 1);
  regime_.environment_drift.assign(shift.environments(), 0);
  regime_.variable_drift.assign(shift.variables(), 0);
}

void LabelScore::set_regime(const LabelRegime& regime) {
  if (regime == regime_) return;
  regime_ = regime;
  cache_.clear();
}

double LabelScore::family(std::size_t child, const LabelFamily& family) const {
  return cache_.get({child, family}, [&] { return compute(child, family); });
}

double LabelScore::link_gain(std::size_t child, const VariableSet& linked) const {
  return joint_.joint(linked.with(child)) - joint_.joint(linked);
}

double LabelScore::compute(std::size_t child, const LabelFamily& family) const {
  const std::size_t links = family.linked.size();
  const double dependence = link_gain(child, family.linked) -
                            prices_.link_per_row * double(joint_.rows()) * double(links);
  const double prices = log_choose(variables() - 1, links) +
                        prices_.hidden * double(family.linked.minus(family.causes).size()) +
                        prices_.shift_only * double(family.causes.minus(family.linked).size());
  double shifts = 0;
  for (double term : by_environment(child, family)) shifts += term;
  return temper_ * dependence - prices + shifts;
}

std::vector<double> LabelScore::by_environment(std::size_t child, const LabelFamily& family) const {
  std::vector<double> terms = invariance(child, family.causes);
  charge_transmission(child, family, terms);
  return terms;
}

std::size_t LabelScore::drift_of(std::size_t environment_drift, std::size_t child) const {
  return combined_drift(environment_drift, regime_.variable_drift[child]);
}

double LabelScore::change(std::size_t child, const VariableSet& causes, std::size_t e) const {
  const std::size_t drift = drift_of(regime_.environment_drift[e], child);
  if (drift == 0) return shift_.change(child, causes, e);
  return shift_.drifted(child, causes, e).log_odds[drift];
}

double LabelScore::change_cost(std::size_t child, const VariableSet& causes, std::size_t e) const {
  return regime_.counts[e] ? cheaper_of(change(child, causes, e), change_price_[e]) : 0;
}

/// Each environment at its own price, or a mechanism that differs from run to run anyway.
std::vector<double> LabelScore::invariance(std::size_t child, const VariableSet& causes) const {
  std::vector<double> terms(environments());
  double sum = 0, unstable = 0, price = 0;
  std::size_t counted = 0, changed = 0;
  const double clear = std::log(double(variables()));
  for (std::size_t e = 0; e < environments(); ++e) {
    if (!regime_.counts[e]) continue;
    ++counted;
    terms[e] = change_cost(child, causes, e);
    sum += terms[e];
    const bool differs = change(child, causes, e) > clear;
    changed += differs ? 1 : 0;
    unstable -= differs ? 0.2 : 2;
    price = std::max(price, change_price_[e]);
  }
  // That is said only of what differs nearly everywhere, at the price of one change.
  constexpr std::size_t fewest = 4;
  if (changed < fewest || 2 * changed <= counted) return terms;
  unstable -= price;
  if (sum >= unstable) return terms;
  for (std::size_t e = 0; e < environments(); ++e)
    if (regime_.counts[e]) terms[e] = unstable / double(counted);
  return terms;
}

/// An effect must follow when its cause moves far, in proportion to what the cause explains of it
/// by a straight line: a curve may come back to where it was. Labels are blind to that where the
/// cause's values do not overlap.
void LabelScore::charge_transmission(std::size_t child, const LabelFamily& family,
                                     std::vector<double>& terms) const {
  family.causes.each([&](std::size_t cause) {
    const VariableSet others = family.causes.without(cause);
    bool linked = family.linked.has(cause);
    double explained = 0;
    if (linked) {
      const VariableSet rest = family.linked.without(cause);
      const double gained =
          (link_gain(child, family.linked) - link_gain(child, rest)) / double(joint_.rows());
      explained = std::min(gained, joint_.linear_gain(child, rest, cause));
      // A link that the baseline does not show counts as one that shows in shifts alone.
      linked = gained > prices_.link_per_row;
      if (linked && explained <= 0) return;
    }
    for (std::size_t e = 0; e < environments(); ++e) {
      if (!regime_.counts[e]) continue;
      const double move = shift_.labels(family.causes, e) - shift_.labels(others, e);
      if (move <= prices_.moved_share * double(shift_.rows(e))) continue;
      // What follows clearly is enough, however far the cause moved.
      const double expected =
          linked ? std::min(change_price_[e],
                            prices_.passed_on * (1 - std::exp(-2 * explained)) * move)
                 : change_price_[e];
      const double followed = std::max(0.0, shift_.change(child, others, e));
      terms[e] -= std::max(0.0, expected - followed);
    }
  });
}

}  // namespace whence
