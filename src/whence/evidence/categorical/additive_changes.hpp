// Where an additive mechanism changed, summed over: exactly for few environments, else around the
// modes, whose fits serve all environments at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "whence/evidence/categorical/additive_logit.hpp"
#include "whence/evidence/categorical/change_sum.hpp"

namespace whence {

/// What is kept of a family once its fits are made: all that any regime needs.
struct AdditiveRecord {
  std::vector<std::size_t> environments;  // that the mechanism may have changed in, largest first
  // Of few environments: the evidence of every pool, by the bits of its members' places.
  std::vector<double> pools;
  // Of many: the sum over changes, and what each environment adds to it.
  ChangeSum sum;
  std::vector<double> shares;
  std::vector<float> coefficients;  // of the last fit, unless they are very many
};

/// `hard[t]`: log evidence of environments[t] without parents; `alone(e)`: that of a mechanism of
/// its own. The fit is used, and left in any state.
class AdditiveChanges {
 public:
  AdditiveChanges(AdditiveLogit& fit, std::span<const std::size_t> environments,
                  std::span<const double> hard, std::function<double(std::size_t)> alone,
                  const ChangeCost& cost, double tolerance);

  AdditiveRecord record();

 private:
  std::vector<double> all_pools();
  void around_modes(AdditiveRecord& record);
  ChangeMode settle(std::vector<char> changed);
  std::vector<std::size_t> pool(std::span<const char> changed) const;
  double log_odds(std::size_t t) const;
  bool decide(ChangeMode& mode) const;
  bool consider_soft(const ChangeMode& mode);
  void complete(ChangeMode& mode) const;

  AdditiveLogit& fit_;
  std::span<const std::size_t> environments_;
  std::function<double(std::size_t)> alone_;
  ChangeCost cost_;
  double tolerance_;
  std::vector<double> fresh_;   // log P(environment | it changed)
  std::vector<char> has_soft_;  // whether that includes a mechanism of its own
};

/// The exact sum over changes in some of the record's environments, given by their places.
ChangeSum sum_of_pools(const AdditiveRecord& record, std::span<const std::size_t> places,
                       std::span<const double> fresh, const ChangeCost& cost);

}  // namespace whence
