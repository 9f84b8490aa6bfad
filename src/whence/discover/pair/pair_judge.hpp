// How scores of a pair become beliefs: which link the models overlook, and what "not linked" takes.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "whence/discover/pair/pair_scores.hpp"
#include "whence/evidence/link_evidence.hpp"

namespace whence {

/// log-evidence of the three structures, and of something hidden.
struct PairEvidence {
  std::array<double, structures> structure{};
  double hidden = -INFINITY;

  static PairEvidence of(const Scored& scored);
};

/// Beliefs in the three structures, and in something hidden.
struct PairBelief {
  std::array<double, structures> structure{};
  double hidden = 0;
};

/// Evidence of a link that the model of mechanisms does not see counts for both directions and for
/// something hidden alike: it says that there is a link, not which.
PairEvidence with_weak_links(PairEvidence evidence, const LinkEvidence& link);

PairBelief posterior(const PairEvidence& evidence, const ChangePrior& prior);

/// "Not linked" is decided only where a link of the size `size_to_show` would have shown; what it
/// loses goes to the others in their prior proportions.
inline constexpr double size_to_show = 0.3;
PairBelief capped(PairBelief belief, const LinkEvidence& link, const ChangePrior& prior);

/// The belief before any environment, and after each.
std::vector<std::array<double, structures>> path_of(const Scored& scored, const ChangePrior& prior);

/// Everything that turns environments into beliefs.
struct PairJudge {
  Scorer scorer;
  LinkEvidence link;

  PairBelief belief(const Scored& scored, const ChangePrior& prior) const;
};

/// Of the model that was chosen.
PairJudge judge_for(const Dataset& data, const DirectionTask& task, DirectionModel model);

}  // namespace whence
