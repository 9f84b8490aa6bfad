// Where each column lies, and the units of its prior.
//
// A linear mechanism's prior needs the order of its noise. The spread of a column does not show
// it: far down a graph nearly all of the spread is inherited, and a prior in units of the spread
// then acts like errors of measurement in every column, which make neighbours of variables that
// have nothing to do with each other. What a regression on the other columns leaves over does show
// it, up to a small factor, whatever the graph is: graphs of one Markov class stay equal.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

struct ColumnUnit {
  double centre = 0;  // median of the reference environment
  double spread = 1;  // about each environment's own median: a Gaussian's sigma
  double unit = 1;    // the same of what the other columns do not explain; at most `spread`
};

/// The one with most rows.
std::size_t largest_environment(const Dataset& data);

/// One per column of real numbers. Throws an Error for a column that is constant.
std::vector<ColumnUnit> column_units(const Dataset& data, std::size_t reference);

}  // namespace whence
