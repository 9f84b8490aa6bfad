// The scanner against the slow reference: both refuse, or both see the same fields.
#include "tests/bad_input/reference_csv.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "whence/io/table/formats/csv_scanner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  const std::string_view text(data, size);
  bad_input::Records records;
  if (!fuzz::succeeds([&] { refuse_other_formats(text, "fuzz.csv"); })) return 0;
  const bool good = fuzz::succeeds([&] {
    MemorySource source("fuzz.csv", text);
    CsvScanner scanner(source, {});
    scanner.set_delimiter(';');
    std::string scratch;
    for (;;) {
      const CsvBatch batch = scanner.next();
      if (batch.records.empty()) break;
      std::size_t field = 0;
      for (const CsvRecord& record : batch.records) {
        auto& out = records.emplace_back();
        for (std::uint32_t i = 0; i <= record.delimiters; ++i)
          out.emplace_back(field_text(batch, batch.fields[field++], scratch));
      }
      scanner.expect_fields(records[0].size());
    }
  });
  const auto expected = bad_input::reference_csv(text, ';');
  fuzz::require(good == expected.has_value());
  if (good) fuzz::require(records == *expected);
  return 0;
}
