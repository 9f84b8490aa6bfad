// What was found about many variables, for machines (the object that schemas/graph.schema.json
// describes) and for people (the page).
#pragma once

#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/report/page/graph_view.hpp"

namespace whence {

/// Raised when a reader of the JSON object would have to change.
inline constexpr int graph_result_format = 1;

/// Where a result comes from.
struct GraphProvenance {
  std::vector<Variable> variables;
  std::vector<SourceInfo> inputs;
  Json options;                            // everything that was asked for, defaults included
  Json left_out = Json::list();            // columns and environments, with reasons
  std::vector<std::string> warnings = {};  // of the reader of the data
};

/// Equal inputs give equal bytes: no time, no folder, no thread count.
Json graph_result_json(const GraphResult& result, const GraphProvenance& provenance);

/// The graph with its probabilities, for the formats of other programs.
NamedGraph named_graph(const GraphResult& result);

/// The answer in one or two sentences.
std::string in_words(const GraphResult& result);

/// What an arrow takes for granted, in one sentence.
std::string assumption_in_words(const GraphResult& result);

/// "+14.2 ± 0.3 per +21": change, half of its range, and the step of the cause.
std::string in_words(const EffectSize& effect);

/// What the page draws.
GraphView graph_view(const GraphResult& result);

/// What the page says beside it. Tables: "edges", with the range of each probability over leaving
/// out any one environment, and "changes"; of the paper's learner only "edges".
Report graph_report(const GraphResult& result);

/// The same probabilities as plain numbers, all of them, for spreadsheets: "edge-probabilities", a
/// row for each cause and effect, and "change-probabilities", a row for each environment; of the
/// paper's learner only the first.
std::vector<Table> probability_tables(const GraphResult& result);

}  // namespace whence
