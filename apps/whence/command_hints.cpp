#include "apps/whence/command_hints.hpp"

#include <string_view>

namespace whence {
namespace {

struct CommandHint {
  ExitCode code;  // an id may stand for several problems; with the code it stands for one
  std::string_view id;
  std::string_view place;  // empty: as the library says
  std::string_view hint;
};

constexpr CommandHint hints[] = {
    {ExitCode::usage, "E-DATA-COLUMNS", "", "name them: --columns X,Y"},
    {ExitCode::bad_config, "E-MODEL-KIND", "", "choose --model auto, or set the columns' types"},
    {ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
     "leave some out; of tables, --columns chooses"},
};

}  // namespace

Error with_command_hint(const Error& error) {
  // Readers use some of the ids, too, and name the options themselves.
  if (error.hint().find("--") != std::string::npos) return error;
  for (const CommandHint& one : hints) {
    if (one.code != error.code() || one.id != error.id()) continue;
    return Error(error.code(), error.id(),
                 one.place.empty() ? error.place() : std::string(one.place), error.what(),
                 std::string(one.hint));
  }
  return error;
}

}  // namespace whence
