// Families and hypotheses: a variable with its parents, and one family per variable.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/ids.hpp"

namespace whence {

/// A variable with its parents: the paper's module P(V | parents).
struct Family {
  VariableId child;
  std::vector<VariableId> parents;
  bool operator==(const Family&) const = default;
};

/// Which row of a family's table a data row selects: mixed radix, the first parent most
/// significant.
inline std::size_t parent_configuration(const Dataset& data, const Family& family,
                                        std::size_t row) {
  std::size_t index = 0;
  for (VariableId parent : family.parents)
    index = index * std::size_t(data.variables[parent.value].levels) +
            std::size_t(data.columns[parent.value].levels[row]);
  return index;
}

/// Rows of a family's table: the number of configurations of its parents.
inline std::size_t configurations(std::span<const Variable> variables, const Family& family) {
  std::size_t rows = 1;
  for (VariableId parent : family.parents) rows *= std::size_t(variables[parent.value].levels);
  return rows;
}

/// A causal structure: one family per variable, as indices into a list of families, so that
/// hypotheses share the scores of the families they have in common.
struct Hypothesis {
  std::string name;
  std::vector<FamilyId> families;
};

/// The two explanations of a pair: families P(A), P(B|A) against P(B), P(A|B), in that order.
struct PairHypotheses {
  std::vector<Family> families;
  Hypothesis forward, backward;  // A -> B, B -> A
};

inline PairHypotheses pair_hypotheses(VariableId a = VariableId(0), VariableId b = VariableId(1)) {
  return {{{a, {}}, {b, {a}}, {b, {}}, {a, {b}}},
          {"A->B", {FamilyId(0), FamilyId(1)}},
          {"B->A", {FamilyId(2), FamilyId(3)}}};
}

}  // namespace whence
