#include "whence/io/table/value_issues.hpp"

#include <algorithm>

#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/data_plan.hpp"

namespace whence {
namespace {

/// "3 such values: data.csv:3:1, data.csv:5:1, ..."
std::string listed(std::size_t count, const std::vector<std::string>& places) {
  return std::to_string(count) + (count == 1 ? " such value: " : " such values: ") +
         joined(places) + (count > places.size() ? ", ..." : "");
}

}  // namespace

void ValueIssues::add(Kind kind, std::string place, std::string_view text,
                      std::string_view column) {
  Issue& issue = of(kind);
  if (issue.count++ == 0) issue.text = text, issue.column = column;
  if (issue.places.size() < shown) issue.places.push_back(std::move(place));
}

void ValueIssues::raise(MissingPolicy policy) const {
  raise_not_finite(policy);
  raise_missing(policy);
}

void ValueIssues::raise_not_finite(MissingPolicy policy) const {
  const bool drop = policy != MissingPolicy::error;
  const Issue &infinite = of(Kind::infinite), &nan = of(Kind::not_a_number);
  const std::size_t count = infinite.count + (drop ? 0 : nan.count);
  if (count == 0) return;
  std::vector<std::string> places = infinite.places;
  if (!drop) places.insert(places.end(), nan.places.begin(), nan.places.end());
  places.resize(std::min(places.size(), shown));
  const Issue& first = infinite.count > 0 ? infinite : nan;
  throw Error(ExitCode::bad_data, "E-DATA-NONFINITE", places.front(),
              "value " + in_quotes(first.text) + " in column " + in_quotes(first.column) +
                  " is not finite (" + listed(count, places) + ")",
              infinite.count > 0 ? "remove or replace infinite values"
                                 : "--missing=drop leaves out rows with NaN");
}

void ValueIssues::raise_missing(MissingPolicy policy) const {
  if (policy == MissingPolicy::guess) return;
  if (const Issue& issue = of(Kind::suspected); issue.count > 0)
    throw Error(ExitCode::bad_data, "E-DATA-MISSING", issue.places.front(),
                "value " + in_quotes(issue.text) + " in column " + in_quotes(issue.column) +
                    " looks like a missing value (" + listed(issue.count, issue.places) + ")",
                "--missing=drop --na=" + shell_word(excerpt(issue.text)) +
                    " leaves out such rows; " + types_option(issue.column, "labels") +
                    " keeps it as a category");
  const Issue& issue = of(Kind::missing);
  if (policy == MissingPolicy::drop || issue.count == 0) return;
  throw Error(ExitCode::bad_data, "E-DATA-MISSING", issue.places.front(),
              "a value of column " + in_quotes(issue.column) + " is missing (" +
                  listed(issue.count, issue.places) + ")",
              "--missing=drop leaves out such rows and counts them");
}

bool means_missing(std::string_view text) {
  for (const std::string_view word :
       {"NA", "N/A", "n/a", "#N/A", "NULL", "null", "Null", "?", "NaT", "<NA>"})
    if (text == word) return true;
  return false;
}

bool looks_missing(std::string_view text) {
  for (const std::string_view word :
       {"NA",   "N/A",  "n/a",     "na",      "#N/A",    "NULL", "null", "Null",
        "None", "none", "NONE",    "nil",     "?",       "-",    "--",   ".",
        "..",   "*",    "missing", "Missing", "MISSING", "NaT",  "<NA>"})
    if (text == word) return true;
  return false;
}

}  // namespace whence
