// Pieces that every documented result has in common.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/core/dataset.hpp"
#include "whence/io/json/json_list.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

/// Rounding may carry a sum of probabilities past the ends.
inline double bounded(double p) { return std::clamp(p, 0.0, 1.0); }

/// A file that was read, with its hash.
Json input_json(const SourceInfo& source);

/// What was not used, and why: [{"column": ..., "reason": ...}, {"environment": ..., ...}].
Json left_out_json(const LoadedData& loaded);

/// A variable with its kind, and its levels or its dimension.
Json variable_json(const Variable& variable);

/// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names, std::size_t shown = 8);

/// The weights by their names, as parse_prior() takes them.
Json prior_json(const ChangePrior& prior);

}  // namespace whence
