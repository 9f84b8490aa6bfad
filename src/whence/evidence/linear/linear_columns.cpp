// Products of all columns with each other, environment by environment.
#include "whence/evidence/linear/column_products.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"

namespace whence {

namespace {

/// Some rows, the constant first, in units.
std::vector<double> in_units(const Dataset& data, std::size_t begin, std::size_t end,
                             const std::vector<ColumnUnit>& units) {
  const std::size_t width = units.size() + 1;
  std::vector<double> z((end - begin) * width, 1.0);
  for (std::size_t v = 0; v < units.size(); ++v)
    for (std::size_t n = begin; n < end; ++n)
      z[(n - begin) * width + v + 1] =
          (data.columns[v].values[n] - units[v].centre) / units[v].unit;
  return z;
}

}  // namespace

LinearColumns::LinearColumns(const Dataset& data, bool with_rows)
    : variables(data.variables.size()),
      environments(data.environments.size()),
      stride(padded_environments(environments)),
      reference(largest_environment(data)),
      units(column_units(data, reference)),
      counts(stride, 0.0),
      grams(packed(variables + 1, 0) * stride, 0.0) {
  multiply(data);
  if (!with_rows) return;
  add_constant(data);
  for (std::size_t v = 0; v < variables; ++v) add_rows(data, v);
}

LinearColumns::LinearColumns(Dataset&& data, bool with_rows) : LinearColumns(data, false) {
  if (with_rows) add_constant(data);
  for (std::size_t v = 0; v < variables; ++v) {
    if (with_rows) add_rows(data, v);
    std::vector<double>().swap(data.columns[v].values);
  }
}

void LinearColumns::multiply(const Dataset& data) {
  const std::size_t width = variables + 1;
  for (std::size_t e = 0; e < environments; ++e) {
    const Environment& environment = data.environments[e];
    counts[e] = double(environment.rows());
    for (std::size_t n = environment.begin; n < environment.end; n += rows_at_once(width)) {
      const std::size_t end = std::min(environment.end, n + rows_at_once(width));
      add_column_products(in_units(data, n, end, units), width,
                          [&](std::size_t i, std::size_t j) -> double& {
                            return grams[packed(i, j) * stride + e];
                          });
    }
  }
}

void LinearColumns::add_constant(const Dataset& data) {
  std::vector<std::size_t> lengths;
  for (const Environment& environment : data.environments) lengths.push_back(environment.rows());
  rows = RowPieces(lengths);
  rows.add_column();
  for (std::size_t e = 0; e < environments; ++e)
    for (std::size_t n = 0; n < lengths[e]; ++n) rows.set(e, n, 0, 1.0);
}

void LinearColumns::add_rows(const Dataset& data, std::size_t variable) {
  rows.add_column();
  const std::vector<double>& values = data.columns[variable].values;
  const ColumnUnit& unit = units[variable];
  for (std::size_t e = 0; e < environments; ++e) {
    const Environment& environment = data.environments[e];
    for (std::size_t n = environment.begin; n < environment.end; ++n)
      rows.set(e, n - environment.begin, variable + 1, (values[n] - unit.centre) / unit.unit);
  }
}

}  // namespace whence
