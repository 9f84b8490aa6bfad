// The lists that chains redraw parents from, made in any order or not all of them.
#include <gtest/gtest.h>

#include "tests/support/made_up_scores.hpp"
#include "whence/belief/graph_sampler.hpp"
#include "whence/belief/graph_search.hpp"

namespace whence {
namespace {

constexpr std::size_t size = 5;

/// Every child likes some parents and none of the others.
double liking(std::size_t child, std::span<const std::size_t> parents) {
  double sum = 0;
  for (std::size_t p : parents) sum += (p + child) % 3 == 0 ? 4 : -20;
  return sum;
}

ParentLists lists(const EachOf& each_of) {
  const support::MadeUpScores scorer(size, 1, liking);
  const FamilyTable table(scorer);
  const std::vector<Dag> good = {Dag(read_graph("0->1->2,3->4"))};
  return ParentLists(table, table.number_of(sparse_regime(1)), good, each_of);
}

TEST(ParentLists, DoNotDependOnTheOrderOfTheWork) {
  const ParentLists forward = lists(one_by_one);
  const ParentLists backward = lists([](std::size_t n, const auto& job) {
    for (std::size_t i = n; i-- > 0;) job(i);
  });
  for (std::size_t v = 0; v < size; ++v) {
    EXPECT_GT(forward.sets(v).size(), 1u);
    EXPECT_EQ(forward.sets(v), backward.sets(v));
  }
}

TEST(ParentLists, AreEmptyWhereTheWorkWasLeftOut) {
  const ParentLists half = lists([](std::size_t, const auto& job) { job(1); });
  for (std::size_t v = 0; v < size; ++v) EXPECT_EQ(half.sets(v).empty(), v != 1) << v;
}

}  // namespace
}  // namespace whence
