// From the user's files to one data set with environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

struct MemoryTable;

/// `real`: numbers. `categorical`: codes 0, 1, 2, ... where all values are numbers, otherwise
/// names. `labels`: names, whatever they look like. `levels`: codes below it; 0: those that appear.
struct ColumnType {
  enum class Kind { real, categorical, labels };
  Kind kind = Kind::real;
  int levels = 0;
};

/// What to do with a category that the baseline lacks: take it (and say so), or stop.
enum class UnseenPolicy { accept, error };

/// What to do with environments that have too few rows: stop, go on without them, or join them into
/// one.
enum class SmallPolicy { error, leave_out, pool };

struct ReadOptions {
  /// Which variables, in which order: "x", or "v=a+b+c" for a vector of columns. Empty: all.
  std::vector<std::string> columns;
  /// Columns that are not to be read.
  std::vector<std::string> exclude;
  /// By variable name; others are inferred as docs/formats.md says.
  std::map<std::string, ColumnType> types;
  /// How many variables the caller can use. Where `columns` is empty and the file has another
  /// number, the error is one of usage and lists them.
  std::optional<std::size_t> variables;
  /// More are refused, by E-LIMIT-VARIABLES, once the names are known.
  std::size_t most_variables = std::size_t(-1);

  std::optional<char> delimiter;
  char decimal = '.';
  bool header = true;
  MissingPolicy missing = MissingPolicy::error;
  std::vector<std::string> na;
  UnseenPolicy unseen = UnseenPolicy::accept;
  std::size_t min_rows = 2;  // per environment
  SmallPolicy small = SmallPolicy::error;
  /// Columns that hold no variable (constant, an identifier, dates, no values) are left out and
  /// named, unless `columns` or `types` names them; otherwise they are errors.
  bool leave_out = false;
  bool must_vary = true;  // constant columns are an error; not where more data are at hand
  std::size_t max_memory = std::size_t(4) << 30;
  /// Of more rows so many are drawn, at random by this seed, as many as possible from each
  /// environment.
  std::size_t most_rows = every_row;
  std::uint64_t draw_seed = 0;
  bool allow_stream = false;
};

/// A file is one environment. Without a name it gets the file's, without folder and extension.
struct NamedFile {
  std::filesystem::path path;
  std::string name = {};
  bool baseline = false;
  std::shared_ptr<const std::string> content = {};  // its bytes, where they are at hand already
  std::shared_ptr<const MemoryTable> table = {};    // or what it would hold
};

struct SourceInfo {
  std::string file;         // without its folder
  std::string environment;  // empty for a table of several
  std::string sha256;
  std::uint64_t bytes = 0;
  std::size_t rows = 0;     // read
  std::size_t drawn = 0;    // of these, where there were too many to use all; otherwise all
  std::size_t dropped = 0;  // of those, for missing values
};

/// A column or an environment that is not used, and why.
struct LeftOut {
  std::string name, reason;
};

struct LoadedData {
  Dataset data;
  std::vector<SourceInfo> sources;
  std::vector<std::string> notes, warnings;  // printable
  std::optional<std::size_t> baseline;       // an environment
  std::vector<LeftOut> columns_left_out = {}, environments_left_out = {};
  /// Which entity each row belongs to, where a column says so that names every row of an
  /// environment differently and comes again in others; otherwise empty.
  std::vector<std::int32_t> entity = {};
};

/// One file per environment, at most one of them the baseline; columns are matched by name.
LoadedData read_files(std::span<const NamedFile> files, const ReadOptions& options);

/// One table with a column that says which environment a row belongs to; environments keep the
/// order in which they appear, rows the order of the file.
LoadedData read_long_table(const NamedFile& file, const std::string& environment_column,
                           const ReadOptions& options,
                           const std::optional<std::string>& baseline = {});
inline LoadedData read_long_table(const std::filesystem::path& file,
                                  const std::string& environment_column, const ReadOptions& options,
                                  const std::optional<std::string>& baseline = {}) {
  return read_long_table(NamedFile{file}, environment_column, options, baseline);
}

/// One file as it is: CSV, .npy or .npz, by the name's end.
RawTable read_raw_table(const std::filesystem::path& path, const ReadOptions& options,
                        const ChooseColumns& choose = {});

/// "x,y,v=a+b" -> its parts.
std::vector<std::string> parse_columns(std::string_view text);

/// "x=real,y=categorical:5,z=labels"; errors are of usage.
std::map<std::string, ColumnType> parse_types(std::string_view text);

}  // namespace whence
