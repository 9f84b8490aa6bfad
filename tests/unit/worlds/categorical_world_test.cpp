#include "whence/worlds/categorical_world.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/simd.hpp"
#include "support/tables.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

using Table = CategoricalTable<double>;
const VariableId a(0), b(1), c(2);

/// The id of the error that building this world throws.
std::string refusal(std::vector<int> levels, std::vector<Family> families,
                    std::vector<Table> tables) {
  try {
    CategoricalWorld(support::categorical_variables(levels), std::move(families),
                     std::move(tables));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_config);
    EXPECT_FALSE(error.hint().empty());
    return error.id();
  }
  return "";
}

TEST(CategoricalWorld, TakesTablesThatFit) {
  EXPECT_EQ(
      refusal({2, 3}, {{a, {}}, {b, {a}}}, {Table(2, std::size_t(1)), Table(3, std::size_t(2))}),
      "");
}

TEST(CategoricalWorld, RefusesCycles) {
  const auto table = [](std::size_t rows) { return Table(2, rows); };
  EXPECT_EQ(refusal({2, 2}, {{a, {b}}, {b, {a}}}, {table(2), table(2)}), "E-WORLD-CYCLE");
  EXPECT_EQ(refusal({2}, {{a, {a}}}, {table(2)}), "E-WORLD-CYCLE");
  EXPECT_EQ(refusal({2, 2, 2}, {{a, {c}}, {b, {a}}, {c, {b}}}, {table(2), table(2), table(2)}),
            "E-WORLD-CYCLE");
}

TEST(CategoricalWorld, RefusesShapesThatDoNotFit) {
  const Table one(2, std::size_t(1)), two(2, std::size_t(2)), three(3, std::size_t(1));
  EXPECT_EQ(refusal({2, 2}, {{a, {}}, {b, {a}}}, {one, one}), "E-WORLD-SHAPE");  // rows
  EXPECT_EQ(refusal({2}, {{a, {}}}, {three}), "E-WORLD-SHAPE");                  // levels
  EXPECT_EQ(refusal({2, 2}, {{a, {}}}, {one, one}), "E-WORLD-SHAPE");            // a family short
  EXPECT_EQ(refusal({2, 2}, {{a, {}}, {b, {a}}}, {one}), "E-WORLD-SHAPE");       // a table short
  EXPECT_EQ(refusal({2, 2}, {{b, {a}}, {a, {}}}, {two, one}), "E-WORLD-SHAPE");  // order
}

TEST(CategoricalWorld, OrdersParentsBeforeChildren) {
  const auto world = CategoricalWorld::draw(support::categorical_variables({2, 2, 2}),
                                            {{a, {b, c}}, {b, {c}}, {c, {}}}, 1, 0, 0);
  EXPECT_EQ(world.order(), (std::vector{c, b, a}));
}

TEST(CategoricalWorld, IsDrawnBySeedAndRun) {
  const auto parameters = [](std::uint64_t seed, std::uint32_t run) {
    const auto world = CategoricalWorld::draw_pair(5, 1, seed, run);
    const auto p = world.table(b).parameters();
    return std::vector<double>(p.begin(), p.end());
  };
  EXPECT_EQ(parameters(1, 2), parameters(1, 2));
  EXPECT_NE(parameters(1, 2), parameters(1, 3));
  EXPECT_NE(parameters(1, 2), parameters(2, 2));
}

TEST(CategoricalWorld, DrawsTheSameBitsOnEveryInstructionSet) {
  const auto draw = [] {
    const auto world = CategoricalWorld::draw_pair(10, 1, 1, 0);
    ShiftedWorld shifted(world);
    shifted.shift({ShiftKind::both}, 1, Stream(1, Purpose::shift, {}));
    Dataset data = make_dataset(world.variables(), 101);
    shifted.sample(Stream(1, Purpose::sample, {}), data, 0, 101);
    auto all = shifted.materialise().log_joint();
    for (const Column& column : data.columns)
      all.insert(all.end(), column.levels.begin(), column.levels.end());
    return all;
  };
  const auto expected = draw();
  support::for_each_simd_target([&](const std::string& target) {
    EXPECT_TRUE(support::same_bits(draw(), expected)) << target;
  });
}

TEST(Conditional, IsUniformWhereParentsAreImpossible) {
  const double never = -std::numeric_limits<double>::infinity();
  const CategoricalWorld world(
      support::categorical_variables({2, 2}), {{a, {}}, {b, {a}}},
      {Table(2, std::vector<double>{0, never}), Table(2, std::vector<double>{0, never, never, 0})});
  const auto backward = world.conditional({a, {b}});
  EXPECT_EQ(backward.log_prob(0, 0), 0);
  EXPECT_NEAR(backward.log_prob(1, 0), -std::log(2.0), 1e-15);  // B = 1 never happens
  EXPECT_NEAR(backward.log_prob(1, 1), -std::log(2.0), 1e-15);
}

TEST(ShiftedWorld, WritesOnlyTheRowsAskedFor) {
  const auto world = CategoricalWorld::draw_pair(3, 1, 0, 0);
  Dataset data = make_dataset(world.variables(), 10);
  for (Column& column : data.columns) std::fill(column.levels.begin(), column.levels.end(), -1);
  ShiftedWorld(world).sample(Stream(0, Purpose::sample, {}), data, 3, 4);
  for (const Column& column : data.columns)
    for (std::size_t r = 0; r < 10; ++r) {
      if (r >= 3 && r < 7) {
        EXPECT_GE(column.levels[r], 0);
      } else {
        EXPECT_EQ(column.levels[r], -1);
      }
    }
}

TEST(ShiftedWorld, SamplesTheSameRowsInAnyPlace) {
  const auto world = CategoricalWorld::draw_pair(3, 1, 0, 0);
  Dataset here = make_dataset(world.variables(), 20), there = here;
  ShiftedWorld(world).sample(Stream(0, Purpose::sample, {}), here, 0, 10);
  ShiftedWorld(world).sample(Stream(0, Purpose::sample, {}), there, 10, 10);
  for (std::size_t v = 0; v < 2; ++v)
    EXPECT_TRUE(std::equal(here.columns[v].levels.begin(), here.columns[v].levels.begin() + 10,
                           there.columns[v].levels.begin() + 10));
}

TEST(ShiftedWorld, WithNoneIsItsBase) {
  const auto world = CategoricalWorld::draw_pair(4, 1, 0, 0);
  ShiftedWorld shifted(world);
  shifted.shift({ShiftKind::both}, 1, Stream(0, Purpose::shift, {}));
  shifted.shift({ShiftKind::none}, 1, Stream(0, Purpose::shift, {}));
  EXPECT_TRUE(support::same_bits(shifted.materialise().log_joint(), world.log_joint()));
}

/// An effect without parents but one row: hard and redrawn mean the same.
TEST(ShiftedWorld, ShiftsVariablesWithoutParents) {
  const auto world =
      CategoricalWorld::draw(support::categorical_variables({3, 3}), {{a, {}}, {b, {}}}, 1, 0, 0);
  ShiftedWorld shifted(world);
  for (ShiftKind kind : all_shift_kinds) {
    shifted.shift({kind}, 1, Stream(0, Purpose::shift, {}));
    double sum = 0;
    for (double log_p : shifted.materialise().log_joint()) sum += std::exp(log_p);
    EXPECT_NEAR(sum, 1, 1e-14) << name_of(kind);
  }
}

TEST(ShiftedWorld, FromSparseDirichletStaysNormalised) {
  const auto world = CategoricalWorld::draw_pair(10, 1, 0, 0);
  ShiftedWorld shifted(world);
  Dataset data = make_dataset(world.variables(), 10);
  for (std::uint32_t episode = 0; episode < 100; ++episode) {
    shifted.shift({ShiftKind::both}, 0.01, Stream(0, Purpose::shift, {0, episode}));
    shifted.sample(Stream(0, Purpose::sample, {0, episode}), data, 0, 10);
    double sum = 0;
    for (double log_p : shifted.materialise().log_joint()) sum += std::exp(log_p);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

}  // namespace
}  // namespace whence
