// The files of a report: result.json, index.html with the page.json it was made of, and a file per
// curve, table and figure.
#pragma once

#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/io/files/output_directory.hpp"
#include "whence/report/page/report_page.hpp"

namespace whence {

/// `folder` is put before each name ("belief-discrete/"), or empty. Equal reports give equal bytes.
std::vector<OutputFile> report_files(const Report& report, const PageInfo& page,
                                     const std::string& folder = {});

/// The same for an answer that has a document of its own: `result` is its result.json.
std::vector<OutputFile> answer_files(std::string result, const Report& report,
                                     const PageInfo& page);

}  // namespace whence
