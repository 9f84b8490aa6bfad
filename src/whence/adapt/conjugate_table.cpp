#include "whence/adapt/conjugate_table.hpp"

#include "whence/math/special.hpp"
#include "whence/mechanisms/categorical_table.hpp"

namespace whence {

FamilyCounts& FamilyCounts::operator+=(const FamilyCounts& other) {
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] += other.cells[i];
  return *this;
}

FamilyCounts count(const Dataset& data, const Family& family, std::size_t begin, std::size_t end) {
  FamilyCounts counts(configurations(data.variables, family),
                      std::size_t(data.variables[family.child.value].levels));
  const auto child = data.levels(family.child);
  for (std::size_t r = begin; r < end; ++r)
    counts.cells[parent_configuration(data, family, r) * counts.levels + std::size_t(child[r])] +=
        1;
  return counts;
}

double log_predictive_row(const FamilyCounts& before, const FamilyCounts& seen, double alpha,
                          std::size_t row) {
  const std::size_t begin = row * seen.levels;
  double sum = 0, total_before = 0, total_seen = 0;
  for (std::size_t j = begin; j < begin + seen.levels; ++j) {
    const double prior = alpha + before.cells[j];
    total_before += prior;
    total_seen += seen.cells[j];
    sum += log_rising(prior, seen.cells[j]);
  }
  return sum - log_rising(total_before, total_seen);
}

double log_predictive(const FamilyCounts& before, const FamilyCounts& seen, double alpha) {
  double sum = 0;
  for (std::size_t r = 0; r < seen.rows; ++r) sum += log_predictive_row(before, seen, alpha, r);
  return sum;
}

double log_marginal_likelihood(const FamilyCounts& seen, double alpha) {
  return log_predictive(FamilyCounts(seen.rows, seen.levels), seen, alpha);
}

void adapt_conjugate(FamilyCounts& learner, double alpha, const Dataset& data, const Family& family,
                     const Episode& episode, std::span<double> scores) {
  for (int t = 0; t < episode.steps; ++t) {
    const std::size_t begin = episode.first_row + std::size_t(t) * std::size_t(episode.batch);
    const FamilyCounts batch = count(data, family, begin, begin + std::size_t(episode.batch));
    scores[std::size_t(t)] = log_predictive(learner, batch, alpha);
    learner += batch;
  }
}

}  // namespace whence
