// JSON values: what the reader returns and the writers build. Objects keep their order, numbers
// their exact digits, and every value that was read knows its place in the file.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// Both from 1; columns count characters, not bytes. 0 for values that were not read.
struct TextPlace {
  int line = 0;
  int column = 0;
};

struct JsonMember;

struct Json {
  enum class Kind { null, boolean, number, text, list, object };

  // Defined where JsonMember is complete.
  Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  Json(std::string characters);
  Json(std::string_view characters);
  Json(const char* characters);
  Json(double value);  // null when not finite: JSON has no word for it
  Json(std::same_as<bool> auto value) : Json() {
    kind = Kind::boolean;
    truth = value;
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) : Json(std::to_string(value)) {
    kind = Kind::number;
  }

  static Json list();
  static Json object();
  static Json object(std::initializer_list<JsonMember> members);
  static Json list(std::span<const double> values);
  static Json list(std::span<const std::string> values);

  bool is(Kind k) const { return kind == k; }
  /// A number written with digits only.
  bool is_integer() const;
  /// Integers that fit; nothing otherwise.
  std::optional<std::int64_t> as_int64() const;
  std::optional<std::uint64_t> as_uint64() const;
  double as_double() const;  // of a number

  const Json* find(std::string_view key) const;  // of an object; nullptr when absent
  Json* find(std::string_view key);
  void set(std::string key, Json value);  // replaces or appends

  /// One line with `indent` 0; otherwise nested, lists of numbers still on one line.
  std::string dump(int indent = 0) const;

  Kind kind = Kind::null;
  bool truth = false;
  std::string text;  // the characters of a text, the digits of a number
  std::vector<Json> items;
  std::vector<JsonMember> members;
  TextPlace place;
};

struct JsonMember {
  std::string key;
  Json value;
  TextPlace place = {};  // of the key
};

/// The same value with the keys of every object sorted.
Json sorted(Json value);

}  // namespace whence
