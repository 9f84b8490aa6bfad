// The truth of a simulated graph as a document, and the folder of a simulation read back.
#pragma once

#include <filesystem>
#include <string>

#include "whence/io/graph/graph_data.hpp"
#include "whence/io/json/json.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {

/// Raised when a reader of truth.json would have to change.
inline constexpr int truth_format = 1;

/// The object of truth.json. The truth of an environment names what changed, by variable and by
/// kind.
Json pair_truth_json(const PairSimulation& what);

/// The same of a graph: variables, edges, and what changed in each environment; "confounded", and
/// by its other name "hidden", lists the pairs that a hidden variable joins; "drift" says how much
/// every mechanism differs from run to run.
Json graph_truth_json(const GraphWorldSpec& spec, const GraphSimulation& simulation,
                      const std::string& graph, std::uint64_t seed);

/// What changed in each environment: its list "environments".
Json environments_truth_json(const GraphSimulation& simulation);

/// The targets that a truth names for each environment of these names; nothing for one that it does
/// not know. Errors are of code bad_data.
std::vector<std::optional<std::vector<std::size_t>>> truth_targets(
    const Json& truth, const std::string& file, const std::vector<Environment>& environments,
    const std::vector<std::string>& names);

/// A folder of whence simulate: truth.json, where there is one, and a CSV file per environment; a
/// file baseline.csv is the baseline. Throws E-FOLDER-EMPTY without CSV files.
GraphData read_simulation(const std::filesystem::path& folder, const ReadOptions& options = {});

/// The same as files.
std::vector<OutputFile> simulation_files(const GraphData& data, const Json& truth);
/// A truth for data that another format brought, as far as it is known.
Json known_truth_json(const GraphData& data);

}  // namespace whence
