// Families and hypotheses: who listens to whom.
#pragma once

#include <string>
#include <vector>

#include "whence/core/ids.hpp"

namespace whence {

/// A variable with its parents: the paper's module P(V | parents).
struct Family {
  VariableId child;
  std::vector<VariableId> parents;
  bool operator==(const Family&) const = default;
};

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
