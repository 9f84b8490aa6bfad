#include "whence/paper/tasks/continuous_task.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "whence/core/error.hpp"

namespace whence {

SplineKind spline_kind(std::string_view name, std::string_view extrapolation) {
  SplineKind kind;
  kind.degree = name.starts_with("cubic") ? 3 : 2;
  kind.anchors = name.ends_with("10") ? 10 : 8;
  for (auto policy : {Extrapolation::linear, Extrapolation::polynomial, Extrapolation::error})
    if (extrapolation == name_of(policy)) kind.outside = policy;
  return kind;
}

CauseLaw::Kind cause_law_kind(std::string_view name) {
  for (auto kind : {CauseLaw::Kind::laplace, CauseLaw::Kind::bimodal})
    if (name == name_of(kind)) return kind;
  return CauseLaw::Kind::gaussian;
}

PairColumns draw_columns(const SplineWorld& world, std::size_t rows, Purpose purpose,
                         std::uint64_t seed, Cell cell) {
  PairColumns columns(rows);
  world.sample(Stream(seed, purpose, cell), columns.a, columns.b);
  return columns;
}

MixtureDensity<double> train_density(const SplineWorld& world, const DensityTraining& how,
                                     bool backward, RunKey key, Fallbacks& fallbacks) {
  const Cell start{key.run, backward ? 1u : 0u, 0};
  DensityLearner learner(initial_density(how.shape, Stream(key.seed, Purpose::initialise, start)),
                         how.optimizer);
  double log_lik = 0;
  for (int step = 0; step < how.steps; ++step) {
    const PairColumns batch = draw_columns(world, std::size_t(how.batch), Purpose::training,
                                           key.seed, {key.run, std::uint32_t(step), 0});
    log_lik = learner.learn(backward ? batch.backward() : batch.forward()).value;
    if (!std::isfinite(log_lik))
      throw Error(ExitCode::numerical, "E-NUM-DIVERGED",
                  "training step " + std::to_string(step + 1), "training left the finite numbers",
                  "lower the training's learning rate");
  }
  fallbacks.clamped += learner.clamped();
  return learner.density();
}

GaussianMixture<double> train_marginal(std::size_t components, const std::vector<double>& x,
                                       Fallbacks& fallbacks) {
  EmScratch scratch;
  GaussianMixture<double> mixture = spread_mixture(components, std::span<const double>(x));
  fallbacks.add(fit_mixture_fast(mixture, x, {.iterations = 200, .gain = 1e-6}, scratch));
  return mixture;
}

void EpisodeScores::store(Scores& table, std::size_t episode) const {
  for (std::size_t f = 0; f < 4; ++f)
    std::copy(family[f].begin(), family[f].end(),
              table.of(EpisodeId(episode), FamilyId(f)).begin());
}

/// Scores before each step. Nothing reads what the last step would have learnt.
std::vector<double> ContinuousScorer::conditional(const MixtureDensity<double>& start,
                                                  const DensityPoints& points, bool one_batch) {
  std::vector<double> scores;
  learner_.restart(start);
  const std::size_t batch = one_batch ? points.x.size() : points.x.size() / steps_;
  for (std::size_t t = 0; t < steps_; ++t) {
    const DensityPoints seen = points.part(one_batch ? 0 : t * batch, batch);
    scores.push_back((t + 1 < steps_ ? learner_.learn(seen) : learner_.log_lik(seen)).value);
  }
  return scores;
}

ContinuousScorer::Hindsight ContinuousScorer::score_hindsight(const PairColumns& points,
                                                              Stream start) {
  Hindsight result;
  const GaussianMixture<double> origin = random_mixture(forward_.shape().components, start);
  const std::vector<double>* columns[] = {&points.a, &points.b};
  for (std::size_t side = 0; side < 2; ++side) {
    GaussianMixture<double> marginal = origin;
    fallbacks_.add(fit_mixture_fast(marginal, *columns[side],
                                    {.iterations = em_iterations_, .gain = released_em_gain},
                                    scratch_));
    const auto score = [&](const GaussianMixture<double>& mixture) {
      return std::vector<double>(steps_, mixture_log_lik(mixture, *columns[side], scratch_));
    };
    result.em_weights.family[2 * side] = score(marginal);
    result.softmax_weights.family[2 * side] = score(doubly_softmaxed(marginal));
  }
  // The conditionals do not care which weights the marginals score with.
  for (std::size_t f : {std::size_t(1), std::size_t(3)}) {
    result.em_weights.family[f] = f == 1 ? conditional(forward_, points.forward(), true)
                                         : conditional(backward_, points.backward(), true);
    result.softmax_weights.family[f] = result.em_weights.family[f];
  }
  return result;
}

std::vector<double> ContinuousScorer::online_marginal(const GaussianMixture<double>& start,
                                                      const std::vector<double>& x) {
  constexpr EmOptions refit{.iterations = 20, .gain = 1e-3, .prior_rows = 10};
  std::vector<double> scores;
  GaussianMixture<double> mixture = start;
  const std::size_t batch = x.size() / steps_;
  const std::span<const double> all = x;
  for (std::size_t t = 0; t < steps_; ++t) {
    scores.push_back(mixture_log_lik(mixture, all.subspan(t * batch, batch), scratch_));
    if (t + 1 == steps_) break;
    mixture = start;
    fallbacks_.add(fit_mixture_fast(mixture, all.first((t + 1) * batch), refit, scratch_));
  }
  return scores;
}

EpisodeScores ContinuousScorer::score_online(const PairColumns& points,
                                             const GaussianMixture<double>& cause,
                                             const GaussianMixture<double>& effect) {
  EpisodeScores scores;
  scores.family[0] = online_marginal(cause, points.a);
  scores.family[1] = conditional(forward_, points.forward(), false);
  scores.family[2] = online_marginal(effect, points.b);
  scores.family[3] = conditional(backward_, points.backward(), false);
  return scores;
}

Fallbacks ContinuousScorer::fallbacks() const {
  Fallbacks all = fallbacks_;
  all.clamped += learner_.clamped();
  return all;
}

}  // namespace whence
