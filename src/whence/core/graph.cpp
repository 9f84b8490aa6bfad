#include "whence/core/graph.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

namespace {

constexpr std::size_t largest_graph = 1000;  // variables that a text may name

[[noreturn]] void refuse_graph_text(const std::string& problem) {
  throw Error(ExitCode::bad_config, "E-GRAPH-SYNTAX", "graph", problem,
              "write edges as \"0->1->2,{0-3}->4\", or a preset such as \"chain5\"");
}

/// Reads a graph character by character; blanks do not count.
class GraphReader {
 public:
  explicit GraphReader(std::string_view text) : text_(text) {}

  std::vector<std::pair<std::size_t, std::size_t>> edges() {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    if (at_end()) return found;
    do {
      std::vector<std::size_t> left = members();
      while (take('-')) {
        if (!take('>')) refuse_graph_text("an arrow is written \"->\"");
        std::vector<std::size_t> right = members();
        for (std::size_t cause : left)
          for (std::size_t effect : right) found.emplace_back(cause, effect);
        left = std::move(right);
      }
    } while (take(','));
    if (!at_end())
      refuse_graph_text("'" + excerpt(text_.substr(at_), 20) + "' does not belong into a graph");
    return found;
  }

  std::size_t named() const { return named_; }

 private:
  /// One variable, or a set of them in braces.
  std::vector<std::size_t> members() {
    if (!take('{')) return {number()};
    std::vector<std::size_t> set;
    do {
      const std::size_t first = number();
      const std::size_t last = take('-') ? number() : first;
      if (last < first) refuse_graph_text("a range goes upwards");
      for (std::size_t v = first; v <= last; ++v) set.push_back(v);
    } while (take(','));
    if (!take('}')) refuse_graph_text("a set ends with '}'");
    return set;
  }

  std::size_t number() {
    skip_blanks();
    std::size_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc{} || value >= largest_graph)
      refuse_graph_text("expected the number of a variable, 0 to " +
                        std::to_string(largest_graph - 1));
    at_ += std::size_t(end - begin);
    named_ = std::max(named_, value + 1);
    return value;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0, named_ = 0;
};

/// Whether a preset of that name has the edge i -> j, i < j, among n variables.
bool preset_edge(std::string_view name, std::size_t n, std::size_t i, std::size_t j) {
  const auto mother = [](std::size_t v) { return (v - 1) / 2; };  // in a binary tree, v > 0
  if (name == "chain") return j == i + 1;
  if (name == "fork") return i == 0;
  if (name == "collider") return j == n - 1;
  if (name == "confounder") return i == 0 || j == n - 1;  // 0 causes all, all cause the last
  if (name == "full") return true;
  if (name == "bidiag") return j <= i + 2;
  if (mother(j) == i) return true;  // tree and jungle
  return name == "jungle" && mother(j) > 0 && mother(mother(j)) == i;
}

constexpr std::string_view presets[] = {"chain", "fork", "collider", "confounder",
                                        "full",  "tree", "jungle",   "bidiag"};

/// The graph of a preset, or one without variables when the text names none.
Graph read_preset(std::string_view text) {
  const auto* preset =
      std::find_if(std::begin(presets), std::end(presets),
                   [&](std::string_view p) { return text.substr(0, p.size()) == p; });
  if (preset == std::end(presets)) return Graph(0);
  const std::string_view digits = text.substr(preset->size());
  std::size_t n = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (problem != std::errc{} || end != digits.data() + digits.size() || n < 2 || n > largest_graph)
    refuse_graph_text("'" + std::string(*preset) +
                      "' is followed by the number of variables, 2 to " +
                      std::to_string(largest_graph));
  Graph graph(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      graph.set_edge(VariableId(i), VariableId(j), preset_edge(*preset, n, i, j));
  return graph;
}

}  // namespace

std::size_t Graph::edge_count() const {
  std::size_t count = 0;
  each_edge([&](std::size_t, std::size_t) { ++count; });
  return count;
}

bool Graph::is_acyclic() const {
  // Takes away variables without parents until none is left.
  std::vector<std::size_t> parents(variables_, 0), roots;
  for (std::size_t p = 0; p < variables_; ++p)
    for (std::size_t v = 0; v < variables_; ++v) parents[v] += edge(VariableId(p), VariableId(v));
  for (std::size_t v = 0; v < variables_; ++v)
    if (parents[v] == 0) roots.push_back(v);
  std::size_t gone = 0;
  for (; !roots.empty(); ++gone) {
    const std::size_t root = roots.back();
    roots.pop_back();
    for (std::size_t v = 0; v < variables_; ++v)
      if (edge(VariableId(root), VariableId(v)) && --parents[v] == 0) roots.push_back(v);
  }
  return gone == variables_;
}

std::vector<Family> Graph::families() const {
  std::vector<Family> result;
  for (std::size_t v = 0; v < variables_; ++v) {
    Family family{VariableId(v), {}};
    for (std::size_t p = 0; p < variables_; ++p)
      if (edge(VariableId(p), VariableId(v))) family.parents.push_back(VariableId(p));
    result.push_back(std::move(family));
  }
  return result;
}

std::string Graph::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < variables_; ++i)
    for (std::size_t j = 0; j < variables_; ++j)
      if (edge(VariableId(i), VariableId(j)))
        text += (text.empty() ? "" : ", ") + std::to_string(i) + "->" + std::to_string(j);
  return text;
}

Graph read_graph(std::string_view text, std::size_t variables) {
  Graph graph = read_preset(text);
  std::size_t named = graph.variables();
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  if (named == 0) {
    GraphReader reader(text);
    edges = reader.edges();
    named = reader.named();
  }
  if (variables == 0) variables = named;
  if (named > variables || (graph.variables() > 0 && named != variables))
    throw Error(ExitCode::bad_config, "E-GRAPH-RANGE", "graph",
                "the graph names " + std::to_string(named) + " variables, but there are " +
                    std::to_string(variables));
  if (graph.variables() > 0) return graph;
  graph = Graph(variables);
  for (const auto& [cause, effect] : edges) graph.set_edge(VariableId(cause), VariableId(effect));
  if (!graph.is_acyclic())
    throw Error(ExitCode::bad_config, "E-GRAPH-CYCLE", "graph", "the graph has a cycle",
                "remove one of the edges that close it");
  return graph;
}

std::vector<Graph> all_acyclic_graphs(std::size_t variables) {
  if (variables > largest_enumerated_graph)
    throw Error(ExitCode::resource, "E-LIMIT-GRAPHS", "",
                "the acyclic graphs of " + std::to_string(variables) +
                    " variables are too many to sum over",
                "use at most " + std::to_string(largest_enumerated_graph) +
                    " variables, or the acyclicity penalty");
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < variables; ++i)
    for (std::size_t j = 0; j < variables; ++j)
      if (i != j) places.emplace_back(i, j);
  std::vector<Graph> graphs;
  for (std::size_t bits = 0; bits < std::size_t(1) << places.size(); ++bits) {
    Graph graph(variables);
    for (std::size_t b = 0; b < places.size(); ++b)
      if (bits >> b & 1) graph.set_edge(VariableId(places[b].first), VariableId(places[b].second));
    if (graph.is_acyclic()) graphs.push_back(std::move(graph));
  }
  return graphs;
}

ParentSet parent_set(const Graph& graph, VariableId child) {
  ParentSet set = 0;
  for (std::size_t p = 0; p < graph.variables(); ++p)
    if (p != child.value && graph.edge(VariableId(p), child))
      set |= ParentSet(1) << parent_bit(child.value, p);
  return set;
}

std::vector<Family> all_families(std::size_t variables) {
  std::vector<Family> families;
  for (std::size_t child = 0; child < variables; ++child)
    for (std::size_t set = 0; set < parent_sets(variables); ++set) {
      Family family{VariableId(child), {}};
      for (std::size_t b = 0; b + 1 < variables; ++b)
        if (set >> b & 1) family.parents.emplace_back(parent_of_bit(child, b));
      families.push_back(std::move(family));
    }
  return families;
}

}  // namespace whence
