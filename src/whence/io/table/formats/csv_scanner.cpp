#include "whence/io/table/formats/csv_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "whence/core/text.hpp"
#include "whence/io/files/special_bytes.hpp"

namespace whence {
namespace {

constexpr std::size_t chunk = std::size_t(1) << 16;  // read at a time: text and offsets stay in L2
constexpr std::size_t block = 64;                    // looked at together, one bit each
constexpr std::uint32_t size_bits = 0x3fffffff;

/// The first byte at or after `from` that is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t from) {
  while (from + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + from, 8);
    if (word & 0x8080808080808080) break;
    from += 8;
  }
  while (from < text.size() && std::uint8_t(text[from]) < 0x80) ++from;
  return from;
}

std::string bytes_text(std::size_t bytes) {
  return bytes < std::size_t(1) << 20 ? std::to_string(bytes) + " bytes"
                                      : std::to_string((bytes + 1) >> 20) + " MiB";
}

}  // namespace

CsvScanner::CsvScanner(ByteSource& source, const CsvLimits& limits)
    : source_(source), limits_(limits) {
  refill();
  refuse_other_formats({buffer_.data(), filled_}, source_.label());
  if (std::string_view(buffer_.data(), checked_).substr(0, 3) == "\xEF\xBB\xBF")
    begin_ = field_ = scanned_ = 3;
}

CsvBatch CsvScanner::next() {
  // What was handed out is used up; fields of a record that has not ended move to the front.
  std::copy(fields_.begin() + std::ptrdiff_t(batch_fields_),
            fields_.begin() + std::ptrdiff_t(field_count_), fields_.begin());
  field_count_ -= batch_fields_;
  batch_fields_ = 0;
  records_.clear();

  for (;;) {
    if (!failure_) scan();
    if (!records_.empty() || failure_) break;
    if (bad_) fail_encoding();
    if (ended_) {
      if (!finished_) end_file();
      break;
    }
    check_partial();
    if (!failure_) refill();
  }
  if (records_.empty() && failure_) throw Error(*failure_);
  return {buffer_.data(), {fields_.data(), batch_fields_}, records_};
}

void CsvScanner::scan() {
  const std::size_t base = scanned_, length = checked_ - base;
  const std::size_t blocks = (length + block - 1) / block;
  if (blocks == 0) return;
  masks_.resize(std::max(masks_.size(), blocks));
  fields_.resize(std::max(fields_.size(), field_count_ + length + 2));
  records_.reserve(length / std::max<std::size_t>(2, 2 * expected_) + 2);
  find_special_bytes(buffer_.data() + base, blocks, delimiter_, masks_.data());
  if (length % block > 0) masks_[blocks - 1] &= (std::uint64_t(1) << length % block) - 1;
  for (std::size_t n = 0; n < blocks; ++n) {
    std::uint64_t mask = masks_[n];
    while (mask != 0) {
      if (expected_ > 0 && state_ == State::unquoted && blank_lines_ == 0)
        mask = scan_plain(base + block * n, mask);
      if (mask == 0) break;
      const std::size_t at = base + block * n + std::size_t(std::countr_zero(mask));
      mask &= mask - 1;
      step(at);
      if (!failure_ && (expected_ > 0 || records_.empty())) continue;
      scanned_ = at + 1;
      return;
    }
  }
  scanned_ = checked_;
}

/// The common cases, without calls and with everything in registers: a field ends, quoted or not,
/// or a record as long as it should be. Returns the bits that are left where something else comes.
std::uint64_t CsvScanner::scan_plain(std::size_t base, std::uint64_t mask) {
  const char* text = buffer_.data();
  CsvField* const fields = fields_.data();
  const std::size_t limit = limits_.field_bytes, expected = expected_;
  std::size_t count = field_count_, field = field_, last = batch_fields_ + expected - 1;
  const char delimiter = delimiter_;
  const auto first = [&](std::uint64_t bits) { return base + std::size_t(std::countr_zero(bits)); };
  while (mask != 0) {
    std::size_t at = first(mask), size = at - field;
    std::uint64_t rest = mask & (mask - 1);
    std::uint32_t quoted = 0;
    if (text[at] == '"' && size == 0 && rest != 0 && (rest & (rest - 1)) != 0) {
      // A quoted field without anything special in it, whose end is in sight.
      const std::size_t closing = first(rest);
      rest &= rest - 1;
      if (text[closing] != '"' || first(rest) != closing + 1 || text[closing + 1] == '"') break;
      quoted = 1, size = closing - at - 1, at = closing + 1;
      rest &= rest - 1;
    }
    const bool feed = text[at] == '\n', carriage = text[at] == '\r';
    const bool ends_field = text[at] == delimiter && count < last;
    const bool ends_record =
        (feed || carriage) && count == last && (size + quoted > 0 || expected > 1);
    if (feed && carriage_return_ && at == begin_) {  // the second half of CR LF
      begin_ = field = at + 1;
      carriage_return_ = false;
    } else if ((ends_field || ends_record) && size <= limit) {
      fields[count++] = {std::uint32_t(field + quoted), std::uint32_t(size) & size_bits,
                         quoted & 1u, 0};
      field = at + 1;
      if (ends_record) {
        field_count_ = count;
        put_record(field);
        carriage_return_ = carriage;
        last = count + expected - 1;
      }
    } else {
      break;
    }
    mask = rest;
  }
  field_count_ = count;
  field_ = field;
  return mask;
}

inline void CsvScanner::put_record(std::size_t next) {
  records_.push_back({record_line_, std::uint32_t(begin_), std::uint32_t(record_fields() - 1)});
  batch_fields_ = field_count_;
  any_record_ = true;
  begin_ = field_ = next;
  record_line_ = ++line_;
}

void CsvScanner::step(std::size_t at) {
  const char c = buffer_[at];
  if (state_ == State::closing) return step_closing(at);
  if (state_ == State::quoted) {
    if (c == '"') state_ = State::closing, quote_ = at;
    if (c == '\r' || (c == '\n' && buffer_[at - 1] != '\r')) ++line_;
    return;
  }
  if (c == delimiter_) {
    end_field(at);
    field_ = at + 1;
    return;
  }
  if (c != '"') return end_line(at);
  if (at == field_) {
    state_ = State::quoted;
    escaped_ = false;
  } else {
    fail(ExitCode::bad_data, "E-CSV-QUOTE", at,
         "a quote inside a field that does not begin with one",
         "quote the whole field, and double the quotes inside it");
  }
}

/// After a quote inside quotes: a second one stands for a quote, anything else ends the field.
void CsvScanner::step_closing(std::size_t at) {
  if (at != quote_ + 1)
    return fail(ExitCode::bad_data, "E-CSV-QUOTE", quote_ + 1, "text after the closing quote",
                "double the quotes inside a quoted field");
  if (buffer_[at] == '"') {
    escaped_ = true;
    state_ = State::quoted;
  } else if (buffer_[at] == delimiter_) {
    end_field(at);
    field_ = at + 1;
  } else {
    end_line(at);
  }
}

void CsvScanner::end_line(std::size_t at) {
  const bool carriage_return = buffer_[at] == '\r';
  if (!carriage_return && carriage_return_ && at == begin_) {  // the second half of CR LF
    begin_ = field_ = at + 1;
    carriage_return_ = false;
    return;
  }
  end_field(at);
  end_record(at + 1);
  carriage_return_ = carriage_return;
}

void CsvScanner::end_field(std::size_t end) {
  const bool quoted = state_ == State::closing;
  CsvField& field = fields_[field_count_++];
  const std::size_t begin = field_ + quoted, size = (quoted ? quote_ : end) - begin;
  field.begin = std::uint32_t(begin);
  field.size = std::uint32_t(size) & size_bits;
  field.quoted = quoted;
  field.escaped = quoted && escaped_;
  state_ = State::unquoted;
  if (size > limits_.field_bytes)
    fail(ExitCode::resource, "E-LIMIT-FIELD", field_,
         "a field longer than " + bytes_text(limits_.field_bytes), "is this a CSV file?");
  if (record_fields() > limits_.columns)
    fail(ExitCode::resource, "E-LIMIT-COLUMNS", field_,
         "more than " + std::to_string(limits_.columns) + " columns", "is the delimiter right?");
}

void CsvScanner::end_record(std::size_t next) {
  if (failure_) return;
  if (take_blank_line()) {
    begin_ = field_ = next;
    record_line_ = ++line_;
    return;
  }
  if (blank_lines_ > 0) put_blank_lines();
  const std::size_t found = record_fields();
  if (!failure_ && expected_ > 0 && found != expected_) fail_count(found);
  if (!failure_) put_record(next);
}

/// Whether the record that ends here is a blank line. It is held back: at the end of the file blank
/// lines mean nothing.
bool CsvScanner::take_blank_line() {
  const CsvField& last = fields_[field_count_ - 1];
  if (record_fields() != 1 || last.size != 0 || last.quoted) return false;
  --field_count_;
  if (any_record_ && blank_lines_++ == 0) first_blank_ = record_line_;
  return true;
}

/// Blank lines inside the table: with one column an empty field each, otherwise a mistake.
void CsvScanner::put_blank_lines() {
  if (expected_ != 1) {
    failure_.emplace(ExitCode::bad_data, "E-CSV-FIELDS",
                     at_place(source_.label(), {first_blank_, 1}), "a blank line inside the table",
                     "remove it");
    return;
  }
  if (record_fields() != 1) return;
  const CsvField last = fields_[--field_count_];
  fields_.resize(std::max(fields_.size(), field_count_ + blank_lines_ + (checked_ - begin_) + 2));
  for (std::uint64_t i = 0; i < blank_lines_; ++i) {
    fields_[field_count_++] = {.begin = std::uint32_t(begin_)};
    records_.push_back({first_blank_ + i, std::uint32_t(begin_), 0});
  }
  batch_fields_ = field_count_;
  fields_[field_count_++] = last;
  blank_lines_ = 0;
}

/// The last record may lack its end of line.
void CsvScanner::end_file() {
  finished_ = true;
  if (state_ == State::quoted)
    return fail(ExitCode::bad_data, "E-CSV-QUOTE", field_, "the quote opened here is never closed",
                "add the closing quote, or double a quote that is meant as text");
  if (state_ == State::closing && quote_ + 1 != checked_) return step_closing(quote_ + 2);
  if (record_fields() == 0 && field_ == checked_) return;
  fields_.resize(std::max(fields_.size(), field_count_ + 2));
  end_field(checked_);
  end_record(checked_);
}

/// A record that does not end: stop before it fills the memory.
void CsvScanner::check_partial() {
  const bool quoted = state_ == State::quoted;
  if (filled_ - field_ > limits_.field_bytes + quoted) {
    if (quoted)
      return fail(ExitCode::bad_data, "E-CSV-QUOTE", field_,
                  "the quote opened here is not closed within " + bytes_text(limits_.field_bytes),
                  "add the closing quote, or double a quote that is meant as text");
    return fail(ExitCode::resource, "E-LIMIT-FIELD", field_,
                "a field longer than " + bytes_text(limits_.field_bytes), "is this a CSV file?");
  }
  if (filled_ - begin_ > limits_.record_bytes)
    fail(ExitCode::resource, "E-LIMIT-RECORD", begin_,
         "a record longer than " + bytes_text(limits_.record_bytes), "is the delimiter right?");
}

void CsvScanner::refill() {
  drop_used();
  std::size_t wanted = chunk;
  // For a closing quote we look just so far ahead.
  if (state_ == State::quoted)
    wanted = std::min(wanted, limits_.field_bytes + 2 - (filled_ - field_));
  buffer_.resize(std::max(buffer_.size(), filled_ + wanted + block));
  const std::size_t got = source_.read(buffer_.data() + filled_, wanted);
  filled_ += got;
  ended_ = got < wanted;
  check_encoding();
}

/// Moves the record that has not ended to the front of the buffer.
void CsvScanner::drop_used() {
  const std::size_t shift = begin_;
  if (shift == 0) return;
  std::copy(buffer_.begin() + std::ptrdiff_t(shift), buffer_.begin() + std::ptrdiff_t(filled_),
            buffer_.begin());
  for (std::size_t i = batch_fields_; i < field_count_; ++i)
    fields_[i].begin -= std::uint32_t(shift);
  for (std::size_t* at : {&begin_, &scanned_, &checked_, &filled_, &field_}) *at -= shift;
  if (state_ != State::unquoted) quote_ = quote_ >= shift ? quote_ - shift : 0;
}

/// Moves `checked_` over what is UTF-8 without NUL; a character cut by the buffer's end waits.
void CsvScanner::check_encoding() {
  const char* start = buffer_.data() + checked_;
  const void* nul = std::memchr(start, 0, filled_ - checked_);
  const std::size_t end =
      nul ? std::size_t(static_cast<const char*>(nul) - buffer_.data()) : filled_;
  const std::string_view text(buffer_.data(), end);
  while (checked_ < end) {
    checked_ = skip_ascii(text, checked_);
    if (checked_ == end) break;
    const std::size_t length = utf8_length(text.substr(checked_, 4));
    const bool cut = !ended_ && !nul && end - checked_ < 4;
    if (length == 0 && cut) return;
    if (length == 0) {
      bad_ = checked_;
      return;
    }
    checked_ += length;
  }
  if (nul) bad_ = end;
}

void CsvScanner::fail_encoding() const {
  const DataPlace where = place({record_line_, std::uint32_t(begin_), 0}, *bad_);
  const std::uint64_t offset = source_.bytes_read() - (filled_ - *bad_);
  const std::string at = " (byte " + std::to_string(offset) + " of the file)";
  if (buffer_[*bad_] == 0)
    throw Error(ExitCode::bad_data, "E-CSV-NUL", at_place(source_.label(), where),
                "a NUL byte" + at, "is this a text file? UTF-16 must be converted to UTF-8");
  throw Error(ExitCode::bad_data, "E-CSV-ENCODING", at_place(source_.label(), where),
              "the text is not UTF-8 here" + at, "save the file as UTF-8");
}

void CsvScanner::fail(ExitCode code, const char* id, std::size_t at, const std::string& problem,
                      std::string hint) {
  if (failure_) return;
  const DataPlace where = place({record_line_, std::uint32_t(begin_), 0}, at);
  failure_.emplace(code, id, at_place(source_.label(), where), problem, std::move(hint));
}

void CsvScanner::fail_count(std::size_t found) {
  failure_.emplace(ExitCode::bad_data, "E-CSV-FIELDS", at_place(source_.label(), {record_line_, 1}),
                   "expected " + std::to_string(expected_) + " fields as in the header, found " +
                       std::to_string(found),
                   "quote fields that contain the delimiter");
}

DataPlace CsvScanner::place(const CsvRecord& record, std::size_t offset) const {
  DataPlace place{record.line, 1};
  for (std::size_t i = record.begin; i < offset && i < filled_; ++i) {
    const char c = buffer_[i];
    if (c == '\n' || (c == '\r' && buffer_[i + 1] != '\n'))
      place = {place.line + 1, 1};
    else if ((std::uint8_t(c) & 0xC0) != 0x80)  // continuation bytes are the same character
      ++place.column;
  }
  return place;
}

std::string_view field_text(const CsvBatch& batch, const CsvField& field, std::string& scratch) {
  const std::string_view raw = batch.raw(field);
  if (!field.escaped) return raw;
  scratch.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    scratch += raw[i];
    if (raw[i] == '"') ++i;
  }
  return scratch;
}

}  // namespace whence
