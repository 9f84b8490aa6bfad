// Curves and tables as CSV (RFC 4180, LF line ends), safe to open in a spreadsheet.
#pragma once

#include <string>
#include <string_view>

#include "whence/core/report.hpp"

namespace whence {

/// Columns x, median, q25, q75; numbers in the shortest form that reads back as the same double.
std::string curve_csv(const Curve& curve);

std::string table_csv(const Table& table);

/// One cell of data: quoted where needed, and read back as it was.
std::string csv_text(std::string_view text);

/// One cell for people: as printable() shows it. Text that a spreadsheet would run as a formula (it
/// begins with = + - @, a tab or a carriage return) gets a leading apostrophe; numbers stay as they
/// are.
std::string csv_cell(std::string_view text);

}  // namespace whence
