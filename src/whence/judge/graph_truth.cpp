#include "whence/judge/graph_truth.hpp"

#include <algorithm>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/files/file_name.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

constexpr std::size_t largest = std::size_t(64) << 20;

Json edges_json(const Graph& graph, const std::vector<std::string>& names) {
  Json edges = Json::list();
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (graph.edge(VariableId(i), VariableId(j)))
        edges.items.push_back(Json::object({{"from", names[i]}, {"to", names[j]}}));
  return edges;
}

Json changed_json(const std::vector<std::size_t>& targets, const std::vector<std::string>& names) {
  Json changed = Json::object();
  for (std::size_t v = 0; v < names.size(); ++v)
    changed.set(names[v], std::find(targets.begin(), targets.end(), v) != targets.end());
  return changed;
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (const Variable& v : data.variables) names.push_back(v.name);
  return names;
}

Json provenance_json() {
  return Json::object({{"program", "whence"}, {"format", truth_format}, {"version", version()}});
}

std::vector<NamedFile> csv_files(const std::filesystem::path& folder) {
  std::vector<NamedFile> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv")
      files.push_back({entry.path(), {}, entry.path().filename() == "baseline.csv"});
  if (error || files.empty())
    throw Error(ExitCode::bad_data, "E-FOLDER-EMPTY", printable(folder.string()),
                "there are no CSV files in this folder", "one file per environment");
  // The baseline first, the others by their names.
  std::sort(files.begin(), files.end(), [](const NamedFile& a, const NamedFile& b) {
    return a.baseline != b.baseline ? a.baseline : a.path < b.path;
  });
  return files;
}

std::string_view kind_name(PairSimulation::Kind kind) {
  switch (kind) {
    case PairSimulation::Kind::categorical: return "categorical";
    case PairSimulation::Kind::linear_gaussian: return "linear-gaussian";
    case PairSimulation::Kind::spline: break;
  }
  return "spline";
}

/// What the file of an environment is called in a folder, without its end.
std::string file_stem(const LoadedData& loaded, std::size_t e) {
  return loaded.baseline == e ? "baseline" : loaded.data.environments[e].name;
}

/// Environments get back the names that they had before they became files.
void restore_names(const Json& truth, const std::string& file,
                   std::vector<Environment>& environments) {
  const Json* list = truth.find("environments");
  if (list == nullptr) return;
  for (const Json& item : list->items) {
    const Json *name = item.find("name"), *called = item.find("called");
    if (name == nullptr || called == nullptr) continue;
    const auto with_name = [&](const std::string& text) {
      return std::find_if(environments.begin(), environments.end(),
                          [&](const Environment& e) { return e.name == text; });
    };
    const auto at = with_name(name->text);
    if (at == environments.end()) continue;
    if (!called->is(Json::Kind::text) || called->text.empty() ||
        with_name(called->text) != environments.end())
      throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", place_in(file, called->place),
                  "'called' is not a name that only one environment has",
                  "give a truth.json of whence convert");
    at->name = called->text;
  }
}

bool moves_cause(ShiftKind shift) { return shift == ShiftKind::cause || shift == ShiftKind::both; }
bool moves_effect(ShiftKind shift) { return shift != ShiftKind::none && shift != ShiftKind::cause; }

}  // namespace

Json pair_truth_json(const PairSimulation& what) {
  const bool turned = what.truth == PairSimulation::Truth::backward;
  const std::string from = turned ? "Y" : "X", to = turned ? "X" : "Y";
  Json edges = Json::list(), environments = Json::list();
  if (what.truth != PairSimulation::Truth::no_link)
    edges.items.push_back(Json::object({{"from", from}, {"to", to}}));
  bool baseline = true;
  for (const Environment& e : pair_environments(what)) {
    const ShiftKind shift = std::exchange(baseline, false) ? ShiftKind::none : what.shift;
    const bool x = turned ? moves_effect(shift) : moves_cause(shift);
    const bool y = turned ? moves_cause(shift) : moves_effect(shift);
    environments.items.push_back(
        Json::object({{"name", e.name},
                      {"rows", e.rows()},
                      {"changed", Json::object({{"X", x}, {"Y", y}})},
                      {"kind", shift == ShiftKind::none ? "nothing" : name_of(shift)}}));
  }
  return Json::object(
      {{"variables", Json::list(std::vector<std::string>{"X", "Y"})},
       {"edges", std::move(edges)},
       {"environments", std::move(environments)},
       {"provenance",
        Json::object({{"program", "whence"},
                      {"format", truth_format},
                      {"version", version()},
                      {"kind", kind_name(what.kind)},
                      {"levels",
                       what.kind == PairSimulation::Kind::categorical ? Json(what.levels) : Json()},
                      {"seed", what.seed}})}});
}

Json environments_truth_json(const GraphSimulation& simulation) {
  const GraphTruth& truth = simulation.truth;
  Json environments = Json::list();
  for (std::size_t e = 0; e < simulation.data.environments.size(); ++e)
    environments.items.push_back(
        Json::object({{"name", simulation.data.environments[e].name},
                      {"rows", simulation.data.environments[e].rows()},
                      {"changed", changed_json(truth.targets[e], truth.names)},
                      {"kind", truth.shifts[e] == GraphShift::none ? std::string_view("nothing")
                                                                   : name_of(truth.shifts[e])}}));
  return environments;
}

Json graph_truth_json(const GraphWorldSpec& spec, const GraphSimulation& simulation,
                      const std::string& graph, std::uint64_t seed) {
  const GraphTruth& truth = simulation.truth;
  Json confounded = Json::list();
  for (const auto& [a, b] : truth.confounded)
    confounded.items.push_back(
        Json::list(std::vector<std::string>{truth.names[a], truth.names[b]}));
  Json provenance = provenance_json();
  const bool linear = spec.mechanism == GraphMechanism::linear_gaussian;
  provenance.set("graph", graph);
  provenance.set("mechanism", name_of(spec.mechanism));
  provenance.set("noise", linear ? Json(name_of(spec.noise)) : Json());
  provenance.set("weights", linear ? Json(spec.normal_weights ? "normal" : "uniform") : Json());
  provenance.set("typos", spec.typos);
  provenance.set("noise_rows", spec.noise_rows);
  provenance.set("seed", seed);
  return Json::object({{"variables", Json::list(truth.names)},
                       {"edges", edges_json(truth.graph, truth.names)},
                       {"confounded", confounded},
                       {"hidden", std::move(confounded)},
                       {"drift", truth.drift},
                       {"environments", environments_truth_json(simulation)},
                       {"provenance", std::move(provenance)}});
}

Json known_truth_json(const GraphData& data) {
  const std::vector<std::string> names = names_of(data.loaded.data);
  Json environments = Json::list();
  for (std::size_t e = 0; e < data.loaded.data.environments.size(); ++e) {
    const Environment& one = data.loaded.data.environments[e];
    // Answers name an environment as its file; the name that it had is kept beside that.
    const std::string file = file_stem(data.loaded, e);
    Json item = Json::object({{"name", file}, {"rows", one.rows()}});
    if (file != one.name) item.set("called", one.name);
    if (e < data.targets.size() && data.targets[e])
      item.set("changed", changed_json(*data.targets[e], names));
    environments.items.push_back(std::move(item));
  }
  Json truth = Json::object({{"variables", Json::list(names)}});
  if (data.truth) truth.set("edges", edges_json(data.truth->graph, names));
  truth.set("environments", std::move(environments));
  truth.set("provenance", provenance_json());
  return truth;
}

std::vector<std::optional<std::vector<std::size_t>>> truth_targets(
    const Json& truth, const std::string& file, const std::vector<Environment>& environments,
    const std::vector<std::string>& names) {
  std::vector<std::optional<std::vector<std::size_t>>> targets(environments.size());
  const Json* list = truth.find("environments");
  if (list == nullptr) return targets;
  for (const Json& item : list->items) {
    const Json *name = item.find("name"), *changed = item.find("changed");
    if (name == nullptr || changed == nullptr) continue;
    const auto at = std::find_if(environments.begin(), environments.end(),
                                 [&](const Environment& e) { return e.name == name->text; });
    if (at == environments.end()) continue;
    auto& found = targets[std::size_t(at - environments.begin())].emplace();
    for (const JsonMember& member : changed->members) {
      const auto v = std::find(names.begin(), names.end(), member.key);
      if (v == names.end() || !member.value.is(Json::Kind::boolean))
        throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", place_in(file, member.place),
                    in_quotes(member.key) + " is no variable, or its change neither true nor false",
                    "give a truth.json of whence simulate");
      if (member.value.truth) found.push_back(std::size_t(v - names.begin()));
    }
    std::sort(found.begin(), found.end());
  }
  return targets;
}

GraphData read_simulation(const std::filesystem::path& folder, const ReadOptions& options) {
  const std::filesystem::path truth_path = folder / "truth.json";
  std::error_code ignored;
  GraphData out;
  out.loaded = read_files(csv_files(folder), options);
  out.targets.resize(out.loaded.data.environments.size());
  if (!std::filesystem::exists(truth_path, ignored)) return out;
  const std::string file = printable(truth_path.string());
  const Json truth = read_json(read_text_file(truth_path, largest), file, {.bytes = largest});
  const std::vector<std::string> names = names_of(out.loaded.data);
  out.targets = truth_targets(truth, file, out.loaded.data.environments, names);
  restore_names(truth, file, out.loaded.data.environments);
  if (truth.find("edges") == nullptr) return out;
  out.truth = graph_of_json(truth, file);
  if (out.truth->names != names)
    throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", file,
                "the truth is about other variables than the data, or in another order");
  return out;
}

std::vector<OutputFile> simulation_files(const GraphData& data, const Json& truth) {
  std::vector<OutputFile> files;
  const Dataset& all = data.loaded.data;
  for (std::size_t e = 0; e < all.environments.size(); ++e) {
    const Environment& one = all.environments[e];
    const std::string file = file_stem(data.loaded, e);
    const bool taken = data.loaded.baseline && data.loaded.baseline != e && file == "baseline";
    if (taken || !is_safe_file_name(file + ".csv"))
      throw Error(ExitCode::bad_data, "E-FOLDER-NAME", "",
                  "the environment " + in_quotes(one.name) + " cannot be the name of a file" +
                      (taken ? ": that is the baseline's" : ""),
                  "choose the format table");
    files.push_back({file + ".csv", write_environment(all, one)});
  }
  files.push_back({"truth.json", result_text(truth)});
  return files;
}

}  // namespace whence
