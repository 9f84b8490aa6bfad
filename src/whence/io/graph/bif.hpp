// Bayesian networks in the Interchange Format (BIF): variables, their parents, and tables.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/graph.hpp"

namespace whence {

struct DiscreteNetwork {
  std::string name;
  std::vector<Variable> variables;  // categorical, with level names
  Graph graph;
  /// P(v | parents) [configuration][level]; configurations count in mixed radix over the parents in
  /// the order of the variables, the first most significant, whatever their order in the file.
  std::vector<std::vector<double>> tables;
  std::vector<std::string> warnings = {};
};

/// One-line and multi-line forms, comments, quoted names, "table" and "default" entries. In a table
/// with parents the child's level varies slowest and the last parent's fastest. Rows must sum to 1
/// within .01; what rounding left is divided out, with a warning. Errors: E-BIF-SYNTAX, E-BIF-NAME,
/// E-BIF-TABLE and E-GRAPH-CYCLE, with the place.
DiscreteNetwork parse_bif(std::string_view text, const std::string& file);
DiscreteNetwork read_bif(const std::filesystem::path& path);

std::string write_bif(const DiscreteNetwork& network);

}  // namespace whence
