// whence merge: the checkpoints of all shards of one run as one.
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/checkpoint_file.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/files/text_file.hpp"

namespace whence {
namespace {

struct MergeCommand {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
};

void run(const MergeCommand& command, const Globals& globals) {
  Checkpoint merged;
  for (std::size_t k = 0; k < command.files.size(); ++k) {
    const std::string file = printable(command.files[k]);
    const Checkpoint one =
        read_checkpoint(read_text_file(command.files[k], largest_checkpoint), file);
    if (k == 0) merged.facts = one.facts;
    require_same_run(one, merged.facts, file);
    for (const auto& [unit, result] : one.units) {
      const auto [place, fresh] = merged.units.try_emplace(unit, result);
      if (!fresh && place->second.size() != result.size())
        throw Error(ExitCode::checkpoint, "E-CHECKPOINT-FOREIGN", file,
                    "it has another result than an earlier file for part " +
                        std::to_string(unit.second) + " of '" + printable(unit.first) + "'",
                    "shards of one run differ in nothing but --shard");
    }
  }
  write_single_file(command.output, checkpoint_text(merged), command.force);
  if (!globals.quiet)
    print(
        fmt::format("{} parts of {} files: {}\nthe same command with --checkpoint {} and without "
                    "--shard does what is missing and reports\n",
                    merged.units.size(), command.files.size(), printable(command.output),
                    printable(command.output)));
}

}  // namespace

void add_merge(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("merge", "the files of all shards of a run as one");
  app->group("Tools");
  const auto command = std::make_shared<MergeCommand>();
  app->add_option("FILES", command->files, "what --checkpoint and --shard wrote")
      ->required()
      ->type_name("FILE...");
  add_value(*app, "-o,--output", command->output, "FILE", "the checkpoint of the whole run")
      ->required();
  app->add_flag("--force", command->force, "replace FILE if it exists");
  app->footer(
      "Example:\n"
      "  whence bench graphs --shard 1/2 --checkpoint 1.shard\n"
      "  whence bench graphs --shard 2/2 --checkpoint 2.shard\n"
      "  whence merge 1.shard 2.shard -o all.shards\n"
      "  whence bench graphs --checkpoint all.shards");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
