#include "whence/core/dag.hpp"

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

bool same_ancestors(const Dag& a, const Dag& b) {
  for (std::size_t v = 0; v < a.variables(); ++v)
    for (std::size_t u = 0; u < a.variables(); ++u)
      if (a.is_ancestor(u, v) != b.is_ancestor(u, v)) return false;
  return a == b;
}

TEST(Dag, ReplacingParentsIsSettingAndUpdating) {
  constexpr int m = 30;
  Stream stream(1, Purpose::search, {8});
  Dag quick(m);
  int cycles = 0, changes = 0;
  for (int k = 0; k < 600; ++k) {
    const auto v = std::size_t(sample_index(stream, m)), u = std::size_t(sample_index(stream, m));
    VariableSet parents = quick.parents(v).flipped(u);
    if (k % 7 == 0) parents = {};
    Dag slow = quick, next = quick;
    slow.set_parents(v, parents);
    const bool acyclic = slow.update();
    ASSERT_EQ(next.replace_parents(v, parents), acyclic);
    cycles += !acyclic;
    if (!acyclic) continue;
    ++changes;
    ASSERT_TRUE(same_ancestors(slow, next));
    quick = next;
  }
  EXPECT_GT(cycles, 50);
  EXPECT_GT(changes, 50);
}

}  // namespace
}  // namespace whence
