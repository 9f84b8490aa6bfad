#include "apps/whence/text_table.hpp"

#include <algorithm>

#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

std::size_t columns_of(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_numeric(const std::string& cell) {
  return cell.empty() || cell == "–" || cell.find_first_not_of("+-0123456789.,<>% to") == cell.npos;
}

std::string padded(const std::string& cell, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, columns_of(cell)), ' ');
  return to_the_right ? blanks + cell : cell + blanks;
}

/// The first `width` characters.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < width && bytes < text.size(); ++i)
    bytes += std::max<std::size_t>(1, utf8_length(std::string_view(text).substr(bytes)));
  return text.substr(0, bytes);
}

}  // namespace

std::string text_table(const Table& table, std::size_t rows) {
  constexpr std::size_t longest = 24;
  std::vector<std::vector<std::string>> cells = {table.columns};
  const std::size_t shown = std::min(rows, table.rows.size());
  cells.insert(cells.end(), table.rows.begin(), table.rows.begin() + std::ptrdiff_t(shown));
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> numeric(columns, true);
  for (std::size_t r = 0; r < cells.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      std::string& cell = cells[r][c];
      cell = c + 1 < columns ? excerpt(cell, longest) : printable(cell);
      width[c] = std::max(width[c], columns_of(cell));
      if (r > 0) numeric[c] = numeric[c] && is_numeric(cell);
    }
  std::string out;
  for (const auto& row : cells) {
    std::string line = " ";
    for (std::size_t c = 0; c < columns; ++c)
      line += " " + padded(row[c], width[c], numeric[c]) + " ";
    line = cut(line, std::size_t(terminal_width()));
    line.erase(line.find_last_not_of(' ') + 1);
    out += for_locale(line) + "\n";
  }
  if (shown < table.rows.size())
    out += "  ... and " + std::to_string(table.rows.size() - shown) + " more, on the page\n";
  return out;
}

}  // namespace whence
