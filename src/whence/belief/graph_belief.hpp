// What is believed of graphs and changes: the posterior by enumeration, where that can be done, and
// by search and Markov chains elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "whence/belief/edges.hpp"
#include "whence/belief/family_table.hpp"
#include "whence/belief/graph_sampler.hpp"

namespace whence {

/// A weighted list of graphs with their regimes, and what follows from it.
struct GraphBelief {
  EdgeMatrix edges;                 // P(cause -> effect), [cause][effect]
  std::vector<double> changed;      // [variable][environment]
  std::vector<double> all_changed;  // [environment]
  std::vector<double> none_changed;
  double quiet = 0;              // P(nothing changed anywhere)
  std::vector<GraphDraw> draws;  // equally weighted; of an enumeration: the best graph alone
};

/// Sums over all acyclic graphs and regimes are taken one by one up to these sizes.
inline constexpr std::size_t most_enumerated_regimes = 1000;
bool can_enumerate(const FamilyTable& table);

/// The exact posterior. An environment in which everything changed counts, for each graph, as the
/// mean over the graph's Markov class: it favours no direction. Weights of all graphs, in the order
/// of all_acyclic_graphs(), go into `log_weights` if it is given (not normalised).
GraphBelief enumerate_graphs(const FamilyTable& table, std::vector<double>* log_weights = nullptr);

/// Everything but the edges from draws; the edges are their frequencies.
GraphBelief belief_of_draws(const FamilyTable& table, std::vector<GraphDraw> draws);

/// All regimes that the prior allows.
std::vector<EnvironmentRegime> all_regimes(const FamilyTable& table);

}  // namespace whence
