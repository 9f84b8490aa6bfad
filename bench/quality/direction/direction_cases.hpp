// Data sets of two variables whose truth is known, for benchmarks and controls. Column 0 is the
// cause, environment 0 the baseline.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/evidence/categorical/conjugate_table.hpp"
#include "whence/paper/tasks/pair_task.hpp"
#include "whence/worlds/spline_world.hpp"

namespace whence {

/// What is drawn anew in every shifted environment.
enum class Situation {
  cause,
  effect,      // the effect no longer listens
  mechanism,   // all of the effect's mechanism
  row,         // one row of it
  both,        // cause and mechanism
  none,        // nothing
  apart,       // no link; one marginal
  confounded,  // no link but a hidden common cause, and that one shifts
};
std::string_view name_of(Situation situation);

/// Exactly one mechanism of a cause and its effect changes: the direction can be known.
constexpr bool identifiable(Situation situation) { return situation <= Situation::row; }

struct DiscreteDesign {
  Situation situation = Situation::cause;
  int levels = 10;
  bool sparse = false;  // tables from Dirichlet(1 / levels), otherwise Dirichlet(1)
  std::size_t training = 1000, rows = 100, environments = 1;
};
Dataset draw_discrete(const DiscreteDesign& design, RunKey key);

/// What of a mechanism shifts where it is linear.
enum class Moved { mean, variance, both };
std::string_view name_of(Moved moved);

struct RealDesign {
  bool spline = false;  // otherwise linear with Gaussian noise
  Situation situation = Situation::cause;
  Moved moved = Moved::both;  // linear pairs only
  CauseLaw::Kind law = CauseLaw::Kind::gaussian;
  int dimension = 1;  // of both variables; splines have 1
  std::size_t rows = 400, environments = 20;
};
/// Situation::row has no meaning here: an Error.
Dataset draw_real(const RealDesign& design, RunKey key);

/// Column 1 in another order: over all rows, or within each environment, so that shifts stay.
void shuffle_second(Dataset& data, bool within_environments, RunKey key);

/// Rows that are far out, one in a hundred: both columns of a real pair get Cauchy noise.
void add_heavy_tails(Dataset& data, RunKey key);

/// A pair drawn from the engine's own prior: structure, regime, what changed, every table.
struct PriorDraw {
  Structure structure = Structure::forward;
  std::vector<FamilyCounts> joint;  // per environment; rows: X, levels: Y
};
PriorDraw draw_from_prior(const ChangePrior& prior, std::size_t levels,
                          std::span<const std::size_t> rows, RunKey key);

}  // namespace whence
