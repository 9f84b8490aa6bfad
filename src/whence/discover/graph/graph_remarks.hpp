// What a search for a graph noticed beside its answer: what stays open, what may be wrong, what the
// data lack.
#pragma once

#include <string>
#include <vector>

#include "whence/core/dag.hpp"
#include "whence/core/family_scorer.hpp"
#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Columns that equal an earlier one.
std::vector<Remark> copied_columns(const Dataset& data);

/// Which shift would settle the directions that these could not, where nothing else was said of
/// them. For an answer whose directions were limited.
void advise(GraphResult& result);

/// Of an answer by an exact model, complete but for its remarks.
void remark_on_exact(GraphResult& result, const std::vector<Remark>& copies);

/// Edges that may be the work of a hidden common cause: fills `maybe_confounded`, with a remark
/// each.
void suspect_hidden_causes(GraphResult& result, const GraphOptions& options);

/// Of an answer by labels.
void remark_on_labels(GraphResult& result, const std::vector<Remark>& copies,
                      const GraphOptions& options);

/// Effects that have as many causes as a family may hold, where one more was looked for.
std::vector<Remark> full_families(const FamilyScorer& scorer, const Dag& dag,
                                  const std::vector<std::string>& names,
                                  const EdgeKnowledge& knowledge);

}  // namespace whence
