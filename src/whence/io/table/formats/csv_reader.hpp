// CSV and TSV files (RFC 4180), read in one pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/files/byte_source.hpp"
#include "whence/io/table/formats/csv_scanner.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

/// The name of a first column that has none, where that is allowed.
inline constexpr std::string_view unnamed_index = "(index)";

struct CsvOptions {
  std::optional<char> delimiter;  // guessed from the first lines where it is not given
  char decimal = '.';
  bool header = true;  // without: columns are c1, c2, ...
  CsvLimits limits;
  ValueOptions values;
};

/// Errors name the place as file:line:column; docs/formats.md lists them.
RawTable read_csv(ByteSource& source, const CsvOptions& options, const ChooseColumns& choose = {});

/// Only the names; reads no more than it must.
std::vector<std::string> csv_column_names(ByteSource& source, const CsvOptions& options);

}  // namespace whence
