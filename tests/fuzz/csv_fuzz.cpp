// Any bytes as a CSV file: values and structure, with every option that changes how fields are
// read.
#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/table/formats/csv_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  if (size == 0) return 0;
  const auto choice = std::uint8_t(data[size - 1]);
  CsvOptions options;
  if (choice & 1) options.decimal = ',';
  if (choice & 2) options.header = false;
  if (choice & 4) options.values.missing = MissingPolicy::drop;
  if (choice & 8) options.values.na = {"NA", "-9"};
  options.values.max_memory = 1 << 24;
  const auto role = ColumnRole(choice >> 4 & 3);
  fuzz::succeeds([&] {
    MemorySource source("fuzz.csv", {data, size - 1});
    const RawTable table = read_csv(
        source, options, [&](const std::vector<std::string>& names, const std::vector<RawGroup>&) {
          return std::vector<ColumnRole>(names.size(), role);
        });
    fuzz::require(source.bytes_read() == size - 1);
    for (const RawColumn& column : table.columns) {
      if (column.kind == RawColumn::Kind::skipped) continue;
      fuzz::require(column.numbers.size() + column.texts.size() == table.rows);
      std::size_t missing = 0;
      for (const double value : column.numbers.values()) {
        fuzz::require(!std::isinf(value) && !(value == 0 && std::signbit(value)));
        missing += std::isnan(value);
      }
      for (const std::int32_t level : column.texts) {
        fuzz::require(level < std::int32_t(column.levels.size()));
        missing += level < 0;
      }
      fuzz::require(missing == column.missing);
    }
  });
  return 0;
}
