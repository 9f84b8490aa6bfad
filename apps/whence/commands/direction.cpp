#include "whence/discover/pair/direction.hpp"

#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/direction_settings.hpp"
#include "apps/whence/graph_knowledge.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/state_file.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/page/pair_pictures.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct DirectionCommand {
  DataOptions data;
  std::string model, prior, config, state, output = "whence-out/direction", threads = "auto";
  std::vector<std::string> forbid, require;
  bool assigned = false, json = false;
};

/// A configuration first, options over it.
DirectionSettings settings_of(const DirectionCommand& command, const Globals& globals) {
  DirectionSettings settings;
  if (!command.config.empty())
    settings =
        read_direction_settings(text_named(command.config, globals), printable(command.config));
  if (!command.model.empty()) settings.model = *direction_model(command.model);
  if (!command.prior.empty()) settings.prior = parse_prior(command.prior, settings.prior);
  return settings;
}

GivenOptions given_options(const DirectionCommand& command, const DirectionSettings& settings) {
  GivenOptions given({"whence", "direction"});
  add_given(given, command.data);
  given.json.set("model", name_of(settings.model));
  given.json.set("prior", prior_json(settings.prior));
  given.word("--model", command.model);
  given.word("--prior", command.prior);
  given.each("--forbid", command.forbid);
  given.each("--require", command.require);
  if (command.assigned) given.flag("--assigned", true);
  given.word("--config", std::filesystem::path(command.config).filename().string());
  given.word("--state", std::filesystem::path(command.state).filename().string());
  return given;
}

EdgeKnowledge knowledge_of(const DirectionCommand& command, const Dataset& data) {
  const std::vector<std::string> names = {data.variables[0].name, data.variables[1].name};
  EdgeKnowledge knowledge;
  add_edges(command.forbid, EdgeKnowledge::Word::forbidden, names, "--forbid", knowledge);
  add_edges(command.require, EdgeKnowledge::Word::required, names, "--require", knowledge);
  return knowledge;
}

/// What was asked for at the start, and all data since.
struct AllData {
  Json options;
  std::vector<NamedFile> files;  // empty without a state file
  LoadedData loaded;
};

void refuse_other_options(const DirectionCommand& command, const Json& asked, const Json& first) {
  Json same = asked;  // a baseline is given once, at the start
  if (const Json* baseline = first.find("baseline"); baseline && command.data.baseline.empty())
    same.set("baseline", *baseline);
  if (same.dump() != first.dump())
    throw Error(ExitCode::checkpoint, "E-STATE", printable(command.state),
                "the state was made with other options",
                "give the same options, or start again with another file");
  if (!command.data.baseline.empty())
    throw Error(ExitCode::checkpoint, "E-STATE", printable(command.state),
                "the state has its baseline", "give new data as --shifted");
}

/// All files are read again together: the answer is that of one run.
AllData remembered_data(const DirectionCommand& command, const Json& asked,
                        const StateFile& state) {
  const std::size_t most = bytes_of(command.data.max_memory);
  std::vector<NamedFile> fresh = read_whole(data_files(command.data), most), files;
  const std::optional<KeptFiles>& earlier = state.earlier();
  if (earlier) {
    refuse_other_options(command, asked, earlier->options);
    refuse_repeats(earlier->files, fresh, printable(command.state));
    files = named(earlier->files);
  }
  files.insert(files.end(), fresh.begin(), fresh.end());
  AllData all{earlier ? earlier->options : asked, files, load_files(command.data, 2, files)};
  if (!state.fallback().empty())
    all.loaded.warnings.insert(all.loaded.warnings.begin(), state.fallback());
  return all;
}

std::unique_ptr<StateFile> open_state(const DirectionCommand& command) {
  if (command.state.empty()) return nullptr;
  if (!command.data.table.empty())
    throw Error(ExitCode::usage, "E-USAGE-DATA", "--state",
                "a state remembers files with one environment each, not tables",
                "whence convert TABLE DIR --to folder --environment COLUMN makes such files");
  return std::make_unique<StateFile>(command.state, bytes_of(command.data.max_memory));
}

/// One screen: the answer, how sure, what changed where, what would help.
std::string on_screen(const DirectionResult& result, const Report& report) {
  const int width = terminal_width();
  const auto words = [&](const std::string& text, int indent) {
    return wrapped(for_locale(printable(text)), indent, width) + "\n";
  };
  std::string out = words(in_words(result), 0);
  if (result.verdict.kind == Verdict::Kind::direction) out += words(assumption_in_words(result), 0);
  out += "\n";
  out += text_table(report.tables[0]) + "\n" + text_table(report.tables[1], 10) + "\n";
  for (const std::string& advice : advice_in_words(result.remarks)) out += words(advice, 0);
  return out + words("model: " + std::string(name_of(result.model)) + " (" +
                         reason_in_words(result.model_reason) + ")",
                     0);
}

/// All that the files are made of.
struct DirectionFiles {
  LoadedData loaded;
  DirectionOptions options;
  DirectionResult result;
  Report report;
  std::string settings, command;
  int threads = 1;

  /// The pictures call the engine several times, so they are drawn only where files are written.
  std::vector<OutputFile> make(const std::string& text, const Progress& progress) const {
    Report whole = report;
    add_pair_pictures(whole, loaded.data, result,
                      adaptation_path(loaded.data, options, result, {threads, progress}));
    whole.settings_json = settings;
    const GraphView view = pair_view(result);
    std::vector<OutputFile> files = answer_files(
        text, whole, {whole.title, whole.summary, version(), revision(), command, false, &view});
    return files;
  }
};

void run(const DirectionCommand& command, Globals& globals) {
  const DirectionSettings settings = settings_of(command, globals);
  DirectionOptions options;
  options.model = settings.model;
  options.prior = settings.prior;
  options.max_memory = bytes_of(command.data.max_memory);
  options.keep_odd_rows = command.data.odd_rows == "keep";
  const Control control{threads_of(command.threads, globals),
                        [&](double) { stop_if_asked(globals); }};
  std::vector<std::filesystem::path> inputs = input_paths(command.data);
  if (!command.state.empty()) {
    refuse_to_overwrite(inputs, command.state, "choose another file with --state");
    inputs.emplace_back(command.state);
  }
  refuse_to_overwrite(inputs, command.output);
  const GivenOptions given = given_options(command, settings);
  const std::unique_ptr<StateFile> state = open_state(command);
  AllData all = state ? remembered_data(command, given.json, *state)
                      : AllData{given.json, {}, load_data(command.data, 2)};
  options.baseline = all.loaded.baseline;
  options.maybe_selected = !command.data.table.empty() && !command.assigned;
  options.knowledge = knowledge_of(command, all.loaded.data);
  if (all.loaded.entity.size() == all.loaded.data.rows()) options.entity = all.loaded.entity;
  Delivery delivery(command.output, given.words, control.threads, globals);
  stop_if_asked(globals);

  DirectionResult result = find_direction(all.loaded.data, options, control);
  stop_if_asked(globals);
  Report report = direction_report(result, belief_path(result));
  report.warnings = all_warnings(all.loaded.warnings, result.remarks);
  Answer answer;
  answer.json = result_text(
      direction_json(result, {all.loaded.data.variables, all.loaded.sources, all.options,
                              left_out_json(all.loaded), all.loaded.warnings}));
  answer.screen = on_screen(result, report);
  answer.notes = reading_notes(all.loaded);
  answer.warnings = report.warnings;
  answer.command = given.words;
  const auto parts = std::make_shared<DirectionFiles>(
      DirectionFiles{std::move(all.loaded), options, std::move(result), report, all.options.dump(),
                     shell_words(answer.command), control.threads});
  Progress progress;
  if (!globals.host) progress = control.progress;  // a host may ask for files long after this call
  answer.files = [parts, text = answer.json, progress] { return parts->make(text, progress); };
  // What can fail of the state fails before the results of an earlier run are replaced.
  if (state) state->prepare({all.options, kept(all.files)});
  delivery.write("direction", answer);
  if (state) state->commit();
  delivery.show(std::move(answer), command.json);
}

}  // namespace

void add_direction(CLI::App& root, Globals& globals) {
  CLI::App* app =
      root.add_subcommand("direction", "your data: which of two variables is the cause?");
  app->group("Your data");
  const auto command = std::make_shared<DirectionCommand>();
  add_data_options(*app, command->data, globals);
  add_odd_rows(*app, command->data);
  add_value(*app, "--model", command->model, "auto|categorical|gaussian|labels",
            "what is assumed of the data; labels assumes no density")
      ->default_str("auto");
  add_value(*app, "--prior", command->prior, "NAME=WEIGHT,...",
            "weights of the prior: forward, backward, no_link; hidden; nothing, cause, mechanism, "
            "effect, row, both; quiet, turbulent");
  app->add_option("--forbid", command->forbid, "a direction that cannot be; may be given again")
      ->type_name("X->Y")
      ->allow_extra_args(false);
  app->add_option("--require", command->require, "a direction that is known: what changed where?")
      ->type_name("X->Y")
      ->allow_extra_args(false);
  app->add_flag("--assigned", command->assigned,
                "the groups of the table were assigned, not formed by what its rows hold");
  add_value(*app, "--config", command->config, "FILE",
            "a JSON object with \"model\" and \"prior\"; options count more");
  add_value(*app, "--state", command->state, "FILE",
            "remembers these data, and continues from it where it exists: give new environments "
            "only; the answer is that of all data at once");
  add_value(*app, "--threads", command->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "-o,--output", command->output, "DIR", "where the results go, all at once");
  app->add_flag("--json", command->json, "print result.json to stdout and nothing else");
  app->footer(
      "Examples:\n"
      "  whence direction --baseline base.csv --shifted q1.csv --shifted q2.csv\n"
      "  whence direction data.csv --environment site --baseline A --columns rain,umbrella\n"
      "  whence direction data.csv --environment site --json | jq .verdict\n"
      "  whence direction data.csv --environment site --columns wt71,sex --forbid \"wt71->sex\"\n"
      "  whence direction --baseline base.csv --shifted week1.csv --state weeks.json\n"
      "  whence direction --shifted week2.csv --state weeks.json");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
