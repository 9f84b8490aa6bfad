// The kinds of mechanisms that graphs are simulated with.
#pragma once

#include <array>
#include <string_view>

namespace whence {

enum class GraphMechanism {
  linear_gaussian,  // BaCaDI's protocol
  categorical,      // ENCO's protocol
  linear,           // this and the next ones: node_mechanism.hpp
  network,
  square,
  sine,
  multiplicative,
  heteroscedastic,
  count,
  mixed,          // half of the columns categorical
  dense_network,  // BaCaDI's nonlinear protocol
};

inline constexpr std::array all_graph_mechanisms = {
    GraphMechanism::linear_gaussian, GraphMechanism::categorical,     GraphMechanism::linear,
    GraphMechanism::network,         GraphMechanism::square,          GraphMechanism::sine,
    GraphMechanism::multiplicative,  GraphMechanism::heteroscedastic, GraphMechanism::count,
    GraphMechanism::mixed,           GraphMechanism::dense_network};

constexpr std::string_view name_of(GraphMechanism mechanism) {
  switch (mechanism) {
    case GraphMechanism::linear_gaussian: return "linear-gaussian";
    case GraphMechanism::categorical: return "categorical";
    case GraphMechanism::linear: return "linear";
    case GraphMechanism::network: return "network";
    case GraphMechanism::square: return "square";
    case GraphMechanism::sine: return "sine";
    case GraphMechanism::multiplicative: return "multiplicative";
    case GraphMechanism::heteroscedastic: return "heteroscedastic";
    case GraphMechanism::count: return "count";
    case GraphMechanism::mixed: return "mixed";
    case GraphMechanism::dense_network: return "dense-network";
  }
  return "?";
}

/// Whether a mechanism of node_mechanism.hpp: these may drift from run to run.
constexpr bool is_node_mechanism(GraphMechanism mechanism) {
  return mechanism != GraphMechanism::linear_gaussian && mechanism != GraphMechanism::categorical;
}

/// How an environment changes one variable.
enum class NodeShift { none, hard, soft };

}  // namespace whence
