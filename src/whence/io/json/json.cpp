#include "whence/io/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "whence/core/text.hpp"

namespace whence {
namespace {

void append_unicode(std::string& out, std::uint32_t code) {
  constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[code >> shift & 15];
}

/// One character beyond ASCII, or one bad byte. Documents are UTF-8, whatever the names in them
/// are: a bad byte is spelt out as messages spell it. What would act on a terminal is escaped.
std::size_t append_wide(std::string& out, std::string_view text) {
  const std::size_t length = utf8_length(text);
  const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
  const std::string shown = printable(bytes);
  if (shown == bytes) {
    out += bytes;
  } else if (length == 0) {
    out += "\\" + shown;
  } else {
    std::uint32_t code = std::uint8_t(bytes[0]) & (0x7Fu >> length);
    for (const char c : bytes.substr(1)) code = code << 6 | (std::uint8_t(c) & 0x3Fu);
    if (code >= 0x10000) {
      append_unicode(out, 0xD7C0 + (code >> 10));
      code = 0xDC00 + (code & 0x3FF);
    }
    append_unicode(out, code);
  }
  return bytes.size();
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if ((c & 0x80) != 0) {
      i += append_wide(out, text.substr(i, 4));
      continue;
    }
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (std::uint8_t(c) < 0x20 || c == 0x7F)
          append_unicode(out, std::uint8_t(c));
        else
          out += c;
    }
    ++i;
  }
  out += '"';
}

void append_line(std::string& out, int indent, int depth) {
  if (indent > 0) out.append(1, '\n').append(std::size_t(indent * depth), ' ');
}

void append(std::string& out, const Json& value, int indent, int depth);

/// Lists of plain values stay on one line: a curve is a row of numbers, not a column.
void append_list(std::string& out, const Json& list, int indent, int depth) {
  const bool nested = std::any_of(list.items.begin(), list.items.end(), [](const Json& item) {
    return !item.items.empty() || !item.members.empty();
  });
  out += '[';
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out += nested || indent == 0 ? "," : ", ";
    if (nested) append_line(out, indent, depth + 1);
    append(out, list.items[i], indent, depth + 1);
  }
  if (nested) append_line(out, indent, depth);
  out += ']';
}

void append_object(std::string& out, const Json& object, int indent, int depth) {
  out += '{';
  for (std::size_t i = 0; i < object.members.size(); ++i) {
    if (i > 0) out += ',';
    append_line(out, indent, depth + 1);
    append_text(out, object.members[i].key);
    out += indent > 0 ? ": " : ":";
    append(out, object.members[i].value, indent, depth + 1);
  }
  if (!object.members.empty()) append_line(out, indent, depth);
  out += '}';
}

void append(std::string& out, const Json& value, int indent, int depth) {
  switch (value.kind) {
    case Json::Kind::null: out += "null"; break;
    case Json::Kind::boolean: out += value.truth ? "true" : "false"; break;
    case Json::Kind::number: out += value.text; break;
    case Json::Kind::text: append_text(out, value.text); break;
    case Json::Kind::list: append_list(out, value, indent, depth); break;
    case Json::Kind::object: append_object(out, value, indent, depth); break;
  }
}

template <class Integer>
std::optional<Integer> whole_number(const Json& value) {
  Integer result = 0;
  const char* end = value.text.data() + value.text.size();
  if (!value.is_integer()) return {};
  const auto [stop, error] = std::from_chars(value.text.data(), end, result);
  if (error != std::errc{} || stop != end) return {};
  return result;
}

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(std::string characters) : kind(Kind::text), text(std::move(characters)) {}
Json::Json(std::string_view characters) : Json(std::string(characters)) {}
Json::Json(const char* characters) : Json(std::string(characters)) {}

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  kind = Kind::number;
  text = shortest(value);
}

Json Json::list() {
  Json result;
  result.kind = Kind::list;
  return result;
}

Json Json::object() {
  Json result;
  result.kind = Kind::object;
  return result;
}

Json Json::object(std::initializer_list<JsonMember> members) {
  Json result = object();
  result.members.assign(members.begin(), members.end());
  return result;
}

Json Json::list(std::span<const double> values) {
  Json result = list();
  for (const double value : values) result.items.emplace_back(value);
  return result;
}

Json Json::list(std::span<const std::string> values) {
  Json result = list();
  for (const std::string& value : values) result.items.emplace_back(value);
  return result;
}

bool Json::is_integer() const {
  return kind == Kind::number && text.find_first_not_of("-0123456789") == std::string::npos;
}

std::optional<std::int64_t> Json::as_int64() const { return whole_number<std::int64_t>(*this); }
std::optional<std::uint64_t> Json::as_uint64() const { return whole_number<std::uint64_t>(*this); }

double Json::as_double() const {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

const Json* Json::find(std::string_view key) const {
  for (const JsonMember& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

Json* Json::find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }

void Json::set(std::string key, Json value) {
  if (Json* old = find(key))
    *old = std::move(value);
  else
    members.push_back({std::move(key), std::move(value)});
}

std::string Json::dump(int indent) const {
  std::string out;
  append(out, *this, indent, 0);
  return out;
}

Json sorted(Json value) {
  std::sort(value.members.begin(), value.members.end(),
            [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
  for (JsonMember& member : value.members) member.value = sorted(std::move(member.value));
  for (Json& item : value.items) item = sorted(std::move(item));
  return value;
}

}  // namespace whence
