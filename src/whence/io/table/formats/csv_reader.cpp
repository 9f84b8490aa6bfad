#include "whence/io/table/formats/csv_reader.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/table/column_names.hpp"
#include "whence/io/table/formats/csv_column.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

[[noreturn]] void fail(const char* id, const std::string& place, const std::string& problem,
                       const std::string& hint = {}) {
  throw Error(ExitCode::bad_data, id, place, problem, hint);
}

void check_options(const CsvOptions& options) {
  const auto refuse = [](const std::string& problem, const std::string& hint) {
    throw Error(ExitCode::usage, "E-USAGE-CSV", "", problem, hint);
  };
  if (options.decimal != '.' && options.decimal != ',')
    refuse("the decimal mark is a point or a comma", "--decimal=,");
  if (!options.delimiter) return;
  const char d = *options.delimiter;
  if (d == options.decimal)
    refuse("the delimiter and the decimal mark are the same", "--delimiter=;");
  const bool usable = (std::uint8_t(d) > 0x20 || d == '\t' || d == ' ') && std::uint8_t(d) < 0x7F;
  if (!usable || d == '"' || (d >= '0' && d <= '9') || d == '-' || d == '+')
    refuse("this character cannot be a delimiter", "one of , ; | or a tab");
}

/// The first record as names, or c1, c2, ... for a file without a header.
std::vector<std::string> header_names(const CsvScanner& scanner, const CsvBatch& batch,
                                      const CsvOptions& options) {
  const bool has_header = options.header;
  std::vector<std::string> names;
  std::vector<DataPlace> places;
  bool all_numbers = true;
  std::string scratch;
  for (const CsvField& field : batch.fields) {
    if (!has_header) {
      names.push_back("c" + std::to_string(names.size() + 1));
      continue;
    }
    const std::string_view text = field_text(batch, field, scratch);
    names.emplace_back(field.quoted ? text : trimmed(text));
    all_numbers &= !field.quoted && parse_field(text).kind == FieldKind::number;
  }
  if (!has_header) return names;
  // What pandas and R write before the first column: the number or the name of the row.
  if (options.values.lenient && names.size() > 1 && names[0].empty())
    names[0] = std::string(unnamed_index);
  const auto place = [&](std::size_t i) {
    const CsvField& field = batch.fields[i];
    return at_place(scanner.source().label(),
                    scanner.place(batch.records[0], field.begin - std::size_t(field.quoted)));
  };
  if (all_numbers)
    fail("E-CSV-HEADER", place(0), "the first line holds numbers, not column names",
         "--no-header if it is data; quote the names if they are names");
  check_column_names(names, place);
  return names;
}

/// Reads the header and prepares the scanner for the rest. Empty: the file has no record.
std::vector<std::string> begin_table(CsvScanner& scanner, const CsvOptions& options,
                                     CsvBatch& first) {
  scanner.set_delimiter(
      options.delimiter
          ? *options.delimiter
          : guess_delimiter(scanner.prefix(), scanner.prefix_is_all(), options.decimal));
  first = scanner.next();
  if (first.records.empty())
    fail("E-CSV-EMPTY", scanner.source().label(), "the file is empty",
         "the first line names the columns");
  std::vector<std::string> names = header_names(scanner, first, options);
  scanner.expect_fields(names.size());
  return names;
}

class TableReader {
 public:
  TableReader(ByteSource& source, const CsvOptions& options, const ChooseColumns& choose)
      : source_(source), options_(options), scanner_(source, options.limits) {
    table_.file = source.label();
    CsvBatch first;
    std::vector<std::string> names = begin_table(scanner_, options, first);
    table_.warnings = lookalike_warnings(names, table_.file);
    std::vector<ColumnRole> roles(names.size(), ColumnRole::automatic);
    if (choose) roles = choose(names, {});
    table_.columns.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      table_.columns[i].name = std::move(names[i]);
      if (roles[i] != ColumnRole::skip)
        columns_.emplace_back(table_.columns[i], i, roles[i], options_, issues_);
    }
    if (!options.header) take(first);
  }

  RawTable read() {
    for (;;) {
      const CsvBatch batch = scanner_.next();
      if (batch.records.empty()) break;
      take(batch);
      if (table_.rows / 2 > options_.values.most_rows) draw();
    }
    if (table_.draw || table_.rows > options_.values.most_rows) draw();
    table_.rows_read = table_.draw ? table_.draw->added() : table_.rows;
    if (table_.rows == 0) fail("E-CSV-NOROWS", table_.file, "the file has a header but no rows");
    std::size_t underflows = 0;
    for (CsvColumn& column : columns_) {
      column.finish();
      underflows += column.underflows();
    }
    issues_.raise(options_.values.missing);
    if (underflows > 0)
      table_.warnings.push_back(table_.file + ": " + std::to_string(underflows) +
                                " numbers are too small for a double and were read as 0");
    if (table_.draw) count_missing(table_);
    table_.bytes = source_.bytes_read();
    table_.sha256 = source_.sha256();
    return std::move(table_);
  }

 private:
  /// Drops the rows that will not be used, as far as that can be known.
  void draw() {
    const ValueOptions& values = options_.values;
    if (!table_.draw) table_.draw = std::make_shared<RowDraw>(values.most_rows, values.draw_seed);
    const std::size_t known = table_.draw->held();
    const auto labels =
        std::find_if(table_.columns.begin(), table_.columns.end(), [&](const RawColumn& column) {
          return column.kind == RawColumn::Kind::texts && column.name == values.environment;
        });
    if (labels != table_.columns.end())
      table_.draw->add(std::span(labels->texts).subspan(known));
    else
      table_.draw->add(table_.rows - known);
    const std::vector<std::size_t> places = table_.draw->shrink();
    for (CsvColumn& column : columns_) column.keep(places);
    table_.rows = places.size();
  }

  void take(const CsvBatch& batch) {
    make_room(batch.records.size());
    for (CsvColumn& column : columns_) column.take(scanner_, batch, table_.columns.size());
    table_.rows += batch.records.size();
  }

  /// Grows all columns together, to the size that the file's size suggests, inside the limit.
  void make_room(std::size_t rows) {
    const std::size_t needed = table_.rows + rows;
    if (needed > capacity_) capacity_ = std::max(needed, std::min(expected_rows(), 64 * needed));
    std::size_t held = 0, after = 0;
    for (const CsvColumn& column : columns_) {
      held = std::max(held, column.bytes());
      after += column.bytes_after(std::max(column.capacity(), capacity_));
    }
    if (after + held > options_.values.max_memory)  // while it grows, a column exists twice
      throw Error(
          ExitCode::resource, "E-LIMIT-MEMORY", table_.file,
          "the table needs more than " + std::to_string(options_.values.max_memory) + " bytes",
          "--max-memory, or name fewer columns");
    for (CsvColumn& column : columns_)
      if (column.capacity() < needed) column.reserve(capacity_);
  }

  std::size_t expected_rows() const {
    const double size = source_.size() ? double(*source_.size()) : 0;
    const double share = double(source_.bytes_read()) / std::max(1.0, size);
    if (table_.rows == 0 || share <= 0) return 0;
    const double expected = double(table_.rows) / share * 1.02 + 1;
    // Rows beyond those that are drawn are forgotten on the way.
    return std::size_t(std::min(expected, 2.02 * double(options_.values.most_rows) + 2));
  }

  ByteSource& source_;
  const CsvOptions& options_;
  CsvScanner scanner_;
  RawTable table_;
  ValueIssues issues_;
  std::deque<CsvColumn> columns_;
  std::size_t capacity_ = 0;
};

}  // namespace

RawTable read_csv(ByteSource& source, const CsvOptions& options, const ChooseColumns& choose) {
  check_options(options);
  try {
    RawTable table = TableReader(source, options, choose).read();
    source.check_unchanged();
    return table;
  } catch (const Error& error) {
    // Half a line at the end is no mistake of the file while it is still being written.
    if (error.code() == ExitCode::bad_data) source.check_unchanged();
    throw;
  }
}

std::vector<std::string> csv_column_names(ByteSource& source, const CsvOptions& options) {
  check_options(options);
  CsvScanner scanner(source, options.limits);
  CsvBatch first;
  return begin_table(scanner, options, first);
}

}  // namespace whence
