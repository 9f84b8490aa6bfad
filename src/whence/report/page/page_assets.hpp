// The style sheet and the script of the report page.
#pragma once

#include <string>
#include <string_view>

namespace whence {

/// Complete, the rules of the figures included.
std::string page_style();

/// Reads curves at a point, switches curves on and off, filters claims. The page says everything
/// without it.
std::string_view page_script();

}  // namespace whence
