#include "whence/paper/meta_learn_report.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/meta_learn.hpp"
#include "whence/paper/run_sweep.hpp"
#include "whence/paper/tasks/gaussian_task.hpp"

namespace whence {

namespace {

constexpr std::string_view defaults = R"({
  "name": "meta-learn",
  "title": "Algorithm 1 on a world of your choice",
  "settings": {
    "world": "categorical",
    "levels": 10,
    "concentration": 1.0,
    "modules": "truth",
    "training_rows": 1000,
    "equivalent_rows": 1.0,
    "dimension": 10,
    "covariance_degrees": "2d",
    "shift_covariance": false,
    "variables": 2,
    "graph": "chain",
    "spread": 1.3,
    "module_hidden": 32,
    "splines": "quadratic-8",
    "extrapolation": "linear",
    "decoder_angle": -0.7853981633974483,
    "learner": "densities",
    "online_training_rows": 4000,
    "online_starts": 8,
    "hidden": 8,
    "components": 5,
    "em_iterations": 30,
    "meta_gradient": "exact",
    "likelihood": "sum",
    "training": {"optimizer": "adam", "learning_rate": 0.01},
    "training_steps": 20,
    "encoder": {"optimizer": "adam", "learning_rate": 0.01},
    "shift": "cause",
    "runs": 1,
    "episodes": 200,
    "steps": 2,
    "batch": 10,
    "reset": true,
    "adaptation": {"optimizer": "sgd", "learning_rate": 0.1},
    "belief": {"optimizer": "rmsprop", "learning_rate": 0.01},
    "belief_over": "direction",
    "estimator": "exact",
    "samples": 20,
    "acyclicity": "none",
    "frozen_or_adapting": false,
    "all_so_far": false,
    "belief_objective": "mixture",
    "gamma0": 0.0,
    "tie_artefact": false
  }
})";

/// Keys that only some worlds, or only some beliefs, have a use for.
struct OwnKeys {
  std::vector<std::string_view> users;
  std::vector<std::string> keys;
};
const std::vector<OwnKeys>& keys_of_worlds() {
  static const std::vector<OwnKeys> table = {
      {{"categorical"}, {"concentration", "modules", "equivalent_rows"}},
      {{"categorical", "network"}, {"levels", "training_rows"}},
      {{"linear-gaussian"}, {"dimension", "covariance_degrees", "shift_covariance"}},
      {{"network"}, {"variables", "graph", "spread", "module_hidden"}},
      {{"network", "spline"}, {"hidden", "training", "training_steps"}},
      {{"spline"},
       {"splines", "extrapolation", "decoder_angle", "components", "em_iterations", "meta_gradient",
        "likelihood", "encoder", "learner", "online_training_rows", "online_starts"}},
      {{"categorical", "linear-gaussian", "network"}, {"reset", "belief_over"}},
  };
  return table;
}
const std::vector<OwnKeys>& keys_of_beliefs() {
  static const std::vector<OwnKeys> table = {
      {{"edges"}, {"estimator", "samples", "acyclicity", "frozen_or_adapting", "all_so_far"}},
      {{"direction"}, {"belief_objective", "tie_artefact"}},
  };
  return table;
}

[[noreturn]] void refuse(const UserConfig& config, const JsonMember& member, const std::string& id,
                         const std::string& problem, const std::string& hint) {
  throw Error(ExitCode::bad_config, id, place_in(config.file, member.place), problem, hint);
}

/// A key that the chosen world or belief would ignore is a mistake.
void check_use(const UserConfig& config, const JsonMember& member,
               const std::vector<OwnKeys>& table, const std::string& chosen,
               const std::string& kind) {
  for (const OwnKeys& own : table) {
    if (std::find(own.keys.begin(), own.keys.end(), member.key) == own.keys.end() ||
        std::find(own.users.begin(), own.users.end(), chosen) != own.users.end())
      continue;
    refuse(config, member, "E-CONFIG-KEY",
           fmt::format("'{}' is not used by the {} {}", member.key, kind, chosen),
           fmt::format("it belongs to the {} {}", kind, fmt::join(own.users, ", ")));
  }
}

/// Shifts that a kind of world knows.
std::vector<std::string> shifts_of(const std::string& world) {
  if (world == "categorical") return {"cause", "effect", "mechanism", "row", "both", "none"};
  if (world == "network") return {"cause", "either", "none"};
  return {"cause", "effect", "mechanism", "both", "none"};
}

void check_shift(const UserConfig& config, const JsonMember& member, const std::string& world) {
  const std::vector<std::string> known = shifts_of(world);
  if (std::find(known.begin(), known.end(), member.value.text) != known.end()) return;
  refuse(config, member, "E-CONFIG-CHOICE",
         member.value.text == "row" && (world == "linear-gaussian" || world == "spline")
             ? "a continuous mechanism has no rows to redraw"
             : fmt::format("the world {} has no shift '{}'", world, member.value.text),
         "possible: " + joined(known));
}

/// Keys that another key's value makes useless.
struct KeyOfChoice {
  std::string_view key, choice, needed;
};
constexpr std::array keys_of_choices = {
    KeyOfChoice{"samples", "estimator", "sampled"},
    KeyOfChoice{"variables", "graph", "chain"},
    KeyOfChoice{"meta_gradient", "belief_objective", "mixture"},
    KeyOfChoice{"likelihood", "belief_objective", "mixture"},
    KeyOfChoice{"training_rows", "modules", "counts"},
    KeyOfChoice{"equivalent_rows", "modules", "counts"},
    KeyOfChoice{"online_training_rows", "learner", "labels"},
    KeyOfChoice{"online_starts", "learner", "labels"},
    KeyOfChoice{"components", "learner", "densities"},
    KeyOfChoice{"em_iterations", "learner", "densities"},
    KeyOfChoice{"meta_gradient", "learner", "densities"},
    KeyOfChoice{"likelihood", "learner", "densities"},
    KeyOfChoice{"encoder", "learner", "densities"},
    KeyOfChoice{"training", "learner", "densities"},
    KeyOfChoice{"training_steps", "learner", "densities"},
    KeyOfChoice{"belief_objective", "learner", "densities"},
};

void check_choice(const Settings& settings, const UserConfig& config, const JsonMember& member,
                  const std::string& world) {
  for (const KeyOfChoice& own : keys_of_choices) {
    const std::string choice(own.choice);
    if (member.key != own.key || settings.text(choice) == own.needed) continue;
    if (choice == "modules" && world != "categorical") continue;
    refuse(config, member, "E-CONFIG-KEY",
           fmt::format("'{}' is not used with \"{}\": \"{}\"", member.key, choice,
                       settings.text(choice)),
           fmt::format("leave it out, or say \"{}\": \"{}\"", choice, own.needed));
  }
}

/// What the single keys cannot know: keys and values that the chosen world has no use for.
void check_together(const Settings& settings, const UserConfig& config) {
  if (config.text.empty()) return;
  const Json user = read_json(config.text, config.file);
  const std::string world = settings.text("world"), belief = settings.text("belief_over");
  for (const JsonMember& member : user.members) {
    check_use(config, member, keys_of_worlds(), world, "world");
    check_use(config, member, keys_of_beliefs(), belief, "belief over");
    if (member.key == "belief_objective" && member.value.text == "per-step" && world == "spline")
      refuse(config, member, "E-CONFIG-CHOICE", "a learnt encoder has no belief step by step",
             "possible: mixture, printed");
    if (member.key == "shift") check_shift(config, member, world);
    if (member.key == "modules" && member.value.text == "gradient")
      refuse(config, member, "E-CONFIG-CHOICE", "'modules' cannot be \"gradient\" here",
             "possible: truth, counts");
    if (member.key == "belief_over" && belief == "edges" && world == "linear-gaussian")
      refuse(config, member, "E-CONFIG-CHOICE", "edges are believed in over levels only",
             "use the world categorical or network");
    if (member.key == "samples" && member.value.text == "1")
      refuse(config, member, "E-CONFIG-K", "E[g]=0 for K=1: one graph teaches nothing",
             "use at least 2");
    check_choice(settings, config, member, world);
  }
  if (world == "network" && belief == "direction")
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", config.file,
                "a world of networks needs \"belief_over\": \"edges\"", "add it");
}

template <class Enum, std::size_t n>
Enum named(const std::array<Enum, n>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](Enum e) { return name_of(e) == name; });
}

constexpr std::array objectives = {BeliefObjective::mixture, BeliefObjective::printed,
                                   BeliefObjective::per_step};

/// Everything but the world and its modules.
MetaLearning switches_of(const Settings& settings) {
  MetaLearning how;
  take_episodes(settings, how);
  how.belief = {settings.number("gamma0"), settings.optimizer("belief"),
                named(objectives, settings.text("belief_objective")),
                settings.flag("tie_artefact")};
  return how;
}

MetaResult categorical_run(const Settings& settings, MetaLearning how, RunKey key,
                           const MetaObserver& observer) {
  const double concentration = settings.number("concentration");
  auto world =
      CategoricalWorld::draw_pair(settings.integer("levels"), concentration, key.seed, key.run);
  const PairTask task =
      settings.text("modules") == "truth"
          ? PairTask::exact(std::move(world))
          : PairTask::counted(std::move(world), std::size_t(settings.integer("training_rows")),
                              settings.number("equivalent_rows"), key);
  how.modules = task.modules;
  how.first = task.pair.forward;
  how.second = task.pair.backward;
  const Shift shift{named(all_shift_kinds, settings.text("shift"))};
  return meta_learn(episodes_of(task.world, shift, concentration, key), how, observer);
}

MetaResult gaussian_run(const Settings& settings, MetaLearning how, RunKey key,
                        const MetaObserver& observer) {
  const int d = settings.integer("dimension");
  const bool few = settings.text("covariance_degrees") == "d+2";
  auto prior = LinearGaussianPrior::of(d, few ? d + 2 : std::max(2 * d, d + 2));
  prior.shift_covariance = settings.flag("shift_covariance");
  const auto task = GaussianTask::exact(LinearGaussianWorld::draw_pair(prior, key.seed, key.run));
  how.modules = task.modules;
  how.first = task.pair.forward;
  how.second = task.pair.backward;
  const ShiftKind shift = named(all_shift_kinds, settings.text("shift"));
  return meta_learn(episodes_of(task.world, shift, prior, key), how, observer);
}

std::vector<double> beliefs(std::span<const double> gamma) {
  std::vector<double> p;
  for (double g : gamma) p.push_back(sigmoid(g));
  return p;
}

Table diagnostics_table(const Sweep<MetaResult>& sweep) {
  Table table{"diagnostics",
              "What the episodes say together, whatever the step of γ",
              {"run", "mean Δ", "standard error", "win rate", "p*", "verdict"},
              {}};
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    const BeliefDiagnostics d = diagnose(sweep.results[i].delta);
    table.rows.push_back({fmt::format("{}", sweep.runs[i] + 1), show(d.mean, 4),
                          show(d.standard_error, 5), show(d.win_rate), show(d.p_star),
                          std::string(name_of(d.verdict))});
  }
  return table;
}

Report direction_report_of(const Settings& settings, const Sweep<MetaResult>& sweep) {
  const std::vector<MetaResult>& results = sweep.results;
  Report report;
  std::vector<double> x;
  for (std::size_t e = 1; e <= results[0].gamma.size(); ++e) x.push_back(double(e));
  std::vector<std::vector<double>> learnt, bayes, delta;
  double clamped = 0;
  for (const MetaResult& result : results) {
    learnt.push_back(beliefs(result.gamma));
    bayes.push_back(beliefs(result.bayes_gamma));
    delta.push_back(result.delta);
    clamped += result.clamped;
  }
  report.curves.push_back(summarise("belief", "γ learnt", x, learnt));
  report.curves.push_back(summarise("belief-bayes", "exact Bayes", x, bayes));
  report.curves.push_back(summarise("delta", "Δ", x, delta));
  report.figures.push_back({"belief",
                            "Belief that A causes B",
                            "episodes seen",
                            "σ(γ)",
                            {"belief", "belief-bayes"},
                            "The truth is A→B. Medians over runs.",
                            false,
                            false,
                            0,
                            1});
  report.figures.push_back({"delta",
                            "What each episode says",
                            "episode",
                            "Δ in nats",
                            {"delta"},
                            "log L(A→B) − log L(B→A): above 0 speaks for A→B."});
  report.tables.push_back(diagnostics_table(sweep));
  report.numbers.push_back({"belief", report.curves[0].median.back()});
  report.numbers.push_back({"belief-bayes", report.curves[1].median.back()});
  report.numbers.push_back({"gamma-clamped", clamped});
  report.summary = fmt::format(
      "{} the belief in A→B is {} ({} runs, median); the exact Bayes update of the same scores "
      "says {}. The truth is A→B.",
      after_episodes(settings), show(report.curves[0].median.back()), results.size(),
      show(report.curves[1].median.back()));
  warn_without_reset(settings, report);
  return report;
}

}  // namespace

std::string after_episodes(const Settings& settings) {
  return fmt::format("After {} episodes under shifts of kind '{}'", settings.integer("episodes"),
                     settings.text("shift"));
}

void warn_without_reset(const Settings& settings, Report& report) {
  if (!settings.flag("reset"))
    report.warnings.emplace_back(
        "without a reset episodes are dependent: the convergence argument does not apply");
}

Settings meta_learning_settings(const UserConfig& config) {
  Settings settings = Settings::from(defaults, "paper", "full", config);
  check_together(settings, config);
  return settings;
}

namespace {

Report direction_learning_report(const Settings& settings, const RunOptions& options) {
  MetaLearning how = switches_of(settings);
  const auto count = std::size_t(settings.integer("runs"));
  // One run spreads its jobs over the threads; several runs are the jobs themselves.
  how.threads = count == 1 ? options.threads : 1;
  const auto progress = [&](const MetaStep& step) {
    if (count == 1 && options.progress)
      options.progress(double(step.episode + 1) / double(how.episodes));
    return true;
  };
  const auto sweep = sweep_runs(
      count, count == 1 ? 1 : options.threads,
      [&](std::size_t run) {
        const RunKey key{options.seed, std::uint32_t(run)};
        return settings.text("world") == "categorical"
                   ? categorical_run(settings, how, key, progress)
                   : gaussian_run(settings, how, key, progress);
      },
      count == 1 ? Progress{} : options.progress);
  Report report = direction_report_of(settings, sweep);
  tell_failed(sweep.failed, report);
  return report;
}

}  // namespace

Report meta_learning_report(const Settings& settings, const RunOptions& options) {
  Report report = settings.text("world") == "spline" ? encoder_learning_report(settings, options)
                  : settings.text("belief_over") == "edges"
                      ? edge_learning_report(settings, options)
                      : direction_learning_report(settings, options);
  report.experiment = "meta-learn";
  report.title = settings.title();
  report.profile = settings.profile();
  report.scale = settings.scale();
  report.seed = options.seed;
  report.settings_json = settings.json();
  return report;
}

}  // namespace whence
