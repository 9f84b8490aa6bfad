#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <gnu/libc-version.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/machine.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/backends/simd.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json.hpp"
#include "whence/paper/experiment.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// Whether Python has torch, without the seconds that importing it takes.
bool has_torch() {
  const std::string python = find_tool("python3");
  if (python.empty()) return false;
  const char* question = "import importlib.util as u; print(u.find_spec('torch') is not None)";
  return run_tool({python, "-c", question}, "").value_or("").substr(0, 4) == "True";
}

Json tool(const char* name, const char* package, const char* purpose, bool present) {
  return Json::object(
      {{"name", name}, {"present", present}, {"package", package}, {"for", purpose}});
}

Json tools() {
  Json list = Json::list();
  list.items.push_back(
      tool("rsvg-convert", "librsvg2-bin", "figures as PNG", !find_tool("rsvg-convert").empty()));
  list.items.push_back(tool("torch", "python3-torch", "contenders of the benchmarks", has_torch()));
  return list;
}

Json libraries() {
  return Json::object({{"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                                           FMT_VERSION % 100)},
                       {"CLI11", CLI11_VERSION},
                       {"glibc", gnu_get_libc_version()},
                       {"libstdc++", std::to_string(_GLIBCXX_RELEASE)}});
}

Json diagnosis() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  return Json::object({{"version", version()},
                       {"revision", revision()},
                       {"compiler", compiler()},
                       {"build_type", build_type()},
                       {"instruction_sets", Json::list(simd_targets())},
                       {"instruction_set", simd_target()},
                       {"threads", available_threads()},
                       {"cpu", cpu_name()},
                       {"memory_bytes", memory_bytes()},
                       {"experiments", Json::list(names)},
                       {"ranks", ranks_in_words()},
                       {"libraries", libraries()},
                       {"tools", tools()}});
}

std::string texts(const Json& list) {
  std::vector<std::string> words;
  for (const Json& item : list.items) words.push_back(item.text);
  return joined(words);
}

std::string in_words(const Json& d) {
  std::string out;
  const auto line = [&](const char* label, const std::string& text) {
    out += fmt::format("{:<17} {}\n", label, text);
  };
  const auto text = [&](const char* key) { return d.find(key)->text; };
  line("whence", text("version") + " (" + text("revision") + ")");
  line("built by", text("compiler") + ", " + text("build_type"));
  line("instruction set",
       text("instruction_set") + " (of " + texts(*d.find("instruction_sets")) + ")");
  line("threads", text("threads") + " on " + text("cpu"));
  line("memory", fmt::format("{:.1f} GiB", d.find("memory_bytes")->as_double() / double(1 << 30)));
  line("ranks", text("ranks"));
  std::vector<std::string> versions;
  for (const JsonMember& library : d.find("libraries")->members)
    versions.push_back(library.key + " " + library.value.text);
  line("libraries", joined(versions));
  line("experiments", texts(*d.find("experiments")));
  for (const Json& tool : d.find("tools")->items) {
    const bool present = tool.find("present")->truth;
    line(tool.find("name")->text.c_str(),
         (present ? "found" : "not found (package " + tool.find("package")->text + ")") + ": " +
             tool.find("for")->text);
  }
  return out;
}

}  // namespace

void add_doctor(CLI::App& root, Globals&) {
  CLI::App* app = root.add_subcommand("doctor", "what this build and this machine can do");
  app->group("Tools");
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "print one JSON object");
  app->callback([json] {
    const Json result = diagnosis();
    print(*json ? result.dump(2) + "\n" : for_locale(in_words(result)));
  });
}

}  // namespace whence
