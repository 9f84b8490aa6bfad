// A table as a file holds it: columns of numbers or of texts, before columns are typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "whence/io/table/formats/number_column.hpp"
#include "whence/io/table/text_levels.hpp"

namespace whence {

/// What the caller wants of a column. `automatic`: numbers when all fields are numbers, texts when
/// none is, an error otherwise.
enum class ColumnRole { skip, automatic, number, text };

/// A missing value is NaN among numbers and -1 among texts.
struct RawColumn {
  enum class Kind { skipped, numbers, texts };
  std::string name;
  Kind kind = Kind::skipped;
  NumberColumn numbers;
  std::vector<std::int32_t> texts;
  TextLevels levels;        // of texts
  std::size_t missing = 0;  // rows
};

/// Columns that belong together because the file says so: a two-dimensional array of an npz file.
struct RawGroup {
  std::string name;
  std::vector<std::size_t> columns;
};

struct RawTable {
  std::string file;  // as messages call it
  std::vector<RawColumn> columns;
  std::vector<RawGroup> groups;
  std::size_t rows = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::vector<std::string> warnings;
};

/// `guess`: like `drop`, and NA, NULL, ? and the like mean missing wherever they cannot be names of
/// categories.
enum class MissingPolicy { error, drop, guess };

/// What all readers need to know about values.
struct ValueOptions {
  MissingPolicy missing = MissingPolicy::error;
  std::vector<std::string> na;  // texts that mean "missing"; an empty field always does
  std::size_t max_memory = std::size_t(4) << 30;
  /// Columns that hold numbers and texts are texts, and a first column without a name is an index.
  bool lenient = false;
  bool hash = true;  // of the bytes; who reads the same again has it
};

/// Called once with all column names; says what is wanted of each. Empty: everything, automatic.
using ChooseColumns = std::function<std::vector<ColumnRole>(const std::vector<std::string>& names,
                                                            const std::vector<RawGroup>& groups)>;

}  // namespace whence
