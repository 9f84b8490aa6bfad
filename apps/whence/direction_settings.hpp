// How a direction is looked for, as people write it: a model and the weights of the prior.
//
// Weights have the names of `prior_json`: forward (the first column causes the second), backward
// and no_link; nothing, cause, mechanism, effect, row and both; quiet and turbulent. Weights that
// are given hold as they are; the others of their group share the rest in their usual proportions.
#pragma once

#include <string_view>

#include "whence/discover/pair/direction.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

struct DirectionSettings {
  DirectionModel model = DirectionModel::automatic;
  ChangePrior prior;
};

/// The text of a configuration: {"model": "labels", "prior": {"no_link": 0.1}}. Errors are of code
/// bad_config and name the place.
DirectionSettings read_direction_settings(std::string_view text, std::string_view file);

/// "no_link=0.1,quiet=0" laid over `prior`. Errors are of code usage.
ChangePrior parse_prior(std::string_view text, const ChangePrior& prior = {});

/// By the name that name_of() gives; nothing otherwise.
std::optional<DirectionModel> direction_model(std::string_view name);

}  // namespace whence
