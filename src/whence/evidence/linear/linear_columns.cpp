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
  const std::size_t width = variables + 1;
  if (with_rows) {
    std::vector<std::size_t> lengths;
    for (const Environment& environment : data.environments) lengths.push_back(environment.rows());
    rows = RowPieces(lengths, width);
  }
  for (std::size_t e = 0; e < environments; ++e) {
    const Environment& environment = data.environments[e];
    counts[e] = double(environment.rows());
    for (std::size_t n = environment.begin; n < environment.end; n += rows_at_once(width)) {
      const std::size_t end = std::min(environment.end, n + rows_at_once(width));
      const std::vector<double> z = in_units(data, n, end, units);
      add_column_products(z, width, [&](std::size_t i, std::size_t j) -> double& {
        return grams[packed(i, j) * stride + e];
      });
      for (std::size_t k = 0; k < z.size() && with_rows; ++k)
        rows.set(e, n - environment.begin + k / width, k % width, z[k]);
    }
  }
}

}  // namespace whence
