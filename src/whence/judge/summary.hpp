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

/// The first x at which the median exceeds `level`; 0: never.
int first_above(const Curve& curve, double level);

/// 1, 2, ..., n
std::vector<double> counting(std::size_t n);

/// Fisher's exact test, two-sided: how likely a of n beside b of m, or anything less likely, is if
/// one rate is behind both.
double same_rate_probability(int a, int n, int b, int m);

/// How many of the sampled graphs an estimate rests on, of `episodes`[episode][node]: the median of
/// each node as a number id/A, id/B, ..., and a warning that begins with `what` below 1.5. Nothing
/// where nothing was sampled.
void add_effective_samples(const std::string& id, const std::string& what,
                           std::span<const std::vector<double>> episodes, Report& report);

/// "0.974", "1.2e-17": short, for people.
std::string show(double value, int digits = 3);

}  // namespace whence
