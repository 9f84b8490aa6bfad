#include "whence/discover/encoder/encoder_tournament.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "whence/worlds/mixed_world.hpp"

namespace whence {
namespace {

/// Environments of a rotated world, the training rows first.
std::vector<PlanePoints> points_of(const MixedWorld& world) {
  std::vector<PlanePoints> points;
  for (const Environment& e : world.data.environments) {
    PlanePoints& here = points.emplace_back();
    for (std::size_t i = e.begin; i < e.end; ++i) {
      here.x.push_back(world.data.columns[0].values[i]);
      here.y.push_back(world.data.columns[1].values[i]);
    }
  }
  return points;
}

MixedWorld world_of(MixedShift shift, std::size_t episodes, std::uint32_t run = 0) {
  MixedSpec spec;
  spec.shift = shift;
  spec.environments = episodes;
  spec.rows = 400;
  spec.baseline_rows = 2000;
  return draw_mixed_world(spec, 41, run);
}

TournamentResult learnt(const MixedWorld& world, const EncoderTournament& how = {}) {
  const std::vector<PlanePoints> points = points_of(world);
  return run_tournament(
      points[0], [&](std::size_t k) { return points[k + 1]; }, points.size() - 1, how);
}

TEST(EncoderTournament, FindsTheAngleAndTheDirection) {
  const MixedWorld world = world_of(MixedShift::mixed, 40);
  const TournamentResult found = learnt(world);
  EXPECT_FALSE(found.open());
  EXPECT_EQ(found.angle.size(), 40u);
  const double off = std::remainder(found.answer - world.angle, std::numbers::pi / 2);
  EXPECT_LT(std::abs(off), 0.08);
  const bool forward =
      std::abs(std::remainder(found.answer - world.angle, std::numbers::pi)) < std::numbers::pi / 4;
  EXPECT_EQ(found.gamma.back() > 0, forward);
}

TEST(EncoderTournament, LeavesTheQuestionOpenWhereNothingShifts) {
  const TournamentResult found = learnt(world_of(MixedShift::none, 10));
  EXPECT_TRUE(found.open());
  EXPECT_EQ(found.gamma.back(), 0);
}

/// How far from the angle learners end where the effect is set, and nothing but the training rows
/// is there to compare with.
double worst_of_effects(double heat) {
  EncoderTournament how;
  how.heat = heat;
  how.starts = 4;
  how.earlier = 0;
  double worst = 0;
  for (std::uint32_t run = 0; run < 4; ++run) {
    const MixedWorld world = world_of(MixedShift::effect, 30, run);
    const double off =
        std::remainder(learnt(world, how).answer - world.angle, std::numbers::pi / 2);
    worst = std::max(worst, std::abs(off));
  }
  return worst;
}

/// Strong changes of the effect make "both changed" as good everywhere but next to the angle: cold
/// learners stand on a plain.
TEST(EncoderTournament, HeatLeadsToNarrowHills) {
  EXPECT_LT(worst_of_effects(EncoderTournament{}.heat), 0.08);
  EXPECT_GT(worst_of_effects(1), 0.2);
}

TEST(EncoderTournament, WithoutAGateNothingLooksLikeSomething) {
  EncoderTournament how;
  how.gate = -1e9;
  EXPECT_FALSE(learnt(world_of(MixedShift::none, 10), how).open());
}

}  // namespace
}  // namespace whence
