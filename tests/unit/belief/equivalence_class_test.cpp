// Equivalence classes against the list of all graphs that satisfy their definition.
#include "whence/belief/equivalence_class.hpp"

#include <map>

#include <gtest/gtest.h>

namespace whence {
namespace {

using Targets = std::vector<std::vector<std::size_t>>;

bool edge(const Graph& g, std::size_t a, std::size_t b) {
  return g.edge(VariableId(a), VariableId(b));
}
bool joined(const Graph& g, std::size_t a, std::size_t b) { return edge(g, a, b) || edge(g, b, a); }

/// Everything that graphs of one class have in common: edges, v-structures, directions at targets.
std::vector<int> signature(const Graph& g, const Targets& targets) {
  std::vector<int> s;
  const std::size_t m = g.variables();
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      s.push_back(joined(g, a, b));
      for (std::size_t c = 0; c < m; ++c)
        s.push_back(a < b && !joined(g, a, b) && edge(g, a, c) && edge(g, b, c));
      for (const auto& set : targets) {
        const bool one_end = (std::find(set.begin(), set.end(), a) != set.end()) !=
                             (std::find(set.begin(), set.end(), b) != set.end());
        s.push_back(one_end && edge(g, a, b));
      }
    }
  return s;
}

/// What all graphs of a list agree on.
EquivalenceClass common_to(const std::vector<const Graph*>& graphs) {
  const std::size_t m = graphs[0]->variables();
  EquivalenceClass result{Graph(m), {}};
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      bool always = true;
      for (const Graph* g : graphs) always = always && edge(*g, a, b);
      if (always) result.directed.set_edge(VariableId(a), VariableId(b));
    }
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b)
      if (joined(*graphs[0], a, b) && !joined(result.directed, a, b))
        result.undirected.emplace_back(a, b);
  return result;
}

std::size_t check_all(std::size_t m, const Targets& targets) {
  const auto graphs = all_acyclic_graphs(m);
  std::map<std::vector<int>, std::vector<const Graph*>> classes;
  for (const Graph& g : graphs) classes[signature(g, targets)].push_back(&g);
  for (const auto& [_, members] : classes) {
    const EquivalenceClass expected = common_to(members);
    for (const Graph* g : members)
      EXPECT_EQ(equivalence_class(*g, targets), expected) << g->to_string();
  }
  return classes.size();
}

TEST(EquivalenceClass, EqualsTheListOfAllGraphsWithoutShifts) {
  EXPECT_EQ(check_all(2, {}), 2u);
  EXPECT_EQ(check_all(3, {}), 11u);
  EXPECT_EQ(check_all(4, {}), 185u) << "the known numbers of Markov equivalence classes";
  EXPECT_EQ(check_all(4, {{}, {}}), 185u);
}

TEST(EquivalenceClass, FiveVariables) { EXPECT_EQ(check_all(5, {}), 8782u); }

TEST(EquivalenceClass, EqualsTheListOfAllGraphsWithTargets) {
  EXPECT_EQ(check_all(3, {{}, {0}, {1}, {2}}), 25u) << "a target each: every graph is alone";
  EXPECT_EQ(check_all(3, {{0, 1, 2}}), 11u) << "everything changed: nothing learnt";
  for (const Targets& targets :
       {Targets{{0}}, Targets{{}, {1}}, Targets{{0, 1}}, Targets{{0}, {2, 3}}, Targets{{1, 2, 3}}})
    EXPECT_GT(check_all(4, targets), 185u);
}

TEST(EquivalenceClass, KnowsWhatItLeavesOpen) {
  const EquivalenceClass chain = equivalence_class(read_graph("0->1->2"));
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(chain.undirected, (Pairs{{0, 1}, {1, 2}}));
  const EquivalenceClass collider = equivalence_class(read_graph("0->2,1->2"));
  EXPECT_TRUE(collider.undirected.empty());
  EXPECT_EQ(collider.directed, read_graph("0->2,1->2"));
}

TEST(MemberFrom, IsAMemberThatPointsAway) {
  for (const Graph& graph : all_acyclic_graphs(4)) {
    const EquivalenceClass all = equivalence_class(graph);
    for (std::size_t first = 0; first < 4; ++first) {
      const Graph member = member_from(all, first).graph();
      EXPECT_EQ(equivalence_class(member), all) << graph.to_string();
      for (const auto& [a, b] : all.undirected)
        if (a == first || b == first) {
          EXPECT_TRUE(edge(member, first, a == first ? b : a)) << graph.to_string();
        }
    }
  }
}

}  // namespace
}  // namespace whence
