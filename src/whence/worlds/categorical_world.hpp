// Categorical ground truths on any acyclic graph, and the shifts that interventions make of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whence/core/shift.hpp"
#include "whence/mechanisms/categorical_table.hpp"

namespace whence {

/// A structural model: one table of log-probabilities per variable. Log-probabilities, because a
/// Dirichlet(.01) draw has entries far below the smallest double.
class CategoricalWorld {
 public:
  /// `families[v]` is the family of variable v; throws an Error when the graph has a cycle or a
  /// table's shape does not fit.
  CategoricalWorld(std::vector<Variable> variables, std::vector<Family> families,
                   std::vector<CategoricalTable<double>> tables);

  /// Every row of every table drawn from the symmetric Dirichlet(concentration).
  static CategoricalWorld draw(std::vector<Variable> variables, std::vector<Family> families,
                               double concentration, std::uint64_t seed, std::uint32_t run);

  /// A -> B with N levels each.
  static CategoricalWorld draw_pair(int levels, double concentration, std::uint64_t seed,
                                    std::uint32_t run);

  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Family>& families() const { return families_; }
  const CategoricalTable<double>& table(VariableId v) const { return tables_[v.value]; }
  /// Parents before children.
  const std::vector<VariableId>& order() const { return order_; }

  /// log P(all variables), in mixed radix over the variables, the first most significant.
  std::vector<double> log_joint() const;

  /// The exact P(child | parents) of any family, causal or not, by summing the joint (Bayes' rule).
  /// Configurations of probability zero get a uniform row.
  CategoricalTable<double> conditional(const Family& family) const;
  /// The same where log_joint() is at hand.
  CategoricalTable<double> conditional(const Family& family,
                                       std::span<const double> log_joint) const;

 private:
  friend class ShiftedWorld;
  std::vector<Variable> variables_;
  std::vector<Family> families_;
  std::vector<CategoricalTable<double>> tables_;
  std::vector<VariableId> order_;
  std::vector<std::vector<double>> cumulative_;  // of each table's rows, for sampling
};

/// A world seen through a shift. Only what changed is stored, so that drawing a new shift for every
/// episode costs what the changed mechanism costs; reuse one object for many episodes.
class ShiftedWorld {
 public:
  explicit ShiftedWorld(const CategoricalWorld& base);

  /// Draws what changes from Dirichlet(concentration), replacing any earlier shift.
  void shift(const Shift& what, double concentration, Stream stream);

  /// Writes rows [first, first + rows) of data: one uniform per row and variable, in that order.
  void sample(Stream stream, Dataset& data, std::size_t first, std::size_t rows);

  /// The shifted model as a world of its own.
  CategoricalWorld materialise() const;

 private:
  struct View {
    const double* log_p;
    const double* cumulative;
    std::size_t row_stride;  // 0: the same marginal whatever the parents
  };
  struct Redrawn {
    std::vector<double> log_p, cumulative;
  };
  void redraw(VariableId v, std::size_t rows, double concentration, Stream& stream);
  void redraw_row(VariableId v, double concentration, Stream& stream);
  void sample_column(VariableId v, Dataset& data, std::size_t first, std::size_t rows);

  const CategoricalWorld* base_;
  std::vector<View> views_;
  std::vector<Redrawn> redrawn_;
  std::vector<double> uniforms_;              // [row][variable], of the sample being drawn
  std::vector<std::int32_t> configurations_;  // of several parents, likewise
};

/// An empty data set of that shape, to be filled by sample().
Dataset make_dataset(std::span<const Variable> variables, std::size_t rows);

}  // namespace whence
