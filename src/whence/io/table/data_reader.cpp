#include "whence/io/table/data_reader.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <set>
#include <unordered_map>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/byte_source.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/data_typing.hpp"
#include "whence/io/table/environment_checks.hpp"
#include "whence/io/table/formats/csv_reader.hpp"
#include "whence/io/table/formats/npy_reader.hpp"
#include "whence/io/table/formats/npz_reader.hpp"
#include "whence/io/table/left_out.hpp"
#include "whence/io/table/memory_table.hpp"

namespace whence {
namespace {

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return extension;
}

bool is_missing(const RawColumn& column, std::size_t row) {
  return column.kind == RawColumn::Kind::numbers ? std::isnan(column.numbers[row])
                                                 : column.texts[row] < 0;
}

/// A file with its rows that count: all, or those that lack nothing.
struct LoadedTable {
  RawTable table;
  bool all_rows = true;
  std::vector<std::size_t> rows;  // where not all count
  std::unordered_map<std::string, std::size_t> index;

  std::size_t row_count() const { return all_rows ? table.rows : rows.size(); }
  ColumnPart part(const std::string& column) {
    RawColumn& found = table.columns[index.at(column)];  // the plan has checked that it is there
    return {&table, &found, all_rows ? nullptr : &rows};
  }
};

/// Columns of this file that are used and lack values.
std::vector<const RawColumn*> gaps_of(LoadedTable& loaded, const DataPlan& plan) {
  std::vector<std::string> used;
  for (const PlannedVariable& variable : plan.variables())
    used.insert(used.end(), variable.columns.begin(), variable.columns.end());
  if (!plan.environment_column().empty()) used.push_back(plan.environment_column());
  std::vector<const RawColumn*> gaps;
  for (const std::string& name : used) {
    const RawColumn* column = loaded.part(name).column;
    if (column->missing > 0) gaps.push_back(column);
  }
  return gaps;
}

/// "age 177, deck 688": which columns lack how many values.
std::string missing_by_column(const std::vector<const RawColumn*>& gaps) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(gaps.size(), shown); ++i)
    words.push_back(excerpt(gaps[i]->name, 40) + " " + std::to_string(gaps[i]->missing));
  if (gaps.size() > shown) words.push_back("...");
  return joined(words);
}

/// Leaves out the rows that lack a value of a column that is used, and says how many.
void drop_incomplete_rows(LoadedTable& loaded, const DataPlan& plan, SourceInfo& source,
                          LoadedData& out) {
  const RawTable& table = loaded.table;
  const std::vector<const RawColumn*> gaps = gaps_of(loaded, plan);
  if (gaps.empty()) return;
  for (const RawColumn* column : gaps)
    if (column->missing == table.rows)
      throw Error(ExitCode::bad_data, "E-DATA-ALLMISSING", table.file,
                  "column " + in_quotes(column->name) + " has no value at all", "leave it out");
  loaded.all_rows = false;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const bool complete = std::none_of(gaps.begin(), gaps.end(), [&](const RawColumn* column) {
      return is_missing(*column, row);
    });
    if (complete) loaded.rows.push_back(row);
  }
  source.dropped = table.rows - loaded.row_count();
  out.warnings.push_back(
      table.file + ": " + std::to_string(source.dropped) + " of " + std::to_string(table.rows) +
      " rows were left out because a value is missing (" + missing_by_column(gaps) + ")");
  if (loaded.rows.empty())
    throw Error(ExitCode::bad_data, "E-DATA-ALLMISSING", table.file,
                "every row lacks a value (" + missing_by_column(gaps) + ")",
                "leave the columns that lack most out: --exclude NAME");
}

ValueOptions value_options(const ReadOptions& options, const std::string& environment) {
  return {options.missing,   options.na,        options.max_memory, options.leave_out,
          options.most_rows, options.draw_seed, environment,        options.hash};
}

RawTable read_table(ByteSource& source, const std::filesystem::path& path,
                    const ReadOptions& options, const std::string& environment,
                    const ChooseColumns& choose) {
  const ValueOptions values = value_options(options, environment);
  const std::string extension = extension_of(path);
  if (extension == ".npy") return read_npy(source, values, choose);
  if (extension == ".npz") return read_npz(source, values, choose);
  CsvOptions csv;
  csv.delimiter = options.delimiter;
  csv.decimal = options.decimal;
  csv.header = options.header;
  csv.values = values;
  return read_csv(source, csv, choose);
}

RawTable read_table(const NamedFile& file, const ReadOptions& options,
                    const std::string& environment, const ChooseColumns& choose) {
  const std::string label = printable(file.path.string());
  if (file.table)
    return read_memory_table(*file.table, label, value_options(options, environment), choose);
  if (file.content) {
    MemorySource source(label, *file.content);
    return read_table(source, file.path, options, environment, choose);
  }
  FileSource source(file.path, options.allow_stream);
  return read_table(source, file.path, options, environment, choose);
}

LoadedTable load(const NamedFile& file, const ReadOptions& options, DataPlan& plan,
                 const std::string& environment, LoadedData& out) {
  LoadedTable loaded;
  const std::string label = printable(file.path.string());
  loaded.table =
      read_table(file, options, plan.environment_column(),
                 [&](const std::vector<std::string>& names, const std::vector<RawGroup>& groups) {
                   return plan.choose(label, names, groups);
                 });
  for (std::size_t i = 0; i < loaded.table.columns.size(); ++i)
    loaded.index.emplace(loaded.table.columns[i].name, i);
  SourceInfo source;
  source.file = printable(file.path.filename().string());
  source.environment = environment;
  source.sha256 = loaded.table.sha256;
  source.bytes = loaded.table.bytes;
  source.rows = loaded.table.rows_read;
  source.drawn = loaded.table.rows;
  out.warnings.insert(out.warnings.end(), loaded.table.warnings.begin(),
                      loaded.table.warnings.end());
  out.sources.push_back(std::move(source));
  return loaded;
}

/// Files that are one environment each, and together have more rows than are wanted: keeps as many
/// of each as all files so far allow. Fewer will be kept when more files are there, never others.
void draw_rows(std::vector<LoadedTable>& tables, const ReadOptions& options) {
  std::vector<std::size_t> rows;
  for (const LoadedTable& loaded : tables) rows.push_back(loaded.table.rows_read);
  const std::size_t of_each = rows_of_each(rows, options.most_rows);
  for (LoadedTable& loaded : tables) {
    RawTable& table = loaded.table;
    if (table.rows <= of_each) continue;
    if (!table.draw) {
      table.draw = std::make_shared<RowDraw>(options.most_rows, options.draw_seed);
      table.draw->add(table.rows);
    }
    keep_rows(table, table.draw->shrink_to(of_each));
    count_missing(table);
  }
}

std::size_t rows_held(const std::vector<LoadedTable>& tables) {
  std::size_t rows = 0;
  for (const LoadedTable& loaded : tables) rows += loaded.table.rows;
  return rows;
}

/// Says how many rows were drawn, and from how many.
void tell_of_draw(const std::vector<LoadedTable>& tables, LoadedData& out) {
  std::size_t read = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out.sources[i].drawn = tables[i].table.rows;
    read += out.sources[i].rows;
  }
  const std::size_t held = rows_held(tables);
  if (held == read) return;
  out.warnings.push_back("of " + std::to_string(read) + " rows " + std::to_string(held) +
                         " were drawn at random, as many as possible from each environment; "
                         "--most-rows N uses more, with more time and memory");
}

std::vector<ColumnPart> parts_of(std::vector<LoadedTable>& tables, const std::string& column) {
  std::vector<ColumnPart> parts;
  for (LoadedTable& table : tables) parts.push_back(table.part(column));
  return parts;
}

/// Columns that hold no variable, before rows are dropped on their account.
void leave_out_columns(DataPlan& plan, std::vector<LoadedTable>& tables, LoadedData& out) {
  const std::vector<PlannedVariable> planned = plan.variables();
  for (const PlannedVariable& variable : planned) {
    if (!plan.may_leave_out(variable) || variable.columns.size() > 1) continue;
    const bool first = tables[0].table.columns[0].name == variable.columns[0];
    const auto reason = reason_to_leave_out(variable, parts_of(tables, variable.columns[0]), first);
    if (!reason) continue;
    out.columns_left_out.push_back({variable.name, *reason});
    plan.leave_out(variable.name);
  }
}

bool is_constant(const Variable& variable, const Column& column) {
  const auto same = [](const auto& values, std::size_t width) {
    for (std::size_t i = width; i < values.size(); ++i)
      if (values[i] != values[i % width]) return false;
    return true;
  };
  return variable.kind == Variable::Kind::categorical
             ? same(column.levels, 1)
             : same(column.values, std::size_t(variable.dimension));
}

std::string first_value(const Variable& variable, const Column& column) {
  return variable.kind == Variable::Kind::categorical
             ? variable.level_names[std::size_t(column.levels[0])]
             : shortest(column.values[0]);
}

TypedColumn typed(const PlannedVariable& variable, std::vector<LoadedTable>& tables,
                  const ReadOptions& options) {
  if (variable.columns.size() == 1)
    return typed_column(variable, parts_of(tables, variable.columns[0]), options.max_memory);
  std::vector<std::vector<ColumnPart>> parts;
  for (LoadedTable& table : tables) {
    auto& columns = parts.emplace_back();
    for (const std::string& column : variable.columns) columns.push_back(table.part(column));
  }
  return typed_vector(variable, parts);
}

/// A column of whole numbers that was read as real.
struct MaybeCodes {
  std::string name;
  std::size_t values = 0;
  bool negative = false;
};

std::string in_words(const std::vector<MaybeCodes>& columns) {
  constexpr std::size_t most = 5;
  const MaybeCodes& first = columns[0];
  const std::string option =
      "--types " + printable(first.name) + (first.negative ? "=labels" : "=categorical");
  if (columns.size() == 1)
    return "column " + in_quotes(first.name) + " holds " + std::to_string(first.values) +
           " different whole numbers" + (first.negative ? ", some negative," : "") +
           " and is read as real; if they stand for categories, use " + option;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(most, columns.size()); ++k)
    names.push_back(in_quotes(columns[k].name) + ": " + std::to_string(columns[k].values));
  return std::to_string(columns.size()) + " columns hold whole numbers and are read as real (" +
         joined(names) + " different ones" +
         (columns.size() > most ? ", and " + std::to_string(columns.size() - most) + " more" : "") +
         "); if they stand for categories, use --types, for example " + option;
}

void add_variables(DataPlan& plan, std::vector<LoadedTable>& tables, const ReadOptions& options,
                   LoadedData& out) {
  const std::vector<PlannedVariable> planned = plan.variables();
  std::vector<MaybeCodes> maybe_codes;
  for (const PlannedVariable& variable : planned) {
    TypedColumn column = typed(variable, tables, options);
    if (plan.may_leave_out(variable) && is_constant(column.variable, column.column)) {
      out.columns_left_out.push_back(
          {variable.name,
           "every row holds " + in_quotes(first_value(column.variable, column.column))});
      plan.leave_out(variable.name);
      continue;
    }
    if (!column.note.empty()) out.notes.push_back(std::move(column.note));
    if (column.whole_numbers > 0)
      maybe_codes.push_back({variable.name, column.whole_numbers, column.negative});
    if (options.must_vary) check_variation(column.variable, column.column, out.warnings);
    if (options.leave_out)
      if (auto sentinel = suspected_sentinel(column.variable, column.column))
        out.warnings.push_back(std::move(*sentinel));
    out.data.variables.push_back(std::move(column.variable));
    out.data.columns.push_back(std::move(column.column));
  }
  if (!maybe_codes.empty()) out.warnings.push_back(in_words(maybe_codes));
}

void require_rows(const std::string& place, const std::string& what, std::size_t rows,
                  std::size_t least) {
  if (rows >= least) return;
  throw Error(ExitCode::bad_data, "E-DATA-FEWROWS", place,
              what + " has " + std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                  "; at least " + std::to_string(least) + " are needed",
              "join it with another environment, or leave it out");
}

/// "folder/q1.csv" -> "q1"; a number is added where two files would share a name.
std::vector<std::string> environment_names(std::span<const NamedFile> files) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const NamedFile& file : files) {
    // File names may hold any byte; what is written into results is text.
    const std::string name = file.name.empty() ? printable(file.path.stem().string()) : file.name;
    std::string unique = name;
    for (int i = 2; !used.insert(unique).second; ++i) unique = name + "-" + std::to_string(i);
    names.push_back(unique);
  }
  return names;
}

/// Memory that runs out while reading is reported as the files' size, wherever it is noticed.
template <class Work>
LoadedData guarded(const std::string& place, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::resource, "E-LIMIT-MEMORY", place, "memory ran out while reading",
                "name fewer columns");
  }
}

/// Rows of each group together, in their old order: where old row i goes.
struct Grouping {
  std::vector<std::string> names;
  std::vector<std::size_t> begin;  // one more than there are names
  std::vector<std::size_t> target;
};

std::string environment_name(const ColumnPart& part, std::size_t row) {
  const RawColumn& column = *part.column;
  return column.kind == RawColumn::Kind::texts ? column.levels.text(column.texts[row])
                                               : shortest(column.numbers[row]);
}

/// The name of what small environments are together.
constexpr std::string_view pooled_name = "(small ones)";

Grouping grouped(LoadedTable& loaded, const std::string& environment_column,
                 const std::set<std::string>& pooled = {}) {
  const ColumnPart part = loaded.part(environment_column);
  Grouping out;
  std::unordered_map<std::string, std::size_t> known;
  std::vector<std::size_t> group(loaded.row_count()), count;
  std::vector<std::size_t> by_level(part.column->levels.size(), std::size_t(-1));
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t row = part.rows ? (*part.rows)[i] : i;
    std::size_t* cached = nullptr;
    if (part.column->kind == RawColumn::Kind::texts)
      cached = &by_level[std::size_t(part.column->texts[row])];
    if (cached && *cached != std::size_t(-1)) {
      group[i] = *cached;
    } else {
      std::string name = environment_name(part, row);
      if (pooled.contains(name)) name = pooled_name;
      const auto [at, is_new] = known.emplace(name, known.size());
      group[i] = at->second;
      if (is_new) out.names.push_back(std::move(name)), count.push_back(0);
      if (cached) *cached = group[i];
    }
    ++count[group[i]];
  }
  out.begin.assign(1, 0);
  for (const std::size_t rows : count) out.begin.push_back(out.begin.back() + rows);
  std::vector<std::size_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t& g : group) g = next[g]++;
  out.target = std::move(group);
  return out;
}

template <class T>
void rearrange(std::vector<T>& values, const std::vector<std::size_t>& target,
               std::size_t per_row) {
  if (values.empty()) return;
  std::vector<T> moved(values.size());
  for (std::size_t i = 0; i < target.size(); ++i)
    std::copy_n(values.begin() + std::ptrdiff_t(i * per_row), per_row,
                moved.begin() + std::ptrdiff_t(target[i] * per_row));
  values = std::move(moved);
}

void set_baseline(const std::optional<std::string>& baseline, const std::vector<std::string>& names,
                  LoadedData& out) {
  if (!baseline) return;
  const auto at = std::find(names.begin(), names.end(), *baseline);
  if (at == names.end())
    throw Error(ExitCode::usage, "E-USAGE-BASELINE", "",
                "there is no environment " + in_quotes(*baseline),
                printable(did_you_mean(*baseline, names)));
  out.baseline = std::size_t(at - names.begin());
}

/// A file that is one environment.
struct FileEnvironment {
  std::string name;
  bool baseline = false;
  std::size_t rows = 0, table = 0;
};

std::string few_rows(std::size_t rows) {
  return std::to_string(rows) + (rows == 1 ? " row" : " rows");
}

/// The files that are used, in the order in which their rows follow each other; too small ones are
/// errors, left out, or the last environment together.
std::vector<FileEnvironment> environments_of(const std::vector<FileEnvironment>& all,
                                             const std::vector<LoadedTable>& tables,
                                             const ReadOptions& options, LoadedData& out) {
  std::vector<FileEnvironment> kept, small;
  for (const FileEnvironment& e : all) {
    const bool enough = e.rows >= options.min_rows;
    if (options.small == SmallPolicy::error || e.baseline)
      require_rows(tables[e.table].table.file, "the file", e.rows, options.min_rows);
    (enough ? kept : small).push_back(e);
  }
  std::size_t begin = 0, pooled = 0;
  for (const FileEnvironment& e : small) pooled += e.rows;
  for (const FileEnvironment& e : kept) {
    if (e.baseline) {
      if (out.baseline)
        throw Error(ExitCode::usage, "E-USAGE-BASELINE", "", "two files are named as baseline");
      out.baseline = out.data.environments.size();
    }
    out.data.environments.push_back({e.name, begin, begin + e.rows});
    begin += e.rows;
  }
  if (options.small == SmallPolicy::pool && pooled >= options.min_rows) {
    out.data.environments.push_back({std::string(pooled_name), begin, begin + pooled});
    for (const FileEnvironment& e : small) {
      out.notes.push_back("environment " + in_quotes(e.name) + " (" + few_rows(e.rows) +
                          ") was joined into " + in_quotes(pooled_name));
      kept.push_back(e);
    }
    return kept;
  }
  for (const FileEnvironment& e : small)
    out.environments_left_out.push_back({e.name, few_rows(e.rows)});
  return kept;
}

/// The same of one table: small environments are errors, their rows are left out, or they are one.
Grouping without_small(Grouping groups, LoadedTable& loaded, const std::string& environment_column,
                       const ReadOptions& options, const std::optional<std::string>& baseline,
                       LoadedData& out) {
  std::set<std::string> small;
  std::size_t pooled = 0;
  for (std::size_t i = 0; i < groups.names.size(); ++i) {
    const std::size_t rows = groups.begin[i + 1] - groups.begin[i];
    if (rows >= options.min_rows) continue;
    if (options.small == SmallPolicy::error || baseline == groups.names[i])
      require_rows(loaded.table.file, "environment " + in_quotes(groups.names[i]), rows,
                   options.min_rows);
    small.insert(groups.names[i]);
    pooled += rows;
  }
  if (small.empty()) return groups;
  const bool pool = options.small == SmallPolicy::pool && pooled >= options.min_rows;
  const ColumnPart part = loaded.part(environment_column);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < loaded.row_count(); ++i) {
    const std::size_t row = part.rows ? (*part.rows)[i] : i;
    if (pool || !small.contains(environment_name(part, row))) rows.push_back(row);
  }
  for (std::size_t i = 0; i < groups.names.size(); ++i) {
    if (!small.contains(groups.names[i])) continue;
    const std::string size = few_rows(groups.begin[i + 1] - groups.begin[i]);
    if (pool)
      out.notes.push_back("environment " + in_quotes(groups.names[i]) + " (" + size +
                          ") was joined into " + in_quotes(pooled_name));
    else
      out.environments_left_out.push_back({groups.names[i], size});
  }
  loaded.rows = std::move(rows);
  loaded.all_rows = false;
  return grouped(loaded, environment_column, pool ? small : std::set<std::string>{});
}

/// Small environments must not be all there are.
void require_environments(const ReadOptions& options, const LoadedData& out) {
  if (out.environments_left_out.empty() || out.data.environments.size() >= 2) return;
  const bool joined = options.small == SmallPolicy::pool;
  throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "",
              "fewer than two environments have " + std::to_string(options.min_rows) + " rows; " +
                  left_out_environments_in_words(out.environments_left_out, joined),
              std::string("choose a column with fewer values") +
                  (joined || out.environments_left_out.size() < 2 ? "" : ", or --small pool"));
}

/// What is said once all data are there.
void finish(DataPlan& plan, const ReadOptions& options, LoadedData& out) {
  if (options.leave_out) {
    look_at_environments(plan, out);
    plan.check_number(out.columns_left_out);
    warn_of_constant_baseline(out);
  }
  check_unseen(options, out);
  auto& said = out.warnings;
  if (!out.columns_left_out.empty()) said.push_back(left_out_in_words(out.columns_left_out));
  if (!out.environments_left_out.empty())
    said.push_back(left_out_environments_in_words(out.environments_left_out,
                                                  options.small == SmallPolicy::pool));
}

}  // namespace

RawTable read_raw_table(const std::filesystem::path& path, const ReadOptions& options,
                        const ChooseColumns& choose) {
  FileSource source(path, options.allow_stream);
  return read_table(source, path, options, {}, choose);
}

LoadedData read_files(std::span<const NamedFile> files, const ReadOptions& options) {
  if (files.empty()) throw Error(ExitCode::usage, "E-USAGE-FILES", "", "no data file is named");
  return guarded(printable(files[0].path.string()), [&] {
    LoadedData out;
    DataPlan plan(options);
    std::vector<LoadedTable> tables;
    const std::vector<std::string> names = environment_names(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
      tables.push_back(load(files[i], options, plan, names[i], out));
      if (rows_held(tables) / 2 > options.most_rows) draw_rows(tables, options);
    }
    if (options.most_rows != every_row) draw_rows(tables, options);
    tell_of_draw(tables, out);
    leave_out_columns(plan, tables, out);
    plan.check_number(out.columns_left_out);
    for (std::size_t i = 0; i < files.size(); ++i)
      drop_incomplete_rows(tables[i], plan, out.sources[i], out);
    std::vector<FileEnvironment> environments;
    for (std::size_t i = 0; i < files.size(); ++i)
      environments.push_back({names[i], files[i].baseline, tables[i].row_count(), i});
    const auto kept = environments_of(environments, tables, options, out);
    require_environments(options, out);
    std::vector<LoadedTable> used;
    for (const FileEnvironment& e : kept) used.push_back(std::move(tables[e.table]));
    add_variables(plan, used, options, out);
    finish(plan, options, out);
    return out;
  });
}

LoadedData read_long_table(const NamedFile& file, const std::string& environment_column,
                           const ReadOptions& options, const std::optional<std::string>& baseline) {
  return guarded(printable(file.path.string()), [&] {
    LoadedData out;
    DataPlan plan(options, environment_column);
    std::vector<LoadedTable> tables;
    tables.push_back(load(file, options, plan, "", out));
    tell_of_draw(tables, out);
    leave_out_columns(plan, tables, out);
    plan.check_number(out.columns_left_out);
    drop_incomplete_rows(tables[0], plan, out.sources[0], out);
    const Grouping groups = without_small(grouped(tables[0], environment_column), tables[0],
                                          environment_column, options, baseline, out);
    for (std::size_t i = 0; i < groups.names.size(); ++i)
      out.data.environments.push_back({groups.names[i], groups.begin[i], groups.begin[i + 1]});
    require_environments(options, out);
    require_rows(tables[0].table.file, "the file", tables[0].row_count(), options.min_rows);
    set_baseline(baseline, groups.names, out);
    add_variables(plan, tables, options, out);
    for (std::size_t v = 0; v < out.data.columns.size(); ++v) {
      rearrange(out.data.columns[v].levels, groups.target, 1);
      rearrange(out.data.columns[v].values, groups.target,
                std::size_t(out.data.variables[v].dimension));
    }
    finish(plan, options, out);
    return out;
  });
}

}  // namespace whence
