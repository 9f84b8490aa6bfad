#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/graph_knowledge.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/shared_run.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/dag.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/graph/edge_effects.hpp"
#include "whence/io/graph/graph_data.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/io/table/formats/number_parser.hpp"
#include "whence/report/graph_report.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// whence discover, and whence changes, where the graph is given.
struct DiscoverCommand {
  std::string name, output;
  DataOptions data;
  std::string dcdi, index = "1", enco, graph, tiers, time_limit, seed = "0", threads = "auto";
  std::string model = "auto", noise = "robust", restarts = "5", sweeps = "300";
  std::vector<std::string> forbid, require, targets;
  bool known_targets = false, assigned = false, json = false;
  SharedOptions shared;
};

std::vector<std::filesystem::path> inputs_of(const DiscoverCommand& c) {
  std::vector<std::filesystem::path> inputs = input_paths(c.data);
  if (!c.dcdi.empty()) inputs.emplace_back(std::filesystem::path(c.dcdi) / "x");
  for (const std::string* file : {&c.enco, &c.graph, &c.tiers})
    if (!file->empty()) inputs.emplace_back(*file);
  return inputs;
}

/// What DCDI and ENCO keep is read as it stands.
void refuse_table_options(const DiscoverCommand& c) {
  if (c.dcdi.empty() && c.enco.empty()) return;
  if (!c.data.exclude.empty())
    refuse_usage("--exclude", "it is of tables, not of --dcdi and --enco",
                 "whence convert IN table.csv makes a table");
  const std::pair<const char*, const std::string*> given[] = {
      {"--columns", &c.data.columns},
      {"--types", &c.data.types},
      {"--environment", &c.data.environment}};
  for (const auto& [option, value] : given)
    if (!value->empty())
      refuse_usage(option, "it is of tables, not of --dcdi and --enco",
                   "whence convert IN table.csv makes a table");
}

GraphData read_dcdi_data(const DiscoverCommand& c) {
  GraphData data = read_dcdi(c.dcdi, count_of("--index", c.index, 0, 1'000'000));
  if (c.model == "categorical") read_as_levels(data.loaded.data);
  return data;
}

GraphData read_data(const DiscoverCommand& c) {
  const bool files = !c.data.table.empty() || !c.data.baseline.empty() || !c.data.shifted.empty();
  if (int(!c.dcdi.empty()) + int(!c.enco.empty()) + int(files) > 1)
    refuse_usage("", "the data are given in two ways", "one of: files, --dcdi DIR, --enco FILE");
  if (!files) refuse_table_options(c);
  if (!c.dcdi.empty()) return read_dcdi_data(c);
  if (!c.enco.empty()) return read_enco(c.enco);
  GraphData data;
  DataOptions options = c.data;
  options.draw_seed = seed_of(c.seed);
  data.loaded = load_data(options, std::nullopt, most_variables);
  data.targets.resize(data.loaded.data.environments.size());
  return data;
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (const Variable& v : data.variables) names.push_back(v.name);
  return names;
}

/// What others are compared with cannot have changed itself.
void refuse_changed_baseline(const GraphOptions& options, std::size_t variables,
                             const std::vector<Environment>& environments) {
  if (!options.baseline || options.known.empty()) return;
  for (std::size_t v = 0; v < variables; ++v)
    if (options.known[v * environments.size() + *options.baseline] == KnownChange::changed)
      throw Error(ExitCode::usage, "E-USAGE-KNOWLEDGE", "--targets",
                  "nothing can have changed in the baseline, \"" +
                      excerpt(environments[*options.baseline].name) + "\"",
                  "leave its targets out, or name no baseline: --shifted for every file");
}

GraphOptions options_of(const DiscoverCommand& c, const GraphData& data, const Globals& globals) {
  GraphOptions options;
  const auto names = names_of(data.loaded.data);
  const auto& environments = data.loaded.data.environments;
  for (const ModelEntry& model : graph_models())
    if (c.model == model.name) options.model = model.id;
  options.robust = c.noise == "robust";
  options.keep_odd_rows = c.data.odd_rows == "keep";
  options.seed = seed_of(c.seed);
  options.restarts = int(count_of("--restarts", c.restarts, 1, 1000));
  options.sweeps = int(count_of("--sweeps", c.sweeps, 4, 1'000'000));
  options.baseline = data.loaded.baseline;
  options.maybe_selected = !c.data.table.empty() && !c.assigned;
  if (data.loaded.entity.size() == data.loaded.data.rows()) options.entity = data.loaded.entity;
  add_edges(c.forbid, EdgeKnowledge::Word::forbidden, names, "--forbid", options.knowledge);
  add_edges(c.require, EdgeKnowledge::Word::required, names, "--require", options.knowledge);
  if (!c.tiers.empty())
    add_tiers(text_named(c.tiers, globals), printable(c.tiers), names, options.knowledge);
  if (c.known_targets)
    for (std::size_t e = 0; e < environments.size(); ++e) {
      if (!data.targets[e])
        refuse_usage("--known-targets", "the files do not say what was intervened on",
                     "name the targets with --targets, or leave them unknown");
      set_targets(e, *data.targets[e], names.size(), environments.size(), options.known);
    }
  for (const std::string& text : c.targets) add_targets(text, names, environments, options.known);
  refuse_changed_baseline(options, names.size(), environments);
  return options;
}

/// Whether --graph is a matrix of numbers alone.
bool has_no_names(const DiscoverCommand& c) {
  return graph_format_of(std::filesystem::path(c.graph)) == GraphFormat::npy;
}

/// The graph of --graph in the order of the data; a matrix without names is in that order already.
Graph given_graph(const DiscoverCommand& c, const std::vector<std::string>& names,
                  const Globals& globals) {
  const std::string file = printable(c.graph);
  const NamedGraph given = graph_named(c.graph, globals);
  require_acyclic(given, file);
  if (given.names.size() != names.size())
    throw Error(ExitCode::bad_data, "E-GRAPH-NAME", file,
                fmt::format("the graph has {} variables, the data have {}", given.names.size(),
                            names.size()),
                "choose the variables of the data with --columns");
  if (has_no_names(c)) return given.graph;
  std::vector<std::size_t> places;
  for (const std::string& name : given.names) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw Error(ExitCode::bad_data, "E-GRAPH-NAME", file,
                  "the data have no variable '" + excerpt(name) + "'",
                  printable(did_you_mean(name, names)));
    places.push_back(std::size_t(at - names.begin()));
  }
  Graph graph(names.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < places.size(); ++j)
      if (given.graph.edge(VariableId(i), VariableId(j)))
        graph.set_edge(VariableId(places[i]), VariableId(places[j]));
  return graph;
}

/// Watches a search from a thread of its own: shows how far it is and its best score, and ends it
/// early, after a signal or when the time is over; what was found so far stays.
class SearchWatch {
 public:
  SearchWatch(const std::string& name, double seconds, const Globals& globals)
      : limit_(seconds),
        start_(std::chrono::steady_clock::now()),
        globals_(globals),
        shown_(name, globals) {
    try {
      watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
      // No more threads can be started: the search itself looks at the clock at every step.
    }
  }
  ~SearchWatch() {
    done_ = true;
    if (watcher_.joinable()) watcher_.join();
  }
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  Control control(int threads) {
    const auto heard = [this](double share) {
      share_ = share;
      if (!watcher_.joinable()) look();
    };
    return {threads, heard, &stop_, &best_};
  }
  bool stopped() const { return stop_; }
  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  void watch() {
    while (!done_ && !stop_) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  void look() {
    const auto passed = std::chrono::steady_clock::now() - start_;
    if (asked_to_stop(globals_) || std::chrono::duration<double>(passed).count() > limit_)
      stop_ = true;
    shown_.draw(share_, best_);
  }

  double limit_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<bool> stop_{false}, done_{false};
  std::atomic<double> share_{0}, best_{-INFINITY};
  const Globals& globals_;
  ProgressShow shown_;
  std::thread watcher_;
};

double seconds_of(const std::string& text) {
  if (text.empty()) return INFINITY;
  const ParsedField field = parse_field(text);
  if (field.kind != FieldKind::number || !(field.value > 0))
    throw Error(ExitCode::usage, "E-USAGE-VALUE", "--time-limit",
                "'" + excerpt(text) + "' is not a number of seconds above 0");
  return field.value;
}

/// A signal ends the search and is answered here: the exit code waits until all is written.
template <class Find>
GraphResult search(const DiscoverCommand& c, std::vector<SharedFact> facts, const Find& find,
                   Globals& globals) {
  GraphResult result;
  {
    SearchWatch watch(c.name, seconds_of(c.time_limit), globals);
    SharedRun shared(c.shared, std::move(facts), watch.stop());
    Control control = watch.control(threads_of(c.threads, globals));
    control.work = shared.work();
    control.stop = shared.stop();
    result = find(control);
    if (!control.stopped()) return result;
  }
  const bool asked = asked_to_stop(globals);
  const auto signal = take_signal();
  if (signal) globals.exit_code = int(*signal);
  result.search.stopped =
      asked ? "interrupted" : fmt::format("after the time limit of {} s", c.time_limit);
  Remark remark{RemarkCode::search_stopped, {}, {}, {}};
  if (!asked) remark.numbers = {seconds_of(c.time_limit)};
  if (!result.search.exact) result.remarks.push_back(std::move(remark));
  return result;
}

GivenOptions given_options(const DiscoverCommand& c) {
  GivenOptions given({"whence", c.name});
  add_given(given, c.data);
  given.last_part("--dcdi", c.dcdi);
  given.value("--index", c.dcdi.empty() ? "" : c.index);
  given.last_part("--enco", c.enco);
  given.last_part("--graph", c.graph);
  given.value("--model", c.model, "auto");
  given.value("--noise", c.noise, "robust");
  given.value("--restarts", c.restarts, "5");
  given.value("--sweeps", c.sweeps, "300");
  given.value("--seed", c.seed, "0");
  given.each("--forbid", c.forbid);
  given.each("--require", c.require);
  given.last_part("--tiers", c.tiers);
  given.each("--targets", c.targets);
  given.flag("--known-targets", c.known_targets);
  given.flag("--assigned", c.assigned);
  given.word("--time-limit", c.time_limit);
  return given;
}

/// Without what only the page has room for, and without notes where there are none.
Table for_screen(Table table) {
  const auto is_empty = [&](std::size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const auto& row) { return row[column].empty(); });
  };
  for (const char* name : {"joined", "one left out", "support (nats)", "note"}) {
    const auto at = std::find(table.columns.begin(), table.columns.end(), name);
    if (at == table.columns.end()) continue;
    const auto column = at - table.columns.begin();
    if (*at == "note" && !is_empty(std::size_t(column))) continue;
    table.columns.erase(at);
    for (auto& row : table.rows) row.erase(row.begin() + column);
  }
  return table;
}

/// The answer, the edges with what they take for granted, what changed where, what would settle the
/// rest.
std::string on_screen(const GraphResult& result, const Report& report, bool changes_only) {
  const int width = terminal_width();
  const auto words = [&](const std::string& text) {
    return wrapped(for_locale(printable(text)), 0, width) + "\n";
  };
  std::string out = changes_only ? "" : words(report.summary) + "\n";
  if (!changes_only)
    out += text_table(for_screen(report.tables[0]), 30) + "\n" +
           words(assumption_in_words(result)) + "\n";
  if (report.tables.size() > 1) out += text_table(report.tables[1], changes_only ? 40 : 20) + "\n";
  for (const std::string& advice : advice_in_words(result.remarks)) out += words(advice);
  out += words("model: " + std::string(name_of(result.model)) + " (" +
               reason_in_words(result.model_reason) + ")");
  if (const auto& left = result.search.left_out)
    out += words(fmt::format(
        "left out of the search: {} pairs of variables (none of these edges would add more than "
        "{:.1f} nats, by estimate); tails of the noise of {} variables; chains over {} settled "
        "variables",
        left->pairs, left->best_gain, left->gaussian, left->settled));
  return out;
}

std::vector<OutputFile> files_of(const GraphResult& result, const Report& report,
                                 const std::string& text, const std::vector<std::string>& command) {
  const GraphView view = graph_view(result);
  std::vector<OutputFile> files = answer_files(
      text, report,
      {report.title, report.summary, version(), revision(), shell_words(command), false, &view});
  for (const Table& table : probability_tables(result))
    files.push_back({"tables/" + table.id + ".csv", table_csv(table)});
  files.push_back({"figures/graph.svg", graph_svg(view)});
  files.push_back({"graph.dot", write_graph(named_graph(result), GraphFormat::dot)});
  return files;
}

/// The graph may be given.
GraphResult find(const DiscoverCommand& c, const GraphData& data, DataSource& rows,
                 const std::optional<Graph>& graph, Globals& globals) {
  const auto engine = [&](const Control& control) {
    const GraphOptions options = options_of(c, data, globals);
    return graph ? find_changes(rows, *graph, options, control)
                 : find_graph(rows, options, control);
  };
  std::vector<SharedFact> facts;
  if (is_shared(c.shared)) {
    facts = facts_of(given_options(c).words);
    facts.push_back(fact_of(rows.whole()));
  }
  return search(c, std::move(facts), engine, globals);
}

void run(const DiscoverCommand& c, Globals& globals) {
  refuse_to_overwrite(inputs_of(c), c.output);
  GraphData data = read_data(c);
  LoadedData& loaded = data.loaded;
  options_of(c, data, globals);  // what is wrong with them is said before a folder is made
  std::optional<Graph> graph;
  if (!c.graph.empty()) graph = given_graph(c, names_of(loaded.data), globals);
  stop_if_asked(globals);
  const GivenOptions given = given_options(c);
  Delivery delivery(c.output, given.words, threads_of(c.threads, globals), globals);

  // A host keeps its data in memory: the engine may drop its copy of the rows and read them again.
  const auto again = [&] { return load_again(c.data, most_variables); };
  DataSource rows =
      are_in_memory(c.data) ? DataSource(loaded.data, again) : DataSource(loaded.data);
  auto result = std::make_shared<GraphResult>(find(c, data, rows, graph, globals));
  result->pictures = mechanism_pictures(rows, *result);
  auto report = std::make_shared<Report>(graph_report(*result));
  report->warnings = all_warnings(loaded.warnings, result->remarks);
  report->settings_json = given.json.dump();
  Answer answer;
  answer.json =
      result_text(graph_result_json(*result, {loaded.data.variables, loaded.sources, given.json,
                                              left_out_json(loaded), loaded.warnings}));
  answer.screen = on_screen(*result, *report, graph.has_value());
  answer.notes = reading_notes(loaded);
  if (graph && has_no_names(c))
    answer.notes.push_back(
        printable(c.graph) +
        " has no names: its rows and columns are taken for the variables in their order");
  answer.warnings = report->warnings;
  answer.command = given.words;
  answer.files = [result, report, text = answer.json, command = given.words] {
    return files_of(*result, *report, text, command);
  };
  delivery.write(c.name, answer);
  delivery.show(std::move(answer), c.json);
}

void add_common(CLI::App& app, DiscoverCommand& c, const Globals& globals) {
  add_data_options(app, c.data, globals);
  add_most_rows(app, c.data);
  add_odd_rows(app, c.data);
  add_value(app, "--dcdi", c.dcdi, "DIR", "data as DCDI keeps them");
  add_value(app, "--index", c.index, "N", "which data set of that folder");
  add_value(app, "--enco", c.enco, "FILE", "data as ENCO keeps them (.npz)");
  std::string models = "auto";
  for (const ModelEntry& model : graph_models()) models += "|" + std::string(model.name);
  add_value(app, "--model", c.model, models.c_str(), "what is assumed of the data");
  add_value(app, "--noise", c.noise, "robust|gaussian",
            "of linear mechanisms; robust: tails may be heavy");
  app.add_option("--targets", c.targets,
                 "what is known to have changed: ENVIRONMENT:VARIABLE+VARIABLE,...; nothing after "
                 "the colon: nothing changed")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  app.add_flag("--known-targets", c.known_targets, "use the targets that DCDI or ENCO files hold");
  add_value(app, "--restarts", c.restarts, "N", "searches from different starts");
  add_value(app, "--sweeps", c.sweeps, "N", "length of each Markov chain");
  add_value(app, "--seed", c.seed, "N", "seed of all random numbers, 0 to 2^64-1");
  add_value(app, "--threads", c.threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(app, "--time-limit", c.time_limit, "SECONDS",
            "end the search then, with the best answer so far")
      ->default_str("none");
  add_value(app, "--checkpoint", c.shared.checkpoint, "FILE",
            "what is done goes there; the same command goes on from it")
      ->default_str("none");
  add_value(app, "-o,--output", c.output, "DIR", "where the results go, all at once");
  app.add_flag("--json", c.json, "print result.json to stdout and nothing else");
}

}  // namespace

void add_discover(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand(
      "discover", "your data: what causes what among many variables, what changed where?");
  app->group("Your data");
  const auto command = std::make_shared<DiscoverCommand>();
  command->name = "discover";
  command->output = "whence-out/discover";
  add_common(*app, *command, globals);
  app->add_option("--forbid", command->forbid, "an edge that cannot be; may be given again")
      ->type_name("X->Y")
      ->allow_extra_args(false);
  app->add_option("--require", command->require, "an edge that must be; may be given again")
      ->type_name("X->Y")
      ->allow_extra_args(false);
  app->add_flag("--assigned", command->assigned,
                "the groups of the table were assigned, not formed by what its rows hold");
  add_value(*app, "--tiers", command->tiers, "FILE",
            "groups of variables, one line each: later ones cause no earlier ones");
  app->footer(
      "Ctrl-C ends the search and writes the best answer so far.\n"
      "Examples:\n"
      "  whence discover --baseline base.csv --shifted a.csv --shifted b.csv\n"
      "  whence discover data.csv --environment site --forbid \"price->weather\"\n"
      "  whence discover --enco graph.npz --json | jq .graph");
  app->callback([command, &globals] { run(*command, globals); });
}

void add_changes(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand(
      "changes", "your data, the graph is known: which mechanism changed in each environment?");
  app->group("Your data");
  const auto command = std::make_shared<DiscoverCommand>();
  command->name = "changes";
  command->output = "whence-out/changes";
  add_value(*app, "--graph", command->graph, "FILE",
            "the graph, in any format of whence convert; or the folder of a result")
      ->required();
  add_common(*app, *command, globals);
  app->footer(
      "Example:\n"
      "  whence changes --graph g.dot --baseline base.csv --shifted a.csv --shifted b.csv");
  app->callback([command, &globals] {
    command->graph = file_of(command->graph, "result.json");
    run(*command, globals);
  });
}

}  // namespace whence
