// A look at the data before any question about causes: what the columns hold, how the environments
// differ, and which differences these rows could have shown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/remark.hpp"
#include "whence/evidence/labels/line_check.hpp"

namespace whence {

struct ColumnCheck {
  std::string name;
  bool categorical = false;
  int levels = 0, dimension = 1;
  std::size_t distinct = 0;    // rows that differ
  double tied = 0;             // share of rows that equal another one; real columns only
  bool whole_numbers = false;  // a real column without fractions: rounded, or codes of categories
};

/// How an environment differs from the baseline, or from all others: evidence in nats.
struct ShiftCheck {
  std::string name;
  std::size_t rows = 0;
  bool baseline = false;
  double first = 0, second = 0;                           // of each variable's own law
  double second_given_first = 0, first_given_second = 0;  // of each conditional law
  double visible = 0;  // the smallest shift these rows could show, in standard deviations
};

struct DataCheck {
  std::vector<ColumnCheck> columns;
  std::vector<ShiftCheck> environments;
  double dependence = 0;        // evidence that the two depend on each other at all, in nats
  std::vector<Remark> remarks;  // of cells that look like mistakes
};

/// How an environment of many variables differs from the baseline, or from all others.
struct EnvironmentCheck {
  std::string name;
  std::size_t rows = 0;
  double effective_rows = 0;  // how many independent rows they are worth
  bool baseline = false;
  std::vector<double> evidence;  // per variable: that its law differs, in nats
  std::vector<std::size_t>
      apart;           // variables without a value in common with what it is compared to
  double visible = 0;  // the smallest shift these rows could show, in standard deviations
};

struct TableCheck {
  std::vector<ColumnCheck> columns;
  std::vector<EnvironmentCheck> environments;
  std::vector<LineCheck> lines;  // per variable: whether straight lines fit it
  std::vector<Remark> remarks;   // of rows that count for less
};

/// Evidence above this many nats (20 to 1) is called clear.
inline constexpr double clear_evidence = 3.0;

/// `data` has two variables and at least two environments.
/// Refuses, with an Error of code resource, what needs more memory than `max_memory`. `pulse` is
/// called now and then, and may throw to stop.
DataCheck check_data(const Dataset& data, std::optional<std::size_t> baseline, int threads,
                     std::size_t max_memory = std::size_t(4) << 30,
                     const std::function<void()>& pulse = {});

/// `data` has any number of variables and at least two environments. `entity`: as for
/// effective_rows.
TableCheck check_table(const Dataset& data, std::optional<std::size_t> baseline, int threads,
                       std::span<const std::int32_t> entity = {},
                       const std::function<void()>& pulse = {});

}  // namespace whence
