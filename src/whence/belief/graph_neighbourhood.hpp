// What can be said in a hurry: one graph against the graphs that differ from it in one edge.
#pragma once

#include "whence/belief/edges.hpp"
#include "whence/belief/family_table.hpp"
#include "whence/belief/graph_sampler.hpp"

namespace whence {

/// P(edge | the rest of the graph, its regime), [cause][effect]: each pair of variables apart,
/// joined one way or the other, weighed by their scores. Edges that the graph lacks compete: a
/// variable takes one new cause at most, or a graph that still lacks much would be said to have
/// every edge that any lacking one makes look good. A direction that no change supports is shared
/// out over the graphs that the same changes allow. Not a posterior: the rest of the graph is taken
/// for true. What estimates call hopeless is left out; beyond a few new causes of each variable,
/// estimates stand for scores. `each_of` has to do all of its work.
EdgeMatrix neighbourhood_probabilities(const FamilyTable& table, const GraphDraw& graph,
                                       Stream stream, const EachOf& each_of = one_by_one);

}  // namespace whence
