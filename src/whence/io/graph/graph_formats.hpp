// Graphs with names, and perhaps probabilities, in the formats that other programs know.
//
// Orientation is the same everywhere: from the cause to the effect, and in matrices the row causes
// the column. Every text format says so in the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/graph.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

struct NamedGraph {
  std::vector<std::string> names;
  Graph graph = Graph();  // may have cycles: a thresholded matrix can; see require_acyclic
  std::vector<double> probabilities = {};  // [cause][effect], or none

  double probability(std::size_t cause, std::size_t effect) const {
    return probabilities[cause * names.size() + effect];
  }
  bool operator==(const NamedGraph&) const = default;
};

enum class GraphFormat { json, dot, gml, graphml, edges, adjacency, npy, bif };

/// "json", "dot", ..., "edges" (CSV), "adjacency" (CSV), "npy", "bif".
std::string_view name_of(GraphFormat format);
std::optional<GraphFormat> graph_format_of(std::string_view name);
/// By the end of the file's name; .csv is a list of edges. Nothing for other ends.
std::optional<GraphFormat> graph_format_of(const std::filesystem::path& path);

/// Reads a file; without a format by its name (a .csv file that is not a list of edges is a
/// matrix). `transposed`: in a matrix, the column causes the row. Errors are of code bad_data and
/// name the place.
NamedGraph read_graph_file(const std::filesystem::path& path,
                           std::optional<GraphFormat> format = {}, bool transposed = false);

/// The same from text; `file` is what errors call it. npy and bif take bytes and text as well.
NamedGraph parse_graph(std::string_view text, GraphFormat format, const std::string& file);

/// A graph out of JSON that is already read: "variables", "edges" with "from", "to" and perhaps
/// "probability", and perhaps "graph", the list of [from, to] that are in the graph. Results of
/// whence discover and truths of whence simulate have this form.
NamedGraph graph_of_json(const Json& json, const std::string& file);

/// What a matrix holds; other formats hold both.
enum class MatrixContent { graph, probabilities };

/// Whether all names can be written as they are, in any format: nothing in them but line ends and
/// tabs acts on a terminal.
bool names_are_printable(const NamedGraph& graph);

/// The whole file. Outside JSON, characters of names that act on a terminal are written as \xNN.
/// bif needs tables and is refused with E-GRAPH-TABLES: see write_bif.
std::string write_graph(const NamedGraph& graph, GraphFormat format,
                        MatrixContent content = MatrixContent::graph);

/// Throws E-GRAPH-CYCLE.
void require_acyclic(const NamedGraph& graph, const std::string& file);

/// Raised when a reader of our JSON graphs would have to change.
inline constexpr int graph_json_version = 1;
/// The newest "format" of results and truths whose variables and edges are understood.
inline constexpr int newest_result_format = 1;

/// Variables that a graph in a file may have.
inline constexpr std::size_t largest_named_graph = 2000;

}  // namespace whence
