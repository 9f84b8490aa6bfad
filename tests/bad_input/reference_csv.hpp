// A slow and obvious reader of CSV structure: what the fast one must agree with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/text.hpp"

namespace whence::bad_input {

using Records = std::vector<std::vector<std::string>>;

inline bool is_utf8_without_nul(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || text[0] == '\0') return false;
    text.remove_prefix(length);
  }
  return true;
}

/// One field and what ended it; nothing where a quote is out of place.
struct ReferenceField {
  std::string text;
  bool quoted = false;
};

inline std::optional<ReferenceField> reference_field(std::string_view text, std::size_t& at,
                                                     char delimiter) {
  const auto ends = [&](std::size_t i) {
    return i == text.size() || text[i] == delimiter || text[i] == '\n' || text[i] == '\r';
  };
  ReferenceField field;
  if (at < text.size() && text[at] == '"') {
    field.quoted = true;
    for (++at;; ++at) {
      if (at == text.size()) return {};
      if (text[at] != '"') {
        field.text += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field.text += '"';
        ++at;
      } else {
        ++at;
        break;
      }
    }
    if (!ends(at)) return {};
    return field;
  }
  for (; !ends(at); ++at) {
    if (text[at] == '"') return {};
    field.text += text[at];
  }
  return field;
}

/// All records with equally many fields, or nothing where the file is not good CSV.
inline std::optional<Records> reference_csv(std::string_view text, char delimiter) {
  if (!is_utf8_without_nul(text)) return {};
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  Records records;
  std::size_t at = 0, blank_lines = 0;
  while (at < text.size()) {
    std::vector<std::string> record;
    bool blank = true;
    for (;;) {
      const auto field = reference_field(text, at, delimiter);
      if (!field) return {};
      record.push_back(field->text);
      blank = record.size() == 1 && field->text.empty() && !field->quoted;
      if (at == text.size() || text[at] != delimiter) break;
      ++at;
    }
    if (at < text.size()) at += text.substr(at, 2) == "\r\n" ? 2 : 1;
    if (blank) {
      blank_lines += !records.empty();
      continue;
    }
    if (!records.empty() && records[0].size() == 1)
      for (; blank_lines > 0; --blank_lines) records.push_back({""});
    if (blank_lines > 0) return {};
    if (!records.empty() && records[0].size() != record.size()) return {};
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace whence::bad_input
