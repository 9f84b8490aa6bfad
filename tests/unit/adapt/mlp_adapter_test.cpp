// The fast kernel: what the reference computes, on every instruction set with the same bits.
#include "whence/adapt/mlp_adapter.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/optimizers.hpp"
#include "tests/support/simd.hpp"
#include "whence/backends/backend.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

using namespace support;

struct Case {
  std::vector<int> levels;
  int hidden;
  std::vector<bool> mask;
};
const std::vector<Case> cases = {{{10, 10}, 8, {true}},
                                 {{10, 10}, 8, {false}},
                                 {{3, 2, 5}, 13, {true, true}},
                                 {{3, 2, 5}, 13, {false, true}},
                                 {{100, 100}, 24, {true}}};

std::vector<Module> modules_of(const Case& c, Activation activation) {
  CategoricalMlp<double> mlp = random_mlp(c.levels, c.hidden, activation, 21);
  mlp.set_mask(c.mask);
  return {{first_given_rest(c.levels.size()), mlp}};
}

std::vector<Episode> episodes(std::size_t count, int steps, int batch) {
  std::vector<Episode> list;
  for (std::size_t e = 0; e < count; ++e)
    list.push_back({e * std::size_t(steps * batch), steps, batch});
  return list;
}

std::vector<double> flat(const Scores& scores) {
  std::vector<double> all;
  for (std::size_t e = 0; e < scores.episodes(); ++e)
    for (std::size_t f = 0; f < scores.families(); ++f)
      for (double s : scores.of(EpisodeId(e), FamilyId(f))) all.push_back(s);
  return all;
}

TEST(MlpAdapter, AgreesWithTheReference) {
  for (const Case& c : cases)
    for (Activation activation : all_activations)
      for (const NamedOptimizer& optimizer : all_optimizers())
        for (bool reset : {true, false}) {
          OptimizerSpec small = optimizer.spec;
          small.learning_rate /= 10;
          const Dataset data = random_rows(c.levels, 2 * 4 * 12, 1);
          const auto modules = modules_of(c, activation);
          const auto list = episodes(2, 4, 12);
          const auto fast = flat(cpu_backend()->score(data, list, modules, {small, reset}));
          const auto exact = flat(reference_backend()->score(data, list, modules, {small, reset}));
          for (std::size_t i = 0; i < fast.size(); ++i)
            EXPECT_NEAR(fast[i], exact[i], 1e-11 * std::max(1.0, std::abs(exact[i])))
                << optimizer.name << ", " << name_of(activation) << ", " << c.levels[0];
          const auto other = flat(reference_backend()->score(data, list, modules, {small, !reset}));
          EXPECT_GT(std::abs(fast.back() - other.back()), 1e-9) << "planted: a leak is seen";
        }
}

TEST(MlpAdapter, GivesTheSameBitsOnEveryInstructionSet) {
  for (const Case& c : cases)
    for (Activation activation : all_activations)
      for (const NamedOptimizer& optimizer : all_optimizers()) {
        const Dataset data = random_rows(c.levels, 3 * 2 * 12, 2);
        const auto modules = modules_of(c, activation);
        std::vector<double> first;
        for_each_simd_target([&](const std::string& target) {
          const auto scores =
              flat(cpu_backend()->score(data, episodes(2, 3, 12), modules, {optimizer.spec, true}));
          if (first.empty()) first = scores;
          EXPECT_TRUE(same_bits(first, scores)) << target << ", " << optimizer.name;
        });
      }
}

TEST(MlpAdapter, AMaskedParentChangesNoBit) {
  const Case c{{6, 5, 4}, 9, {true, false}};
  const auto modules = modules_of(c, Activation::relu);
  Dataset data = random_rows(c.levels, 60, 3);
  const auto before =
      flat(cpu_backend()->score(data, episodes(3, 4, 5), modules, {{.learning_rate = 0.1}, true}));
  for (auto& level : data.columns[2].levels) level = 3 - level;
  EXPECT_TRUE(same_bits(before, flat(cpu_backend()->score(data, episodes(3, 4, 5), modules,
                                                          {{.learning_rate = 0.1}, true}))));
  for (auto& level : data.columns[1].levels) level = 4 - level;  // planted: an open one does
  EXPECT_FALSE(same_bits(before, flat(cpu_backend()->score(data, episodes(3, 4, 5), modules,
                                                           {{.learning_rate = 0.1}, true}))));
}

TEST(MlpAdapter, CarryingMomentumOverChangesTheNextEpisode) {
  const Case c{{4, 4}, 8, {true}};
  const CategoricalMlp<double> mlp = random_mlp(c.levels, c.hidden, Activation::relu, 3);
  const MlpPlan plan(mlp);
  const Dataset data = random_rows(c.levels, 20, 4);
  const Family family = first_given_rest(2);
  const OptimizerSpec momentum{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true};
  const auto episode = [&](MlpScratch& scratch) {
    std::vector<double> scores(4);
    adapt_mlp(plan, mlp.mask(), momentum, data, family, {0, 4, 5}, scratch, scores, true);
    return scores;
  };
  MlpScratch scratch;
  scratch.restart(plan);
  const auto first = episode(scratch);
  scratch.restart(plan);
  EXPECT_TRUE(same_bits(first, episode(scratch)));
  scratch.restore_parameters(plan);
  const auto carried = episode(scratch);
  EXPECT_TRUE(same_bits(first[0], carried[0])) << "parameters are back";
  EXPECT_NE(first[1], carried[1]) << "the momentum is not";
}

TEST(MlpAdapter, WhatWasLearntComesBackAsAMechanism) {
  const CategoricalMlp<double> start = random_mlp({3, 5}, 6, Activation::tanh, 9);
  const MlpPlan plan(start);
  const Dataset data = random_rows({3, 5}, 40, 5);
  const Family family = first_given_rest(2);
  MlpScratch scratch;
  scratch.restart(plan);
  EXPECT_TRUE(same_bits(learnt(start, scratch).parameters(), start.parameters()));
  std::vector<double> scores(4);
  adapt_mlp(plan, start.mask(), {.learning_rate = 0.3}, data, family, {0, 4, 10}, scratch, scores,
            true);
  CategoricalMlp<double> exact = start;
  Optimizer<double> optimizer({.learning_rate = 0.3}, exact.parameters().size());
  adapt(exact, optimizer, data, family, {0, 4, 10}, std::span<double>(scores));
  const CategoricalMlp<double> fast = learnt(start, scratch);
  for (std::size_t i = 0; i < exact.parameters().size(); ++i)
    EXPECT_NEAR(fast.parameters()[i], exact.parameters()[i], 1e-12);
}

TEST(MlpAdapter, NotANumberIsReportedWithItsStep) {  // N14
  const Case c{{3, 3}, 4, {true}};
  auto modules = modules_of(c, Activation::relu);
  const Dataset data = random_rows(c.levels, 30, 6);
  for (const NamedOptimizer& optimizer : all_optimizers()) {
    OptimizerSpec broken = optimizer.spec;  // the first step sends every parameter away
    broken.learning_rate = std::numeric_limits<double>::infinity();
    try {
      cpu_backend()->score(data, episodes(2, 3, 5), modules, {broken, true});
      ADD_FAILURE() << optimizer.name;
    } catch (const Error& e) {
      EXPECT_EQ(e.id(), "E-NUM-DIVERGED");
      EXPECT_EQ(e.place(), "episode 1, step 2") << optimizer.name;
    }
  }
}

}  // namespace
}  // namespace whence
