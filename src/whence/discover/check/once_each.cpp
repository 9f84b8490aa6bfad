#include "whence/discover/check/once_each.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "whence/core/mixed.hpp"
#include "whence/core/row_order.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/math/special.hpp"

namespace whence {
namespace {

using Rows = std::vector<std::size_t>;

std::uint64_t hash_of(const Dataset& data, std::size_t row) {
  std::uint64_t hash = 0;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    const Column& column = data.columns[v];
    if (!column.levels.empty()) hash = mixed(hash, std::uint64_t(column.levels[row]));
    const auto d = std::size_t(data.variables[v].dimension);
    for (std::size_t k = 0; k < d && !column.values.empty(); ++k)
      hash = mixed(hash, bits_of(column.values[row * d + k]));
  }
  return hash;
}

/// What an environment holds, in any order of its rows.
struct Content {
  std::size_t rows = 0;
  std::uint64_t hash = 0;

  Content(const Dataset& data, const Environment& e) : rows(e.rows()) {
    for (std::size_t row = e.begin; row < e.end; ++row) hash += hash_of(data, row);
  }
  bool operator==(const Content&) const = default;
};

class SortedRows {
 public:
  explicit SortedRows(const Dataset& data) : data_(data), variables_(data.variables.size()) {
    std::iota(variables_.begin(), variables_.end(), 0);
  }
  Rows of(const Environment& e) const {
    Rows rows(e.rows());
    std::iota(rows.begin(), rows.end(), e.begin);
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
    return rows;
  }
  int compare(std::size_t a, std::size_t b) const { return compare_rows(data_, variables_, a, b); }

  bool equal(const Rows& a, const Rows& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](auto x, auto y) { return compare(x, y) == 0; });
  }

  /// Whether both hold the same rows in the same order, and in one that nobody sorted them into.
  bool in_the_same_order(const Environment& a, const Environment& b) const {
    for (std::size_t row = 0; row < a.rows(); ++row)
      if (compare(a.begin + row, b.begin + row) != 0) return false;
    for (const std::size_t v : variables_) {
      bool rises = false, falls = false;
      for (std::size_t row = a.begin + 1; row < a.end; ++row) {
        const int way = compare_rows_by(data_, v, row - 1, row);
        rises = rises || way < 0;
        falls = falls || way > 0;
      }
      if (rises != falls) return false;
    }
    return true;
  }

  /// log of the chance that as many rows, drawn from those that are there, are these again, in any
  /// order or in this one. Numbers hardly ever repeat by chance: where most rows are different and
  /// hold some, it is nothing.
  double log_chance(const Rows& rows, bool in_this_order) const {
    const auto n = double(rows.size());
    double log_p = in_this_order ? 0 : log_gamma(n + 1), different = 0;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t j = i;
      while (j < rows.size() && compare(rows[i], rows[j]) == 0) ++j;
      const auto count = double(j - i);
      log_p += count * std::log(count / n) - (in_this_order ? 0 : log_gamma(count + 1));
      different += 1;
      i = j;
    }
    const bool numbers =
        std::any_of(data_.variables.begin(), data_.variables.end(),
                    [](const Variable& variable) { return variable.kind == Variable::Kind::real; });
    return numbers && rows.size() > 1 && 2 * different > n ? -INFINITY : log_p;
  }

 private:
  const Dataset& data_;
  Rows variables_;
};

bool known_alike(const Dataset& data, std::span<const KnownChange> known, std::size_t a,
                 std::size_t b) {
  const std::size_t environments = data.environments.size();
  for (std::size_t v = 0; v < data.variables.size() && !known.empty(); ++v)
    if (known[v * environments + a] != known[v * environments + b]) return false;
  return true;
}

/// The environment that each one is a copy of; itself where it is none.
Rows originals(const Dataset& data, std::optional<std::size_t> baseline,
               std::span<const KnownChange> known) {
  const std::size_t n = data.environments.size();
  Rows order(n), original(n);
  std::iota(order.begin(), order.end(), 0);
  std::iota(original.begin(), original.end(), 0);
  if (baseline)
    std::rotate(order.begin(), order.begin() + std::ptrdiff_t(*baseline),
                order.begin() + std::ptrdiff_t(*baseline) + 1);
  std::vector<Content> contents;
  for (const Environment& e : data.environments) contents.emplace_back(data, e);
  // Fewer than one in a hundred data sets may have such a coincidence among all their pairs.
  const double unlikely = std::log(0.01) - std::log(std::max(1.0, double(n) * double(n - 1) / 2));
  const SortedRows sorted(data);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t a = order[j], b = order[i];
      if (original[a] != a || !(contents[a] == contents[b]) || !known_alike(data, known, a, b))
        continue;
      const Environment &one = data.environments[a], &other = data.environments[b];
      const Rows first = sorted.of(one), second = sorted.of(other);
      if (!sorted.equal(first, second)) continue;
      if (sorted.log_chance(first, sorted.in_the_same_order(one, other)) > unlikely) continue;
      original[b] = a;
      break;
    }
  return original;
}

/// Rows of these environments.
Dataset only(const Dataset& data, const Rows& kept) {
  Rows dropped;
  std::vector<char> stays(data.environments.size(), 0);
  for (const std::size_t e : kept) stays[e] = 1;
  for (std::size_t e = 0; e < stays.size(); ++e)
    for (std::size_t row = data.environments[e].begin; row < data.environments[e].end && !stays[e];
         ++row)
      dropped.push_back(row);
  std::sort(dropped.begin(), dropped.end());
  Dataset rest = without_rows(data, dropped);
  std::erase_if(rest.environments, [](const Environment& e) { return e.rows() == 0; });
  return rest;
}

}  // namespace

OnceEach once_each(const Dataset& data, std::optional<std::size_t> baseline,
                   std::span<const KnownChange> known) {
  OnceEach out;
  const Rows original = originals(data, baseline, known);
  Rows place(original.size(), 0);
  for (std::size_t e = 0; e < original.size(); ++e) {
    if (original[e] == e) {
      place[e] = out.kept.size();
      out.kept.push_back(e);
      continue;
    }
    out.remarks.push_back({RemarkCode::environment_twice,
                           {},
                           {data.environments[e].name, data.environments[original[e]].name},
                           {}});
  }
  for (const std::size_t e : original) out.told_by.push_back(place[e]);
  if (out.remarks.empty() || out.kept.size() < 2) return out;
  out.data = only(data, out.kept);
  for (const std::size_t e : out.kept)
    for (std::size_t row = data.environments[e].begin; row < data.environments[e].end; ++row)
      out.rows.push_back(row);
  return out;
}

}  // namespace whence
