#include "whence/io/json/json_reader.hpp"

#include <charconv>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string_view file, const JsonLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  Json read() {
    if (text_.size() > limits_.bytes) fail_size();
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // a byte order mark says nothing, harmless
    skip_space();
    if (at_ == text_.size())
      fail("E-JSON-EMPTY", "the file is empty", "write an object: {\"key\": value}");
    Json root = read_tree();
    skip_space();
    if (at_ < text_.size()) fail("E-JSON-SYNTAX", "expected nothing after the value");
    return root;
  }

 private:
  /// An object or list that is not closed yet, and the keys it has so far.
  struct Open {
    Json value;
    std::string key;  // of the member whose value comes next
    TextPlace key_place;
    std::unordered_set<std::string> keys;
  };

  /// Reads values until the outermost is closed; the stack is a vector, so depth costs no
  /// recursion.
  Json read_tree() {
    std::vector<Open> open;
    for (;;) {
      const TextPlace place = place_;
      Json value;
      if (peek() == '{' || peek() == '[') {
        const bool object = peek() == '{';
        if (int(open.size()) >= limits_.depth) fail_depth();
        advance();
        open.push_back({});
        open.back().value = object ? Json::object() : Json::list();
        open.back().value.place = place;
        skip_space();
        if (peek() != (object ? '}' : ']')) {
          if (object) read_key(open.back());
          continue;
        }
        value = close(open);
      } else {
        value = read_scalar();
        value.place = place;
      }
      // A finished value goes into what is open; what that closes goes one further out.
      for (;;) {
        if (open.empty()) return value;
        put(open.back(), std::move(value));
        if (!another(open.back()))
          value = close(open);
        else
          break;
      }
    }
  }

  Json close(std::vector<Open>& open) {
    advance();
    Json value = std::move(open.back().value);
    open.pop_back();
    return value;
  }

  static void put(Open& open, Json value) {
    if (open.value.is(Json::Kind::object))
      open.value.members.push_back({std::move(open.key), std::move(value), open.key_place});
    else
      open.value.items.push_back(std::move(value));
  }

  /// After a value: a comma (true, with the next key read) or the end, which is left for close().
  bool another(Open& open) {
    const bool object = open.value.is(Json::Kind::object);
    skip_space();
    if (peek() == (object ? '}' : ']') && at_ < text_.size()) return false;
    if (peek() != ',')
      fail("E-JSON-SYNTAX",
           std::string("expected ',' or '") + (object ? '}' : ']') + "', found " + found());
    advance();
    skip_space();
    if (object) read_key(open);
    return true;
  }

  void read_key(Open& open) {
    if (peek() != '"') fail("E-JSON-SYNTAX", "expected a key in double quotes, found " + found());
    open.key_place = place_;
    open.key = read_text();
    if (!open.keys.insert(open.key).second)
      fail_at(open.key_place, "E-JSON-DUPLICATE", "key '" + excerpt(open.key) + "' is given twice",
              "keep one of them");
    skip_space();
    if (peek() != ':') fail("E-JSON-SYNTAX", "expected ':' after the key, found " + found());
    advance();
    skip_space();
  }

  Json read_scalar() {
    const char c = peek();
    if (c == '"') return Json(read_text());
    if (c == '-' || is_digit(c)) return read_number();
    for (const auto& [word, value] : {std::pair{"true", Json(true)},
                                      std::pair{"false", Json(false)}, std::pair{"null", Json()}}) {
      const std::string_view name = word;
      if (text_.substr(at_, name.size()) != name) continue;
      for (std::size_t i = 0; i < name.size(); ++i) advance();
      return value;
    }
    fail("E-JSON-SYNTAX", "expected a value, found " + found(), hint_for_value());
  }

  /// What people write that JSON does not have.
  std::string hint_for_value() const {
    const std::string_view rest = text_.substr(at_, 9);
    if (rest.substr(0, 3) == "NaN" || rest.substr(0, 8) == "Infinity")
      return "JSON has finite numbers only";
    if (rest.substr(0, 1) == "'") return "texts are in double quotes";
    if (rest.substr(0, 1) == "#" || rest.substr(0, 1) == "/") return "JSON has no comments";
    if (rest.substr(0, 1) == "}" || rest.substr(0, 1) == "]") return "remove the comma before it";
    return {};
  }

  Json read_number() {
    const TextPlace start = place_;
    const std::size_t begin = at_;
    const auto digits = [&] {
      if (!is_digit(peek())) fail("E-JSON-SYNTAX", "expected a digit, found " + found());
      while (is_digit(peek())) advance();
    };
    if (peek() == '-') advance();
    if (peek() == '0') {
      advance();
      if (is_digit(peek())) fail("E-JSON-SYNTAX", "a number may not begin with 0", "drop the 0");
    } else {
      digits();
    }
    if (peek() == '.') advance(), digits();
    if (peek() == 'e' || peek() == 'E') {
      advance();
      if (peek() == '+' || peek() == '-') advance();
      digits();
    }
    Json number;
    number.kind = Json::Kind::number;
    number.text = text_.substr(begin, at_ - begin);
    check_number(number, start);
    return number;
  }

  void check_number(const Json& number, TextPlace start) const {
    double value = 0;
    const char* end = number.text.data() + number.text.size();
    const auto [stop, error] = std::from_chars(number.text.data(), end, value);
    if (error == std::errc::result_out_of_range || !std::isfinite(value) || stop != end)
      fail_at(start, "E-JSON-NUMBER",
              "number " + excerpt(number.text, 30) + " is beyond what a double can hold",
              "between 5e-324 and 1.7e308 in size, or 0");
    if (value == 0 && number.text[0] == '-')
      fail_at(start, "E-JSON-NUMBER", "negative zero has no meaning here", "write 0");
  }

  std::string read_text() {
    const TextPlace start = place_;
    std::string out;
    advance();
    while (peek() != '"') {
      if (at_ == text_.size())
        fail_at(start, "E-JSON-SYNTAX", "the text that begins here has no closing quote");
      const char c = peek();
      if (std::uint8_t(c) < 0x20)
        fail("E-JSON-SYNTAX", "a control character inside a text", "write it as an escape: \\n");
      if (c == '\\')
        read_escape(out);
      else
        read_character(out);
    }
    advance();
    return out;
  }

  void read_character(std::string& out) {
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) fail("E-JSON-ENCODING", "the file is not UTF-8 here", "save it as UTF-8");
    out += text_.substr(at_, length);
    for (std::size_t i = 0; i < length; ++i) advance();
  }

  void read_escape(std::string& out) {
    const TextPlace start = place_;
    advance();
    const char c = peek();
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = names.find(c); i != std::string_view::npos && at_ < text_.size()) {
      out += values[i];
      advance();
      return;
    }
    if (c != 'u') fail_at(start, "E-JSON-SYNTAX", "unknown escape in a text", "for \\ write \\\\");
    advance();
    std::uint32_t code = read_hex(start);
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      advance();
      advance();
      const std::uint32_t low = read_hex(start);
      if (low < 0xDC00 || low > 0xDFFF) fail_at(start, "E-JSON-SYNTAX", "half a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code < 0xE000) fail_at(start, "E-JSON-SYNTAX", "half a surrogate pair");
    append_utf8(out, code);
  }

  std::uint32_t read_hex(TextPlace start) {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = peek();
      const int digit = is_digit(c)              ? c - '0'
                        : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                        : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                                 : -1;
      if (digit < 0) fail_at(start, "E-JSON-SYNTAX", "\\u needs four hexadecimal digits");
      code = code << 4 | std::uint32_t(digit);
      advance();
    }
    return code;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void advance() {
    if (at_ == text_.size()) return;
    const char c = text_[at_++];
    if (c == '\n')
      place_ = {place_.line + 1, 1};
    else if ((std::uint8_t(c) & 0xC0) != 0x80)  // continuation bytes are the same character
      ++place_.column;
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      advance();
  }

  /// What stands at this place, for messages.
  std::string found() const {
    if (at_ == text_.size()) return "the end of the file";
    const std::size_t end = text_.find_first_of(" \t\r\n,:]}", at_ + 1);
    return "'" + excerpt(text_.substr(at_, end - at_), 20) + "'";
  }

  [[noreturn]] void fail_at(TextPlace place, const char* id, const std::string& problem,
                            std::string hint = {}) const {
    throw Error(ExitCode::bad_config, id, place_in(file_, place), problem, std::move(hint));
  }
  [[noreturn]] void fail(const char* id, const std::string& problem, std::string hint = {}) const {
    fail_at(place_, id, problem, std::move(hint));
  }
  [[noreturn]] void fail_depth() const {
    fail("E-JSON-DEPTH", "nested more than " + std::to_string(limits_.depth) + " deep");
  }
  [[noreturn]] void fail_size() const {
    throw Error(ExitCode::bad_config, "E-JSON-SIZE", std::string(file_),
                "the file has " + std::to_string(text_.size()) + " bytes; at most " +
                    std::to_string(limits_.bytes) + " are read");
  }

  std::string_view text_, file_;
  JsonLimits limits_;
  std::size_t at_ = 0;
  TextPlace place_{1, 1};
};

}  // namespace

std::string place_in(std::string_view file, TextPlace place) {
  std::string out(file);
  if (place.line > 0) out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  return out;
}

Json read_json(std::string_view text, std::string_view file, const JsonLimits& limits) {
  return Reader(text, file, limits).read();
}

}  // namespace whence
