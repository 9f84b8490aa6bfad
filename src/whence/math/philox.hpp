// Philox4x32-10 (Salmon et al. 2011): randomness as a pure function of a key and a counter.
#pragma once

#include <array>
#include <cstdint>

namespace whence {

using PhiloxBlock = std::array<std::uint32_t, 4>;

constexpr PhiloxBlock philox(PhiloxBlock counter, std::uint64_t key) {
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * counter[0];
    const std::uint64_t b = 0xCD9E8D57ULL * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ k0, std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ k1, std::uint32_t(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return counter;
}

/// What a stream is for: streams of different purpose never meet, whatever their counters.
/// Append only: a number, once given, keeps its meaning.
enum class Purpose : std::uint64_t {
  world = 1,       // drawing a ground truth
  shift = 2,       // drawing what changes
  sample = 3,      // drawing data
  test_set = 4,    // drawing held-out data
  training = 5,    // drawing training data
  initialise = 6,  // starting parameters of a learner
  search = 7,      // moves through graphs
  tests = 99,
};

/// key = mix(seed, purpose): two rounds of the SplitMix64 finaliser.
constexpr std::uint64_t philox_key(std::uint64_t seed, Purpose purpose) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ULL * (1 + std::uint64_t(purpose));
  for (int round = 0; round < 2; ++round) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
  }
  return z;
}

/// The place of a stream: counter = (run, episode, step, index).
struct Cell {
  std::uint32_t run = 0, episode = 0, step = 0;
};

}  // namespace whence
