// What a look at the data of a pair showed, in words, tables and JSON.
#pragma once

#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/discover/check/data_check.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

/// One sentence each: what these data can decide, and what to look at first.
std::vector<std::string> check_remarks(const DataCheck& check);

/// "columns" and "environments", for people.
std::vector<Table> check_tables(const DataCheck& check);
Json check_json(const DataCheck& check);

/// The same of any number of variables. Tables: "columns", and "environments" with the variables
/// that differ most.
std::vector<std::string> check_remarks(const TableCheck& check);
std::vector<Table> check_tables(const TableCheck& check);
Json check_json(const TableCheck& check);

}  // namespace whence
