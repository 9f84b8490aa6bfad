// Exact expectations: every joint state of a world, and every episode that could happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whence/math/random.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence::test {

inline std::size_t count_states(std::span<const Variable> variables) {
  std::size_t states = 1;
  for (const Variable& v : variables) states *= std::size_t(v.levels);
  return states;
}

/// Writes joint state `state` into a row, in the order of CategoricalWorld::log_joint().
inline void write_state(std::size_t state, Dataset& data, std::size_t row) {
  for (std::size_t v = data.variables.size(); v-- > 0;) {
    const auto levels = std::size_t(data.variables[v].levels);
    data.columns[v].levels[row] = std::int32_t(state % levels);
    state /= levels;
  }
}

/// Every joint state as one row.
inline Dataset all_states(std::span<const Variable> variables) {
  Dataset data = make_dataset(variables, count_states(variables));
  for (std::size_t s = 0; s < data.rows(); ++s) write_state(s, data, s);
  return data;
}

/// Every episode of `steps` mini-batches of `batch` rows.
inline EpisodeSet all_episodes(std::span<const Variable> variables, int steps, int batch) {
  const std::size_t states = count_states(variables);
  const std::size_t rows = Episode{0, steps, batch}.rows();
  std::size_t count = 1;
  for (std::size_t r = 0; r < rows; ++r) count *= states;
  EpisodeSet set{make_dataset(variables, count * rows), {}};
  for (std::size_t e = 0; e < count; ++e) {
    std::size_t digits = e;
    for (std::size_t r = 0; r < rows; ++r, digits /= states)
      write_state(digits % states, set.data, e * rows + r);
    set.episodes.push_back({e * rows, steps, batch});
  }
  return set;
}

/// P(state), in the order of all_states().
inline std::vector<double> probabilities(const CategoricalWorld& world) {
  std::vector<double> p = world.log_joint();
  for (double& x : p) x = portable_exp(x);
  return p;
}

/// The world after all rows of variable v's mechanism have been redrawn from Dirichlet(1).
inline CategoricalWorld with_mechanism_redrawn(const CategoricalWorld& world, VariableId v,
                                               std::uint64_t seed) {
  ShiftedWorld shifted(world);
  shifted.shift({ShiftKind::mechanism, v, v}, 1.0, Stream(seed, Purpose::shift, {}));
  return shifted.materialise();
}

inline const CategoricalTable<double>& table_of(const Module& module) {
  return std::get<CategoricalTable<double>>(module.mechanism);
}

/// A directed acyclic graph over categorical variables of the given sizes; edges are cause, effect.
struct Graph {
  std::string name;
  std::vector<int> levels;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
};

inline CategoricalWorld draw_world(const Graph& graph, std::uint64_t seed) {
  std::vector<Variable> variables;
  std::vector<Family> families;
  for (std::size_t v = 0; v < graph.levels.size(); ++v) {
    variables.push_back({"V" + std::to_string(v), Variable::Kind::categorical, graph.levels[v]});
    families.push_back({VariableId(v), {}});
  }
  for (const auto& [cause, effect] : graph.edges)
    families[effect].parents.push_back(VariableId(cause));
  return CategoricalWorld::draw(variables, families, 1.0, seed, 0);
}

/// Two to four variables: pairs, chains, forks, colliders, diamonds and a complete graph.
inline std::vector<Graph> small_graphs() {
  return {{"pair 2", {2, 2}, {{0, 1}}},
          {"pair 3", {3, 3}, {{0, 1}}},
          {"pair 4", {4, 4}, {{0, 1}}},
          {"pair 5", {5, 5}, {{0, 1}}},
          {"pair 6", {6, 6}, {{0, 1}}},
          {"pair against the order of the columns", {3, 4}, {{1, 0}}},
          {"chain", {2, 3, 4}, {{0, 1}, {1, 2}}},
          {"fork", {3, 2, 4}, {{0, 1}, {0, 2}}},
          {"collider", {2, 3, 3}, {{0, 2}, {1, 2}}},
          {"diamond", {2, 3, 2, 3}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}},
          {"complete", {2, 2, 3, 2}, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
          {"star", {3, 2, 2, 2}, {{0, 1}, {0, 2}, {0, 3}}}};
}

}  // namespace whence::test
