#include "apps/whence/direction_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/config_needs.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

std::vector<std::string> weight_names() {
  ChangePrior prior;
  std::vector<std::string> names;
  for (const auto& group : weight_groups(prior))
    for (const PriorWeight& weight : group) names.push_back(weight.name);
  names.insert(names.end(), {"hidden", "quiet", "turbulent"});
  return names;
}

/// Where errors point to, and what kind they are.
struct Source {
  ExitCode code;
  std::string id, place;

  [[noreturn]] void refuse(const std::string& problem, const std::string& hint = {}) const {
    throw Error(code, id, place, problem, hint);
  }
};

using Given = std::map<std::string, double>;

/// Weights of one group that were not given share what is left.
void fill_group(const std::vector<PriorWeight>& group, const Given& given, const Source& source) {
  double fixed = 0, open = 0;
  std::size_t count = 0;
  for (const PriorWeight& weight : group) {
    const auto found = given.find(weight.name);
    if (found == given.end()) {
      open += *weight.value;
    } else {
      fixed += * weight.value = found->second;
      ++count;
    }
  }
  if (count == 0) return;
  const bool all = count == group.size() || open <= 0;
  if (fixed > 1 + 1e-9 || (all && std::abs(fixed - 1) > 1e-9))
    source.refuse("the weights of " + group[0].name + " to " + group.back().name + " sum to " +
                      rounded(fixed) + ", not to 1",
                  "leave one out: it gets the rest");
  if (all) return;
  for (const PriorWeight& weight : group)
    if (!given.contains(weight.name)) *weight.value *= std::max(0.0, 1 - fixed) / open;
}

ChangePrior laid_over(ChangePrior prior, const Given& given, const Source& source) {
  for (const auto& group : weight_groups(prior)) fill_group(group, given, source);
  if (const auto found = given.find("hidden"); found != given.end()) prior.hidden = found->second;
  if (prior.hidden >= 1)
    source.refuse("hidden leaves nothing for a direction", "choose a weight below 1");
  if (const auto found = given.find("quiet"); found != given.end()) prior.quiet = found->second;
  if (const auto found = given.find("turbulent"); found != given.end())
    prior.turbulent = found->second;
  if (prior.quiet + prior.turbulent >= 1)
    source.refuse("quiet and turbulent leave nothing for environments with single changes",
                  "choose weights that sum to less than 1");
  if (prior.structure[0] <= 0 || prior.structure[1] <= 0)
    source.refuse("a direction without weight can never be found", "choose weights above 0");
  const double single =
      1 - prior.change[std::size_t(Change::nothing)] - prior.change[std::size_t(Change::both)];
  if (single < 1e-6)
    source.refuse("nothing and both leave no weight for single changes",
                  "only an environment in which one mechanism changed can show a direction");
  return prior;
}

void check_weight(const std::string& name, double value, const Source& source) {
  const auto names = weight_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = did_you_mean(name, names);
    source.refuse("there is no prior weight '" + excerpt(name) + "'",
                  near.empty() ? "one of: " + joined(names) : near);
  }
  if (!(value >= 0 && value <= 1))
    source.refuse("the weight of " + name + " must lie between 0 and 1");
}

DirectionModel model_in(const Json& value, const Source& source) {
  const auto model = direction_model(value.text);
  if (!value.is(Json::Kind::text) || !model)
    source.refuse("there is no such model", "one of: auto, categorical, gaussian, labels");
  return *model;
}

ChangePrior prior_in(const Json& object, std::string_view file) {
  const auto at = [&](TextPlace place) {
    return Source{ExitCode::bad_config, "E-CONFIG-PRIOR", place_in(file, place)};
  };
  if (!object.is(Json::Kind::object)) at(object.place).refuse("the prior is an object of weights");
  Given given;
  for (const JsonMember& member : object.members) {
    if (!member.value.is(Json::Kind::number))
      at(member.value.place).refuse("a weight is a number between 0 and 1");
    check_weight(member.key, member.value.as_double(), at(member.place));
    given[member.key] = member.value.as_double();
  }
  return laid_over({}, given, at(object.place));
}

}  // namespace

std::optional<DirectionModel> direction_model(std::string_view name) {
  for (const auto model : {DirectionModel::automatic, DirectionModel::categorical,
                           DirectionModel::gaussian, DirectionModel::labels})
    if (name_of(model) == name) return model;
  return {};
}

DirectionSettings read_direction_settings(std::string_view text, std::string_view file) {
  Json config = read_json(text, file);
  const auto at = [&](TextPlace place, const char* id) {
    return Source{ExitCode::bad_config, id, place_in(file, place)};
  };
  if (!config.is(Json::Kind::object))
    at(config.place, "E-CONFIG-TYPE").refuse("a configuration is an object", "{\"prior\": {}}");
  take_needs(config, std::string(file));
  DirectionSettings settings;
  for (const JsonMember& member : config.members) {
    const Source key = at(member.place, "E-CONFIG-KEY");
    if (member.key == "model")
      settings.model = model_in(member.value, at(member.value.place, "E-CONFIG-VALUE"));
    else if (member.key == "prior")
      settings.prior = prior_in(member.value, file);
    else
      key.refuse("unknown key '" + excerpt(member.key) + "'", "known here: model, needs, prior");
  }
  return settings;
}

ChangePrior parse_prior(std::string_view text, const ChangePrior& prior) {
  const Source source{ExitCode::usage, "E-USAGE-VALUE", "--prior"};
  Given given;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    double value = 0;
    const char* end = part.data() + part.size();
    const bool reads = equals != std::string::npos && [&] {
      const auto [stop, error] = std::from_chars(part.data() + equals + 1, end, value);
      return error == std::errc{} && stop == end;
    }();
    if (!reads)
      source.refuse("'" + excerpt(part) + "' is not a name and a number", "--prior no_link=0.1");
    check_weight(name, value, source);
    if (!given.emplace(name, value).second)
      source.refuse(name + " is given more than once", "keep one");
  }
  return laid_over(prior, given, source);
}

}  // namespace whence
