// Looks at the arguments before they are parsed: from left to right, the first mistake is named,
// with what was probably meant.
#pragma once

#include <string>
#include <vector>

#include "apps/whence/commands.hpp"

namespace whence {

/// What the arguments ask for before anything else; the search ends there.
struct Request {
  const CLI::App* app;  // the subcommand they name, or the root
  bool help = false, version = false;
};

/// Throws an Error of code usage.
Request check_arguments(const CLI::App& root, const std::vector<std::string>& arguments);

/// What an option takes, from its type name (see commands.hpp).
std::string metavar(const CLI::Option& option);
std::vector<std::string> choices(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
/// "--seed" or, without a long form, "-o"; of a positional, its metavar.
std::string shown_name(const CLI::Option& option);

/// Options of a subcommand or of the root; positionals apart.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::Option*> positionals_of(const CLI::App& app);
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

}  // namespace whence
