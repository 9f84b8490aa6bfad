#include "whence/io/table/formats/csv_writer.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

#include "whence/core/text.hpp"

namespace whence {
namespace {

bool is_number(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return row + "\n";
}

/// An empty cell where there is no number.
std::string number_at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() && std::isfinite(values[i]) ? shortest(values[i]) : std::string{};
}

}  // namespace

std::string csv_text(std::string_view text) {
  // Blanks at the ends are kept by quotes.
  const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank_end && text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_cell(std::string_view text) {
  std::string cell = printable(text);
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != text.npos;
  if (formula && !is_number(text)) cell.insert(cell.begin(), '\'');
  return csv_text(cell);
}

std::string curve_csv(const Curve& curve) {
  std::string out = "x,median,q25,q75\n";
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    out += number_at(curve.x, i) + "," + number_at(curve.median, i) + "," +
           number_at(curve.q25, i) + "," + number_at(curve.q75, i) + "\n";
  return out;
}

std::string table_csv(const Table& table) {
  std::string out = csv_row(table.columns);
  for (const auto& row : table.rows) out += csv_row(row);
  return out;
}

}  // namespace whence
