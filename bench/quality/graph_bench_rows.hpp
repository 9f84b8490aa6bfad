// The situations of whence bench graphs: published protocols with hidden targets, and controls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whence/discover/graph_discovery.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {

struct GraphBenchRow {
  std::string name, title;
  std::string graph;                       // as draw_named_graph reads it; drawn for each data set
  GraphWorldSpec world{.graph = Graph()};  // but for its graph
  std::optional<Shuffle> shuffle = {};     // of the columns
  std::size_t sets = 30;                   // data sets
  bool speed = false;                      // timed one by one on all threads
  bool single_start = false;               // one search and one chain
};

/// All rows of that scale ("smoke": few and small data sets), in the order of the report.
std::vector<GraphBenchRow> graph_bench_rows(const std::string& scale);

/// Of data set `set`; other rows and sets have others.
std::uint64_t graph_bench_seed(std::uint64_t seed, const GraphBenchRow& row, std::size_t set);

/// The data of that seed, with the truth as it is after shuffling.
GraphSimulation draw_graph_bench(const GraphBenchRow& row, std::uint64_t seed);

}  // namespace whence
