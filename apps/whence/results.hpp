// From reports to files and to words.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "apps/whence/commands.hpp"
#include "whence/core/report.hpp"
#include "whence/io/files/output_directory.hpp"
#include "whence/io/json/json.hpp"

namespace whence {

/// What may differ between equal runs; it becomes run.json.
class RunRecord {
 public:
  RunRecord(std::vector<std::string> command, int threads);
  void note(std::string text) { notes_.push_back(std::move(text)); }
  void timed(std::string experiment, double seconds) {
    seconds_.emplace_back(std::move(experiment), seconds);
  }
  double elapsed() const;
  OutputFile file(const std::vector<OutputFile>& others) const;

 private:
  std::vector<std::string> command_, notes_;
  std::vector<std::pair<std::string, double>> seconds_;
  int threads_;
  std::string started_;
  std::chrono::steady_clock::time_point start_;
};

/// Adds a PNG beside every SVG where rsvg-convert is at hand; otherwise only a note.
void add_pictures(std::vector<OutputFile>& files, RunRecord& record);

enum class Pictures { as_png, none };

/// Writes everything at once.
void publish(OutputDirectory& directory, std::vector<OutputFile> files, RunRecord& record,
             Pictures pictures = Pictures::as_png);

/// The claims of a report with what was measured, and how many hold.
std::string claims_in_words(const Report& report);

/// A benchmark's two reports: what was found, and what depends on the machine. In words, and as
/// files, the second in a folder of its own.
std::string benchmark_in_words(const Report& found, const Report& speed);
std::vector<OutputFile> benchmark_files(const Report& found, const Report& speed,
                                        const std::vector<std::string>& command);

/// Its warnings, with the name of the experiment.
std::vector<std::string> warnings_of(const Report& report);
void print_warnings(const Report& report, const Globals& globals);

/// A path as the user would type it: relative to the current directory where it is below.
std::string shown_path(const std::filesystem::path& path);

}  // namespace whence
