// Which columns of a file make up which variable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "whence/io/table/data_reader.hpp"
#include "whence/io/table/raw_table.hpp"

namespace whence {

struct PlannedVariable {
  std::string name;
  std::vector<std::string> columns;  // several: a vector
  std::optional<ColumnType> type;    // not given: inferred
};

/// How to say that a column is of a type: an option to paste into a shell.
std::string types_option(std::string_view name, std::string_view type);

/// Made from the first file's columns; the other files follow it by name.
class DataPlan {
 public:
  DataPlan(const ReadOptions& options, std::string environment_column = {})
      : options_(options), environment_column_(std::move(environment_column)) {}

  /// What to read of this file's columns. The first call decides what the variables are; errors in
  /// what the user named are of usage then, and of bad data in later files.
  std::vector<ColumnRole> choose(const std::string& file, const std::vector<std::string>& names,
                                 const std::vector<RawGroup>& groups);

  const std::vector<PlannedVariable>& variables() const { return variables_; }
  /// It was not asked for by name: it may be left out.
  bool may_leave_out(const PlannedVariable& variable) const {
    return options_.leave_out && options_.columns.empty() && !variable.type;
  }
  void leave_out(const std::string& variable);
  /// After columns were left out: as many variables as the caller needs.
  void check_number(const std::vector<LeftOut>& left_out) const;
  const std::string& environment_column() const { return environment_column_; }

 private:
  void decide(const std::string& file, const std::vector<std::string>& names,
              const std::vector<RawGroup>& groups);
  void take_all(const std::vector<std::string>& names, const std::vector<RawGroup>& groups);
  void check_number(const std::string& file, const std::vector<std::string>& names) const;
  void check_excluded(const std::vector<std::string>& names,
                      const std::vector<RawGroup>& groups) const;
  void check_uses() const;
  void set_types(const std::vector<std::string>& names);

  const ReadOptions& options_;
  std::string environment_column_;  // empty: none
  std::vector<PlannedVariable> variables_;
  bool decided_ = false;
};

}  // namespace whence
