// A report as bytes, to be shared between processes or kept.
#pragma once

#include <string>
#include <string_view>

#include "whence/core/report.hpp"

namespace whence {

std::string report_bytes(const Report& report);
/// Error E-CHECKPOINT-DAMAGED where the bytes are of something else.
Report report_of_bytes(std::string_view bytes);

}  // namespace whence
