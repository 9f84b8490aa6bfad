#include "whence/io/table/formats/date_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "whence/core/text.hpp"

namespace whence {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A run of digits, of letters, or one other character.
struct Piece {
  std::string_view text;
  bool number() const { return is_digit(text[0]); }
  bool word() const { return is_letter(text[0]); }
  int value() const {
    int n = 0;
    for (const char c : text.substr(0, 6)) n = n * 10 + (c - '0');
    return n;
  }
};

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_digit(text[i]))
      while (end < text.size() && is_digit(text[end])) ++end;
    else if (is_letter(text[i]))
      while (end < text.size() && is_letter(text[end])) ++end;
    pieces.push_back({text.substr(i, end - i)});
    i = end;
  }
  return pieces;
}

bool is_month_name(std::string_view word) {
  constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
  if (word.size() < 3) return false;
  std::string begin;
  for (const char c : word.substr(0, 3)) begin += char(c | 0x20);
  return std::find(months.begin(), months.end(), begin) != months.end();
}

bool is_year(const Piece& p) { return p.number() && p.text.size() == 4; }
bool is_month(const Piece& p) {
  return p.number() ? p.text.size() <= 2 && p.value() >= 1 && p.value() <= 12
                    : is_month_name(p.text);
}
bool is_day(const Piece& p) {
  return p.number() && p.text.size() <= 2 && p.value() >= 1 && p.value() <= 31;
}

/// "23:59", "23:59:59.5", perhaps with a zone behind it.
bool is_time(std::string_view text) {
  const auto pieces = pieces_of(text);
  if (pieces.size() < 3 || !pieces[0].number() || pieces[0].value() > 24) return false;
  if (pieces[1].text != ":" || !pieces[2].number() || pieces[2].text.size() != 2) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || std::string_view(":.,+- ZzAaPpMm").find(c) != std::string_view::npos;
  });
}

/// Three parts with the same mark between them, or two: a year and a month.
bool is_day_of_calendar(std::string_view text) {
  const auto p = pieces_of(text);
  const auto mark = [&](std::size_t i) {
    return std::string_view("-/. ").find(p[i].text[0]) != std::string_view::npos;
  };
  if (p.size() == 3 && mark(1) && p[1].text != ".")
    return (is_year(p[0]) && is_month(p[2])) || (is_month(p[0]) && is_year(p[2]));
  if (p.size() == 3) return is_year(p[0]) && (p[1].text == "Q" || p[1].text == "q");
  if (p.size() != 5 || !mark(1) || !mark(3) || p[1].text != p[3].text) return false;
  if (is_year(p[0])) return is_month(p[2]) && is_day(p[4]);
  const bool year = p[4].number() && (p[4].text.size() == 4 || p[4].text.size() == 2);
  return year && ((is_day(p[0]) && is_month(p[2])) || (is_month(p[0]) && is_day(p[2])));
}

/// "Mar 31, 2024"
bool is_written_out(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != ',') plain += c;
  const auto p = pieces_of(plain);
  return p.size() == 5 && p[0].word() && is_month(p[0]) && is_day(p[2]) && is_year(p[4]);
}

}  // namespace

bool looks_like_date(std::string_view text) {
  if (text.size() < 4 || text.size() > 40) return false;
  if (is_time(text) || is_day_of_calendar(text) || is_written_out(text)) return true;
  for (const char mark : {'T', ' '}) {
    const std::size_t at = text.rfind(mark);
    if (at == std::string_view::npos || at == 0) continue;
    if (is_day_of_calendar(text.substr(0, at)) && is_time(text.substr(at + 1))) return true;
  }
  return false;
}

}  // namespace whence
