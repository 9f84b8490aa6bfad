// Checks of a column that need the rows of all environments together.
#pragma once

#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/data_reader.hpp"

namespace whence {

/// Leaves out columns that never change inside an environment, and those that name an entity of
/// which every environment has one row; the latter is kept in `entity`.
void look_at_environments(DataPlan& plan, LoadedData& out);

/// Columns that are constant in the baseline and not elsewhere are named in a warning.
void warn_of_constant_baseline(LoadedData& out);

/// Categories that the baseline lacks: a warning for each column, or E-DATA-UNSEEN.
void check_unseen(const ReadOptions& options, LoadedData& out);

}  // namespace whence
