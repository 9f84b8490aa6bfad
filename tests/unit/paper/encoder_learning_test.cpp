// Algorithm 1 with a learnt encoder: which way the parameter goes, and what is told of it.
#include "whence/paper/encoder_learning.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/core/error.hpp"
#include "whence/paper/rotated_world.hpp"

namespace whence {
namespace {

const double decoder_angle = -std::numbers::pi / 4;

RotatedWorld small_world(std::uint32_t run) {
  return {SplineWorld::draw({}, {}, 5, run), Rotation(decoder_angle), 80, {5, run}};
}

EncoderLearning small_learning(bool corrected) {
  EncoderLearning how;
  how.iterations = 12;
  how.shape = {6, 3};
  how.training_steps = 4;
  how.steps = 2;
  how.corrected = corrected;
  how.regret.exact = corrected;
  how.regret.em = {.iterations = 10,
                   .gain = corrected ? -std::numeric_limits<double>::infinity() : 1e-3};
  how.key = {5, 0};
  return how;
}

TEST(EncoderLearning, TellsEveryIterationAndStopsWhenTold) {
  for (bool corrected : {true, false}) {
    const EncoderLearning how = small_learning(corrected);
    std::vector<EncoderStep> heard;
    const EncoderResult all = meta_learn(small_world(0).source(), how);
    const EncoderResult part = meta_learn(small_world(0).source(), how, [&](const EncoderStep& s) {
      heard.push_back(s);
      return heard.size() < 7;
    });
    ASSERT_EQ(part.parameter.size(), 7u);
    ASSERT_EQ(all.parameter.size(), 12u);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(heard[k].iteration, int(k));
      EXPECT_TRUE(support::same_bits(heard[k].parameter, all.parameter[k]));
      EXPECT_TRUE(support::same_bits(heard[k].gamma, all.gamma[k]));
      EXPECT_TRUE(std::isfinite(heard[k].regret_uv) && std::isfinite(heard[k].regret_vu));
    }
  }
}

/// One step of the encoder goes down the regret that it was told of: by finite differences.
TEST(EncoderLearning, FirstStepGoesDownTheMixturesRegret) {
  for (std::uint32_t run = 0; run < 4; ++run) {
    EncoderLearning how = small_learning(true);
    how.iterations = 1;
    how.key = {5, run};
    how.encoder = {.kind = OptimizerSpec::Kind::sgd, .learning_rate = 1e-9};
    const auto mixture_regret = [&](double angle) {
      double regret = 0;
      EncoderLearning here = how;
      // The modules are trained at the start, and stay as they are when the encoder moves.
      here.encode = [&, count = 0](double parameter, std::span<const double> x,
                                   std::span<const double> y) mutable {
        const bool training = count++ < how.training_steps;
        return Rotation(training ? parameter : parameter + angle).encode(x, y);
      };
      meta_learn(small_world(run).source(), here, [&](const EncoderStep& step) {
        const double low = std::min(step.regret_uv, step.regret_vu);
        regret = low - std::log(0.5 * std::exp(low - step.regret_uv) +
                                0.5 * std::exp(low - step.regret_vu));
        return true;
      });
      return regret;
    };
    const double h = 1e-5;
    const double slope = (mixture_regret(h) - mixture_regret(-h)) / (2 * h);
    const double moved = meta_learn(small_world(run).source(), how).parameter[0];
    EXPECT_NEAR(moved / -1e-9, slope, 1e-4 * std::abs(slope)) << run;
  }
}

TEST(EncoderLearning, WhatIsNotANumberIsAnErrorWithItsPlace) {  // N20
  EncoderLearning how = small_learning(true);
  int batches = 0;
  how.encode = [&](double angle, std::span<const double> x, std::span<const double> y) {
    Encoded e = Rotation(angle).encode(x, y);
    if (++batches > 10) e.v[0] = std::nan("");
    return e;
  };
  try {
    meta_learn(small_world(0).source(), how);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-NUM-DIVERGED");
    EXPECT_EQ(error.place(), "run 1, meta-iteration 2");
  }
}

}  // namespace
}  // namespace whence
