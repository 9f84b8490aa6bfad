#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/text.hpp"
#include "whence/core/variable_set.hpp"
#include "whence/discover/check/data_check.hpp"
#include "whence/report/check_report.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/result_parts.hpp"

namespace whence {
namespace {

struct CheckCommand {
  DataOptions data;
  std::string threads = "auto";
  bool json = false;
};

template <class Check>
void show(const Check& check, const LoadedData& loaded, const std::vector<std::string>& warnings,
          bool json, Globals& globals) {
  Json result = check_json(check);
  result.set("warnings", Json::list(warnings));
  result.set("left_out", left_out_json(loaded));
  std::string out;
  for (const Table& table : check_tables(check))
    out += for_locale(printable(table.title)) + "\n" + text_table(table, 40) + "\n";
  for (const std::string& remark : check_remarks(check))
    out += wrapped(for_locale(printable(remark)), 0, terminal_width()) + "\n";
  show_answer({result.dump(2) + "\n", out, reading_notes(loaded), warnings, {}}, json, globals);
}

/// Rows that were vouched for are no news.
template <class Check>
Check without_kept(Check check, const DataOptions& options) {
  if (options.odd_rows == "keep")
    std::erase_if(check.remarks,
                  [](const Remark& remark) { return remark.code == RemarkCode::odd_cell; });
  return check;
}

/// The conditional laws of a pair are compared, too; of more variables each law by itself.
void run(const CheckCommand& command, Globals& globals) {
  const int threads = threads_of(command.threads, globals);
  const LoadedData loaded = load_data(command.data, std::nullopt, most_variables);
  const auto pulse = [&] { stop_if_asked(globals); };
  pulse();
  if (loaded.data.variables.size() == 2) {
    const DataCheck check = without_kept(
        check_data(loaded.data, loaded.baseline, threads, bytes_of(command.data.max_memory), pulse),
        command.data);
    return show(check, loaded, all_warnings(loaded.warnings, check.remarks), command.json, globals);
  }
  const TableCheck check = without_kept(
      check_table(loaded.data, loaded.baseline, threads, loaded.entity, pulse), command.data);
  show(check, loaded, all_warnings(loaded.warnings, check.remarks), command.json, globals);
}

}  // namespace

void add_check(CLI::App& root, Globals& globals) {
  CLI::App* app =
      root.add_subcommand("check", "your data: what they hold and what they can decide");
  app->group("Your data");
  const auto command = std::make_shared<CheckCommand>();
  add_data_options(*app, command->data, globals);
  add_most_rows(*app, command->data);
  add_odd_rows(*app, command->data);
  add_value(*app, "--threads", command->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  app->add_flag("--json", command->json, "print one JSON object to stdout and nothing else");
  app->footer(
      "Examples:\n"
      "  whence check --baseline base.csv --shifted q1.csv --shifted q2.csv\n"
      "  whence check data.csv --environment site\n"
      "  whence check data.csv --environment site --columns rain,umbrella");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
