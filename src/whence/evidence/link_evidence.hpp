// Whether two variables depend on each other inside environments at all, by tests that lose little
// to size: tables with many cells overlook links that a trend shows.
#pragma once

#include <span>

#include "whence/core/dataset.hpp"

namespace whence {

struct LinkEvidence {
  /// log-evidence of a link, weak or strong, against none.
  double log_evidence = 0;
  /// The correlation (of tables: Cramer's V) from which on 19 of 20 samples of so many rows would
  /// have shown a link, at 20 to 1.
  double visible = 1;
};

/// Of two variables of any kinds. Features: of real columns ranks and their squares, of categories
/// indicators, and the ranks of those that are named by numbers; all about their means within each
/// environment. Each pair of feature sets (trends only, all, all with other links in each
/// environment) gives a chi-square statistic; its evidence is averaged over how large effects may
/// be. `share`: what a row of each environment is worth.
LinkEvidence link_evidence(const Dataset& data, std::span<const double> share = {});

}  // namespace whence
