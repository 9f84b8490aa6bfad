// Which of two variables causes the other, what changed in each environment, and how sure that is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/belief/pooling.hpp"
#include "whence/core/control.hpp"
#include "whence/core/dataset.hpp"
#include "whence/core/knowledge.hpp"
#include "whence/core/remark.hpp"

namespace whence {

/// What the scores assume of the data.
enum class DirectionModel {
  automatic,
  categorical,  // both variables categorical: Dirichlet tables (BDe)
  gaussian,     // both real: linear Gaussian vectors (BGe)
  labels,       // any kinds: evidence from environment labels, no density assumed
};
std::string_view name_of(DirectionModel model);

struct DirectionOptions {
  DirectionModel model = DirectionModel::automatic;
  ChangePrior prior;
  std::optional<std::size_t> baseline;  // index of the environment that is unchanged by definition
  bool sensitivity = true;              // also leave out environments and vary the prior
  /// A forbidden direction has no weight; beside a required one nothing has any.
  EdgeKnowledge knowledge = {};
  /// Rows that are copies, follow each other in time or are of the same entity again count for
  /// less; `entity` says of each row which one it is of, where that is known.
  bool effective = true;
  std::vector<std::int32_t> entity = {};
  bool maybe_selected = false;  // environments may have been formed by what rows hold
  bool keep_odd_rows = false;   // rows with cells that look mistyped count, too
  PoolingLimits limits;
  std::size_t max_memory = std::size_t(4) << 30;  // what needs more is refused
};

struct EnvironmentFinding {
  std::string name;
  std::size_t rows = 0;
  bool baseline = false;
  double log_odds = 0;              // what it adds to log P(X -> Y) - log P(Y -> X)
  std::array<double, 2> changed{};  // P(mechanism of X, of Y changed), over all structures
  ChangeProbabilities kind{};       // under the most probable structure
  double effective_rows = 0;        // how many independent rows they are worth
};

struct Verdict {
  enum class Kind { direction, no_link, undecided, no_shift, all_changed, conflicting };
  Kind kind = Kind::undecided;
  int from = -1, to = -1;   // variables 0 and 1, when a direction is given
  bool confounded = false;  // both mechanisms seem to move together, as a hidden cause moves them
  /// One direction is excluded, and the other looks like something hidden would: only changes of
  /// `to` were seen, which do not reach `from`. Then kind is undecided.
  bool maybe_hidden = false;
};
std::string_view name_of(Verdict::Kind kind);

/// The belief under another set of prior weights.
struct PriorSensitivity {
  std::string name;
  ChangePrior prior;
  std::array<double, structures> belief{};
};

struct DirectionResult {
  std::array<std::string, 2> variables;
  std::array<double, structures> belief{};  // P(X -> Y), P(Y -> X), P(no link)
  double hidden = 0;                        // P(something hidden moves both); the four sum to 1
  double visible_link = 1;                  // the correlation from which on a link would have shown
  Verdict verdict;
  DirectionModel model = DirectionModel::categorical;
  Remark model_reason;                           // why that model
  std::vector<EnvironmentFinding> environments;  // in the data's order
  /// The belief before any environment and after each, a named baseline being the first.
  std::vector<std::array<double, structures>> path;
  std::array<double, 2> leave_one_out{};           // smallest and largest P(X -> Y)
  std::array<double, 2> leave_one_out_mirrored{};  // the same of P(Y -> X)
  std::vector<PriorSensitivity> prior_sensitivity;
  double log_dropped = -INFINITY;  // how much of the sum over poolings was left out
  double shift_log_odds = 0;    // all evidence about the direction; none of it is functional form
  std::vector<Remark> remarks;  // warnings, and what would settle the question
};

/// Decided means P > .95.
inline constexpr double decided_belief = 0.95;

/// `data` has two variables and at least two environments; what is not a valid data set is an
/// Error. Swapping the columns mirrors the answer bit for bit.
DirectionResult find_direction(const Dataset& data, const DirectionOptions& options = {},
                               const Control& control = {});

}  // namespace whence
