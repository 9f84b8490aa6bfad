#include "whence/io/table/memory_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/table/column_names.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/io/table/formats/date_text.hpp"
#include "whence/io/table/formats/number_parser.hpp"
#include "whence/io/table/value_issues.hpp"

namespace whence {
namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

/// Reads the columns of one table.
class MemoryReader {
 public:
  MemoryReader(const MemoryTable& table, const std::string& file, const ValueOptions& options)
      : table_(table), file_(file), options_(options) {
    for (const std::string& text : options.na)
      if (const ParsedField parsed = parse_field(text); parsed.kind == FieldKind::number)
        na_numbers_.push_back(parsed.value);
  }

  void read(const MemoryColumn& column, ColumnRole role, RawColumn& out) {
    if (column.numbers != nullptr)
      read_numbers(column, out);
    else if (role == ColumnRole::number)
      read_texts_as_numbers(column, out);
    else
      read_texts(column, role, out);
  }
  void finish() const { issues_.raise(options_.missing); }

  /// Which rows are used; nothing where all are. Environments are compared as texts of a file are.
  std::shared_ptr<RowDraw> draw() {
    if (table_.rows <= options_.most_rows) return nullptr;
    const auto labels =
        std::find_if(table_.columns.begin(), table_.columns.end(),
                     [&](const MemoryColumn& c) { return c.name == options_.environment; });
    std::shared_ptr<RowDraw> draw;
    if (labels == table_.columns.end()) {
      draw = draw_for(table_.rows, options_, nullptr);
    } else {
      RawColumn column;
      MemoryReader reader(table_, file_, options_);  // its issues are reported when all is read
      reader.read(*labels, ColumnRole::text, column);
      NumberColumn numbers;
      for (const std::int32_t level : column.texts)
        numbers.push_back(level < 0 ? missing_number : double(level));
      const bool texts = column.kind == RawColumn::Kind::texts;
      draw = draw_for(table_.rows, options_, texts ? &numbers : &column.numbers);
    }
    rows_ = draw->mask();
    return draw;
  }

 private:
  std::string place(std::size_t row) const { return file_ + "[" + std::to_string(row) + "]"; }

  void note(ValueIssues::Kind kind, std::size_t row, std::string_view text, RawColumn& out) {
    ++out.missing;
    if (issues_.wants_place(kind))
      issues_.add(kind, place(row), text, out.name);
    else
      issues_.count(kind);
  }

  void read_numbers(const MemoryColumn& column, RawColumn& out) {
    constexpr std::size_t batch = 4096;
    std::vector<double> values(std::min(batch, table_.rows));
    out.kind = RawColumn::Kind::numbers;
    out.numbers.reserve(rows_.empty() ? table_.rows
                                      : std::size_t(std::count(rows_.begin(), rows_.end(), true)));
    for (std::size_t begin = 0; begin < table_.rows; begin += batch) {
      const std::size_t count = std::min(batch, table_.rows - begin);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        double value = column.number(begin + i) + 0.0;  // negative zero reads as zero
        if (!std::isfinite(value) || is_na(value)) {
          const bool infinite = std::isinf(value) && !is_na(value);
          note(infinite ? ValueIssues::Kind::infinite : ValueIssues::Kind::missing, begin + i,
               infinite ? shortest(value) : "", out);
          value = missing_number;
        }
        if (is_used(begin + i)) values[kept++] = value;
      }
      out.numbers.append({values.data(), kept});
    }
  }

  bool is_na(double value) const {
    return std::find(na_numbers_.begin(), na_numbers_.end(), value) != na_numbers_.end();
  }
  bool is_na(std::string_view text) const {
    return text.empty() ||
           std::find(options_.na.begin(), options_.na.end(), text) != options_.na.end();
  }

  /// What a text stands for; nothing: for itself.
  std::optional<ValueIssues::Kind> meaning(std::string_view text, ColumnRole role) const {
    const std::string_view word = trimmed(text);
    if (is_na(word)) return ValueIssues::Kind::missing;
    if (role == ColumnRole::text) return std::nullopt;
    const bool suspected =
        options_.missing == MissingPolicy::guess ? means_missing(word) : looks_missing(word);
    return suspected ? std::optional(ValueIssues::Kind::suspected) : std::nullopt;
  }

  void read_texts(const MemoryColumn& column, ColumnRole role, RawColumn& out) {
    out.kind = RawColumn::Kind::texts;
    if (rows_.empty()) out.texts.reserve(table_.rows);
    std::vector<std::optional<ValueIssues::Kind>> meanings;
    for (const std::string& text : column.texts) meanings.push_back(meaning(text, role));
    std::vector<std::int32_t> level(column.texts.size(), -1);
    for (std::size_t row = 0; row < table_.rows; ++row) {
      const std::int32_t code = column.codes[row];
      if (code < 0 || meanings[std::size_t(code)]) {
        note(code < 0 ? ValueIssues::Kind::missing : *meanings[std::size_t(code)], row,
             code < 0 ? "" : column.texts[std::size_t(code)], out);
        if (is_used(row)) out.texts.push_back(-1);
        continue;
      }
      std::int32_t& known = level[std::size_t(code)];
      if (known < 0) {
        const TextLevels::Found found = out.levels.add(column.texts[std::size_t(code)]);
        known = found.level;
        if (found.is_new) out.levels.places.push_back({row + 1, 1});
      }
      if (is_used(row)) out.texts.push_back(known);
    }
  }

  void read_texts_as_numbers(const MemoryColumn& column, RawColumn& out) {
    out.kind = RawColumn::Kind::numbers;
    std::vector<ParsedField> parsed;
    for (const std::string& text : column.texts) parsed.push_back(parse_field(text));
    for (std::size_t row = 0; row < table_.rows; ++row) {
      const std::int32_t code = column.codes[row];
      const std::string text = code < 0 ? "" : column.texts[std::size_t(code)];
      if (is_na(trimmed(text))) {
        note(ValueIssues::Kind::missing, row, "", out);
        if (is_used(row)) out.numbers.push_back(missing_number);
      } else if (parsed[std::size_t(code)].kind == FieldKind::number) {
        if (is_used(row)) out.numbers.push_back(parsed[std::size_t(code)].value);
      } else {
        throw Error(
            ExitCode::bad_data, "E-CSV-NUMBER", place(row),
            "value " + in_quotes(text) + " is not a number in real column " + in_quotes(out.name),
            types_option(out.name, "categorical") + " if the column holds names");
      }
    }
  }

  const MemoryTable& table_;
  const std::string& file_;
  const ValueOptions& options_;
  bool is_used(std::size_t row) const { return rows_.empty() || rows_[row]; }

  std::vector<double> na_numbers_;
  ValueIssues issues_;
  std::vector<bool> rows_;  // which are used; empty: all
};

std::vector<std::string> names_of(const MemoryTable& table) {
  std::vector<std::string> names;
  for (const MemoryColumn& column : table.columns) names.push_back(column.name);
  return names;
}

std::string in_csv_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// Names that are all numbers stand in quotes: they are no data.
std::string header_of(const MemoryTable& table) {
  const auto is_number = [](const MemoryColumn& column) {
    return parse_field(column.name).kind == FieldKind::number;
  };
  const bool quoted = std::all_of(table.columns.begin(), table.columns.end(), is_number);
  std::string line;
  for (const MemoryColumn& column : table.columns)
    line +=
        (line.empty() ? "" : ",") + (quoted ? in_csv_quotes(column.name) : csv_text(column.name));
  return line + "\n";
}

/// As shortest() writes it; nothing where there is none.
char* put_number(double value, char* at) {
  if (std::isnan(value)) return at;
  if (value == 0) return *at = '0', at + 1;
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
  return whole ? std::to_chars(at, at + 400, (long long)value).ptr
               : std::to_chars(at, at + 400, value).ptr;
}

void require_memory(std::size_t rows, const std::string& file, const std::vector<ColumnRole>& roles,
                    std::size_t max_memory) {
  const auto used = std::size_t(std::count_if(
      roles.begin(), roles.end(), [](ColumnRole role) { return role != ColumnRole::skip; }));
  if (double(rows) * double(used) * double(sizeof(double)) <= double(max_memory)) return;
  throw Error(ExitCode::resource, "E-LIMIT-MEMORY", file,
              "the table needs more than " + std::to_string(max_memory) + " bytes",
              "--max-memory, or name fewer columns");
}

}  // namespace

void write_csv(const MemoryTable& table, const std::function<void(std::string_view)>& sink) {
  constexpr std::size_t piece = std::size_t(1) << 18;
  std::string out = header_of(table);
  std::vector<std::vector<std::string>> cells(table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (const std::string& text : table.columns[c].texts) cells[c].push_back(csv_text(text));
  char number[400];
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const MemoryColumn& column = table.columns[c];
      if (c > 0) out += ',';
      if (column.numbers != nullptr)
        out.append(number, put_number(column.number(row), number));
      else if (column.codes[row] >= 0)
        out += cells[c][std::size_t(column.codes[row])];
    }
    out += '\n';
    if (out.size() < piece) continue;
    sink(out);
    out.clear();
  }
  sink(out);
}

RawTable read_memory_table(const MemoryTable& table, const std::string& file,
                           const ValueOptions& options, const ChooseColumns& choose) {
  RawTable out;
  out.file = file;
  out.rows = table.rows;
  const std::vector<std::string> names = names_of(table);
  check_column_names(names, [&](std::size_t) { return file; });
  if (table.rows == 0)
    throw Error(ExitCode::bad_data, "E-CSV-NOROWS", file, "the table has no rows");
  out.warnings = lookalike_warnings(names, file);
  std::vector<ColumnRole> roles(names.size(), ColumnRole::automatic);
  if (choose) roles = choose(names, {});
  MemoryReader reader(table, file, options);
  out.draw = reader.draw();
  out.rows_read = table.rows;
  if (out.draw) out.rows = out.draw->held();
  require_memory(out.rows, file, roles, options.max_memory);
  out.columns.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    out.columns[i].name = names[i];
    if (roles[i] != ColumnRole::skip) reader.read(table.columns[i], roles[i], out.columns[i]);
  }
  reader.finish();
  if (out.draw) count_missing(out);
  if (!options.hash) return out;
  Sha256 hash;
  write_csv(table, [&](std::string_view bytes) {
    hash.update(bytes);
    out.bytes += bytes.size();
  });
  out.sha256 = hash.hex();
  return out;
}

bool need_labels(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    const std::string_view word = trimmed(text);
    return !word.empty() && parse_field(word).kind != FieldKind::text && !looks_like_date(word);
  });
}

}  // namespace whence
