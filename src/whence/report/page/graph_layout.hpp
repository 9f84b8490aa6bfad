// Where to draw the nodes of an acyclic graph: in layers, causes above effects.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/core/graph.hpp"

namespace whence {

struct LayoutPoint {
  double x = 0, y = 0;  // the middle of a node
};

struct LayoutEdge {
  std::size_t from = 0, to = 0;
  std::vector<LayoutPoint> bends;  // between the two nodes, one per layer in between
};

struct GraphLayout {
  double width = 0, height = 0;
  std::vector<LayoutPoint> nodes;
  std::vector<LayoutEdge> edges;  // causes in order
};

/// Nodes without edges stand in rows below the others. The same graph gives the same picture. The
/// graph is acyclic; `widths` are of the nodes, in the units of the picture.
GraphLayout lay_out(const Graph& graph, std::span<const double> widths, double layer_distance = 84,
                    double gap = 18);

}  // namespace whence
