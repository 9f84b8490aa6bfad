#include "whence/discover/check/counted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/core/row_order.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/evidence/effective_rows.hpp"

namespace whence {
namespace {

using Rows = std::vector<std::size_t>;

/// Rows of an environment that no earlier one equals, in their order.
Rows distinct_rows(const Dataset& data, const Environment& e) {
  Rows variables(data.variables.size()), order(e.rows()), distinct;
  std::iota(variables.begin(), variables.end(), 0);
  std::iota(order.begin(), order.end(), e.begin);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int way = compare_rows(data, variables, a, b);
    return way != 0 ? way < 0 : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || compare_rows(data, variables, order[i - 1], order[i]) != 0)
      distinct.push_back(order[i]);
  std::sort(distinct.begin(), distinct.end());
  return distinct;
}

/// `wanted` of them at even distances.
Rows spread_out(const Rows& rows, std::size_t wanted) {
  if (wanted >= rows.size()) return rows;
  Rows kept;
  for (std::size_t i = 0; i < wanted; ++i) kept.push_back(rows[i * rows.size() / wanted]);
  return kept;
}

}  // namespace

CountedRows counted_rows(const Dataset& data, std::span<const std::int32_t> entity,
                         std::size_t fewest) {
  const EffectiveRows worth = effective_rows(data, entity, RowsFor::links);
  CountedRows out;
  if (worth.all_count()) return out;
  out.remarks = worth.remarks;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& here = data.environments[e];
    const auto wanted = std::size_t(std::ceil(worth.share[e] * double(here.rows())));
    const Rows own = worth.copies > 0 ? distinct_rows(data, here) : [&] {
      Rows all(here.rows());
      std::iota(all.begin(), all.end(), here.begin);
      return all;
    }();
    const Rows kept = spread_out(own, std::max(wanted, fewest));
    out.rows.insert(out.rows.end(), kept.begin(), kept.end());
  }
  Rows dropped;
  for (std::size_t row = 0, at = 0; row < data.rows(); ++row)
    if (at < out.rows.size() && out.rows[at] == row)
      ++at;
    else
      dropped.push_back(row);
  out.data = without_rows(data, dropped);
  return out;
}

}  // namespace whence
