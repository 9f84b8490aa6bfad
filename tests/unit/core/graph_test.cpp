#include "whence/core/graph.hpp"

#include <set>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"

namespace whence {
namespace {

std::string read(std::string_view text) { return read_graph(text).to_string(); }

TEST(Graph, ReadsTheShortLanguage) {
  EXPECT_EQ(read("0->1->2,{0-3}->4"), "0->1, 0->4, 1->2, 1->4, 2->4, 3->4");
  EXPECT_EQ(read(" 0 -> { 1, 3-4 } "), "0->1, 0->3, 0->4");
  EXPECT_EQ(read("{0,1}->{2-3}"), "0->2, 0->3, 1->2, 1->3");
  EXPECT_EQ(read("2"), "");
  EXPECT_EQ(read_graph("2").variables(), 3u);
  EXPECT_EQ(read_graph("", 4).variables(), 4u);
}

TEST(Graph, KnowsThePresets) {
  EXPECT_EQ(read("chain4"), "0->1, 1->2, 2->3");
  EXPECT_EQ(read("fork4"), "0->1, 0->2, 0->3");
  EXPECT_EQ(read("collider4"), "0->3, 1->3, 2->3");
  EXPECT_EQ(read("confounder3"), "0->1, 0->2, 1->2");
  EXPECT_EQ(read("confounder4"), "0->1, 0->2, 0->3, 1->3, 2->3");
  EXPECT_EQ(read("full3"), "0->1, 0->2, 1->2");
  EXPECT_EQ(read("tree5"), "0->1, 0->2, 1->3, 1->4");
  EXPECT_EQ(read("jungle5"), "0->1, 0->2, 0->3, 0->4, 1->3, 1->4");
  EXPECT_EQ(read("jungle8"),
            "0->1, 0->2, 0->3, 0->4, 0->5, 0->6, 1->3, 1->4, 1->7, 2->5, 2->6, 3->7");
  EXPECT_EQ(read("bidiag4"), "0->1, 0->2, 1->2, 1->3, 2->3");
}

TEST(Graph, SaysWhatIsWrong) {
  const auto id_of = [](std::string_view text, std::size_t variables = 0) {
    try {
      read_graph(text, variables);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_config);
      return e.id();
    }
    return std::string();
  };
  for (const char* text : {"0->", "->1", "0-1", "{0->1", "{3-1}->4", "a->b", "0->1,", "chain",
                           "chain1", "chain2x", "0->1;", "99999->0", "{}->1", "0->1 2", "-1->0"})
    EXPECT_EQ(id_of(text), "E-GRAPH-SYNTAX") << text;
  EXPECT_EQ(id_of("0->1->0"), "E-GRAPH-CYCLE");
  EXPECT_EQ(id_of("0->0"), "E-GRAPH-CYCLE");
  EXPECT_EQ(id_of("0->5", 3), "E-GRAPH-RANGE");
  EXPECT_EQ(id_of("chain5", 6), "E-GRAPH-RANGE");
}

TEST(Graph, RowCausesColumn) {
  const Graph graph = read_graph("0->1", 3);
  EXPECT_TRUE(graph.edge(VariableId(0), VariableId(1)));
  EXPECT_FALSE(graph.edge(VariableId(1), VariableId(0)));
  EXPECT_EQ(graph.families()[1], (Family{VariableId(1), {VariableId(0)}}));
  EXPECT_TRUE(graph.families()[0].parents.empty());
}

TEST(Graph, EveryAcyclicGraphIsListedOnce) {
  const std::size_t expected[] = {1, 1, 3, 25, 543, 29281};  // Robinson 1973
  for (std::size_t m = 1; m <= 5; ++m) {
    const auto graphs = all_acyclic_graphs(m);
    EXPECT_EQ(graphs.size(), expected[m]);
    std::set<std::string> distinct;
    for (const Graph& graph : graphs) distinct.insert(graph.to_string());
    EXPECT_EQ(distinct.size(), expected[m]);
    EXPECT_EQ(graphs[0].edge_count(), 0u);
  }
  EXPECT_THROW(all_acyclic_graphs(6), Error);
}

TEST(Graph, FamiliesAreNumberedByChildAndParentSet) {
  const auto families = all_families(3);
  ASSERT_EQ(families.size(), 12u);
  for (const Graph& graph : all_acyclic_graphs(3))
    for (std::size_t v = 0; v < 3; ++v)
      EXPECT_EQ(families[v * parent_sets(3) + parent_set(graph, VariableId(v))],
                graph.families()[v]);
}

}  // namespace
}  // namespace whence
