// result.json: what a run found. Equal settings and seeds give equal bytes: no time, no host, no
// thread count and no path is in it; those are in run.json.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

/// Raised when a reader of result.json would have to change.
inline constexpr int result_format = 1;

/// One experiment as the object of result.json. Numbers that are not finite become null, and a
/// warning says so.
Json result_json(const Report& report);

/// An experiment of a group that did not finish.
struct FailedExperiment {
  std::string experiment, id, problem;
};

/// Several experiments: {"experiments": [...], "failed": [...]}.
Json result_json(std::span<const Report> reports, std::span<const FailedExperiment> failed);

/// The text of result.json: indented, one line per curve's numbers, with a final newline.
std::string result_text(const Json& result);

}  // namespace whence
