#include "whence/discover/pair/pair_judge.hpp"

#include <algorithm>

#include "whence/discover/pair/pair_labels.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

PairEvidence PairEvidence::of(const Scored& scored) {
  const auto& each = scored.structure;
  return {{each[0].log_evidence, each[1].log_evidence, each[2].log_evidence}, scored.hidden};
}

PairEvidence with_weak_links(PairEvidence evidence, const LinkEvidence& link) {
  constexpr double weak_links = 0.01;  // how much of the links is weak
  constexpr double most = 12;          // nats: more would not change an answer
  auto& [forward, backward, none] = evidence.structure;
  const double seen = std::max(0.0, std::max(forward, backward) - none);
  const double overlooked = std::min(link.log_evidence - seen, most);
  const double floor = none + overlooked + std::log(weak_links);
  forward = log_add_exp(forward, floor);
  backward = log_add_exp(backward, floor);
  if (evidence.hidden > -INFINITY) evidence.hidden = log_add_exp(evidence.hidden, floor);
  return evidence;
}

PairBelief posterior(const PairEvidence& evidence, const ChangePrior& prior) {
  std::array<double, structures + 1> log_p;
  for (std::size_t s = 0; s < structures; ++s)
    log_p[s] = std::log(prior.structure[s] * (1 - prior.hidden)) + evidence.structure[s];
  log_p[structures] = std::log(prior.hidden) + evidence.hidden;
  const double total = log_sum_exp(log_p);
  PairBelief belief;
  for (std::size_t s = 0; s < structures; ++s) belief.structure[s] = std::exp(log_p[s] - total);
  belief.hidden = std::exp(log_p[structures] - total);
  return belief;
}

PairBelief capped(PairBelief belief, const LinkEvidence& link, const ChangePrior& prior) {
  double& none = belief.structure[2];
  const double others = (1 - prior.structure[2]) * (1 - prior.hidden) + prior.hidden;
  if (link.visible <= size_to_show || none <= decided_belief || others == 0) return belief;
  const double excess = none - decided_belief;
  none = decided_belief;
  for (std::size_t s = 0; s < 2; ++s)
    belief.structure[s] += excess * prior.structure[s] * (1 - prior.hidden) / others;
  belief.hidden += excess * prior.hidden / others;
  return belief;
}

std::vector<std::array<double, structures>> path_of(const Scored& scored,
                                                    const ChangePrior& prior) {
  std::vector<std::array<double, structures>> path = {prior.structure};
  for (double& p : path[0]) p *= 1 - prior.hidden;
  const auto& of = scored.structure;
  for (std::size_t e = 0; e < of[0].after.size(); ++e) {
    const double hidden = scored.hidden_after.empty() ? -INFINITY : scored.hidden_after[e];
    path.push_back(
        posterior({{of[0].after[e], of[1].after[e], of[2].after[e]}, hidden}, prior).structure);
  }
  return path;
}

PairBelief PairJudge::belief(const Scored& scored, const ChangePrior& prior) const {
  return capped(posterior(with_weak_links(PairEvidence::of(scored), link), prior), link, prior);
}

PairJudge judge_for(const Dataset& data, const DirectionTask& task, DirectionModel model) {
  const Scorer scorer =
      model == DirectionModel::categorical
          ? categorical_scorer(PairCounts::of(data, task.control.threads, task.share), task)
      : model == DirectionModel::gaussian ? gaussian_scorer(data, task)
                                          : label_scorer(data, task);
  return {scorer, link_evidence(data, task.share)};
}

}  // namespace whence
