#include "tests/fuzz/seeds.hpp"

#include "tests/bad_input/array_cases.hpp"
#include "tests/bad_input/csv_cases.hpp"
#include "whence/io/files/checkpoint_file.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/table/kept_files.hpp"
#include "whence/report/page/page_data.hpp"

namespace whence::fuzz {
namespace {

std::vector<std::string> bytes_of(const std::vector<bad_input::Case>& cases) {
  constexpr std::size_t largest = 4096;  // larger ones slow the fuzzer down
  std::vector<std::string> seeds;
  for (const auto& one : cases)
    if (one.bytes.size() <= largest) seeds.push_back(one.bytes);
  return seeds;
}

/// A graph in every format. The first byte tells the target which one.
std::vector<std::string> graph_seeds() {
  NamedGraph graph{{"rain", "\"wet\" street", "naïve <a&b>"}, Graph(3), {}};
  graph.graph.set_edge(VariableId(0), VariableId(1));
  graph.graph.set_edge(VariableId(1), VariableId(2));
  std::vector<std::string> seeds;
  for (const GraphFormat format :
       {GraphFormat::json, GraphFormat::dot, GraphFormat::gml, GraphFormat::graphml,
        GraphFormat::edges, GraphFormat::adjacency, GraphFormat::npy})
    seeds.push_back(char(format) + write_graph(graph, format));
  const std::string head = "network a {}\nvariable x { type discrete [2] { no, yes }; }\n";
  const std::string child = "variable y { type discrete [2] { \"0\", \"1\" }; } // a comment\n";
  seeds.push_back(char(GraphFormat::bif) + head + child +
                  "probability (x) { table 0.25, 0.75; }\n"
                  "probability (y | x) { (no) 0.5, 0.5; default 1, 0; }\n");
  seeds.push_back(char(GraphFormat::dot) +
                  std::string("strict digraph g { a -> {b c} [p=.5]; \"d\\\"\" /* e */ -> a; }"));
  return seeds;
}

/// The page of a graph with a figure and a table.
std::string page_seed() {
  Report report;
  report.experiment = "e", report.title = "t";
  report.curves = {{"c", "label", {1, 2, 3}, {.5, .6, .7}, {.4, .5, .6}, {.6, .7, .8}}};
  report.figures = {{"f", "figure", "x", "y", {"c"}, "caption"}};
  report.tables = {{"t", "table", {"a", "b"}, {{"1", "2"}, {"3", "4"}}}};
  GraphView view;
  view.variables = {"a", "b", "c"};
  view.edges = {{0, 1, .9, .95, true, EdgeLook::sure, {.8, 1}, {1.5, -.5}},
                {1, 2, .6, .7, true, EdgeLook::open, {.1, .9}, {}},
                {0, 1, .3, .3, false, EdgeLook::hidden}};
  view.environments = {{"base", 10, true, {0, 0, 0}, 0, 1}, {"s", 5, false, {.1, .9, 0}, 0, 0}};
  return page_data_text({&report, 1}, {"title", "lead", "0", "r", "command", false, &view});
}

std::vector<std::string> state_seeds() {
  const auto content = [](const char* text) { return std::make_shared<const std::string>(text); };
  return {kept_files_text({Json::object({{"model", "auto"}}),
                           {{"b.csv", true, content("X,Y\n0,1\n")},
                            {"folder/w1.csv", false, content("X,Y\n1,0\n\xff")}}}),
          "{}"};
}

std::vector<std::string> json_seeds() {
  return {page_seed(),
          R"({"runs": 10, "levels": [10, 3], "adaptation": {"optimizer": "adam", "beta1": 0.9}})",
          R"({"model": "labels", "prior": {"no_link": 0.1, "quiet": 1e-3}, "needs": "0.1"})",
          R"([true, false, null, -1.5e+10, "é\n\ud83d\ude00", {}, [[[]]], "</script>"])",
          "\xef\xbb\xbf{\"a\": 0}\r\n"};
}

/// An answer and a truth of each kind.
std::vector<std::string> document_seeds() {
  const std::string pair =
      R"({"variables": ["X", "Y"], "verdict": {"kind": "direction", "from": "X"}, "no_link": 0.1,
          "beliefs": [{"from": "X", "probability": 0.8}, {"from": "Y", "probability": 0.1}],
          "environments": [{"name": "b", "baseline": true}, {"name": "s", "changed": {"X": 0.9, "Y": 0.2}}]})";
  const std::string pair_truth =
      R"({"variables": ["X", "Y"], "edges": [{"from": "X", "to": "Y"}],
          "environments": [{"name": "s", "changed": {"X": true, "Y": false}}]})";
  const std::string encoder =
      R"({"verdict": {"kind": "encoder"}, "angle": {"value": 0.1, "interval": [0, 0.2]},
          "unmixing": [{"latent": "Z1", "weights": {"x": 1, "y": 0}}, {"latent": "Z2", "weights": {"x": 0, "y": 1}}],
          "environments": [{"name": "s", "changed": {"Z1": 0.9, "Z2": null}}], "effects": [{"from": "Z1", "to": "Z2"}]})";
  const std::string encoder_truth =
      R"({"columns": ["x", "y"], "angle": 0.15, "unmixing": [[1, 0], [0, 1]], "covariance": [[1, 0], [0, 2]],
          "parents": {"S1": [], "S2": ["S1"]},
          "environments": [{"name": "b", "baseline": true, "changed": []}, {"name": "s", "changed": ["S1"]}]})";
  const std::string graph =
      R"({"variables": ["a", "b", "c"], "edges": [{"from": "a", "to": "b", "probability": 0.9}], "graph": [["a", "b"]],
          "draws": [{"count": 2, "edges": [[0, 1], [1, 2]]}, {"count": 1, "edges": []}],
          "environments": [{"name": "s", "changed": {"a": 0.9, "b": 0.1, "c": 0}}]})";
  const std::string graph_truth =
      R"({"variables": ["a", "b", "c"], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
          "environments": [{"name": "s", "changed": {"a": true, "b": false, "c": false}}]})";
  const std::string end(1, '\0');
  return {pair + end + pair_truth, encoder + end + encoder_truth, graph + end + graph_truth};
}

std::vector<std::string> checkpoint_seeds() {
  return {checkpoint_text({{{"command", "discover"}, {"data", "0123"}},
                           {{{"chains", 0}, std::string("\0\1\2", 3)}, {{"chains", 1}, ""}}}),
          checkpoint_text({})};
}

std::vector<std::string> knowledge_seeds() {
  const auto of = [](char kind, const char* text) { return kind + std::string(text); };
  return {of(0, "a\nb, x y\r\n\"q\"\n"),
          of(0, R"([["a"], ["b", "x y"]])"),
          of(1, "a->b->x y"),
          of(1, " a -> b "),
          of(2, "base:,week:1:a+x y,s:b"),
          of(2, "s:\"q\"")};
}

std::vector<std::string> settings_seeds() {
  const auto of = [](char kind, const char* text) { return kind + std::string(text); };
  return {
      of(0, R"({"runs": 10, "levels": [10, 3], "seed": 7, "name": "mine"})"),
      of(1, R"({"belief": {"optimizer": "adam", "learning_rate": 0.1, "beta1": 0.9}})"),
      of(2,
         R"({"world": "network", "variables": 2, "levels": 10, "shift": "either", "belief_over": "edges",
                    "acyclicity": "exact", "training": {"optimizer": "adam", "learning_rate": 0.02}})"),
      of(3,
         R"({"world": "linear-gaussian", "dimension": 5, "shift": "cause", "batch": 10, "samples": 2})")};
}

}  // namespace

std::vector<std::string> seeds_of(std::string_view target) {
  if (target.starts_with("npy")) return bytes_of(bad_input::npy_cases());
  if (target.starts_with("npz")) return bytes_of(bad_input::npz_cases());
  if (target.starts_with("graph")) return graph_seeds();
  if (target.starts_with("json")) return json_seeds();
  if (target.starts_with("kept_files")) return state_seeds();
  if (target.starts_with("documents")) return document_seeds();
  if (target.starts_with("checkpoint")) return checkpoint_seeds();
  if (target.starts_with("knowledge")) return knowledge_seeds();
  if (target.starts_with("settings")) return settings_seeds();
  return bytes_of(bad_input::csv_cases());
}

}  // namespace whence::fuzz
