// One column of a CSV file while it is read: decides between numbers and texts, and stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/io/table/formats/csv_reader.hpp"
#include "whence/io/table/value_issues.hpp"

namespace whence {

class CsvColumn {
 public:
  CsvColumn(RawColumn& out, std::size_t index, ColumnRole role, const CsvOptions& options,
            ValueIssues& issues);

  /// The column's fields of all records of the batch.
  void take(const CsvScanner& scanner, const CsvBatch& batch, std::size_t columns);
  /// A column without any value is one of missing numbers. A column of numbers with a few texts in
  /// it is a mistake in these, not a column of texts.
  void finish();

  /// Only these of the rows taken so far, ascending.
  void keep(std::span<const std::size_t> places);

  std::size_t underflows() const { return underflows_; }
  /// Bytes held; what reserve() would come to.
  std::size_t bytes() const;
  std::size_t bytes_after(std::size_t capacity) const;
  std::size_t capacity() const;
  void reserve(std::size_t capacity);

 private:
  enum class Meaning : std::uint8_t { level, missing, not_a_number, infinite, suspected };
  struct Cursor {  // the batch being taken
    const CsvScanner& scanner;
    const CsvBatch& batch;
    std::size_t columns;
    std::size_t row = 0;
  };

  const CsvField& field(const Cursor& at) const {
    return at.batch.fields[at.row * at.columns + index_];
  }
  std::string_view text_of(const Cursor& at, const CsvField& field);
  void decide(Cursor& at);
  void keep_words();
  void become_texts();
  bool few_texts() const;
  [[noreturn]] void fail_few_texts() const;
  void take_numbers(Cursor& at);
  void take_texts(Cursor& at);
  double number(const Cursor& at);
  Meaning meaning(const Cursor& at, std::string_view text) const;
  void note(const Cursor& at, Meaning meaning, std::string_view text);
  DataPlace place(const Cursor& at) const;
  bool is_na(std::string_view text) const;
  bool is_na(double value) const;
  [[noreturn]] void fail_number(const Cursor& at, std::string_view text) const;
  [[noreturn]] void fail_mixed(const Cursor& at, std::string_view text) const;
  [[noreturn]] void fail_overflow(const Cursor& at, std::string_view text) const;

  RawColumn& out_;
  std::size_t index_;
  ColumnRole role_;
  const CsvOptions& options_;
  ValueIssues& issues_;
  std::vector<double> na_numbers_;  // those of --na that are numbers, compared as numbers
  std::vector<Meaning> meanings_;   // of each distinct text
  std::size_t undecided_ = 0;       // rows before the first value
  /// A word like "none" in such a row: missing among numbers, a category among texts.
  struct Word {
    std::size_t row;
    std::string text;
    DataPlace place;
  };
  std::vector<Word> words_;
  std::string stray_, stray_place_;  // the first text in a column that began with numbers
  std::size_t underflows_ = 0;
  std::string scratch_;
  std::vector<double> values_;  // of the batch
};

}  // namespace whence
