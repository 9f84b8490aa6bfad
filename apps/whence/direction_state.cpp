#include "apps/whence/direction_state.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/pair_models.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/json/stored_json.hpp"
#include "whence/io/table/number_parser.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

[[noreturn]] void refuse_state(
    const std::string& file, const std::string& problem,
    const std::string& hint = "start again with all data and another file") {
  throw Error(ExitCode::checkpoint, "E-STATE", file, problem, hint);
}

bool is_categorical(const Variable& variable) {
  return variable.kind == Variable::Kind::categorical;
}

bool keeps_counts(const Dataset& data) {
  return std::all_of(data.variables.begin(), data.variables.end(), is_categorical);
}

// ---- writing ------------------------------------------------------------------------------------

Json rows_json(const Variable& variable, const Column& column, const Environment& e) {
  std::vector<double> values;
  const auto width = std::size_t(variable.dimension);
  if (is_categorical(variable))
    values.assign(column.levels.begin() + std::ptrdiff_t(e.begin),
                  column.levels.begin() + std::ptrdiff_t(e.end));
  else
    values.assign(column.values.begin() + std::ptrdiff_t(e.begin * width),
                  column.values.begin() + std::ptrdiff_t(e.end * width));
  for (double& value : values) value += 0.0;  // JSON here knows no negative zero
  return Json::list(values);
}

Json environment_json(const Dataset& data, const Environment& e) {
  Json json = Json::object({{"name", e.name}});
  if (keeps_counts(data)) {
    json.set("counts",
             Json::list(count(data, {VariableId(1), {VariableId(0)}}, e.begin, e.end).cells));
    return json;
  }
  Json columns = Json::list();
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    columns.items.push_back(rows_json(data.variables[v], data.columns[v], e));
  json.set("columns", std::move(columns));
  return json;
}

Json source_json(const SourceInfo& source) {
  return Json::object({{"file", source.file},
                       {"environment", source.environment},
                       {"sha256", source.sha256},
                       {"bytes", source.bytes},
                       {"rows", source.rows},
                       {"dropped", source.dropped}});
}

Json content_json(const DirectionState& state) {
  const Dataset& data = state.loaded.data;
  Json variables = Json::list(), environments = Json::list(), sources = Json::list();
  for (const Variable& variable : data.variables) {
    Json json = variable_json(variable);
    json.set("levels", variable.levels);
    json.set("dimension", variable.dimension);
    json.set("level_names", Json::list(variable.level_names));
    variables.items.push_back(std::move(json));
  }
  for (const Environment& e : data.environments)
    environments.items.push_back(environment_json(data, e));
  for (const SourceInfo& source : state.loaded.sources)
    sources.items.push_back(source_json(source));
  const auto& baseline = state.loaded.baseline;
  return Json::object({{"options", state.options},
                       {"variables", std::move(variables)},
                       {"baseline", baseline ? Json(*baseline) : Json()},
                       {"environments", std::move(environments)},
                       {"sources", std::move(sources)},
                       {"warnings", Json::list(state.loaded.warnings)}});
}

// ---- reading ------------------------------------------------------------------------------------

/// Members of what a checksum has vouched for; what does not fit was written by somebody else.
class Reader : public StoredJson {
 public:
  explicit Reader(const std::string& file)
      : StoredJson([file](const std::string& problem) { refuse_state(file, problem); }) {}

  std::vector<double> numbers(const Json& list) const {
    std::vector<double> values;
    if (!list.is(Json::Kind::list)) refuse("numbers are missing");
    for (const Json& item : list.items) {
      if (!item.is(Json::Kind::number)) refuse("a number is missing");
      values.push_back(item.as_double());
    }
    return values;
  }
  [[noreturn]] void damaged() const { refuse("the numbers do not fit together"); }
};

Variable read_variable(const Reader& reader, const Json& json) {
  Variable variable;
  variable.name = reader.text(json, "name");
  variable.kind =
      reader.text(json, "kind") == "real" ? Variable::Kind::real : Variable::Kind::categorical;
  variable.levels = int(reader.count(json, "levels"));
  variable.dimension = int(reader.count(json, "dimension"));
  for (const Json& name : reader.list(json, "level_names"))
    variable.level_names.push_back(name.text);
  return variable;
}

/// Rows that have these counts; their order carries nothing.
void read_counts(const Reader& reader, const Json& json, Dataset& data) {
  const auto cells = reader.numbers(json);
  const auto rows = std::size_t(data.variables[0].levels);
  const auto levels = std::size_t(data.variables[1].levels);
  if (cells.size() != rows * levels) reader.damaged();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!(cells[i] >= 0 && cells[i] < 1e12)) reader.damaged();
    const auto n = std::size_t(cells[i]);
    data.columns[0].levels.insert(data.columns[0].levels.end(), n, std::int32_t(i / levels));
    data.columns[1].levels.insert(data.columns[1].levels.end(), n, std::int32_t(i % levels));
  }
}

void read_rows(const Reader& reader, const std::vector<Json>& columns, Dataset& data) {
  if (columns.size() != data.variables.size()) reader.damaged();
  for (std::size_t v = 0; v < columns.size(); ++v) {
    const auto values = reader.numbers(columns[v]);
    Column& column = data.columns[v];
    if (!is_categorical(data.variables[v])) {
      column.values.insert(column.values.end(), values.begin(), values.end());
      continue;
    }
    for (double value : values) {
      if (!(value >= 0 && value < data.variables[v].levels)) reader.damaged();
      column.levels.push_back(std::int32_t(value));
    }
  }
}

LoadedData read_content(const Reader& reader, const Json& content) {
  LoadedData loaded;
  Dataset& data = loaded.data;
  for (const Json& json : reader.list(content, "variables"))
    data.variables.push_back(read_variable(reader, json));
  if (data.variables.size() != 2) reader.damaged();
  data.columns.resize(2);
  for (const Json& json : reader.list(content, "environments")) {
    const std::size_t begin = data.rows();
    if (keeps_counts(data))
      read_counts(reader, reader.member(json, "counts", Json::Kind::list), data);
    else
      read_rows(reader, reader.list(json, "columns"), data);
    data.environments.push_back({reader.text(json, "name"), begin, data.rows()});
    if (data.rows() == begin) reader.damaged();
  }
  for (const Json& json : reader.list(content, "sources"))
    loaded.sources.push_back({reader.text(json, "file"), reader.text(json, "environment"),
                              reader.text(json, "sha256"), reader.count(json, "bytes"),
                              std::size_t(reader.count(json, "rows")),
                              std::size_t(reader.count(json, "dropped"))});
  for (const Json& warning : reader.list(content, "warnings"))
    loaded.warnings.push_back(warning.text);
  const Json* baseline = content.find("baseline");
  if (baseline && baseline->is(Json::Kind::number))
    loaded.baseline = std::size_t(reader.count(content, "baseline"));
  if (loaded.baseline && *loaded.baseline >= data.environments.size()) reader.damaged();
  return loaded;
}

// ---- uniting ------------------------------------------------------------------------------------

bool all_numbers(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return parse_field(name).kind == FieldKind::number;
  });
}

/// Codes by value, names by their characters: the order of a reader of all files.
std::vector<std::string> united_names(std::vector<std::string> a,
                                      const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  if (all_numbers(a))
    std::sort(a.begin(), a.end(), [](const std::string& x, const std::string& y) {
      return parse_field(x).value < parse_field(y).value;
    });
  else
    std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

void renumber(Variable& variable, Column& column, const std::vector<std::string>& names) {
  std::map<std::string, std::int32_t> place;
  for (std::size_t i = 0; i < names.size(); ++i) place.emplace(names[i], std::int32_t(i));
  std::vector<std::int32_t> to;
  for (const std::string& name : variable.level_names) to.push_back(place.at(name));
  for (std::int32_t& level : column.levels) level = to[std::size_t(level)];
  variable.level_names = names;
  variable.levels = int(names.size());
}

}  // namespace

std::string state_text(const DirectionState& state) {
  const Json content = content_json(state);
  const std::string sum = sha256_hex(content.dump());
  return Json::object({{"program", "whence"},
                       {"kind", "direction-state"},
                       {"format", state_format},
                       {"version", version()},
                       {"sha256", sum},
                       {"content", content}})
             .dump() +
         "\n";
}

DirectionState read_state(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = read_json(text, file, {text.size() + 1});
  } catch (const Error&) {
    refuse_state(file, "this is not a state of whence direction, or it is cut short");
  }
  const Reader reader(file);
  if (!json.is(Json::Kind::object) || !json.find("program") || !json.find("kind"))
    refuse_state(file, "this is not a state of whence direction");
  if (reader.text(json, "program") != "whence" || reader.text(json, "kind") != "direction-state")
    refuse_state(file, "this is not a state of whence direction");
  if (reader.count(json, "format") > std::uint64_t(state_format))
    refuse_state(file, "a newer whence wrote this state",
                 "use whence " + reader.text(json, "version"));
  const Json& content = reader.member(json, "content", Json::Kind::object);
  if (sha256_hex(content.dump()) != reader.text(json, "sha256"))
    refuse_state(file, "the state is damaged: its checksum differs");
  return {reader.member(content, "options", Json::Kind::object), read_content(reader, content)};
}

void require_kinds(const LoadedData& state, ReadOptions& read) {
  read.must_vary = false;
  // The variables are known: whatever else a later file holds is not looked at.
  const auto plain = [](const Variable& v) { return v.dimension == 1; };
  if (read.columns.empty() &&
      std::all_of(state.data.variables.begin(), state.data.variables.end(), plain))
    for (const Variable& variable : state.data.variables) read.columns.push_back(variable.name);
  for (const Variable& variable : state.data.variables) {
    if (read.types.contains(variable.name)) continue;
    ColumnType type;
    if (is_categorical(variable))
      type.kind = all_numbers(variable.level_names) ? ColumnType::Kind::categorical
                                                    : ColumnType::Kind::labels;
    read.types.emplace(variable.name, type);
  }
}

void append(LoadedData& state, LoadedData more, const std::string& file) {
  Dataset &data = state.data, &fresh = more.data;
  const std::size_t rows = data.rows();
  if (more.baseline) refuse_state(file, "the state has its baseline", "give new data as --shifted");
  for (std::size_t v = 0; v < 2; ++v) {
    Variable &a = data.variables[v], &b = fresh.variables[v];
    if (a.name != b.name || a.kind != b.kind || a.dimension != b.dimension)
      refuse_state(file, "the state has other variables than these data");
    if (is_categorical(a)) {
      const auto names = united_names(a.level_names, b.level_names);
      renumber(a, data.columns[v], names);
      renumber(b, fresh.columns[v], names);
    }
    Column &to = data.columns[v], &from = fresh.columns[v];
    to.levels.insert(to.levels.end(), from.levels.begin(), from.levels.end());
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
  }
  for (const Environment& e : fresh.environments) {
    for (const Environment& known : data.environments)
      if (known.name == e.name)
        refuse_state(file, "the state already has the environment '" + printable(e.name) + "'",
                     "each environment is given once");
    data.environments.push_back({e.name, rows + e.begin, rows + e.end});
  }
  state.sources.insert(state.sources.end(), more.sources.begin(), more.sources.end());
  state.warnings.insert(state.warnings.end(), more.warnings.begin(), more.warnings.end());
  state.notes = std::move(more.notes);
}

}  // namespace whence
