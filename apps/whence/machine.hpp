// The machine this runs on, and the tools that may be there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence {

std::string host_name();
std::string cpu_name();
std::uint64_t memory_bytes();
std::string utc_now();  // "2030-01-31T12:00:00Z"

/// Runs the work on a stack that is large enough, whatever this process was given; so do the
/// threads that it starts.
int on_a_large_stack(const std::function<int()>& work);

/// Where a tool is on the PATH; empty when it is not.
std::string find_tool(std::string_view name);

/// Runs a tool without a shell, gives it `input` and returns what it wrote; nothing when it could
/// not be run or failed. Its own messages are not shown.
std::optional<std::string> run_tool(const std::vector<std::string>& command,
                                    std::string_view input);

}  // namespace whence
