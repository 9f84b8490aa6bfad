// What a command needs to run on several ranks, to be continued after a kill, and to do its share.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "whence/backends/shared_units.hpp"
#include "whence/core/dataset.hpp"
#include "whence/io/files/checkpoint_file.hpp"

namespace whence {

/// Of long commands: --checkpoint FILE, and --shard I/N of a grid.
struct SharedOptions {
  std::string checkpoint, shard;
};

class SharedRun {
 public:
  /// `facts` are what all ranks must have been given alike, and all runs that continue each other.
  /// `stop`: set from outside where a search is to end early.
  SharedRun(const SharedOptions& options, std::vector<SharedFact> facts,
            const std::atomic<bool>* stop = nullptr);

  /// Null where one process does everything and keeps nothing.
  SharedWork* work() { return units_.get(); }
  /// Where ranks have to agree on it, else what was given.
  const std::atomic<bool>* stop() const;

  /// "shard 2 of 8: 12 of 96 parts are done": for people.
  std::string part_in_words() const;

 private:
  std::unique_ptr<CheckpointFile> file_;  // of rank 0
  std::unique_ptr<SharedUnits> units_;
  const std::atomic<bool>* stop_;
  std::atomic<bool> agreed_{false};
  std::string shard_;
};

/// The command and this whence; nothing that may differ between equal runs.
std::vector<SharedFact> facts_of(const std::vector<std::string>& command);
/// What is in a data set.
SharedFact fact_of(const Dataset& data);

/// Whether it was asked for: facts may be costly.
bool is_shared(const SharedOptions& options);

}  // namespace whence
