#include "whence/core/variable_set.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(VariableSet, HoldsAsManyAsItSays) {
  VariableSet set;
  const std::vector<std::size_t> members = {0, 63, 64, 255, 256, 700, most_variables - 1};
  for (std::size_t v : members) set.insert(v);
  EXPECT_EQ(set.members(), members);
  EXPECT_EQ(set.size(), members.size());
}

TEST(VariableSet, EqualSetsAreEqualHoweverTheyWereMade) {
  VariableSet plain, emptied;
  plain.insert(5);
  emptied.insert(1000);
  emptied.insert(5);
  emptied.erase(1000);
  EXPECT_TRUE(plain == emptied);
  EXPECT_TRUE(emptied == plain);
  EXPECT_EQ(plain.hash(), emptied.hash());
  EXPECT_FALSE(plain == emptied.with(300));
  EXPECT_FALSE(emptied.with(300) == plain);
}

TEST(VariableSet, OperationsReachTheLongerOfTwo) {
  VariableSet low, high;
  low.insert(3);
  high.insert(3);
  high.insert(900);
  EXPECT_EQ((low | high).members(), (std::vector<std::size_t>{3, 900}));
  EXPECT_EQ((high & low).members(), (std::vector<std::size_t>{3}));
  EXPECT_EQ(high.minus(low).members(), (std::vector<std::size_t>{900}));
  EXPECT_TRUE(low.meets(high));
  EXPECT_FALSE(low.meets(high.minus(low)));
  EXPECT_FALSE(high.minus(low).meets(low));
}

}  // namespace
}  // namespace whence
