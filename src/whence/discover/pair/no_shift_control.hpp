// The control of "no shift": what the same rows say of a direction when they are dealt out to the
// environments at random.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/evidence/categorical/conjugate_table.hpp"

namespace whence {

/// What the control leaves of the evidence.
struct NoShiftControl {
  bool counts = true;     // no deal says as much: the evidence needs the environments as they are
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

/// Deals the rows of all tables out to environments of the same sizes, over and over. Without a
/// shift the data are one more deal, so that they stand out of `most` deals once in `most + 1`
/// cases, whatever the tables look like. Deals end early where one says as much as the data, or
/// where none comes near.
NoShiftControl deal_out(std::span<const FamilyCounts> tables, double found,
                        const LogOdds& log_odds);

}  // namespace whence
