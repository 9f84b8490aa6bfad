// Columns that hold no variable: why one is left out, judged by its values as they are in files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "whence/io/table/data_plan.hpp"
#include "whence/io/table/data_typing.hpp"

namespace whence {

/// Why a column that was not asked for by name is no variable: it has no value, or hardly any; it
/// holds dates; it names or numbers the rows. Nothing: it may be one.
std::optional<std::string> reason_to_leave_out(const PlannedVariable& variable,
                                               const std::vector<ColumnPart>& parts,
                                               bool first_column);

/// A value far from all others that people write for "missing" (-999, 9999, ...), in words; nothing
/// where there is none.
std::optional<std::string> suspected_sentinel(const Variable& variable, const Column& column);

/// "left out: id (as many different texts as rows), date (dates or times); --types NAME=TYPE keeps
/// one"
std::string left_out_in_words(const std::vector<LeftOut>& columns);
/// The same of environments; \p joined: they were to be one, which has too few rows, too.
std::string left_out_environments_in_words(const std::vector<LeftOut>& environments, bool joined);

}  // namespace whence
