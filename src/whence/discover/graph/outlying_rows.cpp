#include "whence/discover/graph/outlying_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/math/dense.hpp"

namespace whence {
namespace {

/// Takes out some rows of `width` numbers each, given in ascending order.
template <class T>
void erase_rows(std::vector<T>& values, const std::vector<std::size_t>& rows, std::size_t width) {
  if (values.empty()) return;
  std::size_t kept = 0, next = 0;
  for (std::size_t row = 0; row * width < values.size(); ++row) {
    if (next < rows.size() && rows[next] == row) {
      ++next;
      continue;
    }
    for (std::size_t k = 0; k < width; ++k) values[kept++] = values[row * width + k];
  }
  values.resize(kept);
}

}  // namespace

namespace {

using Numbers = std::vector<double>;

/// The columns of single numbers in one environment, in robust standard deviations.
std::vector<Numbers> standardised(const Dataset& data, const Environment& environment) {
  std::vector<Numbers> columns;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (data.variables[v].kind != Variable::Kind::real || data.variables[v].dimension != 1)
      continue;
    const auto first = data.columns[v].values.begin() + std::ptrdiff_t(environment.begin);
    Numbers z(first, first + std::ptrdiff_t(environment.rows()));
    const RobustScale scale = robust_scale(z);
    for (double& x : z) x = (x - scale.centre) / scale.spread;
    columns.push_back(std::move(z));
  }
  return columns;
}

/// What is left of each column by the others, over the rows that are not marked, on any scale.
std::vector<Numbers> remainders(const std::vector<Numbers>& columns,
                                const std::vector<char>& marked) {
  const std::size_t m = columns.size(), n = marked.size();
  constexpr double jitter = 1e-3;  // columns may be copies
  Matrix usual(n + m, m), all(m, n);
  for (std::size_t v = 0; v < m; ++v) {
    usual(n + v, v) = jitter * std::sqrt(double(n));
    for (std::size_t row = 0; row < n; ++row) {
      all(v, row) = columns[v][row];
      usual(row, v) = marked[row] ? 0 : columns[v][row];
    }
  }
  // Rows of the inverse covariance tell each column from the others.
  const Matrix factor = factor_of_gram(std::move(usual));
  const Matrix rest = lower_transposed_solve(factor, lower_solve(factor, std::move(all)));
  std::vector<Numbers> lists;
  for (std::size_t v = 0; v < m; ++v)
    lists.emplace_back(rest.values.begin() + std::ptrdiff_t(v * n),
                       rest.values.begin() + std::ptrdiff_t((v + 1) * n));
  return lists;
}

void mark_far(const std::vector<Numbers>& lists, double far, std::vector<char>& marked) {
  for (const Numbers& list : lists) {
    const RobustScale scale = robust_scale(list);
    for (std::size_t row = 0; row < list.size(); ++row)
      if (std::abs(list[row] - scale.centre) > far * scale.spread) marked[row] = 1;
  }
}

/// Rows with a number far from the others of its column, or from what the other columns of the row
/// let expect of it.
std::vector<char> outlying_in(const Dataset& data, const Environment& environment) {
  constexpr double far = 6, far_from_expected = 5;  // robust standard deviations
  constexpr std::size_t most_columns = 64, rows_per_column = 5;
  const std::vector<Numbers> columns = standardised(data, environment);
  std::vector<char> marked(environment.rows(), 0);
  mark_far(columns, far, marked);
  if (columns.size() < 2 || columns.size() > most_columns ||
      environment.rows() < rows_per_column * columns.size())
    return marked;
  // Twice: a row that is marked no longer bends what is expected of the others.
  std::vector<char> bending = marked;
  mark_far(remainders(columns, bending), far_from_expected, bending);
  mark_far(remainders(columns, bending), far_from_expected, marked);
  return marked;
}

}  // namespace

std::vector<std::size_t> outlying_rows(const Dataset& data) {
  constexpr std::size_t fewest_rows = 50;
  std::vector<std::size_t> result;
  for (const Environment& environment : data.environments) {
    if (environment.rows() < fewest_rows) continue;
    const std::vector<char> outlying = outlying_in(data, environment);
    const auto count = std::size_t(std::count(outlying.begin(), outlying.end(), char(1)));
    if (count > std::max<std::size_t>(1, environment.rows() / 100)) continue;
    for (std::size_t r = 0; r < environment.rows(); ++r)
      if (outlying[r]) result.push_back(environment.begin + r);
  }
  return result;
}

Dataset without_rows(Dataset data, const std::vector<std::size_t>& rows) {
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    erase_rows(data.columns[v].levels, rows, 1);
    erase_rows(data.columns[v].values, rows, std::size_t(data.variables[v].dimension));
  }
  const auto rows_before = [&](std::size_t row) {
    return std::size_t(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
  };
  for (Environment& environment : data.environments) {
    environment.begin -= rows_before(environment.begin);
    environment.end -= rows_before(environment.end);
  }
  return data;
}

}  // namespace whence
