// The file in which a long run keeps what is done, so that the same command goes on after a kill.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "whence/core/shared_work.hpp"
#include "whence/io/files/directory_lock.hpp"

namespace whence {

/// What such a file holds: what the run was given, and its results so far.
struct Checkpoint {
  std::vector<SharedFact> facts;
  KeptUnits units;
};

/// What is read back has no more bytes.
constexpr std::size_t largest_checkpoint = std::size_t(1) << 32;

std::string checkpoint_text(const Checkpoint& checkpoint);
/// E-CHECKPOINT-DAMAGED, -VERSION or -FOREIGN (no checkpoint at all), of code checkpoint.
Checkpoint read_checkpoint(const std::string& text, const std::string& file);
/// E-CHECKPOINT-FOREIGN where it belongs to a run that was given something else; the message says
/// what differs.
void require_same_run(const Checkpoint& checkpoint, const std::vector<SharedFact>& facts,
                      const std::string& file);

/// One run at a time has it: a second one is refused with E-LOCK. Every save replaces the file in
/// one step; a full disk leaves the last one as it is.
class CheckpointFile {
 public:
  CheckpointFile(std::filesystem::path path, std::vector<SharedFact> facts);

  const KeptUnits& units() const { return found_; }  // empty where there was no file
  void save(const KeptUnits& units) const;

 private:
  std::filesystem::path path_;
  std::vector<SharedFact> facts_;
  std::unique_ptr<DirectoryLock> lock_;
  KeptUnits found_;
};

}  // namespace whence
