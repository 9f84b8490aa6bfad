#include "whence/evidence/categorical/additive_changes.hpp"

#include <algorithm>

namespace whence {

namespace {

/// A change without parents this much less likely than none rules out one with parents, too: an old
/// mechanism that fits new data better than their own marginal does is the same mechanism.
constexpr double clearly_unchanged = -8;

/// Pools whose evidence is known.
class KnownPools {
 public:
  explicit KnownPools(const AdditiveRecord& record) : pools_(record.pools) {}

  void add(std::size_t place) { members_ |= std::size_t(1) << place; }
  void remove(std::size_t place) { members_ &= ~(std::size_t(1) << place); }
  double predictive(std::size_t place) const {
    return pools_[members_ | std::size_t(1) << place] - pools_[members_];
  }

 private:
  const std::vector<double>& pools_;
  std::size_t members_ = 0;
};

}  // namespace

AdditiveChanges::AdditiveChanges(AdditiveLogit& fit, std::span<const std::size_t> environments,
                                 std::span<const double> hard,
                                 std::function<double(std::size_t)> alone, const ChangeCost& cost,
                                 double tolerance)
    : fit_(fit),
      environments_(environments),
      alone_(std::move(alone)),
      cost_(cost),
      tolerance_(tolerance),
      fresh_(hard.begin(), hard.end()),
      has_soft_(hard.size(), 0) {
  for (double& fresh : fresh_) fresh -= std::log(2.0);  // the half that is known
}

AdditiveRecord AdditiveChanges::record() {
  AdditiveRecord record;
  record.environments.assign(environments_.begin(), environments_.end());
  if (environments_.size() <= cost_.exact)
    record.pools = all_pools();
  else
    around_modes(record);
  constexpr std::size_t not_too_many = 4096;
  const std::span<const double> found = fit_.coefficients();
  if (found.size() <= not_too_many) record.coefficients.assign(found.begin(), found.end());
  return record;
}

std::vector<double> AdditiveChanges::all_pools() {
  std::vector<double> pools(std::size_t(1) << environments_.size(), 0.0);
  std::vector<std::size_t> members;
  for (std::size_t way = 1; way < pools.size(); ++way) {
    members.clear();
    for (std::size_t t = 0; t < environments_.size(); ++t)
      if (way >> t & 1) members.push_back(environments_[t]);
    pools[way] =
        members.size() == 1 ? alone_(members[0]) : fit_.log_evidence_of(members, tolerance_);
  }
  return pools;
}

void AdditiveChanges::around_modes(AdditiveRecord& record) {
  const std::size_t n = environments_.size();
  std::vector<char> changed(n, 0);
  ChangeMode best = settle(changed);
  record.sum = best.with_flips();
  if (std::size_t(std::count(best.changed.begin(), best.changed.end(), 1)) > n / 4) {
    // Where much changed, the pool of everything may mix mechanisms.
    std::fill(changed.begin() + 1, changed.end(), char(1));
    const ChangeMode other = settle(changed);
    if (other.changed != best.changed) record.sum = either(record.sum, other.with_flips());
    if (other.log_joint > best.log_joint) best = other;
  }
  for (std::size_t t = 0; t < n; ++t)
    record.shares.push_back(cost_.log_change + fresh_[t] - log_sigmoid(best.log_odds[t]));
}

ChangeSum sum_of_pools(const AdditiveRecord& record, std::span<const std::size_t> places,
                       std::span<const double> fresh, const ChangeCost& cost) {
  KnownPools pools(record);
  return ChangeSummation<KnownPools>(pools, places, fresh, cost).sum();
}

/// From a first guess at what changed: fit, reconsider, fit again, until nothing moves.
ChangeMode AdditiveChanges::settle(std::vector<char> changed) {
  constexpr int most_rounds = 8;
  const std::size_t n = environments_.size();
  ChangeMode mode{std::move(changed), std::vector<double>(n, 0.0), 0};
  fit_.start(pool(mode.changed));
  fit_.climb(std::max(tolerance_, 10.0));  // near enough to see what does not belong
  for (int round = 0; round < most_rounds; ++round) {
    const bool moved = decide(mode);
    if (moved) fit_.repool(pool(mode.changed));
    fit_.climb(tolerance_);
    if (!moved && round > 0) break;
  }
  if (consider_soft(mode) && decide(mode)) {
    fit_.repool(pool(mode.changed));
    fit_.climb(tolerance_);
  }
  fit_.bend();
  complete(mode);
  return mode;
}

std::vector<std::size_t> AdditiveChanges::pool(std::span<const char> changed) const {
  std::vector<std::size_t> pool;
  for (std::size_t t = 0; t < changed.size(); ++t)
    if (!changed[t]) pool.push_back(environments_[t]);
  return pool;
}

double AdditiveChanges::log_odds(std::size_t t) const {
  return cost_.log_change + fresh_[t] - cost_.log_stay - fit_.predictive(environments_[t]);
}

/// Whether any environment changes sides. One always stays: a pool of nothing predicts nothing.
bool AdditiveChanges::decide(ChangeMode& mode) const {
  std::vector<char> before = mode.changed;
  for (std::size_t t = 0; t < before.size(); ++t) {
    mode.log_odds[t] = log_odds(t);
    mode.changed[t] = mode.log_odds[t] > 0;
  }
  if (std::count(mode.changed.begin(), mode.changed.end(), 0) == 0) mode.changed[0] = 0;
  return mode.changed != before;
}

/// Mechanisms of their own for environments in which the pooled one does not clearly hold.
bool AdditiveChanges::consider_soft(const ChangeMode& mode) {
  bool any = false;
  for (std::size_t t = 0; t < environments_.size(); ++t) {
    if (has_soft_[t] || mode.log_odds[t] < clearly_unchanged) continue;
    fresh_[t] = log_add_exp(fresh_[t], alone_(environments_[t]) - std::log(2.0));
    has_soft_[t] = any = true;
  }
  return any;
}

void AdditiveChanges::complete(ChangeMode& mode) const {
  mode.log_joint = fit_.log_evidence();
  for (std::size_t t = 0; t < environments_.size(); ++t) {
    mode.log_odds[t] = log_odds(t);
    mode.log_joint += mode.changed[t] ? cost_.log_change + fresh_[t] : cost_.log_stay;
  }
}

}  // namespace whence
