// How a posterior over graphs is looked for: several searches, then several chains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "whence/belief/graph_belief.hpp"
#include "whence/core/dataset.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"

namespace whence {

/// What was asked for, and how the work is watched.
struct GraphTask : GraphOptions {
  GraphTask(const GraphOptions& options, const Control& how);
  Control control;
  const ModelEntry* entry = nullptr;  // the model that was chosen
  std::string part;                   // names this search among those of one answer
  // What linear scores need of the rows, where it was made beforehand: the data may lack them.
  std::shared_ptr<const LinearColumns> columns = {};
};

/// Scores of one data set under one prior.
struct ScoredFamilies {
  std::unique_ptr<FamilyScorer> scorer;
  std::unique_ptr<FamilyTable> table;
  double scale = 0;
};

/// Of linear families.
std::unique_ptr<LinearFamilyScorer> linear_scorer(const Dataset& data, const GraphTask& options,
                                                  double scale);

/// Scores under one scale of the prior (categorical data have none). `like` scored the same data
/// under another scale, and shares what it made of the rows.
ScoredFamilies score_families(const Dataset& data, const GraphTask& options, double scale,
                              const FamilyScorer* like = nullptr);

/// What must be there has to fit into a family.
void refuse_large_families(const Dataset& data, const FamilyScorer& scorer,
                           const EdgeKnowledge& knowledge);

/// The scale by evidence, and the graph it was chosen with.
ScoredFamilies choose_scores(const Dataset& data, const GraphTask& options, GraphDraw& best);

/// The posterior and how it was found.
struct FoundBelief {
  GraphBelief belief;
  GraphDraw best;
  SearchRecord record;
  // Standard errors over chains, [cause][effect] and [variable][environment]; empty where there are
  // no two chains.
  std::vector<double> edge_errors, change_errors;
};
FoundBelief find_belief(const FamilyTable& table, const GraphTask& options, const GraphDraw& start);
/// The posterior around graphs that searches found.
FoundBelief weigh_graphs(const FamilyTable& table, const GraphTask& options,
                         const std::vector<GraphDraw>& found, const Progress& progress);

/// The log-posterior score of one graph with the regime that suits it best: for judging a search.
double graph_score(const Dataset& data, const Graph& graph, const GraphOptions& options,
                   double scale);

}  // namespace whence
