#include "whence/paper/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/file_name.hpp"
#include "whence/io/json/config_needs.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/paper/embedded.hpp"
#include "whence/paper/setting_keys.hpp"

namespace whence {

struct Settings::Data {
  std::string profile, scale, run_name;
  std::optional<std::uint64_t> seed;
  bool changed_by_user = false;
  Json description, settings;
};

namespace {

using Kind = Json::Kind;

[[noreturn]] void refuse(const std::string& file, TextPlace place, const std::string& id,
                         const std::string& problem, const std::string& hint = {}) {
  throw Error(ExitCode::bad_config, id, place_in(file, place), problem, hint);
}

/// One layer of settings being laid over another.
class Overlay {
 public:
  Overlay(std::string file, const Json& root) : file_(std::move(file)), root_(root) {}

  void lay(Json& base, const Json& over) const {
    for (const JsonMember& member : over.members) {
      Json* old = base.find(member.key);
      const bool of_optimizer = base.find("optimizer") && is_optimizer_key(member.key);
      if (!old && !of_optimizer) refuse_key(base, member);
      if (old && old->is(Kind::object)) {
        if (!member.value.is(Kind::object)) refuse_shape(member, "an object");
        lay(*old, member.value);
      } else {
        base.set(member.key, checked(member, old ? old->kind : Kind::number));
      }
    }
    if (base.find("optimizer")) complete_optimizer(base, over);
  }

  /// A value that keeps the shape (list or not) of the one it replaces.
  Json checked(const JsonMember& member, Kind shape) const {
    if (shape != Kind::list) return checked_single(member.key, member.value, shape);
    if (!member.value.is(Kind::list))
      refuse_shape(member, "a list, such as [" + example(member) + "]");
    constexpr std::size_t longest = 64;
    if (member.value.items.empty() || member.value.items.size() > longest)
      refuse(file_, member.value.place, "E-CONFIG-RANGE",
             "'" + excerpt(member.key) + "' must have 1 to 64 entries, not " +
                 std::to_string(member.value.items.size()));
    Json list = Json::list();
    std::set<std::string> seen;
    for (const Json& item : member.value.items) {
      list.items.push_back(checked_single(member.key, item, item.kind));
      if (!seen.insert(list.items.back().dump()).second)
        refuse(file_, item.place, "E-CONFIG-DUPLICATE",
               excerpt(item.dump()) + " is twice in '" + excerpt(member.key) + "'", "keep one");
    }
    return list;
  }

 private:
  Json checked_single(const std::string& name, const Json& value, Kind shape) const {
    if (const SettingKey* key = find_setting_key(name)) {
      const SettingProblem problem = check_setting(*key, value);
      if (problem) refuse(file_, value.place, problem.id, problem.problem, problem.hint);
      return canonical_setting(*key, value);
    }
    if (value.kind != shape)
      refuse(file_, value.place, "E-CONFIG-TYPE", "'" + excerpt(name) + "' has the wrong type");
    return value;
  }

  static bool is_optimizer_key(const std::string& name) {
    for (const char* optimizer : {"sgd", "rmsprop", "adam"})
      for (const std::string& key : optimizer_keys(optimizer))
        if (key == name) return true;
    return false;
  }

  /// An optimizer carries exactly the keys it uses: defaults for those not given, an error for
  /// those the user gave in vain, and nothing left of another optimizer that it replaces.
  void complete_optimizer(Json& base, const Json& over) const {
    const std::string name = base.find("optimizer")->text;
    const std::vector<std::string> used = optimizer_keys(name);
    const auto is_used = [&](const std::string& key) {
      return !is_optimizer_key(key) || std::find(used.begin(), used.end(), key) != used.end();
    };
    for (const JsonMember& member : over.members)
      if (!is_used(member.key))
        refuse(file_, member.place, "E-CONFIG-KEY",
               "'" + member.key + "' is not used by the optimizer " + name,
               name + " uses: " + joined(used));
    std::erase_if(base.members, [&](const JsonMember& m) { return !is_used(m.key); });
    const OptimizerSpec standard;
    const JsonMember defaults[] = {{"momentum", standard.momentum}, {"nesterov", standard.nesterov},
                                   {"alpha", standard.alpha},       {"beta1", standard.beta1},
                                   {"beta2", standard.beta2},       {"epsilon", standard.epsilon}};
    for (const JsonMember& member : defaults)
      if (is_used(member.key) && !base.find(member.key)) base.set(member.key, member.value);
  }

  [[noreturn]] void refuse_shape(const JsonMember& member, const std::string& wanted) const {
    refuse(file_, member.value.place, "E-CONFIG-TYPE",
           "'" + excerpt(member.key) + "' must be " + wanted);
  }

  static std::string example(const JsonMember& member) {
    const bool plain = member.value.is(Kind::number) || member.value.is(Kind::text);
    return plain ? excerpt(member.value.dump()) : "...";
  }

  /// Unknown here: perhaps a typing error, perhaps it belongs into one of the nested objects.
  [[noreturn]] void refuse_key(const Json& base, const JsonMember& member) const {
    std::string hint;
    for (const JsonMember& outer : root_.members)
      if (outer.value.find(member.key)) hint = "it belongs inside '" + outer.key + "'";
    std::vector<std::string> known;
    for (const JsonMember& m : base.members) known.push_back(m.key);
    if (&base == &root_) known.insert(known.end(), {"name", "needs", "seed"});
    if (hint.empty()) hint = did_you_mean(member.key, known);
    if (hint.empty()) hint = "known here: " + joined(known);
    refuse(file_, member.place, "E-CONFIG-KEY", "unknown key '" + excerpt(member.key) + "'", hint);
  }

  std::string file_;
  const Json& root_;
};

/// The description's own settings obey the same table, and optimizers are completed.
void check_own(const Overlay& overlay, Json& settings) {
  for (JsonMember& member : settings.members) {
    if (member.value.is(Kind::object))
      check_own(overlay, member.value);
    else
      member.value = overlay.checked(member, member.value.kind);
  }
  overlay.lay(settings, Json::object());
}

/// Largest value under a key, wherever it is in the settings; `otherwise` when it is nowhere.
std::int64_t largest_of(const Json& settings, std::string_view key, std::int64_t otherwise) {
  std::int64_t result = otherwise;
  for (const JsonMember& member : settings.members) {
    if (member.value.is(Kind::object))
      result = std::max(result, largest_of(member.value, key, otherwise));
    if (member.key != key) continue;
    result = std::max(result, member.value.as_int64().value_or(otherwise));
    for (const Json& item : member.value.items)
      result = std::max(result, item.as_int64().value_or(otherwise));
  }
  return result;
}

/// How much there is to do: numbers that multiply each other.
struct Work {
  explicit Work(const Json& settings)
      : runs{largest_of(settings, "runs", 1), largest_of(settings, "training_distributions", 1),
             largest_of(settings, "transfer_distributions", 1)},
        points{largest_of(settings, "episodes", 1),
               std::max(largest_of(settings, "steps", 1), largest_of(settings, "long_steps", 1))},
        batch(largest_of(settings, "batch", 1)),
        levels(largest_of(settings, "levels", 1)) {}
  std::array<std::int64_t, 3> runs;
  std::array<std::int64_t, 2> points;
  std::int64_t batch, levels;
};

/// Every count must fit: the product of all that multiply stays below 2^62.
void check_work(const Work& work, const std::string& file) {
  constexpr std::int64_t limit = std::int64_t(1) << 62;
  std::int64_t product = work.batch;
  for (const std::span<const std::int64_t> factors :
       {std::span<const std::int64_t>(work.runs), std::span<const std::int64_t>(work.points)})
    for (const std::int64_t factor : factors) {
      if (factor > limit / product)
        refuse(file, {}, "E-CONFIG-OVERFLOW", "runs x episodes x steps x batch is more than 2^62",
               "lower one of them");
      product *= factor;
    }
}

/// The largest of several counts, of the settings that have them, and what it is called.
struct Count {
  const char* key;
  std::int64_t value;
};
Count largest_of(const Json& settings, std::initializer_list<const char*> keys) {
  Count largest{*keys.begin(), 1};
  for (const char* key : keys)
    if (const std::int64_t value = largest_of(settings, key, 1); value > largest.value)
      largest = {key, value};
  return largest;
}

/// About what a run allocates, and which setting asks for it: tables of N x N parameters (sixteen
/// doubles each), four curves per run, the rows of a batch or a sample, networks with the state of
/// their optimizer (measured: 900 doubles per hidden unit where it has ten components), graphs.
void check_memory(const Json& settings, const Work& work, const UserConfig& config) {
  struct Part {
    std::string what;
    double doubles;
  };
  const auto named = [](const char* key, double value) {
    return std::string(key) + " = " + shortest(value);
  };
  const double levels = double(work.levels);
  const double runs = double(work.runs[0]) * double(work.runs[1]) * double(work.runs[2]);
  const double points = double(std::max(work.points[0], work.points[1]));
  const Count rows =
      largest_of(settings, {"batch", "training_batch", "test_rows", "training_rows",
                            "undertrained_rows", "online_rows", "online_training_rows"});
  const double dimension = double(largest_of(settings, {"dimension", "dimensions"}).value);
  Count hidden = largest_of(settings, {"hidden", "module_hidden"});
  const std::int64_t factor = largest_of(settings, "hidden_factor", 0);
  const double units = std::max(double(hidden.value), double(factor) * levels);
  if (units > double(hidden.value)) hidden = {"hidden_factor", factor};
  const double components = double(largest_of(settings, "components", 1));
  const double samples = double(largest_of(settings, "samples", 1));
  const std::array parts = {
      Part{named("levels", levels), levels * levels * 16},
      Part{named("runs", runs), runs * points * 4},
      Part{named(rows.key, double(rows.value)), double(rows.value) * dimension * 6},
      Part{named(hidden.key, double(hidden.value)), units * (3 * components + levels) * 30},
      Part{named("samples", samples), samples * 8},
  };
  double bytes = 0;
  for (const Part& part : parts) bytes += part.doubles * sizeof(double);
  if (bytes <= double(config.max_memory)) return;
  const auto most = std::max_element(parts.begin(), parts.end(), [](const Part& x, const Part& y) {
    return x.doubles < y.doubles;
  });
  throw Error(ExitCode::resource, "E-LIMIT-MEMORY", config.file,
              "about " + shortest(bytes) + " bytes are needed, most of them for " + most->what +
                  "; the limit is " + std::to_string(config.max_memory),
              "lower it, or raise --max-memory");
}

std::uint64_t checked_seed(const Json& value, const std::string& file) {
  const auto seed = value.as_uint64();
  if (!seed)
    refuse(file, value.place, "E-CONFIG-SEED",
           "'seed' must be a whole number from 0 to 18446744073709551615, not " +
               excerpt(value.dump(), 40));
  return *seed;
}

std::string checked_name(const Json& value, const std::string& file) {
  if (!value.is(Kind::text) || !is_safe_file_name(value.text))
    refuse(file, value.place, "E-CONFIG-NAME",
           "'name' cannot be " + excerpt(value.dump(), 40) + ": it becomes a folder name",
           "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit");
  return value.text;
}

}  // namespace

std::string_view description_of(std::string_view experiment) {
  std::vector<std::string> names;
  for (int i = 0; i < embedded_experiment_count; ++i) {
    if (embedded_experiments[i].name == experiment) return embedded_experiments[i].text;
    names.emplace_back(embedded_experiments[i].name);
  }
  const std::string near = did_you_mean(experiment, names);
  throw Error(ExitCode::usage, "E-USAGE-EXPERIMENT", "",
              "there is no experiment '" + excerpt(experiment) + "'",
              near.empty() ? "there are: " + joined(names) : near);
}

Settings Settings::of(std::string_view experiment, std::string_view profile, std::string_view scale,
                      const UserConfig& config) {
  return from(description_of(experiment), profile, scale, config);
}

Settings Settings::from(std::string_view description, std::string_view profile,
                        std::string_view scale, const UserConfig& config) {
  auto data = std::make_shared<Data>();
  data->profile = profile;
  data->scale = scale;
  const std::string own = "the description";
  data->description = read_json(description, own);
  Json& settings = data->settings;
  if (const Json* given = data->description.find("settings")) settings = *given;

  // The layers, from the bottom up.
  const Overlay built_in(own, settings);
  check_own(built_in, settings);
  const auto lay = [&](const Json* over) {
    if (over) built_in.lay(settings, *over);
  };
  if (const Json* profiles = data->description.find("profiles"))
    lay(profiles->find(profile));  // a figure without drivers of its own is the same in both
  if (scale == "smoke") lay(data->description.find("smoke"));

  if (!config.file.empty() || !config.text.empty()) {
    Json user = read_json(config.text, config.file);
    if (!user.is(Kind::object))
      refuse(config.file, user.place, "E-CONFIG-TYPE", "a configuration is one JSON object",
             "write {\"key\": value}");
    take_needs(user, config.file);
    if (const Json* seed = user.find("seed")) data->seed = checked_seed(*seed, config.file);
    if (const Json* name = user.find("name")) data->run_name = checked_name(*name, config.file);
    std::erase_if(user.members,
                  [](const JsonMember& m) { return m.key == "seed" || m.key == "name"; });
    Overlay(config.file, settings).lay(settings, user);
    data->changed_by_user = !user.members.empty();
  }
  const Work work(settings);
  check_work(work, config.file);
  check_memory(settings, work, config);
  settings = sorted(std::move(settings));

  Settings result;
  result.data_ = std::move(data);
  return result;
}

namespace {

const Json* look_up(const Json& settings, std::string_view key) {
  const Json* value = &settings;
  for (const std::string& part : split(key, '.'))
    if (value) value = value->find(part);
  return value;
}

/// A missing key is a mistake in an experiment, not in anyone's input.
const Json& get(const Json& settings, std::string_view key) {
  const Json* value = look_up(settings, key);
  if (!value) throw std::logic_error("no setting '" + std::string(key) + "' in the description");
  return *value;
}

/// A single value is also read as a list.
std::vector<Json> entries(const Json& value) {
  return value.is(Kind::list) ? value.items : std::vector<Json>{value};
}

std::string text_at(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* value = &object;
  for (const std::string_view part : path)
    if (value) value = value->find(part);
  return value ? value->text : std::string{};
}

}  // namespace

bool Settings::has(std::string_view key) const { return look_up(data_->settings, key) != nullptr; }

int Settings::integer(std::string_view key) const {
  return int(get(data_->settings, key).as_int64().value());
}
double Settings::number(std::string_view key) const {
  return get(data_->settings, key).as_double();
}
bool Settings::flag(std::string_view key) const { return get(data_->settings, key).truth; }
std::string Settings::text(std::string_view key) const { return get(data_->settings, key).text; }

std::vector<int> Settings::integers(std::string_view key) const {
  std::vector<int> result;
  for (const Json& item : entries(get(data_->settings, key)))
    result.push_back(int(item.as_int64().value()));
  return result;
}

std::vector<double> Settings::numbers(std::string_view key) const {
  std::vector<double> result;
  for (const Json& item : entries(get(data_->settings, key))) result.push_back(item.as_double());
  return result;
}

std::vector<std::string> Settings::texts(std::string_view key) const {
  std::vector<std::string> result;
  for (const Json& item : entries(get(data_->settings, key))) result.push_back(item.text);
  return result;
}

OptimizerSpec Settings::optimizer(std::string_view key) const {
  const Json& object = get(data_->settings, key);
  OptimizerSpec spec;
  const std::string name = object.find("optimizer")->text;
  for (const auto kind :
       {OptimizerSpec::Kind::sgd, OptimizerSpec::Kind::rmsprop, OptimizerSpec::Kind::adam})
    if (name_of(kind) == name) spec.kind = kind;
  const auto take = [&](const char* part, double& target) {
    if (const Json* value = object.find(part)) target = value->as_double();
  };
  take("learning_rate", spec.learning_rate);
  take("momentum", spec.momentum);
  take("alpha", spec.alpha);
  take("beta1", spec.beta1);
  take("beta2", spec.beta2);
  take("epsilon", spec.epsilon);
  if (const Json* nesterov = object.find("nesterov")) spec.nesterov = nesterov->truth;
  return spec;
}

std::string_view Settings::experiment() const { return get(data_->description, "name").text; }
std::string_view Settings::profile() const { return data_->profile; }
std::string_view Settings::scale() const { return data_->scale; }
std::string Settings::title() const { return text_at(data_->description, {"title"}); }
std::string Settings::paper_figure() const {
  return text_at(data_->description, {"paper", "figure"});
}
std::string Settings::paper_claim() const {
  return text_at(data_->description, {"paper", "claim"});
}
bool Settings::changed_by_user() const { return data_->changed_by_user; }
std::optional<std::uint64_t> Settings::seed() const { return data_->seed; }
std::string Settings::run_name() const { return data_->run_name; }
std::string Settings::json() const { return data_->settings.dump(); }

std::vector<Settings::ExpectedCurve> Settings::expectations() const {
  std::vector<ExpectedCurve> result;
  const Json* expected = data_->description.find("expected");
  if (!expected) return result;
  for (const Json& entry : expected->items) {
    const std::string profile = text_at(entry, {"profile"}), scale = text_at(entry, {"scale"});
    if (!profile.empty() && profile != data_->profile) continue;
    if (!scale.empty() && scale != data_->scale) continue;
    ExpectedCurve curve{text_at(entry, {"id"}), text_at(entry, {"paper"}), {}};
    for (const JsonMember& at : get(entry, "at").members) {
      double x = 0;
      std::from_chars(at.key.data(), at.key.data() + at.key.size(), x);
      curve.at.push_back({text_at(entry, {"curve"}), x, at.value.items.at(0).as_double(),
                          at.value.items.at(1).as_double()});
    }
    result.push_back(std::move(curve));
  }
  return result;
}

}  // namespace whence
