#include "whence/evidence/effective_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/evidence/link_order.hpp"

namespace whence {
namespace {

constexpr double clear = 5;  // standard errors: not once in a million columns by chance

using Numbers = std::vector<double>;

std::size_t coordinates(const Variable& v) {
  return v.is_categorical() ? 1 : std::size_t(v.dimension);
}

double value_at(const Dataset& data, std::size_t v, std::size_t k, std::size_t row) {
  const Variable& variable = data.variables[v];
  return variable.is_categorical() ? double(data.columns[v].levels[row])
                                   : data.columns[v].values[row * coordinates(variable) + k];
}

// ---- copies ----

std::uint64_t row_hash(const Dataset& data, std::size_t row) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k) {
      const double value = value_at(data, v, k, row) + 0.0;  // no zero with a sign
      std::uint64_t bits = 0;
      static_assert(sizeof bits == sizeof value);
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0xD1B54A32D192ED03u;
      hash ^= hash >> 29;
    }
  return hash;
}

bool equal_rows(const Dataset& data, std::size_t a, std::size_t b) {
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k)
      if (value_at(data, v, k, a) != value_at(data, v, k, b)) return false;
  return true;
}

/// Rows of the environment that no earlier row of it equals.
std::vector<std::size_t> distinct_rows(const Dataset& data, const Environment& e) {
  std::unordered_multimap<std::uint64_t, std::size_t> seen;
  std::vector<std::size_t> rows;
  for (std::size_t row = e.begin; row < e.end; ++row) {
    const std::uint64_t hash = row_hash(data, row);
    const auto [begin, end] = seen.equal_range(hash);
    if (std::any_of(begin, end, [&](const auto& s) { return equal_rows(data, s.second, row); }))
      continue;
    seen.emplace(hash, row);
    rows.push_back(row);
  }
  return rows;
}

/// Whether nearly all of these rows differ in one real column alone: then two rows that agree
/// everywhere are the same observation.
bool told_apart(const Dataset& data, const std::vector<std::size_t>& rows) {
  constexpr double nearly_all = 0.9;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (data.variables[v].is_categorical()) continue;
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k) {
      Numbers values;
      for (const std::size_t row : rows) values.push_back(value_at(data, v, k, row));
      std::sort(values.begin(), values.end());
      const auto end = std::unique(values.begin(), values.end());
      if (double(end - values.begin()) >= nearly_all * double(rows.size())) return true;
    }
  }
  return false;
}

/// The rows of each environment that count as observations, in their order.
using Observed = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> all_rows(const Environment& e) {
  std::vector<std::size_t> rows(e.rows());
  std::iota(rows.begin(), rows.end(), e.begin);
  return rows;
}

Observed without_copies(const Dataset& data) {
  Observed observed;
  const bool tables = std::all_of(data.variables.begin(), data.variables.end(),
                                  [](const Variable& v) { return v.is_categorical(); });
  for (const Environment& e : data.environments) {
    if (tables) {  // rows of categories agree by coincidence
      observed.push_back(all_rows(e));
      continue;
    }
    std::vector<std::size_t> rows = distinct_rows(data, e);
    const bool copied = rows.size() < e.rows() && rows.size() >= 2 && told_apart(data, rows);
    observed.push_back(copied ? std::move(rows) : all_rows(e));
  }
  return observed;
}

// ---- the order of rows ----

/// One coordinate of one environment in row order, ready to be compared with itself later on.
struct Series {
  bool categorical = false;
  Numbers x;            // centred ranks, or levels
  double variance = 0;  // of ranks; of levels: the chance that two rows differ

  Series(const Dataset& data, std::size_t v, std::size_t k, const std::vector<std::size_t>& rows)
      : categorical(data.variables[v].is_categorical()) {
    for (const std::size_t row : rows) x.push_back(value_at(data, v, k, row));
    if (!categorical) {
      x = centred_ranks(x);
      for (const double r : x) variance += r * r / double(x.size());
      return;
    }
    std::vector<double> count(std::size_t(data.variables[v].levels), 0.0);
    for (const double level : x) count[std::size_t(level)] += 1;
    variance = 1;
    for (const double n : count) variance -= n * n / double(x.size() * x.size());
  }

  /// Correlation of rows that are `lag` apart; of levels: how far they agree beyond chance.
  double at(std::size_t lag) const {
    const std::size_t n = x.size() - lag;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += categorical ? (x[i] == x[i + lag]) : x[i] * x[i + lag];
    sum /= double(n);
    return categorical ? (sum - (1 - variance)) / variance : sum / variance;
  }
};

/// Autocorrelations of a column over all its environments, each row weighing the same.
struct ColumnOrder {
  std::vector<Series> environments;

  bool usable(std::size_t e) const {
    return environments[e].x.size() >= fewest_in_order && environments[e].variance > 0;
  }
  double pooled(std::size_t lag) const {
    double sum = 0, rows = 0;
    for (std::size_t e = 0; e < environments.size(); ++e) {
      if (!usable(e) || environments[e].x.size() < 3 * lag) continue;
      const double n = double(environments[e].x.size());
      sum += n * environments[e].at(lag);
      rows += n;
    }
    return rows > 0 ? sum / rows : 0;
  }
  double rows(std::size_t lag) const {
    double rows = 0;
    for (std::size_t e = 0; e < environments.size(); ++e)
      if (usable(e) && environments[e].x.size() >= 3 * lag)
        rows += double(environments[e].x.size());
    return rows;
  }
};

/// 1 + 2 sum of correlations up to the first lag whose own is within two standard errors of none.
template <class Correlation, class Rows>
double rows_per_observation(const Correlation& correlation, const Rows& rows) {
  double sum = 1;
  for (std::size_t lag = 1; lag <= most_lags; ++lag) {
    const double n = rows(lag);
    if (n <= 0) break;
    const double r = correlation(lag);
    if (r < 2 / std::sqrt(n)) break;
    sum += 2 * r;
  }
  return sum;
}

/// An order that takes less than a fifth of the rows is not worth a word.
double worth_telling(double share) { return share > 0.8 ? 1 : share; }

/// Per environment what a row of this column is worth; 1 where no order is clear.
Numbers order_shares(const ColumnOrder& column) {
  Numbers shares(column.environments.size(), 1.0);
  const double all = column.rows(1);
  const bool everywhere = all > 0 && column.pooled(1) * std::sqrt(all) > clear;
  const double common =
      everywhere ? 1 / rows_per_observation([&](std::size_t lag) { return column.pooled(lag); },
                                            [&](std::size_t lag) { return column.rows(lag); })
                 : 1;
  for (std::size_t e = 0; e < shares.size(); ++e) {
    const Series& own = column.environments[e];
    const auto n = double(own.x.size());
    shares[e] = worth_telling(common);
    if (!column.usable(e) || own.at(1) * std::sqrt(n) <= clear) continue;
    shares[e] = worth_telling(
        1 / rows_per_observation([&](std::size_t lag) { return own.at(lag); },
                                 [&](std::size_t lag) { return double(3 * lag) <= n ? n : 0.0; }));
  }
  return shares;
}

/// Rows in ascending or descending order, or levels one after the other: a table that was sorted.
bool is_sorted(const Dataset& data, std::size_t v, std::size_t k,
               const std::vector<std::size_t>& rows) {
  Numbers x;
  for (const std::size_t row : rows) x.push_back(value_at(data, v, k, row));
  if (x.size() < fewest_in_order ||
      std::count(x.begin(), x.end(), x[0]) == std::ptrdiff_t(x.size()))
    return false;
  if (!data.variables[v].is_categorical())
    return std::is_sorted(x.begin(), x.end()) || std::is_sorted(x.rbegin(), x.rend());
  std::set<double> met;
  for (std::size_t i = 0; i < x.size(); ++i)
    if ((i == 0 || x[i] != x[i - 1]) && !met.insert(x[i]).second) return false;
  return true;
}

/// Environments whose order of rows is that of a column's values.
std::vector<bool> sorted_environments(const Dataset& data, const Observed& observed) {
  std::vector<bool> sorted(observed.size(), false);
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k)
      for (std::size_t e = 0; e < observed.size(); ++e)
        if (!sorted[e]) sorted[e] = is_sorted(data, v, k, observed[e]);
  return sorted;
}

// ---- the same entity again ----

/// Rows that belong together, one list per entity, each with rows of different environments.
using Entities = std::vector<std::vector<std::size_t>>;

Entities named_entities(const Dataset& data, std::span<const std::int32_t> entity) {
  std::map<std::int32_t, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < data.rows(); ++row)
    if (entity[row] >= 0) rows[entity[row]].push_back(row);
  Entities out;
  for (auto& [id, list] : rows) out.push_back(std::move(list));
  return out;
}

/// Row i of every environment, where all environments have equally many.
Entities aligned_entities(const Dataset& data) {
  const std::size_t n = data.environments[0].rows();
  for (const Environment& e : data.environments)
    if (e.rows() != n) return {};
  if (n < fewest_in_order || data.environments.size() < 2) return {};
  Entities out(n);
  for (const Environment& e : data.environments)
    for (std::size_t i = 0; i < n; ++i) out[i].push_back(e.begin + i);
  return out;
}

/// Correlation between rows of one entity, of a column that is centred within environments; and the
/// standard error that it would have, were there none.
struct WithinEntity {
  double correlation = 0, error = 1;
};

WithinEntity within_entity(const Numbers& x, const Entities& entities) {
  double products = 0, pairs = 0, squares = 0, rows = 0;
  for (const auto& list : entities) {
    double sum = 0, square = 0;
    for (const std::size_t row : list) sum += x[row], square += x[row] * x[row];
    const auto k = double(list.size());
    products += sum * sum - square;
    pairs += k * (k - 1);
    squares += square, rows += k;
  }
  if (pairs == 0 || squares <= 0) return {};
  return {products / pairs / (squares / rows), std::sqrt(2 / pairs)};
}

/// A column's centred ranks within each environment, at the rows of the data set.
Numbers ranks_by_row(const Dataset& data, std::size_t v, std::size_t k) {
  Numbers x(data.rows());
  for (const Environment& e : data.environments) {
    Numbers own;
    for (std::size_t row = e.begin; row < e.end; ++row) own.push_back(value_at(data, v, k, row));
    own = centred_ranks(own);
    const double scale = 1 / std::max(1.0, double(own.size()));
    for (std::size_t i = 0; i < own.size(); ++i) x[e.begin + i] = own[i] * scale;
  }
  return x;
}

/// The mean number of rows that a row shares its entity with, itself among them.
double rows_per_entity(const Entities& entities) {
  double squares = 0, rows = 0;
  for (const auto& list : entities) {
    squares += double(list.size() * list.size());
    rows += double(list.size());
  }
  return rows > 0 ? squares / rows : 1;
}

// ---- together ----

void find_copies(const Dataset& data, const Observed& observed, EffectiveRows& out) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < observed.size(); ++e) {
    const double share =
        double(observed[e].size()) / double(std::max<std::size_t>(1, data.environments[e].rows()));
    out.share[e] *= share;
    for (Numbers& column : out.column) column[e] *= share;
    kept += observed[e].size();
  }
  if (kept == data.rows()) return;
  out.copies = 1 - double(kept) / double(data.rows());
  out.remarks.push_back(
      {RemarkCode::rows_copied, {}, {}, {double(data.rows() - kept), double(data.rows())}});
}

/// One coordinate in all environments but those whose order a column decided.
ColumnOrder order_of(const Dataset& data, std::size_t v, std::size_t k, const Observed& observed,
                     const std::vector<bool>& sorted) {
  ColumnOrder column;
  for (std::size_t e = 0; e < observed.size(); ++e)
    column.environments.emplace_back(data, v, k, sorted[e] ? Observed::value_type() : observed[e]);
  return column;
}

/// Of the slowest column of each environment.
void take_slowest(const Observed& observed, const Numbers& least, EffectiveRows& out) {
  double rows = 0, worth = 0;
  for (std::size_t e = 0; e < least.size(); ++e) {
    rows += double(observed[e].size()), worth += least[e] * double(observed[e].size());
    out.share[e] *= least[e];
  }
  if (out.neighbours > 0)
    out.remarks.push_back({RemarkCode::rows_alike,
                           {out.neighbour},
                           {},
                           {out.neighbours, rows, std::max(1.0, worth)}});
}

/// What the order of rows takes from telling links: the same everywhere.
void find_order_of_links(const Dataset& data, Observed observed, const std::vector<bool>& sorted,
                         EffectiveRows& out) {
  double rows = 0;
  for (std::size_t e = 0; e < observed.size(); ++e) {
    rows += double(observed[e].size());
    if (sorted[e]) observed[e].clear();
  }
  const LinkOrder order = link_order(data, observed);
  const double share = worth_telling(order.share);
  out.neighbours = 0;  // one slow column takes nothing
  if (share == 1) return;
  for (double& s : out.share) s *= share;
  out.neighbours = order.correlation;
  out.neighbour = data.variables[order.slowest].name;
  out.remarks.push_back({RemarkCode::rows_alike,
                         {out.neighbour},
                         {},
                         {out.neighbours, rows, std::max(1.0, share * rows)}});
}

/// Returns whether a table was sorted: then rows of two environments correspond by their place too.
bool find_order(const Dataset& data, const Observed& observed, RowsFor purpose,
                EffectiveRows& out) {
  const std::vector<bool> sorted = sorted_environments(data, observed);
  Numbers least(observed.size(), 1.0);
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k) {
      const ColumnOrder column = order_of(data, v, k, observed, sorted);
      const Numbers shares = order_shares(column);
      for (std::size_t e = 0; e < shares.size(); ++e) {
        out.column[v][e] *= shares[e];
        least[e] = std::min(least[e], shares[e]);
        if (shares[e] == 1) continue;
        const double r = column.usable(e) ? column.environments[e].at(1) : 0;
        if (r > out.neighbours) out.neighbours = r, out.neighbour = data.variables[v].name;
      }
    }
  if (purpose == RowsFor::links)
    find_order_of_links(data, observed, sorted, out);
  else
    take_slowest(observed, least, out);
  return std::find(sorted.begin(), sorted.end(), true) != sorted.end();
}

void find_entities(const Dataset& data, std::span<const std::int32_t> entity, EffectiveRows& out) {
  const Entities entities = entity.empty() ? aligned_entities(data) : named_entities(data, entity);
  if (entities.empty()) return;
  double strongest = 0;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (data.variables[v].is_categorical()) continue;
    for (std::size_t k = 0; k < coordinates(data.variables[v]); ++k) {
      const WithinEntity found = within_entity(ranks_by_row(data, v, k), entities);
      // Series that move slowly run in parallel for a while by chance.
      const double share = *std::min_element(out.column[v].begin(), out.column[v].end());
      if (found.correlation > clear * found.error / std::sqrt(share))
        strongest = std::max(strongest, found.correlation);
    }
  }
  if (strongest == 0) return;
  out.entities = strongest;
  const double share = 1 / (1 + (rows_per_entity(entities) - 1) * strongest);
  for (double& s : out.share) s *= share;
  for (Numbers& column : out.column)
    for (double& s : column) s *= share;
  out.remarks.push_back(
      {RemarkCode::entities_again, {}, {}, {double(entities.size()), strongest, share}});
}

}  // namespace

EffectiveRows effective_rows(const Dataset& data, std::span<const std::int32_t> entity,
                             RowsFor purpose) {
  EffectiveRows out;
  const std::size_t environments = data.environments.size();
  out.share.assign(environments, 1.0);
  out.column.assign(data.variables.size(), Numbers(environments, 1.0));
  if (environments == 0 || data.rows() == 0) return out;
  const Observed observed = without_copies(data);
  find_copies(data, observed, out);
  const bool sorted = find_order(data, observed, purpose, out);
  if (!sorted || !entity.empty()) find_entities(data, entity, out);
  for (std::size_t e = 0; e < environments; ++e) {
    const double least = 1 / double(std::max<std::size_t>(1, data.environments[e].rows()));
    out.share[e] = std::clamp(out.share[e], least, 1.0);
    for (Numbers& column : out.column) column[e] = std::clamp(column[e], least, 1.0);
  }
  return out;
}

}  // namespace whence
