#include "whence/io/graph/graph_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/io/table/formats/number_array.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

using Targets = std::vector<std::size_t>;

SourceInfo source_info(const ByteSource& source, const std::filesystem::path& path) {
  return {printable(path.filename().string()), "", source.sha256(), source.bytes_read()};
}

NamedGraph truth_of(const NumberArray& matrix, std::size_t variables, const std::string& file) {
  const NamedGraph graph = parse_graph(npy_bytes(matrix), GraphFormat::npy, file);
  if (graph.names.size() != variables)
    refuse_data("E-GRAPH-MATRIX", file,
                "the graph has " + std::to_string(graph.names.size()) +
                    " variables, the data have " + std::to_string(variables));
  return graph;
}

// ---- DCDI ----

/// Every line counts, the empty ones too; only the end of the last one is no line of its own.
std::vector<std::string> all_lines(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string& line : lines)
    if (!line.empty() && line.back() == '\r') line.pop_back();
  return lines;
}

std::size_t whole_number(const std::string& text, const std::string& place, std::size_t most) {
  const ParsedField field = parse_field(text);
  if (field.kind != FieldKind::number || field.value < 0 || field.value > double(most) ||
      field.value != std::floor(field.value))
    refuse_data("E-DCDI-VALUE", place,
                in_quotes(text) + " is not a whole number from 0 to " + std::to_string(most));
  return std::size_t(field.value);
}

/// What each row says, out of one of the two files of text.
struct RowLabels {
  std::string file;
  std::vector<std::string> lines;
  std::string place(std::size_t row) const { return file + ":" + std::to_string(row + 1); }
};

std::optional<RowLabels> read_labels(const std::filesystem::path& path, std::size_t rows,
                                     LoadedData& out) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  constexpr std::size_t most = std::size_t(1) << 30;
  const std::string text = read_text_file(path, most);
  MemorySource source(printable(path.string()), text);
  source.skip_rest();
  out.sources.push_back(source_info(source, path));
  RowLabels labels{printable(path.string()), all_lines(text)};
  if (labels.lines.size() != rows)
    refuse_data("E-DCDI-ROWS", labels.file,
                std::to_string(labels.lines.size()) + " lines for " + std::to_string(rows) +
                    " rows of data",
                "an empty line stands for an observational row: were empty lines removed?");
  return labels;
}

std::vector<Targets> targets_of_rows(const RowLabels& labels, std::size_t variables) {
  std::vector<Targets> targets;
  for (std::size_t row = 0; row < labels.lines.size(); ++row) {
    Targets& list = targets.emplace_back();
    if (trimmed(labels.lines[row]).empty()) continue;
    for (const std::string& part : split(labels.lines[row], ','))
      list.push_back(whole_number(part, labels.place(row), variables - 1));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return targets;
}

/// Without a file of regimes: one regime per set of targets, the observational one first.
std::vector<std::size_t> regimes_of_targets(const std::vector<Targets>& targets) {
  std::map<Targets, std::size_t> numbers = {{{}, 0}};
  std::vector<std::size_t> regimes;
  for (const Targets& list : targets)
    regimes.push_back(numbers.emplace(list, numbers.size()).first->second);
  return regimes;
}

std::vector<std::size_t> regimes_of_rows(const RowLabels& labels) {
  std::vector<std::size_t> regimes;
  for (std::size_t row = 0; row < labels.lines.size(); ++row)
    regimes.push_back(whole_number(labels.lines[row], labels.place(row), 1'000'000));
  return regimes;
}

std::vector<Variable> numbered_variables(std::size_t count) {
  std::vector<Variable> variables;
  for (std::size_t v = 0; v < count; ++v)
    variables.push_back({"X" + std::to_string(v), Variable::Kind::real});
  return variables;
}

/// Rows sorted by regime; the environments, and which row goes where.
std::vector<std::size_t> group_rows(const std::vector<std::size_t>& regimes, GraphData& out) {
  std::map<std::size_t, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < regimes.size(); ++row) rows[regimes[row]].push_back(row);
  std::vector<std::size_t> order;
  for (const auto& [regime, members] : rows) {
    if (regime == 0) out.loaded.baseline = 0;
    out.loaded.data.environments.push_back(
        {regime == 0 ? "observational" : "regime_" + std::to_string(regime), order.size(),
         order.size() + members.size()});
    order.insert(order.end(), members.begin(), members.end());
  }
  return order;
}

/// All rows of a regime must have the same targets, and those of regime 0 none.
void take_targets(const std::vector<Targets>& targets, const std::vector<std::size_t>& order,
                  const RowLabels& labels, GraphData& out) {
  for (const Environment& e : out.loaded.data.environments) {
    const Targets& first = targets[order[e.begin]];
    for (std::size_t row = e.begin; row < e.end; ++row)
      if (targets[order[row]] != first)
        refuse_data("E-DCDI-REGIME", labels.place(order[row]),
                    "the row has other targets than line " + std::to_string(order[e.begin] + 1) +
                        ", which is of the same regime");
    out.targets.emplace_back(first);
  }
  if (out.loaded.baseline && !out.targets[*out.loaded.baseline]->empty())
    refuse_data("E-DCDI-REGIME", labels.place(order[0]),
                "regime 0 is observational and has targets");
}

// ---- ENCO ----

const NumberArray* find(const NamedArrays& arrays, const std::string& name) {
  for (const auto& [known, array] : arrays)
    if (known == name) return &array;
  return nullptr;
}

constexpr int most_levels = 1000;

bool is_code(double x) { return x >= 0 && x < most_levels && x == std::floor(x); }

bool are_codes(const NumberArray& array) {
  return std::all_of(array.values.begin(), array.values.end(), is_code);
}

/// Levels are 0, 1, ... up to the largest code; two at least.
void set_levels(Variable& variable, double largest) {
  variable.kind = Variable::Kind::categorical;
  variable.levels = std::max(1, int(largest)) + 1;
  for (int k = 0; k < variable.levels; ++k) variable.level_names.push_back(std::to_string(k));
}

/// Appends rows of d numbers to the columns.
void append_rows(const double* values, std::size_t rows, Dataset& data) {
  const std::size_t d = data.variables.size();
  const bool categorical = data.variables[0].kind == Variable::Kind::categorical;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < d; ++v) {
      const double x = values[r * d + v];
      if (categorical)
        data.columns[v].levels.push_back(std::int32_t(x));
      else
        data.columns[v].values.push_back(x);
    }
}

/// Levels are the codes that either array shows.
void make_categorical(const NumberArray& observed, const NumberArray& intervened, Dataset& data) {
  const std::size_t d = data.variables.size();
  for (std::size_t v = 0; v < d; ++v) {
    double most = 0;
    for (const NumberArray* array : {&observed, &intervened})
      for (std::size_t i = v; i < array->values.size(); i += d)
        most = std::max(most, array->values[i]);
    set_levels(data.variables[v], most);
  }
}

// ---- writing ----

void require_flat(const Dataset& data) {
  for (const Variable& v : data.variables)
    if (v.kind == Variable::Kind::real && v.dimension != 1)
      refuse_data("E-DATA-VECTOR", "", "the variable " + in_quotes(v.name) + " is a vector",
                  "this format holds one number per variable and row");
}

double value_at(const Dataset& data, std::size_t v, std::size_t row) {
  return data.variables[v].kind == Variable::Kind::categorical ? double(data.columns[v].levels[row])
                                                               : data.columns[v].values[row];
}

bool all_categorical(const Dataset& data) {
  return std::all_of(data.variables.begin(), data.variables.end(),
                     [](const Variable& v) { return v.kind == Variable::Kind::categorical; });
}

void append_values(const Dataset& data, const Environment& e, NumberArray& array) {
  for (std::size_t row = e.begin; row < e.end; ++row)
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      array.values.push_back(value_at(data, v, row));
}

const Targets& known_targets(const GraphData& data, std::size_t e, const char* id) {
  if (e >= data.targets.size() || !data.targets[e])
    refuse_data(id, "",
                "the targets of environment " + in_quotes(data.loaded.data.environments[e].name) +
                    " are not known",
                "this format needs them; a long table does not");
  return *data.targets[e];
}

/// The environment without targets.
std::size_t observational(const GraphData& data, const char* id) {
  for (std::size_t e = 0; e < data.loaded.data.environments.size(); ++e)
    if (known_targets(data, e, id).empty()) return e;
  refuse_data(id, "", "no environment is without targets", "this format begins with such a one");
}

NumberArray adjacency_array(const NamedGraph& graph) {
  const std::size_t m = graph.names.size();
  NumberArray array{{m, m}, {}, true};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      array.values.push_back(graph.graph.edge(VariableId(i), VariableId(j)));
  return array;
}

std::string cell_text(const Dataset& data, std::size_t v, std::size_t row) {
  const Variable& variable = data.variables[v];
  if (variable.kind == Variable::Kind::real) return shortest(data.columns[v].values[row]);
  const auto level = std::size_t(data.columns[v].levels[row]);
  return csv_text(variable.level_names.empty() ? std::to_string(level)
                                               : variable.level_names[level]);
}

std::string table_text(const Dataset& data, std::span<const Environment> environments,
                       bool with_names) {
  require_flat(data);
  std::string out = with_names ? "environment" : "";
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (with_names && data.variables[v].name == "environment")
      refuse_data("E-DATA-NAME", "",
                  "a variable is called \"environment\", as the column of the table",
                  "rename the variable");
    out += (out.empty() ? "" : ",") + csv_text(data.variables[v].name);
  }
  out += "\n";
  for (const Environment& e : environments)
    for (std::size_t row = e.begin; row < e.end; ++row) {
      std::string line = with_names ? csv_text(e.name) : "";
      for (std::size_t v = 0; v < data.variables.size(); ++v)
        line += (v > 0 || with_names ? "," : "") + cell_text(data, v, row);
      out += line + "\n";
    }
  return out;
}

}  // namespace

GraphData read_dcdi(const std::filesystem::path& folder, std::size_t index,
                    std::size_t max_memory) {
  const std::string number = std::to_string(index);
  const auto file = [&](const char* stem, const char* end) {
    return folder / (stem + number + end);
  };
  GraphData out;
  LoadedData& loaded = out.loaded;
  const auto data_file = file("data_interv", ".npy");
  FileSource source(data_file);
  const NumberArray values = read_npy_array(source, max_memory);
  loaded.sources.push_back(source_info(source, data_file));
  if (values.shape.size() != 2)
    refuse_data("E-NPY-SHAPE", source.label(), "the data are not a table", "rows are samples");
  const std::size_t rows = values.shape[0], d = values.shape[1];
  loaded.sources.back().rows = rows;

  const auto regime_labels = read_labels(file("regime", ".csv"), rows, loaded);
  const auto target_labels = read_labels(file("intervention", ".csv"), rows, loaded);
  if (!regime_labels && !target_labels)
    refuse_data("E-DCDI-FILES", printable(folder.string()),
                "there is neither regime" + number + ".csv nor intervention" + number + ".csv",
                "the folder says with one of them which row is of which environment");
  std::vector<Targets> targets;
  if (target_labels) targets = targets_of_rows(*target_labels, d);
  const auto order = group_rows(
      regime_labels ? regimes_of_rows(*regime_labels) : regimes_of_targets(targets), out);
  if (target_labels)
    take_targets(targets, order, *target_labels, out);
  else
    out.targets.resize(loaded.data.environments.size());

  loaded.data.variables = numbered_variables(d);
  loaded.data.columns.resize(d);
  for (std::size_t v = 0; v < d; ++v)
    for (std::size_t row : order)
      loaded.data.columns[v].values.push_back(values.values[row * d + v]);

  const auto graph_file = file("DAG", ".npy");
  std::error_code ignored;
  if (std::filesystem::exists(graph_file, ignored)) {
    FileSource graph(graph_file);
    out.truth = truth_of(read_npy_array(graph, max_memory), d, graph.label());
    loaded.sources.push_back(source_info(graph, graph_file));
  }
  return out;
}

GraphData read_enco(const std::filesystem::path& file, std::size_t max_memory) {
  FileSource source(file);
  const std::vector<std::string> names = {"data_obs", "data_int", "adj_matrix"};
  const NamedArrays arrays = read_npz_arrays(source, names, max_memory);
  source.skip_rest();
  const NumberArray *observed = find(arrays, "data_obs"), *intervened = find(arrays, "data_int");
  if (observed == nullptr || intervened == nullptr)
    refuse_data("E-ENCO-ARRAYS", source.label(),
                std::string("there is no array ") + (observed == nullptr ? "data_obs" : "data_int"),
                "an ENCO archive has data_obs, data_int and perhaps adj_matrix");
  if (observed->shape.size() != 2 || intervened->shape.size() != 3 ||
      intervened->shape[0] != observed->shape[1] || intervened->shape[2] != observed->shape[1])
    refuse_data("E-ENCO-SHAPE", source.label(), "the arrays do not fit together",
                "data_obs is (rows, variables), data_int (variables, rows, variables)");
  GraphData out;
  Dataset& data = out.loaded.data;
  const std::size_t d = observed->shape[1];
  const std::size_t rows[] = {observed->shape[0], intervened->shape[1]};
  data.variables = numbered_variables(d);
  data.columns.resize(d);
  if (are_codes(*observed) && are_codes(*intervened))
    make_categorical(*observed, *intervened, data);
  data.environments.push_back({"observational", 0, rows[0]});
  out.targets.push_back(Targets{});
  append_rows(observed->values.data(), rows[0], data);
  for (std::size_t v = 0; v < d; ++v) {
    const std::size_t begin = data.environments.back().end;
    data.environments.push_back({"do_" + data.variables[v].name, begin, begin + rows[1]});
    out.targets.push_back(Targets{v});
    append_rows(&intervened->values[v * rows[1] * d], rows[1], data);
  }
  out.loaded.baseline = 0;
  out.loaded.sources.push_back(source_info(source, file));
  out.loaded.sources.back().rows = data.rows();
  if (const NumberArray* matrix = find(arrays, "adj_matrix"))
    out.truth = truth_of(*matrix, d, source.label() + ":adj_matrix");
  return out;
}

void read_as_levels(Dataset& data) {
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    Column& column = data.columns[v];
    double most = 0;
    for (double x : column.values) {
      if (!is_code(x))
        refuse_data("E-DCDI-VALUE", data.variables[v].name,
                    shortest(x) + " is no level: levels are whole numbers from 0 to " +
                        std::to_string(most_levels - 1),
                    "leave --model out: these are numbers");
      most = std::max(most, x);
    }
    column.levels.assign(column.values.begin(), column.values.end());
    column.values.clear();
    set_levels(data.variables[v], most);
  }
}

std::vector<OutputFile> write_dcdi(const GraphData& graph_data, std::size_t index) {
  const Dataset& data = graph_data.loaded.data;
  require_flat(data);
  const std::size_t first = observational(graph_data, "E-DCDI-TARGETS");
  NumberArray values{{data.rows(), data.variables.size()}, {}, false};
  std::string regimes, targets;
  std::size_t next = 1;
  const auto append = [&](std::size_t e, std::size_t regime) {
    const Environment& environment = data.environments[e];
    append_values(data, environment, values);
    std::string line;
    for (std::size_t t : known_targets(graph_data, e, "E-DCDI-TARGETS"))
      line += (line.empty() ? "" : ",") + std::to_string(t);
    for (std::size_t row = environment.begin; row < environment.end; ++row) {
      regimes += std::to_string(regime) + "\n";
      targets += line + "\n";
    }
  };
  append(first, 0);
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    if (e != first) append(e, next++);
  const std::string number = std::to_string(index);
  std::vector<OutputFile> files = {{"data_interv" + number + ".npy", npy_bytes(values)},
                                   {"regime" + number + ".csv", regimes},
                                   {"intervention" + number + ".csv", targets}};
  if (graph_data.truth)
    files.push_back({"DAG" + number + ".npy", npy_bytes(adjacency_array(*graph_data.truth))});
  return files;
}

std::string write_enco(const GraphData& graph_data) {
  constexpr const char* id = "E-ENCO-TARGETS";
  const Dataset& data = graph_data.loaded.data;
  require_flat(data);
  const std::size_t d = data.variables.size(), first = observational(graph_data, id);
  std::vector<std::optional<std::size_t>> of_variable(d);
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Targets& targets = known_targets(graph_data, e, id);
    if (e != first && targets.size() == 1) of_variable[targets[0]] = e;
  }
  NumberArray observed{{data.environments[first].rows(), d}, {}, all_categorical(data)};
  append_values(data, data.environments[first], observed);
  NumberArray intervened{{d, 0, d}, {}, all_categorical(data)};
  for (std::size_t v = 0; v < d; ++v) {
    const std::size_t rows = of_variable[v] ? data.environments[*of_variable[v]].rows() : 0;
    if (v == 0) intervened.shape[1] = rows;
    if (rows == 0 || rows != intervened.shape[1] || data.environments.size() != d + 1)
      refuse_data(id, "",
                  "this is not a baseline and one environment per variable with as many rows",
                  "choose another format");
    append_values(data, data.environments[*of_variable[v]], intervened);
  }
  NamedArrays arrays = {{"data_obs", std::move(observed)}, {"data_int", std::move(intervened)}};
  if (graph_data.truth) arrays.emplace_back("adj_matrix", adjacency_array(*graph_data.truth));
  return npz_bytes(arrays);
}

std::string write_long_table(const Dataset& data) {
  return table_text(data, data.environments, true);
}

std::string write_environment(const Dataset& data, const Environment& environment) {
  return table_text(data, {&environment, 1}, false);
}

}  // namespace whence
