#include "whence/core/ids.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(Ids, CompareByValue) {
  EXPECT_EQ(VariableId(3), VariableId(3));
  EXPECT_LT(VariableId(2), VariableId(3));
  EXPECT_EQ(VariableId().value, 0u);
}

TEST(Ids, DoNotMix) {
  static_assert(!std::is_convertible_v<EpisodeId, VariableId>);
  static_assert(!std::is_constructible_v<VariableId, FamilyId>);
  static_assert(!std::is_convertible_v<std::size_t, VariableId>);
  static_assert(!std::is_convertible_v<VariableId, std::size_t>);
}

TEST(Ids, CostNothing) { static_assert(sizeof(VariableId) == sizeof(std::size_t)); }

}  // namespace
}  // namespace whence
