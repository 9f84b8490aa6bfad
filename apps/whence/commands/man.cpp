#include <algorithm>

#include <CLI/CLI.hpp>

#include "apps/whence/arguments.hpp"
#include "apps/whence/commands.hpp"
#include "apps/whence/help.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// Text that roff shows as it is: no escapes, no requests at the beginning of a line.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_line_start = out.empty() || out.back() == '\n';
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string entry(const std::string& heading, const std::string& meaning) {
  return ".TP\n.B " + roff(heading) + "\n" + roff(meaning) + "\n";
}

/// A footer: titles with lines that are kept as they are, and prose between them.
std::string blocks(const std::string& footer) {
  std::string out;
  bool inside = false;
  for (const std::string& line : split(footer, '\n')) {
    const bool title = !line.empty() && line[0] != ' ' && line.back() == ':';
    if (inside && (title || line.empty())) out += ".fi\n.RE\n", inside = false;
    if (title)
      out += ".PP\n" + roff(line) + "\n.RS 4\n.nf\n", inside = true;
    else if (inside)
      out += roff(line.substr(std::min<std::size_t>(2, line.size()))) + "\n";
    else if (!line.empty())
      out += (out.empty() ? ".PP\n" : "") + roff(line) + "\n";
  }
  return out + (inside ? ".fi\n.RE\n" : "");
}

std::string command_section(const CLI::App& app) {
  std::string out = ".SS " + roff(usage_line(app)) + "\n" + roff(app.get_description()) + "\n";
  for (const CLI::Option* option : positionals_of(app))
    out += entry(metavar(*option), option_meaning(*option));
  for (const CLI::Option* option : options_of(app))
    out += entry(option_heading(*option), option_meaning(*option));
  return out + blocks(app.get_footer());
}

}  // namespace

std::string man_page(const CLI::App& root) {
  std::string out =
      ".TH WHENCE 1 \"\" \"whence " + std::string(version()) + "\" \"User Commands\"\n";
  out += ".SH NAME\nwhence \\- " + roff(root.get_description()) + "\n";
  out += ".SH SYNOPSIS\n.B whence\n.I COMMAND\n[OPTION...]\n";
  out += ".SH DESCRIPTION\n" +
         roff(
             "Which variable is the cause? Whoever has the right answer adapts faster when the "
             "world changes. Whence measures that and turns it into a belief.\n"
             "Results go to stdout, everything else to stderr. Files appear all at once or not at "
             "all; an earlier result is replaced, files of other origin are never touched.\n");
  out += ".SH COMMANDS\n";
  for (const CLI::App* sub : subcommands_of(root)) out += command_section(*sub);
  out += ".SH OPTIONS OF EVERY COMMAND\n";
  for (const CLI::Option* option : options_of(root))
    out += entry(option_heading(*option), option_meaning(*option));
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes()) out += entry(std::to_string(code), meaning);
  out +=
      ".SH ENVIRONMENT\n" + entry("NO_COLOR", "no colours, even on a terminal") +
      entry("LC_ALL, LC_CTYPE, LANG", "outside UTF-8, arrows and Greek letters are spelt out") +
      entry("WHENCE_SIMD", "the instruction set to use, one of those that 'whence doctor' lists");
  out += ".SH CONFIGURATION\n" +
         roff(
             "A file for --config is one JSON object of at most 1 MiB. Its keys are those of "
             "\"settings\" in result.json, nested in the same way, and besides \"seed\" (0 to "
             "2^64-1) and \"name\" (of the run, for its folder). Refused are unknown keys, keys "
             "given twice, values of another type or out of range, numbers that no double holds, "
             "and negative zero.\n");
  out += ".SH EXAMPLES\n" + blocks(root.get_footer());
  return out;
}

void add_man(CLI::App& root, Globals&) {
  CLI::App* app = root.add_subcommand("man", "print the manual page, for man -l -");
  app->group("Tools");
  app->footer("Example:\n  whence man | man -l -");
  app->callback([&root] { print(man_page(root)); });
}

}  // namespace whence
