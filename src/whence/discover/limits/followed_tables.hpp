// Where the values of an effect should lie in an environment, by tables of the usual ones: given
// all of its causes, and without one of them.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

class TwoTables {
 public:
  /// Of categorical columns; the cause in question comes last. Of the others as many as the rows
  /// can fill a table with.
  TwoTables(const Dataset& data, const std::vector<std::size_t>& causes, std::size_t effect,
            const std::vector<std::size_t>& environments);

  /// The log-likelihood that an environment's values come from the tables, up to a constant.
  double unchanged(std::size_t e) const { return unchanged(whole_, &without_, e); }
  double unchanged_without_cause(std::size_t e) const { return unchanged(without_, nullptr, e); }

 private:
  /// Counts [combination of the causes' levels][level of the effect].
  struct Table {
    std::vector<std::size_t> causes;
    std::vector<double> counts, rows;  // rows: of each combination
  };

  std::size_t levels(std::size_t v) const { return std::size_t(data_.variables[v].levels); }
  std::size_t cell(const Table& table, std::size_t row) const;
  void count(Table& table, const std::vector<std::size_t>& environments) const;
  /// P(level) in a cell, where little is known drawn towards another table's, or the effect's law.
  double share(const Table& table, const Table* coarser, std::size_t cell, std::size_t level) const;
  double unchanged(const Table& table, const Table* coarser, std::size_t e) const;

  const Dataset& data_;
  std::size_t effect_;
  Table whole_, without_;
  std::vector<double> law_;  // of the effect, in all usual environments
};

}  // namespace whence
