#include "whence/evidence/categorical/table_pool.hpp"

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

double table_evidence(const CategoricalRows& rows, std::size_t child,
                      std::span<const std::size_t> parents,
                      std::span<const std::size_t> environments, double ess,
                      const RisingTables& tables) {
  std::size_t possible = 1;
  for (std::size_t p : parents) possible *= rows.levels(p);
  const std::size_t levels = rows.levels(child);
  std::vector<std::uint32_t> cells(possible * levels, 0), place;
  for (std::size_t e : environments) {
    place.assign(rows.rows(e), 0);
    const auto refine = [&](std::size_t variable) {
      const std::uint8_t* column = rows.column(variable) + rows.begin(e);
      const std::uint32_t number = std::uint32_t(rows.levels(variable));
      for (std::size_t r = 0; r < place.size(); ++r) place[r] = place[r] * number + column[r];
    };
    for (std::size_t p : parents) refine(p);
    refine(child);
    for (std::uint32_t at : place) ++cells[at];
  }
  const auto row_rising = tables.of(ess / double(possible));
  const auto cell_rising = tables.of(ess / double(cells.size()));
  double sum = 0;
  for (std::size_t row = 0; row < possible; ++row) {
    std::size_t total = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      const std::uint32_t number = cells[row * levels + l];
      if (number == 0) continue;
      sum += (*cell_rising)(number);
      total += number;
    }
    sum -= (*row_rising)(total);
  }
  return sum;
}

double TablePool::alone(std::size_t environment) const {
  double sum = 0;
  for (const Count& c : cells_[environment]) sum += (*cell_rising_)(c.number);
  for (const Count& c : rows_[environment]) sum -= (*row_rising_)(c.number);
  return sum;
}

}  // namespace whence
