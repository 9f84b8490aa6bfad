// Texts that are dates or times of day.
#pragma once

#include <string_view>

namespace whence {

/// 2024-03-31, 31.3.2024, 3/31/24, 31-Mar-2024, 2024-03, 2024Q1, each with or without a time; or a
/// time alone: 23:59, 23:59:59.5. A number is no date.
bool looks_like_date(std::string_view text);

}  // namespace whence
