// The one way Whence fails: what went wrong, where, and how to mend it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace whence {

/// Exit codes of the command line; stable and documented in docs/guide.md.
enum class ExitCode : int {
  ok = 0,
  internal = 1,  // a bug by definition: no input may produce it
  usage = 2,
  bad_data = 3,
  bad_config = 4,
  io = 5,
  resource = 6,
  numerical = 7,
  checkpoint = 8,
  distributed = 9,
  device = 10,
  partial = 11,
  interrupted = 130,
  terminated = 143,
};

/// `id` is stable ("E-CONFIG-KEY"); `place` is "file:line:column", a key, or empty; `hint` is the
/// remedy.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, std::string id, std::string place, const std::string& problem,
        std::string hint = {})
      : std::runtime_error(problem),
        code_(code),
        id_(std::move(id)),
        place_(std::move(place)),
        hint_(std::move(hint)) {}

  ExitCode code() const { return code_; }
  const std::string& id() const { return id_; }
  const std::string& place() const { return place_; }
  const std::string& hint() const { return hint_; }

 private:
  ExitCode code_;
  std::string id_, place_, hint_;
};

/// Data that cannot be used.
[[noreturn]] inline void refuse_data(const char* id, const std::string& place,
                                     const std::string& problem, const std::string& hint = {}) {
  throw Error(ExitCode::bad_data, id, place, problem, hint);
}

}  // namespace whence
