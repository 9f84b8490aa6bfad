// The last few results of a pure function whose results are too large to keep.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace whence {

/// Asked by many threads at once. What was dropped is computed again, to the same bits.
template <class Key, class Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t kept) : kept_(kept) {}

  template <class Compute>
  std::shared_ptr<const Value> get(const Key& key, const Compute& compute) {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [known, value] : entries_)
        if (known == key) return value;
    }
    auto value = std::make_shared<const Value>(compute());
    const std::lock_guard lock(mutex_);
    if (entries_.size() < kept_)
      entries_.emplace_back(key, value);
    else
      entries_[next_++ % kept_] = {key, value};
    return value;
  }

 private:
  std::size_t kept_, next_ = 0;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Value>>> entries_;
};

}  // namespace whence
