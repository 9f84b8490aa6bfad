// Tables on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "whence/core/report.hpp"

namespace whence {

/// Columns aligned, numbers to the right, at most `rows` rows; long cells are cut but for the last
/// column, and a table wider than the terminal loses what does not fit.
std::string text_table(const Table& table, std::size_t rows = 12);

}  // namespace whence
