// run.json lists the files of a run with their checksums, and carries one of its own. Whether all
// of them still hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whence/io/json/json.hpp"

namespace whence {

/// The text of run.json, its own checksum being the last member.
std::string sealed_run(Json run);

struct FileCheck {
  enum class State { good, changed, missing, unreadable };
  std::string name;
  State state = State::good;
  std::string problem = {};  // in words; empty where good
};

struct RunCheck {
  std::vector<FileCheck> files;        // run.json first, then those that it lists, in its order
  std::vector<std::string> strangers;  // files in the folder that it does not list
  bool good() const;
};

/// Errors: E-RUN of code checkpoint where the folder holds no run.json that can be read.
RunCheck check_run(const std::filesystem::path& folder);

}  // namespace whence
