// Exact marginalisation over what changed in each environment, joint over environments.
//
// Mechanisms that did not change share one unknown parameter: their environments form a pool,
// scored by the marginal likelihood of all of it. Which environments belong to which pool is summed
// over: environments are taken one after the other, every way to continue every pooling so far is
// weighed, and those that weigh nothing are dropped. The weight that is dropped is reported: while
// it is zero the sum is exact. Poolings grow fourfold per environment at first, but evidence soon
// leaves few.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

/// How far the sum goes before poolings are dropped.
struct PoolingLimits {
  std::size_t most = 24;  // poolings kept after each environment
  double least = -20.7;   // log of the relative weight below which one is dropped (1e-9)
};

struct PoolingResult {
  double log_evidence = 0;                   // log P(all environments | structure)
  std::vector<double> steps;                 // log P(environment e | those before it)
  std::vector<ChangeProbabilities> changes;  // P(what changed in e | everything)
  double log_dropped = -INFINITY;            // log of the share of weight that was dropped
};

/// `Model` scores a two-family structure (first and second: cause and effect). It has a type `Pool`
/// and a type `Growth`, what an environment would mean to a pool:
///   Growth::pooled: log P(environment e | pool)
///   Growth::row: the same with one row new, whichever it is (-infinity: no rows)
///   Pool empty_first(), empty_second()
///   Growth first_pooled(pool, e), second_pooled(pool, e)
///   Pool add_first(pool, e, growth), add_second(pool, e, growth)
///   double first_fresh(e), second_fresh(e), second_hard(e), both_fresh(e): under parameters of its
///   own
/// An environment whose mechanism changed in any way, be it one row, does not join that mechanism's
/// pool.
template <class Model>
class Pooling {
 private:
  using Pool = typename Model::Pool;
  using Growth = typename Model::Growth;
  struct Node;
  using Shared = std::shared_ptr<Node>;

 public:
  /// Pools without environments. Poolings under other priors that start from the same ones and take
  /// environments in step share every pool, and every score of one, that they have in common.
  struct Roots {
    explicit Roots(const Model& model)
        : first(std::make_shared<Node>(model.empty_first(), false)),
          second(std::make_shared<Node>(model.empty_second(), true)) {}
    Shared first, second;
  };

  /// `regimes`: how often each change happens, and how probable it is that it happens so often.
  Pooling(const Model& model, std::span<const ChangeRegime> regimes, PoolingLimits limits,
          const Roots& roots)
      : model_(model), limits_(limits) {
    for (std::size_t r = 0; r < regimes.size(); ++r) {
      ChangeProbabilities log_prior;
      for (std::size_t k = 0; k < change_kinds; ++k) log_prior[k] = std::log(regimes[r].change[k]);
      log_prior_.push_back(log_prior);
      states_.push_back({std::log(regimes[r].weight), r, roots.first, roots.second, no_history});
    }
  }
  Pooling(const Model& model, std::span<const ChangeRegime> regimes, PoolingLimits limits = {})
      : Pooling(model, regimes, limits, Roots(model)) {}

  /// Takes in environment e. A `fixed` one (a named baseline) changed nothing by definition.
  void add(std::size_t e, bool fixed) {
    weigh(e, fixed);
    prune();
    take(e);
    const double total = log_total(std::span<const State>(states_));
    result_.steps.push_back(total - result_.log_evidence);
    result_.log_evidence = total;
  }

  PoolingResult result() const {
    PoolingResult result = result_;
    result.changes.assign(result.steps.size(), ChangeProbabilities{});
    // Weights of what happened last, then of what happened before: soon all pasts are one.
    std::vector<Past> pasts, before;
    const auto add = [](std::vector<Past>& to, std::size_t history, double weight) {
      for (Past& past : to)
        if (past.history == history) return void(past.weight += weight);
      to.push_back({history, weight});
    };
    for (const State& state : states_)
      add(pasts, state.history, std::exp(state.log_weight - result.log_evidence));
    for (std::size_t e = result.steps.size(); e-- > 0;) {
      before.clear();
      for (const Past& past : pasts) {
        const History& h = histories_[past.history];
        for (std::size_t k = 0; k < change_kinds; ++k)
          result.changes[e][k] += past.weight * h.changes[k];
        add(before, h.before, past.weight);
      }
      std::swap(pasts, before);
    }
    return result;
  }

 private:
  /// A pool, and what the environment that was asked for last would mean to it.
  struct Node {
    Node(Pool p, bool s) : pool(std::move(p)), second(s) {}
    Pool pool;
    bool second;  // of which mechanism
    std::size_t asked = std::size_t(-1);
    Growth growth;
    Shared grown;
  };

  static constexpr std::size_t no_history = std::size_t(-1);
  /// What happened at one environment, and before it. Pasts are shared.
  struct History {
    ChangeProbabilities changes;
    std::size_t before, users;
  };
  struct Past {
    std::size_t history;
    double weight;
  };
  struct State {
    double log_weight;
    std::size_t regime;
    Shared first, second;
    std::size_t history;
  };

  /// Ways to continue a pooling: e leaves out the first pool, the second, or both.
  enum Way : std::size_t { joins_both = 0, not_first = 1, not_second = 2, joins_neither = 3 };

  /// One way to continue a pooling; several changes may lead to the same pools.
  struct Step {
    double log_weight;
    std::size_t number;  // 4 * state + way
    bool operator<(const Step& other) const {
      return log_weight != other.log_weight ? log_weight > other.log_weight : number < other.number;
    }
  };

  const Growth& growth(Node& node, std::size_t e) const {
    if (node.asked != e) {
      node.growth =
          node.second ? model_.second_pooled(node.pool, e) : model_.first_pooled(node.pool, e);
      node.grown.reset();
      node.asked = e;
    }
    return node.growth;
  }

  /// Log-weights of the changes that leave the first mechanism's pool with e and the second's not.
  std::array<double, 3> second_changes(const State& state, std::size_t e) const {
    const ChangeProbabilities& prior = log_prior_[state.regime];
    const double first = growth(*state.first, e).pooled;
    return {prior[std::size_t(Change::mechanism)] + (first + model_.second_fresh(e)),
            prior[std::size_t(Change::hard)] + (first + model_.second_hard(e)),
            prior[std::size_t(Change::row)] + (first + growth(*state.second, e).row)};
  }

  void weigh(std::size_t e, bool fixed) {
    steps_.clear();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      const ChangeProbabilities& prior = log_prior_[state.regime];
      const double first = growth(*state.first, e).pooled;
      const double second = growth(*state.second, e).pooled;
      const auto step = [&](std::size_t way, double log_lik) {
        steps_.push_back({state.log_weight + log_lik, 4 * i + way});
      };
      step(joins_both, (fixed ? 0.0 : prior[std::size_t(Change::nothing)]) + (first + second));
      if (fixed) continue;
      step(not_first, prior[std::size_t(Change::cause)] + (model_.first_fresh(e) + second));
      step(not_second, log_total(second_changes(state, e)));
      step(joins_neither, prior[std::size_t(Change::both)] + model_.both_fresh(e));
    }
  }

  void prune() {
    std::size_t n = std::min(steps_.size(), limits_.most);
    std::partial_sort(steps_.begin(), steps_.begin() + std::ptrdiff_t(n), steps_.end());
    while (n > 1 && steps_[n - 1].log_weight < steps_[0].log_weight + limits_.least) --n;
    if (n == steps_.size()) return;
    const double dropped = log_total(std::span<const Step>(steps_).subspan(n));
    const double kept = log_total(std::span<const Step>(steps_).first(n));
    result_.log_dropped = log_add_exp(result_.log_dropped, dropped - kept);
    steps_.resize(n);
  }

  /// The pool with environment e, built once for all poolings that use it.
  const Shared& grown(Node& node, std::size_t e) const {
    const Growth& by = growth(node, e);
    if (!node.grown)
      node.grown = std::make_shared<Node>(
          node.second ? model_.add_second(node.pool, e, by) : model_.add_first(node.pool, e, by),
          node.second);
    return node.grown;
  }

  ChangeProbabilities changes_of(const State& state, std::size_t way, std::size_t e) const {
    ChangeProbabilities p{};
    if (way != not_second) {
      constexpr std::array change = {Change::nothing, Change::cause, Change::row, Change::both};
      p[std::size_t(change[way])] = 1;
      return p;
    }
    const auto w = second_changes(state, e);
    const double total = log_total(w);
    constexpr std::array change = {Change::mechanism, Change::hard, Change::row};
    for (std::size_t k = 0; k < w.size(); ++k) p[std::size_t(change[k])] = std::exp(w[k] - total);
    return p;
  }

  void take(std::size_t e) {
    for (const Step& step : steps_) {
      const State& from = states_[step.number / 4];
      const std::size_t way = step.number % 4;
      next_.push_back({step.log_weight, from.regime,
                       way & not_first ? from.first : grown(*from.first, e),
                       way & not_second ? from.second : grown(*from.second, e),
                       remember(changes_of(from, way, e), from.history)});
    }
    for (const State& state : states_) forget(state.history);
    std::swap(states_, next_);
    next_.clear();
  }

  std::size_t remember(const ChangeProbabilities& changes, std::size_t before) {
    if (before != no_history) ++histories_[before].users;
    const History history{changes, before, 1};
    if (unused_.empty()) {
      histories_.push_back(history);
      return histories_.size() - 1;
    }
    const std::size_t at = unused_.back();
    unused_.pop_back();
    histories_[at] = history;
    return at;
  }

  void forget(std::size_t history) {
    while (history != no_history && --histories_[history].users == 0) {
      unused_.push_back(history);
      history = histories_[history].before;
    }
  }

  /// log of the sum of exp over `log_weight` of all. Terms that cannot change a bit cost nothing.
  template <class Range, class LogWeight>
  static double log_total(const Range& all, const LogWeight& log_weight) {
    constexpr double invisible = -40;  // e^-40 < 2^-57
    double top = -INFINITY, sum = 0;
    for (const auto& w : all) top = std::max(top, log_weight(w));
    if (!std::isfinite(top)) return top;
    for (const auto& w : all)
      if (const double below = log_weight(w) - top; below > invisible) sum += portable_exp(below);
    return sum == 1 ? top : top + portable_log(sum);
  }
  static double log_total(std::span<const State> all) {
    return log_total(all, [](const State& s) { return s.log_weight; });
  }
  static double log_total(std::span<const Step> all) {
    return log_total(all, [](const Step& s) { return s.log_weight; });
  }
  static double log_total(const std::array<double, 3>& all) {
    return log_total(all, [](double w) { return w; });
  }

  const Model& model_;
  PoolingLimits limits_;
  std::vector<ChangeProbabilities> log_prior_;  // [regime]
  std::vector<State> states_, next_;
  std::vector<Step> steps_;
  std::vector<History> histories_;
  std::vector<std::size_t> unused_;
  PoolingResult result_;
};

}  // namespace whence
