// Data sets over a graph with a known truth: a baseline, and environments in which the mechanisms
// of chosen variables change. Linear mechanisms follow BaCaDI's protocol, categorical ones ENCO's;
// node_mechanism.hpp has the others.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/graph.hpp"
#include "whence/mechanisms/categorical_table.hpp"
#include "whence/worlds/graph_mechanism.hpp"

namespace whence {

/// The law of the noise of linear mechanisms, always with mean 0 and variance 1 before scaling.
enum class NoiseFamily { gaussian, t2_5, t5, laplace, lognormal };

/// What happens in a shifted environment.
enum class GraphShift {
  none,      // nothing
  hard,      // one variable no longer listens: linear mean z + 5 sign z, z ~ N(0,4); else even odds
  soft,      // one mechanism drawn anew, parents kept
  two_hard,  // two variables lose their parents
  all_soft,  // every mechanism drawn anew
  all_hard,  // no variable listens
  weak,      // hard with mean +-1; linear_gaussian only
  zero_mean,  // hard with mean 0: only variance and links change; linear_gaussian only
};

inline constexpr std::array all_graph_shifts = {
    GraphShift::none,     GraphShift::hard,     GraphShift::soft, GraphShift::two_hard,
    GraphShift::all_soft, GraphShift::all_hard, GraphShift::weak, GraphShift::zero_mean};
inline constexpr std::array all_noise_families = {NoiseFamily::gaussian, NoiseFamily::t2_5,
                                                  NoiseFamily::t5, NoiseFamily::laplace,
                                                  NoiseFamily::lognormal};

std::string_view name_of(GraphShift shift);
std::string_view name_of(NoiseFamily noise);

/// Whether the shift cuts its targets off from their causes.
bool is_hard(GraphShift shift);

struct GraphWorldSpec {
  Graph graph;
  std::vector<Variable> variables = {};  // empty: X0, X1, ... as `mechanism` and `levels` say
  GraphMechanism mechanism = GraphMechanism::linear_gaussian;
  GraphShift shift = GraphShift::hard;
  std::size_t environments = 20, rows = 10, baseline_rows = 100;

  // Linear: weights +-U(.5, 2) or N(0, 1), noise variances U(.05, .15).
  bool normal_weights = false;
  NoiseFamily noise = NoiseFamily::gaussian;

  // Categorical: drawn networks, or the tables of a file (one per variable, then all are given).
  int levels = 10;
  std::vector<CategoricalTable<double>> tables = {};

  // Hidden variables, each a cause of two variables that are not joined.
  std::size_t hidden = 0;

  // Every mechanism differs a little in every shifted environment: its offset by N(0, drift^2)
  // residual deviations, its slopes by less. Not of linear_gaussian and categorical mechanisms.
  double drift = 0;

  std::size_t typos = 0;  // cells that are 10 to 100 times too large
  double noise_rows = 0;  // share of rows that hold nothing but noise
};

struct GraphTruth {
  Graph graph;
  std::vector<std::string> names;                 // of the variables
  std::vector<std::vector<std::size_t>> targets;  // [environment]: what changed, ascending
  std::vector<GraphShift> shifts;                 // [environment]
  std::vector<std::pair<std::size_t, std::size_t>> confounded;  // by hidden variables
  double drift = 0;                                             // as the world's
};

struct GraphSimulation {
  Dataset data;  // environment 0 is the baseline
  GraphTruth truth;
};

/// One value of that noise: mean 0, variance 1.
double sample_noise(Stream& stream, NoiseFamily noise);

/// Environment e > 0 has target e - 1, counted modulo the number of variables (a second target is
/// drawn). Throws an Error for a cycle, for a shift that the mechanism does not have, and when a
/// hidden variable finds no two variables that are not joined.
GraphSimulation simulate_graph(const GraphWorldSpec& spec, std::uint64_t seed);

enum class Shuffle { all_rows, within_environments };

/// Every column in its own random order, so that no dependence is left. Shuffled over all
/// rows nothing differs between environments either; within them, the marginals still do.
void shuffle_columns(Dataset& data, Shuffle how, std::uint64_t seed);

}  // namespace whence
