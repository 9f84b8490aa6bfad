#include "whence/discover/meta_learn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

EpisodeSource episodes_of(const CategoricalWorld& world, const Shift& shift, double concentration,
                          RunKey key) {
  const auto shifted = std::make_shared<ShiftedWorld>(world);
  return {world.variables(),
          [=](std::size_t episode, Dataset& data, std::size_t first, std::size_t rows) {
            const Cell cell{key.run, std::uint32_t(episode), 0};
            shifted->shift(shift, concentration, Stream(key.seed, Purpose::shift, cell));
            shifted->sample(Stream(key.seed, Purpose::sample, cell), data, first, rows);
          }};
}

EpisodeSource episodes_of(const LinearGaussianWorld& world, ShiftKind shift,
                          const LinearGaussianPrior& prior, RunKey key) {
  return {world.variables(),
          [=, &world](std::size_t episode, Dataset& data, std::size_t first, std::size_t rows) {
            const Cell cell{key.run, std::uint32_t(episode), 0};
            const GaussianPair shifted =
                world.shifted(shift, prior, Stream(key.seed, Purpose::shift, cell));
            sample_pair(shifted, Stream(key.seed, Purpose::sample, cell), data, first, rows);
          }};
}

double log_odds_or_lost(double log_lik1, double log_lik2) {
  const bool lost1 = !std::isfinite(log_lik1), lost2 = !std::isfinite(log_lik2);
  if (lost1 || lost2) return lost_by * (double(lost2) - double(lost1));
  return log_lik1 - log_lik2;
}

namespace {

constexpr std::size_t chunk_rows = 1 << 14;  // about as many rows are held at once

Dataset empty_dataset(std::span<const Variable> variables, std::size_t rows) {
  Dataset data;
  data.variables.assign(variables.begin(), variables.end());
  data.columns.resize(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].kind == Variable::Kind::categorical)
      data.columns[v].levels.resize(rows);
    else
      data.columns[v].values.resize(rows * std::size_t(variables[v].dimension));
  }
  return data;
}

/// A likelihood that left the finite numbers is none at all.
double finite_or_none(double log_lik) {
  return std::isfinite(log_lik) ? log_lik : -std::numeric_limits<double>::infinity();
}

class MetaLearner {
 public:
  MetaLearner(const EpisodeSource& source, const MetaLearning& how, const MetaObserver& observer)
      : source_(source),
        how_(how),
        observer_(observer),
        backend_(cpu_backend()),
        learner_(how.belief),
        bayes_(how.belief.gamma0) {}

  MetaResult run() {
    const std::size_t rows = Episode{0, how_.steps, how_.batch}.rows();
    const std::size_t chunk =
        how_.adaptation.reset ? std::clamp<std::size_t>(chunk_rows / rows, 1, 256) : how_.episodes;
    for (std::size_t first = 0; first < how_.episodes; first += chunk)
      if (!learn_from(first, score(first, std::min(chunk, how_.episodes - first)))) break;
    result_.clamped = learner_.clamped();
    return std::move(result_);
  }

 private:
  /// Lines 2 to 7 of the algorithm: transfer distributions, data, adaptation, likelihoods.
  Scores score(std::size_t first, std::size_t count) const {
    const std::size_t rows = Episode{0, how_.steps, how_.batch}.rows();
    Dataset data = empty_dataset(source_.variables, count * rows);
    std::vector<Episode> episodes;
    for (std::size_t e = 0; e < count; ++e) {
      source_.draw(first + e, data, e * rows, rows);
      episodes.push_back({e * rows, how_.steps, how_.batch});
    }
    if (how_.encoder) data = how_.encoder(data);
    GradientAdaptation adaptation = how_.adaptation;
    adaptation.must_stay_finite = false;  // judged here, where the episode's number is known
    return backend_->score(data, episodes, how_.modules, adaptation, how_.threads);
  }

  /// Line 8: one step of gamma per episode. False when the observer wants no more.
  bool learn_from(std::size_t first, const Scores& scores) {
    std::vector<double> delta(scores.steps());
    for (std::size_t e = 0; e < scores.episodes(); ++e) {
      const EpisodeId id(e);
      MetaStep step;
      step.episode = first + e;
      step.log_lik_first = finite_or_none(scores.log_lik(id, how_.first));
      step.log_lik_second = finite_or_none(scores.log_lik(id, how_.second));
      step.delta = log_odds_or_lost(step.log_lik_first, step.log_lik_second);
      take_losses(scores, id, step);
      for (std::size_t t = 0; t < delta.size(); ++t)
        delta[t] =
            log_odds_or_lost(scores.log_lik(id, how_.first, t), scores.log_lik(id, how_.second, t));
      step.regret = regret(learner_.gamma(), step.log_lik_first, step.log_lik_second);
      step.gamma = learner_.step(delta);
      step.belief = sigmoid(step.gamma);
      for (double d : delta) bayes_ += d;
      bayes_ = std::clamp(bayes_, -gamma_limit, gamma_limit);
      step.bayes_gamma = bayes_;
      result_.delta.push_back(step.delta);
      result_.gamma.push_back(step.gamma);
      result_.bayes_gamma.push_back(bayes_);
      if (observer_ && !observer_(step)) return false;
    }
    return true;
  }

  void take_losses(const Scores& scores, EpisodeId id, const MetaStep& step) {
    const bool lost_first = !std::isfinite(step.log_lik_first);
    const bool lost_second = !std::isfinite(step.log_lik_second);
    result_.lost_first += lost_first;
    result_.lost_second += lost_second;
    if ((!lost_first && !lost_second) || !how_.adaptation.must_stay_finite) return;
    std::size_t t = 0;
    while (std::isfinite(scores.log_lik(id, lost_first ? how_.first : how_.second, t))) ++t;
    throw Error(ExitCode::numerical, "E-NUM-DIVERGED",
                "episode " + std::to_string(step.episode + 1) + ", step " + std::to_string(t + 1),
                "adaptation left the finite numbers", "lower the adaptation's learning rate");
  }

  const EpisodeSource& source_;
  const MetaLearning& how_;
  const MetaObserver& observer_;
  std::unique_ptr<Backend> backend_;
  BeliefLearner learner_;
  double bayes_;
  MetaResult result_;
};

}  // namespace

MetaResult meta_learn(const EpisodeSource& source, const MetaLearning& how,
                      const MetaObserver& observer) {
  return MetaLearner(source, how, observer).run();
}

}  // namespace whence
