#include "whence/judge/evaluate.hpp"

#include "whence/judge/graph_truth.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/graph_report.hpp"

namespace whence {

Evaluation evaluate(const DirectionResult& result, const PairSimulation& what) {
  return evaluate(direction_json(result, {}), "result", pair_truth_json(what), "truth");
}

GraphEvaluation evaluate(const GraphResult& result, const GraphSimulation& simulation) {
  const GraphTruth& truth = simulation.truth;
  const Json found = graph_result_json(result, {});
  const Json known = Json::object({{"environments", environments_truth_json(simulation)}});
  return evaluate_graph(named_graph(result), &found, "result", {truth.names, truth.graph}, &known,
                        "truth");
}

}  // namespace whence
