#include "whence/discover/check/counted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "whence/core/error.hpp"
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

/// Which entity each row is of, where rows of one are alike: as given, or by its place in its
/// environment. Empty where they are not.
std::vector<std::int32_t> entities_of(const Dataset& data, std::span<const std::int32_t> told,
                                      const EffectiveRows& worth) {
  if (worth.entities == 0) return {};
  if (!told.empty()) return {told.begin(), told.end()};
  std::vector<std::int32_t> places(data.rows());
  for (const Environment& e : data.environments)
    std::iota(places.begin() + std::ptrdiff_t(e.begin), places.begin() + std::ptrdiff_t(e.end), 0);
  return places;
}

/// Gives every environment other entities as far as they last: two rows of one are hardly more than
/// one row, however many environments they are in.
class EntityDeal {
 public:
  explicit EntityDeal(std::vector<std::int32_t> entity) : entity_(std::move(entity)) {}

  bool knows_any() const { return !entity_.empty(); }
  std::size_t entities() const {
    return std::set<std::int32_t>(entity_.begin(), entity_.end()).size();
  }
  /// `wanted` of the rows, those first whose entities counted least so far; among equals by lot,
  /// since tables list large firms or early letters first.
  Rows dealt(Rows rows, std::size_t wanted) {
    if (wanted >= rows.size()) return rows;
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(counted_[entity_[a]], lot(entity_[a]), a) <
             std::tuple(counted_[entity_[b]], lot(entity_[b]), b);
    });
    rows.resize(wanted);
    for (const std::size_t row : rows) ++counted_[entity_[row]];
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  static std::uint64_t lot(std::int32_t entity) {
    std::uint64_t x = (std::uint64_t(std::uint32_t(entity)) + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 27);
  }

  std::vector<std::int32_t> entity_;             // [row]
  std::map<std::int32_t, std::size_t> counted_;  // rows so far
};

}  // namespace

void require_entities(const Dataset& data, std::span<const std::int32_t> entity) {
  if (!entity.empty() && entity.size() != data.rows())
    throw Error(ExitCode::usage, "E-DATA-ENTITIES", "",
                fmt::format("there are {} rows, and entities of {}", data.rows(), entity.size()),
                "name the entity of every row, or none");
}

CountedRows counted_rows(const Dataset& data, std::span<const std::int32_t> entity,
                         std::size_t fewest) {
  const EffectiveRows worth = effective_rows(data, entity, RowsFor::links);
  CountedRows out;
  if (worth.all_count()) return out;
  out.remarks = worth.remarks;
  EntityDeal deal(entities_of(data, entity, worth));
  if (deal.knows_any())  // all environments together count no more rows than there are entities
    fewest = std::clamp<std::size_t>(deal.entities() / data.environments.size(), 3, fewest);
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& here = data.environments[e];
    const auto wanted = std::size_t(std::ceil(worth.share[e] * double(here.rows())));
    const Rows own = worth.copies > 0 ? distinct_rows(data, here) : [&] {
      Rows all(here.rows());
      std::iota(all.begin(), all.end(), here.begin);
      return all;
    }();
    const std::size_t number = std::max(wanted, fewest);
    const Rows kept = deal.knows_any() ? deal.dealt(own, number) : spread_out(own, number);
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
