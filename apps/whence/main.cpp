// whence: the command line. Reads arguments, runs one subcommand, and turns every failure into one
// line and one exit code.
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/whence/command_hints.hpp"
#include "apps/whence/commands.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/machine.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/core/error.hpp"

namespace whence {
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
  Globals globals;
  run_command(arguments, add_commands, globals);
  return globals.exit_code;
}

/// An error that all ranks have is printed once.
void wait_for_rank_0() {
  if (rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
}

int guarded(const std::vector<std::string>& arguments) {
  const bool as_json = wants_json_errors(arguments);
  const auto fail = [&](const Error& error) {
    wait_for_rank_0();  // it may end all ranks for the same reason
    print_error(with_command_hint(error), as_json);
    end_all_ranks(int(error.code()));
    return int(error.code());
  };
  try {
    join_ranks();
    if (rank() > 0) mute();
    const int code = run(arguments);
    leave_ranks();
    return code;
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
