#include "whence/discover/encoder/latent_effects.hpp"

#include <cmath>
#include <numeric>

#include "whence/math/dense.hpp"

namespace whence {

namespace {

/// Mean of each column, and mean and variance of one row of weights.
struct Level {
  std::vector<double> mean;
  double variance = 0;
};

Level level_of(const Matrix& rows, std::span<const double> weights) {
  Level level{std::vector<double>(rows.columns, 0.0), 0};
  const auto n = double(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) level.mean[j] += rows(i, j) / n;
  const double middle = dot(weights, level.mean);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double value =
        dot(weights, std::span(rows.values).subspan(i * rows.columns, rows.columns));
    level.variance += (value - middle) * (value - middle) / n;
  }
  return level;
}

/// How far the effect's row moves when the cause's does, over all environments that changed the
/// cause. Two things make that uncertain: the means are of so many rows, and the effect's weights
/// may hold some of the cause.
LatentEffect effect_of(std::span<const Matrix> environments, const LatentRow& cause,
                       const LatentRow& effect) {
  const std::size_t d = cause.weights.size();
  const Level start = level_of(environments[0], effect.weights);
  std::vector<double> pull(d, 0.0);  // the effect is the effect's weights times this
  double information = 0;
  for (const std::size_t e : cause.environments) {
    const Matrix& rows = environments[e + 1];
    Level here = level_of(rows, effect.weights);
    for (std::size_t j = 0; j < d; ++j) here.mean[j] -= start.mean[j];
    const double chance =
        here.variance / double(rows.rows) + start.variance / double(environments[0].rows);
    const double moved = dot(cause.weights, here.mean);
    for (std::size_t j = 0; j < d; ++j) pull[j] += moved * here.mean[j] / chance;
    information += moved * moved / chance;
  }
  LatentEffect found;
  if (!(information > 0)) return found;
  for (double& x : pull) x /= information;
  found.effect = dot(effect.weights, pull);
  found.sd = std::sqrt(1 / information + std::max(0.0, dot(pull, product(effect.chance, pull))));
  return found;
}

}  // namespace

std::vector<LatentEffect> find_latent_effects(std::span<const Matrix> environments,
                                              const UnmixingAnswer& found) {
  constexpr double clear = 4;    // deviations
  constexpr double least = 0.1;  // what a row that is a little off may carry over
  std::vector<LatentEffect> effects;
  for (std::size_t i = 0; i < found.rows.size(); ++i)
    for (std::size_t j = 0; j < found.rows.size(); ++j) {
      const LatentRow &cause = found.rows[i], &effect = found.rows[j];
      if (i == j || cause.kind == LatentKind::unresolved || effect.kind != LatentKind::latent)
        continue;
      LatentEffect one = effect_of(environments, cause, effect);
      one.from = i;
      one.to = j;
      if (std::abs(one.effect) > std::max(least, clear * one.sd)) effects.push_back(one);
    }
  return effects;
}

}  // namespace whence
