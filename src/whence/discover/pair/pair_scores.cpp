#include "whence/discover/pair/pair_scores.hpp"

#include <algorithm>
#include <utility>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

DirectionTask::DirectionTask(const DirectionOptions& options, const Control& how)
    : DirectionOptions(options), control(how) {
  if (control.threads == 0) control.threads = available_threads();
}

Progress DirectionTask::pulse() const {
  return [control = control, passes = passes, passed = passed](double done) {
    if (control.stopped())
      throw Error(ExitCode::interrupted, "E-STOPPED", "", "stopped before there was an answer");
    if (control.progress)
      control.progress(std::min(1.0, (double(*passed) + done) / double(passes)));
    if (done >= 1) ++*passed;
  };
}

void set_hidden(Scored& scored, std::span<const StructureScore> ways) {
  std::vector<double> evidence;
  for (const StructureScore& way : ways) evidence.push_back(way.log_evidence);
  scored.hidden = log_mean_exp(evidence);
  for (std::size_t e = 0; e < ways[0].after.size(); ++e) {
    std::vector<double> after;
    for (const StructureScore& way : ways) after.push_back(way.after[e]);
    scored.hidden_after.push_back(log_mean_exp(after));
  }
}

namespace {

/// After each environment, averaged over hyper-parameters.
std::vector<double> evidence_after(std::span<const PoolingResult> each) {
  std::vector<double> sums(each.size(), 0.0), after;
  for (std::size_t e = 0; e < each[0].steps.size(); ++e) {
    for (std::size_t h = 0; h < each.size(); ++h) sums[h] += each[h].steps[e];
    after.push_back(log_mean_exp(sums));
  }
  return after;
}

/// Averages over hyper-parameters by their evidence, the same ones for every structure.
StructureScore averaged(std::span<const PoolingResult> each) {
  std::vector<double> evidence;
  for (const PoolingResult& r : each) evidence.push_back(r.log_evidence);
  const double total = log_sum_exp(evidence);
  StructureScore score;
  score.log_evidence = total - std::log(double(each.size()));
  score.after = evidence_after(each);
  for (std::size_t e = 0; e < score.after.size(); ++e)
    score.steps.push_back(score.after[e] - (e > 0 ? score.after[e - 1] : 0));
  score.changes.assign(each[0].changes.size(), ChangeProbabilities{});
  for (std::size_t h = 0; h < each.size(); ++h) {
    const double weight = std::exp(evidence[h] - total);
    score.log_dropped = std::max(score.log_dropped, each[h].log_dropped);
    for (std::size_t e = 0; e < score.steps.size(); ++e)
      for (std::size_t k = 0; k < change_kinds; ++k)
        score.changes[e][k] += weight * each[h].changes[e][k];
  }
  return score;
}

/// Poolings of one model under each prior, in step, so that they share their pools.
template <class Model>
std::vector<PoolingResult> pool_priors(const Model& model, Structure structure, const Order& order,
                                       std::span<const ChangePrior> priors,
                                       const PoolingLimits& limits) {
  const typename Pooling<Model>::Roots roots(model);
  std::vector<std::array<ChangeRegime, 3>> regimes;
  std::vector<std::size_t> pooling_of;  // priors that differ in their structures alone share one
  for (const ChangePrior& prior : priors) {
    const auto own = prior.regimes(structure);
    const auto known = std::find(regimes.begin(), regimes.end(), own);
    pooling_of.push_back(std::size_t(known - regimes.begin()));
    if (known == regimes.end()) regimes.push_back(own);
  }
  std::vector<Pooling<Model>> poolings;
  for (const auto& own : regimes) poolings.emplace_back(model, own, limits, roots);
  for (std::size_t e : order.environments)
    for (auto& pooling : poolings) pooling.add(e, order.baseline == e);
  std::vector<PoolingResult> results;
  for (std::size_t p : pooling_of) results.push_back(poolings[p].result());
  return results;
}

using Structures = std::vector<std::vector<StructureScore>>;  // [prior][structure]

/// The first `kinds` structures under each prior.
template <class MakeModel>
Structures pool_structures(const MakeModel& make, std::size_t kinds, std::span<const double> hyper,
                           const Order& order, std::span<const ChangePrior> priors,
                           const DirectionTask& task, const Progress& pulse) {
  // [structure][hyper-parameter][prior]
  std::vector<std::vector<PoolingResult>> each(kinds * hyper.size());
  const auto pool = [&](std::size_t i) {
    const auto structure = Structure(i / hyper.size());
    const auto model = make(structure, hyper[i % hyper.size()]);
    each[i] = pool_priors(model, structure, order, priors, task.limits);
  };
  parallel_for(each.size(), task.control.threads, pool, pulse);
  Structures scores(priors.size());
  for (std::size_t p = 0; p < priors.size(); ++p)
    for (std::size_t s = 0; s < kinds; ++s) {
      std::vector<PoolingResult> of_prior;
      for (std::size_t h = 0; h < hyper.size(); ++h)
        of_prior.push_back(std::move(each[s * hyper.size() + h][p]));
      scores[p].push_back(averaged(of_prior));
    }
  return scores;
}

/// The same weights, less those of changes that do not happen beside something hidden. What they
/// leave is lost: where nothing tells a direction from something hidden, neither gains.
std::vector<ChangePrior> without_changes(std::span<const ChangePrior> priors,
                                         std::initializer_list<Change> changes) {
  std::vector<ChangePrior> rest(priors.begin(), priors.end());
  for (ChangePrior& prior : rest)
    for (const Change change : changes) prior.change[std::size_t(change)] = 0;
  return rest;
}

/// A second pass over the two directions, in which only those changes are possible that something
/// hidden allows.
template <class MakeModel>
std::vector<Scored> with_hidden(Structures scores, const MakeModel& make,
                                std::span<const double> hyper, const Order& order,
                                std::span<const ChangePrior> priors, const DirectionTask& task) {
  std::vector<Scored> scored(scores.size());
  for (std::size_t p = 0; p < scores.size(); ++p)
    std::move(scores[p].begin(), scores[p].end(), scored[p].structure.begin());
  if (priors[0].hidden == 0) return scored;
  const auto only_stopping = [pulse = task.pulse()](double share) {
    if (share < 1) pulse(share);  // passes are counted once
  };
  const Structures ways = pool_structures(make, 2, hyper, order, priors, task, only_stopping);
  for (std::size_t p = 0; p < scored.size(); ++p) set_hidden(scored[p], ways[p]);
  return scored;
}

/// Only tables have rows: elsewhere that weight goes to the other changes of the mechanism.
ChangePrior without_rows(ChangePrior prior) {
  const double row = std::exchange(prior.change[std::size_t(Change::row)], 0.0);
  prior.change[std::size_t(Change::mechanism)] += row / 2;
  prior.change[std::size_t(Change::hard)] += row / 2;
  return prior;
}

}  // namespace

Scorer categorical_scorer(PairCounts tables, const DirectionTask& task) {
  auto counts = std::make_shared<PairCounts>(std::move(tables));
  const FamilyCounts& shape = counts->told[0][0].second;
  const auto cell = cell_weights(shape.rows, shape.levels);
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    const auto make = [&](Structure s, double c) { return CategoricalPair(*counts, s, c); };
    Structures scores = pool_structures(make, structures, cell, order, priors, task, task.pulse());
    return with_hidden(
        std::move(scores), make, cell, order,
        without_changes(priors, {Change::cause, Change::mechanism, Change::hard, Change::row}),
        task);
  };
}

Scorer gaussian_scorer(const Dataset& data, const DirectionTask& task) {
  auto moments = std::make_shared<PairMoments>(PairMoments::of(data, task.share));
  const std::vector<double> scales = {0.01, 0.1, 1.0};
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    std::vector<ChangePrior> own;
    for (const ChangePrior& prior : priors) own.push_back(without_rows(prior));
    const auto make = [&](Structure s, double t) { return GaussianPairModel(*moments, s, t); };
    const auto noise = [&](Structure s, double t) {
      return GaussianPairModel(*moments, s, t, true);
    };
    Structures scores = pool_structures(make, structures, scales, order, own, task, task.pulse());
    return with_hidden(std::move(scores), noise, scales, order,
                       without_changes(own, {Change::cause, Change::hard}), task);
  };
}

}  // namespace whence
