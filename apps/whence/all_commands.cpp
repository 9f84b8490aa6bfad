// The whole tree of options.
#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

/// Before any command runs. What was asked for by name is never replaced silently.
void require_device(const std::string& device) {
  if (device == "cuda")
    throw Error(ExitCode::device, "E-DEVICE", "--device", "this whence was built without CUDA",
                "--device auto uses the processor");
}

/// Several processes that all do the same work would write over each other.
void require_command_for_ranks(const CLI::App& root) {
  if (rank_count() == 1) return;
  for (const CLI::App* command : root.get_subcommands())
    for (const char* name : {"discover", "changes", "reproduce", "bench"})
      if (command->get_name() == name) return;
  throw Error(ExitCode::distributed, "E-RANKS", "",
              "this command runs as one process, and several were started together",
              "mpirun is for discover, changes, reproduce, bench graphs and bench direction");
}

}  // namespace

void add_commands(CLI::App& root, Globals& globals) {
  root.set_help_flag();           // help is ours, see help.hpp
  root.fallthrough();             // options of every command may stand behind the command
  root.require_subcommand(0, 1);  // a value may have the name of a command: bench direction
  add_demo(root, globals);
  add_reproduce(root, globals);
  add_meta_learn(root, globals);
  add_check(root, globals);
  add_direction(root, globals);
  add_discover(root, globals);
  add_changes(root, globals);
  add_disentangle(root, globals);
  add_simulate(root, globals);
  add_evaluate(root, globals);
  add_convert(root, globals);
  add_report(root, globals);
  add_verify(root, globals);
  add_bench(root, globals);
  add_merge(root, globals);
  add_doctor(root, globals);
  add_completion(root, globals);
  add_man(root, globals);
  root.add_flag("-h,--help")->description("show help and exit");
  root.add_flag("--version")->description("show the version and exit");
  root.add_flag("-q,--quiet", globals.quiet, "no summary, notes, warnings or progress");
  add_value(root, "--error-format", globals.error_format, "text|json",
            "how errors are shown on stderr");
  add_value(root, "--device", globals.device, "auto|cpu|cuda",
            "where the work is done; this build knows the processor only");
  root.parse_complete_callback([&] {
    require_device(globals.device);
    require_command_for_ranks(root);
  });
  root.footer(
      "Examples:\n"
      "  whence demo                                a worked example\n"
      "  whence reproduce all --scale smoke         every figure, in seconds\n"
      "  source <(whence completion bash)           completion in this shell");
}

}  // namespace whence
