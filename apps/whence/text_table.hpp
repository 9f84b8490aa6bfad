// Tables on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "whence/core/report.hpp"

namespace whence {

/// Columns aligned, numbers to the right, at most `rows` rows. In a table wider than the terminal
/// headings take several lines, then long texts are cut, but no number; columns that still do not
/// fit follow below, behind the first column again.
std::string text_table(const Table& table, std::size_t rows = 12);

}  // namespace whence
