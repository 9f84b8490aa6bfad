#include "whence/discover/graph/edge_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "whence/belief/pair_weights.hpp"

namespace whence {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Scores of families with each environment left out, computed once.
class LeftOut {
 public:
  LeftOut(const FamilyTable& table, std::size_t regime, std::vector<bool> matters)
      : table_(table),
        number_(regime),
        regime_(table.regime(regime)),
        matters_(std::move(matters)) {}

  std::size_t environments() const { return table_.scorer().environments(); }
  bool too_many(const VariableSet& parents) const {
    return parents.size() > table_.scorer().max_parents();
  }
  /// log P(child's column | parents'), [environment left out]; the last: none is.
  const std::vector<double>& of(std::size_t child, const VariableSet& parents) {
    for (const Kept& one : kept_)
      if (one.child == child && one.parents == parents) return one.scores;
    const std::vector<std::size_t> members = parents.members();
    std::vector<double> scores;
    const double with_all = table_.scorer().log_score(child, members, regime_);
    for (std::size_t e = 0; e < environments(); ++e)
      scores.push_back(matters_[e] ? table_.scorer().log_score_without(child, members, regime_, e)
                                   : with_all);
    scores.push_back(with_all);
    return kept_.emplace_back(Kept{child, parents, std::move(scores)}).scores;
  }
  /// The same of one environment by itself, whatever the others are.
  double alone(std::size_t child, const VariableSet& parents, std::size_t e) const {
    return table_.scorer().log_redrawn(child, parents.members(), e, EnvironmentState::all_soft);
  }
  bool matters(std::size_t e) const { return matters_[e]; }
  /// What the table adds to a score: the prior of the parent set, and what is known of edges.
  double prior(std::size_t child, const VariableSet& parents) {
    return table_.score(number_, child, parents) - of(child, parents).back();
  }

 private:
  struct Kept {
    std::size_t child;
    VariableSet parents;
    std::vector<double> scores;
  };
  const FamilyTable& table_;
  std::size_t number_;
  EnvironmentRegime regime_;
  std::vector<bool> matters_;  // [environment]; leaving out another one changes nothing
  std::deque<Kept> kept_;      // references stay
};

/// What the changes alone say of from -> to against to -> from: both ends get all parents that
/// either has, so that without a change the two sides are equal for Gaussian noise. For other noise
/// and for curves they are not: what each environment says by itself, by the form of its law, is no
/// change and is taken off.
void explain_direction(LeftOut& scores, const Dag& dag, EdgeFinding& edge) {
  VariableSet shared = dag.parents(edge.from);
  shared |= dag.parents(edge.to);
  shared.erase(edge.from);
  shared.erase(edge.to);
  if (scores.too_many(shared.flipped(edge.from))) return;
  const auto& effect = scores.of(edge.to, shared.flipped(edge.from));
  const auto& cause = scores.of(edge.from, shared);
  const auto& turned_effect = scores.of(edge.from, shared.flipped(edge.to));
  const auto& turned_cause = scores.of(edge.to, shared);
  const auto log_odds = [&](std::size_t e) {
    return effect[e] + cause[e] - turned_effect[e] - turned_cause[e];
  };
  const auto by_form = [&](std::size_t e) {
    return scores.alone(edge.to, shared.flipped(edge.from), e) +
           scores.alone(edge.from, shared, e) -
           scores.alone(edge.from, shared.flipped(edge.to), e) - scores.alone(edge.to, shared, e);
  };
  const double all = log_odds(scores.environments());
  edge.shift_log_odds = all;
  for (std::size_t e = 0; e < scores.environments(); ++e) {
    const double form = scores.matters(e) ? by_form(e) : 0;
    edge.support.push_back(all - log_odds(e) - form);
    edge.shift_log_odds -= form;
  }
}

/// The three things that can be between two variables when the rest of the graph stays as it is.
class PairStates {
 public:
  PairStates(LeftOut& scores, const Dag& dag, const EdgeFinding& edge)
      : scores_(scores), from_(edge.from), to_(edge.to) {
    Dag rest = dag;
    VariableSet of_from = dag.parents(from_), of_to = dag.parents(to_);
    of_from.erase(to_);
    of_to.erase(from_);
    rest.set_parents(from_, of_from);
    rest.set_parents(to_, of_to);
    rest.update();
    parents_[Between::nothing] = {of_from, of_to};
    parents_[Between::forward] = {of_from, of_to.flipped(from_)};
    parents_[Between::backward] = {of_from.flipped(to_), of_to};
    possible_[Between::nothing] = true;
    possible_[Between::forward] =
        !rest.closes_cycle(from_, to_) && !scores.too_many(parents_[Between::forward].of_to);
    possible_[Between::backward] =
        !rest.closes_cycle(to_, from_) && !scores.too_many(parents_[Between::backward].of_from);
  }

  /// Their log-probabilities with an environment left out; environments(): with all.
  PairWeights without(std::size_t e) {
    PairWeights logs{};
    for (std::size_t s = 0; s < logs.size(); ++s)
      logs[s] = possible_[s]
                    ? weight(from_, parents_[s].of_from, e) + weight(to_, parents_[s].of_to, e)
                    : impossible;
    return normalised(logs);
  }

 private:
  struct Parents {
    VariableSet of_from, of_to;
  };
  double weight(std::size_t child, const VariableSet& parents, std::size_t e) {
    return scores_.of(child, parents)[e] + scores_.prior(child, parents);
  }

  LeftOut& scores_;
  std::size_t from_, to_;
  std::array<Parents, 3> parents_;
  std::array<bool, 3> possible_{};
};

/// What chains can count: of a state less probable than this they may have seen nothing.
constexpr double resolution = 1e-3;

/// Of the posterior of each state, what comes from the best graph is moved by what the environment
/// says about this pair there; what comes from other graphs stays.
double moved(const PairWeights& posterior, const PairWeights& with_all, const PairWeights& left) {
  PairWeights weights{};
  for (std::size_t s = 0; s < weights.size(); ++s) {
    weights[s] = std::max(posterior[s] - std::exp(with_all[s]), 0.0);
    if (with_all[s] == impossible) continue;
    const double counted = std::min(with_all[s], std::log(std::max(posterior[s], resolution)));
    weights[s] += std::exp(counted + left[s] - with_all[s]);
  }
  return weights[Between::forward] /
         (weights[Between::forward] + weights[Between::backward] + weights[Between::nothing]);
}

void explain_stability(LeftOut& scores, const Dag& dag, EdgeFinding& edge) {
  PairStates states(scores, dag, edge);
  const PairWeights with_all = states.without(scores.environments());
  const PairWeights posterior = {edge.probability, edge.adjacent_probability - edge.probability,
                                 1 - edge.adjacent_probability};
  edge.leave_one_out = {1, 0};
  for (std::size_t e = 0; e < scores.environments(); ++e) {
    const double p = moved(posterior, with_all, states.without(e));
    edge.leave_one_out[0] = std::min(edge.leave_one_out[0], p);
    edge.leave_one_out[1] = std::max(edge.leave_one_out[1], p);
  }
}

}  // namespace

namespace {

/// Environments whose rows may say something of the edge's direction. Of many variables only those
/// are left out in turn in which one of its ends changed, or everything did.
std::vector<bool> that_matter(const FamilyTable& table, const GraphDraw& best,
                              const EdgeFinding& edge) {
  constexpr double hardly = 1e-3;
  std::vector<bool> matters(table.scorer().environments(), true);
  if (!table.restricted()) return matters;
  const EnvironmentRegime regime = table.regime(best.regime);
  const auto& from = table.changed(best.regime, edge.from, best.dag.parents(edge.from));
  const auto& to = table.changed(best.regime, edge.to, best.dag.parents(edge.to));
  for (std::size_t e = 0; e < matters.size(); ++e)
    matters[e] = from[e] + to[e] > hardly || regime.states[e] != EnvironmentState::sparse;
  return matters;
}

}  // namespace

void explain_edge(const FamilyTable& table, const GraphDraw& best, EdgeFinding& edge) {
  LeftOut scores(table, best.regime, that_matter(table, best, edge));
  explain_direction(scores, best.dag, edge);
  if (!edge.support.empty()) explain_stability(scores, best.dag, edge);
}

}  // namespace whence
