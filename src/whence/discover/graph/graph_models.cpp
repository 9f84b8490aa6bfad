#include "whence/discover/graph/graph_models.hpp"

#include <algorithm>
#include <array>

#include "whence/core/error.hpp"
#include "whence/discover/graph/graph_search_plan.hpp"
#include "whence/discover/graph/search_steps.hpp"
#include "whence/evidence/categorical/categorical_family_scores.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"

namespace whence {
namespace {

bool takes_number(const Variable& v) { return v.is_number(); }
bool takes_category(const Variable& v) {
  return v.dimension == 1 && v.kind == Variable::Kind::categorical;
}
bool takes_anything(const Variable&) { return true; }

std::unique_ptr<FamilyScorer> any_linear_scorer(const Dataset& data, const GraphTask& task,
                                                double scale, const FamilyScorer* like) {
  if (const auto* linear = dynamic_cast<const LinearFamilyScorer*>(like))
    return std::make_unique<LinearFamilyScorer>(*linear, scale, std::vector<char>());
  return linear_scorer(data, task, scale);
}

std::unique_ptr<FamilyScorer> categorical_scorer(const Dataset& data, const GraphTask& task,
                                                 double /*scale*/, const FamilyScorer* /*like*/) {
  CategoricalScoreOptions how;
  how.known = known_changes(data, task);
  return std::make_unique<CategoricalFamilyScorer>(data, how);
}

constexpr std::array models = {
    ModelEntry{.id = GraphModel::linear,
               .name = "linear",
               .assumption = "Effects are linear in their causes.",
               .proviso = ", effects are linear",
               .most_variables = most_variables,
               .has_scale = true,
               .takes = takes_number,
               .make = any_linear_scorer},
    ModelEntry{.id = GraphModel::categorical,
               .name = "categorical",
               .assumption = "All variables are categorical.",
               .takes = takes_category,
               .make = categorical_scorer},
    ModelEntry{.id = GraphModel::labels,
               .name = "labels",
               .assumption = "Mechanisms may have any form that a smooth regression can follow.",
               .takes = takes_anything},
};

constexpr ModelEntry callers_model = {
    .id = GraphModel::own,
    .name = "own",
    .assumption = "Mechanisms are those of the model that was passed in.",
    .proviso = ", the model that was passed in fits"};

}  // namespace

std::span<const ModelEntry> graph_models() { return models; }

const ModelEntry& entry_of(GraphModel model) {
  if (model == GraphModel::own) return callers_model;
  const auto at = std::find_if(models.begin(), models.end(),
                               [&](const ModelEntry& entry) { return entry.id == model; });
  if (at == models.end())
    throw Error(ExitCode::internal, "E-INTERNAL", "graph_models", "this model is not in the list");
  return *at;
}

std::string_view name_of(GraphModel model) {
  return model == GraphModel::automatic ? "auto" : entry_of(model).name;
}

bool takes_all(const ModelEntry& model, const Dataset& data) {
  return std::all_of(data.variables.begin(), data.variables.end(), model.takes);
}

}  // namespace whence
