// Gradient adaptation of categorical tables, fast: agrees with gradient.hpp to rounding.
//
// An untouched row of a softmax table has a zero gradient, so an episode copies and updates only
// the rows it visits, and an update is carried out when its row is next read: one that is never
// read again is never computed. Rows are summed as eight interleaved partial sums, combined in one
// fixed order, so that results are the same bits on every instruction set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whence/adapt/gradient.hpp"
#include "whence/mechanisms/categorical_table.hpp"

namespace whence {

/// The constant part: a pre-trained table, normalised, each row padded to a multiple of eight.
struct TablePlan {
  explicit TablePlan(const CategoricalTable<double>& table);

  std::size_t levels, rows, stride;
  std::vector<double> log_p, p;  // [row][stride]; padding: log 0 and 0
};

/// The mutable part: rows touched since the last restart. One per thread and plan shape.
class TableScratch {
 public:
  TableScratch() = default;

  /// Forget everything learnt: back to the plan's parameters.
  void restart(const TablePlan& plan);

  struct Row {
    std::uint64_t epoch = 0;   // touched since the restart of that number?
    std::int32_t pending = 0;  // first step that has not been carried out yet
    std::int32_t seen = 0;     // examples behind its gradient
    bool own = false;          // parameters differ from the plan's
  };
  struct Moved {
    std::uint32_t row;
    double top, sum;  // its logits' maximum, and the sum of e^(logit - top)
  };
  std::uint64_t epoch = 0;
  std::int32_t step = 0;  // optimizer steps since the restart
  std::vector<Row> rows;
  std::vector<std::uint32_t> touched;  // rows touched since the restart, in order of first touch
  std::vector<Moved> moved;            // rows whose logits await normalisation
  std::vector<double> log_p, p, counts, first, second;  // [row][stride]
  std::vector<double> test_log_lik;                     // [row], when a test set is followed
};

/// A held-out sample as counts per cell: exact, and far cheaper than point by point.
struct TestCounts {
  TestCounts(const TablePlan& plan, const Dataset& data, const Family& family, std::size_t begin,
             std::size_t end);
  std::size_t size = 0;        // number of examples
  std::vector<double> counts;  // [row][stride]
};

/// Scores `scores.size()` mini-batches of `batch` examples, learning from each after it is scored.
/// `configuration[i]` and `level[i]` are the parents' configuration and the child of example i.
/// Unless the learner `goes_on` (is not restarted next), nothing is learnt from the last
/// mini-batch. With `test`, test_log_lik[t] is the mean log-likelihood of the test set before
/// update t.
void adapt_table(const TablePlan& plan, const OptimizerSpec& optimizer, int batch,
                 const std::int32_t* configuration, const std::int32_t* level,
                 TableScratch& scratch, std::span<double> scores, bool goes_on = false,
                 const TestCounts* test = nullptr, std::span<double> test_log_lik = {});

}  // namespace whence
