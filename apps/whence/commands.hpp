// The subcommands: one file each, one function each that hangs it into the tree of options.
//
// Help, manual and completions are made by walking that tree, so an option states everything once:
// its names, its default (default_str), its meaning, and what it takes, by its type name:
//   "a|b|c"         one of these          "FILE", "DIR"   a path, completed as such
//   "NAME:a|b|c"    the same, shown as NAME   "N"          anything else
#pragma once

#include <cstdint>
#include <string>

// Only files that build the tree pay for its header, which takes longer to compile than they do.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace whence {

struct Host;

/// Options that every subcommand has, and what the process will return.
struct Globals {
  Host* host = nullptr;  // another program that runs the command; see host.hpp
  bool quiet = false;
  std::string error_format = "text", device = "auto";
  int exit_code = 0;
};

void add_demo(CLI::App& root, Globals& globals);
void add_reproduce(CLI::App& root, Globals& globals);
void add_merge(CLI::App& root, Globals& globals);
void add_meta_learn(CLI::App& root, Globals& globals);
void add_check(CLI::App& root, Globals& globals);
void add_direction(CLI::App& root, Globals& globals);
void add_discover(CLI::App& root, Globals& globals);
void add_disentangle(CLI::App& root, Globals& globals);
void add_changes(CLI::App& root, Globals& globals);
void add_simulate(CLI::App& root, Globals& globals);
void add_evaluate(CLI::App& root, Globals& globals);
void add_convert(CLI::App& root, Globals& globals);
void add_report(CLI::App& root, Globals& globals);
void add_verify(CLI::App& root, Globals& globals);
void add_bench(CLI::App& root, Globals& globals);
void add_doctor(CLI::App& root, Globals& globals);
void add_completion(CLI::App& root, Globals& globals);
void add_man(CLI::App& root, Globals& globals);

/// The whole tree.
void add_commands(CLI::App& root, Globals& globals);

/// An option with a value that states its default.
CLI::Option* add_value(CLI::App& app, const std::string& names, std::string& target,
                       const std::string& takes, const std::string& help);

/// Parsed values of --seed, --threads and --max-memory; usage errors otherwise.
std::uint64_t seed_of(const std::string& text);
int threads_of(const std::string& text, const Globals& globals);
std::uint64_t bytes_of(const std::string& text);

/// Of a folder, the file that stands for it.
std::string file_of(const std::string& path, const char* name);

}  // namespace whence
