#include "whence/io/table/data_typing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/formats/large_memory.hpp"
#include "whence/io/table/formats/npy_reader.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

constexpr std::size_t few_values = 20;     // whole numbers with at most so many values ...
constexpr std::size_t rows_per_value = 5;  // ... each seen so often on average are categories
constexpr double largest_code = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

std::size_t total_rows(const std::vector<ColumnPart>& parts) {
  std::size_t rows = 0;
  for (const ColumnPart& part : parts) rows += part.count();
  return rows;
}

/// The numbers 0 to 1023, by far the commonest codes, need no search.
constexpr std::size_t small_codes = 1024;
bool is_small_code(double value) {
  return value >= 0 && value < double(small_codes) && value == double(std::size_t(value));
}

/// What a look at all numbers finds.
struct NumberSummary {
  bool whole = true, negative = false;
  std::set<double> values;  // up to a few more than count as few
};

NumberSummary summarize(const std::vector<ColumnPart>& parts, std::size_t most) {
  NumberSummary summary;
  std::vector<std::uint8_t> seen(small_codes, 0);
  for (const ColumnPart& part : parts) {
    for (std::size_t i = 0; i < part.count(); ++i) {
      const double value = part.column->numbers[part.row(i)];
      if (is_small_code(value)) {
        seen[std::size_t(value)] = 1;
        continue;
      }
      if (value != std::floor(value) || std::abs(value) > largest_code) {
        summary.whole = false;
        return summary;
      }
      summary.negative |= value < 0;
      if (summary.values.size() <= most) summary.values.insert(value);
    }
  }
  for (std::size_t code = 0; code < small_codes; ++code)
    if (seen[code]) summary.values.insert(double(code));
  return summary;
}

/// The rule for columns of numbers whose type is not given; says what it found.
bool looks_categorical(const PlannedVariable& variable, const std::vector<ColumnPart>& parts,
                       TypedColumn& typed) {
  constexpr std::size_t worth_a_note = 1000;
  const std::size_t rows = total_rows(parts);
  const NumberSummary found = summarize(parts, worth_a_note);
  const std::size_t values = found.values.size();
  const std::string name = printable(variable.name);
  const bool often = values <= 2 || rows >= rows_per_value * values;
  if (!found.whole || !often || values > worth_a_note) {
    typed.note = name + ": real";
    return false;
  }
  if (values <= few_values && !found.negative) {
    typed.note = name + ": categorical, because it holds only " + std::to_string(values) +
                 " different whole numbers (--types " + name + "=real to change that)";
    return true;
  }
  typed.note = name + ": real";
  typed.whole_numbers = values;
  typed.negative = found.negative;
  return false;
}

/// One category of one file: its text or its number, and where it was first seen.
struct Label {
  std::string text;
  double number = 0;
  bool is_number = false;
  std::string place;
};

/// The categories of a part that its rows use; index -1 where unused.
struct PartLabels {
  std::vector<Label> labels;
  std::vector<std::int32_t> index;  // by level of a column of texts
  std::vector<double> numbers;      // sorted, of a column of numbers
};

PartLabels text_labels(const ColumnPart& part) {
  PartLabels out;
  out.index.assign(part.column->levels.size(), -1);
  for (std::size_t i = 0; i < part.count(); ++i) {
    const std::int32_t level = part.column->texts[part.row(i)];
    std::int32_t& index = out.index[std::size_t(level)];
    if (index >= 0) continue;
    index = std::int32_t(out.labels.size());
    Label label{part.column->levels.text(level), 0, false,
                at_place(part.table->file, part.column->levels.places[std::size_t(level)])};
    const ParsedField parsed = parse_field(label.text);
    label.is_number = parsed.kind == FieldKind::number;
    label.number = parsed.value;
    out.labels.push_back(std::move(label));
  }
  return out;
}

PartLabels number_labels(const ColumnPart& part) {
  constexpr std::size_t unseen = std::size_t(-1);
  PartLabels out;
  std::vector<std::size_t> small(small_codes, unseen);
  std::map<double, std::size_t> first;
  for (std::size_t i = 0; i < part.count(); ++i) {
    const std::size_t row = part.row(i);
    const double value = part.column->numbers[row];
    if (!is_small_code(value))
      first.emplace(value, row);
    else if (small[std::size_t(value)] == unseen)
      small[std::size_t(value)] = row;
  }
  for (std::size_t code = 0; code < small_codes; ++code)
    if (small[code] != unseen) first.emplace(double(code), small[code]);
  for (const auto& [value, row] : first) {
    out.numbers.push_back(value);
    out.labels.push_back(
        {shortest(value), value, true, part.table->file + "[" + std::to_string(row) + "]"});
  }
  return out;
}

void require_code(const PlannedVariable& variable, const Label& label, int levels) {
  const auto fail = [&](const std::string& problem) {
    throw Error(
        ExitCode::bad_data, "E-DATA-CODE", label.place,
        "value " + in_quotes(label.text) + " in column " + in_quotes(variable.name) + problem,
        "codes are whole numbers from 0; --types " + excerpt(variable.name) +
            "=labels takes the values as names");
  };
  const double code = label.number;
  if (code != std::floor(code) || code < 0 || code > largest_code)
    fail(" is not a code of a category");
  if (levels > 0 && code >= levels)
    fail(" is beyond the " + std::to_string(levels) + " categories 0 to " +
         std::to_string(levels - 1));
}

/// Names of all categories in order, and where each label of each part stands among them.
struct LevelUnion {
  std::vector<std::string> names;
  std::vector<std::vector<std::int32_t>> index;
};

template <class Key, class KeyOf, class NameOf>
LevelUnion united(const std::vector<PartLabels>& parts, std::set<Key> keys, KeyOf key_of,
                  NameOf name_of) {
  for (const PartLabels& part : parts)
    for (const Label& label : part.labels) keys.insert(key_of(label));
  LevelUnion out;
  std::map<Key, std::int32_t> rank;
  for (const Key& key : keys) {
    rank.emplace(key, std::int32_t(rank.size()));
    out.names.push_back(name_of(key));
  }
  for (const PartLabels& part : parts) {
    auto& index = out.index.emplace_back();
    for (const Label& label : part.labels) index.push_back(rank.at(key_of(label)));
  }
  return out;
}

LevelUnion united_codes(const PlannedVariable& variable, const std::vector<PartLabels>& parts,
                        int levels) {
  for (const PartLabels& part : parts)
    for (const Label& label : part.labels) require_code(variable, label, levels);
  std::set<double> keys;
  for (int i = 0; i < levels; ++i) keys.insert(i);
  return united<double>(
      parts, std::move(keys), [](const Label& l) { return l.number + 0.0; },
      [](double code) { return shortest(code); });
}

LevelUnion united_names(const PlannedVariable& variable, const std::vector<PartLabels>& parts,
                        int levels) {
  LevelUnion out = united<std::string>(
      parts, {}, [](const Label& l) { return l.text; },
      [](const std::string& text) { return text; });
  if (levels > 0 && out.names.size() > std::size_t(levels))
    throw Error(ExitCode::bad_data, "E-DATA-CODE", "",
                "column " + in_quotes(variable.name) + " has " + std::to_string(out.names.size()) +
                    " categories, " + std::to_string(levels) + " are declared");
  return out;
}

void require_tables(const PlannedVariable& variable, std::size_t levels, std::size_t max_memory) {
  const double bytes = double(levels) * double(levels) * double(sizeof(double));
  if (bytes <= double(max_memory)) return;
  throw Error(
      ExitCode::resource, "E-LIMIT-LEVELS", "",
      "column " + in_quotes(variable.name) + " has " + std::to_string(levels) +
          " categories; a table of pairs needs " + rounded(bytes, 3) + " bytes (" +
          byte_count(std::uint64_t(bytes)) + ")",
      "is it an identifier? group the values, or --types " + excerpt(variable.name) + "=real");
}

std::int32_t rank_of(double value, const PartLabels& labels,
                     const std::vector<std::int32_t>& rank) {
  const auto at = std::lower_bound(labels.numbers.begin(), labels.numbers.end(), value);
  return rank[std::size_t(at - labels.numbers.begin())];
}

std::vector<std::int32_t> levels_of(const ColumnPart& part, const PartLabels& labels,
                                    const std::vector<std::int32_t>& rank) {
  std::vector<std::int32_t> out, by_code(small_codes, 0);
  reserve_large(out, part.count());
  const bool numbers = part.holds_numbers();
  for (const double value : labels.numbers)
    if (is_small_code(value)) by_code[std::size_t(value)] = rank_of(value, labels, rank);
  for (std::size_t i = 0; i < part.count(); ++i) {
    const std::size_t row = part.row(i);
    if (!numbers) {
      const auto level = std::size_t(part.column->texts[row]);
      out.push_back(rank[std::size_t(labels.index[level])]);
      continue;
    }
    const double value = part.column->numbers[row];
    out.push_back(is_small_code(value) ? by_code[std::size_t(value)]
                                       : rank_of(value, labels, rank));
  }
  return out;
}

void make_categorical(const PlannedVariable& variable, const std::vector<ColumnPart>& parts,
                      std::size_t max_memory, TypedColumn& typed) {
  const ColumnType type = variable.type.value_or(ColumnType{ColumnType::Kind::categorical, 0});
  std::vector<PartLabels> labels;
  bool all_numbers = type.kind != ColumnType::Kind::labels;
  for (const ColumnPart& part : parts) {
    labels.push_back(part.holds_numbers() ? number_labels(part) : text_labels(part));
    for (const Label& label : labels.back().labels) all_numbers &= label.is_number;
    require_tables(variable, labels.back().labels.size(), max_memory);
  }
  const LevelUnion levels = all_numbers ? united_codes(variable, labels, type.levels)
                                        : united_names(variable, labels, type.levels);
  require_tables(variable, levels.names.size(), max_memory);
  typed.variable.kind = Variable::Kind::categorical;
  typed.variable.levels = std::max(int(levels.names.size()), type.levels);
  typed.variable.level_names = levels.names;
  for (std::size_t i = levels.names.size(); i < std::size_t(typed.variable.levels); ++i)
    typed.variable.level_names.push_back("(unused " + std::to_string(i) + ")");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::int32_t> column = levels_of(parts[i], labels[i], levels.index[i]);
    auto& all = typed.column.levels;
    if (all.empty())
      all = std::move(column);
    else
      all.insert(all.end(), column.begin(), column.end());
  }
}

void make_real(const std::vector<ColumnPart>& parts, TypedColumn& typed) {
  typed.variable.kind = Variable::Kind::real;
  auto& values = typed.column.values;
  if (parts.size() == 1 && parts[0].rows == nullptr) {
    values = parts[0].column->numbers.take();
    return;
  }
  reserve_large(values, total_rows(parts));
  for (const ColumnPart& part : parts) {
    for (std::size_t i = 0; i < part.count(); ++i)
      values.push_back(part.column->numbers[part.row(i)]);
    part.column->numbers = {};
  }
}

void require_same_kind(const PlannedVariable& variable, const std::vector<ColumnPart>& parts) {
  for (const ColumnPart& part : parts) {
    if (part.holds_numbers() == parts[0].holds_numbers()) continue;
    throw Error(ExitCode::bad_data, "E-DATA-MIXED", part.table->file,
                "column " + in_quotes(variable.name) + " holds " +
                    (part.holds_numbers() ? "numbers" : "text") + " here, and " +
                    (part.holds_numbers() ? "text" : "numbers") + " in " + parts[0].table->file,
                types_option(variable.name, "categorical") + " if both are names of categories");
  }
}

[[noreturn]] void fail_constant(const Variable& variable, const std::string& value) {
  throw Error(
      ExitCode::bad_data, "E-DATA-CONST", "",
      "column " + in_quotes(variable.name) + " is constant: every row holds " + in_quotes(value),
      "a direction cannot be found from a column that never changes; choose others");
}

/// How many rows differ from the value that most rows have. Exact where that is more than half.
template <class Values>
std::size_t exceptions(const Values& values, std::size_t begin, std::size_t stride) {
  std::size_t candidate = begin, votes = 0, rows = 0, equal = 0;
  for (std::size_t i = begin; i < values.size(); i += stride, ++rows) {
    if (votes == 0) candidate = i;
    values[i] == values[candidate] ? ++votes : --votes;
  }
  for (std::size_t i = begin; i < values.size(); i += stride)
    equal += values[i] == values[candidate];
  return rows - equal;
}

}  // namespace

TypedColumn typed_column(const PlannedVariable& variable, std::vector<ColumnPart> parts,
                         std::size_t max_memory) {
  TypedColumn typed;
  typed.variable.name = variable.name;
  if (!variable.type) {
    require_same_kind(variable, parts);
    if (!parts[0].holds_numbers()) {
      typed.note = printable(variable.name) + ": categorical, because it holds text";
      make_categorical(variable, parts, max_memory, typed);
    } else if (looks_categorical(variable, parts, typed)) {
      make_categorical(variable, parts, max_memory, typed);
    } else {
      make_real(parts, typed);
    }
  } else if (variable.type->kind == ColumnType::Kind::real) {
    make_real(parts, typed);
  } else {
    make_categorical(variable, parts, max_memory, typed);
  }
  return typed;
}

TypedColumn typed_vector(const PlannedVariable& variable,
                         const std::vector<std::vector<ColumnPart>>& parts) {
  TypedColumn typed;
  const std::size_t dimension = variable.columns.size();
  typed.variable.name = variable.name;
  typed.variable.kind = Variable::Kind::real;
  typed.variable.dimension = int(dimension);
  std::size_t rows = 0;
  for (const auto& file : parts) rows += file[0].count();
  reserve_large(typed.column.values, rows * dimension);
  for (const auto& file : parts)
    for (std::size_t i = 0; i < file[0].count(); ++i)
      for (const ColumnPart& part : file)
        typed.column.values.push_back(part.column->numbers[part.row(i)]);
  return typed;
}

void check_variation(const Variable& variable, const Column& column,
                     std::vector<std::string>& warnings) {
  const bool categorical = variable.kind == Variable::Kind::categorical;
  const auto dimension = categorical ? std::size_t(1) : std::size_t(variable.dimension);
  const std::size_t rows = (column.levels.size() + column.values.size()) / dimension;
  for (std::size_t d = 0; d < dimension; ++d) {
    const std::size_t different =
        categorical ? exceptions(column.levels, 0, 1) : exceptions(column.values, d, dimension);
    if (different == 0)
      fail_constant(variable, categorical ? variable.level_names[std::size_t(column.levels[0])]
                                          : shortest(column.values[d]));
    if (different <= std::max<std::size_t>(1, rows / 1000) && rows > 2)
      warnings.push_back("column " + in_quotes(variable.name) + " is nearly constant: " +
                         std::to_string(different) + " of " + std::to_string(rows) +
                         (different == 1 ? " rows differs" : " rows differ"));
  }
}

}  // namespace whence
