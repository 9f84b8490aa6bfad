// The map of changes: environments down, variables across, a colour for each probability.
#pragma once

#include <string>

#include "whence/report/page/graph_view.hpp"

namespace whence {

/// An svg for a page, with its colour scale. Cells show their number in percent where they are
/// large enough.
std::string change_map(const GraphView& view);

/// At most so many characters of a name, with an ellipsis where some were left out.
std::string short_name(const std::string& name, std::size_t most = 16);

/// A probability in percent, to a tenth.
std::string map_percent(double p);

}  // namespace whence
