// Any bytes as an .npz file: container, unpacking and arrays.
#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/table/formats/npz_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  fuzz::succeeds([&] {
    MemorySource source("fuzz.npz", {data, size});
    ValueOptions options;
    options.max_memory = 1 << 24;
    const RawTable table = read_npz(source, options);
    for (const RawColumn& column : table.columns) {
      fuzz::require(column.numbers.size() == table.rows);
      for (const double value : column.numbers.values()) fuzz::require(std::isfinite(value));
    }
  });
  return 0;
}
