// A directed acyclic graph as sets of bits, with everybody's ancestors at hand.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/graph.hpp"

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

/// Parents may be set freely; `update` then finds the ancestors, and says whether there is a cycle.
class Dag {
 public:
  explicit Dag(std::size_t variables = 0) : parents_(variables), ancestors_(variables) {}
  explicit Dag(const Graph& graph);

  std::size_t variables() const { return parents_.size(); }
  const VariableSet& parents(std::size_t v) const { return parents_[v]; }
  bool edge(std::size_t cause, std::size_t effect) const { return parents_[effect].has(cause); }
  bool adjacent(std::size_t a, std::size_t b) const { return edge(a, b) || edge(b, a); }
  std::size_t edge_count() const;
  Graph graph() const;

  void set_parents(std::size_t v, const VariableSet& parents) { parents_[v] = parents; }
  void flip(std::size_t cause, std::size_t effect) { parents_[effect].flip(cause); }

  /// Recomputes the ancestors. False, and ancestors are unusable, if there is a cycle.
  bool update();
  bool is_ancestor(std::size_t v, std::size_t of) const { return ancestors_[of].has(v); }
  VariableSet descendants(std::size_t v) const;  // without v

  /// Whether the new edge would close a cycle.
  bool closes_cycle(std::size_t cause, std::size_t effect) const {
    return cause == effect || is_ancestor(effect, cause);
  }
  /// Whether turning cause -> effect round would: is there another way from cause to effect?
  bool turning_closes_cycle(std::size_t cause, std::size_t effect) const;

  bool operator==(const Dag& other) const { return parents_ == other.parents_; }

 private:
  std::vector<VariableSet> parents_, ancestors_;
};

}  // namespace whence
