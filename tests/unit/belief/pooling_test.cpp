// The sum over what changed, against brute force.
#include "whence/belief/pooling.hpp"

#include <gtest/gtest.h>

#include "whence/discover/pair/pair_models.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

std::vector<FamilyCounts> random_tables(std::size_t environments, std::size_t x, std::size_t y,
                                        std::uint32_t run) {
  Stream stream(5, Purpose::tests, {run, 0, 0});
  std::vector<FamilyCounts> tables;
  for (std::size_t e = 0; e < environments; ++e) {
    FamilyCounts table(x, y);
    for (double& cell : table.cells) cell = sample_index(stream, 9);
    tables.push_back(std::move(table));
  }
  return tables;
}

/// Every combination of changes, one environment after the other, nothing shared, nothing dropped.
class BruteForce {
 public:
  BruteForce(const CategoricalPair& model, std::size_t environments,
             std::span<const ChangeRegime> regimes)
      : model_(model), environments_(environments) {
    for (const ChangeRegime& regime : regimes) {
      regime_ = &regime;
      walk(0, std::log(regime.weight), model.empty_first(), model.empty_second(), {});
    }
  }
  double log_evidence() const { return log_sum_exp(weights_); }
  ChangeProbabilities changes(std::size_t e) const {
    ChangeProbabilities p{};
    const double total = log_evidence();
    for (std::size_t i = 0; i < weights_.size(); ++i)
      p[std::size_t(paths_[i][e])] += std::exp(weights_[i] - total);
    return p;
  }

 private:
  using Pool = CategoricalPair::Pool;
  void walk(std::size_t e, double weight, const Pool& first, const Pool& second,
            std::vector<Change> path) {
    if (e == environments_) {
      weights_.push_back(weight);
      paths_.push_back(path);
      return;
    }
    const auto first_growth = model_.first_pooled(first, e);
    const auto second_growth = model_.second_pooled(second, e);
    const double a = first_growth.pooled, b = second_growth.pooled;
    const auto go = [&](Change change, double log_lik, bool add_first, bool add_second) {
      auto next = path;
      next.push_back(change);
      walk(e + 1, weight + std::log(regime_->change[std::size_t(change)]) + log_lik,
           add_first ? model_.add_first(first, e, first_growth) : first,
           add_second ? model_.add_second(second, e, second_growth) : second, next);
    };
    go(Change::nothing, a + b, true, true);
    go(Change::cause, model_.first_fresh(e) + b, false, true);
    go(Change::mechanism, a + model_.second_fresh(e), true, false);
    go(Change::hard, a + model_.second_hard(e), true, false);
    go(Change::row, a + second_growth.row, true, false);
    go(Change::both, model_.both_fresh(e), false, false);
  }

  const CategoricalPair& model_;
  std::size_t environments_;
  const ChangeRegime* regime_ = nullptr;
  std::vector<double> weights_;
  std::vector<std::vector<Change>> paths_;
};

TEST(Pooling, EqualsTheSumOverEveryCombination) {
  for (std::uint32_t run = 0; run < 5; ++run) {
    const PairCounts counts = PairCounts::of(random_tables(4, 2, 3, run));
    for (Structure structure : {Structure::forward, Structure::backward}) {
      const CategoricalPair model(counts, structure, 0.5);
      const auto regimes = ChangePrior{}.regimes(structure);
      Pooling pooling(model, regimes, {.most = 100000, .least = -1000});
      for (std::size_t e = 0; e < 4; ++e) pooling.add(e, false);
      const PoolingResult result = pooling.result();
      const BruteForce brute(model, 4, regimes);
      EXPECT_NEAR(result.log_evidence, brute.log_evidence(), 1e-9);
      EXPECT_EQ(result.log_dropped, -INFINITY);
      for (std::size_t e = 0; e < 4; ++e) {
        const ChangeProbabilities expected = brute.changes(e);
        for (std::size_t k = 0; k < change_kinds; ++k)
          EXPECT_NEAR(result.changes[e][k], expected[k], 1e-9);
      }
    }
  }
}

TEST(Pooling, SaysHowMuchItDropped) {
  const PairCounts counts = PairCounts::of(random_tables(4, 2, 3, 7));
  const CategoricalPair model(counts, Structure::forward, 0.5);
  const auto regimes = ChangePrior{}.regimes(Structure::forward);
  const auto run = [&](PoolingLimits limits) {
    Pooling pooling(model, regimes, limits);
    for (std::size_t e = 0; e < 4; ++e) pooling.add(e, false);
    return pooling.result();
  };
  const PoolingResult whole = run({.most = 100000, .least = -1000});
  const PoolingResult cut = run({.most = 4, .least = -1000});
  EXPECT_GT(cut.log_dropped, -INFINITY);
  EXPECT_LT(cut.log_evidence, whole.log_evidence);
  // What was kept and what was dropped make the whole, to the bound that the shares give.
  EXPECT_GE(cut.log_evidence + std::exp(cut.log_dropped) * 1.5, whole.log_evidence);
}

TEST(Pooling, StepsAddUpToTheEvidence) {
  const PairCounts counts = PairCounts::of(random_tables(6, 3, 2, 1));
  const CategoricalPair model(counts, Structure::backward, 1.0);
  Pooling pooling(model, ChangePrior{}.regimes(Structure::backward));
  for (std::size_t e = 0; e < 6; ++e) pooling.add(e, e == 0);
  const PoolingResult result = pooling.result();
  double sum = 0;
  for (double step : result.steps) sum += step;
  EXPECT_NEAR(sum, result.log_evidence, 1e-9);
  EXPECT_NEAR(result.changes[0][std::size_t(Change::nothing)], 1, 1e-12);  // the baseline
}

TEST(Pooling, InStepWithOthersItHasTheBitsOfOneAlone) {
  const PairCounts counts = PairCounts::of(random_tables(8, 3, 3, 2));
  const CategoricalPair model(counts, Structure::forward, 0.5);
  ChangePrior quiet;
  quiet.quiet = 0.6;
  const std::array regimes = {ChangePrior{}.regimes(Structure::forward),
                              quiet.regimes(Structure::forward)};
  const Pooling<CategoricalPair>::Roots roots(model);
  std::vector<Pooling<CategoricalPair>> together;
  for (const auto& own : regimes) together.emplace_back(model, own, PoolingLimits{}, roots);
  for (std::size_t e = 0; e < 8; ++e)
    for (auto& pooling : together) pooling.add(e, e == 0);
  for (std::size_t i = 0; i < 2; ++i) {
    Pooling alone(model, regimes[i]);
    for (std::size_t e = 0; e < 8; ++e) alone.add(e, e == 0);
    EXPECT_EQ(together[i].result().log_evidence, alone.result().log_evidence);
    EXPECT_EQ(together[i].result().steps, alone.result().steps);
    EXPECT_EQ(together[i].result().changes, alone.result().changes);
  }
}

TEST(ChangePrior, RegimesSumToOne) {
  for (Structure structure : {Structure::forward, Structure::backward, Structure::no_link}) {
    double weights = 0;
    for (const ChangeRegime& regime : ChangePrior{}.regimes(structure)) {
      weights += regime.weight;
      double sum = 0;
      for (double w : regime.change) sum += w;
      EXPECT_NEAR(sum, 1, 1e-15);
    }
    EXPECT_NEAR(weights, 1, 1e-15);
  }
}

TEST(ChangePrior, RegimesAreAsQuietAndAsTurbulentAsDocumented) {
  for (Structure structure : {Structure::forward, Structure::backward, Structure::no_link}) {
    const auto regimes = ChangePrior{}.regimes(structure);
    EXPECT_EQ(regimes[1].change[std::size_t(Change::nothing)], 0.95);
    EXPECT_EQ(regimes[2].change[std::size_t(Change::both)], 0.95);
    EXPECT_EQ(regimes[1].weight, 0.2);
    EXPECT_EQ(regimes[2].weight, 0.2);
  }
}

}  // namespace
}  // namespace whence
