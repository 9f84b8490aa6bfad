// Writing results while the operating system fails, at every call in turn (F03, F04, L11).
#include <cerrno>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bad_input/temporary_folder.hpp"
#include "faults/system_calls.hpp"
#include "whence/core/error.hpp"
#include "whence/io/files/directory_lock.hpp"
#include "whence/io/files/output_directory.hpp"
#include "whence/io/files/single_file.hpp"

namespace whence {
namespace {

namespace fs = std::filesystem;
using bad_input::TemporaryFolder;
using faults::Fault;
using faults::Injected;

std::vector<OutputFile> result(const std::string& content) {
  return {
      {"a/x.txt", content},
      {"y.txt", content},
      {"run.json", R"({"program": "whence", "files": [{"name": "a/x.txt"}, {"name": "y.txt"}]})"}};
}

/// All files below a folder, with their bytes.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder).string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

std::size_t entries(const fs::path& folder) {
  return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// How an attempt under a fault ended: no error, or one that keeps the contract.
void expect_io_error(const Error& error, const fs::path& folder) {
  EXPECT_EQ(error.code(), ExitCode::io) << error.what();
  const std::string place = folder.parent_path().string();  // without its slash
  EXPECT_NE(error.place().find(place), std::string::npos) << error.place();
}

/// Fails at call 1, 2, 3 and so on, until nothing is left to fail. `attempt` is what is tried,
/// `check` looks at what is left of it.
template <class Attempt, class Check>
std::size_t fail_everywhere(int error, bool for_ever, const fs::path& place, const Attempt& attempt,
                            const Check& check) {
  for (std::size_t at = 1;; ++at) {
    SCOPED_TRACE("call " + std::to_string(at) + ", errno " + std::to_string(error) +
                 (for_ever ? ", for ever" : ""));
    bool fired = false, succeeded = false;
    {
      const Injected injected({at, error, for_ever});
      try {
        attempt();
        succeeded = true;
      } catch (const Error& refused) {
        expect_io_error(refused, place);
      }
      fired = injected.fired();
    }
    if (!fired) {
      EXPECT_TRUE(succeeded);
      // Half a write happens at writes alone: other calls count, and do not fail.
      if (error != 0 || at > 100) return at;
      continue;
    }
    check(succeeded);
    if (testing::Test::HasFailure()) return at;
  }
}

constexpr int errors[] = {ENOSPC, EDQUOT, EIO, EINTR, EMFILE, EROFS, EACCES, 0};

TEST(F03, ResultsAreTheOldOnesOrTheNewOnesWhateverFails) {
  const TemporaryFolder root;
  const fs::path out = root / "out";
  OutputDirectory(out).publish(result("old"));
  const auto old = contents(out);
  for (const bool for_ever : {false, true})
    for (const int error : errors) {
      if (for_ever && error != ENOSPC && error != EROFS) continue;
      const std::size_t calls = fail_everywhere(
          error, for_ever, root / "", [&] { OutputDirectory(out).publish(result("new")); },
          [&](bool succeeded) {
            const auto left = contents(out);
            EXPECT_TRUE(left == old || left.at("y.txt") == "new");
            EXPECT_EQ(left.size(), old.size());
            EXPECT_TRUE(!succeeded || left != old);
            // Leftovers, if even clearing up failed, are gone after the next run.
            EXPECT_TRUE(for_ever || entries(root / "") == 1u);
            OutputDirectory(out).publish(result("old"));
            EXPECT_EQ(contents(out), old);
            EXPECT_EQ(entries(root / ""), 1u);
          });
      EXPECT_GT(calls, 15u);
    }
}

TEST(F03, AFileIsTheOldOneOrTheNewOneWhateverFails) {
  const TemporaryFolder root;
  const fs::path file = root / "state.json";
  write_single_file(file, "old", true);
  for (const int error : errors) {
    fail_everywhere(
        error, false, root / "", [&] { write_single_file(file, "new", true); },
        [&](bool succeeded) {
          const auto left = contents(root / "");
          ASSERT_EQ(left.size(), 1u);
          EXPECT_TRUE(left.at("state.json") == "new" ||
                      (!succeeded && left.at("state.json") == "old"));
          write_single_file(file, "old", true);
        });
  }
}

/// Nothing was there before: nothing is there afterwards, not even the parents.
TEST(F03, AFirstResultIsWholeOrAbsent) {
  const TemporaryFolder root;
  const fs::path out = root / "new/deep/out";
  fail_everywhere(
      ENOSPC, false, root / "", [&] { OutputDirectory(out).publish(result("new")); },
      [&](bool succeeded) {
        if (fs::exists(out)) {
          EXPECT_EQ(contents(out).size(), 3u);
          fs::remove_all(root / "new");
        } else {
          EXPECT_FALSE(succeeded);
        }
        EXPECT_EQ(entries(root / ""), 0u);
      });
}

TEST(L11, WithoutLocksTheFileItselfIsTheLock) {
  const TemporaryFolder root;
  for (const int error : {EOPNOTSUPP, ENOLCK, ENOSYS}) {
    const Injected no_locks({1, error, true, "flock"});
    {
      const DirectoryLock first(root / "out");
      try {
        const DirectoryLock second(root / "out");
        ADD_FAILURE() << "two writers";
      } catch (const Error& refused) {
        EXPECT_EQ(refused.id(), "E-LOCK");
        EXPECT_NE(std::string(refused.what()).find(std::to_string(::getpid())), std::string::npos);
      }
    }
    const DirectoryLock again(root / "out");  // the first is gone, and so is its file
  }
  EXPECT_EQ(entries(root / ""), 0u);
}

TEST(L11, ALockOfADeadProcessIsTakenOver) {
  const TemporaryFolder root;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  // Beyond the largest process number that Linux can be told to use.
  root.write(".out.whence-lock", "2000000000 " + std::string(host) + "\n");
  const Injected no_locks({1, EOPNOTSUPP, true, "flock"});
  const DirectoryLock taken(root / "out");
  EXPECT_THROW(DirectoryLock(root / "out"), Error);
}

TEST(L11, AReadOnlyFileSystemIsNamed) {
  const TemporaryFolder root;
  const Injected read_only({1, EROFS, true, "open"});
  try {
    OutputDirectory(root / "out").publish(result("new"));
    ADD_FAILURE() << "written";
  } catch (const Error& refused) {
    expect_io_error(refused, root / "");
    EXPECT_NE(std::string(refused.what()).find("Read-only"), std::string::npos) << refused.what();
  }
}

}  // namespace
}  // namespace whence
