#include "apps/whence/host.hpp"

#include <cstdlib>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/arguments.hpp"
#include "apps/whence/help.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/backends/simd.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/version.hpp"

namespace whence {

bool asked_to_stop(const Globals& globals) {
  return globals.host ? globals.host->stop.load() : signal_waits();
}

void stop_if_asked(const Globals& globals) {
  if (!globals.host) return stop_if_interrupted();
  if (globals.host->stop)
    throw Error(ExitCode::interrupted, "E-INTERRUPTED", "", "stopped before the end");
}

ProgressShow::ProgressShow(const std::string& name, const Globals& globals)
    : globals_(globals), bar_(name, !globals.host && ProgressBar::wanted(globals.quiet)) {}

void ProgressShow::show(double share) {
  stop_if_asked(globals_);
  draw(share, -INFINITY);
}

void ProgressShow::draw(double share, double best_score) {
  if (globals_.host) {
    globals_.host->done = share;
    globals_.host->best_score = best_score;
    return;
  }
  bar_.draw(share, std::isfinite(best_score) ? fmt::format("best score {:.1f}", best_score) : "");
}

std::string text_named(const std::string& name, const Globals& globals, std::size_t max_bytes) {
  if (globals.host)
    if (const auto found = globals.host->texts.find(name); found != globals.host->texts.end())
      return found->second;
  return read_text_file(name, max_bytes);
}

NamedGraph graph_named(const std::string& name, const Globals& globals) {
  if (globals.host)
    if (const auto found = globals.host->texts.find(name); found != globals.host->texts.end())
      return parse_graph(found->second, GraphFormat::json, printable(name));
  return read_graph_file(name);
}

Delivery::Delivery(const std::filesystem::path& folder, const std::vector<std::string>& command,
                   int threads, Globals& globals)
    : globals_(globals), record_(command, threads) {
  if (!globals.host && rank() == 0) directory_.emplace(folder);  // of several ranks one writes
}

void Delivery::write(const std::string& name, const Answer& answer) {
  if (!name.empty()) record_.timed(name, record_.elapsed());
  if (globals_.host) globals_.host->engine_seconds = record_.elapsed();
  if (!directory_) return;
  // After Ctrl-C the user waits for the end, and a picture of 200 variables takes seconds to draw.
  const bool interrupted = globals_.exit_code > 128;  // by a signal
  publish(*directory_, answer.files(), record_, interrupted ? Pictures::none : Pictures::as_png);
}

void Delivery::show(Answer answer, bool as_json, const std::string& path) {
  if (directory_ && !path.empty())
    answer.screen += (path == "." ? "" : "page: ") +
                     shown_path(path == "." ? directory_->path() : directory_->path() / path) +
                     "\n";
  show_answer(std::move(answer), as_json, globals_);
}

void show_answer(Answer answer, bool as_json, Globals& globals) {
  if (globals.host) {
    globals.host->answer = std::move(answer);
    return;
  }
  if (!globals.quiet) {
    for (const std::string& note : answer.notes) print_note(note);
    for (const std::string& warning : answer.warnings) print_warning(warning);
  }
  if (as_json)
    print(answer.json);
  else if (!globals.quiet || !answer.files)  // without files nothing else would be left
    print(answer.screen);
}

void add_host_commands(CLI::App& root, Globals& globals) {
  root.set_help_flag();
  root.fallthrough();
  root.require_subcommand(1, 1);
  for (const AddCommands add :
       {add_check, add_direction, add_discover, add_changes, add_disentangle, add_simulate,
        add_evaluate, add_reproduce, add_meta_learn})
    add(root, globals);
}

void run_command(const std::vector<std::string>& arguments, AddCommands add, Globals& globals) {
  CLI::App root("find out what causes what, from how data changes", "whence");
  add(root, globals);
  if (arguments.empty()) {
    print_stderr(help_text(root, terminal_width()));
    globals.exit_code = int(ExitCode::usage);
    return;
  }
  const Request request = check_arguments(root, arguments);
  if (request.help) return print(help_text(*request.app, terminal_width()));
  if (request.version) return print("whence " + std::string(version()) + " (" + revision() + ")\n");
  if (const char* target = std::getenv("WHENCE_SIMD")) use_simd_target(target);
  root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
}

}  // namespace whence
