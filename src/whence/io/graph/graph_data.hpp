// Data sets over many variables as other programs keep them: DCDI folders and ENCO archives, with
// the truth and the targets that they carry; and one long table out of any data set.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "whence/io/files/output_directory.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

struct GraphData {
  LoadedData loaded;
  std::optional<NamedGraph> truth = {};
  /// [environment]: which variables were intervened on; nothing where the files do not say.
  std::vector<std::optional<std::vector<std::size_t>>> targets = {};
};

/// data_interv{i}.npy with regime{i}.csv (0 is observational) or intervention{i}.csv (targets from
/// 0, one line per row; an EMPTY LINE is an observational row) or both, and perhaps DAG{i}.npy.
/// Variables are X0, X1, ..., all real; environments are the regimes in ascending order, rows keep
/// theirs inside. Errors: E-DCDI-FILES, E-DCDI-ROWS, E-DCDI-VALUE, E-DCDI-REGIME.
GraphData read_dcdi(const std::filesystem::path& folder, std::size_t index,
                    std::size_t max_memory = std::size_t(4) << 30);

/// data_obs (n, d), data_int (d, n', d; the first index is the variable intervened on), and perhaps
/// adj_matrix. Variables are X0, X1, ...: categorical where all values are whole numbers from 0 to
/// 999, with as many levels as both arrays show, otherwise real. Errors: E-ENCO-ARRAYS,
/// E-ENCO-SHAPE.
GraphData read_enco(const std::filesystem::path& file, std::size_t max_memory = std::size_t(4)
                                                                                << 30);

/// Columns of whole numbers from 0 to 999 as levels, which the files of DCDI cannot say of
/// themselves. Any other number is an error (E-DCDI-VALUE).
void read_as_levels(Dataset& data);

/// The same as files. Names of variables are not part of these formats; dimensions above 1 are
/// refused. Environments whose targets are not known are refused (E-DCDI-TARGETS,
/// E-ENCO-TARGETS), for ENCO also any other design than a baseline and one environment per variable
/// with equally many rows.
std::vector<OutputFile> write_dcdi(const GraphData& data, std::size_t index);
std::string write_enco(const GraphData& data);

/// One CSV table with a first column "environment"; a variable of that name is an error.
std::string write_long_table(const Dataset& data);
/// The rows of one environment, without that column.
std::string write_environment(const Dataset& data, const Environment& environment);

}  // namespace whence
