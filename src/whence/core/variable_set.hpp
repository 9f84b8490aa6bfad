// A set of variables as bits: what families, caches and searches are keyed by.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace whence {

inline constexpr std::size_t most_variables = 256;

/// A set of variables.
class VariableSet {
 public:
  bool has(std::size_t v) const { return words_[v / 64] >> (v % 64) & 1; }
  void flip(std::size_t v) { words_[v / 64] ^= std::uint64_t(1) << (v % 64); }
  void insert(std::size_t v) { words_[v / 64] |= std::uint64_t(1) << (v % 64); }
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
    for (std::size_t w = 0; w < words_.size(); ++w) result.words_[w] &= ~other.words_[w];
    return result;
  }
  VariableSet operator&(const VariableSet& other) const {
    VariableSet result = *this;
    for (std::size_t w = 0; w < words_.size(); ++w) result.words_[w] &= other.words_[w];
    return result;
  }
  VariableSet operator|(const VariableSet& other) const {
    VariableSet result = *this;
    return result |= other;
  }
  bool meets(const VariableSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) common |= words_[w] & other.words_[w];
    return common != 0;
  }
  VariableSet& operator|=(const VariableSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  std::size_t size() const {
    std::size_t n = 0;
    for (std::uint64_t word : words_) n += std::size_t(std::popcount(word));
    return n;
  }
  bool empty() const { return size() == 0; }
  template <class Function>
  void each(Function&& function) const {  // in ascending order
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        function(w * 64 + std::size_t(std::countr_zero(rest)));
  }
  std::vector<std::size_t> members() const {
    std::vector<std::size_t> result;
    each([&](std::size_t v) { result.push_back(v); });
    return result;
  }
  std::size_t hash() const {
    std::uint64_t h = 0x9E3779B97F4A7C15ULL;
    for (std::uint64_t word : words_) {
      h = (h ^ word) * 0xBF58476D1CE4E5B9ULL;
      h ^= h >> 31;
    }
    return std::size_t(h);
  }
  bool operator==(const VariableSet&) const = default;

 private:
  std::array<std::uint64_t, most_variables / 64> words_{};
};

struct VariableSetHash {
  std::size_t operator()(const VariableSet& set) const { return set.hash(); }
};

}  // namespace whence
