#include "whence/discover/check/data_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/check/model_check.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/evidence/effective_rows.hpp"
#include "whence/evidence/labels/dependence_evidence.hpp"
#include "whence/evidence/labels/label_evidence.hpp"

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
double smallest_visible(double rows, double others) {
  const double n = rows * others / (rows + others);
  return std::sqrt(2 * (clear_evidence + 0.5 * std::log(std::max(n, 1.0))) / n);
}

/// The baseline; without one, all other environments.
std::vector<std::size_t> compared_with(const Dataset& data, std::size_t e,
                                       std::optional<std::size_t> baseline) {
  std::vector<std::size_t> reference;
  for (std::size_t other = 0; other < data.environments.size(); ++other)
    if (baseline ? *baseline == other : other != e) reference.push_back(other);
  return reference;
}

ShiftCheck check_environment(const Dataset& data, std::size_t e,
                             std::optional<std::size_t> baseline, std::size_t max_memory) {
  ShiftCheck check;
  check.name = data.environments[e].name;
  check.rows = data.environments[e].rows();
  check.baseline = baseline == e;
  if (check.baseline) return check;
  const std::vector<std::size_t> reference = compared_with(data, e, baseline);
  std::size_t others = 0;
  for (const std::size_t other : reference) others += data.environments[other].rows();
  const LabelEvidence evidence = label_evidence(data, e, reference, max_memory);
  check.first = evidence.u;
  check.second = evidence.v;
  check.second_given_first = evidence.both - evidence.u;
  check.first_given_second = evidence.both - evidence.v;
  check.visible = smallest_visible(double(check.rows), double(others));
  return check;
}

/// Whether no level of the variable is met both in an environment and in those it is compared with.
bool levels_apart(const Dataset& data, std::size_t v, const Environment& own,
                  std::span<const std::size_t> reference) {
  const auto& levels = data.columns[v].levels;
  std::vector<bool> here(std::size_t(data.variables[v].levels), false);
  for (std::size_t r = own.begin; r < own.end; ++r) here[std::size_t(levels[r])] = true;
  for (const std::size_t e : reference)
    for (std::size_t r = data.environments[e].begin; r < data.environments[e].end; ++r)
      if (here[std::size_t(levels[r])]) return false;
  return true;
}

/// The same of numbers: whether their ranges are apart.
bool ranges_apart(const Dataset& data, std::size_t v, const Environment& own,
                  std::span<const std::size_t> reference) {
  const auto& values = data.columns[v].values;
  const auto range = [&](const Environment& e) {
    const auto [low, high] = std::minmax_element(values.begin() + std::ptrdiff_t(e.begin),
                                                 values.begin() + std::ptrdiff_t(e.end));
    return std::pair(*low, *high);
  };
  const auto [low, high] = range(own);
  for (const std::size_t e : reference) {
    const auto [least, most] = range(data.environments[e]);
    if (low <= most && least <= high) return false;
  }
  return true;
}

bool lies_apart(const Dataset& data, std::size_t v, std::size_t environment,
                std::span<const std::size_t> reference) {
  const Environment& own = data.environments[environment];
  if (data.variables[v].kind == Variable::Kind::categorical)
    return levels_apart(data, v, own, reference);
  return data.variables[v].dimension == 1 && ranges_apart(data, v, own, reference);
}

void require_environments(const Dataset& data) {
  if (data.environments.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "", "there is only one environment",
                "give at least one shifted data set, or a column that tells environments apart");
}

/// Everything of an environment that takes no evidence.
EnvironmentCheck describe(const Dataset& data, std::size_t e, std::optional<std::size_t> baseline,
                          std::span<const double> share) {
  EnvironmentCheck check;
  check.name = data.environments[e].name;
  check.rows = data.environments[e].rows();
  check.effective_rows = double(check.rows) * share[e];
  check.baseline = baseline == e;
  check.evidence.assign(data.variables.size(), 0.0);
  if (check.baseline) return check;
  const std::vector<std::size_t> reference = compared_with(data, e, baseline);
  double others = 0;
  for (const std::size_t other : reference)
    others += double(data.environments[other].rows()) * share[other];
  check.visible = smallest_visible(check.effective_rows, others);
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    if (lies_apart(data, v, e, reference)) check.apart.push_back(v);
  return check;
}

std::size_t largest_environment(const Dataset& data) {
  const auto at = std::max_element(
      data.environments.begin(), data.environments.end(),
      [](const Environment& a, const Environment& b) { return a.rows() < b.rows(); });
  return std::size_t(at - data.environments.begin());
}

}  // namespace

DataCheck check_data(const Dataset& data, std::optional<std::size_t> baseline, int threads,
                     std::size_t max_memory, const std::function<void()>& pulse) {
  require_environments(data);
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
  check.remarks = remarks_on(odd_cells(data), data);
  return check;
}

TableCheck check_table(const Dataset& data, std::optional<std::size_t> baseline, int threads,
                       std::span<const std::int32_t> entity, const std::function<void()>& pulse) {
  require_environments(data);
  const EffectiveRows worth = effective_rows(data, entity);
  TableCheck check;
  check.remarks = worth.remarks;
  for (Remark& remark : remarks_on(odd_cells(data), data))
    check.remarks.push_back(std::move(remark));
  const std::size_t variables = data.variables.size(), environments = data.environments.size();
  for (std::size_t v = 0; v < variables; ++v)
    check.columns.push_back(check_column(data.variables[v], data.columns[v]));
  for (std::size_t e = 0; e < environments; ++e)
    check.environments.push_back(describe(data, e, baseline, worth.share));
  if (pulse) pulse();
  check.lines = model_check(data, baseline.value_or(largest_environment(data)), 0, threads);
  parallel_for(variables * environments, threads, [&](std::size_t job) {
    if (pulse) pulse();
    const std::size_t e = job / variables, v = job % variables;
    if (check.environments[e].baseline) return;
    check.environments[e].evidence[v] =
        law_evidence(data, VariableId(v), e, compared_with(data, e, baseline), worth.share);
  });
  return check;
}

}  // namespace whence
