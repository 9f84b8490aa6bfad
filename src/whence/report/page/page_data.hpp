// What a page was made of, as page.json beside it: enough to make the page again, with this or a
// later program, without the run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/report/page/graph_view.hpp"
#include "whence/report/page/report_page.hpp"

namespace whence {

/// Raised when older programs could not read it.
inline constexpr int page_format = 2;

struct PageData {
  std::vector<Report> reports;
  PageInfo info;  // its graph is empty; see below
  std::optional<GraphView> graph;
};

/// Equal pages give equal bytes. Numbers that are not finite become null.
std::string page_data_text(std::span<const Report> reports, const PageInfo& info);

/// Errors are of code bad_data and name the file.
PageData read_page_data(std::string_view text, const std::string& file);

}  // namespace whence
