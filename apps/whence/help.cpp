#include "apps/whence/help.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "apps/whence/arguments.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/version.hpp"

namespace whence {

std::vector<std::pair<int, std::string>> exit_codes() {
  return {{0, "everything went well"},
          {1, "an internal error: please report it"},
          {2, "the command line was wrong"},
          {3, "the data were bad"},
          {4, "the configuration was bad"},
          {5, "reading or writing failed, or another process holds the output directory"},
          {6, "more memory would be needed than allowed"},
          {7, "a numerical failure, such as a learning rate that diverges"},
          {8, "a result or a state is damaged, or does not fit"},
          {9, "a distributed run failed"},
          {10, "the device asked for is not available"},
          {11, "finished, but some of several experiments failed; they are listed"},
          {129, "the terminal went away (SIGHUP); nothing half-written"},
          {130, "interrupted (Ctrl-C); nothing half-written"},
          {143, "terminated; nothing half-written"},
          {152, "the time on the processor is used up (SIGXCPU); nothing half-written"}};
}

std::string option_heading(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return joined(names) + (takes_value(option) ? " " + metavar(option) : "");
}

std::string option_meaning(const CLI::Option& option) {
  const std::string standard = option.get_default_str();
  std::string meaning = option.get_description();
  // Choices that neither the heading nor the description shows already.
  const auto possible = choices(option);
  const auto is_described = [&](const std::string& choice) {
    return option.get_description().find(choice) != std::string::npos;
  };
  if (metavar(option).find('|') == std::string::npos &&
      !std::all_of(possible.begin(), possible.end(), is_described))
    meaning += ": " + joined(possible);
  return meaning + (standard.empty() ? "" : " [default: " + standard + "]");
}

std::string usage_line(const CLI::App& app) {
  std::string line = "whence";
  if (app.get_parent()) line += " " + app.get_name();
  line += subcommands_of(app).empty() ? " [OPTION...]" : " COMMAND [OPTION...]";
  for (const CLI::Option* positional : positionals_of(app)) {
    const std::string name = metavar(*positional);
    line += positional->get_required() ? " " + name : " [" + name + "]";
  }
  return line;
}

namespace {

struct Row {
  std::string heading, meaning;
};

/// Headings in one column, meanings in the next; long headings get a line of their own.
std::string table(const std::string& title, const std::vector<Row>& rows, int width) {
  constexpr int longest = 26;
  if (rows.empty()) return {};
  std::size_t column = 0;
  for (const Row& row : rows)
    if (row.heading.size() <= longest) column = std::max(column, row.heading.size());
  std::string out = "\n" + title + ":\n";
  for (const Row& row : rows) {
    out += "  " + row.heading;
    const bool fits = row.heading.size() <= column;
    if (fits)
      out.append(column - row.heading.size() + 2, ' ');
    else
      out += "\n" + std::string(column + 4, ' ');
    out += wrapped(row.meaning, int(column) + 4, width, false) + "\n";
  }
  return out;
}

std::vector<Row> rows_of(const std::vector<const CLI::Option*>& options) {
  std::vector<Row> rows;
  for (const CLI::Option* option : options)
    rows.push_back({option->get_positional() ? metavar(*option) : option_heading(*option),
                    option_meaning(*option)});
  return rows;
}

/// Subcommands by their group, in the order in which they were added.
std::string commands(const CLI::App& app, int width) {
  std::vector<std::string> groups;
  for (const CLI::App* sub : subcommands_of(app))
    if (std::find(groups.begin(), groups.end(), sub->get_group()) == groups.end())
      groups.push_back(sub->get_group());
  std::string out;
  for (const std::string& group : groups) {
    std::vector<Row> rows;
    for (const CLI::App* sub : subcommands_of(app))
      if (sub->get_group() == group) rows.push_back({sub->get_name(), sub->get_description()});
    out += table(group, rows, width);
  }
  return out;
}

}  // namespace

std::string help_text(const CLI::App& app, int width) {
  std::string out;
  const bool is_root = app.get_parent() == nullptr;
  out += is_root ? "whence " + std::string(version()) + " - " + app.get_description()
                 : "whence " + app.get_name() + " - " + app.get_description();
  out += "\n\nUsage: " + usage_line(app) + "\n";
  out += commands(app, width);
  out += table("Arguments", rows_of(positionals_of(app)), width);
  out += table("Options", rows_of(options_of(app)), width);
  if (!is_root)
    out += table("Options of every command", rows_of(options_of(*app.get_parent())), width);
  if (!app.get_footer().empty()) out += "\n" + app.get_footer() + "\n";
  if (is_root) out += "\nwhence COMMAND --help says more about one command.\n";
  return for_locale(out);
}

}  // namespace whence
