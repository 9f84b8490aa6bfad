// The control of "no shift": what the same rows say of a direction when they are dealt out to the
// environments at random.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/evidence/categorical/conjugate_table.hpp"

namespace whence {

/// What the control leaves of the evidence.
struct NoShiftControl {
  double most = INFINITY;  // nats: what evidence may count for that so many deals have, too
  double bias = 0;        // log-odds that the deals have on average: they are there without a shift
  std::size_t deals = 0;  // 0: there was no need to ask

  /// Log-odds of the two directions, less what a shift does not account for.
  double left_of(double log_odds) const;
  /// The same of a belief; the share of "no link" stays.
  std::array<double, structures> left_of(const std::array<double, structures>& belief,
                                         const ChangePrior& prior) const;
};

/// log P(tables | X -> Y) - log P(tables | Y -> X)
using LogOdds = std::function<double(const std::vector<FamilyCounts>&)>;

/// Few rows for tables of this size, or plenty.
bool few_rows(std::span<const FamilyCounts> tables);

/// The most that evidence can count for if chance alone gives as much with this probability, in
/// nats: odds of 1 to -e p ln p, the best that any prior on the size of a real effect would give
/// (Sellke, Bayarri and Berger 2001). Nothing from p = 1/e on.
double most_evidence(double chance);

/// Deals the rows of all tables out to environments of the same sizes, over and over. Without a
/// shift the data are one more deal, so that the share of deals that say as much is the chance to
/// find what was found, whatever the tables look like; beyond the furthest deal its tail is taken
/// for exponential. One row more changes that share little. Deals end early where several say as
/// much as the data, or where none comes near.
NoShiftControl deal_out(std::span<const FamilyCounts> tables, double found,
                        const LogOdds& log_odds);

}  // namespace whence
