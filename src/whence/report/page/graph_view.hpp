// A found graph on the page: the drawing with its threshold, which environments support an edge,
// what changed where.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// How an edge is drawn.
enum class EdgeLook {
  sure,         // at least 95 % probable
  unsupported,  // as probable, but no shift supports the direction
  shifts_only,  // seen in how environments differ, not within any of them
  unsure,       // less probable
  open,         // linked, but these shifts cannot tell the direction: no arrowhead
  hidden,       // dependent through something hidden: an arrowhead at both ends
};
inline constexpr std::size_t edge_looks = 6;

/// As classes and markers spell it.
std::string_view name_of(EdgeLook look);

/// Plain values, filled in by the report of each command.
struct GraphView {
  struct Edge {
    std::size_t from = 0, to = 0;
    double probability = 0, adjacent = 0;  // of a hidden link: that there is one
    bool in_graph = false;
    EdgeLook look = EdgeLook::sure;
    std::array<double, 2> leave_one_out = {0, 1};  // range, any one environment left out
    std::vector<double> support = {};              // [environment], nats; may be empty
    std::string effect = {};                       // what a step of the cause does; may be empty
    std::string doubt = {};                        // a reason against it; may be empty
    /// What the threshold compares: of an open edge, that there is one in either direction.
    double shown_by() const { return look == EdgeLook::open ? adjacent : probability; }
  };
  struct Environment {
    std::string name;
    std::size_t rows = 0;
    bool baseline = false;
    std::vector<double> changed;  // [variable]
    double all_changed = 0, none_changed = 0;
  };
  std::vector<std::string> variables;
  std::vector<Edge> edges;  // most probable first; an open pair once
  std::vector<Environment> environments;
  std::vector<std::string> advice;  // what would settle the rest
  std::string assumption = {};      // what "X causes Y" takes for granted, in one sentence
};

/// Sections of the page, complete without the script: the drawing; and what changed where, with
/// what would settle the rest.
std::string graph_section(const GraphView& view);
std::string changes_sections(const GraphView& view);

/// The drawing alone, with its legend, as a file of its own.
std::string graph_svg(const GraphView& view);

/// What the script needs: a JSON object, safe inside <script>.
std::string graph_island(const GraphView& view);

std::string_view graph_style();
std::string_view graph_script();

}  // namespace whence
