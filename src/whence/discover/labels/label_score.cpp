#include "whence/discover/labels/label_score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/math/special.hpp"

namespace whence {

namespace {

double log_choose(std::size_t n, std::size_t k) {
  return log_gamma(double(n) + 1) - log_gamma(double(k) + 1) - log_gamma(double(n - k) + 1);
}

constexpr double rounding = 1e-9;  // nats: sums in another order differ by less

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
  return family_above(-INFINITY, child, family);
}

double LabelScore::family_above(double floor, std::size_t child, const LabelFamily& family) const {
  const Key key{child, family};
  if (const double* known = cache_.find(key)) return *known;
  const double most = family_at_most(child, family);
  if (most <= floor - rounding) return most;  // shifts only take away
  const double value = most + shifts_above(floor - most, child, family);
  return value <= floor - rounding ? value : cache_.get(key, [&] { return value; });
}

double LabelScore::link_gain(std::size_t child, const VariableSet& linked) const {
  return joint_.joint(linked.with(child)) - joint_.joint(linked);
}

double LabelScore::family_at_most(std::size_t child, const LabelFamily& family) const {
  const std::size_t links = family.linked.size();
  const double dependence = link_gain(child, family.linked) -
                            prices_.link_per_row * double(joint_.rows()) * double(links);
  const double prices = log_choose(variables() - 1, links) +
                        prices_.hidden * double(family.linked.minus(family.causes).size()) +
                        prices_.shift_only * double(family.causes.minus(family.linked).size());
  return temper_ * dependence - prices;
}

/// Environments in which the child moved and its causes did not come first: they tell most.
std::vector<std::size_t> LabelScore::telling_first(std::size_t child,
                                                   const VariableSet& causes) const {
  std::vector<std::pair<double, std::size_t>> list;
  for (std::size_t e = 0; e < environments(); ++e) {
    double explained = 0;
    causes.each(
        [&](std::size_t cause) { explained = std::max(explained, shift_.moved(cause, e)); });
    list.emplace_back(explained - shift_.moved(child, e), e);
  }
  std::sort(list.begin(), list.end());
  std::vector<std::size_t> order;
  for (const auto& [key, e] : list) order.push_back(e);
  return order;
}

double LabelScore::shifts_above(double floor, std::size_t child, const LabelFamily& family) const {
  // A mechanism that differs in most runs costs no less than this, and its price is known only once
  // every environment was looked at.
  double price = 0;
  for (std::size_t e = 0; e < environments(); ++e)
    if (regime_.counts[e]) price = std::max(price, change_price_[e]);
  const double best_unstable = -price;
  if (floor > best_unstable) {
    double sum = 0;
    for (std::size_t e : telling_first(child, family.causes)) {
      sum += change_cost(child, family, e);
      if (sum <= floor - rounding) return sum;
    }
  }
  std::vector<double> terms = invariance(child, family);
  double sum = std::accumulate(terms.begin(), terms.end(), 0.0);
  for (std::size_t cause : family.causes.members()) {
    if (sum <= floor - rounding) return sum;
    charge_transmission(child, family, cause, terms);
    sum = std::accumulate(terms.begin(), terms.end(), 0.0);
  }
  return sum;
}

std::vector<double> LabelScore::by_environment(std::size_t child, const LabelFamily& family) const {
  std::vector<double> terms = invariance(child, family);
  family.causes.each([&](std::size_t cause) { charge_transmission(child, family, cause, terms); });
  return terms;
}

std::size_t LabelScore::drift_of(std::size_t environment_drift, std::size_t child) const {
  return combined_drift(environment_drift, regime_.variable_drift[child]);
}

double LabelScore::change(std::size_t child, const VariableSet& causes, std::size_t e) const {
  const std::size_t drift = drift_of(regime_.environment_drift[e], child);
  const double beyond_drift = drift == 0 ? shift_.change(child, causes, e)
                                         : double(shift_.drifted(child, causes, e).log_odds[drift]);
  if (!regime_.noisy_parents || beyond_drift <= 0) return beyond_drift;
  return std::min(beyond_drift, shift_.change_beyond_noise(child, causes, e));
}

double LabelScore::family_change(std::size_t child, const LabelFamily& family,
                                 std::size_t e) const {
  const double alone = change(child, family.causes, e);
  VariableSet still;
  double paid = 0;  // by those that moved a little, for the same change
  family.linked.minus(family.causes).each([&](std::size_t v) {
    const double moved = shift_.moved(v, e);
    if (moved >= change_price_[e]) return;
    still = still.with(v);
    paid += std::max(0.0, moved);
  });
  if (still.empty()) return alone;
  return std::max(alone, change(child, family.causes | still, e) - paid);
}

double LabelScore::change_cost(std::size_t child, const LabelFamily& family, std::size_t e) const {
  return regime_.counts[e] ? cheaper_of(family_change(child, family, e), change_price_[e]) : 0;
}

/// Each environment at its own price, or a mechanism that differs from run to run anyway.
std::vector<double> LabelScore::invariance(std::size_t child, const LabelFamily& family) const {
  std::vector<double> terms(environments());
  double sum = 0, unstable = 0, price = 0;
  std::size_t counted = 0, changed = 0;
  const double clear = std::log(double(variables()));
  for (std::size_t e = 0; e < environments(); ++e) {
    if (!regime_.counts[e]) continue;
    ++counted;
    terms[e] = change_cost(child, family, e);
    sum += terms[e];
    const bool differs = change(child, family.causes, e) > clear;
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
                                     std::size_t cause, std::vector<double>& terms) const {
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
        linked
            ? std::min(change_price_[e], prices_.passed_on * (1 - std::exp(-2 * explained)) * move)
            : change_price_[e];
    const double followed = std::max(0.0, shift_.change(child, others, e));
    terms[e] -= std::max(0.0, expected - followed);
  }
}

}  // namespace whence
