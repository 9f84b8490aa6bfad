#include "whence/discover/data_check.hpp"

#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/evidence/label_evidence.hpp"

namespace whence {
namespace {

ColumnCheck check_column(const Variable& variable, const Column& column) {
  ColumnCheck check;
  check.name = variable.name;
  check.categorical = variable.kind == Variable::Kind::categorical;
  check.levels = variable.levels;
  check.dimension = variable.dimension;
  if (check.categorical) {
    std::vector<bool> seen(std::size_t(variable.levels), false);
    for (const auto level : column.levels) seen[std::size_t(level)] = true;
    check.distinct = std::size_t(std::count(seen.begin(), seen.end(), true));
    return check;
  }
  check.whole_numbers = std::all_of(column.values.begin(), column.values.end(),
                                    [](double x) { return x == std::floor(x); });
  std::vector<double> sorted = column.values;
  std::sort(sorted.begin(), sorted.end());
  std::size_t tied = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t begin = i;
    while (i < sorted.size() && sorted[i] == sorted[begin]) ++i;
    ++check.distinct;
    if (i - begin > 1) tied += i - begin;
  }
  check.tied = sorted.empty() ? 0 : double(tied) / double(sorted.size());
  return check;
}

/// A difference of d standard deviations is worth n d^2 / 2 nats with n = 1 / (1/a + 1/b), and one
/// more parameter costs half a logarithm: where that reaches clear evidence.
double smallest_visible(std::size_t rows, std::size_t others) {
  const double a = double(rows), b = double(others), n = a * b / (a + b);
  return std::sqrt(2 * (clear_evidence + 0.5 * std::log(std::max(n, 1.0))) / n);
}

ShiftCheck check_environment(const Dataset& data, std::size_t e,
                             std::optional<std::size_t> baseline, std::size_t max_memory) {
  ShiftCheck check;
  check.name = data.environments[e].name;
  check.rows = data.environments[e].rows();
  check.baseline = baseline == e;
  if (check.baseline) return check;
  std::vector<std::size_t> reference;
  std::size_t others = 0;
  for (std::size_t other = 0; other < data.environments.size(); ++other) {
    if (baseline ? *baseline != other : other == e) continue;
    reference.push_back(other);
    others += data.environments[other].rows();
  }
  const LabelEvidence evidence = label_evidence(data, e, reference, max_memory);
  check.first = evidence.u;
  check.second = evidence.v;
  check.second_given_first = evidence.both - evidence.u;
  check.first_given_second = evidence.both - evidence.v;
  check.visible = smallest_visible(check.rows, others);
  return check;
}

}  // namespace

DataCheck check_data(const Dataset& data, std::optional<std::size_t> baseline, int threads,
                     std::size_t max_memory, const std::function<void()>& pulse) {
  if (data.environments.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "", "there is only one environment",
                "give at least one shifted data set, or a column that tells environments apart");
  DataCheck check;
  for (std::size_t v = 0; v < 2; ++v)
    check.columns.push_back(check_column(data.variables[v], data.columns[v]));
  check.environments.resize(data.environments.size());
  const auto look = [&](std::size_t e) {
    if (pulse) pulse();
    check.environments[e] =
        check_environment(data, e, baseline, max_memory / std::size_t(std::max(threads, 1)));
  };
  parallel_for(data.environments.size(), threads, look);
  check.dependence = dependence_evidence(data);
  return check;
}

}  // namespace whence
