#include "whence/discover/graph/canonical_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "whence/core/mixed.hpp"
#include "whence/core/row_order.hpp"

namespace whence {

namespace {

using Order = std::vector<std::size_t>;
using Colour = std::uint64_t;  // things of different colours are different

Order counted(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  return order;
}

/// How often each level occurs: that does not depend on what it is called.
std::vector<double> counts_of_levels(const Dataset& data, std::size_t variable) {
  std::vector<double> counts(std::size_t(data.variables[variable].levels), 0.0);
  for (const std::int32_t level : data.columns[variable].levels) counts[std::size_t(level)] += 1;
  return counts;
}

/// Numbers of one coordinate, or of levels how often they occur, on a scale from 0 to 2^32. Sums of
/// whole numbers are the same in any order, and the scale is the same in any unit.
std::vector<std::uint64_t> on_own_scale(const Dataset& data, std::size_t variable, std::size_t k) {
  const Column& column = data.columns[variable];
  const auto d = std::size_t(data.variables[variable].dimension);
  std::vector<double> values(data.rows());
  const std::vector<double> counts =
      column.levels.empty() ? std::vector<double>() : counts_of_levels(data, variable);
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = column.levels.empty() ? column.values[row * d + k]
                                        : counts[std::size_t(column.levels[row])];
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // Halves: the difference of two finite numbers may be too large for one.
  const double least = *low / 2, range = *high / 2 - least;
  std::vector<std::uint64_t> scaled(values.size(), 0);
  for (std::size_t row = 0; row < values.size() && range > 0; ++row)
    scaled[row] = std::uint64_t(std::llround((values[row] / 2 - least) / range * 0x1p32));
  return scaled;
}

/// How far each environment lies from the others in each coordinate of one variable.
struct Distances {
  std::vector<double> of_environment;
  double mean = 0;  // of all rows
};

Distances distances_of(const Dataset& data, std::size_t variable, std::size_t k) {
  const std::vector<std::uint64_t> values = on_own_scale(data, variable, k);
  Distances found;
  std::vector<double> means;
  std::uint64_t total = 0, rows = 0;
  for (const Environment& e : data.environments) {
    std::uint64_t sum = 0;
    for (std::size_t row = e.begin; row < e.end; ++row) sum += values[row];
    means.push_back(double(sum) / double(e.rows()));
    total += sum, rows += e.rows();
  }
  found.mean = double(total) / double(rows);
  for (const double mean : means) found.of_environment.push_back(std::abs(mean - found.mean));
  return found;
}

/// The same in any order.
double sum_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// What distinguishes most columns and environments: how far they moved, where they lie. One row
/// more changes it little, so that answers about nearly the same data are found in the same way.
struct Outlines {
  std::vector<std::array<double, 2>> variables;
  std::vector<double> environments;
};

Outlines outlines_of(const Dataset& data) {
  Outlines found;
  std::vector<std::vector<double>> of_environment(data.environments.size());
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    const bool categorical = !data.columns[v].levels.empty();
    const auto width = categorical ? std::size_t(1) : std::size_t(data.variables[v].dimension);
    std::vector<double> moved, means;
    for (std::size_t k = 0; k < width; ++k) {
      const Distances here = distances_of(data, v, k);
      for (std::size_t e = 0; e < of_environment.size(); ++e) {
        of_environment[e].push_back(here.of_environment[e]);
        moved.push_back(here.of_environment[e]);
      }
      means.push_back(here.mean);
    }
    found.variables.push_back({sum_of(moved), sum_of(means)});
  }
  for (const std::vector<double>& moved : of_environment)
    found.environments.push_back(sum_of(moved));
  return found;
}

/// Columns, levels and environments get different colours if they hold different values, or meet
/// different colours there; this is repeated until no more colours appear.
class Colouring {
 public:
  Colouring(const Dataset& data, std::optional<std::size_t> baseline, const Outlines& outlines)
      : data_(data) {
    for (std::size_t v = 0; v < data.variables.size(); ++v) {
      const Variable& variable = data.variables[v];
      const Colour kind = mixed(Colour(variable.kind), Colour(variable.dimension));
      const Colour outline =
          mixed(bits_of(outlines.variables[v][0]), bits_of(outlines.variables[v][1]));
      variables_.push_back(mixed(mixed(kind, Colour(variable.levels)), outline));
      levels_.emplace_back();
      if (data.columns[v].levels.empty()) continue;
      for (const double count : counts_of_levels(data, v)) levels_[v].push_back(bits_of(count));
    }
    for (std::size_t e = 0; e < data.environments.size(); ++e)
      environments_.push_back(mixed(baseline == e ? 1 : 0, bits_of(outlines.environments[e])));
    refine();
    separate(variables_, [&](std::size_t v) { return data.variables[v].name; });
    separate(environments_, [&](std::size_t e) { return data.environments[e].name; });
  }

  const std::vector<Colour>& variables() const { return variables_; }
  const std::vector<Colour>& environments() const { return environments_; }

 private:
  static std::size_t different(std::vector<Colour> colours) {
    std::sort(colours.begin(), colours.end());
    return std::size_t(std::unique(colours.begin(), colours.end()) - colours.begin());
  }
  std::size_t told_apart() const {
    std::size_t count = different(variables_) + different(environments_);
    for (const std::vector<Colour>& levels : levels_) count += different(levels);
    return count;
  }

  void refine() {
    for (std::size_t before = 0; told_apart() > before;) {
      before = told_apart();
      look();
    }
  }

  Colour cell(std::size_t v, std::size_t row) const {
    const Column& column = data_.columns[v];
    if (!column.levels.empty()) return levels_[v][std::size_t(column.levels[row])];
    const auto d = std::size_t(data_.variables[v].dimension);
    Colour colour = 0;
    for (std::size_t k = 0; k < d; ++k) colour = mixed(colour, bits_of(column.values[row * d + k]));
    return colour;
  }

  /// Sums of colours do not depend on the order of what is summed.
  void look() {
    std::vector<Colour> variables = variables_, environments = environments_;
    std::vector<std::vector<Colour>> levels = levels_;
    std::vector<Colour> cells(variables.size());
    for (std::size_t e = 0; e < environments.size(); ++e)
      for (std::size_t row = data_.environments[e].begin; row < data_.environments[e].end; ++row) {
        Colour of_row = 0;
        for (std::size_t v = 0; v < cells.size(); ++v)
          of_row += cells[v] = mixed(variables_[v], cell(v, row));
        of_row = mixed(of_row, environments_[e]);
        environments[e] += mixed(of_row, 1);
        for (std::size_t v = 0; v < cells.size(); ++v) {
          variables[v] += mixed(of_row, cells[v]);
          if (!levels[v].empty())
            levels[v][std::size_t(data_.columns[v].levels[row])] += mixed(of_row, cells[v]);
        }
      }
    variables_ = std::move(variables), environments_ = std::move(environments);
    levels_ = std::move(levels);
  }

  /// Of those with one colour the first by name gets another one; everything that this separates
  /// is then separated by what it holds.
  template <class Name>
  void separate(std::vector<Colour>& colours, const Name& name) {
    Order by_name = counted(colours.size());
    std::stable_sort(by_name.begin(), by_name.end(),
                     [&](auto a, auto b) { return name(a) < name(b); });
    constexpr std::size_t most_looks = 16;  // then names alone decide
    std::size_t looks = 0;
    for (std::size_t i = 0; i < by_name.size(); ++i) {
      const std::size_t one = by_name[i];
      if (std::count(colours.begin(), colours.end(), colours[one]) == 1) continue;
      colours[one] = mixed(colours[one], ++next_);
      if (++looks <= most_looks) refine();
    }
  }

  const Dataset& data_;
  std::vector<Colour> variables_, environments_;
  std::vector<std::vector<Colour>> levels_;  // of each variable
  Colour next_ = 0;
};

bool all_differ(std::vector<std::array<double, 2>> outlines) {
  std::sort(outlines.begin(), outlines.end());
  return std::adjacent_find(outlines.begin(), outlines.end()) == outlines.end();
}

/// By outlines, and by colours where those are the same.
void choose_order(const Dataset& data, std::optional<std::size_t> baseline, Order& variables,
                  Order& environments) {
  const Outlines outlines = outlines_of(data);
  std::vector<std::array<double, 2>> keys;
  for (std::size_t e = 0; e < environments.size(); ++e)
    keys.push_back({baseline == e ? 0.0 : 1.0, outlines.environments[e]});
  std::vector<Colour> of_variables(variables.size(), 0), of_environments(environments.size(), 0);
  if (!all_differ(outlines.variables) || !all_differ(keys)) {
    const Colouring colouring(data, baseline, outlines);
    of_variables = colouring.variables(), of_environments = colouring.environments();
  }
  const auto sort = [](Order& order, const auto& outline, const std::vector<Colour>& colours) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return outline[a] != outline[b] ? outline[a] < outline[b] : colours[a] < colours[b];
    });
  };
  sort(variables, outlines.variables, of_variables);
  sort(environments, keys, of_environments);
}

/// The rows of one environment, smallest first, column by column.
Order sorted_rows(const Dataset& data, const Environment& environment, const Order& variables) {
  Order rows = counted(environment.rows());
  for (std::size_t& row : rows) row += environment.begin;
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t a, std::size_t b) { return compare_rows(data, variables, a, b) < 0; });
  return rows;
}

/// Some of `values`, `width` numbers for each row.
template <class T>
std::vector<T> chosen(const std::vector<T>& values, const std::vector<std::size_t>& rows,
                      std::size_t width) {
  std::vector<T> out;
  if (values.empty()) return out;
  out.reserve(rows.size() * width);
  for (const std::size_t row : rows)
    for (std::size_t k = 0; k < width; ++k) out.push_back(values[row * width + k]);
  return out;
}

}  // namespace

CanonicalOrder in_canonical_order(Dataset data, std::optional<std::size_t> baseline) {
  CanonicalOrder result;
  result.variables = counted(data.variables.size());
  result.environments = counted(data.environments.size());
  choose_order(data, baseline, result.variables, result.environments);
  std::vector<std::size_t> rows;
  rows.reserve(data.rows());
  for (std::size_t e : result.environments) {
    const Environment& from = data.environments[e];
    result.data.environments.push_back({from.name, rows.size(), rows.size() + from.rows()});
    const std::vector<std::size_t> own = sorted_rows(data, from, result.variables);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  for (std::size_t v : result.variables) {
    const Column source = std::move(data.columns[v]);
    const auto width = std::size_t(data.variables[v].dimension);
    result.data.variables.push_back(std::move(data.variables[v]));
    result.data.columns.push_back(
        {chosen(source.levels, rows, 1), chosen(source.values, rows, width)});
  }
  return result;
}

}  // namespace whence
