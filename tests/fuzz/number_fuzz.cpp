// The number parser against strtod: the same bits where both accept, through the short way inside
// the CSV reader as well.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/table/formats/csv_reader.hpp"
#include "whence/io/table/formats/number_parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  const std::string text(data, size);
  const ParsedField parsed = parse_field(text);
  const bool plain = text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  if (parsed.kind == FieldKind::number && plain) {
    char* end = nullptr;
    const double expected = std::strtod(text.c_str(), &end) + 0.0;
    fuzz::require(end == text.c_str() + text.size());
    fuzz::require(std::memcmp(&expected, &parsed.value, sizeof expected) == 0);
    const std::string file = "x,y\n" + text + ",1\n";
    MemorySource source("fuzz.csv", file);
    const RawTable table = read_csv(source, {});
    fuzz::require(
        std::memcmp(&expected, table.columns[0].numbers.values().data(), sizeof expected) == 0);
  }
  if (parsed.kind == FieldKind::overflow)
    fuzz::require(std::isinf(std::strtod(trimmed(text).data(), nullptr)));
  return 0;
}
