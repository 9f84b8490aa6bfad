// What rows in the order of time are worth for telling whether columns are linked.
//
// Two series that move slowly seem to be linked for a while: their correlation has the variance
// (1 + 2 sum r_a(k) r_b(k)) / n, where r(k) is the correlation of rows k apart. One slow series
// beside others that are drawn anew takes nothing away. What counts is what the other columns leave
// of each: sensors that all follow the weather are slow, and what is left of them is not.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

constexpr std::size_t fewest_in_order =
    8;  // rows of an environment that say something of their order
constexpr std::size_t most_lags = 500;

struct LinkOrder {
  double share = 1;         // n rows are worth n times this; 1: no order is clear
  std::size_t slowest = 0;  // of the pair that takes most, the variable with ...
  double correlation = 0;   // ... the larger correlation of what is left with its next row
};

/// `rows`: of each environment those that count, in the order in which they were observed.
LinkOrder link_order(const Dataset& data, const std::vector<std::vector<std::size_t>>& rows);

/// Centred mid-ranks: one far value must not hide or make a correlation.
std::vector<double> centred_ranks(const std::vector<double>& x);

}  // namespace whence
