// Features of second order of a set of variables: what both kinds of evidence regress on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "whence/core/variable_set.hpp"
#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"

namespace whence {

/// One coordinate of a variable.
struct Coordinate {
  std::size_t column, variable;
  bool real;
};

inline std::vector<Coordinate> coordinates_of(const CodedColumns& columns, const VariableSet& set) {
  std::vector<Coordinate> list;
  set.each([&](std::size_t v) {
    const CodedVariable& variable = columns.variable(v);
    for (std::size_t k = 0; k < variable.count; ++k)
      list.push_back({variable.first + k, v, variable.real});
  });
  return list;
}

/// Two indicators of one variable are never both 1: their product says nothing.
inline bool makes_product(const Coordinate& a, const Coordinate& b) {
  return a.variable != b.variable || a.real;
}

/// 1, then for each coordinate itself, its square if it is real, and its products with earlier
/// ones.
inline std::size_t second_order_count(const std::vector<Coordinate>& list) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    count += list[i].real ? 2 : 1;
    for (std::size_t j = 0; j < i; ++j) count += makes_product(list[i], list[j]) ? 1 : 0;
  }
  return count;
}

/// Fills the first second_order_count(list) columns of x; `column(c)` points to coordinate c.
template <class Column>
void fill_second_order(const std::vector<Coordinate>& list, const Column& column,
                       FeatureColumns& x) {
  const std::size_t rows = x.rows();
  std::size_t at = 0;
  std::fill_n(x.column(at++), rows, 1.0F);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float* a = column(list[i].column);
    std::copy_n(a, rows, x.column(at++));
    if (list[i].real) {
      float* to = x.column(at++);
      for (std::size_t r = 0; r < rows; ++r) to[r] = a[r] * a[r] - 1;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!makes_product(list[i], list[j])) continue;
      const float* b = column(list[j].column);
      float* to = x.column(at++);
      for (std::size_t r = 0; r < rows; ++r) to[r] = a[r] * b[r];
    }
  }
}

template <class Column>
FeatureColumns second_order(const std::vector<Coordinate>& list, std::size_t rows,
                            const Column& column) {
  FeatureColumns x(rows, second_order_count(list));
  fill_second_order(list, column, x);
  return x;
}

}  // namespace whence
