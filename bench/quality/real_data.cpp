#include "bench/quality/real_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {

namespace {

// Cells of Purpose::sample {run, environment, number}; other runs belong to the worlds.
constexpr std::uint32_t rows_run = 10, columns_run = 11, pieces_run = 12;
constexpr std::size_t largest = std::size_t(64) << 20;

/// truth.json with its name for messages.
class TruthFile {
 public:
  explicit TruthFile(const std::filesystem::path& folder)
      : file_(printable((folder / "truth.json").string())),
        json_(
            read_json(read_text_file(folder / "truth.json", largest), file_, {.bytes = largest})) {}

  const Json* find(const char* key) const { return json_.find(key); }

  std::string text(const char* key) const {
    const Json* value = json_.find(key);
    if (value == nullptr) return "";
    if (!value->is(Json::Kind::text)) refuse(*value, in_quotes(key) + " is no text");
    return value->text;
  }

  [[noreturn]] void refuse(const Json& where, const std::string& problem) const {
    throw Error(ExitCode::bad_data, "E-REAL-TRUTH", place_in(file_, where.place), problem,
                "see whence bench --help for what truth.json holds");
  }

  std::size_t variable(const Json& name, const std::vector<std::string>& names) const {
    const auto at = std::find(names.begin(), names.end(), name.text);
    if (!name.is(Json::Kind::text) || at == names.end())
      refuse(name, in_quotes(name.text) + " is no column of the data");
    return std::size_t(at - names.begin());
  }

  /// ["a", "b"] or {"from": "a", "to": "b"}.
  std::pair<std::size_t, std::size_t> pair(const Json& item,
                                           const std::vector<std::string>& names) const {
    const Json *from = item.find("from"), *to = item.find("to");
    if (item.is(Json::Kind::object) && from && to)
      return {variable(*from, names), variable(*to, names)};
    if (!item.is(Json::Kind::list) || item.items.size() != 2)
      refuse(item, "a pair is a list of two names");
    return {variable(item.items[0], names), variable(item.items[1], names)};
  }

 private:
  std::string file_;
  Json json_;
};

std::vector<std::filesystem::path> csv_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  if (error || files.empty())
    throw Error(ExitCode::bad_data, "E-FOLDER-EMPTY", printable(folder.string()),
                "there are no CSV files in this folder", "one file per environment, or one table");
  std::sort(files.begin(), files.end());
  return files;
}

LoadedData read_tables(const std::filesystem::path& folder, const TruthFile& truth) {
  ReadOptions options;
  options.missing = MissingPolicy::drop;
  options.must_vary = false;
  if (const Json* variables = truth.find("variables"))
    for (const Json& name : variables->items) options.columns.push_back(name.text);
  const std::string baseline = truth.text("baseline"), column = truth.text("environment");
  const auto files = csv_files(folder);
  if (!column.empty()) {
    const std::string table = truth.text("table");
    return read_long_table(table.empty() ? files.front() : folder / table, column, options,
                           baseline.empty() ? "baseline" : baseline);
  }
  std::vector<NamedFile> named;
  for (const auto& file : files) {
    const bool first = baseline.empty() ? file.stem() == "baseline"
                                        : file.filename() == baseline || file.stem() == baseline;
    named.push_back({file, {}, first});
  }
  return read_files(named, options);
}

/// The baseline first; rows move with their environments.
Dataset baseline_first(const Dataset& data, std::size_t baseline) {
  std::vector<std::size_t> order = {baseline};
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    if (e != baseline) order.push_back(e);
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(data.columns.size());
  std::size_t end = 0;
  for (std::size_t e : order) {
    const Environment& rows = data.environments[e];
    out.environments.push_back({rows.name, end, end + rows.rows()});
    end += rows.rows();
    for (std::size_t v = 0; v < data.columns.size(); ++v) {
      const auto copy = [&](const auto& from, auto& to, std::size_t width) {
        to.insert(to.end(), from.begin() + std::ptrdiff_t(rows.begin * width),
                  from.begin() + std::ptrdiff_t(rows.end * width));
      };
      if (data.variables[v].kind == Variable::Kind::categorical)
        copy(data.columns[v].levels, out.columns[v].levels, 1);
      else
        copy(data.columns[v].values, out.columns[v].values,
             std::size_t(data.variables[v].dimension));
    }
  }
  return out;
}

void read_edges(const TruthFile& truth, RealData& out) {
  const auto& names = out.truth.names;
  out.truth.graph = Graph(names.size());
  if (const Json* edges = truth.find("edges")) {
    out.knows_edges = true;
    for (const Json& item : edges->items) {
      const auto [from, to] = truth.pair(item, names);
      out.truth.graph.set_edge(VariableId(from), VariableId(to));
    }
    if (!out.truth.graph.is_acyclic()) truth.refuse(*edges, "the true edges close a cycle");
  }
  const Json* hidden = truth.find("hidden");
  if (hidden == nullptr) return;
  for (const Json& item : hidden->items) {
    const auto [a, b] = truth.pair(item, names);
    out.truth.confounded.emplace_back(std::min(a, b), std::max(a, b));
  }
}

/// The targets of one environment: "targets" as a list of names, or "changed" as whence simulate
/// has it.
std::optional<std::vector<std::size_t>> targets_in(const TruthFile& truth, const Json& item,
                                                   const std::vector<std::string>& names) {
  std::vector<std::size_t> targets;
  if (const Json* list = item.find("targets")) {
    for (const Json& name : list->items) targets.push_back(truth.variable(name, names));
  } else if (const Json* changed = item.find("changed")) {
    for (const JsonMember& member : changed->members)
      if (member.value.truth) targets.push_back(truth.variable(Json(member.key), names));
  } else {
    return {};
  }
  std::sort(targets.begin(), targets.end());
  return targets;
}

/// "shifted_01.csv" and "shifted_01" name the same environment.
std::optional<std::size_t> environment_named(const Dataset& data, const std::string& name) {
  const std::string stem = name.ends_with(".csv") ? name.substr(0, name.size() - 4) : name;
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    if (data.environments[e].name == name || data.environments[e].name == stem) return e;
  return {};
}

void read_targets(const TruthFile& truth, RealData& out) {
  const std::size_t environments = out.data.environments.size();
  out.truth.targets.resize(environments);
  out.truth.shifts.assign(environments, GraphShift::hard);
  out.knows_targets.assign(environments, false);
  const Json* all = truth.find("environments");
  if (all == nullptr) return;
  const auto take = [&](const std::string& name, const Json& item) {
    const auto e = environment_named(out.data, name);
    if (!e) truth.refuse(item, "there are no data of the environment " + in_quotes(name));
    if (auto targets = targets_in(truth, item, out.truth.names)) {
      out.truth.targets[*e] = std::move(*targets);
      out.knows_targets[*e] = true;
    }
  };
  for (const JsonMember& member : all->members) take(member.key, member.value);
  for (const Json& item : all->items) {
    const Json* name = item.find("name");
    if (name == nullptr) truth.refuse(item, "an environment has no name");
    if (item.find("targets") || item.find("changed")) take(name->text, item);
  }
  if (!out.truth.targets[0].empty()) truth.refuse(*all, "the baseline has targets");
}

/// The rows of `which`, by environment; environments without rows stay empty.
Dataset rows_of(const Dataset& data, const std::vector<std::vector<std::size_t>>& which,
                const std::vector<std::string>& names) {
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(data.columns.size());
  std::size_t end = 0;
  for (std::size_t e = 0; e < which.size(); ++e) {
    out.environments.push_back({names[e], end, end + which[e].size()});
    end += which[e].size();
    for (std::size_t v = 0; v < data.columns.size(); ++v)
      for (std::size_t r : which[e]) {
        const Column& from = data.columns[v];
        const auto width = std::ptrdiff_t(data.variables[v].dimension);
        if (data.variables[v].kind == Variable::Kind::categorical)
          out.columns[v].levels.push_back(from.levels[r]);
        else
          out.columns[v].values.insert(out.columns[v].values.end(),
                                       from.values.begin() + std::ptrdiff_t(r) * width,
                                       from.values.begin() + std::ptrdiff_t(r + 1) * width);
      }
  }
  return out;
}

/// At most `limit` of the rows (0: all), chosen at random.
std::vector<std::size_t> choose_rows(const Environment& rows, std::size_t limit, Stream stream) {
  std::vector<std::size_t> chosen = random_order(rows.rows(), stream);
  if (limit > 0 && chosen.size() > limit) chosen.resize(limit);
  std::sort(chosen.begin(), chosen.end());
  for (std::size_t& r : chosen) r += rows.begin;
  return chosen;
}

double moved(const Column& column, const Environment& before, const Environment& now,
             const auto& value_of) {
  const auto mean = [&](const Environment& rows) {
    double sum = 0;
    for (std::size_t r = rows.begin; r < rows.end; ++r) sum += value_of(column, r);
    return sum / double(rows.rows());
  };
  const double first = mean(before), second = mean(now);
  double variance = 0;
  for (std::size_t r = before.begin; r < before.end; ++r) {
    const double d = value_of(column, r) - first;
    variance += d * d / double(before.rows());
  }
  if (variance == 0) return first == second ? 0 : INFINITY;
  return std::fabs(second - first) / std::sqrt(variance);
}

}  // namespace

RealData read_real_data(const std::filesystem::path& folder) {
  RealData out;
  out.name = folder.filename().empty() ? folder.parent_path().filename().string()
                                       : folder.filename().string();
  const TruthFile truth(folder);
  LoadedData loaded = read_tables(folder, truth);
  if (!loaded.baseline)
    throw Error(ExitCode::bad_data, "E-REAL-BASELINE", printable(folder.string()),
                "no environment is the baseline",
                "call its file baseline.csv, or name it in truth.json: \"baseline\": \"...\"");
  out.data = baseline_first(loaded.data, *loaded.baseline);
  out.warnings = std::move(loaded.warnings);
  for (const Variable& v : out.data.variables) out.truth.names.push_back(v.name);
  read_edges(truth, out);
  read_targets(truth, out);
  return out;
}

RealData subsample(const RealData& all, const RowLimits& limits, std::uint64_t seed,
                   std::uint32_t number) {
  RealData out = all;
  std::vector<std::vector<std::size_t>> which;
  std::vector<std::string> names;
  for (std::size_t e = 0; e < all.data.environments.size(); ++e) {
    const Stream stream(seed, Purpose::sample, {rows_run, std::uint32_t(e), number});
    which.push_back(
        choose_rows(all.data.environments[e], e == 0 ? limits.baseline : limits.shifted, stream));
    names.push_back(all.data.environments[e].name);
  }
  out.data = rows_of(all.data, which, names);
  return out;
}

void reorder_columns(RealData& data, std::uint64_t seed, std::uint32_t number) {
  Stream stream(seed, Purpose::sample, {columns_run, 0, number});
  const auto order = random_order(data.data.variables.size(), stream);  // [new]: old
  std::vector<std::size_t> place(order.size());                         // [old]: new
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  const RealData before = data;
  for (std::size_t k = 0; k < order.size(); ++k) {
    data.data.variables[k] = before.data.variables[order[k]];
    data.data.columns[k] = before.data.columns[order[k]];
    data.truth.names[k] = before.truth.names[order[k]];
    for (std::size_t j = 0; j < order.size(); ++j)
      data.truth.graph.set_edge(
          VariableId(k), VariableId(j),
          before.truth.graph.edge(VariableId(order[k]), VariableId(order[j])));
  }
  for (auto& targets : data.truth.targets) {
    for (std::size_t& t : targets) t = place[t];
    std::sort(targets.begin(), targets.end());
  }
  for (auto& [a, b] : data.truth.confounded) {
    const std::size_t x = place[a], y = place[b];
    a = std::min(x, y);
    b = std::max(x, y);
  }
}

RealData baseline_in_pieces(const RealData& all, const RealData& like, std::uint64_t seed,
                            std::uint32_t number) {
  Stream stream(seed, Purpose::sample, {pieces_run, 0, number});
  const auto order = random_order(all.data.environments[0].rows(), stream);
  const auto& sizes = like.data.environments;
  const std::size_t first = std::min(sizes[0].rows(), order.size() / 2);
  const std::size_t others = std::max<std::size_t>(1, sizes.size() - 1);
  const std::size_t share = (order.size() - first) / others;
  std::vector<std::vector<std::size_t>> which;
  std::vector<std::string> names;
  std::size_t at = 0;
  for (std::size_t e = 0; e < sizes.size(); ++e) {
    const std::size_t rows = e == 0 ? first : std::min(share, sizes[e].rows());
    std::vector<std::size_t> piece(order.begin() + std::ptrdiff_t(at),
                                   order.begin() + std::ptrdiff_t(at + rows));
    at += rows;
    std::sort(piece.begin(), piece.end());
    which.push_back(std::move(piece));
    names.push_back(e == 0 ? "baseline" : "piece_" + std::to_string(e));
  }
  RealData out = all;
  out.data = rows_of(all.data, which, names);
  out.truth.targets.assign(sizes.size(), {});
  out.truth.shifts.assign(sizes.size(), GraphShift::none);
  out.knows_targets.assign(sizes.size(), true);
  return out;
}

RealData shuffled_within(const RealData& data, std::uint64_t seed) {
  RealData out = data;
  shuffle_columns(out.data, Shuffle::within_environments, seed);
  out.truth.graph = Graph(out.truth.names.size());
  out.truth.confounded.clear();
  return out;
}

std::vector<double> standardised_shifts(const Dataset& data, std::size_t environment) {
  const Environment &before = data.environments[0], &now = data.environments[environment];
  std::vector<double> shifts;
  for (std::size_t v = 0; v < data.columns.size(); ++v) {
    const Column& column = data.columns[v];
    double most = 0;
    if (data.variables[v].kind == Variable::Kind::categorical) {
      for (int k = 0; k < data.variables[v].levels; ++k)
        most = std::max(most, moved(column, before, now, [k](const Column& c, std::size_t r) {
                          return c.levels[r] == k ? 1.0 : 0.0;
                        }));
    } else {
      const auto width = std::size_t(data.variables[v].dimension);
      for (std::size_t d = 0; d < width; ++d)
        most = std::max(most, moved(column, before, now, [=](const Column& c, std::size_t r) {
                          return c.values[r * width + d];
                        }));
    }
    shifts.push_back(most);
  }
  return shifts;
}

}  // namespace whence
