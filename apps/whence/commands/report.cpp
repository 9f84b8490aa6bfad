// whence report: the page of a finished run, made again from what the run left behind.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/run_seal.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/report/page/page_data.hpp"

namespace whence {
namespace {

constexpr std::size_t most_bytes = std::size_t(1) << 30;

/// run.json keeps telling the truth about the page.
void note_in_run(const std::filesystem::path& path, const std::string& page) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  Json run = read_json(read_text_file(path, most_bytes), printable(path.string()), {most_bytes});
  if (Json* files = run.find("files"))
    for (Json& file : files->items) {
      const Json* name = file.find("name");
      if (!name || name->text != "index.html") continue;
      file.set("bytes", page.size());
      file.set("sha256", sha256_hex(page));
    }
  write_single_file(path, sealed_run(run), true);
}

void run(const std::filesystem::path& folder, const Globals& globals) {
  const auto source = folder / "page.json";
  PageData data = read_page_data(read_text_file(source, most_bytes), printable(source.string()));
  if (data.graph) data.info.graph = &*data.graph;
  const std::string page = report_page(data.reports, data.info);
  stop_if_interrupted();
  write_single_file(folder / "index.html", page, true);
  note_in_run(folder / "run.json", page);
  if (!globals.quiet) print("page: " + shown_path(folder / "index.html") + "\n");
}

}  // namespace

void add_report(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("report", "the page of a finished run, made again");
  app->group("Your data");
  const auto folder = std::make_shared<std::string>();
  app->add_option("DIR", *folder, "the folder of the run: its page.json is read")
      ->required()
      ->type_name("DIR");
  app->footer("Example:\n  whence report whence-out/direction");
  app->callback([folder, &globals] { run(*folder, globals); });
}

}  // namespace whence
