// The options that say which data to read and how: shared by all commands that read data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/whence/commands.hpp"
#include "whence/core/error.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

struct DataOptions {
  std::string table, environment, baseline;
  std::vector<std::string> shifted, exclude;
  std::string columns, types, missing = "auto", min_rows = "5", small = "leave-out", na,
                              unseen = "accept", delimiter, decimal = ".";
  std::string odd_rows = "leave-out";
  std::string max_memory = "4G";
  std::string most_rows;        // empty: all
  std::uint64_t draw_seed = 0;  // draws them
  bool no_header = false;
  const Host* host = nullptr;  // whose tables stand for files of the same name
};

void add_data_options(CLI::App& app, DataOptions& options, const Globals& globals);

/// The limit of rows, for commands whose time grows with them.
void add_most_rows(CLI::App& app, DataOptions& options);

/// What becomes of rows with cells that look mistyped, for commands that leave them out.
void add_odd_rows(CLI::App& app, DataOptions& options);

/// Options about data that do not fit together.
[[noreturn]] inline void refuse_usage(const std::string& place, const std::string& problem,
                                      const std::string& hint) {
  throw Error(ExitCode::usage, "E-USAGE-DATA", place, problem, hint);
}

/// Reads files or one long table with `variables` variables, or with any number of them; usage
/// errors when the options do not fit together. More than `most` are refused before their values
/// are read.
LoadedData load_data(const DataOptions& options, std::optional<std::size_t> variables,
                     std::size_t most = std::size_t(-1));

/// How tables are read where no option says otherwise.
ReadOptions usual_read_options();

/// Whether all of them are tables that the host holds.
bool are_in_memory(const DataOptions& options);
/// What load_data() read from there, once more: data alone, nothing is said of them.
Dataset load_again(const DataOptions& options, std::size_t most);

/// The same of files whose bytes are at hand.
LoadedData load_files(const DataOptions& options, std::optional<std::size_t> variables,
                      const std::vector<NamedFile>& files, std::size_t most = std::size_t(-1));

/// The files that the options name, the baseline first; usage errors as above.
std::vector<NamedFile> data_files(const DataOptions& options);

/// The options of a command as they stand, listed once: as JSON, defaults included, and as the
/// words of a command line that gives the same results, defaults left out.
struct GivenOptions {
  explicit GivenOptions(std::vector<std::string> command = {}) : words(std::move(command)) {}

  void value(const std::string& name, const std::string& value, const std::string& usual = {});
  void last_part(const std::string& name, const std::string& path);  // no folder of this machine
  void each(const std::string& name, const std::vector<std::string>& values);
  void flag(const std::string& name, bool given);
  /// In words alone.
  void word(const std::string& name, const std::string& value, const std::string& usual = {});

  Json json = Json::object();
  std::vector<std::string> words;
};

/// Those about data.
void add_given(GivenOptions& given, const DataOptions& options);

/// Results replace a file or a folder as a whole: data that are it, or inside it, would be lost;
/// and results inside the data would be data the next time. An Error of code bad_config, whose hint
/// says how to choose another folder.
void refuse_to_overwrite(const std::vector<std::filesystem::path>& inputs,
                         const std::filesystem::path& output,
                         const std::string& hint = "choose another folder with -o");
std::vector<std::filesystem::path> input_paths(const DataOptions& options);

/// What the reader has to say about the columns.
std::vector<std::string> reading_notes(const LoadedData& loaded);

}  // namespace whence
