#include "whence/paper/paper_criterion.hpp"

#include <cmath>
#include <vector>

#include "whence/backends/backend.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/meta_learn.hpp"

namespace whence {

namespace {

/// Least squares on the baseline: the Gaussian module of largest likelihood.
LinearGaussian<double> fit_line(const Dataset& data, const Family& family) {
  const std::size_t n = data.environments[0].rows();
  const auto& y = data.columns[family.child.value].values;
  const double* x =
      family.parents.empty() ? nullptr : data.columns[family.parents[0].value].values.data();
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_x += (x ? x[i] : 0) / double(n);
    mean_y += y[i] / double(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double dx = (x ? x[i] : 0) - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const double slope = x ? xy / xx : 0;
  const double log_deviation = 0.5 * std::log((yy - slope * xy) / double(n));
  if (!x) return {1, 0, {mean_y, log_deviation}};
  return {1, 1, {mean_y - slope * mean_x, slope, log_deviation}};
}

}  // namespace

double paper_belief(const Dataset& data) {
  const bool real = data.variables[0].kind == Variable::Kind::real;
  const PairHypotheses pair = pair_hypotheses();
  std::vector<Module> modules;
  for (const Family& family : pair.families) {
    if (real)
      modules.push_back({family, fit_line(data, family)});
    else
      modules.push_back({family, fit_counts(data, 0, data.environments[0].end, family, 1)});
  }
  std::vector<Episode> episodes;
  constexpr int batch = 10;
  for (std::size_t e = 1; e < data.environments.size(); ++e)
    episodes.push_back(
        {data.environments[e].begin, int(data.environments[e].rows()) / batch, batch});
  // Steps that stay finite: plain ones on tables, Adam's on lines.
  OptimizerSpec optimizer{.learning_rate = 0.1};
  if (real) optimizer = {.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  const Scores scores =
      cpu_backend()->score(data, episodes, modules, {optimizer, true, /*must_stay_finite=*/false});
  double log_odds = 0;
  for (std::size_t e = 0; e < episodes.size(); ++e)
    log_odds += log_odds_or_lost(scores.log_lik(EpisodeId(e), pair.forward),
                                 scores.log_lik(EpisodeId(e), pair.backward));
  return sigmoid(log_odds);
}

}  // namespace whence
