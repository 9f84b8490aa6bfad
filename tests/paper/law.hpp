// How a proposition is tested: as a law that an implementation keeps and a planted bug breaks.
#pragma once

#include <gtest/gtest.h>

namespace whence::test {

/// A wrong implementation that the law must reject.
template <class Implementation>
struct Planted {
  const char* bug;
  Implementation implementation;
};
template <class Implementation>
Planted(const char*, Implementation) -> Planted<Implementation>;

/// `violation(implementation)` measures how far an implementation is from the law called `id` in
/// the table of propositions. A law without a planted bug does not compile: a check that cannot
/// fail proves nothing. (Not a number counts as a violation.)
template <class Violation, class Right, class... Wrong>
void expect_law(const char* id, double tolerance, const Violation& violation, const Right& right,
                const Planted<Wrong>&... planted) {
  static_assert(sizeof...(Wrong) > 0, "plant a bug that this law must catch");
  const double kept = violation(right);
  EXPECT_TRUE(kept <= tolerance) << id << " is violated by " << kept << ", allowed " << tolerance;
  const auto expect_caught = [&](const char* bug, double broken) {
    EXPECT_FALSE(broken <= tolerance) << id << " does not notice: " << bug << " (" << broken << ")";
  };
  (expect_caught(planted.bug, violation(planted.implementation)), ...);
}

}  // namespace whence::test
