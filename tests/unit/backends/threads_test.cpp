#include "whence/backends/threads.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(ParallelFor, RunsEveryJobOnce) {
  for (int threads : {-1, 0, 1, 2, 3, 7, 64})
    for (std::size_t n : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> runs(n);
      parallel_for(n, threads, [&](std::size_t i) { ++runs[i]; });
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(runs[i], 1) << threads << " threads, job " << i;
    }
}

TEST(ParallelFor, ReportsProgressUpToOne) {
  for (int threads : {1, 3}) {
    double last = 0;
    std::size_t calls = 0;
    std::atomic<int> inside = 0;
    parallel_for(
        100, threads, [](std::size_t) {},
        [&](double share) {
          EXPECT_EQ(++inside, 1) << "never from two threads at once";
          EXPECT_GT(share, last);
          last = share;
          ++calls;
          --inside;
        });
    EXPECT_EQ(last, 1);
    EXPECT_EQ(calls, 100u);
  }
}

TEST(ParallelFor, ThrowsTheFirstExceptionOnce) {
  for (int threads : {1, 2, 7}) {
    std::atomic<int> after = 0;
    try {
      parallel_for(1000, threads, [&](std::size_t i) {
        if (i == 3) throw std::runtime_error("job 3");
        if (i > 500) ++after;
      });
      FAIL() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "job 3");
    }
    if (threads == 1) {
      EXPECT_EQ(after, 0) << "the others stop";
    }
  }
}

TEST(ParallelFor, ThrowsOneOfManyExceptions) {
  int caught = 0;
  try {
    parallel_for(100, 4, [](std::size_t i) { throw std::runtime_error(std::to_string(i)); });
  } catch (const std::runtime_error&) {
    ++caught;
  }
  EXPECT_EQ(caught, 1);
}

TEST(ParallelFor, WorksAgainAfterAnException) {
  EXPECT_THROW(parallel_for(10, 2, [](std::size_t) { throw std::runtime_error("no"); }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  parallel_for(10, 2, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(ParallelFor, PassesOnWhatProgressThrows) {
  EXPECT_THROW(parallel_for(
                   10, 2, [](std::size_t) {}, [](double) { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

TEST(ParallelFor, Nests) {
  std::vector<std::atomic<int>> runs(30);
  parallel_for(
      5, 2, [&](std::size_t i) { parallel_for(6, 2, [&](std::size_t j) { ++runs[6 * i + j]; }); });
  for (const auto& run : runs) EXPECT_EQ(run, 1);
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace whence
