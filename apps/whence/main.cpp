// whence: the command line. Reads arguments, runs one subcommand, and turns every failure into one
// line and one exit code.
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "apps/whence/arguments.hpp"
#include "apps/whence/command_hints.hpp"
#include "apps/whence/commands.hpp"
#include "apps/whence/help.hpp"
#include "apps/whence/machine.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/simd.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// Before any command runs. What was asked for by name is never replaced silently.
void require_device(const std::string& device) {
  if (device == "cuda")
    throw Error(ExitCode::device, "E-DEVICE", "--device", "this whence was built without CUDA",
                "--device auto uses the processor");
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
  root.parse_complete_callback([&globals] { require_device(globals.device); });
  root.footer(
      "Examples:\n"
      "  whence demo                                a worked example\n"
      "  whence reproduce all --scale smoke         every figure, in seconds\n"
      "  source <(whence completion bash)           completion in this shell");
}

namespace {

/// Errors in the arguments come before --error-format is parsed: look for it by hand.
bool wants_json_errors(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--error-format=json") return true;
    if (arguments[i] == "--error-format" && i + 1 < arguments.size())
      return arguments[i + 1] == "json";
  }
  return false;
}

int run(const std::vector<std::string>& arguments) {
  CLI::App root("find out what causes what, from how data changes", "whence");
  Globals globals;
  add_commands(root, globals);
  if (arguments.empty()) {
    print_stderr(help_text(root, terminal_width()));
    return int(ExitCode::usage);
  }
  const Request request = check_arguments(root, arguments);
  if (request.help) {
    print(help_text(*request.app, terminal_width()));
    return 0;
  }
  if (request.version) {
    print("whence " + std::string(version()) + " (" + revision() + ")\n");
    return 0;
  }
  if (const char* target = std::getenv("WHENCE_SIMD")) use_simd_target(target);
  root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return globals.exit_code;
}

int guarded(const std::vector<std::string>& arguments) {
  const bool as_json = wants_json_errors(arguments);
  const auto fail = [&](const Error& error) {
    print_error(with_command_hint(error), as_json);
    return int(error.code());
  };
  try {
    return run(arguments);
  } catch (const Error& error) {
    return fail(error);
  } catch (const CLI::ParseError& error) {
    return fail(Error(ExitCode::usage, "E-USAGE-PARSE", "", error.what(), "whence --help"));
  } catch (const std::bad_alloc&) {
    return fail(Error(ExitCode::resource, "E-LIMIT-MEMORY", "", "memory ran out"));
  } catch (const std::exception& error) {
    return fail(Error(ExitCode::internal, "E-INTERNAL", "", error.what(),
                      "this is a bug in whence: please report it with the command line"));
  } catch (...) {
    return fail(Error(ExitCode::internal, "E-INTERNAL", "", "something unknown was thrown",
                      "this is a bug in whence: please report it with the command line"));
  }
}

}  // namespace
}  // namespace whence

int main(int argc, char** argv) {
  whence::prepare_streams();
  const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  whence::catch_signals(whence::wants_json_errors(arguments));
  return whence::on_a_large_stack([&] { return whence::guarded(arguments); });
}
