// A found graph as a document: other commands read it, and it says what was found.
#include "whence/report/graph_report.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "whence/io/json/json_reader.hpp"
#include "whence/judge/graph_evaluation.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

GraphResult sample() {
  GraphResult r;
  r.variables = {"a", "b", "c"};
  r.edges = EdgeMatrix(3);
  r.edges.at(0, 1) = 0.99;
  r.edges.at(1, 2) = 0.6;
  r.edges.at(2, 1) = 0.4;
  r.edges.at(2, 0) = 0.001;
  r.graph = read_graph("0->1->2");
  r.essential = {read_graph("0->1", 3), {{1, 2}}};
  r.findings = {{0, 1, 0.99, 0.99, 4, {0, 4}, {0.5, 0.9999}},
                {1, 2, 0.6, 1, 0, {}, {}},
                {2, 1, 0.4, 1, 0, {}, {}}};
  r.environments = {{"base", 50, true, {0, 0, 0}, 0, 1},
                    {"e", 10, false, {0.9, 0.1, 0}, 0.01, 0.02}};
  r.draws = {r.graph, r.graph, read_graph("0->1,2->1", 3)};
  r.search.scores = {-10, -11};
  r.remarks = {{RemarkCode::direction_open, {"b", "c"}, {}, {}}};
  return r;
}

TEST(GraphReport, OtherCommandsReadTheDocument) {
  const GraphResult result = sample();
  const Json json = read_json(graph_result_json(result, {}).dump(2), "result.json");
  const NamedGraph graph = graph_of_json(json, "result.json");
  EXPECT_EQ(graph, named_graph(result));
  const NamedGraph truth{{"c", "b", "a"}, read_graph("2->1->0")};
  const GraphEvaluation e = evaluate_graph(graph, &json, "result.json", truth, nullptr, "truth");
  EXPECT_EQ(e.distance.total(), 0u);
  EXPECT_NEAR(e.expected_structural, 1. / 3, 1e-12) << "one of three draws turns b -> c round";
  EXPECT_TRUE(e.expected_intervention.has_value());
}

TEST(GraphReport, EffectsHaveASignARangeAndAStep) {
  EffectSize effect{10, 31, 14.21, 13.9, 14.52};
  EXPECT_EQ(in_words(effect), "+14.2 ± 0.31 per +21");
  EXPECT_EQ(in_words(EffectSize{0, 24.9, 3931, 3871, 3991}), "+3930 ± 60 per +24.9");
  effect.turns = true;
  EXPECT_EQ(in_words(effect), "+14.2 ± 0.31 per +21, turning round");
  effect = {0, 2, -0.6, -0.65, -0.55, "calm", "storm", "open"};
  EXPECT_EQ(in_words(effect), "P(open) -60 ± 5 points, calm to storm");
}

TEST(GraphReport, TheDocumentHoldsTheEffectOfAnEdge) {
  GraphResult result = sample();
  result.findings[0].effect = EffectSize{1, 2, 3, 2.5, 3.5};
  result.findings[0].effect->rows = 60;
  result.pictures = {{0, 1, {{{0}, {1, 2}, {3, 4}}}, {{1, 3, 2, 4}, {2, 4, 3, 5}}}};
  const Json json = graph_result_json(result, {});
  const Json& edge = json.find("edges")->items.at(0);
  EXPECT_EQ(edge.find("effect")->dump(),
            R"({"from":1,"to":2,"change":3,"low":2.5,"high":3.5,"unit":"b","level":null,)"
            R"("turns":false,"rows":60})");
  EXPECT_TRUE(json.find("edges")->items.at(1).find("effect")->is(Json::Kind::null));
  EXPECT_EQ(json.find("mechanisms")->items.at(0).find("points")->items.at(0).dump(),
            R"({"environments":["base"],"x":[1,2],"y":[3,4]})");
  const Report report = graph_report(result);
  ASSERT_EQ(report.figures.size(), 1u);
  EXPECT_EQ(report.figures[0].fit, "mechanism-1/fit");
  EXPECT_EQ(graph_view(result).edges[1].effect, "+3 ± 0.5 per +1");
}

TEST(GraphReport, AnOpenPairIsDrawnOnceAndHiddenPairsApart) {
  GraphResult result = sample();
  result.hidden = EdgeMatrix(3);
  result.hidden.at(0, 2) = result.hidden.at(2, 0) = 0.8;
  const GraphView view = graph_view(result);
  ASSERT_EQ(view.edges.size(), 3u);
  const auto count = [&](EdgeLook look) {
    return std::count_if(view.edges.begin(), view.edges.end(),
                         [&](const auto& edge) { return edge.look == look; });
  };
  EXPECT_EQ(count(EdgeLook::open), 1);
  EXPECT_EQ(count(EdgeLook::hidden), 1);
  EXPECT_EQ(count(EdgeLook::sure), 1);
  EXPECT_NE(in_words(result).find("1 pair linked through something hidden"), std::string::npos);
}

TEST(GraphReport, EqualDrawsAreCounted) {
  const Json json = graph_result_json(sample(), {});
  const Json& draws = *json.find("draws");
  ASSERT_EQ(draws.items.size(), 2u);
  EXPECT_EQ(draws.items[0].find("count")->text, "2");
}

TEST(GraphReport, WordsAndTables) {
  const GraphResult result = sample();
  EXPECT_EQ(in_words(result),
            "2 edges among 3 variables: 1 more than 95 % sure, 1 whose direction stays open. "
            "Something changed in 1 of 1 shifted environment.");
  GraphResult hurried = result;
  hurried.search.stopped = "interrupted";
  EXPECT_NE(in_words(hurried).find("stopped early"), std::string::npos);
  const Report report = graph_report(result);
  EXPECT_EQ(report.tables[0].rows[0], (std::vector<std::string>{"a", "b", "99.0 %", "99.0 %", "–",
                                                                "50.0–100 %", "e (+4.0)", ""}));
  EXPECT_EQ(report.tables[1].rows[1][2], "a (90.0 %)");
  const GraphView view = graph_view(result);
  ASSERT_EQ(view.edges.size(), 2u);
  EXPECT_EQ(view.edges[0].look, EdgeLook::open) << "most probably linked first";
  EXPECT_EQ(view.edges[1].look, EdgeLook::sure);
}

TEST(GraphReport, ADirectionThatNoShiftSupportsIsSaidToBeOne) {
  GraphResult result = sample();
  result.findings[0].support = {9, 4};  // the baseline's is no shift
  EXPECT_EQ(graph_report(result).tables[0].rows[0][6], "e (+4.0)");
  result.findings[0].shift_log_odds = 0.1;
  EXPECT_NE(in_words(result).find("1 more than 95 % sure (all without a shift that supports"),
            std::string::npos);
  EXPECT_EQ(graph_report(result).tables[0].rows[0].back(), "no shift");
  result.findings[0].probability = 0.9;  // less than sure
  EXPECT_EQ(in_words(result).find("without a shift"), std::string::npos);
  result.findings[0].probability = 0.99;
  result.findings[0].support.clear();  // not asked: nothing is known
  EXPECT_EQ(in_words(result).find("without a shift"), std::string::npos);
}

TEST(GraphReport, WhereNothingOrEverythingChangedTheDataCannotTell) {
  GraphResult result = sample();
  const auto said = [&](double all, double none) {
    result.environments[1].all_changed = all;
    result.environments[1].none_changed = none;
    return in_words(result);
  };
  EXPECT_NE(said(0, 0.99).find("Nothing seems to have changed in 1 shifted environment"),
            std::string::npos);
  EXPECT_NE(said(0, 0.99).find("cannot tell a cause from its effect"), std::string::npos);
  EXPECT_NE(said(0.99, 0).find("cannot tell a cause from its effect"), std::string::npos);
  EXPECT_EQ(said(0.6, 0.01).find("cannot tell"), std::string::npos);
  EXPECT_NE(said(0, 0.5).find("Whether anything changed is open."), std::string::npos);
}

TEST(GraphReport, SomethingThatNobodyCanNameIsNotNothing) {
  GraphResult result = sample();
  const auto told = [&](const std::vector<double>& changed, double all, double none) {
    result.environments[1].changed = changed;
    result.environments[1].all_changed = all;
    result.environments[1].none_changed = none;
    return graph_report(result).tables[1].rows[1][2];
  };
  EXPECT_EQ(told({0.6, 0.9, 0.1}, 0, 0.01), "b (90.0 %), a (60.0 %)");
  EXPECT_EQ(told({0.4, 0.45, 0.01}, 0.1, 0.05), "perhaps b (45.0 %), a (40.0 %)");
  EXPECT_EQ(told({0, 0, 0}, 0.4, 0.4), "perhaps something");
  EXPECT_EQ(told({0.1, 0.2, 0.1}, 0, 0.7), "nothing");
  EXPECT_EQ(told({1, 1, 1}, 0.9, 0), "everything");
}

TEST(GraphReport, WithoutABaselineNoEnvironmentIsCalledShifted) {
  GraphResult result = sample();
  result.environments[0].baseline = false;
  EXPECT_NE(in_words(result).find("changed in 1 of 2 environments."), std::string::npos);
}

TEST(GraphReport, TruthsOfSimulationsAreReadBack) {
  GraphWorldSpec spec{read_graph("chain3")};
  const GraphSimulation s = simulate_graph(spec, 1);
  GraphOptions options;
  options.baseline = 0;
  const GraphResult result = find_graph(s.data, options);
  const Json json = graph_result_json(result, {s.data.variables, {}, Json::object()});
  EXPECT_EQ(json.find("environments")->items.size(), s.data.environments.size());
  EXPECT_EQ(json.find("variables")->items[2].text, "X2");
}

}  // namespace
}  // namespace whence
