// The models of mechanisms that find_graph knows: one list, from which the engine, the command line
// and the reports take names, accepted columns, scorers and assumptions.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "whence/core/dataset.hpp"
#include "whence/core/family_scorer.hpp"

namespace whence {

struct GraphTask;

/// What the scores assume of the data.
enum class GraphModel {
  automatic,
  linear,       // real variables, linear mechanisms
  categorical,  // categorical variables
  labels,       // any columns and mechanisms: evidence from environment labels
  own,          // GraphOptions::own_model
};
std::string_view name_of(GraphModel model);

/// One model. To add one, write its FamilyScorer, its name above and an entry in graph_models.cpp;
/// a program can also pass a model of its own in GraphOptions::own_model.
struct ModelEntry {
  /// The scorer of one data set. `like` scored the same data under another scale, or is null.
  using Make = std::unique_ptr<FamilyScorer>(const Dataset& data, const GraphTask& task,
                                             double scale, const FamilyScorer* like);

  GraphModel id = GraphModel::own;
  std::string_view name = {};
  std::string_view assumption = {};  // of mechanisms, as a sentence
  std::string_view proviso = {};     // the same after "... a direct cause if", or empty
  std::size_t most_variables = 256;
  bool has_scale = false;                    // its prior has one, found by evidence
  bool (*takes)(const Variable&) = nullptr;  // whether it accepts a column
  Make* make = nullptr;                      // null: a search of its own
};

std::span<const ModelEntry> graph_models();

/// The entry of a model; `own` has one that says no more than that, and `automatic` has none.
const ModelEntry& entry_of(GraphModel model);

/// Whether the model accepts every column.
bool takes_all(const ModelEntry& model, const Dataset& data);

}  // namespace whence
