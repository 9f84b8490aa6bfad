// A found graph on the page: the drawing with its threshold, who supports an edge, what changed
// where.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// Plain values; whoever found the graph fills them in.
struct GraphView {
  struct Edge {
    std::size_t from = 0, to = 0;
    double probability = 0, adjacent = 0;
    bool in_graph = false;
    bool open = false;                             // data of these shifts cannot tell its direction
    std::array<double, 2> leave_one_out = {0, 1};  // range, any one environment left out
    std::vector<double> support;                   // [environment], nats; may be empty
  };
  struct Environment {
    std::string name;
    std::size_t rows = 0;
    bool baseline = false;
    std::vector<double> changed;  // [variable]
    double all_changed = 0, none_changed = 0;
  };
  std::vector<std::string> variables;
  std::vector<Edge> edges;  // most probable first
  std::vector<Environment> environments;
  std::vector<std::string> advice;  // what would settle the rest
};

/// Sections of the page, complete without the script.
std::string graph_sections(const GraphView& view);

/// The drawing alone, as a file of its own.
std::string graph_svg(const GraphView& view);

/// What the script needs: a JSON object, safe inside <script>.
std::string graph_island(const GraphView& view);

std::string_view graph_style();
std::string_view graph_script();

}  // namespace whence
