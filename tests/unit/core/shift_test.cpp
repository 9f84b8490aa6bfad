#include "whence/core/shift.hpp"

#include <set>

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(ShiftKinds, HaveTheProjectsNames) {
  std::set<std::string_view> names;
  for (ShiftKind kind : all_shift_kinds) names.insert(name_of(kind));
  EXPECT_EQ(names,
            (std::set<std::string_view>{"cause", "effect", "mechanism", "row", "both", "none"}));
}

TEST(Shift, IsNoneUntilToldOtherwise) {
  EXPECT_EQ(Shift().kind, ShiftKind::none);
  EXPECT_EQ(Shift().cause, VariableId(0));
  EXPECT_EQ(Shift().effect, VariableId(1));
}

}  // namespace
}  // namespace whence
