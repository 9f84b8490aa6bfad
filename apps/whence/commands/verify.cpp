// whence verify: whether a result, or a state, is still what was written.
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/run_seal.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/table/kept_files.hpp"

namespace whence {
namespace {

struct VerifyCommand {
  std::string path;
  bool json = false;
};

std::string_view name_of(FileCheck::State state) {
  switch (state) {
    case FileCheck::State::good: return "good";
    case FileCheck::State::changed: return "changed";
    case FileCheck::State::missing: return "missing";
    case FileCheck::State::unreadable: return "unreadable";
  }
  return "unreadable";
}

Json check_json(const RunCheck& check) {
  Json files = Json::list();
  for (const FileCheck& file : check.files)
    files.items.push_back(Json::object(
        {{"name", file.name}, {"state", name_of(file.state)}, {"problem", file.problem}}));
  return Json::object({{"good", check.good()},
                       {"files", std::move(files)},
                       {"strangers", Json::list(check.strangers)},
                       {"format", 1}});
}

void verify_folder(const VerifyCommand& command, const Globals& globals) {
  const RunCheck check = check_run(command.path);
  if (command.json) print(check_json(check).dump(2) + "\n");
  std::string damaged;
  std::size_t bad = 0;
  for (const FileCheck& file : check.files) {
    if (file.state == FileCheck::State::good) continue;
    ++bad;
    damaged += (damaged.empty() ? "" : "; ") + file.name + " " + file.problem;
  }
  if (bad > 0)
    throw Error(ExitCode::checkpoint, "E-RUN-DAMAGED", printable(command.path),
                std::to_string(bad) + " of " + std::to_string(check.files.size()) +
                    " files are not what was written: " + damaged,
                "make the run again: run.json holds its command");
  if (command.json || globals.quiet) return;
  for (const std::string& name : check.strangers) print_note(name + " is not of this run");
  print(std::to_string(check.files.size()) + " files, all as they were written\n");
}

/// A state says by its own checksum whether it is whole.
void verify_state(const VerifyCommand& command, const Globals& globals) {
  const std::string file = printable(command.path);
  const KeptFiles kept = read_kept_files(read_text_file(command.path, std::size_t(1) << 32), file);
  Json names = Json::list();
  for (const KeptFile& one : kept.files)
    names.items.emplace_back(printable(std::filesystem::path(one.path).filename().string()));
  if (command.json)
    return print(
        Json::object({{"good", true}, {"remembers", std::move(names)}, {"format", 1}}).dump(2) +
        "\n");
  if (!globals.quiet)
    print("a good state: it remembers " + std::to_string(kept.files.size()) + " files\n");
}

void run(const VerifyCommand& command, const Globals& globals) {
  std::error_code error;
  std::filesystem::is_directory(command.path, error) ? verify_folder(command, globals)
                                                     : verify_state(command, globals);
}

}  // namespace

void add_verify(CLI::App& root, Globals& globals) {
  CLI::App* app =
      root.add_subcommand("verify", "a finished run or a state: is it still what was written?");
  app->group("Your data");
  const auto command = std::make_shared<VerifyCommand>();
  app->add_option("DIR", command->path, "the folder of a run, or the file of a state")
      ->required()
      ->type_name("DIR");
  app->add_flag("--json", command->json, "print one JSON object to stdout");
  app->footer(
      "Every file is compared with its checksum in run.json. Exit code 8: something was changed.\n"
      "Example:\n  whence verify whence-out/direction");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
