#include "whence/paper/meta_learn.hpp"

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

EpisodeSource episodes_of(const MlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how,
                          RunKey key) {
  const auto shifted = std::make_shared<ShiftedMlpWorld>(world);
  return {world.variables(),
          [=](std::size_t episode, Dataset& data, std::size_t first, std::size_t rows) {
            draw_episode(*shifted, shift, how, key, episode, data, first, rows);
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

/// Lines 2 to 7 of the algorithm: transfer distributions, data, adaptation, likelihoods.
class EpisodeScorer {
 public:
  EpisodeScorer(const EpisodeSource& source, const EpisodeLearning& how)
      : source_(source), how_(how), backend_(cpu_backend()) {}

  /// Scores chunk after chunk of the episodes until `read` returns false.
  template <class Read>
  void run(const Read& read) const {
    const std::size_t rows = Episode{0, how_.steps, how_.batch}.rows();
    const std::size_t chunk =
        how_.adaptation.reset ? std::clamp<std::size_t>(chunk_rows / rows, 1, 256) : how_.episodes;
    for (std::size_t first = 0; first < how_.episodes; first += chunk)
      if (!read(first, draw(first, std::min(chunk, how_.episodes - first)))) break;
  }

  Scores adapted(const EpisodeSet& set) const {
    GradientAdaptation adaptation = how_.adaptation;
    adaptation.must_stay_finite = false;  // judged where the episode's number is known
    return backend_->score(set.data, set.episodes, how_.modules, adaptation, how_.threads);
  }

  /// The same episodes with the modules as they are: one mini-batch, nothing learnt before it.
  Scores frozen(const EpisodeSet& set) const {
    std::vector<Episode> whole;
    for (const Episode& e : set.episodes) whole.push_back({e.first_row, 1, int(e.rows())});
    return backend_->score(set.data, whole, how_.modules, {how_.adaptation.optimizer, true, false},
                           how_.threads);
  }

 private:
  EpisodeSet draw(std::size_t first, std::size_t count) const {
    const std::size_t rows = Episode{0, how_.steps, how_.batch}.rows();
    EpisodeSet set{empty_dataset(source_.variables, count * rows), {}};
    for (std::size_t e = 0; e < count; ++e) {
      source_.draw(first + e, set.data, e * rows, rows);
      set.episodes.push_back({e * rows, how_.steps, how_.batch});
    }
    if (how_.encoder) set.data = how_.encoder(set.data);
    return set;
  }

  const EpisodeSource& source_;
  const EpisodeLearning& how_;
  std::unique_ptr<Backend> backend_;
};

[[noreturn]] void diverged(std::size_t episode, std::size_t step) {
  throw Error(ExitCode::numerical, "E-NUM-DIVERGED",
              "episode " + std::to_string(episode + 1) + ", step " + std::to_string(step + 1),
              "adaptation left the finite numbers", "lower the adaptation's learning rate");
}

class MetaLearner {
 public:
  MetaLearner(const EpisodeSource& source, const MetaLearning& how, const MetaObserver& observer)
      : scorer_(source, how),
        how_(how),
        observer_(observer),
        learner_(how.belief),
        bayes_(how.belief.gamma0) {}

  MetaResult run() {
    scorer_.run([&](std::size_t first, const EpisodeSet& set) {
      return learn_from(first, scorer_.adapted(set));
    });
    result_.clamped = learner_.clamped();
    return std::move(result_);
  }

 private:
  /// Line 8: one step of gamma per episode. False when the observer returns false.
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
      for (double d : delta) bayes_ += d;  // exact: nothing is held back
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
    diverged(step.episode, t);
  }

  EpisodeScorer scorer_;
  const MetaLearning& how_;
  const MetaObserver& observer_;
  BeliefLearner learner_;
  double bayes_;
  MetaResult result_;
};

/// The belief over edges, episode by episode.
class EdgeMetaLearner {
 public:
  EdgeMetaLearner(const EpisodeSource& source, const EdgeMetaLearning& how,
                  const EdgeMetaObserver& observer)
      : scorer_(source, how),
        how_(how),
        observer_(observer),
        variables_(source.variables.size()),
        belief_(how.gamma0.variables > 0 ? how.gamma0 : EdgeMatrix(variables_), how.belief),
        total_(how.modules.size(), 0.0) {
    if (how.modules.size() != variables_ * parent_sets(variables_))
      throw Error(ExitCode::bad_config, "E-META-MODULES", "",
                  "edge beliefs need one module for every family over the variables",
                  "give them in the order of all_families()");
    if (variables_ <= largest_enumerated_graph) {
      graphs_.emplace_back(variables_);
      posterior_.emplace_back(variables_);
    }
  }

  EdgeMetaResult run() {
    scorer_.run([&](std::size_t first, const EpisodeSet& set) { return learn_from(first, set); });
    result_.clamped = belief_.clamped();
    result_.rejected = belief_.rejected();
    result_.effective_samples = belief_.effective_samples();
    return std::move(result_);
  }

 private:
  bool learn_from(std::size_t first, const EpisodeSet& set) {
    const Scores adapted = scorer_.adapted(set);
    if (how_.adaptation.must_stay_finite) check(first, adapted);
    std::vector<Scores> frozen;
    if (how_.frozen_or_adapting) frozen.push_back(scorer_.frozen(set));
    for (std::size_t e = 0; e < set.episodes.size(); ++e) {
      EdgeMetaStep step;
      step.episode = first + e;
      step.log_lik = episode_log_lik(adapted, EpisodeId(e));
      if (how_.frozen_or_adapting) {
        const std::vector<double> still = episode_log_lik(frozen[0], EpisodeId(e));
        for (std::size_t f = 0; f < still.size(); ++f)
          step.log_lik[f] = whence::frozen_or_adapting(still[f], step.log_lik[f]);
      }
      learn(step);
      if (observer_ && !observer_(step)) return false;
    }
    return true;
  }

  static void check(std::size_t first, const Scores& scores) {
    for (std::size_t e = 0; e < scores.episodes(); ++e)
      for (std::size_t f = 0; f < scores.families(); ++f)
        for (std::size_t t = 0; t < scores.steps(); ++t)
          if (!std::isfinite(scores.of(EpisodeId(e), FamilyId(f))[t])) diverged(first + e, t);
  }

  /// Line 8: one step of gamma; the exact posterior beside it.
  void learn(EdgeMetaStep& step) {
    std::vector<double> total = total_;
    for (std::size_t f = 0; f < total.size(); ++f) total[f] += step.log_lik[f];
    step.regret = how_.belief.acyclicity == Acyclicity::exact
                      ? acyclic_regret(graphs_[0], belief_.gamma(), step.log_lik)
                      : edge_regret(belief_.gamma(), step.log_lik);
    const auto rejected = belief_.rejected();
    belief_.update(how_.all_so_far ? total : step.log_lik,
                   Stream(how_.key.seed, Purpose::initialise,
                          {how_.key.run, std::uint32_t(step.episode + 1), 0}));
    if (belief_.rejected() == rejected) total_ = std::move(total);
    step.log_odds = belief_.log_odds();
    if (!posterior_.empty()) {
      posterior_[0].update(step.log_lik);
      step.bayes_log_odds = posterior_[0].log_odds();
    }
    result_.regret.push_back(step.regret);
    result_.log_odds.push_back(step.log_odds);
    result_.bayes_log_odds.push_back(step.bayes_log_odds);
  }

  EpisodeScorer scorer_;
  const EdgeMetaLearning& how_;
  const EdgeMetaObserver& observer_;
  std::size_t variables_;
  EdgeBelief belief_;
  std::vector<AcyclicGraphs> graphs_;      // one, where they can be listed
  std::vector<GraphPosterior> posterior_;  // the same
  std::vector<double> total_;              // log L of every family, all episodes so far
  EdgeMetaResult result_;
};

}  // namespace

MetaResult meta_learn(const EpisodeSource& source, const MetaLearning& how,
                      const MetaObserver& observer) {
  return MetaLearner(source, how, observer).run();
}

EdgeMetaResult meta_learn(const EpisodeSource& source, const EdgeMetaLearning& how,
                          const EdgeMetaObserver& observer) {
  return EdgeMetaLearner(source, how, observer).run();
}

}  // namespace whence
