#include "whence/discover/encoder/latent_effects.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Two columns that are the latents themselves, the second following from the first: a baseline,
/// the first moved, the second set.
std::vector<Matrix> chain(double slope) {
  std::vector<Matrix> environments;
  for (std::uint32_t e = 0; e < 3; ++e) {
    Matrix rows(500, 2);
    Stream stream(3, Purpose::tests, {e, 0, 0});
    for (std::size_t i = 0; i < rows.rows; ++i) {
      rows(i, 0) = sample_normal(stream) + (e == 1 ? 3 : 0);
      rows(i, 1) = (e == 2 ? 3 : slope * rows(i, 0)) + 0.6 * sample_normal(stream);
    }
    environments.push_back(std::move(rows));
  }
  return environments;
}

UnmixingAnswer both_found(double chance = 0) {
  UnmixingAnswer found;
  for (std::size_t k = 0; k < 2; ++k) {
    LatentRow row;
    row.weights = {k == 0 ? 1.0 : 0.0, k == 0 ? 0.0 : 1.0};
    row.kind = k == 0 ? LatentKind::noise : LatentKind::latent;
    row.environments = {k};
    row.chance = Matrix(2, 2);
    row.chance(0, 0) = row.chance(1, 1) = chance;
    found.rows.push_back(std::move(row));
  }
  return found;
}

TEST(LatentEffects, WhatFollowsFromACauseMovesWithIt) {
  const auto effects = find_latent_effects(chain(0.8), both_found());
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].from, 0u);
  EXPECT_EQ(effects[0].to, 1u);
  EXPECT_NEAR(effects[0].effect, 0.8, 4 * effects[0].sd);
  EXPECT_LT(effects[0].sd, 0.05);
}

TEST(LatentEffects, NothingIsSaidOfWhatDoesNotMove) {
  EXPECT_TRUE(find_latent_effects(chain(0), both_found()).empty());
}

/// Weights that are known to within .3 may hold enough of the cause to feign its effect.
TEST(LatentEffects, RowsThatAreNotKnownWellSayNothing) {
  EXPECT_TRUE(find_latent_effects(chain(0.8), both_found(0.09)).empty());
}

TEST(LatentEffects, NoisesFollowFromNothing) {
  UnmixingAnswer found = both_found();
  found.rows[1].kind = LatentKind::noise;
  EXPECT_TRUE(find_latent_effects(chain(0.8), found).empty());
  found.rows[1].kind = LatentKind::unresolved;
  EXPECT_TRUE(find_latent_effects(chain(0.8), found).empty());
}

}  // namespace
}  // namespace whence
