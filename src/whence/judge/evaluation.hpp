// How near a result came to the truth of a simulation.
#pragma once

#include <string>

#include "whence/io/json/json.hpp"

namespace whence {

struct Evaluation {
  std::string truth;       // "X causes Y", "no link"
  std::string verdict;     // its kind, as in the result
  std::string outcome;     // "right", "wrong" or "undecided"
  double belief = 0;       // in the truth
  double log_loss = 0;     // -log of it, nats
  double brier = 0;        // over both directions and no link
  std::size_t judged = 0;  // mechanisms of shifted environments ...
  std::size_t found = 0;   // ... whose change, or lack of it, the result states rightly
};

/// `result` is the object of whence direction, `truth` that of whence simulate; the files are named
/// in errors, which are of code bad_data.
Evaluation evaluate(const Json& result, const std::string& result_file, const Json& truth,
                    const std::string& truth_file);

Json evaluation_json(const Evaluation& evaluation);

/// Whether a result calls this environment its baseline.
bool is_baseline(const Json& environment);

}  // namespace whence
