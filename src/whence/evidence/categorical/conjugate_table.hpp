// Conjugate scores of categorical tables: the exact posterior predictive.
//
// Predictives of one batch after the other add up to the marginal likelihood of all; the order of
// the examples does not matter, so counts are all that is kept. Pseudo-counts are spread so that
// both factorisations of a joint table get the same number (BDe): without a shift no direction is
// preferred.
#pragma once

#include <cstddef>
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

/// What some examples add to a table: of every row that they touch its touched cells, and after
/// them its total.
struct Tally {
  struct Row {
    std::size_t row, end;  // one past its total; it begins where the row before it ends
  };
  std::vector<Row> rows;
  std::vector<std::size_t> at;  // cells by their index; totals stand behind all cells
  std::vector<double> count;

  Tally() = default;
  explicit Tally(const FamilyCounts& seen);
};

/// A table that has learnt: its counts, then the totals of its rows, and log Gamma of each with its
/// pseudo-counts, so that a score needs only the log Gammas of what comes next.
struct LearntTable {
  std::size_t rows = 0, levels = 0;
  double alpha = 1;
  std::vector<double> counts, log_gammas;

  LearntTable(std::size_t rows, std::size_t levels, double alpha);
};

/// log P(each touched row | before), and what scoring found out: log Gamma at each entry.
struct TallyScore {
  std::vector<double> rows, log_gammas;
};
TallyScore score(const LearntTable& before, const Tally& seen);

/// The table after it has learnt what it was scored on.
LearntTable learn(LearntTable before, const Tally& seen, const TallyScore& scored);

}  // namespace whence
