// Summaries over runs: medians and quartiles, in one definition.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whence/core/report.hpp"

namespace whence {

/// The q-quantile by linear interpolation between order statistics (R's type 7).
double quantile(std::vector<double> values, double q);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

/// Median and quartiles at each x of `runs`[run][point].
Curve summarise(std::string id, std::string label, std::vector<double> x,
                std::span<const std::vector<double>> runs);

/// "0.974", "1.2e-17": short, for people.
std::string show(double value, int digits = 3);

}  // namespace whence
