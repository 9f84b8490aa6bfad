// Who runs a command: the terminal, or another program that holds the data in memory and takes the
// answer as it is. Either way the command does the same.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/whence/commands.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/io/files/output_directory.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/table/memory_table.hpp"

namespace whence {

/// What a command found, before it is written or shown.
struct Answer {
  std::string json;                                     // what --json prints
  std::string screen;                                   // what people read instead
  std::vector<std::string> notes, warnings;             // on stderr
  std::vector<std::string> command;                     // the words that give the same again
  std::function<std::vector<OutputFile>()> files = {};  // result.json first; made when asked for
};

/// Another program. Names of tables and texts stand where the arguments of a command name files.
struct Host {
  std::map<std::string, std::shared_ptr<const MemoryTable>> tables;
  std::map<std::string, std::string> texts;
  std::atomic<bool> stop{false};                       // set from outside: finish soon
  std::atomic<double> done{0}, best_score{-INFINITY};  // read from outside
  Answer answer;                                       // what the command found
  double engine_seconds = 0;  // from when the data were read to when the answer was there
};

/// Throws E-INTERRUPTED after a signal, or when the host asks for it.
void stop_if_asked(const Globals& globals);
bool asked_to_stop(const Globals& globals);

/// Shows how far a command is: a bar on the terminal, a number for the host.
class ProgressShow {
 public:
  ProgressShow(const std::string& name, const Globals& globals);
  /// May throw as stop_if_asked() does.
  void show(double share);
  void draw(double share, double best_score);

 private:
  const Globals& globals_;
  ProgressBar bar_;
};

/// A small file that an argument names.
std::string text_named(const std::string& name, const Globals& globals,
                       std::size_t max_bytes = std::size_t(1) << 20);
NamedGraph graph_named(const std::string& name, const Globals& globals);

/// Where the answer of a command goes: into a folder and to the terminal, or to the host. Whether
/// the folder can be written is found out at once.
class Delivery {
 public:
  Delivery(const std::filesystem::path& folder, const std::vector<std::string>& command,
           int threads, Globals& globals);

  /// Notes how long `name` took, where there is one, and writes the files.
  void write(const std::string& name, const Answer& answer);
  /// Prints, after what was written; `path` is a file that people may want to open, or empty.
  void show(Answer answer, bool as_json, const std::string& path = "index.html");
  RunRecord& record() { return record_; }

 private:
  Globals& globals_;
  std::optional<OutputDirectory> directory_;
  RunRecord record_;
};

/// An answer without files.
void show_answer(Answer answer, bool as_json, Globals& globals);

using AddCommands = void (*)(CLI::App& root, Globals& globals);

/// Those that a host may run.
void add_host_commands(CLI::App& root, Globals& globals);

/// One command out of a tree of options. For the host nothing is printed or written.
void run_command(const std::vector<std::string>& arguments, AddCommands add, Globals& globals);

}  // namespace whence
