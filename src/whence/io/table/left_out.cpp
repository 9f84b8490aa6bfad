#include "whence/io/table/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/formats/csv_reader.hpp"
#include "whence/io/table/formats/date_text.hpp"

namespace whence {
namespace {

constexpr std::size_t fewest_rows = 10;  // below, any short list of numbers counts up by chance

bool ends_like_an_identifier(const std::string& name) {
  for (const std::string_view end : {"id", "Id", "ID", "uuid", "key", "Key"}) {
    if (!name.ends_with(end)) continue;
    if (name.size() == end.size()) return true;
    const char before = name[name.size() - end.size() - 1];
    const bool upper = end[0] >= 'A' && end[0] <= 'Z';
    if (before == '_' || before == '.' || before == ' ' || before == '-' || upper) return true;
  }
  return false;
}

/// Values that are there, in the order of the files.
std::vector<std::vector<double>> numbers_of(const std::vector<ColumnPart>& parts) {
  std::vector<std::vector<double>> all;
  for (const ColumnPart& part : parts) {
    auto& values = all.emplace_back();
    for (std::size_t i = 0; i < part.count(); ++i) {
      const double value = part.column->numbers[part.row(i)];
      if (!std::isnan(value)) values.push_back(value);
    }
  }
  return all;
}

/// 0, 1, 2, ... or 1, 2, 3, ... or on from any whole number, file by file. Of rows that were drawn,
/// each is as far from the first one as in the file.
bool counts_up(const std::vector<double>& values, const ColumnPart& part) {
  std::vector<std::size_t> drawn;
  if (part.table->draw) drawn = part.table->draw->rows();
  if (!drawn.empty() && drawn.size() != values.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double steps = drawn.empty() ? double(i) : double(drawn[i] - drawn[0]);
    if (values[i] != values[0] + steps || values[i] != std::floor(values[i])) return false;
  }
  return values.size() >= fewest_rows;
}

bool all_count_up(const std::vector<std::vector<double>>& all,
                  const std::vector<ColumnPart>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!counts_up(all[i], parts[i])) return false;
  return true;
}

std::optional<std::string> number_reason(const PlannedVariable& variable,
                                         const std::vector<ColumnPart>& parts, bool first_column) {
  const auto all = numbers_of(parts);
  if (all_count_up(all, parts)) {
    const bool index = variable.name == unnamed_index || variable.name.starts_with("Unnamed") ||
                       (first_column && variable.name == "index");
    return index ? "the index of the rows" : "it only counts the rows";
  }
  std::unordered_set<double> distinct;
  double low = INFINITY, high = -INFINITY;
  std::size_t rows = 0;
  for (const auto& values : all)
    for (const double value : values) {
      if (value != std::floor(value) || !distinct.insert(value).second) return std::nullopt;
      low = std::min(low, value), high = std::max(high, value), ++rows;
    }
  if (rows < fewest_rows) return std::nullopt;
  std::size_t undrawn = 0;
  for (const ColumnPart& part : parts) undrawn += part.table->rows_read - part.table->rows;
  if (high - low + 1 <= double(rows + undrawn))
    return fmt::format("it numbers the rows: every whole number from {} to {} once", shortest(low),
                       shortest(high));
  if (ends_like_an_identifier(variable.name))
    return "an identifier: whole numbers, as many as rows";
  return std::nullopt;
}

std::optional<std::string> text_reason(const std::vector<ColumnPart>& parts) {
  std::set<std::string_view> distinct;
  std::size_t rows = 0;
  for (const ColumnPart& part : parts) {
    std::vector<bool> seen(part.column->levels.size(), false);
    for (std::size_t i = 0; i < part.count(); ++i) {
      const std::int32_t level = part.column->texts[part.row(i)];
      if (level < 0) continue;
      ++rows;
      if (seen[std::size_t(level)]) continue;
      seen[std::size_t(level)] = true;
      distinct.insert(part.column->levels.text(level));
    }
  }
  if (std::all_of(distinct.begin(), distinct.end(), looks_like_date)) return "dates or times";
  constexpr std::size_t few_values = 20, rows_per_value = 5;
  if (distinct.size() == rows && rows >= fewest_rows)
    return "an identifier: as many different texts as rows";
  if (distinct.size() > few_values && rows < rows_per_value * distinct.size())
    return fmt::format("{} different texts in {} rows: hardly any comes again", distinct.size(),
                       rows);
  return std::nullopt;
}

/// 9, 99, 999, ... or 88, 888, ..., with either sign.
bool is_usual_sentinel(double value) {
  const std::string digits = shortest(std::abs(value));
  if (digits.size() < 2 || digits.size() > 8) return false;
  return digits.find_first_not_of('9') == std::string::npos ||
         digits.find_first_not_of('8') == std::string::npos || value == -9;
}

std::string named(const LeftOut& item) { return printable(item.name) + " (" + item.reason + ")"; }

std::string listed(const std::vector<LeftOut>& items) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(items.size(), shown); ++i) words.push_back(named(items[i]));
  if (items.size() > shown) words.push_back(fmt::format("and {} more", items.size() - shown));
  return joined(words);
}

}  // namespace

std::optional<std::string> reason_to_leave_out(const PlannedVariable& variable,
                                               const std::vector<ColumnPart>& parts,
                                               bool first_column) {
  std::size_t rows = 0, missing = 0;
  for (const ColumnPart& part : parts) {
    rows += part.count();
    missing += part.column->missing;
  }
  if (missing == rows) return "no value at all";
  if (2 * missing > rows)
    return fmt::format("{:.0f} % of its values are missing", 100 * double(missing) / double(rows));
  const bool numbers = std::ranges::all_of(parts, &ColumnPart::holds_numbers);
  const bool texts = std::ranges::none_of(parts, &ColumnPart::holds_numbers);
  if (numbers) return number_reason(variable, parts, first_column);
  if (texts) return text_reason(parts);
  return std::nullopt;
}

std::optional<std::string> suspected_sentinel(const Variable& variable, const Column& column) {
  if (variable.kind != Variable::Kind::real || variable.dimension != 1 || column.values.empty())
    return std::nullopt;
  const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
  for (const double end : {*low, *high}) {
    if (!is_usual_sentinel(end)) continue;
    double least = INFINITY, most = -INFINITY;  // of the others
    std::size_t count = 0;
    for (const double value : column.values) {
      if (value == end)
        ++count;
      else
        least = std::min(least, value), most = std::max(most, value);
    }
    const double gap = end < least ? least - end : end - most;
    if (count < 2 || !(most > least) || gap < 0.5 * (most - least)) continue;
    return fmt::format(
        "column {} holds {} in {} rows, far from all its other values ({} to {}): if that means "
        "missing, say so with --na={}",
        in_quotes(variable.name), shortest(end), count, shortest(least), shortest(most),
        shortest(end));
  }
  return std::nullopt;
}

std::string left_out_in_words(const std::vector<LeftOut>& columns) {
  return (columns.size() == 1 ? "column left out: " : "columns left out: ") + listed(columns) +
         "; --types NAME=TYPE keeps one";
}

std::string left_out_environments_in_words(const std::vector<LeftOut>& environments, bool joined) {
  const bool one = environments.size() == 1;
  const std::string remedy = one      ? "; --min-rows 2 keeps it"
                             : joined ? ", too few even together; --min-rows 2 keeps them"
                                      : "; --min-rows 2 keeps them, --small pool joins them";
  return (one ? "environment left out: " : "environments left out: ") + listed(environments) +
         remedy;
}

}  // namespace whence
