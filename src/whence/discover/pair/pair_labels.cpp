#include "whence/discover/pair/pair_labels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "whence/backends/threads.hpp"
#include "whence/evidence/labels/covariance_change.hpp"
#include "whence/evidence/labels/dependence_evidence.hpp"
#include "whence/evidence/labels/label_evidence.hpp"
#include "whence/math/logspace.hpp"

namespace whence {
namespace {

using Terms = std::array<double, change_kinds>;

/// What the labels say: per environment, and of the link.
struct LabelFindings {
  std::vector<LabelEvidence> evidence;
  std::vector<bool> compared;  // with others; the rest are not used
  /// Evidence that a variable depends on the other one in another way than elsewhere, in nats.
  std::array<std::vector<double>, 2> other_links;  // [variable][environment]
  double dependence = 0;
};

/// What each environment is compared with. Without a baseline: all that differ less from the rest
/// than it does. The first of these is compared with nothing.
std::vector<std::vector<std::size_t>> references_of(const Dataset& data,
                                                    const DirectionTask& task) {
  const std::size_t n = data.environments.size();
  std::vector<std::vector<std::size_t>> references(n);
  if (task.baseline) {
    for (std::size_t e = 0; e < n; ++e)
      if (task.baseline != e) references[e] = {*task.baseline};
    return references;
  }
  std::vector<double> apart(n, 0.0);
  const auto measure = [&](std::size_t e) {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < n; ++other)
      if (other != e) others.push_back(other);
    apart[e] = marginal_difference(data, e, others, task.share);
  };
  const auto only_stopping = [pulse = task.pulse()](double share) {
    if (share < 1) pulse(share);  // passes are counted once
  };
  if (n > 2) parallel_for(n, task.control.threads, measure, only_stopping);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return apart[a] < apart[b]; });
  for (std::size_t i = 1; i < n; ++i)
    references[order[i]].assign(order.begin(), order.begin() + std::ptrdiff_t(i));
  return references;
}

LabelFindings label_findings(const Dataset& data, const DirectionTask& task) {
  const std::size_t n = data.environments.size();
  const auto references = references_of(data, task);
  const std::size_t memory = task.max_memory / std::size_t(std::max(task.control.threads, 1));
  LabelFindings found;
  found.evidence.resize(n);
  found.compared.assign(n, false);
  for (auto& links : found.other_links) links.assign(n, 0.0);
  for (std::size_t e = 0; e < n; ++e) found.compared[e] = !references[e].empty();
  const auto weigh = [&](std::size_t e) {
    if (!found.compared[e]) return;
    found.evidence[e] = label_evidence(data, e, references[e], memory, task.share);
    for (std::size_t v = 0; v < 2 && task.prior.hidden > 0; ++v)
      found.other_links[v][e] = changed_covariance(data, v, e, references[e], task.share);
  };
  parallel_for(n, task.control.threads, weigh, task.pulse());
  found.dependence = dependence_evidence(data, task.share);
  return found;
}

/// One environment's log-likelihoods under a structure, relative to "nothing changed".
Terms label_terms(const LabelEvidence& d, Structure structure) {
  const double first = structure == Structure::backward ? d.v : d.u;
  const double second = structure == Structure::backward ? d.u : d.v;
  Terms terms;
  terms.fill(-INFINITY);
  const bool link = structure != Structure::no_link;
  terms[std::size_t(Change::nothing)] = 0;
  terms[std::size_t(Change::cause)] = first;
  terms[std::size_t(Change::mechanism)] = link ? d.both - first : second;
  terms[std::size_t(Change::both)] = link ? d.both : d.apart;
  return terms;
}

/// The variables whose own noise may shift beside something hidden.
struct Shifting {
  bool first, second;
};

/// Something hidden moves both: a variable's own noise may shift, and the link stays as it is; or
/// everything shifts.
Terms hidden_terms(const LabelFindings& found, std::size_t e, Shifting may) {
  const LabelEvidence& d = found.evidence[e];
  Terms terms;
  terms.fill(-INFINITY);
  terms[std::size_t(Change::nothing)] = 0;
  // The law of one variable given the other, whose own law is unchanged.
  if (may.first) terms[std::size_t(Change::cause)] = d.both - d.v - found.other_links[0][e];
  if (may.second) terms[std::size_t(Change::mechanism)] = d.both - d.u - found.other_links[1][e];
  terms[std::size_t(Change::both)] = d.both;
  return terms;
}

/// Labels do not show how a mechanism changed: the weights of all kinds are added.
ChangePrior one_kind_of_mechanism(ChangePrior prior) {
  for (const Change kind : {Change::hard, Change::row})
    prior.change[std::size_t(Change::mechanism)] +=
        std::exchange(prior.change[std::size_t(kind)], 0.0);
  return prior;
}

/// A structure over all environments: regimes compete, as in Pooling.
template <class TermsOf>
StructureScore score_labels(const TermsOf& terms_of, const std::vector<bool>& compared,
                            const Order& order, const std::array<ChangeRegime, 3>& regimes) {
  std::vector<double> log_weight;
  for (const ChangeRegime& r : regimes) log_weight.push_back(std::log(r.weight));
  // [regime][environment]
  std::vector<std::vector<ChangeProbabilities>> changes(regimes.size());
  StructureScore score;
  double before = log_sum_exp(log_weight);
  for (std::size_t e : order.environments) {
    const Terms terms = terms_of(e);
    for (std::size_t r = 0; r < regimes.size(); ++r) {
      ChangeProbabilities p{};
      p[std::size_t(Change::nothing)] = 1;
      if (compared[e]) {
        for (std::size_t k = 0; k < change_kinds; ++k)
          p[k] = std::log(regimes[r].change[k]) + terms[k];
        const double total = log_sum_exp(p);
        for (double& x : p) x = std::exp(x - total);
        log_weight[r] += total;
      }
      changes[r].push_back(p);
    }
    const double after = log_sum_exp(log_weight);
    score.steps.push_back(after - before);
    score.after.push_back(after);
    before = after;
  }
  score.log_evidence = before;
  score.changes.assign(order.environments.size(), ChangeProbabilities{});
  for (std::size_t r = 0; r < regimes.size(); ++r)
    for (std::size_t i = 0; i < score.changes.size(); ++i)
      for (std::size_t k = 0; k < change_kinds; ++k)
        score.changes[i][k] += std::exp(log_weight[r] - before) * changes[r][i][k];
  return score;
}

void add_dependence(StructureScore& score, double dependence) {
  score.log_evidence += dependence;
  for (double& after : score.after) after += dependence;
}

StructureScore score_structure(const LabelFindings& found, Structure structure, const Order& order,
                               const ChangePrior& prior) {
  const auto terms = [&](std::size_t e) { return label_terms(found.evidence[e], structure); };
  StructureScore score = score_labels(terms, found.compared, order, prior.regimes(structure));
  if (structure != Structure::no_link) add_dependence(score, found.dependence);
  return score;
}

/// One of the ways in which something hidden leaves single shifts. One variable alone shifts with
/// the weight that the mechanism of an effect has, so that the two score alike.
StructureScore score_hidden(const LabelFindings& found, Shifting may, const Order& order,
                            ChangePrior prior) {
  double& cause = prior.change[std::size_t(Change::cause)];
  double& mechanism = prior.change[std::size_t(Change::mechanism)];
  cause = may.first&& may.second ? mechanism = (cause + mechanism) / 2 : mechanism;
  const auto terms = [&](std::size_t e) { return hidden_terms(found, e, may); };
  StructureScore score =
      score_labels(terms, found.compared, order, prior.regimes(Structure::forward));
  add_dependence(score, found.dependence);
  return score;
}

Scored score_prior(const LabelFindings& found, const Order& order, const ChangePrior& given) {
  const ChangePrior prior = one_kind_of_mechanism(given);
  Scored scored;
  for (std::size_t s = 0; s < structures; ++s)
    scored.structure[s] = score_structure(found, Structure(s), order, prior);
  if (prior.hidden == 0) return scored;
  std::vector<StructureScore> ways;
  for (const Shifting may : {Shifting{true, false}, {false, true}, {true, true}})
    ways.push_back(score_hidden(found, may, order, prior));
  set_hidden(scored, ways);
  return scored;
}

}  // namespace

Scorer label_scorer(const Dataset& data, const DirectionTask& task) {
  const auto found = std::make_shared<const LabelFindings>(label_findings(data, task));
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    std::vector<Scored> scored;
    for (const ChangePrior& prior : priors) scored.push_back(score_prior(*found, order, prior));
    return scored;
  };
}

}  // namespace whence
