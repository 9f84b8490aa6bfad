// What the values of a variable are: real numbers or categories, decided over all files together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

/// A column of one file, and which of its rows count.
struct ColumnPart {
  const RawTable* table = nullptr;
  RawColumn* column = nullptr;                     // emptied where its values are moved on
  const std::vector<std::size_t>* rows = nullptr;  // null: all of them

  std::size_t count() const { return rows ? rows->size() : table->rows; }
  std::size_t row(std::size_t i) const { return rows ? (*rows)[i] : i; }
  bool holds_numbers() const { return column->kind == RawColumn::Kind::numbers; }
};

struct TypedColumn {
  Variable variable;
  Column column;
  std::string note;  // how the kind was found, where it was not given
  // A column of whole numbers that is read as real and may hold codes: how many different ones.
  std::size_t whole_numbers = 0;
  bool negative = false;  // some of them
};

/// One column per file, in the order in which rows are to follow each other.
TypedColumn typed_column(const PlannedVariable& variable, std::vector<ColumnPart> parts,
                         std::size_t max_memory);

/// A vector: several columns per file (part[file][dimension]).
TypedColumn typed_vector(const PlannedVariable& variable,
                         const std::vector<std::vector<ColumnPart>>& parts);

/// Constant columns say nothing: an error; nearly constant ones: a warning.
void check_variation(const Variable& variable, const Column& column,
                     std::vector<std::string>& warnings);

}  // namespace whence
