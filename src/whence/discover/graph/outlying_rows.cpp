#include "whence/discover/graph/outlying_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
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
  // Rows of the inverse covariance predict each column from the others.
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
  // Twice: marked rows no longer influence what is expected of the others.
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

namespace {

constexpr double odd_beyond = 2;  // times the tail

/// How far out each number lies beyond the tail of the others, on the side where it lies: 1 where
/// the tail ends if one in fifty is left out. Distances from the middle are linear up to the median
/// distance and logarithmic beyond.
Numbers beyond_tail(const Numbers& list) {
  constexpr std::size_t one_in = 50;
  const std::size_t n = list.size(), spare = std::max<std::size_t>(1, n / one_in);
  const auto middle_of = [](Numbers values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  const double centre = middle_of(list);
  Numbers far, nonzero;
  for (const double x : list) {
    far.push_back(std::abs(x - centre));
    if (far.back() > 0) nonzero.push_back(far.back());
  }
  if (nonzero.empty()) return Numbers(n, 0.0);
  double unit = middle_of(far);
  if (!(unit > 0)) unit = middle_of(nonzero);  // most are equal
  Numbers out(n, 0.0);
  for (const double side : {1.0, -1.0}) {
    Numbers distances(n);
    for (std::size_t i = 0; i < n; ++i)
      distances[i] = side * (list[i] - centre) > 0 ? std::log1p(far[i] / unit) : 0;
    Numbers sorted = distances;
    const auto end = sorted.begin() + std::ptrdiff_t(spare);
    std::nth_element(sorted.begin(), end, sorted.end(), std::greater<>());
    const double tail = std::max(*end, std::log1p(1.0));
    for (std::size_t i = 0; i < n; ++i) out[i] = std::max(out[i], distances[i] / tail);
  }
  // Where many lie far out they are the tail.
  const auto many = std::count_if(out.begin(), out.end(), [](double x) { return x > odd_beyond; });
  if (std::size_t(many) > spare)
    for (double& x : out) x = std::min(x, odd_beyond);
  return out;
}

/// The cells of one environment, row by row; the columns are those of single numbers.
std::vector<OddCell> odd_cells_in(const std::vector<Numbers>& columns) {
  constexpr std::size_t most_columns = 64, rows_per_column = 5;
  const std::size_t n = columns[0].size(), m = columns.size();
  std::vector<Numbers> alone, given_row;
  for (const Numbers& column : columns) alone.push_back(beyond_tail(column));
  std::vector<char> bending(n, 0);
  if (m >= 2 && m <= most_columns && n >= rows_per_column * m) {
    mark_far(columns, 6, bending);
    mark_far(remainders(columns, bending), 5, bending);
    for (const Numbers& rest : remainders(columns, bending)) given_row.push_back(beyond_tail(rest));
  }
  std::vector<OddCell> cells;
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t before = cells.size();
    for (std::size_t v = 0; v < m; ++v)
      if (alone[v][row] > odd_beyond) cells.push_back({row, v, 0, {0, 0}});
    if (cells.size() > before || given_row.empty()) continue;
    // Of a row that does not fit together the cell that lies furthest out by itself is named, or
    // the one that fits worst where all are usual.
    const auto worst = [&](const std::vector<Numbers>& lists) {
      std::size_t at = 0;
      for (std::size_t v = 1; v < m; ++v)
        if (lists[v][row] > lists[at][row]) at = v;
      return at;
    };
    const std::size_t misfit = worst(given_row), extreme = worst(alone);
    if (given_row[misfit][row] > odd_beyond)
      cells.push_back({row, alone[extreme][row] > 1 ? extreme : misfit, 0, {}});
  }
  return cells;
}

}  // namespace

namespace {

/// Of each column with odd cells that lie outside it, what the others reach in this environment.
/// The cells come in the order of their rows, so one pass over a column is enough.
void tell_ranges(const Dataset& data, const Environment& e, std::vector<OddCell>& odd) {
  std::map<std::size_t, std::vector<double>> ranges;  // [column]: the least and the most
  for (const OddCell& cell : odd)
    if (!cell.others.empty()) ranges[cell.variable] = {INFINITY, -INFINITY};
  for (auto& [variable, range] : ranges) {
    auto next = odd.begin();
    for (std::size_t row = e.begin; row < e.end; ++row) {
      bool is_odd = false;
      for (; next != odd.end() && next->row == row; ++next)
        is_odd = is_odd || next->variable == variable;
      if (is_odd) continue;
      const double value = data.columns[variable].values[row];
      range[0] = std::min(range[0], value);
      range[1] = std::max(range[1], value);
    }
  }
  for (OddCell& cell : odd)
    if (!cell.others.empty()) cell.others = ranges.at(cell.variable);
}

}  // namespace

std::vector<OddCell> odd_cells(const Dataset& data) {
  constexpr std::size_t fewest_rows = 20;
  std::vector<std::size_t> numbers;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    if (data.variables[v].kind == Variable::Kind::real && data.variables[v].dimension == 1)
      numbers.push_back(v);
  std::vector<OddCell> all;
  for (const Environment& e : data.environments) {
    if (e.rows() < fewest_rows || numbers.empty()) continue;
    std::vector<OddCell> here = odd_cells_in(standardised(data, e));
    for (OddCell& cell : here) {
      cell.variable = numbers[cell.variable];
      cell.row += e.begin;
      cell.value = data.columns[cell.variable].values[cell.row];
    }
    tell_ranges(data, e, here);
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

std::vector<std::size_t> rows_of(const std::vector<OddCell>& cells) {
  std::vector<std::size_t> rows;
  for (const OddCell& cell : cells)
    if (rows.empty() || rows.back() != cell.row) rows.push_back(cell.row);
  return rows;
}

std::vector<Remark> remarks_on(const std::vector<OddCell>& cells, const Dataset& data) {
  std::vector<Remark> remarks;
  for (const OddCell& cell : cells)
    for (const Environment& e : data.environments) {
      if (cell.row < e.begin || cell.row >= e.end) continue;
      Remark remark{RemarkCode::odd_cell,
                    {data.variables[cell.variable].name},
                    {e.name},
                    {double(cell.row - e.begin + 1), cell.value}};
      remark.numbers.insert(remark.numbers.end(), cell.others.begin(), cell.others.end());
      remarks.push_back(std::move(remark));
    }
  return remarks;
}

std::vector<std::int32_t> without_entries(const std::vector<std::int32_t>& entries,
                                          const std::vector<std::size_t>& rows) {
  std::vector<std::int32_t> rest = entries;
  erase_rows(rest, rows, 1);
  return rest;
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
