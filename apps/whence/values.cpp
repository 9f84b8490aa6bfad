#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

template <class Number>
bool reads_whole(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

[[noreturn]] void refuse_value(const std::string& option, const std::string& text,
                               const std::string& wanted) {
  throw Error(ExitCode::usage, "E-USAGE-VALUE", option, "'" + excerpt(text) + "' is not " + wanted);
}

}  // namespace

CLI::Option* add_value(CLI::App& app, const std::string& names, std::string& target,
                       const std::string& takes, const std::string& help) {
  CLI::Option* option = app.add_option(names, target, help)->type_name(takes);
  if (!target.empty()) option->default_str(target);
  return option;
}

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  if (!reads_whole(text, seed))
    refuse_value("--seed", text, "a whole number from 0 to 18446744073709551615");
  return seed;
}

int threads_of(const std::string& text, const Globals& globals) {
  constexpr int most = 256;
  if (text.empty() || text == "auto") return available_threads();
  double wanted = 0;  // so that 1e9 is a number, too
  if (!reads_whole(text, wanted) || !(wanted >= 1) || wanted != std::floor(wanted))
    refuse_value("--threads", text, "a whole number of at least 1");
  if (wanted > most && !globals.quiet)
    print_note("--threads " + excerpt(text) + " is capped at " + std::to_string(most));
  return wanted > most ? most : int(wanted);
}

std::uint64_t bytes_of(const std::string& text) {
  const std::string wanted = "a size such as 500M or 4G";
  std::string digits = text;
  int shift = 0;
  constexpr std::string_view units = "KMGT";
  if (const auto unit = text.empty() ? units.npos : units.find(text.back()); unit != units.npos) {
    shift = 10 * (int(unit) + 1);
    digits.pop_back();
  }
  std::uint64_t value = 0;
  if (!reads_whole(digits, value) || value == 0 || value > (UINT64_MAX >> shift))
    refuse_value("--max-memory", text, wanted);
  return value << shift;
}

std::string file_of(const std::string& path, const char* name) {
  std::error_code absent;
  const std::filesystem::path given(path);
  return std::filesystem::is_directory(given, absent) ? (given / name).string() : path;
}

}  // namespace whence
