// Episodes of 20 examples: what changed tells the direction, and nothing does where nothing
// changed.
#include "whence/belief/change_belief.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

constexpr int levels = 6;

std::vector<double> random_law(Stream& stream) {
  std::vector<double> p(levels);
  double all = 0;
  for (double& x : p) all += x = -std::log(1 - stream.uniform());
  for (double& x : p) x /= all;
  return p;
}

int draw(const std::vector<double>& p, Stream& stream) {
  double left = stream.uniform();
  int level = 0;
  while (level + 1 < levels && (left -= p[std::size_t(level)]) > 0) ++level;
  return level;
}

/// A causes B; laws redrawn as asked in every episode. `off` makes one direction's modules worse.
struct World {
  std::vector<double> cause;
  std::vector<std::vector<double>> effect;

  explicit World(Stream& stream) : cause(random_law(stream)) {
    for (int k = 0; k < levels; ++k) effect.push_back(random_law(stream));
  }

  PairModules modules(double off) const {
    Matrix joint(levels, levels);
    for (std::size_t i = 0; i < levels; ++i)
      for (std::size_t j = 0; j < levels; ++j) joint(i, j) = cause[i] * effect[i][j];
    PairModules known = modules_of(joint);
    for (std::size_t i = 0; i < levels; ++i) {
      double all = 0;
      for (std::size_t j = 0; j < levels; ++j)
        all += std::exp(known.first_given_second(i, j) += j % 2 ? off : -off);
      for (std::size_t j = 0; j < levels; ++j) known.first_given_second(i, j) -= std::log(all);
    }
    return known;
  }
};

enum class What { nothing, cause, effect };

std::array<double, pair_graphs> learnt(std::uint32_t run, What what, double off, int episodes) {
  Stream stream(3, Purpose::tests, {run, std::uint32_t(what), 0});
  const World world(stream);
  ChangeBelief belief(world.modules(off));
  for (int e = 0; e < episodes; ++e) {
    World now = world;
    if (what == What::cause) now.cause = random_law(stream);
    if (what == What::effect)
      for (auto& row : now.effect) row = random_law(stream);
    std::vector<int> a, b;
    for (int i = 0; i < 20; ++i) {
      a.push_back(draw(now.cause, stream));
      b.push_back(draw(now.effect[std::size_t(a.back())], stream));
    }
    belief.see(a, b);
  }
  return belief.graphs();
}

TEST(ChangeBelief, ShortEpisodesTellTheDirectionWhicheverMechanismShifts) {
  for (const What what : {What::cause, What::effect})
    for (std::uint32_t run = 0; run < 5; ++run)
      EXPECT_GT(learnt(run, what, 0, 100)[0], 0.95) << run << " " << int(what);
}

TEST(ChangeBelief, ImperfectModulesDecideNothingWhereNothingShifts) {
  for (const double off : {0.0, 0.1})
    for (std::uint32_t run = 0; run < 5; ++run) {
      const auto p = learnt(run, What::nothing, off, 200);
      EXPECT_LT(std::max(p[0], p[1]), 0.95) << run;
      EXPECT_LT(p[2], 0.01) << run;  // that there is a link is plain
    }
}

TEST(ChangeBelief, ModulesOfAJointAgreeWithIt) {
  Matrix joint(2, 2);
  joint.values = {0.1, 0.3, 0.4, 0.2};
  const PairModules known = modules_of(joint);
  EXPECT_NEAR(std::exp(known.first(0, 1)), 0.6, 1e-12);
  EXPECT_NEAR(std::exp(known.second_given_first(0, 1)), 0.75, 1e-12);
  EXPECT_NEAR(std::exp(known.first_given_second(0, 1)), 0.8, 1e-12);
}

}  // namespace
}  // namespace whence
