// Units of work shared with the other ranks, and kept for checkpoints.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "whence/core/shared_work.hpp"

namespace whence {

/// Each rank does every so-manyth unit that is not kept yet, a few at a time; then all ranks get
/// the results of all, and rank 0 may save them.
class SharedUnits final : public SharedWork {
 public:
  struct Options {
    KeptUnits kept;  // what was done before
    /// Called on rank 0 after every round, but not once units may have ended early.
    std::function<void(const KeptUnits&)> save;
    std::size_t shard = 0, shards = 1;  // only units of that shard are done
    /// Where a search is to end, as this process sees it, and as all ranks agree between rounds.
    const std::atomic<bool>* stop = nullptr;
    std::atomic<bool>* agreed_stop = nullptr;
    /// What units end early by, themselves: their results are used, but not kept for later.
    const std::atomic<bool>* units_stop = nullptr;
  };
  explicit SharedUnits(Options options) : options_(std::move(options)) {}

  std::vector<std::string> results(std::string_view stage, std::size_t units, int threads,
                                   const Job& job, const Progress& progress) override;

  const KeptUnits& kept() const { return options_.kept; }
  /// With shards: units of others that were asked for; their results are empty.
  std::size_t left_to_others() const { return left_to_others_; }

 private:
  /// Whether all units of the round were done to their end.
  bool do_round(const std::string& stage, std::span<const std::size_t> mine, int threads,
                const Job& job);

  Options options_;
  std::size_t left_to_others_ = 0;
};

}  // namespace whence
