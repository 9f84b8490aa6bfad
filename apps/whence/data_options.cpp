#include "apps/whence/data_options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/check/collinearity.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

std::string last_part(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// One character, or the name of one that is hard to type.
char character_of(const std::string& option, const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1)
    throw Error(ExitCode::usage, "E-USAGE-VALUE", option,
                "'" + excerpt(text) + "' is not one character", "such as ';' or tab");
  return text[0];
}

ReadOptions read_options(const DataOptions& options, std::optional<std::size_t> variables,
                         std::size_t most) {
  ReadOptions read;
  read.most_variables = most;
  if (!options.columns.empty()) read.columns = parse_columns(options.columns);
  if (!options.types.empty()) read.types = parse_types(options.types);
  read.variables = variables;
  if (!options.delimiter.empty()) read.delimiter = character_of("--delimiter", options.delimiter);
  read.decimal = character_of("--decimal", options.decimal);
  read.header = !options.no_header;
  for (const std::string& names : options.exclude)
    for (std::string& name : parse_columns(names)) read.exclude.push_back(std::move(name));
  read.missing = options.missing == "auto"   ? MissingPolicy::guess
                 : options.missing == "drop" ? MissingPolicy::drop
                                             : MissingPolicy::error;
  read.leave_out = true;
  read.min_rows = std::size_t(count_of("--min-rows", options.min_rows, 2, 1'000'000'000));
  read.small = options.small == "pool"    ? SmallPolicy::pool
               : options.small == "error" ? SmallPolicy::error
                                          : SmallPolicy::leave_out;
  if (!options.na.empty()) read.na = split(options.na, ',');
  read.unseen = options.unseen == "error" ? UnseenPolicy::error : UnseenPolicy::accept;
  read.max_memory = bytes_of(options.max_memory);
  read.draw_seed = options.draw_seed;
  if (!options.most_rows.empty() && options.most_rows != "all")
    read.most_rows = std::size_t(count_of("--most-rows", options.most_rows, 1000, INT64_MAX));
  if (variables && !read.columns.empty() && read.columns.size() != *variables)
    refuse_usage("--columns",
                 std::to_string(read.columns.size()) + " variables are named; " +
                     std::to_string(*variables) + " are needed",
                 "--columns X,Y");
  return read;
}

void check_form(const DataOptions& options) {
  const std::string forms = "--baseline FILE --shifted FILE, or FILE --environment COLUMN";
  if (options.table.empty()) {
    if (!options.environment.empty())
      refuse_usage("--environment", "a column of environments belongs to one table",
                   "name the table: FILE --environment COLUMN");
    if (options.shifted.empty()) refuse_usage("", "there is no shifted data set", forms);
    return;
  }
  if (!options.shifted.empty())
    refuse_usage("--shifted", "give either one table or files, not both", forms);
  if (options.environment.empty())
    refuse_usage(
        "", "which column of " + printable(last_part(options.table)) + " tells environments apart?",
        "--environment COLUMN");
}

/// One of them is enough. Their rows count once, but for so few of so few levels that they may
/// agree by chance.
void warn_of_copies(LoadedData& loaded) {
  const auto& sources = loaded.sources;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (sources[i].sha256 == sources[j].sha256)
        loaded.warnings.push_back(sources[i].file + " and " + sources[j].file +
                                  " are the same file: one of them is enough");
}

void warn_of_collinearity(LoadedData& loaded) {
  for (std::string& sentence : collinear_columns(loaded.data))
    loaded.warnings.push_back(std::move(sentence));
}

}  // namespace

/// Named by the options; a table of the host where it has one of that name.
static NamedFile file_named(const std::string& path, bool baseline, const Host* host) {
  NamedFile file{path, {}, baseline};
  if (host != nullptr)
    if (const auto found = host->tables.find(path); found != host->tables.end())
      file.table = found->second;
  return file;
}

std::vector<NamedFile> data_files(const DataOptions& options) {
  check_form(options);
  std::vector<NamedFile> files;
  if (!options.baseline.empty()) files.push_back(file_named(options.baseline, true, options.host));
  for (const std::string& file : options.shifted)
    files.push_back(file_named(file, false, options.host));
  return files;
}

void add_data_options(CLI::App& app, DataOptions& options, const Globals& globals) {
  options.host = globals.host;
  app.add_option("TABLE", options.table, "one table with a column of environments")
      ->type_name("FILE");
  add_value(app, "--environment", options.environment, "COLUMN",
            "the column that tells the environments of one table apart");
  add_value(app, "--baseline", options.baseline, "FILE",
            "the unshifted data; with --environment, the name of that environment");
  app.add_option("--shifted", options.shifted,
                 "shifted data, one file or several (week*.csv); may be given again and again")
      ->type_name("FILE")
      ->allow_extra_args();
  add_value(app, "--columns", options.columns, "X,Y",
            "the variables, two for a pair; V=A+B makes one of several columns");
  add_value(app, "--types", options.types, "X=TYPE,...",
            "types of columns: real, categorical, categorical:LEVELS or labels")
      ->default_str("from the data");
  app.add_option("--exclude", options.exclude,
                 "a column that is no variable; may be given again and again")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_value(app, "--missing", options.missing, "auto|drop|error",
            "rows with missing values: drop leaves them out, auto also takes NA, NULL, ? and the "
            "like for missing");
  add_value(app, "--min-rows", options.min_rows, "N", "rows that an environment needs");
  add_value(app, "--small", options.small, "leave-out|pool|error",
            "environments with fewer: leave them out, join them into one, or stop");
  add_value(app, "--na", options.na, "TEXT,...", "texts that mean missing, beside empty fields");
  add_value(app, "--unseen", options.unseen, "accept|error",
            "what to do with categories that the baseline lacks");
  add_value(app, "--delimiter", options.delimiter, "CHARACTER", "what separates fields")
      ->default_str("from the data");
  add_value(app, "--decimal", options.decimal, "CHARACTER", "the decimal sign");
  app.add_flag("--no-header", options.no_header, "the first line holds values, not names");
  add_value(app, "--max-memory", options.max_memory, "SIZE", "refuse data that need more");
}

constexpr const char* usual_most_rows = "200000";

void add_most_rows(CLI::App& app, DataOptions& options) {
  options.most_rows = usual_most_rows;
  add_value(app, "--most-rows", options.most_rows, "N",
            "of more rows so many are drawn at random, as many as possible from each environment; "
            "or all");
}

void add_odd_rows(CLI::App& app, DataOptions& options) {
  add_value(app, "--odd-rows", options.odd_rows, "leave-out|keep",
            "rows with a number that looks mistyped: leave them out and name them, or keep them");
}

LoadedData load_files(const DataOptions& options, std::optional<std::size_t> variables,
                      const std::vector<NamedFile>& files, std::size_t most) {
  LoadedData loaded = read_files(files, read_options(options, variables, most));
  warn_of_copies(loaded);
  warn_of_collinearity(loaded);
  return loaded;
}

static LoadedData load_table(const DataOptions& options, const ReadOptions& read) {
  std::optional<std::string> baseline;
  if (!options.baseline.empty()) baseline = options.baseline;
  return read_long_table(file_named(options.table, false, options.host), options.environment, read,
                         baseline);
}

LoadedData load_data(const DataOptions& options, std::optional<std::size_t> variables,
                     std::size_t most) {
  if (options.table.empty()) return load_files(options, variables, data_files(options), most);
  check_form(options);
  LoadedData loaded = load_table(options, read_options(options, variables, most));
  warn_of_collinearity(loaded);
  return loaded;
}

ReadOptions usual_read_options() {
  return read_options(DataOptions{}, std::nullopt, std::size_t(-1));
}

bool are_in_memory(const DataOptions& options) {
  const auto is_held = [&](const std::filesystem::path& path) {
    return options.host != nullptr && options.host->tables.contains(path.string());
  };
  const auto paths = input_paths(options);
  return !paths.empty() && std::all_of(paths.begin(), paths.end(), is_held);
}

Dataset load_again(const DataOptions& options, std::size_t most) {
  ReadOptions read = read_options(options, std::nullopt, most);
  read.hash = false;
  if (options.table.empty()) return read_files(data_files(options), read).data;
  return load_table(options, read).data;
}

/// "--min-rows" as result.json spells it: "min_rows".
static std::string key_of(const std::string& name) {
  std::string key = name.substr(2);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

void GivenOptions::value(const std::string& name, const std::string& value,
                         const std::string& usual) {
  json.set(key_of(name), value.empty() ? Json() : Json(value));
  word(name, value, usual);
}

void GivenOptions::last_part(const std::string& name, const std::string& path) {
  value(name, whence::last_part(path));
}

void GivenOptions::each(const std::string& name, const std::vector<std::string>& values) {
  json.set(key_of(name), Json::list(values));
  for (const std::string& one : values) word(name, one);
}

void GivenOptions::flag(const std::string& name, bool given) {
  json.set(key_of(name), given);
  if (given) words.push_back(name);
}

void GivenOptions::word(const std::string& name, const std::string& value,
                        const std::string& usual) {
  if (value != usual) words.insert(words.end(), {name, printable(value)});
}

void add_given(GivenOptions& given, const DataOptions& options) {
  const bool files = options.table.empty();
  if (!files) given.words.push_back(printable(last_part(options.table)));
  given.value("--environment", options.environment);
  given.value("--baseline", files ? last_part(options.baseline) : options.baseline);
  for (const std::string& file : options.shifted) given.word("--shifted", last_part(file));
  given.value("--columns", options.columns);
  given.each("--exclude", options.exclude);
  given.value("--types", options.types);
  given.value("--missing", options.missing, "auto");
  given.value("--min-rows", options.min_rows, "5");
  given.value("--small", options.small, "leave-out");
  given.value("--na", options.na);
  given.value("--unseen", options.unseen, "accept");
  given.value("--delimiter", options.delimiter);
  given.value("--decimal", options.decimal, ".");
  given.json.set("header", !options.no_header);
  if (options.no_header) given.words.emplace_back("--no-header");
  // Not where it is the default: states that were made before there was a choice stay good.
  if (options.odd_rows != "leave-out") given.value("--odd-rows", options.odd_rows);
  if (!options.most_rows.empty()) given.value("--most-rows", options.most_rows, usual_most_rows);
}

std::vector<std::filesystem::path> input_paths(const DataOptions& options) {
  std::vector<std::filesystem::path> paths(options.shifted.begin(), options.shifted.end());
  if (!options.table.empty())
    paths.emplace_back(options.table);
  else if (!options.baseline.empty())
    paths.emplace_back(options.baseline);
  return paths;
}

void refuse_to_overwrite(const std::vector<std::filesystem::path>& inputs,
                         const std::filesystem::path& output, const std::string& hint) {
  const auto real = [](const std::filesystem::path& path) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    return error ? path : canonical;
  };
  const auto refuse = [&](const std::string& what, const std::filesystem::path& input) {
    throw Error(ExitCode::bad_config, "E-OUT-INPUT", printable(output.string()),
                "the results would " + what + printable(input.filename().string()), hint);
  };
  const auto folder = real(output);
  for (const auto& input : inputs) {
    const auto file = real(input);
    std::error_code absent;
    if (file == folder || std::filesystem::equivalent(file, folder, absent))
      refuse("replace ", input);
    const auto [out, in] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    if (out == folder.end()) refuse("replace the folder of ", input);
    if (in == file.end()) refuse("stand inside the data ", input);
  }
}

namespace {

/// Whole numbers that were taken for categories, with how many there are of each: "Year (12)".
std::vector<std::string> counted_codes(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& v : variables)
    if (v.kind == Variable::Kind::categorical && v.levels > 2 &&
        std::all_of(v.level_names.begin(), v.level_names.end(), [](const std::string& level) {
          return parse_field(level).kind == FieldKind::number;
        }))
      names.push_back(printable(v.name) + " (" + std::to_string(v.levels) + ")");
  return names;
}

/// What the columns are, in few words; nothing where a line for each says more: a pair.
std::vector<std::string> summary_of(const std::vector<Variable>& variables) {
  constexpr std::size_t few = 3, most_names = 12;  // beyond, a screen of them hides what matters
  std::vector<std::string> numbers, categories;
  for (const Variable& v : variables)
    (v.kind == Variable::Kind::categorical ? categories : numbers).push_back(printable(v.name));
  const std::size_t all = variables.size();
  if (all < few) return {};
  std::vector<std::string> notes;
  if (numbers.empty() || categories.empty())
    notes.push_back("all " + std::to_string(all) + " columns are " +
                    (numbers.empty() ? "categorical" : "real") + " (--types to change that)");
  else if (all > most_names)
    notes.push_back(std::to_string(numbers.size()) + " columns are real, " +
                    std::to_string(categories.size()) + " categorical; result.json lists them");
  else
    notes.push_back("real: " + joined(numbers) + "; categorical: " + joined(categories));
  std::vector<std::string> codes = counted_codes(variables);
  if (codes.empty() || numbers.empty()) return notes;
  const std::string first = codes[0].substr(0, codes[0].rfind(" ("));
  if (codes.size() > most_names) codes.resize(most_names), codes.emplace_back("...");
  notes.push_back("categorical, because of few different whole numbers: " + joined(codes) +
                  "; --types " + first + "=real to change that");
  return notes;
}

}  // namespace

std::vector<std::string> reading_notes(const LoadedData& loaded) {
  if (loaded.notes.empty()) return {};  // types that were given need no note
  std::vector<std::string> notes = summary_of(loaded.data.variables);
  if (notes.empty()) return loaded.notes;
  for (const std::string& note : loaded.notes)
    if (note.starts_with("environment \"")) notes.push_back(note);  // joined with others
  return notes;
}

}  // namespace whence
