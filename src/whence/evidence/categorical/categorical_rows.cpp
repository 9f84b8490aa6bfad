#include "whence/evidence/categorical/categorical_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "whence/core/error.hpp"

namespace whence {

namespace {

constexpr int most_levels = 255;

void check(const Dataset& data) {
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    const Variable& variable = data.variables[v];
    if (variable.kind != Variable::Kind::categorical)
      throw Error(ExitCode::bad_data, "E-DATA-KIND", variable.name,
                  "a column of numbers among categorical ones",
                  "give it levels, or use an engine for numbers");
    if (variable.levels < 1 || variable.levels > most_levels)
      throw Error(ExitCode::bad_data, "E-DATA-LEVELS", variable.name,
                  "a categorical column has " + std::to_string(variable.levels) + " levels",
                  "between 1 and 255 are possible: join rare ones");
    for (std::int32_t level : data.columns[v].levels)
      if (level < 0 || level >= variable.levels)
        throw Error(ExitCode::bad_data, "E-DATA-LEVELS", variable.name,
                    "level " + std::to_string(level) + " is not one of the column's levels",
                    "number them from 0");
  }
}

/// The rows of one environment, sorted by all their values.
std::vector<std::size_t> sorted_rows(const Dataset& data, const Environment& environment) {
  std::vector<std::size_t> order(environment.rows());
  std::iota(order.begin(), order.end(), environment.begin);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const Column& column : data.columns)
      if (column.levels[a] != column.levels[b]) return column.levels[a] < column.levels[b];
    return false;
  });
  return order;
}

}  // namespace

CategoricalRows::CategoricalRows(const Dataset& data) {
  check(data);
  offset_ = {0};
  for (const Variable& variable : data.variables) {
    levels_.push_back(std::size_t(variable.levels));
    offset_.push_back(offset_.back() + levels_.back());
  }
  take(data);
  count_levels();
  count_pairs();
}

void CategoricalRows::take(const Dataset& data) {
  std::vector<Environment> environments = data.environments;
  if (environments.empty()) environments.push_back({"", 0, data.rows()});
  begin_ = {0};
  for (const Environment& e : environments) begin_.push_back(begin_.back() + e.rows());
  codes_.resize(rows() * variables());
  for (std::size_t e = 0; e < environments.size(); ++e) {
    std::size_t to = begin_[e];
    for (std::size_t from : sorted_rows(data, environments[e])) {
      for (std::size_t v = 0; v < variables(); ++v)
        codes_[v * rows() + to] = std::uint8_t(data.columns[v].levels[from]);
      ++to;
    }
  }
  largest_first_.resize(environments.size());
  std::iota(largest_first_.begin(), largest_first_.end(), std::size_t(0));
  std::stable_sort(largest_first_.begin(), largest_first_.end(),
                   [&](std::size_t a, std::size_t b) { return rows(a) > rows(b); });
}

void CategoricalRows::count_levels() {
  counts_.assign(environments() * offset_.back(), 0);
  for (std::size_t e = 0; e < environments(); ++e)
    for (std::size_t v = 0; v < variables(); ++v)
      for (std::size_t r = begin(e); r < end(e); ++r)
        ++counts_[e * offset_.back() + offset_[v] + column(v)[r]];
}

void CategoricalRows::count_pairs() {
  const std::size_t m = variables();
  pair_offset_.assign(m * m, 0);
  std::size_t size = 0;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      pair_offset_[a * m + b] = size;
      size += levels_[a] * levels_[b];
    }
  pairs_.assign(size, 0);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      std::uint32_t* into = &pairs_[pair_offset_[a * m + b]];
      for (std::size_t r = 0; r < rows(); ++r) ++into[column(a)[r] * levels_[b] + column(b)[r]];
    }
}

Configurations configurations(const CategoricalRows& rows, std::span<const std::size_t> variables) {
  constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
  Configurations result{1, std::vector<std::uint32_t>(rows.rows(), 0)};
  std::vector<std::uint32_t> name;
  for (std::size_t v : variables) {  // each variable splits the configurations so far
    const std::uint8_t* column = rows.column(v);
    const std::size_t levels = rows.levels(v);
    name.assign(result.number * levels, unseen);
    std::uint32_t next = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      std::uint32_t& split = name[result.of_row[r] * levels + column[r]];
      if (split == unseen) split = next++;
      result.of_row[r] = split;
    }
    result.number = std::max<std::size_t>(1, next);
  }
  return result;
}

}  // namespace whence
