// A table that another program holds in memory: read by the rules for files, so that it gives the
// data set that its CSV file would give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/table/raw_table.hpp"

namespace whence {

/// Numbers, every `stride` bytes one, NaN where there is none; or codes of texts, -1 where there is
/// none. One of the two pointers is set.
struct MemoryColumn {
  std::string name;
  const double* numbers = nullptr;
  std::ptrdiff_t stride = sizeof(double);
  const std::int32_t* codes = nullptr;
  std::vector<std::string> texts = {};

  double number(std::size_t row) const {
    return *reinterpret_cast<const double*>(reinterpret_cast<const char*>(numbers) +
                                            std::ptrdiff_t(row) * stride);
  }
};

struct MemoryTable {
  std::vector<MemoryColumn> columns;
  std::size_t rows = 0;
  std::shared_ptr<const void> keeper = {};  // keeps what the pointers point to
};

/// As the readers of files do it; `file` is the name of the CSV file that the table counts as,
/// whose bytes and hash are given.
RawTable read_memory_table(const MemoryTable& table, const std::string& file,
                           const ValueOptions& options, const ChooseColumns& choose);

/// The CSV file that the table counts as, in pieces.
void write_csv(const MemoryTable& table, const std::function<void(std::string_view)>& sink);

/// Whether a reader of CSV files needs a type for this column: some names look like numbers.
bool need_labels(const std::vector<std::string>& texts);

}  // namespace whence
