// How sure a direction may be stated, whichever engine found it: every answer passes here. An
// engine may be less sure for reasons of its own (label_support.hpp has those of labels).
//
// A direction is not stated as sure
// - unless a shift supports it: in some environment that speaks for it one of its two ends changed,
//   and not everything did. Where neither end changed, their joint law is the same everywhere, and
//   only its form could prefer a direction, under a model that no data follow to the letter;
// - if leaving out one environment turns it round;
// - where an exact model answers, unless the effect was seen to follow its cause
//   (followed_effects.hpp): else something hidden behind both would explain all that was seen;
// - if the two columns belong to three of which one is computed from the others;
// - if groups of one table may have been formed by what their rows hold, and a choice of rows would
//   explain all that speaks for it (selection_doubt.hpp).
#pragma once

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// The highest probability of a direction that is not sure: below any usual threshold.
inline constexpr double highest_if_unsure = 0.94;

/// The most that an edge may have for which something hidden behind both ends would do as well.
inline constexpr double highest_if_hidden = 0.9;

/// Whether some environment speaks clearly for the direction and one of the two ends changed there.
bool shift_supports(const GraphResult& result, const EdgeFinding& edge);

/// What a direction has beyond its limit goes to the opposite one, or to something hidden where
/// that is what it is limited for; what is known is left alone. A remark for each edge that is
/// limited for another reason than a missing shift. That both of two columns depend on something
/// hidden, and neither on the other, is sure only if each of them changed somewhere.
/// `rows`: those that counted; without them (a run that was stopped) nothing is computed, and every
/// choice of rows stays possible.
void limit_directions(GraphResult& result, const Dataset* rows, const GraphOptions& options);

}  // namespace whence
