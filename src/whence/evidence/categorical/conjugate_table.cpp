#include "whence/evidence/categorical/conjugate_table.hpp"

#include "whence/math/special.hpp"
#include "whence/math/special_lanes.hpp"

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

Tally::Tally(const FamilyCounts& seen) {
  for (std::size_t r = 0; r < seen.rows; ++r) {
    double total = 0;
    for (std::size_t j = r * seen.levels; j < (r + 1) * seen.levels; ++j) {
      if (seen.cells[j] == 0) continue;
      total += seen.cells[j];
      at.push_back(j);
      count.push_back(seen.cells[j]);
    }
    if (total == 0) continue;
    at.push_back(seen.cells.size() + r);
    count.push_back(total);
    rows.push_back({r, at.size()});
  }
}

LearntTable::LearntTable(std::size_t r, std::size_t l, double a)
    : rows(r), levels(l), alpha(a), counts(r * l + r, 0.0), log_gammas(r * l, log_gamma(a)) {
  log_gammas.resize(counts.size(), log_gamma(a * double(l)));
}

TallyScore score(const LearntTable& before, const Tally& seen) {
  TallyScore scored{{}, std::vector<double>(seen.at.size())};
  scored.rows.reserve(seen.rows.size());
  const double row_alpha = before.alpha * double(before.levels);
  const auto after = [&](std::size_t i) { return before.counts[seen.at[i]] + seen.count[i]; };
  std::size_t i = 0;
  for (const Tally::Row& row : seen.rows) {
    for (; i + 1 < row.end; ++i) scored.log_gammas[i] = before.alpha + after(i);
    scored.log_gammas[i] = row_alpha + after(i);
    ++i;
  }
  log_gamma_all(scored.log_gammas);
  const auto gained = [&](std::size_t k, double alpha) {
    constexpr double many = 1e6;  // before a few more: a difference of log Gammas would cancel
    const double known = before.counts[seen.at[k]];
    return known > many ? log_rising(alpha + known, seen.count[k])
                        : scored.log_gammas[k] - before.log_gammas[seen.at[k]];
  };
  i = 0;
  for (const Tally::Row& row : seen.rows) {
    double sum = 0;
    for (; i + 1 < row.end; ++i) sum += gained(i, before.alpha);
    scored.rows.push_back(sum - gained(i, row_alpha));
    ++i;
  }
  return scored;
}

LearntTable learn(LearntTable before, const Tally& seen, const TallyScore& scored) {
  for (std::size_t i = 0; i < seen.at.size(); ++i) {
    before.counts[seen.at[i]] += seen.count[i];
    before.log_gammas[seen.at[i]] = scored.log_gammas[i];
  }
  return before;
}

}  // namespace whence
