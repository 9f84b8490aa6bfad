// A table as a file holds it: columns of numbers or of texts, before columns are typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "whence/io/table/formats/number_column.hpp"
#include "whence/io/table/row_draw.hpp"
#include "whence/io/table/text_levels.hpp"

namespace whence {

/// How a column is to be read. `automatic`: numbers when all fields are numbers, texts when
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
  std::size_t rows = 0;                     // held
  std::size_t rows_read = 0;                // more where some were drawn
  std::shared_ptr<RowDraw> draw = nullptr;  // which, where some were drawn
  std::uint64_t bytes = 0;
  std::string sha256;
  std::vector<std::string> warnings;
};

/// Only these of the rows held, ascending; memory that others held is given back.
void keep_rows(RawTable& table, std::span<const std::size_t> places);

/// Only those rows that were drawn are held: counts anew how many lack a value.
void count_missing(RawTable& table);

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
  /// Of longer tables so many rows are drawn, alike from all values of the column `environment`.
  std::size_t most_rows = every_row;
  std::uint64_t draw_seed = 0;
  std::string environment = {};
  bool hash = true;  // of the bytes; of data read a second time it is known
};

/// Which rows of a table of `rows` rows are used: nothing where all are. `labels`, where given,
/// says which environment each row is in.
std::shared_ptr<RowDraw> draw_for(std::size_t rows, const ValueOptions& options,
                                  const NumberColumn* labels);

/// Called once with all column names; returns how to read each. Empty: everything, automatic.
using ChooseColumns = std::function<std::vector<ColumnRole>(const std::vector<std::string>& names,
                                                            const std::vector<RawGroup>& groups)>;

}  // namespace whence
