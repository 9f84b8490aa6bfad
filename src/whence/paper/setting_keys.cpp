#include "whence/paper/setting_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

using Type = SettingKey::Type;

constexpr double int_max = std::numeric_limits<int>::max();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::denorm_min();  // the smallest number > 0
constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;

constexpr double most_variables = 8;  // a module for each of M 2^(M-1) families

constexpr SettingKey count(std::string_view name, std::string_view meaning) {
  return {name, Type::integer, 1, int_max, "at least 1", meaning};
}
constexpr SettingKey positive(std::string_view name, std::string_view meaning) {
  return {name, Type::number, tiny, largest, "greater than 0", meaning};
}
constexpr SettingKey decay(std::string_view name, std::string_view meaning) {
  return {name, Type::number, 0, below_one, "at least 0 and less than 1", meaning};
}
constexpr SettingKey flag(std::string_view name, std::string_view meaning) {
  return {name, Type::flag, 0, 1, "true or false", meaning};
}
constexpr SettingKey choice(std::string_view name, std::string_view choices,
                            std::string_view meaning) {
  return {name, Type::choice, 0, 0, choices, meaning};
}

constexpr SettingKey table[] = {
    {"levels", Type::integer, 2, int_max, "at least 2", "values a variable can take (N)"},
    count("runs", "independent repetitions; curves are medians over them"),
    count("training_distributions", "ground truths drawn"),
    count("transfer_distributions", "shifted distributions drawn for each ground truth"),
    count("episodes", "short runs of shifted data, one after the other"),
    count("steps", "updates in an episode, or of the whole training (T)"),
    count("long_runs", "repetitions of the long training"),
    count("long_steps", "updates of the long training"),
    count("batch", "examples per update"),
    {"dimensions", Type::integer, 1, 1000, "1 to 1000", "numbers in a vector (d)"},
    {"dimension", Type::integer, 1, 1000, "1 to 1000", "numbers in a vector (d)"},
    count("test_rows", "held-out examples"),
    count("training_rows", "examples that modules have been trained on"),
    count("undertrained_rows", "examples that badly trained modules have seen"),
    positive("equivalent_rows", "weight of the prior in counts, as a number of examples"),
    positive("learning_rates", "sizes of a step that are compared"),
    positive("learning_rate", "size of a step"),
    decay("momentum", "how much of the last step is repeated"),
    flag("nesterov", "look ahead along the momentum (sgd)"),
    decay("alpha", "decay of the squared gradient (rmsprop)"),
    decay("beta1", "decay of the mean gradient (adam)"),
    decay("beta2", "decay of the squared gradient (adam)"),
    positive("epsilon", "keeps the division by the gradient's size defined"),
    {"gamma0", Type::number, -40, 40, "between -40 and 40",
     "belief before the first episode (logit)"},
    positive("concentration", "of the Dirichlet distributions worlds are drawn from"),
    choice("optimizer", "sgd|rmsprop|adam", "the update rule"),
    choice("covariance_degrees", "2d|d+2", "degrees of freedom of the inverse-Wishart covariances"),
    flag("shift_covariance", "whether a shift redraws the covariance beside the mean"),
    choice("optimizers", "sgd|rmsprop|adam", "the update rules that are compared"),
    choice("belief_objective", "mixture|printed|per-step", "which regret moves the belief"),
    choice("shifts", "cause|effect|mechanism|row|both|none", "what changes between episodes"),
    choice("shift", "cause|effect|mechanism|row|both|none|either", "what changes between episodes"),
    choice("world", "categorical|linear-gaussian|network|spline", "the kind of ground truth"),
    choice("belief_over", "direction|edges", "two directions, or every edge of a graph"),
    choice("estimator", "exact|sampled", "the sum over all parent sets, or K sampled graphs"),
    choice("acyclicity", "none|exact|penalty", "whether and how cycles are kept out"),
    flag("frozen_or_adapting", "whether each module counts as frozen or adapting, half and half"),
    flag("all_so_far", "whether the belief descends the regret of all episodes so far"),
    choice("priors", "dense|sparse", "Dirichlet(1) or Dirichlet(1/N)"),
    choice("prior", "dense|sparse", "Dirichlet(1) or Dirichlet(1/N)"),
    choice("modules", "truth|counts|gradient", "how the modules know the training distribution"),
    choice("splines", "quadratic-8|cubic-8|cubic-10",
           "kinds of random splines: degree and number of points"),
    choice("extrapolation", "linear|polynomial|error", "what a spline is outside its points"),
    choice("cause_law", "gaussian|laplace|bimodal", "distribution of the cause"),
    choice("marginals", "online|hindsight|released",
           "scored before they are fitted, fitted to the points they score, or that with a softmax "
           "of the weights"),
    choice("marginals_scored", "online|hindsight|released",
           "ways of scoring marginals that are compared; that of 'marginals' is one of them"),
    choice("likelihood", "sum|mean",
           "whether an episode's log-likelihood is summed or averaged "
           "over its points"),
    choice("recipes", "printed|released|corrected", "how the encoder is learnt"),
    choice("learner", "densities|labels",
           "whether an encoder's episodes are scored by densities, from one start, or by labels, "
           "from several"),
    choice("meta_gradient", "exact|first-order",
           "whether the encoder's gradient goes through the adaptation"),
    count("hidden", "units of a network's hidden layer"),
    count("module_hidden", "units of the hidden layer of the modules that learn"),
    count("hidden_factor", "hidden units per level of a variable"),
    positive("spread", "standard deviation of the logits of a ground truth's networks"),
    choice("rows", "printed|released|corrected",
           "ways of learning that are compared: the paper's, its code's, the corrected one"),
    count("samples", "graphs drawn for one estimate of the gradient (K)"),
    count("large_runs", "repetitions of the released code's row for 50 levels and more"),
    {"variables", Type::integer, 2, most_variables, "2 to 8",
     "variables of the ground truth (M), where 'graph' is \"chain\""},
    {"graph", Type::graph, 2, most_variables, "2 to 8 variables",
     "edges of the ground truth: \"chain\", a preset with its size such as \"collider3\", a list "
     "such as \"0->1,{0,1}->2\", or \"er:5:6\" (5 variables, 6 edges expected)"},
    count("components", "Gaussians in a mixture"),
    count("training_steps", "updates of the modules before an episode"),
    count("training_batch", "examples per update of that training"),
    count("em_iterations", "iterations of expectation maximisation at the most"),
    count("control_episodes", "episodes of each control"),
    count("meta_steps", "updates of the encoder and of the belief"),
    count("angles", "angles at which the regret is measured"),
    count("online_worlds", "worlds on which the online learner of an encoder is tried"),
    count("online_control_worlds", "worlds on which a recipe of the paper sees other shifts"),
    count("online_episodes", "episodes that the online learner sees"),
    {"online_rows", Type::integer, 20, int_max, "at least 20", "rows of an episode seen online"},
    {"online_training_rows", Type::integer, 20, int_max, "at least 20",
     "rows of the training distribution that episodes are held against"},
    {"online_starts", Type::integer, 1, 1000, "1 to 1000",
     "angles at which the online learner starts"},
    count("points", "points drawn of each distribution"),
    {"decoder_angle", Type::number, -3.15, 3.15, "between -3.15 and 3.15",
     "by which the observations are rotated (radians)"},
    flag("tie_artefact", "repeat the spurious first step of the released code"),
    flag("reset", "whether parameters are reset before each episode"),
};

std::string described(const SettingKey& key) {
  return "'" + std::string(key.name) + "' is " + std::string(key.meaning);
}

SettingProblem wrong_type(const SettingKey& key, const char* wanted, const Json& value) {
  const std::string shown = value.is(Json::Kind::object) ? "an object"
                            : value.is(Json::Kind::list) ? "a list"
                                                         : excerpt(value.dump(), 40);
  return {"E-CONFIG-TYPE", "'" + std::string(key.name) + "' must be " + wanted + ", not " + shown,
          described(key)};
}

SettingProblem check_choice(const SettingKey& key, const Json& value) {
  if (!value.is(Json::Kind::text)) return wrong_type(key, "a text", value);
  const std::vector<std::string> choices = split(key.range, '|');
  if (std::find(choices.begin(), choices.end(), value.text) != choices.end()) return {};
  const std::string near = did_you_mean(value.text, choices);
  return {"E-CONFIG-CHOICE",
          "'" + std::string(key.name) + "' cannot be \"" + excerpt(value.text, 40) + "\"",
          (near.empty() ? "" : near + " ") + "possible: " + joined(choices)};
}

SettingProblem check_graph(const SettingKey& key, const Json& value) {
  if (!value.is(Json::Kind::text)) return wrong_type(key, "a text", value);
  if (value.text == "chain") return {};
  try {
    const std::size_t m = draw_named_graph(value.text, Stream(0, Purpose::world, {})).variables();
    if (double(m) >= key.min && double(m) <= key.max) return {};
    return {"E-CONFIG-RANGE", fmt::format("'{}' must have {}, not {}", key.name, key.range, m),
            described(key)};
  } catch (const Error& error) {
    return {error.id(), fmt::format("'{}' is no graph: {}", key.name, error.what()),
            described(key)};
  }
}

}  // namespace

std::span<const SettingKey> setting_keys() { return table; }

const SettingKey* find_setting_key(std::string_view key) {
  const std::string_view leaf = key.substr(key.rfind('.') + 1);  // npos + 1 == 0
  for (const SettingKey& row : table)
    if (row.name == leaf) return &row;
  return nullptr;
}

Json canonical_setting(const SettingKey& key, const Json& value) {
  if (key.type != Type::number) return value;
  Json result(value.as_double());
  result.place = value.place;
  return result;
}

SettingProblem check_setting(const SettingKey& key, const Json& value) {
  switch (key.type) {
    case Type::flag:
      return value.is(Json::Kind::boolean) ? SettingProblem{}
                                           : wrong_type(key, "true or false", value);
    case Type::choice: return check_choice(key, value);
    case Type::graph: return check_graph(key, value);
    case Type::integer:
      if (!value.is_integer()) return wrong_type(key, "a whole number, written in digits", value);
      break;
    case Type::number:
      if (!value.is(Json::Kind::number)) return wrong_type(key, "a number", value);
      break;
  }
  // Whole numbers of any length compare well as doubles: the limits are far below 2^53.
  const double number = value.as_double();
  if (number >= key.min && number <= key.max) return {};
  const bool too_large = number > key.max && key.max == int_max;
  const std::string wanted = too_large ? "at most " + shortest(int_max) : std::string(key.range);
  return {"E-CONFIG-RANGE",
          "'" + std::string(key.name) + "' must be " + wanted + ", not " + excerpt(value.text, 40),
          described(key)};
}

std::vector<std::string> optimizer_keys(std::string_view optimizer) {
  if (optimizer == "sgd") return {"learning_rate", "momentum", "nesterov"};
  if (optimizer == "rmsprop") return {"learning_rate", "alpha", "epsilon", "momentum"};
  if (optimizer == "adam") return {"learning_rate", "beta1", "beta2", "epsilon"};
  return {};
}

}  // namespace whence
