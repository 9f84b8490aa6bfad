// The situations of whence bench graphs: published protocols with hidden targets, and controls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {

/// Which figures a row is held against, beside those of single rows.
enum class GraphFigure {
  none,
  accuracy,        // nearly all edges and targets, hardly a mistake
  mixed_accuracy,  // the same, a few more edges may be missed
  hidden,          // hidden common causes
  quiet,           // nothing to find: no direction and no change
  all_changed,     // nothing to find, and every environment says so
  drift,           // targets among mechanisms that all drift
  drift_only,      // nothing but drift
  damage,          // a damaged table turns no direction round
  protocol,        // BaCaDI's nonlinear protocol
};

struct GraphBenchRow {
  std::string name, title;
  std::string graph;                       // as draw_named_graph reads it; drawn for each data set
  GraphWorldSpec world{.graph = Graph()};  // but for its graph
  std::optional<Shuffle> shuffle = {};     // of the columns
  std::size_t sets = 30;                   // data sets
  bool speed = false;                      // timed one by one on all threads
  bool single_start = false;               // one search and one chain
  GraphFigure figure = GraphFigure::none;
};

/// All rows of that scale ("smoke": few and small data sets; "large": many variables), in the order
/// of the report.
std::vector<GraphBenchRow> graph_bench_rows(const std::string& scale);

/// Of data set `set`; other rows and sets have others.
std::uint64_t graph_bench_seed(std::uint64_t seed, const GraphBenchRow& row, std::size_t set);

/// The data of that seed, with the truth as it is after shuffling.
GraphSimulation draw_graph_bench(const GraphBenchRow& row, std::uint64_t seed);

}  // namespace whence
