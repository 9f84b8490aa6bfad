#include "apps/whence/text_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/io/markup.hpp"

namespace whence {
namespace {

constexpr std::size_t gap = 2;      // between columns, and before the first
constexpr std::size_t narrow = 12;  // columns are not made narrower to fit

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

/// With "..." where something was left out and there is room to say so.
std::string cut(const std::string& text, std::size_t width) {
  if (extent(text).cells <= width) return text;
  const std::size_t dots = width > 3 ? 3 : 0;
  std::string start = text.substr(0, extent(text, width - dots).bytes);
  start.erase(start.find_last_not_of(" ,(") + 1);
  return start + std::string(dots, '.');
}

/// A name, and what is told of it: " (99.1 %)".
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

/// The widest columns give way until all fit into the terminal.
void fit(std::vector<std::size_t>& width) {
  const std::size_t room = std::size_t(terminal_width());
  std::size_t sum = gap * width.size();
  for (std::size_t one : width) sum += one;
  while (sum > room) {
    const auto widest = std::max_element(width.begin(), width.end());
    if (*widest <= narrow) break;
    --*widest, --sum;
  }
}

}  // namespace

std::string text_table(const Table& table, std::size_t rows) {
  std::vector<std::vector<std::string>> cells = {table.columns};
  const std::size_t shown = std::min(rows, table.rows.size());
  cells.insert(cells.end(), table.rows.begin(), table.rows.begin() + std::ptrdiff_t(shown));
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> numeric(columns, true);
  for (std::size_t r = 0; r < cells.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      cells[r][c] = printable(cells[r][c]);
      width[c] = std::max(width[c], extent(cells[r][c]).cells);
      if (r > 0) numeric[c] = numeric[c] && is_numeric(cells[r][c]);
    }
  fit(width);
  std::string out;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c)
      line += std::string(gap, ' ') + padded(shortened(row[c], width[c]), width[c], numeric[c]);
    line = line.substr(0, extent(line, std::size_t(terminal_width())).bytes);
    line.erase(line.find_last_not_of(' ') + 1);
    out += for_locale(line) + "\n";
  }
  if (shown < table.rows.size())
    out += "  ... and " + std::to_string(table.rows.size() - shown) + " more, on the page\n";
  return out;
}

}  // namespace whence
