// What all readers of graphs share: names become numbers, and everything is checked once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/graph/graph_formats.hpp"

namespace whence {

/// The place of something in the file; called only for errors.
using Where = std::function<std::string()>;

/// Id of the error for a file that breaks the rules of its format.
inline constexpr const char* graph_syntax = "E-GRAPH-FORMAT";

[[noreturn]] void refuse_graph(const char* id, const Where& where, const std::string& problem,
                               const std::string& hint = {});

class GraphBuilder {
 public:
  /// The number of a variable, which is new or, with `again`, known already.
  std::size_t add(const std::string& name, const Where& where, bool again = false);
  std::optional<std::size_t> find(const std::string& name) const;
  std::size_t size() const { return names_.size(); }

  struct Edge {
    std::optional<double> probability = {};
    std::optional<bool> in_graph = {};  // not said: where there is no probability, or it is >= 1/2
  };
  void connect(std::size_t cause, std::size_t effect, const Edge& edge, const Where& where);

  NamedGraph finish() &&;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> numbers_;
  struct Link {
    std::size_t cause, effect;
    Edge edge;
  };
  std::vector<Link> links_;
  std::map<std::pair<std::size_t, std::size_t>, bool> seen_;
};

/// A probability or a yes/no as files write them; errors otherwise.
double probability_of(std::string_view text, const Where& where);
bool yes_no_of(std::string_view text, const Where& where);

/// Calls visit(cause, effect) for every pair that a format with edges writes: those in the graph,
/// and those with a probability above 0.
void for_each_link(const NamedGraph& graph,
                   const std::function<void(std::size_t cause, std::size_t effect)>& visit);

// One reader and one writer per format.
NamedGraph parse_dot(std::string_view text, const std::string& file);
NamedGraph parse_gml(std::string_view text, const std::string& file);
NamedGraph parse_graphml(std::string_view text, const std::string& file);
NamedGraph parse_edge_list(std::string_view text, const std::string& file);
NamedGraph parse_adjacency(std::string_view text, const std::string& file);
NamedGraph parse_graph_csv(std::string_view text, const std::string& file);  // either of the two
std::string write_dot(const NamedGraph& graph);
std::string write_gml(const NamedGraph& graph);
std::string write_graphml(const NamedGraph& graph);
std::string write_edge_list(const NamedGraph& graph);
std::string write_adjacency(const NamedGraph& graph, MatrixContent content);
std::string write_graph_json(const NamedGraph& graph);

}  // namespace whence
