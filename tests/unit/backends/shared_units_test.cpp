#include "whence/backends/shared_units.hpp"

#include <atomic>

#include <gtest/gtest.h>

namespace whence {
namespace {

std::string squared(std::size_t i) { return bytes_of_value(i * i); }

TEST(SharedUnits, ResultsComeInOrderAndAreSavedOnTheWay) {
  std::vector<std::size_t> saved;
  SharedUnits::Options how;
  how.save = [&](const KeptUnits& units) { saved.push_back(units.size()); };
  SharedUnits work(std::move(how));
  const auto results = work.results("squares", 7, 3, squared, {});
  ASSERT_EQ(results.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(value_of_bytes<std::size_t>(results[i]), i * i);
  EXPECT_EQ(saved, (std::vector<std::size_t>{3, 6, 7}));
}

TEST(SharedUnits, WhatIsKeptIsNotDoneAgain) {
  SharedUnits::Options how;
  how.kept[{"squares", 2}] = bytes_of_value(std::size_t(77));
  how.kept[{"others", 3}] = "of another stage";
  SharedUnits work(std::move(how));
  std::atomic<int> done = 0;
  const auto count = [&](std::size_t i) {
    ++done;
    return squared(i);
  };
  const auto results = work.results("squares", 4, 1, count, {});
  EXPECT_EQ(done, 3);
  EXPECT_EQ(value_of_bytes<std::size_t>(results[2]), 77u);
  EXPECT_EQ(value_of_bytes<std::size_t>(results[3]), 9u);
}

TEST(SharedUnits, ShardsTogetherDoEverythingOnce) {
  std::vector<int> done(10, 0);
  for (std::size_t shard = 0; shard < 3; ++shard) {
    SharedUnits::Options how;
    how.shard = shard;
    how.shards = 3;
    SharedUnits work(std::move(how));
    work.results("squares", 10, 1,
                 [&](std::size_t i) {
                   ++done[i];
                   return squared(i);
                 },
                 {});
    EXPECT_EQ(work.kept().size() + work.left_to_others(), 10u);
  }
  EXPECT_EQ(done, std::vector<int>(10, 1));
}

TEST(SharedUnits, WhatMayHaveEndedEarlyIsUsedButNotSaved) {
  std::atomic<bool> stop = false;
  std::vector<std::size_t> saved;
  SharedUnits::Options how;
  how.save = [&](const KeptUnits& units) { saved.push_back(units.size()); };
  how.units_stop = &stop;
  SharedUnits work(std::move(how));
  const auto job = [&](std::size_t i) {
    if (i == 3) stop = true;
    return squared(i);
  };
  const auto results = work.results("squares", 6, 1, job, {});
  EXPECT_EQ(saved, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(value_of_bytes<std::size_t>(results[5]), 25u);
  work.results("more", 2, 1, squared, {});
  EXPECT_EQ(saved.size(), 3u);
}

TEST(SharedUnits, AnErrorOfAUnitIsThrown) {
  SharedUnits work({});
  const auto job = [](std::size_t i) -> std::string {
    if (i == 2) throw std::runtime_error("unit 2");
    return "";
  };
  EXPECT_THROW(work.results("squares", 4, 2, job, {}), std::runtime_error);
}

TEST(ByteReader, WhatEndsTooSoonIsNotWhole) {
  const std::string bytes =
      ByteWriter().put(3.5).put_text("text").put_list(std::vector<int>{1, 2, 3}).take();
  for (const std::size_t length :
       {bytes.size(), bytes.size() - 1, std::size_t(12), std::size_t(0)}) {
    ByteReader reader(std::string_view(bytes).substr(0, length));
    const bool same = reader.get<double>() == 3.5 && reader.get_text() == "text" &&
                      reader.get_list<int>() == std::vector<int>{1, 2, 3} && reader.whole();
    EXPECT_EQ(same, length == bytes.size()) << length;
  }
}

}  // namespace
}  // namespace whence
