// Pieces that every documented result has in common.
#pragma once

#include <string>

#include "whence/core/dataset.hpp"
#include "whence/io/data_reader.hpp"
#include "whence/io/json_list.hpp"

namespace whence {

/// A file that was read, with its hash.
Json input_json(const SourceInfo& source);

/// A variable with its kind, and its levels or its dimension.
Json variable_json(const Variable& variable);

/// A probability for people, to a tenth of a percent; the last tenth at either end has a name of
/// its own: "> 99.9 %", in a sentence "over 99.9 %".
enum class PercentStyle { table, sentence };
std::string percent(double p, PercentStyle style = PercentStyle::table);

}  // namespace whence
