#include "whence/io/table/formats/csv_column.hpp"

#include <algorithm>
#include <limits>

#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/formats/date_text.hpp"
#include "whence/io/table/formats/large_memory.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

constexpr double powers_of_ten[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};

/// The commonest fields, read without a call: -12.345 with digits that a double holds exactly, so
/// that one division rounds correctly. Anything else is left to parse_field().
inline bool simple_number(const char* text, std::size_t size, char decimal, double& value) {
  if (size == 1) {  // a code: no loop
    const std::uint32_t digit = std::uint8_t(text[0]) - std::uint32_t('0');
    value = double(digit);
    return digit <= 9;
  }
  if (size - 1 >= 17) return false;
  const bool negative = text[0] == '-';
  const char *at = text + negative, *end = text + size;
  std::uint64_t digits = 0;
  const char* begin = at;
  for (; at != end; ++at) {
    const std::uint32_t digit = std::uint8_t(*at) - std::uint32_t('0');
    if (digit > 9) break;
    digits = digits * 10 + digit;
  }
  if (at == begin) return false;
  std::size_t places = 0;
  if (at != end) {
    if (*at++ != decimal) return false;
    places = std::size_t(end - at);
    for (; at != end; ++at) {
      const std::uint32_t digit = std::uint8_t(*at) - std::uint32_t('0');
      if (digit > 9) return false;
      digits = digits * 10 + digit;
    }
  }
  if (digits > std::uint64_t(1) << 53) return false;
  value = double(digits);
  if (places > 0) value /= powers_of_ten[places];
  if (negative) value = 0 - value;  // never negative zero
  return true;
}

/// How a number in an unusual form should be written.
std::string hint_for_number(std::string_view text, char decimal) {
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  if (text.find_first_of("xX") != std::string_view::npos) return "write it as a decimal number";
  const bool plain = text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos;
  if (plain && decimal == '.' && count(',') == 1 && count('.') == 0) return "--decimal=,";
  if (plain && decimal == ',' && count('.') == 1 && count(',') == 0) return "--decimal=.";
  return "write it without separators of thousands";
}

}  // namespace

CsvColumn::CsvColumn(RawColumn& out, std::size_t index, ColumnRole role, const CsvOptions& options,
                     ValueIssues& issues)
    : out_(out), index_(index), role_(role), options_(options), issues_(issues) {
  for (const std::string& text : options.values.na)
    if (const ParsedField parsed = parse_field(text, options.decimal);
        parsed.kind == FieldKind::number)
      na_numbers_.push_back(parsed.value);
  if (role == ColumnRole::number) out_.kind = RawColumn::Kind::numbers;
  if (role == ColumnRole::text) out_.kind = RawColumn::Kind::texts;
}

void CsvColumn::take(const CsvScanner& scanner, const CsvBatch& batch, std::size_t columns) {
  Cursor at{scanner, batch, columns};
  if (out_.kind == RawColumn::Kind::skipped) decide(at);
  if (out_.kind == RawColumn::Kind::numbers) take_numbers(at);
  if (out_.kind == RawColumn::Kind::texts) take_texts(at);
}

/// The first field that is neither missing nor infinite says what the column holds.
void CsvColumn::decide(Cursor& at) {
  for (; at.row < at.batch.records.size(); ++at.row, ++undecided_) {
    const std::string_view text = trimmed(text_of(at, field(at)));
    if (is_na(text)) {
      note(at, Meaning::missing, text);
      continue;
    }
    const ParsedField parsed = parse_field(text, options_.decimal);
    if (parsed.kind == FieldKind::not_a_number) {
      note(at, Meaning::not_a_number, text);
    } else if (parsed.kind == FieldKind::infinite) {
      note(at, Meaning::infinite, text);
    } else if (looks_missing(text)) {
      note(at, Meaning::suspected, text);
      if (!means_missing(text)) words_.push_back({undecided_, std::string(text), place(at)});
    } else {
      const bool is_text =
          parsed.kind == FieldKind::text || (options_.values.lenient && looks_like_date(text));
      out_.kind = is_text ? RawColumn::Kind::texts : RawColumn::Kind::numbers;
      if (is_text)
        out_.texts.assign(undecided_, -1), keep_words();
      else
        out_.numbers.append(std::vector<double>(undecided_, missing_number));
      return;
    }
  }
}

/// What was taken for missing before the first text was seen.
void CsvColumn::keep_words() {
  if (options_.values.missing != MissingPolicy::guess) return;
  for (const Word& word : words_) {
    const TextLevels::Found found = out_.levels.add(word.text);
    if (found.is_new) {
      meanings_.push_back(Meaning::level);
      out_.levels.places.push_back(word.place);
    }
    out_.texts[word.row] = found.level;
    --out_.missing;
  }
  words_.clear();
}

/// Numbers so far become their shortest texts.
void CsvColumn::become_texts() {
  out_.kind = RawColumn::Kind::texts;
  for (std::size_t row = 0; row < out_.numbers.size(); ++row) {
    const double value = out_.numbers[row];
    if (value != value) {
      out_.texts.push_back(-1);
      continue;
    }
    const TextLevels::Found found = out_.levels.add(shortest(value));
    if (found.is_new) {
      meanings_.push_back(Meaning::level);
      out_.levels.places.push_back({});
    }
    out_.texts.push_back(found.level);
  }
  out_.numbers = {};
  keep_words();
}

void CsvColumn::take_numbers(Cursor& at) {
  const std::size_t first = at.row, rows = at.batch.records.size();
  values_.resize(std::max(values_.size(), rows));
  const char decimal = options_.decimal;
  for (; at.row < rows; ++at.row) {
    const CsvField& f = field(at);
    double& value = values_[at.row];
    if (simple_number(at.batch.text + f.begin, f.size, decimal, value)) continue;
    value = number(at);
    if (!stray_.empty()) break;
  }
  const std::size_t stop = at.row;
  if (!na_numbers_.empty()) {
    for (at.row = first; at.row < stop; ++at.row) {
      if (!is_na(values_[at.row])) continue;
      note(at, Meaning::missing, at.batch.raw(field(at)));
      values_[at.row] = missing_number;
    }
  }
  at.row = stop;
  out_.numbers.append({values_.data() + first, stop - first});
  if (!stray_.empty()) become_texts();
}

double CsvColumn::number(const Cursor& at) {
  const std::string_view text = text_of(at, field(at));
  const ParsedField parsed = parse_field(text, options_.decimal);
  switch (parsed.kind) {
    case FieldKind::number: return parsed.value;
    case FieldKind::underflow: ++underflows_; return 0;
    default: break;
  }
  const std::string_view word = trimmed(text);
  if (is_na(word)) {
    note(at, Meaning::missing, word);
  } else if (parsed.kind == FieldKind::not_a_number) {
    note(at, Meaning::not_a_number, word);
  } else if (parsed.kind == FieldKind::infinite) {
    note(at, Meaning::infinite, word);
  } else if (parsed.kind == FieldKind::overflow) {
    fail_overflow(at, word);
  } else if (looks_missing(word)) {
    note(at, Meaning::suspected, word);
  } else if (options_.values.lenient && role_ == ColumnRole::automatic &&
             parsed.kind == FieldKind::text) {
    stray_ = word;
    stray_place_ = at_place(at.scanner.source().label(), place(at));
  } else {
    fail_number(at, word);
  }
  return missing_number;
}

void CsvColumn::take_texts(Cursor& at) {
  out_.texts.reserve(out_.texts.size() + at.batch.records.size() - at.row);
  for (; at.row < at.batch.records.size(); ++at.row) {
    const std::string_view text = text_of(at, field(at));
    const TextLevels::Found found = out_.levels.add(text);
    if (found.is_new) {
      meanings_.push_back(meaning(at, text));
      out_.levels.places.push_back(place(at));
    }
    const Meaning what = meanings_[std::size_t(found.level)];
    if (what != Meaning::level) note(at, what, text);
    out_.texts.push_back(what == Meaning::level ? found.level : -1);
  }
}

CsvColumn::Meaning CsvColumn::meaning(const Cursor& at, std::string_view text) const {
  const std::string_view word = trimmed(text);
  if (is_na(word)) return Meaning::missing;
  if (role_ == ColumnRole::text) return Meaning::level;
  switch (parse_field(word, options_.decimal).kind) {
    case FieldKind::not_a_number: return Meaning::not_a_number;
    case FieldKind::infinite: return Meaning::infinite;
    case FieldKind::malformed:
      if (!options_.values.lenient) fail_number(at, word);
      return Meaning::level;
    case FieldKind::text: break;
    default:
      if (!options_.values.lenient) fail_mixed(at, word);
      return Meaning::level;
  }
  if (options_.values.missing == MissingPolicy::guess)
    return means_missing(word) ? Meaning::suspected : Meaning::level;
  return looks_missing(word) ? Meaning::suspected : Meaning::level;
}

void CsvColumn::note(const Cursor& at, Meaning what, std::string_view text) {
  ++out_.missing;
  const auto kind = what == Meaning::missing        ? ValueIssues::Kind::missing
                    : what == Meaning::not_a_number ? ValueIssues::Kind::not_a_number
                    : what == Meaning::infinite     ? ValueIssues::Kind::infinite
                                                    : ValueIssues::Kind::suspected;
  if (issues_.wants_place(kind))
    issues_.add(kind, at_place(at.scanner.source().label(), place(at)), text, out_.name);
  else
    issues_.count(kind);
}

void CsvColumn::finish() {
  if (!stray_.empty() && few_texts()) fail_few_texts();
  if (out_.kind != RawColumn::Kind::skipped) return;
  out_.kind = RawColumn::Kind::numbers;
  out_.numbers.append(std::vector<double>(undecided_, missing_number));
}

void CsvColumn::keep(std::span<const std::size_t> places) {
  if (out_.kind == RawColumn::Kind::numbers) out_.numbers.keep(places);
  if (out_.kind == RawColumn::Kind::texts) keep_places(out_.texts, places);
  if (out_.kind == RawColumn::Kind::skipped) undecided_ = places.size();
  // Words stand in rows that may have gone, and the others have moved.
  std::vector<Word> kept;
  for (Word& word : words_) {
    const auto at = std::lower_bound(places.begin(), places.end(), word.row);
    if (at == places.end() || *at != word.row) continue;
    word.row = std::size_t(at - places.begin());
    kept.push_back(std::move(word));
  }
  words_ = std::move(kept);
}

/// Spaces around unquoted fields do not count; inside quotes they do.
std::string_view CsvColumn::text_of(const Cursor& at, const CsvField& field) {
  if (!field.quoted) return trimmed(at.batch.raw(field));
  return field_text(at.batch, field, scratch_);
}

/// Exact near the record's begin. Far behind it, where counting again and again would cost time
/// that grows with the square of the record, the record's line and the offset in bytes.
DataPlace CsvColumn::place(const Cursor& at) const {
  const CsvRecord& record = at.batch.records[at.row];
  const std::size_t begin = field(at).begin - std::size_t(field(at).quoted);
  if (begin - record.begin < 4096) return at.scanner.place(record, begin);
  return {record.line, begin - record.begin + 1};
}

bool CsvColumn::is_na(std::string_view text) const {
  const auto& na = options_.values.na;
  return text.empty() || std::find(na.begin(), na.end(), text) != na.end();
}

bool CsvColumn::is_na(double value) const {
  return std::find(na_numbers_.begin(), na_numbers_.end(), value) != na_numbers_.end();
}

std::size_t CsvColumn::capacity() const {
  return out_.kind == RawColumn::Kind::texts ? out_.texts.capacity() : out_.numbers.capacity();
}

std::size_t CsvColumn::bytes_after(std::size_t capacity) const {
  const std::size_t each =
      out_.kind == RawColumn::Kind::texts ? sizeof(std::int32_t) : sizeof(double);
  return capacity * each + out_.levels.bytes() + out_.levels.places.size() * sizeof(DataPlace);
}

std::size_t CsvColumn::bytes() const { return bytes_after(capacity()); }

void CsvColumn::reserve(std::size_t capacity) {
  if (out_.kind == RawColumn::Kind::texts)
    reserve_large(out_.texts, capacity);
  else if (out_.kind == RawColumn::Kind::numbers)
    out_.numbers.reserve(capacity);
}

void CsvColumn::fail_number(const Cursor& at, std::string_view text) const {
  const bool malformed = parse_field(text, options_.decimal).kind == FieldKind::malformed;
  throw Error(ExitCode::bad_data, "E-CSV-NUMBER", at_place(at.scanner.source().label(), place(at)),
              "value " + in_quotes(text) + " is not a number in " +
                  (role_ == ColumnRole::number ? "real" : "continuous") + " column " +
                  in_quotes(out_.name),
              malformed ? hint_for_number(text, options_.decimal)
                        : types_option(out_.name, "categorical") +
                              " if the column holds names; --missing=drop --na=" +
                              shell_word(excerpt(text, 20)) + " if this means missing");
}

bool CsvColumn::few_texts() const {
  constexpr std::size_t few = 5, one_in = 50;
  std::vector<bool> is_text;
  for (std::size_t level = 0; level < out_.levels.size(); ++level)
    is_text.push_back(parse_field(out_.levels.text(std::int32_t(level)), options_.decimal).kind ==
                      FieldKind::text);
  std::size_t texts = 0;
  for (const std::int32_t level : out_.texts) texts += level >= 0 && is_text[std::size_t(level)];
  return texts <= std::min(few, out_.texts.size() / one_in);
}

void CsvColumn::fail_few_texts() const {
  throw Error(ExitCode::bad_data, "E-CSV-NUMBER", stray_place_,
              "value " + in_quotes(stray_) + " is not a number in continuous column " +
                  in_quotes(out_.name),
              types_option(out_.name, "categorical") +
                  " if the column holds names; --missing=drop --na=" +
                  shell_word(excerpt(stray_, 20)) + " if this means missing");
}

void CsvColumn::fail_mixed(const Cursor& at, std::string_view text) const {
  throw Error(ExitCode::bad_data, "E-DATA-MIXED", at_place(at.scanner.source().label(), place(at)),
              "value " + in_quotes(text) + " is a number, but column " + in_quotes(out_.name) +
                  " began with text",
              types_option(out_.name, "categorical") + " if both are names of categories");
}

void CsvColumn::fail_overflow(const Cursor& at, std::string_view text) const {
  throw Error(ExitCode::bad_data, "E-DATA-OVERFLOW",
              at_place(at.scanner.source().label(), place(at)),
              "value " + in_quotes(text) + " in column " + in_quotes(out_.name) +
                  " is beyond what a double can hold",
              "change the unit: at most 1.7e308 in size");
}

}  // namespace whence
