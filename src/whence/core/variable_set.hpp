// A set of variables as bits: what families, caches and searches are keyed by.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace whence {

inline constexpr std::size_t most_variables = 1024;

/// A set of variables. Only words up to the last one ever written are looked at, so small graphs do
/// not pay for large ones.
class VariableSet {
 public:
  bool has(std::size_t v) const { return words_[v / 64] >> (v % 64) & 1; }
  void flip(std::size_t v) { word_of(v) ^= std::uint64_t(1) << (v % 64); }
  void insert(std::size_t v) { word_of(v) |= std::uint64_t(1) << (v % 64); }
  void erase(std::size_t v) { words_[v / 64] &= ~(std::uint64_t(1) << (v % 64)); }
  VariableSet flipped(std::size_t v) const {
    VariableSet other = *this;
    other.flip(v);
    return other;
  }
  VariableSet with(std::size_t v) const {
    VariableSet other = *this;
    other.insert(v);
    return other;
  }
  VariableSet without(std::size_t v) const {
    VariableSet other = *this;
    other.erase(v);
    return other;
  }
  VariableSet minus(const VariableSet& other) const {
    VariableSet result = *this;
    for (std::size_t w = 0; w < used_; ++w) result.words_[w] &= ~other.words_[w];
    return result;
  }
  VariableSet operator&(const VariableSet& other) const {
    VariableSet result = *this;
    for (std::size_t w = 0; w < used_; ++w) result.words_[w] &= other.words_[w];
    return result;
  }
  VariableSet operator|(const VariableSet& other) const {
    VariableSet result = *this;
    return result |= other;
  }
  bool meets(const VariableSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < used_; ++w) common |= words_[w] & other.words_[w];
    return common != 0;
  }
  VariableSet& operator|=(const VariableSet& other) {
    used_ = std::max(used_, other.used_);
    for (std::size_t w = 0; w < other.used_; ++w) words_[w] |= other.words_[w];
    return *this;
  }
  std::size_t size() const {
    std::size_t n = 0;
    for (std::size_t w = 0; w < used_; ++w) n += std::size_t(std::popcount(words_[w]));
    return n;
  }
  bool empty() const { return size() == 0; }
  template <class Function>
  void each(Function&& function) const {  // in ascending order
    for (std::size_t w = 0; w < used_; ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        function(w * 64 + std::size_t(std::countr_zero(rest)));
  }
  std::vector<std::size_t> members() const {
    std::vector<std::size_t> result;
    each([&](std::size_t v) { result.push_back(v); });
    return result;
  }
  /// Of the members alone: words that were written and emptied again do not count.
  std::size_t hash() const {
    std::size_t last = used_;
    while (last > fewest_hashed && words_[last - 1] == 0) --last;
    std::uint64_t h = 0x9E3779B97F4A7C15ULL;
    for (std::size_t w = 0; w < std::max(last, fewest_hashed); ++w) {
      h = (h ^ words_[w]) * 0xBF58476D1CE4E5B9ULL;
      h ^= h >> 31;
    }
    return std::size_t(h);
  }
  bool operator==(const VariableSet& other) const {
    const std::size_t last = std::max(used_, other.used_);
    return std::equal(words_.begin(), words_.begin() + std::ptrdiff_t(last), other.words_.begin());
  }

 private:
  static constexpr std::size_t fewest_hashed = 4;
  std::uint64_t& word_of(std::size_t v) {
    used_ = std::max(used_, v / 64 + 1);
    return words_[v / 64];
  }

  std::size_t used_ = 0;  // words that may hold a member
  std::array<std::uint64_t, most_variables / 64> words_{};
};

struct VariableSetHash {
  std::size_t operator()(const VariableSet& set) const { return set.hash(); }
};

}  // namespace whence
