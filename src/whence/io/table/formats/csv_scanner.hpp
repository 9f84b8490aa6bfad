// The structure of a CSV file (RFC 4180): records and fields as offsets, found in one pass over a
// bounded buffer. What the fields mean is csv_reader's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/error.hpp"
#include "whence/io/files/byte_source.hpp"
#include "whence/io/files/data_place.hpp"

namespace whence {

struct CsvLimits {
  std::size_t columns = 65536;
  std::size_t field_bytes =
      (std::size_t(1) << 20) - 1;  // also how far a closing quote is looked for
  std::size_t record_bytes = std::size_t(1) << 26;
};

/// Offsets into the text of a batch. Inside quotes `escaped` says that quotes are doubled there.
struct CsvField {
  std::uint32_t begin = 0;
  std::uint32_t size : 30 = 0;
  std::uint32_t quoted : 1 = 0;
  std::uint32_t escaped : 1 = 0;
};

struct CsvRecord {
  std::uint64_t line = 0;        // where it begins
  std::uint32_t begin = 0;       // offset into the text
  std::uint32_t delimiters = 0;  // the number of fields less one
};

/// Whole records, one after the other; valid until the next call.
struct CsvBatch {
  const char* text = nullptr;
  std::span<const CsvField> fields;
  std::span<const CsvRecord> records;

  std::string_view raw(const CsvField& field) const { return {text + field.begin, field.size}; }
};

class CsvScanner {
 public:
  CsvScanner(ByteSource& source, const CsvLimits& limits);

  /// The first bytes, without a byte order mark: for guessing the delimiter.
  std::string_view prefix() const { return {buffer_.data() + begin_, checked_ - begin_}; }
  bool prefix_is_all() const { return ended_; }

  void set_delimiter(char delimiter) { delimiter_ = delimiter; }
  /// Every record must have so many fields from now on.
  void expect_fields(std::size_t fields) { expected_ = fields; }

  /// One record while nothing is expected, afterwards as many as the buffer holds; none at the end.
  /// Blank lines before the first record and after the last are skipped; elsewhere a blank line is
  /// an empty field of a table with one column, and an error in others.
  CsvBatch next();

  /// Counts characters from the record's begin, so it is for errors only.
  DataPlace place(const CsvRecord& record, std::size_t offset) const;
  const ByteSource& source() const { return source_; }

 private:
  enum class State { unquoted, quoted, closing };  // closing: just after a quote inside quotes

  void refill();
  void check_encoding();
  void drop_used();
  void scan();
  std::uint64_t scan_plain(std::size_t base, std::uint64_t mask);
  void step(std::size_t at);
  void step_closing(std::size_t at);
  void end_field(std::size_t end);
  void end_record(std::size_t next);
  void put_record(std::size_t next);
  bool take_blank_line();
  void put_blank_lines();
  void end_line(std::size_t at);
  void end_file();
  void check_partial();
  std::size_t record_fields() const { return field_count_ - batch_fields_; }
  [[noreturn]] void fail_encoding() const;
  void fail(ExitCode code, const char* id, std::size_t at, const std::string& problem,
            std::string hint = {});
  void fail_count(std::size_t found);

  ByteSource& source_;
  CsvLimits limits_;
  char delimiter_ = ',';
  std::size_t expected_ = 0;  // 0: not known yet

  // The buffer: [begin_, scanned_) belongs to a record that has not ended, [scanned_, checked_) is
  // known to be good text, [checked_, filled_) has not been looked at or is bad.
  std::vector<char> buffer_;
  std::size_t begin_ = 0, scanned_ = 0, checked_ = 0, filled_ = 0;
  bool ended_ = false, finished_ = false;  // the source has no more bytes; nor have we
  std::optional<std::size_t> bad_;         // the first byte that is NUL or not UTF-8
  std::optional<Error> failure_;           // thrown once the records before it have been handed out

  State state_ = State::unquoted;
  std::size_t field_ = 0;  // where the current field begins
  std::size_t quote_ = 0;  // the last quote seen inside quotes
  bool escaped_ = false;
  bool carriage_return_ = false;  // the last record ended with one: a line feed may follow
  bool any_record_ = false;
  std::uint64_t line_ = 1, record_line_ = 1;
  std::uint64_t blank_lines_ = 0, first_blank_ = 0;
  std::vector<CsvField> fields_;  // of the batch, then of the record that has not ended
  std::size_t field_count_ = 0, batch_fields_ = 0;
  std::vector<CsvRecord> records_;
  std::vector<std::uint64_t> masks_;
};

/// The field's text, with doubled quotes made single; `scratch` is used only where there are any.
std::string_view field_text(const CsvBatch& batch, const CsvField& field, std::string& scratch);

/// Refuses, by their first bytes, files that are something else: gzip, xlsx, parquet, PDF, UTF-16.
void refuse_other_formats(std::string_view first_bytes, const std::string& file);

/// The one of , ; TAB | that divides the first records best; ',' in a file with one column.
char guess_delimiter(std::string_view prefix, bool is_whole_file, char decimal);

}  // namespace whence
