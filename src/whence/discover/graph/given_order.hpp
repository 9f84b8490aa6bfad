// Options into the canonical order of the data, and answers back into the order that was given.
#pragma once

#include "whence/discover/graph/canonical_order.hpp"
#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

GraphOptions in_canonical_order(const GraphOptions& options, const CanonicalOrder& order);
GraphResult in_given_order(const GraphResult& found, const CanonicalOrder& order);

/// The more probable first; those that differ by rounding only, in the order of the variables.
void sort_findings(std::vector<EdgeFinding>& findings);

}  // namespace whence
