// Walking through a text file by characters, knowing the place of everything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/io/files/data_place.hpp"

namespace whence {

class TextCursor {
 public:
  TextCursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // a byte order mark
  }

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip(std::size_t count = 1) { at_ += count; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  bool accept(std::string_view word) {
    if (rest().substr(0, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(peek())) ++at_;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  /// file:line:column of a byte; columns count characters.
  std::string place(std::size_t offset) const {
    DataPlace place{1, 1};
    for (std::size_t i = 0; i < std::min(offset, text_.size()); ++i) {
      if (text_[i] == '\n')
        ++place.line, place.column = 1;
      else if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80)
        ++place.column;
    }
    return at_place(file_, place);
  }
  std::string place() const { return place(at_); }
  const std::string& file() const { return file_; }

  [[noreturn]] void fail(const char* id, const std::string& problem, const std::string& hint = {},
                         std::size_t offset = std::string_view::npos) const {
    throw Error(ExitCode::bad_data, id, place(offset == std::string_view::npos ? at_ : offset),
                problem, hint);
  }

 private:
  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace whence
