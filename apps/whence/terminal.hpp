// What reaches the user: results on stdout, everything else on stderr.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "whence/core/error.hpp"
#include "whence/core/report.hpp"

namespace whence {

/// To be called before anything opens a file: a closed stdin, stdout or stderr must not become
/// another program's file, and a reader who leaves must not kill the process.
void prepare_streams();

/// From now on only errors are printed: another process prints the rest.
void mute();

/// Writes everything to stdout, or throws an Error of code io: nothing is lost silently.
void print(std::string_view text);

/// One line on stderr; errors there are ignored.
void print_note(std::string_view text);
void print_warning(std::string_view text);

/// error[ID]: place: problem (hint: ...), at most 4 KiB on one line; or the same as a JSON object.
std::string error_line(const Error& error, bool as_json);
void print_error(const Error& error, bool as_json);
void print_stderr(std::string_view text);

bool stdout_is_terminal();
/// Colours are wanted: a terminal, and NO_COLOR is not set.
bool use_colour();
/// Columns of the terminal, between 60 and 100.
int terminal_width();

/// The text as this locale can show it: outside UTF-8, arrows and Greek letters are spelt out.
std::string for_locale(std::string_view text);
bool locale_is_utf8();

/// Lines of at most `width` characters; `indent` blanks before each but, perhaps, the first.
std::string wrapped(std::string_view text, int indent, int width, bool indent_first = true);

/// A progress bar on stderr, on a terminal only. Ctrl-C is answered here: the callback throws.
class ProgressBar {
 public:
  ProgressBar(std::string name, bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double share);
  /// The same without an answer to Ctrl-C, for commands that have one of their own; `note` comes
  /// last.
  void draw(double share, std::string_view note = {});
  Progress callback() {
    return [this](double share) { show(share); };
  }
  static bool wanted(bool quiet);

 private:
  std::string name_;
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

/// SIGINT, SIGTERM, SIGHUP and SIGXCPU set a flag. A command that sees it may end properly; after a
/// moment, or a second SIGINT or SIGTERM, the process ends where it stands.
void catch_signals(bool errors_as_json);
/// Whether there was one. Asking does not count as an answer: the time until the exit goes on.
bool signal_waits();
/// Which exit code such a signal asks for; nothing without one.
std::optional<ExitCode> signal_seen();
/// The same, and clears it.
std::optional<ExitCode> take_signal();
/// Throws an Error with its code after such a signal.
void stop_if_interrupted();

}  // namespace whence
