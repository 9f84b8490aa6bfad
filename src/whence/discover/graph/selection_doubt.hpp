// Groups of one table may have been formed by what their rows hold. Choosing rows by a variable
// looks exactly like a change of that variable, whatever causes it: an arrow that rests on such
// changes alone may be turned round.
#pragma once

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// The most that a direction may have which a choice of rows would explain as well.
inline constexpr double highest_if_selected = 0.75;

/// No direction is stated as sure unless some environment speaks for it that no choice of rows can
/// make: an effect changed and its cause stayed as it was. What is known is left alone, and so are
/// environments whose targets are known. A remark for each edge that is limited.
void doubt_selection(GraphResult& result, const Dataset& data, const GraphOptions& options);

}  // namespace whence
