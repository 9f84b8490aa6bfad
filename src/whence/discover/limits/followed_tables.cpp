#include "whence/discover/limits/followed_tables.hpp"

#include <algorithm>
#include <cmath>

namespace whence {

TwoTables::TwoTables(const Dataset& data, const std::vector<std::size_t>& causes,
                     std::size_t effect, const std::vector<std::size_t>& environments)
    : data_(data), effect_(effect) {
  constexpr double rows_per_cell = 5;
  double rows = 0;
  for (const std::size_t e : environments) rows += double(data.environments[e].rows());
  double cells = double(levels(effect)) * double(levels(causes.back()));
  for (std::size_t c = 0; c + 1 < causes.size(); ++c) {
    const double more = cells * double(levels(causes[c]));
    if (more * rows_per_cell > rows) continue;
    cells = more;
    without_.causes.push_back(causes[c]);
  }
  whole_.causes = without_.causes;
  whole_.causes.push_back(causes.back());  // so that cell / levels is the coarser table's
  count(whole_, environments);
  count(without_, environments);
  law_.assign(levels(effect), 0.5);
  for (std::size_t k = 0; k < without_.counts.size(); ++k)
    law_[k % law_.size()] += without_.counts[k];
  for (double& p : law_) p /= rows + 0.5 * double(law_.size());
}

std::size_t TwoTables::cell(const Table& table, std::size_t row) const {
  std::size_t at = 0;
  for (const std::size_t cause : table.causes)
    at = at * levels(cause) + std::size_t(data_.columns[cause].levels[row]);
  return at;
}

void TwoTables::count(Table& table, const std::vector<std::size_t>& environments) const {
  std::size_t cells = 1;
  for (const std::size_t cause : table.causes) cells *= levels(cause);
  table.rows.assign(cells, 0);
  table.counts.assign(cells * levels(effect_), 0);
  for (const std::size_t e : environments)
    for (std::size_t row = data_.environments[e].begin; row < data_.environments[e].end; ++row) {
      const std::size_t at = cell(table, row);
      ++table.rows[at];
      ++table.counts[at * levels(effect_) + std::size_t(data_.columns[effect_].levels[row])];
    }
}

double TwoTables::share(const Table& table, const Table* coarser, std::size_t cell,
                        std::size_t level) const {
  constexpr double prior_rows = 1;
  const double expected =
      coarser ? share(*coarser, nullptr, cell / levels(table.causes.back()), level) : law_[level];
  return (table.counts[cell * law_.size() + level] + prior_rows * expected) /
         (table.rows[cell] + prior_rows);
}

double TwoTables::unchanged(const Table& table, const Table* coarser, std::size_t e) const {
  constexpr double usual_drift = 0.1;  // of the standard deviation of one row
  const Environment& here = data_.environments[e];
  const double n = double(here.rows());
  std::vector<double> weight(table.rows.size()), seen(law_.size());
  for (std::size_t row = here.begin; row < here.end; ++row) {
    weight[cell(table, row)] += 1 / n;
    seen[std::size_t(data_.columns[effect_].levels[row])] += 1 / n;
  }
  double square = 0;
  for (std::size_t level = 0; level < law_.size(); ++level) {
    double expected = 0, unsure = 0;
    for (std::size_t c = 0; c < weight.size(); ++c) {
      if (weight[c] == 0) continue;
      const double p = share(table, coarser, c, level);
      expected += weight[c] * p;
      unsure += weight[c] * weight[c] * p * (1 - p) / (table.rows[c] + 1);
    }
    const double of_row = expected * (1 - expected);
    const double variance = of_row / n + unsure + 0.5 * usual_drift * usual_drift * of_row;
    square += (seen[level] - expected) * (seen[level] - expected) / (variance + 1e-12);
  }
  return -0.5 * square * double(law_.size() - 1) / double(law_.size());
}

}  // namespace whence
