#include "whence/io/table/raw_table.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace whence {

void keep_rows(RawTable& table, std::span<const std::size_t> places) {
  for (RawColumn& column : table.columns) {
    if (column.kind == RawColumn::Kind::numbers) {
      column.numbers.keep(places);
      column.numbers.shrink_to_fit();
    } else if (column.kind == RawColumn::Kind::texts) {
      keep_places(column.texts, places);
      column.texts.shrink_to_fit();
    }
  }
  table.rows = places.size();
}

void count_missing(RawTable& table) {
  for (RawColumn& column : table.columns) {
    if (column.missing == 0) continue;
    column.missing = 0;
    for (std::size_t row = 0; row < table.rows; ++row)
      column.missing += column.kind == RawColumn::Kind::numbers ? std::isnan(column.numbers[row])
                                                                : column.texts[row] < 0;
  }
}

std::shared_ptr<RowDraw> draw_for(std::size_t rows, const ValueOptions& options,
                                  const NumberColumn* labels) {
  if (rows <= options.most_rows) return nullptr;
  std::unordered_map<double, std::int32_t> known;
  std::function<std::int32_t(std::size_t)> environment_of;
  if (labels != nullptr)
    environment_of = [&](std::size_t row) {
      const double value = (*labels)[row];
      if (std::isnan(value)) return std::int32_t(-1);
      return known.emplace(value, std::int32_t(known.size())).first->second;
    };
  return std::make_shared<RowDraw>(
      drawn_rows(rows, options.most_rows, options.draw_seed, environment_of));
}

}  // namespace whence
