// From beliefs to a verdict on a pair, and what would settle it.
#pragma once

#include "whence/discover/pair/direction.hpp"

namespace whence {

/// "conflicting" when single environments contradict a decided belief; "no-shift" and "all-changed"
/// when that is what the environments look like and no direction is decided. A pair is named
/// confounded where neither a direction nor the absence of a link is decided and most environments
/// that changed, two at least, changed both mechanisms.
Verdict judge(const DirectionResult& result);

/// A direction is not sure where leaving out one environment gives another answer, the opposite or
/// no link, at three to one. `beliefs`: those without each environment.
void limit_turning(const std::vector<std::array<double, structures>>& beliefs,
                   DirectionResult& result);

/// What makes the answer doubtful, what would settle an open question, how far the answer carries.
std::vector<Remark> remarks_on(const DirectionResult& result);

/// The belief after taking one environment's log-odds away from the two directions.
std::array<double, structures> without_contribution(const std::array<double, structures>& belief,
                                                    double log_odds, double hidden = 0);

}  // namespace whence
