#include "apps/whence/text_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

constexpr std::size_t gap = 2;             // between columns, and before the first
constexpr std::size_t narrow = 12;         // columns are not made narrower to fit
constexpr std::size_t longest_value = 26;  // what is longer is a text

/// The cells of a terminal that a character takes: East Asian ones and pictures two, accents of
/// their own none.
std::size_t cells_of(char32_t c) {
  if (c >= 0x300 && c <= 0x36F) return 0;
  constexpr std::pair<char32_t, char32_t> wide[] = {
      {0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
      {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
  const auto within = [c](const auto& range) { return c >= range.first && c <= range.second; };
  return std::any_of(std::begin(wide), std::end(wide), within) ? 2 : 1;
}

/// The bytes of the longest beginning that takes at most `width` cells, and the cells.
struct Extent {
  std::size_t bytes = 0, cells = 0;
};
Extent extent(std::string_view text, std::size_t width = std::string_view::npos) {
  Extent all;
  while (all.bytes < text.size()) {
    const std::string_view rest = text.substr(all.bytes);
    const std::size_t bytes = std::max<std::size_t>(1, utf8_length(rest));
    const std::size_t cells = cells_of(code_points(rest.substr(0, bytes)).front());
    if (all.cells + cells > width) break;
    all.bytes += bytes;
    all.cells += cells;
  }
  return all;
}

bool is_numeric(std::string cell) {
  for (std::size_t dash = cell.find("–"); dash != cell.npos; dash = cell.find("–"))
    cell.replace(dash, std::string_view("–").size(), "-");
  return cell.find_first_not_of("+-0123456789.,<>% to") == cell.npos;
}

/// A number, or numbers and what stands between them: "34 / 0+0", "2 of 3".
bool is_value(const std::string& cell) {
  return cell.empty() || cell.find_first_of("0123456789") <= 1;
}

/// With "..." where something was left out and there is room to say so.
std::string cut(const std::string& text, std::size_t width) {
  if (extent(text).cells <= width) return text;
  const std::size_t dots = width > 3 ? 3 : 0;
  std::string start = text.substr(0, extent(text, width - dots).bytes);
  start.erase(start.find_last_not_of(" ,(") + 1);
  return start + std::string(dots, '.');
}

/// A name, and what follows it: " (99.1 %)".
struct Item {
  std::string name, value;
};

/// "a (1 %), b (2 %)" in its items; none where a cell is something else.
std::vector<Item> items_of(const std::string& cell) {
  std::vector<Item> items;
  for (std::size_t at = 0; at < cell.size();) {
    const std::size_t close = cell.find("), ", at);
    const std::string part =
        close == std::string::npos ? cell.substr(at) : cell.substr(at, close + 1 - at);
    const std::size_t value = part.rfind(" (");
    if (value == std::string::npos || value == 0 || part.back() != ')') return {};
    if (!is_numeric(part.substr(value + 2, 1))) return {};  // a unit: "Temperature (°C)"
    items.push_back({part.substr(0, value), part.substr(value)});
    at += part.size() + 2;  // and ", "
  }
  return items;
}

/// The first `count` items with all their values, and ", ..." where there are more; nothing if that
/// leaves less of a name than `least` cells.
std::string with_values(const std::vector<Item>& items, std::size_t count, std::size_t width,
                        std::size_t least) {
  const std::string rest = count < items.size() ? ", ..." : "";
  std::vector<std::size_t> names;
  std::size_t sum = rest.size() + 2 * (count - 1);
  for (std::size_t k = 0; k < count; ++k) {
    names.push_back(extent(items[k].name).cells);
    sum += names[k] + extent(items[k].value).cells;
  }
  for (; sum > width; --sum) {
    const auto longest = std::max_element(names.begin(), names.end());
    if (*longest <= least) return {};
    --*longest;
  }
  std::string out;
  for (std::size_t k = 0; k < count; ++k)
    out += (k > 0 ? ", " : "") + cut(items[k].name, names[k]) + items[k].value;
  return out + rest;
}

/// Of items, names give way and then the last items, never a value.
std::string shortened(const std::string& cell, std::size_t width) {
  if (extent(cell).cells <= width) return cell;
  constexpr std::size_t readable = 8;
  const std::vector<Item> items = items_of(cell);
  for (std::size_t count = items.size(); count > 0; --count) {
    const std::string fitting = with_values(items, count, width, count > 1 ? readable : 1);
    if (!fitting.empty()) return fitting;
  }
  return cut(items.empty() ? cell : items[0].name, width);
}

std::string padded(const std::string& cell, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, extent(cell).cells), ' ');
  return to_the_right ? blanks + cell : cell + blanks;
}

/// A table's cells as they are printed, and what its columns need.
class Columns {
 public:
  Columns(const Table& table, std::size_t rows) {
    for (const std::string& heading : table.columns) headings_.push_back(printable(heading));
    for (std::size_t r = 0; r < std::min(rows, table.rows.size()); ++r) {
      rows_.emplace_back();
      for (const std::string& cell : table.rows[r]) rows_.back().push_back(printable(cell));
    }
    for (std::size_t c = 0; c < headings_.size(); ++c) needs_.push_back(needs_of(c));
  }

  /// Where all columns do not fit side by side, some follow below, behind the first one again.
  std::string text() const {
    std::string out;
    for (const std::vector<std::size_t>& block : blocks())
      out += (out.empty() ? "" : "\n") + text_of(block);
    return out;
  }

 private:
  struct Needs {
    std::size_t all, wrapped, least;  // cells: for everything; the heading in lines; texts cut
    bool numeric;
  };
  using Widths = std::vector<std::size_t>;

  Needs needs_of(std::size_t c) const;
  std::vector<std::vector<std::size_t>> blocks() const;
  std::string text_of(const std::vector<std::size_t>& block) const;
  std::string line(const std::vector<std::size_t>& block, const Widths& width,
                   const std::vector<std::string>& cells) const;

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<Needs> needs_;
};

Columns::Needs Columns::needs_of(std::size_t c) const {
  std::size_t widest = 0, word = 0;
  bool values = true, numeric = true;
  for (const auto& row : rows_) {
    widest = std::max(widest, extent(row[c]).cells);
    values = values && is_value(row[c]);
    numeric = numeric && is_numeric(row[c]);
  }
  for (const std::string& one : split(headings_[c], ' ')) word = std::max(word, extent(one).cells);
  const bool whole = numeric || (values && widest <= longest_value);
  const std::size_t least = std::max(whole ? widest : std::min(widest, narrow),  //
                                     std::min(word, narrow));
  return {std::max(widest, extent(headings_[c]).cells), std::max(widest, least), least, numeric};
}

std::vector<std::vector<std::size_t>> Columns::blocks() const {
  const std::size_t room = std::size_t(terminal_width());
  std::vector<std::vector<std::size_t>> all = {{}};
  std::size_t sum = 0;
  for (std::size_t c = 0; c < needs_.size(); ++c) {
    const std::size_t own = gap + needs_[c].least;
    if (sum + own > room && all.back().size() > 1) {
      all.push_back({0});
      sum = gap + needs_[0].least;
    }
    all.back().push_back(c);
    sum += own;
  }
  return all;
}

/// The widest columns that can give way do, until all fit into the terminal.
void fit(std::vector<std::size_t>& width, const std::vector<std::size_t>& least) {
  const std::size_t room = std::size_t(terminal_width());
  std::size_t sum = gap * width.size();
  for (std::size_t one : width) sum += one;
  for (; sum > room; --sum) {
    std::size_t widest = width.size();
    for (std::size_t c = 0; c < width.size(); ++c)
      if (width[c] > least[c] && (widest == width.size() || width[c] > width[widest])) widest = c;
    if (widest == width.size()) break;
    --width[widest];
  }
}

std::string Columns::line(const std::vector<std::size_t>& block, const Widths& width,
                          const std::vector<std::string>& cells) const {
  std::string out;
  for (std::size_t k = 0; k < block.size(); ++k)
    out += std::string(gap, ' ') +
           padded(shortened(cells[block[k]], width[k]), width[k], needs_[block[k]].numeric);
  out = out.substr(0, extent(out, std::size_t(terminal_width())).bytes);
  out.erase(out.find_last_not_of(' ') + 1);
  return for_locale(out) + "\n";
}

std::string Columns::text_of(const std::vector<std::size_t>& block) const {
  Widths width, in_lines, least;
  for (std::size_t c : block) {
    width.push_back(needs_[c].all);
    in_lines.push_back(needs_[c].wrapped);
    least.push_back(needs_[c].least);
  }
  fit(width, in_lines);
  fit(width, least);
  std::vector<std::vector<std::string>> head;  // [line][column]
  for (std::size_t k = 0; k < block.size(); ++k) {
    const auto lines = split(wrapped(headings_[block[k]], 0, int(width[k])), '\n');
    if (head.size() < lines.size())
      head.resize(lines.size(), std::vector<std::string>(headings_.size()));
    for (std::size_t l = 0; l < lines.size(); ++l) head[l][block[k]] = lines[l];
  }
  std::string out;
  for (const auto& cells : head) out += line(block, width, cells);
  for (const auto& cells : rows_) out += line(block, width, cells);
  return out;
}

}  // namespace

std::string text_table(const Table& table, std::size_t rows) {
  std::string out = Columns(table, rows).text();
  if (rows < table.rows.size())
    out += "  ... and " + std::to_string(table.rows.size() - rows) + " more, on the page\n";
  return out;
}

}  // namespace whence
