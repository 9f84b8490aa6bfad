#include "whence/discover/limits/edge_support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "whence/belief/graph_search.hpp"
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
    return kept_.emplace_back(Kept{child, parents, left_out(child, parents.members(), regime_)})
        .scores;
  }
  /// Whether the mechanism changed there more probably than not.
  bool changed(std::size_t child, const VariableSet& parents, std::size_t e) const {
    return table_.changed(number_, child, parents)[e] > 0.5;
  }
  /// The same as of() under another regime.
  std::vector<double> under(const EnvironmentRegime& regime, std::size_t child,
                            const VariableSet& parents) const {
    return left_out(child, parents.members(), regime);
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
  std::vector<double> left_out(std::size_t child, const std::vector<std::size_t>& parents,
                               const EnvironmentRegime& regime) const {
    const FamilyScorer& scorer = table_.scorer();
    std::vector<double> scores(environments() + 1, scorer.log_score(child, parents, regime));
    for (std::size_t e = 0; e < environments(); ++e)
      if (matters_[e]) scores[e] = scorer.log_score_without(child, parents, regime, e);
    return scores;
  }

  const FamilyTable& table_;
  std::size_t number_;
  EnvironmentRegime regime_;
  std::vector<bool> matters_;  // [environment]; leaving out another one changes nothing
  std::deque<Kept> kept_;      // references stay
};

/// The four families of the two directions between two variables; both ends get all parents that
/// either has, so that without a change the two sides are equal for Gaussian noise.
struct TwoDirections {
  std::size_t from, to;
  VariableSet shared;

  TwoDirections(const Dag& dag, const EdgeFinding& edge)
      : from(edge.from), to(edge.to), shared(dag.parents(edge.from)) {
    shared |= dag.parents(to);
    shared.erase(from);
    shared.erase(to);
  }
  /// The sum over the families of from -> to less that over those of to -> from.
  template <class Score>
  auto difference(const Score& score) const {
    auto sum = score(to, shared.flipped(from));
    const auto add = [&](const auto& other, double sign) {
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += sign * other[e];
    };
    add(score(from, shared), 1);
    add(score(from, shared.flipped(to)), -1);
    add(score(to, shared), -1);
    return sum;
  }
  bool changed(const LeftOut& scores, std::size_t e) const {
    return scores.changed(to, shared.flipped(from), e) || scores.changed(from, shared, e) ||
           scores.changed(from, shared.flipped(to), e) || scores.changed(to, shared, e);
  }
};

/// What the changes alone say of from -> to against to -> from. For noise that is not Gaussian and
/// for curves the two sides differ without a change: what environments in which neither end changed
/// say together, and each of the others by itself, comes from the form of their laws, is no change
/// and is taken off.
void explain_direction(LeftOut& scores, const Dag& dag, EdgeFinding& edge) {
  const TwoDirections ways(dag, edge);
  if (scores.too_many(ways.shared.flipped(edge.from))) return;
  const std::size_t all = scores.environments();
  EnvironmentRegime form_only = quiet_regime(all);
  for (std::size_t e = 0; e < all; ++e)
    if (ways.changed(scores, e)) form_only.states[e] = EnvironmentState::all_soft;
  const std::vector<double> log_odds = ways.difference(
      [&](std::size_t child, const VariableSet& parents) { return scores.of(child, parents); });
  const std::vector<double> by_form =
      ways.difference([&](std::size_t child, const VariableSet& parents) {
        return scores.under(form_only, child, parents);
      });
  const auto by_changes = [&](std::size_t e) { return log_odds[e] - by_form[e]; };
  edge.shift_log_odds = by_changes(all);
  for (std::size_t e = 0; e < all; ++e) edge.support.push_back(by_changes(all) - by_changes(e));
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
PairWeights moved(const PairWeights& posterior, const PairWeights& with_all,
                  const PairWeights& left) {
  PairWeights weights{};
  for (std::size_t s = 0; s < weights.size(); ++s) {
    weights[s] = std::max(posterior[s] - std::exp(with_all[s]), 0.0);
    if (with_all[s] == impossible) continue;
    const double counted = std::min(with_all[s], std::log(std::max(posterior[s], resolution)));
    weights[s] += std::exp(counted + left[s] - with_all[s]);
  }
  const double sum =
      weights[Between::forward] + weights[Between::backward] + weights[Between::nothing];
  for (double& weight : weights) weight /= sum;
  return weights;
}

void explain_stability(LeftOut& scores, const Dag& dag, EdgeFinding& edge) {
  PairStates states(scores, dag, edge);
  const PairWeights with_all = states.without(scores.environments());
  const PairWeights posterior = {edge.probability, edge.adjacent_probability - edge.probability,
                                 1 - edge.adjacent_probability};
  edge.leave_one_out = {1, 0};
  for (std::size_t e = 0; e < scores.environments(); ++e) {
    const PairWeights left = moved(posterior, with_all, states.without(e));
    edge.leave_one_out[0] = std::min(edge.leave_one_out[0], left[Between::forward]);
    edge.leave_one_out[1] = std::max(edge.leave_one_out[1], left[Between::forward]);
    if (left[Between::backward] <= edge.turned) continue;
    edge.turned = left[Between::backward];
    edge.turned_without = e;
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
