#include "whence/discover/pair/canonical_pair.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "whence/core/mixed.hpp"
#include "whence/core/row_order.hpp"

namespace whence {
namespace {

using Rows = std::vector<std::size_t>;
using Keys = std::array<std::size_t, 2>;  // variables, the one that decides first

Rows sorted_rows(const Dataset& data, std::size_t begin, std::size_t end, const Keys& keys) {
  Rows rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t a, std::size_t b) { return compare_rows(data, keys, a, b) < 0; });
  return rows;
}

/// Compares what stands at the same places of two lists: variable u of the one, v of the other.
int compare_values(const Dataset& data, std::size_t u, std::size_t a, std::size_t v,
                   std::size_t b) {
  const Column &x = data.columns[u], &y = data.columns[v];
  if (data.variables[u].kind == Variable::Kind::categorical)
    return x.levels[a] == y.levels[b] ? 0 : x.levels[a] < y.levels[b] ? -1 : 1;
  const auto d = std::size_t(data.variables[u].dimension);
  for (std::size_t k = 0; k < d; ++k) {
    const double p = x.values[a * d + k], q = y.values[b * d + k];
    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

/// Environments in an order of their own, with their rows sorted.
struct Arrangement {
  Keys keys;
  std::vector<std::size_t> environments;
  std::vector<Rows> rows;  // of each environment as it was given
};

using Looks = std::vector<std::uint64_t>;

/// A number for each environment of a categorical pair that does not depend on how levels are
/// called: environments and levels differ by how often they occur together, in a few rounds.
Looks looks_of(const Dataset& data, const std::vector<Rows>& rows, const Keys& keys) {
  struct Cell {
    std::size_t environment, first, second;
    std::uint64_t count;
  };
  std::vector<Cell> cells;
  const auto level = [&](std::size_t key, std::size_t row) {
    return std::size_t(data.columns[keys[key]].levels[row]);
  };
  for (std::size_t e = 0; e < rows.size(); ++e)
    for (std::size_t i = 0; i < rows[e].size(); ++i) {
      const bool again = i > 0 && compare_rows(data, keys, rows[e][i - 1], rows[e][i]) == 0;
      if (!again) cells.push_back({e, level(0, rows[e][i]), level(1, rows[e][i]), 0});
      ++cells.back().count;
    }
  Looks environments(rows.size(), 0);
  Looks first(std::size_t(data.variables[keys[0]].levels), 0);
  Looks second(std::size_t(data.variables[keys[1]].levels), 0);
  for (int glance = 0; glance < 4; ++glance) {
    Looks next_e(environments.size(), 0), next_1(first.size(), 0), next_2(second.size(), 0);
    for (const Cell& c : cells) {
      // Sums do not depend on the order of cells, nor on which variable comes first.
      const std::uint64_t e = mixed(environments[c.environment], c.count);
      next_e[c.environment] += mixed(c.count, first[c.first] + second[c.second]);
      next_1[c.first] += mixed(e, second[c.second]);
      next_2[c.second] += mixed(e, first[c.first]);
    }
    environments = std::move(next_e), first = std::move(next_1), second = std::move(next_2);
  }
  return environments;
}

/// By the number of rows, then by the rows.
bool comes_before(const Dataset& data, const Rows& a, const Rows& b, const Keys& keys) {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const int way = compare_rows(data, keys, a[i], b[i]); way != 0) return way < 0;
  return false;
}

Arrangement arranged(const Dataset& data, std::optional<std::size_t> baseline, const Keys& keys) {
  Arrangement out{keys, std::vector<std::size_t>(data.environments.size()), {}};
  for (const Environment& e : data.environments)
    out.rows.push_back(sorted_rows(data, e.begin, e.end, keys));
  std::iota(out.environments.begin(), out.environments.end(), 0);
  const bool levels = std::all_of(keys.begin(), keys.end(), [&](std::size_t v) {
    return data.variables[v].kind == Variable::Kind::categorical;
  });
  const Looks looks = levels ? looks_of(data, out.rows, keys) : Looks(out.rows.size(), 0);
  std::stable_sort(
      out.environments.begin(), out.environments.end(), [&](std::size_t a, std::size_t b) {
        const bool first_a = baseline == a, first_b = baseline == b;
        if (first_a == first_b && looks[a] != looks[b]) return looks[a] < looks[b];
        return first_a != first_b ? first_a : comes_before(data, out.rows[a], out.rows[b], keys);
      });
  return out;
}

/// -1, 0 or 1, by all rows in turn, each variable of the one with its opposite of the other.
int compare(const Dataset& data, const Arrangement& a, const Arrangement& b) {
  for (std::size_t place = 0; place < a.environments.size(); ++place) {
    const Rows &x = a.rows[a.environments[place]], &y = b.rows[b.environments[place]];
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t key = 0; key < 2; ++key)
        if (const int way = compare_values(data, a.keys[key], x[i], b.keys[key], y[i]); way != 0)
          return way;
  }
  return 0;
}

/// With the variable first whose kind, size or, in the end, values come first.
Arrangement first_of_both(const Dataset& data, std::optional<std::size_t> baseline) {
  const Variable &a = data.variables[0], &b = data.variables[1];
  const Keys forward = {0, 1}, backward = {1, 0};
  const auto choose = [&](bool swapped) {
    return arranged(data, baseline, swapped ? backward : forward);
  };
  if (a.kind != b.kind) return choose(a.kind != Variable::Kind::categorical);
  if (a.dimension != b.dimension) return choose(a.dimension > b.dimension);
  if (a.levels != b.levels) return choose(a.levels > b.levels);
  Arrangement straight = choose(false), turned = choose(true);
  return compare(data, straight, turned) <= 0 ? straight : turned;
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const Rows& rows, std::size_t width) {
  std::vector<T> out;
  if (values.empty()) return out;
  out.reserve(values.size());
  for (const std::size_t row : rows)
    out.insert(out.end(), values.begin() + std::ptrdiff_t(row * width),
               values.begin() + std::ptrdiff_t((row + 1) * width));
  return out;
}

}  // namespace

std::vector<std::size_t> CanonicalPair::as_given() const {
  std::vector<std::size_t> order(given_as.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool first_a = baseline == a, first_b = baseline == b;
    return first_a != first_b ? first_a : given_as[a] < given_as[b];
  });
  return order;
}

CanonicalPair canonical_pair(const Dataset& data, std::optional<std::size_t> baseline) {
  CanonicalPair out;
  const Arrangement found = first_of_both(data, baseline);
  const Keys& keys = found.keys;
  out.swapped = keys[0] == 1;
  out.given_as = found.environments;
  Rows all;
  for (const std::size_t e : out.given_as) {
    const std::size_t begin = all.size();
    all.insert(all.end(), found.rows[e].begin(), found.rows[e].end());
    out.data.environments.push_back({data.environments[e].name, begin, all.size()});
  }
  for (const std::size_t v : keys) {
    const Variable& variable = data.variables[v];
    const bool categorical = variable.kind == Variable::Kind::categorical;
    const auto width = categorical ? std::size_t(1) : std::size_t(variable.dimension);
    out.data.variables.push_back(variable);
    out.data.columns.push_back(
        {picked(data.columns[v].levels, all, 1), picked(data.columns[v].values, all, width)});
  }
  if (baseline) out.baseline = 0;
  return out;
}

}  // namespace whence
