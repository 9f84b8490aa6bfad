// Help, manual and completions: three ways to print the one tree of options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/whence/commands.hpp"

namespace whence {

std::string help_text(const CLI::App& app, int width);
std::string man_page(const CLI::App& root);
/// `shell` is bash, zsh or fish.
std::string completion_script(const CLI::App& root, const std::string& shell);

/// What the process returns, for the manual and for people.
std::vector<std::pair<int, std::string>> exit_codes();

/// "-o, --output DIR"
std::string option_heading(const CLI::Option& option);
/// The meaning and, where there is one, the default.
std::string option_meaning(const CLI::Option& option);
/// "whence reproduce [OPTION...] NAME"
std::string usage_line(const CLI::App& app);

}  // namespace whence
