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
#include "whence/io/table/csv_reader.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/data_typing.hpp"
#include "whence/io/table/npy_reader.hpp"
#include "whence/io/table/npz_reader.hpp"

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

void drop_incomplete_rows(LoadedTable& loaded) {
  const RawTable& table = loaded.table;
  std::vector<const RawColumn*> gaps;
  for (const RawColumn& column : table.columns)
    if (column.kind != RawColumn::Kind::skipped && column.missing > 0) gaps.push_back(&column);
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
}

RawTable read_table(ByteSource& source, const std::filesystem::path& path,
                    const ReadOptions& options, const ChooseColumns& choose) {
  const ValueOptions values{options.missing, options.na, options.max_memory};
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
                    const ChooseColumns& choose) {
  if (!file.content) return read_raw_table(file.path, options, choose);
  MemorySource source(printable(file.path.string()), *file.content);
  return read_table(source, file.path, options, choose);
}

LoadedTable load(const NamedFile& file, const ReadOptions& options, DataPlan& plan,
                 const std::string& environment, LoadedData& out) {
  LoadedTable loaded;
  const std::string label = printable(file.path.string());
  loaded.table =
      read_table(file, options,
                 [&](const std::vector<std::string>& names, const std::vector<RawGroup>& groups) {
                   return plan.choose(label, names, groups);
                 });
  for (std::size_t i = 0; i < loaded.table.columns.size(); ++i)
    loaded.index.emplace(loaded.table.columns[i].name, i);
  drop_incomplete_rows(loaded);
  SourceInfo source;
  source.file = printable(file.path.filename().string());
  source.environment = environment;
  source.sha256 = loaded.table.sha256;
  source.bytes = loaded.table.bytes;
  source.rows = loaded.table.rows;
  source.dropped = loaded.table.rows - loaded.row_count();
  if (source.dropped > 0)
    out.warnings.push_back(label + ": " + std::to_string(source.dropped) + " of " +
                           std::to_string(source.rows) +
                           " rows were left out because a value is missing");
  out.warnings.insert(out.warnings.end(), loaded.table.warnings.begin(),
                      loaded.table.warnings.end());
  out.sources.push_back(std::move(source));
  return loaded;
}

void add_variables(const DataPlan& plan, std::vector<LoadedTable>& tables,
                   const ReadOptions& options, LoadedData& out) {
  for (const PlannedVariable& variable : plan.variables()) {
    TypedColumn typed;
    if (variable.columns.size() > 1) {
      std::vector<std::vector<ColumnPart>> parts;
      for (LoadedTable& table : tables) {
        auto& columns = parts.emplace_back();
        for (const std::string& column : variable.columns) columns.push_back(table.part(column));
      }
      typed = typed_vector(variable, parts);
    } else {
      std::vector<ColumnPart> parts;
      for (LoadedTable& table : tables) parts.push_back(table.part(variable.columns[0]));
      typed = typed_column(variable, std::move(parts), options.max_memory);
    }
    if (!typed.note.empty()) out.notes.push_back(std::move(typed.note));
    out.warnings.insert(out.warnings.end(), typed.warnings.begin(), typed.warnings.end());
    if (options.must_vary) check_variation(typed.variable, typed.column, out.warnings);
    out.data.variables.push_back(std::move(typed.variable));
    out.data.columns.push_back(std::move(typed.column));
  }
}

void require_rows(const std::string& place, const std::string& what, std::size_t rows,
                  std::size_t least) {
  if (rows >= least) return;
  throw Error(ExitCode::bad_data, "E-DATA-FEWROWS", place,
              what + " has " + std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                  "; at least " + std::to_string(least) + " are needed",
              "join it with another environment, or leave it out");
}

/// Categories that the baseline never shows: nothing was learnt about them there.
void check_unseen(const ReadOptions& options, LoadedData& out) {
  if (!out.baseline) return;
  const Environment& baseline = out.data.environments[*out.baseline];
  for (std::size_t v = 0; v < out.data.variables.size(); ++v) {
    const Variable& variable = out.data.variables[v];
    if (variable.kind != Variable::Kind::categorical) continue;
    const auto& levels = out.data.columns[v].levels;
    std::vector<std::uint8_t> seen(std::size_t(variable.levels), 0);
    for (std::size_t i = baseline.begin; i < baseline.end; ++i) seen[std::size_t(levels[i])] = 1;
    for (const Environment& environment : out.data.environments) {
      std::size_t rows = 0;
      std::int32_t first = -1;
      for (std::size_t i = environment.begin; i < environment.end; ++i) {
        if (seen[std::size_t(levels[i])]) continue;
        if (rows++ == 0) first = levels[i];
      }
      if (rows == 0) continue;
      const std::string what = std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                               " of environment " + in_quotes(environment.name) + " in column " +
                               in_quotes(variable.name) +
                               " hold a category that the baseline lacks (" +
                               in_quotes(variable.level_names[std::size_t(first)]) + ")";
      if (options.unseen == UnseenPolicy::error)
        throw Error(ExitCode::bad_data, "E-DATA-UNSEEN", "", what, "--unseen=accept takes them");
      out.warnings.push_back(what);
    }
  }
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

/// Memory that runs out while reading is the fault of the files' size, whoever notices it.
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

Grouping grouped(LoadedTable& loaded, const std::string& environment_column) {
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

}  // namespace

RawTable read_raw_table(const std::filesystem::path& path, const ReadOptions& options,
                        const ChooseColumns& choose) {
  FileSource source(path, options.allow_stream);
  return read_table(source, path, options, choose);
}

LoadedData read_files(std::span<const NamedFile> files, const ReadOptions& options) {
  if (files.empty()) throw Error(ExitCode::usage, "E-USAGE-FILES", "", "no data file is named");
  return guarded(printable(files[0].path.string()), [&] {
    LoadedData out;
    DataPlan plan(options);
    std::vector<LoadedTable> tables;
    const std::vector<std::string> names = environment_names(files);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      tables.push_back(load(files[i], options, plan, names[i], out));
      const std::size_t rows = tables.back().row_count();
      require_rows(tables.back().table.file, "the file", rows, options.min_rows);
      out.data.environments.push_back({names[i], begin, begin + rows});
      begin += rows;
      if (!files[i].baseline) continue;
      if (out.baseline)
        throw Error(ExitCode::usage, "E-USAGE-BASELINE", "", "two files are named as baseline");
      out.baseline = i;
    }
    add_variables(plan, tables, options, out);
    check_unseen(options, out);
    return out;
  });
}

LoadedData read_long_table(const std::filesystem::path& file, const std::string& environment_column,
                           const ReadOptions& options, const std::optional<std::string>& baseline) {
  return guarded(printable(file.string()), [&] {
    LoadedData out;
    DataPlan plan(options, environment_column);
    std::vector<LoadedTable> tables;
    tables.push_back(load({file}, options, plan, "", out));
    const Grouping groups = grouped(tables[0], environment_column);
    for (std::size_t i = 0; i < groups.names.size(); ++i) {
      out.data.environments.push_back({groups.names[i], groups.begin[i], groups.begin[i + 1]});
      require_rows(tables[0].table.file, "environment " + in_quotes(groups.names[i]),
                   out.data.environments.back().rows(), options.min_rows);
    }
    require_rows(tables[0].table.file, "the file", tables[0].row_count(), options.min_rows);
    set_baseline(baseline, groups.names, out);
    add_variables(plan, tables, options, out);
    for (std::size_t v = 0; v < out.data.columns.size(); ++v) {
      rearrange(out.data.columns[v].levels, groups.target, 1);
      rearrange(out.data.columns[v].values, groups.target,
                std::size_t(out.data.variables[v].dimension));
    }
    check_unseen(options, out);
    return out;
  });
}

}  // namespace whence
