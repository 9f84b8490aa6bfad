// The table of one family, pooled over environments that can join and leave: BDeu evidence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "whence/evidence/categorical/categorical_rows.hpp"
#include "whence/math/special.hpp"

namespace whence {

/// log of the rising factorial a (a + 1) ... (a + n - 1), looked up.
class RisingTable {
 public:
  RisingTable(double a, std::size_t most) : a_(a), values_(most + 1) {
    for (std::size_t n = 0; n <= most; ++n) values_[n] = log_rising(a, double(n));
  }
  double operator()(std::size_t n) const {
    return n < values_.size() ? values_[n] : log_rising(a_, double(n));
  }

 private:
  double a_;
  std::vector<double> values_;
};

/// One table per pseudo-count, made when first asked for; safe to ask from many threads.
class RisingTables {
 public:
  explicit RisingTables(std::size_t most) : most_(most) {}
  std::shared_ptr<const RisingTable> of(double a) const;

 private:
  std::size_t most_;
  mutable std::mutex mutex_;
  mutable std::map<double, std::shared_ptr<const RisingTable>> tables_;
};

/// Counts of a family's observed cells. Pseudo-counts are ess / cells each, over all cells that the
/// levels allow, so that all graphs of a Markov class get the same sum of log-evidence.
class TablePool {
 public:
  TablePool(const CategoricalRows& rows, std::size_t child, std::span<const std::size_t> parents,
            double ess, const RisingTables& tables);

  void add(std::size_t environment) { move(environment, +1); }
  void remove(std::size_t environment) { move(environment, -1); }

  /// log P(the environment | the pool, which it is not in).
  double predictive(std::size_t environment) const;
  /// log P(the environment) under a table of its own.
  double alone(std::size_t environment) const;

 private:
  struct Count {
    std::uint32_t at, number;
  };
  void count(const CategoricalRows& rows, std::size_t child, const Configurations& configuration);
  void move(std::size_t environment, int sign);

  std::shared_ptr<const RisingTable> cell_rising_, row_rising_;
  std::vector<std::vector<Count>> cells_, rows_;  // of each environment: by cell, by configuration
  std::vector<std::uint32_t> pooled_cells_, pooled_rows_;
};

/// log P(all rows of these environments) under one table: what a pool of them is worth.
double table_evidence(const CategoricalRows& rows, std::size_t child,
                      std::span<const std::size_t> parents,
                      std::span<const std::size_t> environments, double ess,
                      const RisingTables& tables);

}  // namespace whence
