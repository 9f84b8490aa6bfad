#include "whence/paper/demo.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct DemoOptions {
  std::string output = "whence-out/demo", seed = "0", threads = "auto";
  bool json = false;
};

/// About ten points of a curve, closer at the beginning, where beliefs move most.
std::vector<std::size_t> chosen_points(std::size_t n) {
  constexpr int lines = 10;
  std::vector<std::size_t> points = {0};
  for (int i = 0; i < lines; ++i) {
    const double place = std::pow(double(n - 1), double(i) / (lines - 1));
    const auto point = std::size_t(std::lround(place));
    if (point > points.back() && point < n) points.push_back(point);
  }
  return points;
}

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, text.size()), ' ') + text;
}

/// A curve between 0 and 1 as bars.
std::string bars(const Curve& curve, const std::string& title, const std::string& unit) {
  constexpr int cells = 40;
  std::string out = "  " + for_locale(title) + "\n";
  for (const std::size_t at : chosen_points(curve.x.size())) {
    const int full = int(std::lround(curve.median[at] * cells));
    std::string bar;
    for (int cell = 0; cell < cells; ++cell) bar += cell < full ? "█" : "░";
    const std::string percent = std::to_string(int(std::floor(curve.median[at] * 100)));
    out += right(shortest(curve.x[at]), 6) + " " + unit + "  " + for_locale(bar) + " " +
           right(percent, 3) + " %\n";
  }
  return out;
}

/// Beliefs are the curves that stay between 0 and 1 and have a value everywhere.
bool is_belief(const Curve& curve) {
  return !curve.x.empty() && curve.median.size() == curve.x.size() &&
         std::all_of(curve.median.begin(), curve.median.end(),
                     [](double value) { return value >= 0 && value <= 1; });
}

std::string in_words(const Report& report, const OutputDirectory& directory) {
  const int width = terminal_width();
  std::string out = for_locale(report.title) + "\n\n";
  out += wrapped(for_locale(report.summary), 0, width) + "\n\n";
  // The belief that grows; what it is held against is on the page.
  const auto belief = std::find_if(report.curves.begin(), report.curves.end(), is_belief);
  if (belief != report.curves.end() && !report.figures.empty())
    out += bars(*belief, report.figures[0].title, report.figures[0].x_label) + "\n";
  if (!report.claims.empty()) out += claims_in_words(report) + "\n";
  return out + "page: " + shown_path(directory.path() / "index.html") + "\n";
}

void demo(const DemoOptions& options, const Globals& globals) {
  RunOptions run;
  run.seed = seed_of(options.seed);
  run.threads = threads_of(options.threads, globals);
  OutputDirectory directory(options.output);
  const std::string seed = std::to_string(run.seed);
  RunRecord record({"whence", "demo", "--seed", seed}, run.threads);
  Demo found;
  {
    ProgressBar bar("demo", ProgressBar::wanted(globals.quiet));
    run.progress = bar.callback();
    found = run_demo(run);
  }
  stop_if_interrupted();
  record.timed("demo", record.elapsed());
  const Report& report = found.report;
  const PageInfo page{
      report.title, report.summary, version(), revision(), "whence demo --seed " + seed,
      true,         &found.view};
  publish(directory, report_files(report, page), record);
  print_warnings(report, globals);
  if (options.json)
    print(result_text(result_json(report)));
  else if (!globals.quiet)
    print(in_words(report, directory));
}

}  // namespace

void add_demo(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("demo", "a worked example: does rain open umbrellas?");
  app->group("Start here");
  const auto options = std::make_shared<DemoOptions>();
  add_value(*app, "--seed", options->seed, "N", "seed of all random numbers, 0 to 2^64-1");
  add_value(*app, "--threads", options->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "-o,--output", options->output, "DIR", "where the page and the figures go");
  app->add_flag("--json", options->json, "print result.json to stdout and nothing else");
  app->footer("Example:\n  whence demo -o rain");
  app->callback([options, &globals] { demo(*options, globals); });
}

}  // namespace whence
