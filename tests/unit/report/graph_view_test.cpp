// The drawing of a graph: nothing overlaps, causes stand above effects, and names stay text.
#include "whence/report/page/graph_view.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/report/markup_reader.hpp"
#include "whence/math/random.hpp"
#include "whence/report/page/graph_layout.hpp"
#include "whence/report/page/report_page.hpp"

namespace whence {
namespace {

Graph random_graph(std::size_t m, double edges, std::uint32_t run) {
  Stream stream(31, Purpose::tests, {run});
  std::vector<double> key(m);
  for (double& k : key) k = stream.uniform();
  Graph graph(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (key[i] < key[j] && stream.uniform() < 2 * edges / double(m * (m - 1)))
        graph.set_edge(VariableId(i), VariableId(j));
  return graph;
}

TEST(GraphLayout, NodesDoNotOverlapAndCausesStandAboveEffects) {
  for (std::size_t m : {1u, 2u, 5u, 20u, 100u})
    for (std::uint32_t run = 0; run < 5; ++run) {
      const Graph graph = random_graph(m, 2 * double(m), run);
      std::vector<double> widths(m);
      for (std::size_t v = 0; v < m; ++v) widths[v] = 40 + double(v % 7) * 15;
      const GraphLayout layout = lay_out(graph, widths);
      ASSERT_EQ(layout.edges.size(), graph.edge_count());
      for (std::size_t a = 0; a < m; ++a) {
        EXPECT_GE(layout.nodes[a].x - widths[a] / 2, 0);
        EXPECT_LE(layout.nodes[a].x + widths[a] / 2, layout.width);
        EXPECT_GE(layout.nodes[a].y, 15);
        EXPECT_LE(layout.nodes[a].y + 15, layout.height);
        for (std::size_t b = 0; b < a; ++b) {
          const bool apart =
              std::fabs(layout.nodes[a].x - layout.nodes[b].x) >= (widths[a] + widths[b]) / 2 ||
              std::fabs(layout.nodes[a].y - layout.nodes[b].y) >= 30;
          ASSERT_TRUE(apart) << a << " and " << b << " of " << m;
        }
      }
      for (const LayoutEdge& edge : layout.edges) {
        double y = layout.nodes[edge.from].y;
        for (const LayoutPoint& bend : edge.bends) {
          EXPECT_GT(bend.y, y);
          y = bend.y;
        }
        EXPECT_GT(layout.nodes[edge.to].y, y);
      }
    }
}

TEST(GraphLayout, AHundredVariablesFitATolerableArea) {
  const Graph graph = random_graph(100, 200, 9);
  const GraphLayout layout = lay_out(graph, std::vector<double>(100, 60));
  EXPECT_LT(layout.width, 3000);
  EXPECT_LT(layout.height, 3000);
}

TEST(GraphLayout, ATreeHasNoCrossingsAndIsSymmetric) {
  const GraphLayout layout = lay_out(read_graph("tree7"), std::vector<double>(7, 50));
  EXPECT_NEAR(layout.nodes[0].x, (layout.nodes[1].x + layout.nodes[2].x) / 2, 0.5);
  EXPECT_LT(layout.nodes[3].x, layout.nodes[4].x);
  EXPECT_LT(layout.nodes[4].x, layout.nodes[5].x);
}

GraphView sample(const std::string& name) {
  GraphView view;
  view.variables = {name, "b", "c"};
  view.edges = {{0, 1, 0.999, 1, true, EdgeLook::sure, {0.9, 1}, {0, 3.5}, "+3 ± 1 " + name, name},
                {1, 2, 0.7, 0.99, true, EdgeLook::open, {0.5, 0.7}, {0, 0.1}},
                {2, 0, 0.29, 0.29, false, EdgeLook::hidden}};
  view.environments = {{"baseline", 100, true, {0, 0, 0}, 0, 0},
                       {name, 10, false, {0.99, 0.01, 0}, 0.001, 0.002}};
  view.advice = {name + " and b"};
  view.assumption = name + " is not hidden";
  return view;
}

std::string page_of(const GraphView& view) {
  Report report;
  report.experiment = "discover", report.title = "Graph";
  PageInfo info{"Graph", "lead", "0", "", "whence", false, &view};
  return report_page({&report, 1}, info);
}

TEST(GraphView, NamesStayTextWhateverTheyHold) {
  const std::string skeleton = test::MarkupReader(page_of(sample("plain"))).skeleton;
  for (const char* name : {"</script><script>alert(1)</script>", "\" onload=\"alert(1)",
                           "'><img src=x>", "&lt;", "]]>", "<!--", "a\nb",
                           "\xE2\x80\xAE"
                           "evil",
                           "\xFF\xFE", "${x}", "very long name that does not fit"}) {
    const std::string page = page_of(sample(name));
    const test::MarkupReader read(page);
    EXPECT_EQ(read.skeleton, skeleton) << name;
    EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  }
}

TEST(GraphView, TheIslandHoldsWhatTheScriptNeeds) {
  const GraphView view = sample("</script>");
  const std::string island = graph_island(view);
  EXPECT_EQ(island.find("</"), std::string::npos);
  const auto json = nlohmann::json::parse(island);
  EXPECT_EQ(json["variables"][0], "</script>");
  EXPECT_EQ(json["edges"].size(), 3u);
  EXPECT_EQ(json["edges"][0]["support"][1], 3.5);
  EXPECT_EQ(json["edges"][1]["look"], "open");
}

TEST(GraphView, WithoutTheScriptTheLikelyEdgesAreDrawn) {
  const std::string page = graph_section(sample("a")) + changes_sections(sample("a"));
  EXPECT_NE(page.find("class=\"g-edge sure\" data-edge=\"0\""), std::string::npos);
  EXPECT_NE(page.find("class=\"g-edge open\" data-edge=\"1\""), std::string::npos);
  EXPECT_NE(page.find("class=\"g-edge hidden g-below\" data-edge=\"2\""), std::string::npos);
  EXPECT_NE(page.find("2 links are at least 50 % probable"), std::string::npos);
  EXPECT_NE(page.find("a is not hidden"), std::string::npos);
  EXPECT_NE(page.find("a and b"), std::string::npos);
}

TEST(GraphView, ATallMapHasItsNamesBelowAsWell) {
  GraphView view = sample("first");
  const auto named = [&] {
    const std::string page = changes_sections(view), name = ">everything<";
    std::size_t count = 0;
    for (std::size_t at = page.find(name); at != page.npos; at = page.find(name, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(named(), 1u);
  view.environments.resize(60, view.environments[1]);
  EXPECT_EQ(named(), 2u);
}

/// The element of one edge.
std::string edge_part(const std::string& page, std::size_t edge) {
  const std::size_t at = page.find("data-edge=\"" + std::to_string(edge) + "\"");
  return page.substr(at, page.find("</g>", at) - at);
}

TEST(GraphView, OnlyDecidedEdgesHaveAnArrowhead) {
  const std::string page = graph_section(sample("a"));
  EXPECT_NE(edge_part(page, 0).find("marker-end"), std::string::npos);
  EXPECT_EQ(edge_part(page, 1).find("marker"), std::string::npos) << "undecided";
  EXPECT_NE(edge_part(page, 2).find("marker-start"), std::string::npos) << "hidden: both ends";
}

TEST(GraphView, TheLegendNamesTheLooksThatOccur) {
  const std::string page = graph_section(sample("a"));
  EXPECT_NE(page.find("linked through something hidden"), std::string::npos);
  EXPECT_EQ(page.find("no shift supports the direction"), std::string::npos);
  EXPECT_NE(graph_svg(sample("a")).find("direction undecided"), std::string::npos);
}

TEST(GraphView, TheMapHasAColourScaleAndNumbersWhereTheyFit) {
  GraphView view = sample("a");
  EXPECT_NE(changes_sections(view).find("probability that the mechanism"), std::string::npos);
  EXPECT_NE(changes_sections(view).find(">99</text>"), std::string::npos);
  view.variables.resize(100, "x");
  view.environments[1].changed.resize(100, 0.5);
  EXPECT_EQ(changes_sections(view).find("g-cell"), std::string::npos) << "cells are too small";
}

TEST(GraphView, WarningsStandRightBelowTheGraph) {
  const GraphView view = sample("a");
  Report report;
  report.title = "Graph", report.warnings = {"beware"}, report.assumptions = {"supposed"};
  const std::string page =
      report_page({&report, 1}, {"Graph", "lead", "0", "", "whence", false, &view});
  EXPECT_GT(page.find("beware"), page.find("id=\"graph\""));
  EXPECT_LT(page.find("beware"), page.find("id=\"changes\""));
  EXPECT_EQ(page.find("beware"), page.rfind("beware"));
  EXPECT_GT(page.find("supposed"), page.find("id=\"graph\""));
}

TEST(GraphView, APageWithoutAGraphIsAsItWas) {
  Report report;
  report.title = "x";
  const std::string page = report_page({&report, 1}, {"t", "", "0", "", "", true});
  EXPECT_EQ(page.find("g-plot"), std::string::npos);
  EXPECT_EQ(page.find("\"graph\":"), std::string::npos);
}

TEST(GraphView, TheDrawingAloneIsAFile) {
  const test::MarkupReader svg(graph_svg(sample("<b>")));
  EXPECT_EQ(svg.skeleton.substr(0, 5), "<svg ");
  EXPECT_EQ(graph_svg(sample("a")).find("var("), std::string::npos)
      << "converters know no variables";
  EXPECT_NE(graph_svg(sample("a")).find(">+3</text>"), std::string::npos)
      << "the effect on its line";
}

}  // namespace
}  // namespace whence
