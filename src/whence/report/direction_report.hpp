// What was found about a pair, for machines (the object that schemas/direction.schema.json
// describes) and for people (tables and figures of the page).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

/// Raised when a reader of the JSON object would have to change.
inline constexpr int direction_format = 1;

/// Where a result comes from.
struct DirectionProvenance {
  std::vector<Variable> variables;
  std::vector<SourceInfo> inputs;
  Json options;                            // everything that was asked for, defaults included
  Json left_out = Json::list();            // columns and environments, with reasons
  std::vector<std::string> warnings = {};  // of the reader of the data
};

/// Equal inputs give equal bytes: no time, no folder, no thread count.
Json direction_json(const DirectionResult& result, const DirectionProvenance& provenance);

/// The answer in one sentence.
std::string in_words(const DirectionResult& result);

/// What "X causes Y" takes for granted, in one sentence.
std::string assumption_in_words(const DirectionResult& result);

/// {"from": ..., "to": ..., "probability": ...} for both directions, as used wherever beliefs are
/// shown.
Json beliefs_json(const std::array<std::string, 2>& variables,
                  const std::array<double, structures>& belief);

/// The belief after the first so many environments, a named baseline being the first.
struct BeliefStep {
  std::size_t environments = 0;
  std::array<double, structures> belief{};
};

/// From the prior to the result; where environments are many, about ten places.
std::vector<BeliefStep> belief_path(const DirectionResult& result);

/// What the page shows. Tables: "beliefs", "changes", "kinds", "prior-sensitivity".
Report direction_report(const DirectionResult& result, std::span<const BeliefStep> path);

/// "rain's own distribution": a change under the most probable structure.
std::string change_in_words(const DirectionResult& result, Change change);

/// The most probable change of an environment.
Change likely_change(const EnvironmentFinding& environment);

}  // namespace whence
