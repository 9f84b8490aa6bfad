// Any bytes as an .npy file.
#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/table/formats/npy_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  fuzz::succeeds([&] {
    MemorySource source("fuzz.npy", {data, size});
    ValueOptions options;
    options.max_memory = 1 << 24;
    const RawTable table = read_npy(source, options);
    fuzz::require(source.bytes_read() == size);
    for (const RawColumn& column : table.columns) {
      fuzz::require(column.numbers.size() == table.rows);
      for (const double value : column.numbers.values()) fuzz::require(std::isfinite(value));
    }
  });
  return 0;
}
