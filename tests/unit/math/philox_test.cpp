#include "whence/math/philox.hpp"

#include <set>

#include <gtest/gtest.h>

namespace whence {
namespace {

/// kat_vectors of Random123: philox4x32 10.
TEST(Philox, MatchesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, RunsAtCompileTime) { static_assert(philox({0, 0, 0, 0}, 0)[0] == 0x6627e8d5); }

TEST(PhiloxKey, DiffersForEverySeedAndPurpose) {
  std::set<std::uint64_t> keys;
  std::size_t n = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    for (Purpose purpose : {Purpose::world, Purpose::shift, Purpose::sample, Purpose::test_set,
                            Purpose::training, Purpose::initialise, Purpose::tests}) {
      keys.insert(philox_key(seed, purpose));
      ++n;
    }
  EXPECT_EQ(keys.size(), n);
}

/// Streams are a promise: these numbers never change.
TEST(PhiloxKey, KeepsItsFirstKeys) {
  EXPECT_EQ(philox_key(0, Purpose::world), 0xcd73fe3de975ac26u);
  EXPECT_EQ(philox_key(42, Purpose::sample), 0x930ea0196dbf6febu);
}

}  // namespace
}  // namespace whence
