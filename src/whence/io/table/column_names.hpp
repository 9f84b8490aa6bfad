// Rules for the names of columns, whatever the file format.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace whence {

constexpr std::size_t max_name_bytes = 256;

/// Throws for empty names, names over 256 bytes and names given twice; `place` says where name i
/// is.
void check_column_names(const std::vector<std::string>& names,
                        const std::function<std::string(std::size_t)>& place);

/// Names that a reader may take for each other: they differ only in case, accents or in how an
/// accented letter is encoded. They stay different columns.
std::vector<std::string> lookalike_warnings(const std::vector<std::string>& names,
                                            const std::string& file);

}  // namespace whence
