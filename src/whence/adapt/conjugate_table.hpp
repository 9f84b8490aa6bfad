// Conjugate adaptation of categorical tables: the exact online posterior predictive.
//
// Scored before each update and added up, it is the marginal likelihood of the episode; the order
// of the examples does not matter, so counts are all that is kept. Pseudo-counts are spread so that
// both factorisations of a joint table get the same number (BDe): without a shift no direction is
// preferred.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/family.hpp"

namespace whence {

/// Counts of a family's table, [parent configuration][level]. They may be fractional.
struct FamilyCounts {
  std::size_t rows = 1, levels = 2;
  std::vector<double> cells;

  FamilyCounts() = default;
  FamilyCounts(std::size_t r, std::size_t l) : rows(r), levels(l), cells(r * l, 0.0) {}
  FamilyCounts& operator+=(const FamilyCounts& other);
};

FamilyCounts count(const Dataset& data, const Family& family, std::size_t begin, std::size_t end);

/// log P(seen | before), the cells' pseudo-counts being `alpha` each: the sum of the online scores.
double log_predictive(const FamilyCounts& before, const FamilyCounts& seen, double alpha);

/// The same of row r alone.
double log_predictive_row(const FamilyCounts& before, const FamilyCounts& seen, double alpha,
                          std::size_t row);

/// log P(seen) from nothing.
double log_marginal_likelihood(const FamilyCounts& seen, double alpha);

/// Scores of one episode, mini-batch by mini-batch, each evaluated before it is learnt from.
void adapt_conjugate(FamilyCounts& learner, double alpha, const Dataset& data, const Family& family,
                     const Episode& episode, std::span<double> scores);

}  // namespace whence
