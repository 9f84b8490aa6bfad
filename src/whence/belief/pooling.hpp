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
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
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

/// `Model` scores a two-family structure (first and second: cause and effect) and has a type
/// `Pool`:
///   Pool empty_first(), empty_second();
///   double first_pooled(pool, e): log P(environment e | pool)
///   std::pair<double, double> second_pooled(pool, e): the same, and with one row new, whichever it
///   is
///     (-infinity where the mechanism has no rows)
///   double first_fresh(e), second_fresh(e), second_hard(e), both_fresh(e): under parameters of its
///   own Pool add_first(pool, e), add_second(pool, e)
/// An environment whose mechanism changed in any way, be it one row, does not join that mechanism's
/// pool.
template <class Model>
class Pooling {
 public:
  /// `regimes`: how often each change happens, and how probable it is that it happens so often.
  Pooling(const Model& model, std::span<const ChangeRegime> regimes, PoolingLimits limits = {})
      : model_(model), limits_(limits) {
    const auto first = std::make_shared<const Pool>(model.empty_first());
    const auto second = std::make_shared<const Pool>(model.empty_second());
    for (std::size_t r = 0; r < regimes.size(); ++r) {
      LogWeights log_prior;
      for (std::size_t k = 0; k < change_kinds; ++k) log_prior[k] = std::log(regimes[r].change[k]);
      log_prior_.push_back(log_prior);
      states_.push_back({std::log(regimes[r].weight), r, first, second, nullptr});
    }
  }

  /// Takes in environment e. A `fixed` one (a named baseline) changed nothing by definition.
  void add(std::size_t e, bool fixed) {
    std::vector<Step> steps;
    weigh(e, fixed, steps);
    prune(steps);
    take(e, steps);
    const double total = log_total();
    result_.steps.push_back(total - result_.log_evidence);
    result_.log_evidence = total;
  }

  PoolingResult result() const {
    PoolingResult result = result_;
    result.changes.assign(result.steps.size(), ChangeProbabilities{});
    for (const State& state : states_) {
      const double weight = std::exp(state.log_weight - result.log_evidence);
      std::size_t e = result.steps.size();
      for (const History* h = state.history.get(); h; h = h->before.get()) {
        --e;
        for (std::size_t k = 0; k < change_kinds; ++k)
          result.changes[e][k] += weight * h->changes[k];
      }
    }
    return result;
  }

 private:
  using Pool = typename Model::Pool;
  using Shared = std::shared_ptr<const Pool>;
  using LogWeights = std::array<double, change_kinds>;

  struct History {
    ChangeProbabilities changes;
    std::shared_ptr<const History> before;
  };
  struct State {
    double log_weight;
    std::size_t regime;
    Shared first, second;
    std::shared_ptr<const History> history;
  };

  /// One way to continue a pooling; several changes may lead to the same pools.
  struct Step {
    double log_weight;
    std::size_t from;
    bool add_first, add_second;
    LogWeights by_change;
  };

  /// What has been computed for a pool at this environment: poolings share pools.
  struct Known {
    const Pool* pool;
    double pooled = 0, row = -INFINITY;
    Shared grown;
  };

  Known& known_first(const Pool* pool, std::size_t e) {
    for (Known& k : known_first_)
      if (k.pool == pool) return k;
    return known_first_.emplace_back(
        Known{pool, model_.first_pooled(*pool, e), -INFINITY, nullptr});
  }

  Known& known_second(const Pool* pool, std::size_t e) {
    for (Known& k : known_second_)
      if (k.pool == pool) return k;
    const auto [pooled, row] = model_.second_pooled(*pool, e);
    return known_second_.emplace_back(Known{pool, pooled, row, nullptr});
  }

  void weigh(std::size_t e, bool fixed, std::vector<Step>& steps) {
    known_first_.clear();
    known_second_.clear();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const double first = known_first(states_[i].first.get(), e).pooled;
      const Known& second = known_second(states_[i].second.get(), e);
      const auto step = [&](bool add_first, bool add_second,
                            std::initializer_list<std::pair<Change, double>> terms) {
        LogWeights w;
        w.fill(-INFINITY);
        for (const auto& [change, log_lik] : terms)
          w[std::size_t(change)] =
              (fixed ? 0 : log_prior_[states_[i].regime][std::size_t(change)]) + log_lik;
        steps.push_back({states_[i].log_weight + log_sum_exp(w), i, add_first, add_second, w});
      };
      step(true, true, {{Change::nothing, first + second.pooled}});
      if (fixed) continue;
      step(false, true, {{Change::cause, model_.first_fresh(e) + second.pooled}});
      step(true, false,
           {{Change::mechanism, first + model_.second_fresh(e)},
            {Change::hard, first + model_.second_hard(e)},
            {Change::row, first + second.row}});
      step(false, false, {{Change::both, model_.both_fresh(e)}});
    }
  }

  void prune(std::vector<Step>& steps) {
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.log_weight > b.log_weight; });
    std::size_t n = std::min(steps.size(), limits_.most);
    while (n > 1 && steps[n - 1].log_weight < steps[0].log_weight + limits_.least) --n;
    std::vector<double> kept, dropped;
    for (std::size_t i = 0; i < steps.size(); ++i)
      (i < n ? kept : dropped).push_back(steps[i].log_weight);
    if (!dropped.empty())
      result_.log_dropped =
          log_add_exp(result_.log_dropped, log_sum_exp(dropped) - log_sum_exp(kept));
    steps.erase(steps.begin() + std::ptrdiff_t(n), steps.end());
  }

  /// The pool with environment e, built once however many poolings want it.
  Shared grown_first(const Shared& pool, std::size_t e) {
    Known& k = known_first(pool.get(), e);
    if (!k.grown) k.grown = std::make_shared<const Pool>(model_.add_first(*pool, e));
    return k.grown;
  }
  Shared grown_second(const Shared& pool, std::size_t e) {
    Known& k = known_second(pool.get(), e);
    if (!k.grown) k.grown = std::make_shared<const Pool>(model_.add_second(*pool, e));
    return k.grown;
  }

  void take(std::size_t e, const std::vector<Step>& steps) {
    std::vector<State> next;
    for (const Step& step : steps) {
      const State& from = states_[step.from];
      auto history = std::make_shared<History>();
      const double total = log_sum_exp(step.by_change);
      for (std::size_t k = 0; k < change_kinds; ++k)
        history->changes[k] = std::exp(step.by_change[k] - total);
      history->before = from.history;
      next.push_back(
          {step.log_weight, from.regime, step.add_first ? grown_first(from.first, e) : from.first,
           step.add_second ? grown_second(from.second, e) : from.second, std::move(history)});
    }
    states_ = std::move(next);
  }

  double log_total() const {
    std::vector<double> weights;
    for (const State& state : states_) weights.push_back(state.log_weight);
    return log_sum_exp(weights);
  }

  const Model& model_;
  PoolingLimits limits_;
  std::vector<LogWeights> log_prior_;  // [regime]
  std::vector<State> states_;
  std::vector<Known> known_first_, known_second_;
  PoolingResult result_;
};

}  // namespace whence
