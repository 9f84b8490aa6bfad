// Graphs in every format: what is written is read back, hostile names included, and what is wrong
// is refused with its place.
#include "whence/io/graph/graph_formats.hpp"

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/graph/bif.hpp"
#include "whence/io/table/formats/number_array.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

constexpr GraphFormat all_formats[] = {
    GraphFormat::json,  GraphFormat::dot,       GraphFormat::gml, GraphFormat::graphml,
    GraphFormat::edges, GraphFormat::adjacency, GraphFormat::npy};

const std::vector<std::string> hostile = {"</script><script>alert(1)</script>",
                                          "a\"b",
                                          "back\\",
                                          "\\\"",
                                          "x -> y",
                                          "=1+1",
                                          "'=1",
                                          "-",
                                          "-5",
                                          "a,b;c",
                                          "new\nline",
                                          " blank ends ",
                                          "digraph",
                                          "&amp;",
                                          "&#65;",
                                          "]]>",
                                          "\xE2\x82\xAC uro",
                                          "// no comment",
                                          "a'b",
                                          "1",
                                          "{x}",
                                          "tab\there",
                                          "#hash",
                                          "<b>"};

NamedGraph random_graph(std::vector<std::string> names, bool probable, std::uint32_t run) {
  Stream stream(21, Purpose::tests, {run});
  const std::size_t m = names.size();
  NamedGraph g{std::move(names), Graph(m)};
  if (probable) g.probabilities.assign(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i + 1; j < m; ++j) {
      g.graph.set_edge(VariableId(i), VariableId(j), stream.uniform() < 0.3);
      if (!probable) continue;
      if (stream.uniform() < 0.8) g.probabilities[i * m + j] = stream.uniform();
      if (stream.uniform() < 0.3) g.probabilities[j * m + i] = stream.uniform() * 1e-9;
    }
  return g;
}

std::vector<std::string> plain_names(std::size_t m) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < m; ++v) names.push_back("X" + std::to_string(v));
  return names;
}

TEST(GraphFormats, RoundTripsKeepEverything) {
  for (GraphFormat format : all_formats)
    for (std::uint32_t run = 0; run < 20; ++run) {
      const bool matrix = format == GraphFormat::adjacency || format == GraphFormat::npy;
      const bool named = format != GraphFormat::npy;
      const NamedGraph g = random_graph(named && run % 2 == 0 ? hostile : plain_names(1 + run),
                                        !matrix && run % 4 < 2, run);
      const std::string text = write_graph(g, format);
      EXPECT_EQ(parse_graph(text, format, "file"), g) << name_of(format) << "\n" << text;
    }
}

TEST(GraphFormats, WhatActsOnTerminalsIsSpeltOutExceptInJson) {
  const NamedGraph g{{"\x1B[31mx", "\xE2\x80\xAEreversed"}, Graph(2)};
  const std::vector<std::string> spelt = {"\\x1b[31mx", "\\xe2\\x80\\xaereversed"};
  for (GraphFormat format : all_formats) {
    const std::string text = write_graph(g, format);
    if (format == GraphFormat::npy) continue;
    EXPECT_EQ(text.find('\x1B'), std::string::npos) << name_of(format);
    EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos) << name_of(format);
    const NamedGraph back = parse_graph(text, format, "file");
    EXPECT_EQ(back.names, format == GraphFormat::json ? g.names : spelt) << name_of(format);
  }
}

TEST(GraphFormats, SetsInDotCannotAskForMillionsOfEdges) {
  std::string left, right;
  for (int i = 0; i < 400; ++i) {
    left += " a" + std::to_string(i);
    right += " b" + std::to_string(i);
  }
  const std::string text = "digraph { {" + left + " } -> {" + right + " } }";
  EXPECT_THROW(parse_graph(text, GraphFormat::dot, "file"), Error);
  const NamedGraph few = parse_graph("digraph { {a b c} -> {d e} }", GraphFormat::dot, "file");
  EXPECT_EQ(few.graph.edge_count(), 6u);
}

TEST(GraphFormats, MatricesOfProbabilities) {
  NamedGraph g = random_graph(plain_names(6), true, 7);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      g.graph.set_edge(VariableId(i), VariableId(j), g.probability(i, j) >= 0.5);
  for (GraphFormat format : {GraphFormat::adjacency, GraphFormat::npy})
    EXPECT_EQ(parse_graph(write_graph(g, format, MatrixContent::probabilities), format, "f"), g);
}

TEST(GraphFormats, EveryTextSaysItsOrientation) {
  const NamedGraph g{{"a", "b"}, read_graph("0->1")};
  for (GraphFormat format : all_formats)
    if (format != GraphFormat::npy) {
      EXPECT_NE(write_graph(g, format).find("cause"), std::string::npos) << name_of(format);
    }
  EXPECT_NE(write_graph(g, GraphFormat::adjacency).find("\na,0,1\nb,0,0\n"), std::string::npos);
}

std::string error_of(GraphFormat format, const std::string& text) {
  try {
    parse_graph(text, format, "f");
  } catch (const Error& error) {
    return error.id() + " " + error.place();
  }
  return "read";
}

const Graph arrow = read_graph("0->1");

TEST(GraphFormats, ReadsWhatOthersWrite) {
  const NamedGraph ab{{"a", "b"}, arrow}, abc{{"a", "b", "c"}, read_graph("0->1->2")};
  const auto dot = [](const std::string& text) { return parse_graph(text, GraphFormat::dot, "f"); };
  EXPECT_EQ(dot("digraph { a -> b }"), ab);
  EXPECT_EQ(dot("strict DiGraph G{\n# comment\n/* x */ node [shape=box]; rankdir=LR\n a; a:n -> "
                "b:s:w [label=<<b>x</b>>, weight=2] // end\n}"),
            ab);
  EXPECT_EQ(dot("digraph { a -> b -> c }"), abc);
  EXPECT_EQ(dot("digraph { subgraph cluster_0 { label=\"x\" \"a\" } -> { b } ; b -> \"c\" }"), abc);
  EXPECT_EQ(dot("digraph { a -> {b c} }").graph, read_graph("0->1,0->2"));
  EXPECT_EQ(dot("\xEF\xBB\xBF"
                "digraph {\"a\" + \"\" -> b}"),
            ab);
  const auto gml = [](const std::string& text) { return parse_graph(text, GraphFormat::gml, "f"); };
  EXPECT_EQ(gml("# made by hand\ngraph [ directed 1 node [ id 5 label \"a\" ] node [ id 7 label "
                "\"b\" graphics [ x 1 ] ] edge [ source 5 target 7 weight 2.5 ] ]"),
            ab);
  const auto xml = [](const std::string& t) { return parse_graph(t, GraphFormat::graphml, "f"); };
  EXPECT_EQ(xml("<graphml><graph edgedefault='directed'><node id='a'/><node id='b'></node><edge "
                "source='a' target='b'/></graph></graphml>"),
            ab);
  EXPECT_EQ(
      xml("<?xml version='1.0'?><graphml><key id='d0' for='node' attr.name='label'/><graph "
          "edgedefault='undirected'><node id='n0'><data key='d0'><![CDATA[a]]></data></node>"
          "<node id='n1'><data key='d0'>b</data></node><!-- x --><edge id='e' directed='true' "
          "source='n0' target='n1'/></graph></graphml>"),
      ab);
  for (const char* header : {"cause,effect", "from,to", "source;target", "parent\tchild"}) {
    const std::string h = header;
    const std::string d = h.find(';') != h.npos ? ";" : h.find('\t') != h.npos ? "\t" : ",";
    EXPECT_EQ(parse_graph(h + "\r\na" + d + "b\r\n", GraphFormat::edges, "f"), ab) << header;
  }
  EXPECT_EQ(parse_graph("0 ,1\n0,0\n", GraphFormat::adjacency, "f").graph, arrow);
  EXPECT_EQ(parse_graph(",a,b\nb,0,0\na,0,1\n", GraphFormat::adjacency, "f").graph.edge_count(),
            1u);
  EXPECT_EQ(parse_graph("{\"variables\":[\"a\",\"b\"],\"edges\":[{\"from\":\"a\",\"to\":\"b\"}]}",
                        GraphFormat::json, "f"),
            ab);
}

TEST(GraphFormats, AResultHoldsProbabilitiesAndTheGraphApart) {
  const NamedGraph g = parse_graph(
      R"({"variables":["a","b"],"edges":[{"from":"a","to":"b","probability":0.4},
          {"from":"b","to":"a","probability":0.6}],"graph":[["a","b"]]})",
      GraphFormat::json, "f");
  EXPECT_EQ(g.graph, arrow) << "the graph is what it says, not what a threshold says";
  EXPECT_EQ(g.probability(1, 0), 0.6);
}

TEST(GraphFormats, RefusesWithThePlace) {
  struct Case {
    GraphFormat format;
    const char* text;
    const char* expected;
  };
  using enum GraphFormat;
  const Case cases[] = {
      {dot, "graph { a -- b }", "E-GRAPH-UNDIRECTED f:1:1"},
      {dot, "digraph {\n a -- b }", "E-GRAPH-UNDIRECTED f:2:4"},
      {dot, "digraph { a -> a }", "E-GRAPH-EDGE f:1:11"},
      {dot, "digraph { a -> b\n a -> b }", "E-GRAPH-EDGE f:2:2"},
      {dot, "digraph { a -> ", "E-GRAPH-FORMAT f:1:16"},
      {dot, "digraph { \"a }", "E-GRAPH-FORMAT f:1:11"},
      {dot, "digraph { a -> b } x", "E-GRAPH-FORMAT f:1:20"},
      {dot, "digraph { a [probability=2] ; a -> b [probability=2] }", "E-GRAPH-VALUE f:1:26"},
      {dot, "/* digraph {}", "E-GRAPH-FORMAT f:1:1"},
      {dot, "digraph { \"\" }", "E-GRAPH-NAME f:1:11"},
      {gml, "graph [ node [ id 1 ] ]", "E-GRAPH-UNDIRECTED f:1:1"},
      {gml, "graph [ directed 1 edge [ source 1 target 2 ] ]", "E-GRAPH-EDGE f:1:20"},
      {gml, "graph [ directed 1\n node [ label \"a\" ] ]", "E-GRAPH-FORMAT f:2:2"},
      {gml, "graph [ directed 1", "E-GRAPH-FORMAT f:1:19"},
      {gml, "graph [ directed 1 ] ]", "E-GRAPH-FORMAT f:1:22"},
      {gml, "graph [ directed 1 node [ id 1 label \"&x;\" ] ]", "E-GRAPH-FORMAT f:1:39"},
      {graphml, "<!DOCTYPE x [<!ENTITY a \"b\">]><graphml/>", "E-GRAPH-FORMAT f:1:1"},
      {graphml, "<graphml><graph edgedefault='directed'></graphml>", "E-GRAPH-FORMAT f:1:50"},
      {graphml,
       "<graphml><graph edgedefault='undirected'><edge source='a' target='b'/></graph></graphml>",
       "E-GRAPH-UNDIRECTED f:1:42"},
      {graphml, "<graphml>", "E-GRAPH-FORMAT f:1:10"},
      {edges, "a,b\n1,2\n", "E-GRAPH-FORMAT f:1"},
      {edges, "cause,effect\na,b\na,b\n", "E-GRAPH-EDGE f:3"},
      {edges, "cause,effect\na,b,c\n", "E-GRAPH-FORMAT f:2"},
      {edges, "cause,effect,probability\na,b,1.5\n", "E-GRAPH-VALUE f:2"},
      {edges, "cause,effect,probability\na,b,nan\n", "E-GRAPH-VALUE f:2"},
      {edges, "cause,effect,in_graph\na,b,maybe\n", "E-GRAPH-VALUE f:2"},
      {edges, "", "E-GRAPH-FORMAT f"},
      {adjacency, ",a,b\na,0,1\n", "E-GRAPH-MATRIX f:2"},
      {adjacency, ",a,b\na,0,1\nc,0,0\n", "E-GRAPH-NAME f:3"},
      {adjacency, ",a,b\na,0,1\na,0,0\n", "E-GRAPH-NAME f:3"},
      {adjacency, ",a,a\na,0,1\na,0,0\n", "E-GRAPH-NAME f:1"},
      {adjacency, "1,0\n0,0\n", "E-GRAPH-EDGE f:1"},
      {json, "{\"variables\":[\"a\"]}", "E-GRAPH-FORMAT f:1:1"},
      {json, "{\"variables\":[\"a\"],\"edges\":[{\"from\":\"a\",\"to\":\"b\"}]}",
       "E-GRAPH-EDGE f:1:46"},
      {json, "{\"variables\":[1],\"edges\":[]}", "E-GRAPH-FORMAT f:1:15"},
      {json, "[]", "E-GRAPH-FORMAT f:1:1"},
      {npy, "nonsense", "E-NPY-TRUNC f"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.format, c.text), c.expected) << c.text;
}

TEST(GraphFormats, MatricesMustBeSquareAndProbable) {
  EXPECT_EQ(error_of(GraphFormat::npy, npy_bytes({{1, 2}, {0, 0}, true})), "E-GRAPH-MATRIX f");
  EXPECT_EQ(error_of(GraphFormat::npy, npy_bytes({{2, 2}, {0, -1, 0, 0}, true})),
            "E-GRAPH-VALUE f[0,1]");
}

TEST(GraphFormats, NamesAndEndsOfFiles) {
  for (GraphFormat format : all_formats) EXPECT_EQ(graph_format_of(name_of(format)), format);
  EXPECT_EQ(graph_format_of(std::filesystem::path("x/y.GV")), GraphFormat::dot);
  EXPECT_EQ(graph_format_of(std::filesystem::path("x.csv")), GraphFormat::edges);
  EXPECT_EQ(graph_format_of(std::filesystem::path("x")), std::nullopt);
}

TEST(GraphFormats, CyclesAreReadButNotTakenForCauses) {
  const NamedGraph g = parse_graph("digraph { a -> b -> a }", GraphFormat::dot, "f");
  EXPECT_THROW(require_acyclic(g, "f"), Error);
}

// ---- BIF ----

const char* sprinkler =
    "// a comment\nnetwork \"sprinkler\" { property version 1; }\n"
    "variable rain { type discrete [ 2 ] { yes, no }; }\n"
    "variable sprinkler { type discrete[2] {on, off}; property position = (1, 2); }\n"
    "variable \"wet grass\" {\n  type discrete [ 3 ] { dry, damp, \"<5\" };\n}\n"
    "probability ( rain ) { table .2, .8; }\n"
    "probability ( sprinkler | rain ) { (yes) .01, .99; /* here */ (no) .4, .6; }\n"
    "probability ( \"wet grass\" | sprinkler, rain ) {\n  default .1, .2, .7;\n"
    "  (off, no) 1.0, 0.0, 0.0;\n  (on, yes) .05, .05, .9;\n}\n";

TEST(Bif, ReadsTablesInTheOrderOfTheVariables) {
  const DiscreteNetwork net = parse_bif(sprinkler, "f");
  ASSERT_EQ(net.variables.size(), 3u);
  EXPECT_EQ(net.graph, read_graph("0->1,{0,1}->2"));
  EXPECT_EQ(net.variables[2].level_names, (std::vector<std::string>{"dry", "damp", "<5"}));
  EXPECT_EQ(net.tables[1], (std::vector<double>{.01, .99, .4, .6}));
  // rain first, although the file names the sprinkler first: (yes, on), (yes, off), (no, on), ...
  EXPECT_EQ(net.tables[2],
            (std::vector<double>{.05 / 1., .05, .9, .1, .2, .7, .1, .2, .7, 1, 0, 0}));
  EXPECT_TRUE(net.warnings.empty());
}

TEST(Bif, RoundTripsAndOneLineForms) {
  const DiscreteNetwork net = parse_bif(sprinkler, "f");
  const std::string text = write_bif(net);
  std::string line = text.substr(text.find('\n') + 1);  // without the comment
  std::replace(line.begin(), line.end(), '\n', ' ');
  for (const std::string& form : {text, line}) {
    const DiscreteNetwork again = parse_bif(form, "f");
    EXPECT_EQ(again.tables, net.tables);
    EXPECT_EQ(again.graph, net.graph);
    EXPECT_EQ(write_bif(again), text);
  }
  EXPECT_EQ(parse_graph(text, GraphFormat::bif, "f").names[2], "wet grass");
  EXPECT_THROW(write_graph(parse_graph(text, GraphFormat::bif, "f"), GraphFormat::bif), Error);
}

TEST(Bif, TablesWithParentsGoByTheChildFirst) {
  const DiscreteNetwork net = parse_bif(
      "variable a { type discrete [ 2 ] { x, y }; } variable b { type discrete [ 2 ] { u, v }; }"
      "probability ( a ) { table 0.5 0.5; } probability ( b | a ) { table .1, .4, .9, .6; }",
      "f");
  EXPECT_EQ(net.tables[1], (std::vector<double>{.1, .9, .4, .6}));
}

TEST(Bif, RowsThatAreRoundedAreDividedOutAndSaid) {
  const DiscreteNetwork net = parse_bif(
      "variable a { type discrete [ 3 ] { x, y, z }; } probability ( a ) { table .333,.333,.333; }",
      "f");
  EXPECT_DOUBLE_EQ(net.tables[0][0], 1. / 3);
  EXPECT_EQ(net.warnings.size(), 1u);
}

TEST(Bif, RefusesWithThePlace) {
  const std::string a = "variable a { type discrete [ 2 ] { x, y }; }\n";
  const std::pair<std::string, const char*> cases[] = {
      {"variable a { type discrete [ 3 ] { x, y }; }", "E-BIF-NAME f:1:30"},
      {"variable a { type discrete [ 2 ] { x, x }; }", "E-BIF-NAME f:1:39"},
      {a + a, "E-BIF-NAME f:2:10"},
      {a, "E-BIF-TABLE f"},
      {a + "probability ( b ) { table 1, 0; }", "E-BIF-NAME f:2:15"},
      {a + "probability ( a ) { table 1; }", "E-BIF-TABLE f:2:21"},
      {a + "probability ( a ) { table 1, 1; }", "E-BIF-TABLE f:2:21"},
      {a + "probability ( a ) { table 1, x; }", "E-BIF-TABLE f:2:30"},
      {a + "probability ( a ) { table -1, 2; }", "E-BIF-TABLE f:2:27"},
      {a + "probability ( a | a ) { }", "E-BIF-NAME f:2:19"},
      {a + "probability ( a ) { }", "E-BIF-TABLE f:2:15"},
      {a + "probability ( a ) { table .5, .5", "E-BIF-SYNTAX f:2:33"},
      {a + "probability a", "E-BIF-SYNTAX f:2:13"},
      {"nonsense", "E-BIF-SYNTAX f:1:1"},
      {"variable a { type continuous; }", "E-BIF-SYNTAX f:1:14"},
      {a + "variable b { type discrete [ 2 ] { x, y }; }\nprobability ( a | b ) { (x) .5, .5; (z) "
           ".5, "
           ".5; }",
       "E-BIF-NAME f:3:38"},
      {a + "variable b { type discrete [ 2 ] { x, y }; }\nprobability ( a | b ) { (x) .5, .5; (y) "
           ".5,"
           " .5; }\nprobability ( b | a ) { (x) .5, .5; (y) .5, .5; }",
       "E-GRAPH-CYCLE f"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(error_of(GraphFormat::bif, text), expected) << text;
}

// ---- damage ----

/// The text with a few bytes changed, put in, taken out or repeated.
std::string damaged(std::string text, Stream& stream) {
  const std::string_view favourites =
      "{}[]()<>\"'\\;,=|&#-\n \0"
      "0129eEx/";
  for (int k = 0; k < 1 + sample_index(stream, 4) && !text.empty(); ++k) {
    const auto at = std::size_t(sample_index(stream, int(text.size())));
    const char byte = favourites[std::size_t(sample_index(stream, int(favourites.size())))];
    switch (sample_index(stream, 5)) {
      case 0: text[at] = byte; break;
      case 1: text.insert(at, 1, byte); break;
      case 2: text.erase(at, 1 + std::size_t(sample_index(stream, 5))); break;
      case 3: text.insert(at, text.substr(at / 2, 30)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(GraphFormats, DamagedFilesAreReadOrRefused) {
  NamedGraph g = random_graph(hostile, true, 3);
  std::size_t refused = 0, read = 0;
  const auto attempt = [&](const std::string& text, GraphFormat format) {
    try {
      parse_graph(text, format, "f");
      ++read;
    } catch (const Error& error) {
      EXPECT_FALSE(error.id().empty());
      ++refused;
    }
  };
  std::vector<std::string> texts;
  for (GraphFormat format : all_formats) texts.push_back(write_graph(g, format));
  for (std::uint32_t run = 0; run < 500; ++run) {
    Stream stream(22, Purpose::tests, {run});
    for (std::size_t k = 0; k < texts.size(); ++k)
      attempt(damaged(texts[k], stream), all_formats[k]);
    attempt(damaged(sprinkler, stream), GraphFormat::bif);
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(read, 200u);
}

}  // namespace
}  // namespace whence
