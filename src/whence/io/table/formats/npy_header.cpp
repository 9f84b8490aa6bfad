// The header of an .npy file: a Python dictionary with three entries, read by its grammar.
#include <algorithm>
#include <charconv>
#include <optional>

#include "whence/core/error.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/formats/npy_reader.hpp"

namespace whence {
namespace {

constexpr const char* accepted_types = "accepted types: f4 f8 i1 i2 i4 i8 u1 u2 u4 u8";

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& place, NpyForm form)
      : text_(text), place_(place), form_(form) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      read_entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ + 1 != text_.size() || text_[at_] != '\n')
      fail("E-NPY-HEADER", "the header does not end with a line feed after the dictionary");
    if (!has_type_ || !has_order_ || !has_shape_)
      fail("E-NPY-HEADER", std::string("the header lacks '") +
                               (!has_type_    ? "descr"
                                : !has_order_ ? "fortran_order"
                                              : "shape") +
                               "'");
    return header_;
  }

 private:
  void read_entry() {
    const std::string key = read_string();
    expect(':');
    if (key == "descr")
      once(has_type_, key), read_type();
    else if (key == "fortran_order")
      once(has_order_, key), header_.column_major = read_bool();
    else if (key == "shape")
      once(has_shape_, key), read_shape();
    else
      fail("E-NPY-HEADER", "the header has an unknown entry " + in_quotes(key));
  }

  void once(bool& seen, const std::string& key) {
    if (seen) fail("E-NPY-HEADER", "the header gives '" + key + "' twice");
    seen = true;
  }

  void read_type() {
    skip_space();
    if (peek() == '[' || peek() == '(')
      fail("E-NPY-DTYPE", "the array is structured", accepted_types);
    const std::string type = read_string();
    const std::string bare = type.substr(std::min(type.find_first_not_of("<>|="), type.size()));
    if (!bare.empty() && bare[0] == 'O')
      fail("E-NPY-PICKLE", "the array holds Python objects; they are never loaded", accepted_types);
    const bool simple =
        type.size() == 3 && std::string_view("<>|").find(type[0]) != std::string_view::npos;
    const char kind = simple ? type[1] : '?', size = simple ? type[2] : '?';
    const bool number = (kind == 'f' && (size == '4' || size == '8')) ||
                        ((kind == 'i' || kind == 'u') &&
                         (size == '1' || size == '2' || size == '4' || size == '8'));
    if (!number || (type[0] == '|' && size != '1'))
      fail("E-NPY-DTYPE", "arrays of type " + in_quotes(type) + " cannot be read", accepted_types);
    header_.type = kind;
    header_.bytes = size - '0';
    header_.big_endian = type[0] == '>';
  }

  bool read_bool() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("E-NPY-HEADER", "'fortran_order' is neither True nor False");
  }

  void read_shape() {
    expect('(');
    bool comma = false;
    while (!accept(')')) {
      if (!header_.shape.empty() && !comma) fail_shape();
      header_.shape.push_back(read_dimension());
      if (header_.shape.size() > 32) fail_rank();
      comma = accept(',');
    }
    if (header_.shape.size() == 1 && !comma) fail_shape();  // (3) is a number, not a tuple
    if (header_.shape.empty() || header_.shape.size() > form_.dimensions) fail_rank();
  }

  std::uint64_t read_dimension() {
    constexpr std::size_t max_digits = 19;  // fits 64 bits
    skip_space();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    if (end == at_ || end - at_ > max_digits || (text_[at_] == '0' && end - at_ > 1)) fail_shape();
    std::uint64_t value = 0;
    std::from_chars(text_.data() + at_, text_.data() + end, value);
    at_ = end + (form_.python2 && end < text_.size() && text_[end] == 'L' ? 1 : 0);
    return value;
  }

  /// In single or double quotes; no escapes, since no key and no type has any.
  std::string read_string() {
    constexpr std::size_t longest = 64;
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_syntax();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos || end - at_ > longest) fail_syntax();
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (inside.find_first_of("\\\n") != std::string_view::npos) fail_syntax();
    at_ = end + 1;
    return std::string(inside);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_syntax();
  }

  [[noreturn]] void fail(const char* id, const std::string& problem,
                         const std::string& hint = {}) const {
    throw Error(ExitCode::bad_data, id, place_, problem, hint);
  }
  [[noreturn]] void fail_syntax() const {
    fail("E-NPY-HEADER", "the header is not a plain dictionary (character " +
                             std::to_string(at_ + 1) + ": " +
                             in_quotes(text_.substr(std::min(at_, text_.size()), 20)) + ")");
  }
  [[noreturn]] void fail_shape() const {
    fail("E-NPY-SHAPE",
         "the shape is not a tuple of whole numbers (at " +
             in_quotes(text_.substr(std::min(at_, text_.size()), 20)) + ")",
         "save the array again with a current NumPy");
  }
  [[noreturn]] void fail_rank() const {
    fail("E-NPY-SHAPE",
         "the array has " + std::to_string(header_.shape.size()) +
             (header_.shape.size() > 32 ? " or more" : "") + " dimensions; data have 1 to " +
             std::to_string(form_.dimensions),
         "rows are samples, columns are variables");
  }

  std::string_view text_;
  const std::string& place_;
  NpyForm form_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& place, NpyForm form) {
  return HeaderParser(text, place, form).parse();
}

}  // namespace whence
