#include "whence/adapt/table_pool.hpp"

namespace whence {

std::shared_ptr<const RisingTable> RisingTables::of(double a) const {
  const std::lock_guard lock(mutex_);
  auto& table = tables_[a];
  if (!table) table = std::make_shared<const RisingTable>(a, most_);
  return table;
}

TablePool::TablePool(const CategoricalRows& rows, std::size_t child,
                     std::span<const std::size_t> parents, double ess, const RisingTables& tables) {
  double possible = 1;
  for (std::size_t p : parents) possible *= double(rows.levels(p));
  row_rising_ = tables.of(ess / possible);
  cell_rising_ = tables.of(ess / (possible * double(rows.levels(child))));
  count(rows, child, configurations(rows, parents));
}

void TablePool::count(const CategoricalRows& rows, std::size_t child,
                      const Configurations& configuration) {
  const std::size_t levels = rows.levels(child);
  const std::uint8_t* column = rows.column(child);
  pooled_cells_.assign(configuration.number * levels, 0);
  pooled_rows_.assign(configuration.number, 0);
  cells_.resize(rows.environments());
  rows_.resize(rows.environments());
  // The pooled counts serve as scratch: zero before and after each environment.
  const auto tally = [](std::vector<std::uint32_t>& scratch, std::vector<Count>& counts,
                        std::uint32_t at) {
    if (scratch[at]++ == 0) counts.push_back({at, 0});
  };
  const auto collect = [](std::vector<std::uint32_t>& scratch, std::vector<Count>& counts) {
    for (Count& c : counts) std::swap(c.number, scratch[c.at]);
  };
  for (std::size_t e = 0; e < rows.environments(); ++e) {
    for (std::size_t r = rows.begin(e); r < rows.end(e); ++r) {
      const std::uint32_t at = configuration.of_row[r];
      tally(pooled_rows_, rows_[e], at);
      tally(pooled_cells_, cells_[e], std::uint32_t(at * levels + column[r]));
    }
    collect(pooled_rows_, rows_[e]);
    collect(pooled_cells_, cells_[e]);
  }
}

void TablePool::move(std::size_t environment, int sign) {
  for (const Count& c : cells_[environment]) pooled_cells_[c.at] += std::uint32_t(sign) * c.number;
  for (const Count& c : rows_[environment]) pooled_rows_[c.at] += std::uint32_t(sign) * c.number;
}

double TablePool::predictive(std::size_t environment) const {
  double sum = 0;
  for (const Count& c : cells_[environment])
    sum += (*cell_rising_)(pooled_cells_[c.at] + c.number) - (*cell_rising_)(pooled_cells_[c.at]);
  for (const Count& c : rows_[environment])
    sum -= (*row_rising_)(pooled_rows_[c.at] + c.number) - (*row_rising_)(pooled_rows_[c.at]);
  return sum;
}

double TablePool::alone(std::size_t environment) const {
  double sum = 0;
  for (const Count& c : cells_[environment]) sum += (*cell_rising_)(c.number);
  for (const Count& c : rows_[environment]) sum -= (*row_rising_)(c.number);
  return sum;
}

}  // namespace whence
