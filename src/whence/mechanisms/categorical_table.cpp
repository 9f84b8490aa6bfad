#include "whence/mechanisms/categorical_table.hpp"

namespace whence {

CategoricalTable<double> fit_counts(const Dataset& data, std::size_t begin, std::size_t end,
                                    const Family& family, double equivalent_rows, int* unseen) {
  const auto levels = std::size_t(data.variables[family.child.value].levels);
  const std::size_t rows = configurations(data.variables, family);
  std::vector<double> table(rows * levels, equivalent_rows / double(rows * levels));
  const auto child = data.levels(family.child);
  for (std::size_t r = begin; r < end; ++r)
    table[parent_configuration(data, family, r) * levels + std::size_t(child[r])] += 1;
  for (std::size_t i = 0; i < rows; ++i) {
    double* row = &table[i * levels];
    double total = 0;
    for (std::size_t j = 0; j < levels; ++j) total += row[j];
    if (total == 0 && unseen) ++*unseen;
    for (std::size_t j = 0; j < levels; ++j)
      row[j] = total == 0 ? -portable_log(double(levels)) : portable_log(row[j] / total);
  }
  return {int(levels), std::move(table)};
}

}  // namespace whence
