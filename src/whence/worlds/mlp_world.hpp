// Ground truths whose mechanisms are MLPs, on any acyclic graph, and the shifts made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "whence/core/graph.hpp"
#include "whence/core/shift.hpp"
#include "whence/mechanisms/categorical_mlp.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence {

/// How the mechanisms of a world are drawn.
struct MlpDraw {
  int hidden = 8;
  Activation activation = Activation::relu;
  double spread = 2;     // standard deviation of the logits (MlpInitialisation::one_hot) ...
  bool kaiming = false;  // ... or the released code's: kaiming-normal over all M N inputs,
  double bias = 0.2;     // with biases uniform in +-bias
};

/// A structural model: one network per variable, listening to its parents only.
class MlpWorld {
 public:
  /// `mechanisms[v]` belongs to the family of v in the graph; throws an Error when one does not fit
  /// or the graph has a cycle.
  MlpWorld(std::vector<Variable> variables, const Graph& graph,
           std::vector<CategoricalMlp<double>> mechanisms);

  static MlpWorld draw(std::vector<Variable> variables, const Graph& graph, const MlpDraw& how,
                       std::uint64_t seed, std::uint32_t run);

  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Family>& families() const { return families_; }
  const Graph& graph() const { return graph_; }
  const CategoricalMlp<double>& mechanism(VariableId v) const { return mechanisms_[v.value]; }
  const std::vector<VariableId>& order() const { return order_; }  // parents before children

  /// The same distributions as tables: exact, for few parents.
  CategoricalWorld tabulate() const;

 private:
  std::vector<Variable> variables_;
  Graph graph_;
  std::vector<Family> families_;
  std::vector<CategoricalMlp<double>> mechanisms_;
  std::vector<VariableId> order_;
};

/// An order of the variables in which parents come before children; the graph has no cycle.
std::vector<VariableId> parents_first(std::span<const Family> families);

/// A network for a family, drawn as `how` says.
CategoricalMlp<double> draw_mlp(std::span<const Variable> variables, const Family& family,
                                const MlpDraw& how, Stream& stream);

/// M categorical variables with the same number of levels, named A, B, C, ...
std::vector<Variable> letter_variables(std::size_t variables, int levels);

/// Every edge i -> j, i < j, present with probability p.
Graph draw_graph(std::size_t variables, double p, Stream stream);

/// A world of networks seen through a shift; reuse one object for many episodes.
class ShiftedMlpWorld {
 public:
  explicit ShiftedMlpWorld(const MlpWorld& base);

  /// Draws what changes, replacing any earlier shift: a redrawn mechanism is a new network, a hard
  /// intervention one without parents, a row one configuration of the parents.
  void shift(const Shift& what, const MlpDraw& how, Stream stream);

  /// The released code's intervention: the variable is set to one level drawn evenly, whatever its
  /// parents.
  void force(VariableId v, Stream stream);

  /// Writes rows [first, first + rows) of data: one uniform per row and variable, in that order.
  void sample(Stream stream, Dataset& data, std::size_t first, std::size_t rows);

 private:
  /// Rows of cumulative probabilities, computed when first needed.
  struct Rows {
    std::vector<double> cumulative;   // [configuration][level]
    std::vector<std::uint8_t> known;  // [configuration]
  };
  struct Changed {
    std::optional<CategoricalMlp<double>> mechanism;  // instead of the base's
    bool ignores_parents = false;
    std::optional<std::size_t> row;  // the one configuration that changed
    std::vector<double> row_cumulative;
    Rows rows;
  };
  const double* row_of(VariableId v, const Dataset& data, std::size_t r);

  const MlpWorld* base_;
  std::vector<Rows> rows_;  // of the base's mechanisms: kept from shift to shift
  std::vector<Changed> changed_;
  std::vector<bool> is_changed_;
  std::vector<double> uniforms_;
};

}  // namespace whence
