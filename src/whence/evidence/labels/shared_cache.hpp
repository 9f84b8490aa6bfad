// Results of pure functions, remembered by many threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_map>

namespace whence {

/// Values never change once stored, and references to them stay valid. Two threads may compute the
/// same value at once; the first one stays.
template <class Key, class Value, class Hash>
class SharedCache {
 public:
  template <class Compute>
  const Value& get(const Key& key, const Compute& compute) {
    Shard& shard = shards_[(Hash()(key) >> 7) % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      const auto found = shard.values.find(key);
      if (found != shard.values.end()) return found->second;
    }
    Value value = compute();
    const std::lock_guard lock(shard.mutex);
    return shard.values.emplace(key, std::move(value)).first->second;
  }

  /// What was stored under a key; nothing where nothing was.
  const Value* find(const Key& key) const {
    Shard& shard = shards_[(Hash()(key) >> 7) % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.values.find(key);
    return found == shard.values.end() ? nullptr : &found->second;
  }

  std::size_t size() const {
    std::size_t count = 0;
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      count += shard.values.size();
    }
    return count;
  }

  void clear() {
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      shard.values.clear();
    }
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<Key, Value, Hash> values;
  };
  mutable std::array<Shard, 64> shards_;
};

}  // namespace whence
