// Random acyclic graphs, and the one text that names any graph of a world.
#pragma once

#include <string_view>

#include "whence/core/graph.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// The numbers 0 ... n-1 in random order.
std::vector<std::size_t> random_order(std::size_t n, Stream& stream);

/// Erdos-Renyi: every pair is joined with the same probability, so that `edges` are expected, and
/// edges follow a random order of the variables.
Graph draw_uniform_graph(std::size_t variables, double edges, Stream stream);

/// Barabasi-Albert with `links` edges per newcomer, which causes the older variables it attaches to
/// (with probability proportional to 1 + the number of their causes): few variables have very many
/// causes. Variables are then numbered at random. 20 variables with 2 links have 37 edges.
Graph draw_scale_free_graph(std::size_t variables, std::size_t links, Stream stream);

/// "er:20:40" (20 variables, 40 edges expected), "sf:50:2" (scale-free, 2 links per newcomer), or
/// anything that read_graph reads. Throws E-GRAPH-SYNTAX and what read_graph throws.
Graph draw_named_graph(std::string_view text, Stream stream);

}  // namespace whence
