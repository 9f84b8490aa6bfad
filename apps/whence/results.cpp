#include "apps/whence/results.hpp"

#include "apps/whence/machine.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/backends/simd.hpp"
#include "whence/core/claim_tally.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/run_seal.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {

RunRecord::RunRecord(std::vector<std::string> command, int threads)
    : command_(std::move(command)),
      threads_(threads),
      started_(utc_now()),
      start_(std::chrono::steady_clock::now()) {}

double RunRecord::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

OutputFile RunRecord::file(const std::vector<OutputFile>& others) const {
  Json files = Json::list(), experiments = Json::list();
  for (const OutputFile& other : others)
    files.items.push_back(Json::object({{"name", other.name},
                                        {"bytes", other.content.size()},
                                        {"sha256", sha256_hex(other.content)}}));
  for (const auto& [experiment, seconds] : seconds_)
    experiments.items.push_back(Json::object({{"experiment", experiment}, {"seconds", seconds}}));
  const Json run = Json::object({{"program", "whence"},
                                 {"format", result_format},
                                 {"version", version()},
                                 {"revision", revision()},
                                 {"command", Json::list(command_)},
                                 {"started", started_},
                                 {"finished", utc_now()},
                                 {"seconds", elapsed()},
                                 {"experiments", std::move(experiments)},
                                 {"threads", threads_},
                                 {"host", printable(host_name())},
                                 {"cpu", cpu_name()},
                                 {"instruction_set", simd_target()},
                                 {"compiler", compiler()},
                                 {"build_type", build_type()},
                                 {"notes", Json::list(notes_)},
                                 {"files", std::move(files)}});
  return {"run.json", sealed_run(run)};
}

void add_pictures(std::vector<OutputFile>& files, RunRecord& record) {
  constexpr std::size_t largest_picture = std::size_t(1) << 19;  // bytes; 400 variables or so
  const std::string tool = find_tool("rsvg-convert");
  if (tool.empty()) {
    record.note("no PNG figures: rsvg-convert (package librsvg2-bin) is not installed");
    return;
  }
  std::vector<OutputFile> pictures;
  for (const OutputFile& file : files) {
    const std::size_t dot = file.name.rfind(".svg");
    if (dot == std::string::npos || dot + 4 != file.name.size()) continue;
    stop_if_interrupted();
    if (file.content.size() > largest_picture) {
      record.note(file.name + " is too large to be drawn as PNG");
      continue;
    }
    auto picture = run_tool({tool, "--zoom", "2", "--background-color", "white"}, file.content);
    if (picture)
      pictures.push_back({file.name.substr(0, dot) + ".png", std::move(*picture)});
    else
      record.note("rsvg-convert failed on " + file.name);
  }
  for (OutputFile& picture : pictures) files.push_back(std::move(picture));
}

void publish(OutputDirectory& directory, std::vector<OutputFile> files, RunRecord& record,
             Pictures pictures) {
  if (pictures == Pictures::as_png)
    add_pictures(files, record);
  else
    record.note("no PNG figures: the run was asked to stop");
  stop_if_interrupted();
  OutputFile run = record.file(files);
  files.push_back(std::move(run));
  directory.publish(files);
}

/// Said before a statement that is not the paper's.
static std::string whose(const Claim& claim) {
  if (claim.kind == ClaimKind::paper || claim.kind == ClaimKind::aim) return {};
  return std::string(said_by(claim.kind)) + ": ";
}

std::string claims_in_words(const Report& report) {
  const int width = terminal_width();
  const bool colour = use_colour();
  std::string out;
  const bool quick = is_quick_look(report);
  for (const Claim& claim : report.claims) {
    const std::string mark = for_locale(claim.holds ? "✓ " : quick ? "– " : "✗ ");
    const std::string shade = claim.holds ? "\033[32m" : quick ? "\033[33m" : "\033[31m";
    out += "  " + (colour ? shade + mark + "\033[0m" : mark) +
           wrapped(for_locale(whose(claim) + claim.paper), 4, width, false) + "\n";
    const auto line = [&](const char* label, const std::string& text) {
      if (!text.empty()) out += wrapped(for_locale(label + text), 6, width) + "\n";
    };
    line("measured: ", claim.measured);
    line(claim.holds || quick ? "remark: " : "why not: ", claim.why);
  }
  if (report.claims.empty()) return "  nothing was claimed\n";
  return out + wrapped(ClaimTally(report).in_words(), 2, width) + "\n";
}

std::string benchmark_in_words(const Report& found, const Report& speed) {
  constexpr std::size_t all_rows = 200;
  std::string out;
  for (const Report* report : {&found, &speed}) {
    out += for_locale(report->title) + "\n\n";
    for (const Table& table : report->tables) out += for_locale(text_table(table, all_rows)) + "\n";
    if (!report->claims.empty()) out += claims_in_words(*report) + "\n";
  }
  return out;
}

std::vector<OutputFile> benchmark_files(const Report& found, const Report& speed,
                                        const std::vector<std::string>& command) {
  std::vector<OutputFile> all;
  for (const auto& [report, folder] : {std::pair(&found, ""), std::pair(&speed, "speed/")})
    for (OutputFile& file : report_files(
             *report, {report->title, report->summary, version(), revision(), joined(command, " ")},
             folder))
      all.push_back(std::move(file));
  return all;
}

std::vector<std::string> warnings_of(const Report& report) {
  std::vector<std::string> warnings;
  for (const std::string& warning : report.warnings)
    warnings.push_back((report.experiment.empty() ? "" : report.experiment + ": ") + warning);
  return warnings;
}

void print_warnings(const Report& report, const Globals& globals) {
  if (globals.quiet) return;
  for (const std::string& warning : warnings_of(report)) print_warning(warning);
}

std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  const auto relative = path.lexically_relative(here);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return printable((below ? relative : path).string());
}

}  // namespace whence
