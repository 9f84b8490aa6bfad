#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/arguments.hpp"
#include "apps/whence/commands.hpp"
#include "apps/whence/help.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

/// Every name of an option: -o --output
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// Options that may follow a subcommand: its own and those of every command.
std::vector<const CLI::Option*> all_options(const CLI::App& root, const CLI::App& app) {
  auto options = options_of(app);
  if (&app != &root)
    for (const CLI::Option* option : options_of(root)) options.push_back(option);
  return options;
}

/// A text inside single quotes of any shell; `[`, `]` and `:` would be syntax to zsh.
std::string single_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return single_quoted(out);
}

/// bash: what may stand behind an option that takes a value.
std::string bash_values(const CLI::Option& option) {
  const auto possible = choices(option);
  if (!possible.empty())
    return "COMPREPLY=($(compgen -W '" + joined(possible, " ") + "' -- \"$word\"))";
  if (metavar(option) == "FILE")
    return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))";
  if (metavar(option) == "DIR")
    return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$word\"))";
  return "COMPREPLY=()";
}

std::string bash_command(const CLI::App& root, const CLI::App& app) {
  std::string values, words;
  for (const CLI::Option* option : all_options(root, app)) {
    words += (words.empty() ? "" : " ") + joined(names_of(*option), " ");
    if (takes_value(*option))
      values += "        " + joined(names_of(*option), "|") + ") " + bash_values(*option) +
                "; return ;;\n";
  }
  std::string plain_words;
  for (const CLI::Option* positional : positionals_of(app))
    plain_words = joined(choices(*positional), " ");
  if (&app == &root) {
    std::vector<std::string> names;
    for (const CLI::App* sub : subcommands_of(root)) names.push_back(sub->get_name());
    plain_words = joined(names, " ");
  }
  return "    " + (&app == &root ? "''" : app.get_name()) + ")\n      case $before in\n" + values +
         "      esac\n      options='" + words + "' words='" + plain_words + "' ;;\n";
}

std::string bash_script(const CLI::App& root) {
  std::string cases = bash_command(root, root);
  for (const CLI::App* sub : subcommands_of(root)) cases += bash_command(root, *sub);
  return R"(# bash completion for whence; load with: source <(whence completion bash)
_whence() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command= options= words= i
  # --option=value arrives as three words
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      )" +
         [&] {
           std::vector<std::string> names;
           for (const CLI::App* sub : subcommands_of(root)) names.push_back(sub->get_name());
           return joined(names, "|");
         }() +
         R"() command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
)" + cases +
         R"(  esac
  if [[ $word == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _whence whence ./whence
)";
}

std::string zsh_values(const CLI::Option& option) {
  const auto possible = choices(option);
  if (!possible.empty())
    return ":" + metavar(option).substr(0, 12) + ":(" + joined(possible, " ") + ")";
  if (metavar(option) == "FILE") return ":file:_files";
  if (metavar(option) == "DIR") return ":folder:_files -/";
  return ":" + plain(metavar(option)) + ":";
}

std::string zsh_arguments(const CLI::App& root, const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : all_options(root, app))
    for (const std::string& name : names_of(*option))
      out += " \\\n        '" + name + "[" + plain(option->get_description()) + "]" +
             (takes_value(*option) ? zsh_values(*option) : "") + "'";
  for (const CLI::Option* positional : positionals_of(app))
    out += " \\\n        '1" + zsh_values(*positional) + "'";
  return out;
}

std::string zsh_script(const CLI::App& root) {
  std::string names, cases;
  for (const CLI::App* sub : subcommands_of(root)) {
    names += "    '" + sub->get_name() + ":" + plain(sub->get_description()) + "'\n";
    cases += "      " + sub->get_name() + ")\n        _arguments" + zsh_arguments(root, *sub) +
             "\n        ;;\n";
  }
  return R"(#compdef whence
# zsh completion for whence; put it into a folder of $fpath as _whence
_whence() {
  local -a commands
  commands=(
)" + names +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments)" +
         zsh_arguments(root, root) + R"(
  else
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
)" + cases +
         R"(    esac
  fi
}
if [[ $funcstack[1] == _whence ]]; then _whence "$@"; else compdef _whence whence; fi
)";
}

std::string fish_option(const CLI::Option& option, const std::string& condition) {
  std::string line = "complete -c whence" + condition;
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  if (takes_value(option)) {
    const auto possible = choices(option);
    if (!possible.empty())
      line += " -x -a '" + joined(possible, " ") + "'";
    else if (metavar(option) == "FILE")
      line += " -r -F";
    else if (metavar(option) == "DIR")
      line += " -x -a '(__fish_complete_directories)'";
    else
      line += " -x";
  }
  return line + " -d '" + single_quoted(option.get_description()) + "'\n";
}

std::string fish_script(const CLI::App& root) {
  std::string out =
      "# fish completion for whence; load with: whence completion fish | source\n"
      "complete -c whence -f\n";
  for (const CLI::Option* option : options_of(root)) out += fish_option(*option, "");
  for (const CLI::App* sub : subcommands_of(root)) {
    out += "complete -c whence -n __fish_use_subcommand -a " + sub->get_name() + " -d '" +
           single_quoted(sub->get_description()) + "'\n";
    const std::string condition = " -n '__fish_seen_subcommand_from " + sub->get_name() + "'";
    for (const CLI::Option* option : options_of(*sub)) out += fish_option(*option, condition);
    for (const CLI::Option* positional : positionals_of(*sub))
      if (!choices(*positional).empty())
        out +=
            "complete -c whence" + condition + " -a '" + joined(choices(*positional), " ") + "'\n";
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& root, const std::string& shell) {
  if (shell == "zsh") return zsh_script(root);
  if (shell == "fish") return fish_script(root);
  return bash_script(root);
}

void add_completion(CLI::App& root, Globals&) {
  CLI::App* app = root.add_subcommand("completion", "print a completion script for your shell");
  app->group("Tools");
  const auto shell = std::make_shared<std::string>();
  app->add_option("SHELL", *shell, "the shell")->required()->type_name("SHELL:bash|zsh|fish");
  app->footer("Example:\n  source <(whence completion bash)");
  app->callback([&root, shell] { print(completion_script(root, *shell)); });
}

}  // namespace whence
