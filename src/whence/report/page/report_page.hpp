// The report page: everything a run found, in one HTML file that needs nothing else.
#pragma once

#include <span>
#include <string>

#include "whence/core/report.hpp"
#include "whence/report/page/graph_view.hpp"

namespace whence {

/// What the page says about itself.
struct PageInfo {
  std::string title, lead;  // lead: the answer in words, before anything else
  std::string version, revision;
  std::string command;  // the command line that makes this page again
  bool random = true;   // false: found in given data, without random numbers and without runs
  const GraphView* graph = nullptr;  // shown before everything else; lives as long as the page
};

/// Complete without scripts, without a network and without this program. All text is escaped, a
/// Content-Security-Policy allows the page's own style and script only, by their hashes, and
/// equal input gives equal bytes.
std::string report_page(std::span<const Report> reports, const PageInfo& info);

}  // namespace whence
