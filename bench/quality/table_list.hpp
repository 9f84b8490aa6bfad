// Tables of people, with what is known of them: a list that a file holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace whence {

/// "X->Y"; "*" stands for every column.
struct ArrowPattern {
  std::string from, to;
  bool fits(const std::string& cause, const std::string& effect) const {
    return (from == "*" || from == cause) && (to == "*" || to == effect);
  }
};

struct ListedTable {
  std::string name;
  std::filesystem::path file;
  std::string environment, baseline;  // the column, and one of its values (may be empty)
  std::vector<std::string> columns, exclude;
  bool assigned = false;                        // as --assigned of discover
  std::vector<ArrowPattern> impossible, right;  // all others are not judged
  std::vector<std::string> controls;            // names of alterations; empty: all
};

/// {"tables": [{"table": "wages.csv", "environment": "region", "baseline": "south",
///   "exclude": ["lwage"], "impossible": ["*->age"], "right": ["schooling->wage"],
///   "controls": ["shuffled labels", "one cell x 1000"]}, ...]}
/// Files are looked for beside the list. Throws Errors of code bad_data: E-TABLES-LIST.
std::vector<ListedTable> read_table_list(const std::filesystem::path& list);

}  // namespace whence
