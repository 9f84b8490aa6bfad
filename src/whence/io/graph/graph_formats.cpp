#include "whence/io/graph/graph_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/graph/bif.hpp"
#include "whence/io/graph/graph_builder.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/table/column_names.hpp"
#include "whence/io/table/formats/number_array.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

constexpr std::size_t max_bytes = std::size_t(256) << 20;

struct FormatName {
  GraphFormat format;
  std::string_view name, ends;  // of file names, between blanks
};
constexpr std::array<FormatName, 8> formats = {{{GraphFormat::json, "json", ".json"},
                                                {GraphFormat::dot, "dot", ".dot .gv"},
                                                {GraphFormat::gml, "gml", ".gml"},
                                                {GraphFormat::graphml, "graphml", ".graphml"},
                                                {GraphFormat::edges, "edges", ".csv"},
                                                {GraphFormat::adjacency, "adjacency", ".tsv"},
                                                {GraphFormat::npy, "npy", ".npy"},
                                                {GraphFormat::bif, "bif", ".bif"}}};

// ---- matrices without names ----

NamedGraph graph_of_matrix(const NumberArray& array, const std::string& file) {
  const auto where = [&] { return file; };
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    refuse_graph("E-GRAPH-MATRIX", where, "the matrix is not square",
                 "rows are causes, columns are effects, one of each per variable");
  const std::size_t m = array.shape[0];
  GraphBuilder builder;
  for (std::size_t v = 0; v < m; ++v) builder.add("X" + std::to_string(v), where);
  const bool plain = std::all_of(array.values.begin(), array.values.end(),
                                 [](double x) { return x == 0 || x == 1; });
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const double value = array.values[i * m + j];
      const auto here = [&] {
        return file + "[" + std::to_string(i) + "," + std::to_string(j) + "]";
      };
      if (!(value >= 0 && value <= 1))
        refuse_graph("E-GRAPH-VALUE", here, shortest(value) + " is not a probability", "0 to 1");
      if (value == 0) continue;
      GraphBuilder::Edge edge;
      if (!plain) edge.probability = value;
      builder.connect(i, j, edge, here);
    }
  return std::move(builder).finish();
}

NumberArray matrix_of(const NamedGraph& graph, MatrixContent content) {
  const std::size_t m = graph.names.size();
  const bool probable = content == MatrixContent::probabilities && !graph.probabilities.empty();
  NumberArray array{{m, m}, {}, !probable};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      array.values.push_back(probable ? graph.probability(i, j)
                                      : double(graph.graph.edge(VariableId(i), VariableId(j))));
  return array;
}

NamedGraph transposed(const NamedGraph& graph) {
  NamedGraph turned = graph;
  const std::size_t m = graph.names.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      turned.graph.set_edge(VariableId(j), VariableId(i),
                            graph.graph.edge(VariableId(i), VariableId(j)));
      if (!graph.probabilities.empty())
        turned.probabilities[j * m + i] = graph.probabilities[i * m + j];
    }
  return turned;
}

// ---- JSON ----

const Json& member(const Json& object, const char* key, Json::Kind kind, const std::string& file) {
  const Json* value = object.is(Json::Kind::object) ? object.find(key) : nullptr;
  if (value == nullptr || !value->is(kind))
    refuse_graph(
        "E-GRAPH-FORMAT", [&] { return place_in(file, (value ? *value : object).place); },
        std::string("'") + key + "' is missing or of another kind",
        "a graph in JSON has \"variables\" and \"edges\" with \"from\" and \"to\"");
  return *value;
}

std::size_t variable_in(const GraphBuilder& builder, const Json& name, const std::string& file) {
  const auto found = name.is(Json::Kind::text) ? builder.find(name.text) : std::nullopt;
  if (!found)
    refuse_graph(
        "E-GRAPH-EDGE", [&] { return place_in(file, name.place); },
        "there is no variable " + in_quotes(name.text), "names stand in \"variables\"");
  return *found;
}

/// The pairs of "graph", or nothing where there is no such list.
std::optional<std::vector<std::pair<std::size_t, std::size_t>>> listed_edges(
    const Json& json, const GraphBuilder& builder, const std::string& file) {
  const Json* list = json.find("graph");
  if (list == nullptr) return std::nullopt;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Json& pair : member(json, "graph", Json::Kind::list, file).items) {
    if (!pair.is(Json::Kind::list) || pair.items.size() != 2)
      refuse_graph(
          "E-GRAPH-FORMAT", [&] { return place_in(file, pair.place); },
          "an edge of \"graph\" is a list of two names");
    pairs.emplace_back(variable_in(builder, pair.items[0], file),
                       variable_in(builder, pair.items[1], file));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

[[noreturn]] void refuse_graph(const char* id, const Where& where, const std::string& problem,
                               const std::string& hint) {
  throw Error(ExitCode::bad_data, id, where(), problem, hint);
}

std::size_t GraphBuilder::add(const std::string& name, const Where& where, bool again) {
  if (const auto known = find(name)) {
    if (!again) refuse_graph("E-GRAPH-NAME", where, in_quotes(name) + " is named twice");
    return *known;
  }
  if (name.empty() || name.size() > max_name_bytes || name.find('\0') != name.npos)
    refuse_graph("E-GRAPH-NAME", where, in_quotes(name) + " cannot be the name of a variable",
                 "1 to " + std::to_string(max_name_bytes) + " bytes, none of them NUL");
  if (names_.size() == largest_named_graph)
    throw Error(ExitCode::resource, "E-LIMIT-GRAPH", where(),
                "more than " + std::to_string(largest_named_graph) + " variables");
  numbers_.emplace(name, names_.size());
  names_.push_back(name);
  return names_.size() - 1;
}

std::optional<std::size_t> GraphBuilder::find(const std::string& name) const {
  const auto at = numbers_.find(name);
  if (at == numbers_.end()) return std::nullopt;
  return at->second;
}

void GraphBuilder::connect(std::size_t cause, std::size_t effect, const Edge& edge,
                           const Where& where) {
  if (cause == effect)
    refuse_graph("E-GRAPH-EDGE", where, in_quotes(names_[cause]) + " would cause itself");
  if (!seen_.emplace(std::pair(cause, effect), true).second)
    refuse_graph("E-GRAPH-EDGE", where,
                 "the edge from " + in_quotes(names_[cause]) + " to " + in_quotes(names_[effect]) +
                     " is given twice");
  links_.push_back({cause, effect, edge});
}

NamedGraph GraphBuilder::finish() && {
  const std::size_t m = names_.size();
  NamedGraph result{std::move(names_), Graph(m)};
  const bool probable = std::any_of(links_.begin(), links_.end(),
                                    [](const Link& l) { return l.edge.probability.has_value(); });
  if (probable) result.probabilities.assign(m * m, 0.0);
  for (const Link& link : links_) {
    const bool in = link.edge.in_graph.value_or(link.edge.probability.value_or(1) >= 0.5);
    result.graph.set_edge(VariableId(link.cause), VariableId(link.effect), in);
    if (probable)
      result.probabilities[link.cause * m + link.effect] =
          link.edge.probability.value_or(in ? 1 : 0);
  }
  return result;
}

double probability_of(std::string_view text, const Where& where) {
  const ParsedField field = parse_field(text);
  if (field.kind != FieldKind::number || !(field.value >= 0 && field.value <= 1))
    refuse_graph("E-GRAPH-VALUE", where, in_quotes(text) + " is not a probability", "0 to 1");
  return field.value;
}

bool yes_no_of(std::string_view text, const Where& where) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  refuse_graph("E-GRAPH-VALUE", where, in_quotes(text) + " is neither yes nor no",
               "1, 0, true or false");
}

void for_each_link(const NamedGraph& graph,
                   const std::function<void(std::size_t cause, std::size_t effect)>& visit) {
  const std::size_t m = graph.names.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (graph.graph.edge(VariableId(i), VariableId(j)) ||
          (!graph.probabilities.empty() && i != j && graph.probability(i, j) > 0))
        visit(i, j);
}

std::string_view name_of(GraphFormat format) {
  for (const FormatName& f : formats)
    if (f.format == format) return f.name;
  return "?";
}

std::optional<GraphFormat> graph_format_of(std::string_view name) {
  for (const FormatName& f : formats)
    if (f.name == name) return f.format;
  return std::nullopt;
}

std::optional<GraphFormat> graph_format_of(const std::filesystem::path& path) {
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  if (end.empty()) return std::nullopt;
  for (const FormatName& f : formats)
    for (const std::string& known : split(f.ends, ' '))
      if (known == end) return f.format;
  return std::nullopt;
}

namespace {

/// "format" is a name with a version beside it, or, in results, the version itself.
void refuse_newer(const Json& json, const std::string& file) {
  const Json* format = json.is(Json::Kind::object) ? json.find("format") : nullptr;
  if (format == nullptr) return;
  const bool graph = format->is(Json::Kind::text) && format->text == "whence-graph";
  const Json* version = format->is(Json::Kind::number) ? format
                        : graph                        ? json.find("version")
                                                       : nullptr;
  if (version == nullptr) return;
  const std::uint64_t known = graph ? graph_json_version : newest_result_format;
  if (version->as_uint64().value_or(known + 1) > known)
    refuse_graph(
        "E-GRAPH-VERSION", [&] { return place_in(file, version->place); },
        "a newer whence wrote this: version " + excerpt(version->text), "use a newer whence");
}

}  // namespace

NamedGraph graph_of_json(const Json& json, const std::string& file) {
  refuse_newer(json, file);
  const auto at = [&](const Json& value) { return [&] { return place_in(file, value.place); }; };
  GraphBuilder builder;
  for (const Json& name : member(json, "variables", Json::Kind::list, file).items) {
    if (!name.is(Json::Kind::text))
      refuse_graph("E-GRAPH-FORMAT", at(name), "the name of a variable is a text");
    builder.add(name.text, at(name));
  }
  auto listed = listed_edges(json, builder, file);
  for (const Json& item : member(json, "edges", Json::Kind::list, file).items) {
    const std::size_t from =
        variable_in(builder, member(item, "from", Json::Kind::text, file), file);
    const std::size_t to = variable_in(builder, member(item, "to", Json::Kind::text, file), file);
    GraphBuilder::Edge edge;
    if (const Json* p = item.find("probability"); p != nullptr && !p->is(Json::Kind::null)) {
      if (!p->is(Json::Kind::number))
        refuse_graph("E-GRAPH-VALUE", at(*p), "a probability is a number from 0 to 1");
      edge.probability = probability_of(p->text, at(*p));
    }
    if (listed) {
      const auto place = std::find(listed->begin(), listed->end(), std::pair(from, to));
      edge.in_graph = place != listed->end();
      if (place != listed->end()) listed->erase(place);
    }
    builder.connect(from, to, edge, at(item));
  }
  if (listed)
    for (const auto& [from, to] : *listed) builder.connect(from, to, {{}, true}, at(json));
  return std::move(builder).finish();
}

std::string write_graph_json(const NamedGraph& graph) {
  Json edges = Json::list(), list = Json::list();
  for_each_link(graph, [&](std::size_t i, std::size_t j) {
    Json edge = Json::object({{"from", graph.names[i]}, {"to", graph.names[j]}});
    if (!graph.probabilities.empty()) edge.set("probability", graph.probability(i, j));
    edges.items.push_back(std::move(edge));
    if (graph.graph.edge(VariableId(i), VariableId(j)))
      list.items.push_back(Json::list(std::vector<std::string>{graph.names[i], graph.names[j]}));
  });
  return Json::object({{"format", "whence-graph"},
                       {"version", graph_json_version},
                       {"orientation", "every edge goes from the cause to the effect"},
                       {"variables", Json::list(graph.names)},
                       {"edges", std::move(edges)},
                       {"graph", std::move(list)}})
             .dump(2) +
         "\n";
}

namespace {

/// What is wrong with the JSON of a graph is bad data here, not a bad configuration.
Json graph_json(std::string_view text, const std::string& file) {
  try {
    return read_json(text, file, {.bytes = max_bytes});
  } catch (const Error& error) {
    throw Error(ExitCode::bad_data, error.id(), error.place(), error.what(), error.hint());
  }
}

/// Names go into JSON and pages: all text is UTF-8.
void require_utf8(std::string_view text, const std::string& file) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at, 4));
    if (length == 0)
      throw Error(ExitCode::bad_data, "E-GRAPH-ENCODING", file,
                  "byte " + std::to_string(at + 1) + " is not UTF-8", "convert the file to UTF-8");
    at += length;
  }
}

}  // namespace

NamedGraph parse_graph(std::string_view text, GraphFormat format, const std::string& file) {
  if (format != GraphFormat::npy) require_utf8(text, file);
  switch (format) {
    case GraphFormat::json: return graph_of_json(graph_json(text, file), file);
    case GraphFormat::dot: return parse_dot(text, file);
    case GraphFormat::gml: return parse_gml(text, file);
    case GraphFormat::graphml: return parse_graphml(text, file);
    case GraphFormat::edges: return parse_edge_list(text, file);
    case GraphFormat::adjacency: return parse_adjacency(text, file);
    case GraphFormat::npy: {
      MemorySource source(file, text);
      return graph_of_matrix(read_npy_array(source), file);
    }
    case GraphFormat::bif: {
      const DiscreteNetwork network = parse_bif(text, file);
      NamedGraph graph{{}, network.graph};
      for (const Variable& v : network.variables) graph.names.push_back(v.name);
      return graph;
    }
  }
  return {};
}

NamedGraph read_graph_file(const std::filesystem::path& path, std::optional<GraphFormat> format,
                           bool turned) {
  const std::string file = printable(path.string());
  const auto by_name = graph_format_of(path);
  if (!format && !by_name)
    throw Error(ExitCode::bad_data, "E-GRAPH-FORMAT", file,
                "the end of the name does not say which format this is",
                "json, dot, gml, graphml, csv, npy or bif");
  const std::string text = read_text_file(path, max_bytes);
  const bool any_csv =
      !format && (by_name == GraphFormat::edges || by_name == GraphFormat::adjacency);
  const NamedGraph graph =
      any_csv ? parse_graph_csv(text, file) : parse_graph(text, format.value_or(*by_name), file);
  return turned ? transposed(graph) : graph;
}

/// Only JSON can spell out what acts on a terminal; elsewhere such characters are shown as \xNN.
static std::string shown_name(std::string_view name) {
  std::string out;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("\n\t", begin), name.size());
    out += printable(name.substr(begin, end - begin));
    if (end < name.size()) out += name[end];
    begin = end + 1;
  }
  return out;
}

static NamedGraph with_printable_names(NamedGraph graph) {
  for (std::string& name : graph.names) name = shown_name(name);
  return graph;
}

bool names_are_printable(const NamedGraph& graph) {
  return std::all_of(graph.names.begin(), graph.names.end(),
                     [](const std::string& name) { return shown_name(name) == name; });
}

std::string write_graph(const NamedGraph& graph, GraphFormat format, MatrixContent content) {
  if (format != GraphFormat::json && !names_are_printable(graph))
    return write_graph(with_printable_names(graph), format, content);
  switch (format) {
    case GraphFormat::json: return write_graph_json(graph);
    case GraphFormat::dot: return write_dot(graph);
    case GraphFormat::gml: return write_gml(graph);
    case GraphFormat::graphml: return write_graphml(graph);
    case GraphFormat::edges: return write_edge_list(graph);
    case GraphFormat::adjacency: return write_adjacency(graph, content);
    case GraphFormat::npy: return npy_bytes(matrix_of(graph, content));
    case GraphFormat::bif: break;
  }
  throw Error(ExitCode::bad_data, "E-GRAPH-TABLES", "",
              "a BIF file holds tables of probabilities, and a graph has none",
              "convert from another BIF file, or choose another format");
}

void require_acyclic(const NamedGraph& graph, const std::string& file) {
  if (graph.graph.is_acyclic()) return;
  throw Error(ExitCode::bad_data, "E-GRAPH-CYCLE", file, "the graph has a cycle",
              "remove one of the edges that close it");
}

}  // namespace whence
