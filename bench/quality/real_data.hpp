// Recorded data with a known truth: a folder with tables and a truth.json, and what is drawn from
// it for a benchmark.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {

struct RealData {
  std::string name;  // of the folder
  Dataset data;      // environment 0 is the baseline
  GraphTruth truth;  // targets of an environment are empty where they are not known
  bool knows_edges = false;
  std::vector<bool> knows_targets;  // [environment]
  std::vector<std::string> warnings;
};

/// One CSV file per environment (baseline.csv is the baseline), or one table where truth.json names
/// its column of environments; truth.json holds, each as far as it is known:
///   "edges": [["a", "b"], ...] or [{"from": "a", "to": "b"}, ...]
///   "hidden": [["a", "b"], ...]: pairs that depend through something that is in no column
///   "environments": {"shifted_01.csv": {"targets": ["a"]}, ...}, or a list of objects with "name"
///     and "targets", or as whence simulate writes it
///   "variables": the columns to use, if not all
///   "environment": the column of environments, "table": the file (if there are several),
///   "baseline": the environment that is the baseline, if it has another name
/// Throws Errors of code bad_data: E-REAL-TRUTH for a truth that does not fit.
RealData read_real_data(const std::filesystem::path& folder);

/// Random rows, in their order: at most so many of the baseline and of each other environment.
struct RowLimits {
  std::size_t baseline = 0, shifted = 0;  // 0: all
};
RealData subsample(const RealData& all, const RowLimits& limits, std::uint64_t seed,
                   std::uint32_t number);

/// The columns in a random order.
void reorder_columns(RealData& data, std::uint64_t seed, std::uint32_t number);

/// Nothing changes: rows of the baseline, at random, in environments about as large as those of
/// `like`. The truth has no targets.
RealData baseline_in_pieces(const RealData& all, const RealData& like, std::uint64_t seed,
                            std::uint32_t number);

/// Every column shuffled within environments: the truth has no edges.
RealData shuffled_within(const RealData& data, std::uint64_t seed);

/// The variable whose mean moved furthest from the baseline's, in standard deviations there (of a
/// categorical variable: the share of a level): what naming a target takes without any model.
std::vector<double> standardised_shifts(const Dataset& data, std::size_t environment);

}  // namespace whence
