#include "apps/whence/arguments.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <CLI/CLI.hpp>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

std::string metavar(const CLI::Option& option) { return split(option.get_type_name(), ':')[0]; }

std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  return split(type.substr(type.find(':') + 1), '|');  // npos + 1 == 0
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return metavar(option);
  return option.get_lnames().empty() ? "-" + option.get_snames().at(0)
                                     : "--" + option.get_lnames()[0];
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* o) { return o->nonpositional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* o) { return o->get_positional(); });
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

namespace {

[[noreturn]] void refuse(const char* id, const std::string& problem, const std::string& hint) {
  throw Error(ExitCode::usage, id, "", problem, hint);
}

class Check {
 public:
  Check(const CLI::App& root, const std::vector<std::string>& arguments)
      : root_(root), app_(&root), arguments_(arguments) {}

  Request run() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument.empty()) refuse("E-USAGE-EMPTY", "an argument is empty", help_hint());
      if (!only_positionals_ && argument == "--")
        only_positionals_ = true;
      else if (!only_positionals_ && argument.size() > 1 && argument[0] == '-')
        check_option(argument);
      else
        check_positional(argument);
      if (help_ || version_) return {app_, help_, version_};
    }
    if (!subcommands_of(*app_).empty()) refuse("E-USAGE-COMMAND", "which command?", command_hint());
    const auto positionals = positionals_of(*app_);
    if (given_ < positionals.size() && positionals[given_]->get_required()) {
      const auto possible = choices(*positionals[given_]);
      refuse("E-USAGE-MISSING", app_->get_name() + " needs " + metavar(*positionals[given_]),
             possible.empty() ? help_hint() : "one of: " + joined(possible));
    }
    return {app_};
  }

 private:
  void check_option(const std::string& argument) {
    const bool is_long = argument.compare(0, 2, "--") == 0;
    const std::size_t equals = argument.find('=');
    const std::string name =
        is_long ? argument.substr(0, equals) : argument.substr(0, std::min<std::size_t>(2, equals));
    std::optional<std::string> value;
    if (is_long && equals != std::string::npos) value = argument.substr(equals + 1);
    if (!is_long && argument.size() > 2) value = argument.substr(2);

    const CLI::Option* option = find(name);
    const bool glued_flags = option && !takes_value(*option) && !is_long && value;
    if (!option || glued_flags) refuse_unknown(argument.substr(0, equals));
    if (++times_[option] > 1 && option->get_items_expected_max() <= 1)
      refuse("E-USAGE-REPEATED", name + " is given more than once", "keep one");
    if (!takes_value(*option)) {
      if (value) refuse("E-USAGE-VALUE", name + " takes no value", "write " + name);
      help_ = name == "-h" || name == "--help";
      version_ = name == "--version";
      return;
    }
    if (!value) value = next_value(*option, name);
    check_value(*option, name, *value);
    if (!option->get_allow_extra_args()) return;
    while (at_ + 1 < arguments_.size() && arguments_[at_ + 1].compare(0, 1, "-") != 0)
      check_value(*option, name, arguments_[++at_]);
  }

  std::string next_value(const CLI::Option& option, const std::string& name) {
    const bool none = at_ + 1 >= arguments_.size();
    if (none || find(arguments_[at_ + 1].substr(0, arguments_[at_ + 1].find('='))))
      refuse("E-USAGE-MISSING", name + " needs a value", name + " " + metavar(option));
    return arguments_[++at_];
  }

  void check_value(const CLI::Option& option, const std::string& name,
                   const std::string& value) const {
    if (value.empty())
      refuse("E-USAGE-EMPTY", name + " has an empty value", name + " " + metavar(option));
    const std::vector<std::string> possible = choices(option);
    if (possible.empty() || std::find(possible.begin(), possible.end(), value) != possible.end())
      return;
    const std::string near = did_you_mean(value, possible);
    refuse("E-USAGE-CHOICE", "there is no " + name + " '" + excerpt(value) + "'",
           near.empty() ? "one of: " + joined(possible) : near);
  }

  void check_positional(const std::string& argument) {
    if (!subcommands_of(*app_).empty()) {
      enter(argument);
      return;
    }
    const auto positionals = positionals_of(*app_);
    // The last one may be a list.
    const bool more = !positionals.empty() && given_ == positionals.size() &&
                      positionals.back()->get_items_expected_max() > 1;
    if (more) return check_value(*positionals.back(), metavar(*positionals.back()), argument);
    if (given_ >= positionals.size())
      refuse("E-USAGE-EXTRA", "'" + excerpt(argument) + "' is one argument too many", help_hint());
    check_value(*positionals[given_], metavar(*positionals[given_]), argument);
    ++given_;
  }

  void enter(const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* sub : subcommands_of(*app_)) {
      if (sub->get_name() == name) {
        app_ = sub;
        return;
      }
      names.push_back(sub->get_name());
    }
    const std::string near = name == "help" ? "whence --help" : did_you_mean(name, names);
    refuse("E-USAGE-COMMAND", "there is no command '" + excerpt(name) + "'",
           near.empty() ? command_hint() : near);
  }

  const CLI::Option* find(const std::string& name) const {
    for (const CLI::App* app : {app_, &root_})
      for (const CLI::Option* option : options_of(*app))
        if (name.size() > 1 && option->check_name(name)) return option;
    return nullptr;
  }

  [[noreturn]] void refuse_unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const CLI::App* app : {app_, &root_})
      for (const CLI::Option* option : options_of(*app)) names.push_back(shown_name(*option));
    const std::string near = did_you_mean(name, names);
    refuse("E-USAGE-OPTION", "there is no option '" + excerpt(name) + "'",
           near.empty() ? help_hint() : near);
  }

  std::string help_hint() const {
    return app_ == &root_ ? "whence --help" : "whence " + app_->get_name() + " --help";
  }

  std::string command_hint() const {
    std::vector<std::string> names;
    for (const CLI::App* sub : subcommands_of(root_)) names.push_back(sub->get_name());
    return "one of: " + joined(names);
  }

  const CLI::App& root_;
  const CLI::App* app_;
  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0, given_ = 0;
  bool only_positionals_ = false, help_ = false, version_ = false;
  std::map<const CLI::Option*, int> times_;
};

}  // namespace

Request check_arguments(const CLI::App& root, const std::vector<std::string>& arguments) {
  return Check(root, arguments).run();
}

}  // namespace whence
