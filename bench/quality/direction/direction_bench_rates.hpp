// What the data sets of whence bench direction add up to: rates, tables, calibration.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/quality/direction/direction_bench_cases.hpp"
#include "whence/core/report.hpp"
#include "whence/judge/reliability.hpp"

namespace whence::direction_bench {

/// A direction is decided, and it is the true one.
struct Rates {
  double decided = 0, right = 0;  // right: of those decided, if there is a truth
  std::size_t cases = 0;
};
Rates rates_of(const std::vector<Outcome>& outcomes);

using Choice = std::function<bool(const Group&)>;
std::vector<Outcome> pooled(const std::vector<Group>& cells, const Choice& wanted);

/// Their names, each once, in alphabetical order.
std::vector<std::string> families_of(const std::vector<Group>& cells);

/// The tables of which figures are asked.
inline bool small_tables(const Group& c) { return c.family == "N=2" || c.family == "N=10"; }

Table summary_table(const std::vector<Group>& discrete, const std::vector<Group>& real);
/// A row for every cell; `words`: the columns that the groups name themselves.
Table grid_table(std::string id, std::string title, std::vector<std::string> words,
                 const std::vector<Group>& cells);
/// How often a pair is named confounded: where it is, where both mechanisms change, and where
/// neither is so.
Table confounded_table(const std::vector<Group>& discrete, const std::vector<Group>& real);
Table control_table(const std::vector<Group>& cells);
Table time_table(std::span<const std::vector<Group>* const> parts);

/// Beliefs in all three structures, on data drawn from the stated prior.
Reliability prior_reliability(std::size_t cases, const RunOptions& options,
                              const Progress& progress);
/// The belief in the leading direction where exactly one mechanism shifts.
Reliability shift_reliability(const std::vector<Group>& cells, const Choice& wanted);
void draw_reliability(Report& report, const Reliability& prior, const Reliability& shifts);

}  // namespace whence::direction_bench
