#include "bench/quality/altered_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "whence/math/random.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

constexpr std::uint32_t mistakes_run = 13;  // of Purpose::sample; others belong to real_data.cpp

/// The cells of a table, its own.
struct Cells {
  struct Column {
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
  };
  std::vector<Column> columns;
};

std::shared_ptr<Cells> cells_of(const RawTable& table) {
  auto cells = std::make_shared<Cells>();
  for (const RawColumn& column : table.columns) {
    Cells::Column& own = cells->columns.emplace_back();
    own.codes = column.texts;
    if (column.kind == RawColumn::Kind::numbers)
      for (std::size_t row = 0; row < table.rows; ++row) own.numbers.push_back(column.numbers[row]);
  }
  return cells;
}

std::shared_ptr<const MemoryTable> memory_table(const RawTable& table,
                                                const std::shared_ptr<Cells>& cells) {
  auto out = std::make_shared<MemoryTable>();
  out->keeper = cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Cells::Column& own = cells->columns[c];
    const bool numbers = table.columns[c].kind == RawColumn::Kind::numbers;
    MemoryColumn column{table.columns[c].name};
    if (numbers)
      column.numbers = own.numbers.data();
    else
      column.codes = own.codes.data();
    for (std::size_t k = 0; !numbers && k < table.columns[c].levels.size(); ++k)
      column.texts.push_back(table.columns[c].levels.text(std::int32_t(k)));
    out->rows = std::max(own.numbers.size(), own.codes.size());
    out->columns.push_back(std::move(column));
  }
  return out;
}

class Mistakes {
 public:
  Mistakes(const RawTable& table, Cells& cells, const std::vector<std::string>& numbers,
           Stream stream)
      : table_(table), cells_(cells), stream_(stream) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (!cells.columns[c].numbers.empty() &&
          std::find(numbers.begin(), numbers.end(), table.columns[c].name) != numbers.end())
        columns_.push_back(c);
    rows_ = random_order(table.rows, stream_);
    if (!columns_.empty()) at_ = columns_[std::size_t(sample_index(stream_, int(columns_.size())))];
  }

  bool possible() const { return !columns_.empty() && !rows_.empty(); }

  /// So many cells of one column, of those that hold something else than 0.
  void change(std::size_t count, const std::function<double(double)>& wrong) {
    for (const std::size_t row : rows_) {
      double& cell = cells_.columns[at_].numbers[row];
      if (planted_.size() == count) break;
      if (std::isnan(cell) || cell == 0) continue;
      plant(at_, cell = wrong(cell));
    }
  }

  void swap() {
    if (columns_.size() < 2) return;
    const std::size_t other =
        columns_[(std::size_t(std::find(columns_.begin(), columns_.end(), at_) - columns_.begin()) +
                  1) %
                 columns_.size()];
    for (const std::size_t row : rows_) {
      double &a = cells_.columns[at_].numbers[row], &b = cells_.columns[other].numbers[row];
      if (std::isnan(a) || std::isnan(b) || a == b) continue;
      std::swap(a, b);
      plant(at_, a);
      plant(other, b);
      return;
    }
  }

  const std::vector<PlantedCell>& planted() const { return planted_; }

 private:
  void plant(std::size_t column, double value) {
    planted_.push_back({table_.columns[column].name, value});
  }

  const RawTable& table_;
  Cells& cells_;
  Stream stream_;
  std::vector<std::size_t> columns_, rows_;
  std::size_t at_ = 0;  // the column
  std::vector<PlantedCell> planted_;
};

/// The values of one column in another order.
void shuffle_column(const RawTable& table, const std::string& name, Cells& cells, Stream stream) {
  const std::vector<std::size_t> order = random_order(table.rows, stream);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].name != name) continue;
    const Cells::Column before = cells.columns[c];
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (!before.numbers.empty()) cells.columns[c].numbers[row] = before.numbers[order[row]];
      if (!before.codes.empty()) cells.columns[c].codes[row] = before.codes[order[row]];
    }
  }
}

void copy_block(Cells& cells, std::size_t rows, Stream stream) {
  const std::size_t size = std::max<std::size_t>(2, rows / 20);
  if (rows < 2 * size) return;
  const auto first = std::size_t(sample_index(stream, int(rows - size)));
  const auto repeat = [&](auto& list) {
    for (std::size_t k = 0; k < size && !list.empty(); ++k) list.push_back(list[first + k]);
  };
  for (Cells::Column& column : cells.columns) repeat(column.numbers), repeat(column.codes);
}

}  // namespace

std::string_view name_of(Alteration alteration) {
  switch (alteration) {
    case Alteration::none: return "as it is";
    case Alteration::shuffled: return "shuffled labels";
    case Alteration::thousandfold: return "one cell x 1000";
    case Alteration::lost_point: return "one cell x 10";
    case Alteration::swapped: return "two cells swapped";
    case Alteration::sentinel: return "three cells -999";
    case Alteration::other_unit: return "1 % of a column x 100";
    case Alteration::copied_rows: return "5 % of the rows twice";
  }
  return "?";
}

AlteredTable altered(const RawTable& table, Alteration alteration, const std::string& environment,
                     const std::vector<std::string>& numbers, std::uint64_t seed,
                     std::uint32_t number) {
  const std::shared_ptr<Cells> cells = cells_of(table);
  const Stream stream(seed, Purpose::sample, {mistakes_run, std::uint32_t(alteration), number});
  Mistakes mistakes(table, *cells, numbers, stream);
  if (alteration == Alteration::shuffled) shuffle_column(table, environment, *cells, stream);
  if (alteration == Alteration::copied_rows) copy_block(*cells, table.rows, stream);
  if (mistakes.possible()) switch (alteration) {
      case Alteration::thousandfold: mistakes.change(1, [](double x) { return 1000 * x; }); break;
      case Alteration::lost_point: mistakes.change(1, [](double x) { return 10 * x; }); break;
      case Alteration::swapped: mistakes.swap(); break;
      case Alteration::sentinel: mistakes.change(3, [](double) { return -999.0; }); break;
      case Alteration::other_unit:
        mistakes.change(std::max<std::size_t>(2, table.rows / 100),
                        [](double x) { return 100 * x; });
        break;
      default: break;
    }
  return {memory_table(table, cells), mistakes.planted()};
}

}  // namespace whence
