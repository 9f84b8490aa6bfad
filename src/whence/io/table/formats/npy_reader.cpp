#include "whence/io/table/formats/npy_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "whence/core/error.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

constexpr std::uint64_t largest_exact = std::uint64_t(1) << 53;  // beyond it doubles skip integers

template <class T>
T swapped_if(T value, bool swap) {
  if (!swap) return value;
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
T loaded(const char* bytes, bool swap) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return swapped_if(value, swap);
}

/// Sets `exact` to false for integers that a double would round.
template <class T>
double loaded_integer(const char* bytes, bool swap, bool& exact) {
  const T value = loaded<T>(bytes, swap);
  const std::uint64_t size = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value);
  exact = size <= largest_exact;
  return double(value);
}

double loaded_number(const char* bytes, const NpyHeader& header, bool& exact) {
  const bool swap = header.big_endian != (std::endian::native == std::endian::big);
  exact = true;
  if (header.type == 'f') {
    if (header.bytes == 8) return loaded<double>(bytes, swap);
    // As bits first: a float that is a signalling NaN may not survive being moved.
    const auto bits = loaded<std::uint32_t>(bytes, swap);
    return double(std::bit_cast<float>(bits));
  }
  const bool is_signed = header.type == 'i';
  switch (header.bytes) {
    case 1:
      return is_signed ? loaded_integer<std::int8_t>(bytes, swap, exact)
                       : loaded_integer<std::uint8_t>(bytes, swap, exact);
    case 2:
      return is_signed ? loaded_integer<std::int16_t>(bytes, swap, exact)
                       : loaded_integer<std::uint16_t>(bytes, swap, exact);
    case 4:
      return is_signed ? loaded_integer<std::int32_t>(bytes, swap, exact)
                       : loaded_integer<std::uint32_t>(bytes, swap, exact);
    default:
      return is_signed ? loaded_integer<std::int64_t>(bytes, swap, exact)
                       : loaded_integer<std::uint64_t>(bytes, swap, exact);
  }
}

}  // namespace

std::string byte_count(std::uint64_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = double(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); value /= 1024) ++unit;
  return rounded(value, 4) + " " + units[unit];
}

void require_memory(const std::string& place, std::uint64_t rows, std::uint64_t columns,
                    std::size_t max_memory) {
  if (columns == 0 || rows <= max_memory / sizeof(double) / columns) return;
  const double needed = double(rows) * double(columns) * double(sizeof(double));
  throw Error(ExitCode::resource, "E-LIMIT-MEMORY", place,
              "the data need " +
                  byte_count(needed < 1e19 ? std::uint64_t(needed) : ~std::uint64_t(0)) +
                  " of memory; the limit is " + byte_count(max_memory),
              "--max-memory, or name fewer columns");
}

NpyStream::NpyStream(std::string place, std::uint64_t size, Read read, NpyForm form)
    : place_(std::move(place)), size_(size), read_(std::move(read)) {
  read_header(form);
  check_size();
}

void NpyStream::read_header(NpyForm form) {
  constexpr std::size_t max_header = std::size_t(1) << 16;
  char start[12];
  if (size_ < 10) fail("E-NPY-TRUNC", "the file ends inside the header");
  take_exactly(start, 8);
  if (std::string_view(start, 6) != "\x93NUMPY")
    fail("E-NPY-MAGIC", "this is not a NumPy array", "CSV files are named *.csv");
  const int major = std::uint8_t(start[6]), minor = std::uint8_t(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail("E-NPY-VERSION",
         "version " + std::to_string(major) + "." + std::to_string(minor) +
             " of the format is unknown",
         "1.0, 2.0 and 3.0 are read");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (size_ < 8 + length_bytes) fail("E-NPY-TRUNC", "the file ends inside the header");
  take_exactly(start + 8, length_bytes);
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | std::uint8_t(start[8 + i]);
  if (length > size_ - used_)
    fail("E-NPY-TRUNC", "the header claims " + std::to_string(length) + " bytes, the file holds " +
                            std::to_string(size_ - used_));
  if (length > max_header)
    fail("E-NPY-HEADER", "the header has " + std::to_string(length) + " bytes; at most " +
                             std::to_string(max_header) + " are read");
  std::string text(length, '\0');
  take_exactly(text.data(), length);
  header_ = parse_npy_header(text, place_, form);
}

/// The shape must account for every byte that is there, and no more.
void NpyStream::check_size() const {
  std::uint64_t total = std::uint64_t(header_.bytes);
  for (const std::uint64_t n : header_.shape) {
    if (n == 0) fail("E-NPY-SHAPE", "the array is empty: one of its dimensions is 0");
    if (__builtin_mul_overflow(total, n, &total))
      fail("E-NPY-OVERFLOW", "the shape declares more bytes than 64 bits can count");
  }
  const std::uint64_t held = size_ - used_;
  if (total == held) return;
  fail(total > held ? "E-NPY-TRUNC" : "E-NPY-SIZE",
       "the header declares " + byte_count(total) + ", the file holds " +
           (held == 0 ? "0" : byte_count(held)) +
           (held > 0 && byte_count(total) == byte_count(held)
                ? " (" + std::to_string(total) + " against " + std::to_string(held) + " bytes)"
                : ""),
       total > held ? "was the file cut off?" : "");
}

void NpyStream::take_exactly(char* to, std::size_t count) {
  const std::size_t got = read_(to, count);
  used_ += got;
  if (got < count) fail("E-NPY-TRUNC", "the file ends before the array does");
}

void NpyStream::read_columns(const std::vector<RawColumn*>& out, const ValueOptions& options,
                             ValueIssues& issues, const std::vector<bool>* kept) {
  for (const std::string& text : options.na)
    if (const ParsedField parsed = parse_field(text); parsed.kind == FieldKind::number)
      na_.push_back(parsed.value);
  const std::uint64_t rows = header_.rows(), columns = header_.columns();
  for (RawColumn* column : out) {
    if (column == nullptr) continue;
    column->kind = RawColumn::Kind::numbers;
    if (header_.bytes > 1) column->numbers.widen();  // arrays of bytes stay arrays of bytes
    column->numbers.reserve(
        kept == nullptr ? rows : std::size_t(std::count(kept->begin(), kept->end(), true)));
  }
  // Both layouts are read in the order of the file: rows of all columns, or columns of all rows.
  const std::uint64_t outer = header_.column_major ? columns : rows;
  const std::uint64_t inner = header_.column_major ? rows : columns;
  const auto width = std::size_t(header_.bytes);
  std::vector<char> buffer(std::size_t(1) << 16);
  const std::size_t most = buffer.size() / width;
  for (std::uint64_t i = 0; i < outer; ++i) {
    for (std::uint64_t j = 0; j < inner;) {
      const auto count = std::size_t(std::min<std::uint64_t>(most, inner - j));
      take_exactly(buffer.data(), count * width);
      for (std::size_t k = 0; k < count; ++k, ++j) {
        const std::uint64_t row = header_.column_major ? j : i,
                            column = header_.column_major ? i : j;
        RawColumn* to = out[column];
        if (to == nullptr) continue;
        const double value = value_of(buffer.data() + k * width, row, column, *to, issues);
        if (kept == nullptr || (*kept)[row]) to->numbers.push_back(value);
      }
    }
  }
}

NumberArray NpyStream::read_array(std::size_t max_memory) {
  NumberArray array{header_.shape, {}, header_.type != 'f'};
  std::uint64_t count = 1;
  for (const std::uint64_t n : header_.shape) count *= n;  // check_size saw that it fits
  require_memory(place_, count, 1, max_memory);
  array.values.resize(count);
  // With the first index fastest in the file, the place of value k is found digit by digit.
  const auto place_of_value = [&](std::uint64_t k) {
    if (!header_.column_major) return k;
    std::uint64_t at = 0, stride = count;
    for (const std::uint64_t n : header_.shape) {
      stride /= n;
      at += k % n * stride;
      k /= n;
    }
    return at;
  };
  const auto width = std::size_t(header_.bytes);
  std::vector<char> buffer(std::size_t(1) << 16);
  const std::size_t most = buffer.size() / width;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (k % most == 0)
      take_exactly(buffer.data(), width * std::size_t(std::min<std::uint64_t>(most, count - k)));
    bool exact = true;
    const double value = loaded_number(&buffer[std::size_t(k % most) * width], header_, exact);
    if (!exact || !std::isfinite(value))
      fail(exact ? "E-DATA-NONFINITE" : "E-NPY-PRECISION",
           "value " + std::to_string(place_of_value(k)) + " of the array is " +
               (exact ? "not finite" : "an integer beyond 2^53"));
    array.values[place_of_value(k)] = value + 0.0;  // negative zero reads as zero
  }
  return array;
}

double NpyStream::value_of(const char* bytes, std::uint64_t row, std::uint64_t column,
                           RawColumn& out, ValueIssues& issues) {
  bool exact = true;
  double value = loaded_number(bytes, header_, exact);
  if (!exact)
    throw Error(ExitCode::bad_data, "E-NPY-PRECISION", place_of(row, column),
                "an integer beyond 2^53 loses digits as a number", "number the categories from 0");
  const bool missing = std::find(na_.begin(), na_.end(), value) != na_.end();
  if (missing || !std::isfinite(value)) {
    const auto kind = missing             ? ValueIssues::Kind::missing
                      : std::isnan(value) ? ValueIssues::Kind::not_a_number
                                          : ValueIssues::Kind::infinite;
    const std::string text = std::isnan(value) ? "nan" : shortest(value);
    issues.add(kind, issues.wants_place(kind) ? place_of(row, column) : "", text, out.name);
    ++out.missing;
    value = std::numeric_limits<double>::quiet_NaN();
  }
  return value + 0.0;  // negative zero reads as zero
}

/// As NumPy would index it, from 0.
std::string NpyStream::place_of(std::uint64_t row, std::uint64_t column) const {
  std::string place = place_ + "[" + std::to_string(row);
  if (header_.shape.size() > 1) place += "," + std::to_string(column);
  return place + "]";
}

void NpyStream::fail(const char* id, const std::string& problem, const std::string& hint) const {
  throw Error(ExitCode::bad_data, id, place_, problem, hint);
}

namespace {

/// Which rows of the array are used. Its column of environments, if there is one, is read for that
/// alone, before all others.
std::shared_ptr<RowDraw> draw_of(ByteSource& source, const std::vector<std::string>& names,
                                 std::size_t rows, const ValueOptions& options) {
  const auto found = std::find(names.begin(), names.end(), options.environment);
  if (rows <= options.most_rows || found == names.end()) return draw_for(rows, options, nullptr);
  std::uint64_t at = 0;
  NpyStream stream(source.label(), *source.size(), [&](char* to, std::size_t count) {
    const auto left = std::size_t(std::min<std::uint64_t>(count, *source.size() - at));
    source.read_at(at, to, left);
    at += left;
    return left;
  });
  RawColumn labels;
  std::vector<RawColumn*> wanted(names.size(), nullptr);
  wanted[std::size_t(found - names.begin())] = &labels;
  ValueIssues issues;  // reported when all is read
  stream.read_columns(wanted, options, issues);
  return draw_for(rows, options, &labels.numbers);
}

}  // namespace

RawTable read_npy(ByteSource& source, const ValueOptions& options, const ChooseColumns& choose) {
  if (!source.size())
    throw Error(ExitCode::io, "E-IO-KIND", source.label(), "arrays cannot be read from a pipe",
                "save it as a file first");
  NpyStream stream(source.label(), *source.size(),
                   [&](char* to, std::size_t count) { return source.read(to, count); });
  const NpyHeader& header = stream.header();
  constexpr std::uint64_t max_columns = 65536;
  if (header.columns() > max_columns)
    throw Error(ExitCode::resource, "E-LIMIT-COLUMNS", source.label(),
                "more than " + std::to_string(max_columns) + " columns");
  RawTable table;
  table.file = source.label();
  table.rows = std::size_t(header.rows());
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < header.columns(); ++i) names.push_back("c" + std::to_string(i + 1));
  std::vector<ColumnRole> roles(names.size(), ColumnRole::automatic);
  if (choose) roles = choose(names, {});
  table.columns.resize(names.size());
  std::vector<RawColumn*> wanted(names.size(), nullptr);
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.columns[i].name = names[i];
    if (roles[i] == ColumnRole::skip) continue;
    wanted[i] = &table.columns[i];
    ++kept;
  }
  table.rows_read = table.rows;
  table.draw = draw_of(source, names, table.rows, options);
  if (table.draw) table.rows = table.draw->held();
  require_memory(source.label(), table.rows, kept, options.max_memory);
  ValueIssues issues;
  const std::vector<bool> rows = table.draw ? table.draw->mask() : std::vector<bool>();
  stream.read_columns(wanted, options, issues, table.draw ? &rows : nullptr);
  source.check_unchanged();
  issues.raise(options.missing);
  if (table.draw) count_missing(table);
  table.bytes = source.bytes_read();
  table.sha256 = source.sha256();
  return table;
}

NumberArray read_npy_array(ByteSource& source, std::size_t max_memory) {
  if (!source.size())
    throw Error(ExitCode::io, "E-IO-KIND", source.label(), "arrays cannot be read from a pipe",
                "save it as a file first");
  NpyStream stream(source.label(), *source.size(),
                   [&](char* to, std::size_t count) { return source.read(to, count); },
                   {.dimensions = 3, .python2 = true});
  NumberArray array = stream.read_array(max_memory);
  source.check_unchanged();
  return array;
}

}  // namespace whence
