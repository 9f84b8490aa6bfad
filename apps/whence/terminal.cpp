#include "apps/whence/terminal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "whence/core/text.hpp"
#include "whence/io/json/json.hpp"

namespace whence {
namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(std::size_t(wrote));
    } else if (errno == EAGAIN) {  // the stream is non-blocking: wait for it
      pollfd wait{file, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_dumb() { return environment("TERM") == "dumb" || environment("TERM").empty(); }

// Read by any thread, written by the handler: lock-free, so safe for both.
std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array<int, 4> answered = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};

// How long running work may take to end by itself, with the best answer so far. Then
// the process ends where it stands: results appear in one step, so nothing is half-written.
// Once the signal has been noticed an answer is being written, and a slow machine gets more time.
constexpr long grace_milliseconds = 1700, noticed_milliseconds = 30'000;
std::atomic<bool> signal_noticed = false;
timer_t grace_timer;
bool has_grace_timer = false;
// What is said then, made beforehand: a handler can make nothing.
std::string last_words;

void set_grace(long milliseconds) {
  if (!has_grace_timer) return;
  itimerspec when{};
  when.it_value.tv_sec = milliseconds / 1000;
  when.it_value.tv_nsec = milliseconds % 1000 * 1'000'000;
  ::timer_settime(grace_timer, 0, &when, nullptr);
}

void on_signal(int signal) {
  const int error = errno;
  const int before = caught_signal;
  // The second time the user means it. The system itself repeats the other two.
  if (before != 0 && (signal == SIGINT || signal == SIGTERM)) ::_exit(128 + signal);
  if (before == 0) {
    caught_signal = signal;
    set_grace(grace_milliseconds);
  }
  errno = error;
}

void on_grace_over(int) {
  const int signal = caught_signal;
  if (signal == 0) return;  // answered at the last moment
  if (::write(STDERR_FILENO, last_words.data(), last_words.size()) < 0) {
    // stderr is gone: there is no place to report it.
  }
  ::_exit(128 + signal);
}

}  // namespace

void prepare_streams() {
  for (const int file : {0, 1, 2}) {
    if (::fcntl(file, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened for reading only, so that writing to a closed stdout still fails as it should.
    const int opened = ::open("/dev/null", file == 2 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != file) ::close(opened);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a full quota is an error of write(), not a death
}

namespace {
bool is_mute = false;
}

void mute() { is_mute = true; }

void print(std::string_view text) {
  if (is_mute) return;
  if (write_all(STDOUT_FILENO, text)) return;
  throw Error(ExitCode::io, "E-IO-STDOUT", "stdout",
              std::string("cannot write the output: ") + std::strerror(errno),
              "is the reader of the pipe gone, or the disk full?");
}

void print_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }
void print_note(std::string_view text) {
  if (!is_mute) print_stderr("note: " + printable(text) + "\n");
}
void print_warning(std::string_view text) {
  if (is_mute) return;
  print_stderr("warning: " + for_locale(printable(text)) + "\n");
}

std::string error_line(const Error& error, bool as_json) {
  constexpr std::size_t longest = 1200;  // of each part, so that the line stays within 4 KiB
  const auto part = [&](std::string_view text) { return excerpt(text, longest); };
  if (as_json)
    return Json::object({{"error", error.id()},
                         {"exit_code", int(error.code())},
                         {"place", part(error.place())},
                         {"problem", part(error.what())},
                         {"hint", part(error.hint())}})
               .dump() +
           "\n";
  std::string line = "error[" + error.id() + "]: ";
  if (!error.place().empty()) line += part(error.place()) + ": ";
  line += part(error.what());
  if (!error.hint().empty()) line += " (hint: " + part(error.hint()) + ")";
  return for_locale(line) + "\n";
}

void print_error(const Error& error, bool as_json) { print_stderr(error_line(error, as_json)); }

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }
bool use_colour() { return stdout_is_terminal() && environment("NO_COLOR").empty() && !is_dumb(); }

int terminal_width() {
  winsize size{};
  int width = 80;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  return std::clamp(width, 60, 100);
}

bool locale_is_utf8() {
  // The first that is set counts, as in setlocale(); the process itself stays in the "C" locale.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string for_locale(std::string_view text) {
  if (locale_is_utf8()) return std::string(text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 24> spelt = {{
      {"→", "->"}, {"←", "<-"},    {"✓", "ok"},    {"✗", "NO"},    {"–", "-"},     {"—", "-"},
      {"−", "-"},  {"σ", "sigma"}, {"γ", "gamma"}, {"Δ", "Delta"}, {"θ", "theta"}, {"≥", ">="},
      {"≤", "<="}, {"×", "x"},     {"±", "+-"},    {"·", "*"},     {"…", "..."},   {"’", "'"},
      {"“", "\""}, {"”", "\""},    {"≈", "~"},     {"█", "#"},     {"░", "."},     {"²", "^2"},
  }};
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const std::string_view character = text.substr(0, length);
    text.remove_prefix(length);
    const auto found = std::find_if(spelt.begin(), spelt.end(),
                                    [&](const auto& entry) { return entry.first == character; });
    out += found != spelt.end() ? found->second : length > 1 ? "?" : character;
  }
  return out;
}

namespace {

int columns_of(std::string_view text) {
  return int(std::count_if(text.begin(), text.end(),
                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string wrapped(std::string_view text, int indent, int width, bool indent_first) {
  const std::string blanks(std::size_t(indent), ' ');
  std::string out = indent_first ? blanks : "";
  int column = indent;
  bool first = true;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const int length = columns_of(word);
    if (!first && column + 1 + length > width) {
      out += "\n" + blanks;
      column = indent;
      first = true;
    }
    if (!first) out += ' ', ++column;
    out += word;
    column += length;
    first = false;
  }
  return out;
}

bool ProgressBar::wanted(bool quiet) {
  return !quiet && !is_mute && ::isatty(STDERR_FILENO) == 1 && !is_dumb();
}

ProgressBar::ProgressBar(std::string name, bool shown)
    : name_(std::move(name)),
      shown_(shown),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  if (drawn_) print_stderr("\r\033[K");
}

void ProgressBar::show(double share) {
  stop_if_interrupted();
  draw(share);
}

void ProgressBar::draw(double share, std::string_view note) {
  if (!shown_) return;
  using namespace std::chrono;
  const auto now = steady_clock::now();
  if (now - last_ < milliseconds(100)) return;
  last_ = now;
  share = std::clamp(share, 0.0, 1.0);
  const double elapsed = duration<double>(now - start_).count();
  constexpr int cells = 24;
  const int full = int(share * cells);
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "█" : "░";
  std::string line = "\r\033[K" + name_ + "  " + for_locale(bar) + "  " +
                     std::to_string(int(share * 100)) + " %  " + std::to_string(int(elapsed)) +
                     " s";
  if (share > 0.02)
    line += ", about " + std::to_string(int(std::ceil(elapsed * (1 - share) / share))) + " s left";
  if (!note.empty()) line += ", " + for_locale(note);
  print_stderr(line);
  drawn_ = true;
}

namespace {

Error interruption(ExitCode code) {
  return {code, "E-INTERRUPTED", "", "stopped before the end; nothing was written"};
}

}  // namespace

void catch_signals(bool errors_as_json) {
  last_words = error_line({ExitCode::interrupted, "E-INTERRUPTED", "",
                           "stopped where it stood; results appear whole or not at all"},
                          errors_as_json);
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = on_grace_over;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  if (::sigaction(SIGALRM, &action, nullptr) == 0)
    has_grace_timer = ::timer_create(CLOCK_MONOTONIC, &event, &grace_timer) == 0;
  action.sa_handler = on_signal;
  for (const int signal : answered) {
    struct sigaction before {};
    // nohup asks that the end of the terminal be ignored.
    const bool ignored = ::sigaction(signal, nullptr, &before) == 0 &&
                         before.sa_handler == SIG_IGN && signal == SIGHUP;
    if (!ignored) ::sigaction(signal, &action, nullptr);
  }
}

bool signal_waits() { return caught_signal != 0; }

std::optional<ExitCode> signal_seen() {
  const int signal = caught_signal;
  if (signal != 0 && !signal_noticed.exchange(true)) set_grace(noticed_milliseconds);
  if (signal == 0) return std::nullopt;
  return ExitCode(128 + signal);
}

std::optional<ExitCode> take_signal() {
  const auto code = signal_seen();
  caught_signal = 0;
  signal_noticed = false;
  set_grace(0);
  return code;
}

void stop_if_interrupted() {
  if (const auto code = signal_seen()) throw interruption(*code);
}

}  // namespace whence
