// How near a found graph, and what is said to have changed, came to the truth.
#pragma once

#include <optional>
#include <string>

#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/json/json.hpp"
#include "whence/judge/graph_metrics.hpp"

namespace whence {

struct GraphEvaluation {
  std::size_t variables = 0, edges = 0;              // of the truth
  StructuralDistance distance;                       // of the graph
  std::optional<std::size_t> intervention_distance;  // nothing when the graph has a cycle
  Detection found;
  // Of the probabilities, or of the graph as 0 and 1 where there are none.
  double area_under_roc = 0, average_precision = 0, precision_recall_area = 0;
  double cross_entropy_bits = 0;
  double expected_structural = 0;
  std::optional<double> expected_intervention;  // needs draws from the posterior

  struct Changes {
    std::size_t judged = 0;  // pairs of a variable and an environment of both documents
    std::size_t right = 0;   // classified rightly at 1/2
    std::size_t environments = 0, environments_right = 0;
    double average_precision = 0, area_under_roc = 0;
    Detection found;
  };
  std::optional<Changes> changes;
};

/// `result` and `truth` hold the same variables, in any order. The documents, where they are JSON,
/// add what changed ("environments") and draws from the posterior ("draws"). Errors are of code
/// bad_data and name the files.
GraphEvaluation evaluate_graph(const NamedGraph& result, const Json* result_document,
                               const std::string& result_file, const NamedGraph& truth,
                               const Json* truth_document, const std::string& truth_file);

Json graph_evaluation_json(const GraphEvaluation& evaluation);

}  // namespace whence
