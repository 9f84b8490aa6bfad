#include "whence/io/files/output_directory.hpp"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/files/text_file.hpp"

namespace whence {
namespace {

namespace fs = std::filesystem;

const std::string manifest =
    R"({"program": "whence", "files": [{"name": "a/x.txt"}, {"name": "y.txt"}]})";

std::vector<OutputFile> result(const std::string& content) {
  return {{"a/x.txt", content}, {"y.txt", content}, {"run.json", manifest}};
}

class OutputDirectoryTest : public testing::Test {
 protected:
  OutputDirectoryTest() {
    std::string pattern = (fs::temp_directory_path() / "whence-test-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    out = root / "out";
  }
  ~OutputDirectoryTest() override { fs::remove_all(root); }

  std::string refusal() const {
    try {
      OutputDirectory directory(out);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.id();
    }
    return "accepted";
  }
  void publish(const std::string& content) const { OutputDirectory(out).publish(result(content)); }
  std::string read(const std::string& name) const { return read_text_file(out / name); }
  std::size_t entries_beside() const {
    return std::size_t(std::distance(fs::directory_iterator(root), fs::directory_iterator()));
  }

  fs::path root, out;
};

TEST_F(OutputDirectoryTest, WritesFilesAndLeavesNothingElse) {
  publish("one");
  EXPECT_EQ(read("a/x.txt"), "one");
  EXPECT_EQ(entries_beside(), 1u);
  struct stat status {};
  ASSERT_EQ(::stat(out.c_str(), &status), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0777 & ~mask);
}

TEST_F(OutputDirectoryTest, ReplacesItsOwnAndKeepsTheRest) {
  publish("one");
  std::ofstream(out / "a" / "mine.txt") << "mine";
  fs::create_directory(out / "empty");
  publish("two");
  EXPECT_EQ(read("a/x.txt"), "two");
  EXPECT_EQ(read("a/mine.txt"), "mine");
}

TEST_F(OutputDirectoryTest, NeverShowsAMixtureToAReader) {
  publish("0");
  std::atomic<bool> stop = false;
  std::atomic<int> mixtures = 0, reads = 0;
  std::thread reader([&] {
    while (!stop) {
      // One handle on the folder: both files are of the same run, or the folder just went away.
      const int folder = ::open(out.c_str(), O_RDONLY | O_DIRECTORY);
      if (folder < 0) {
        ++mixtures;  // DIR itself must never be missing
        continue;
      }
      char a = 0, b = 0;
      const int x = ::openat(folder, "a/x.txt", O_RDONLY), y = ::openat(folder, "y.txt", O_RDONLY);
      if (x >= 0 && y >= 0 && ::read(x, &a, 1) == 1 && ::read(y, &b, 1) == 1) {
        ++reads;
        if (a != b) ++mixtures;
      }
      for (const int file : {x, y, folder})
        if (file >= 0) ::close(file);
    }
  });
  for (int i = 1; i < 60; ++i) publish(std::to_string(i % 10));
  stop = true;
  reader.join();
  EXPECT_GT(reads, 0);
  EXPECT_EQ(mixtures, 0);
}

TEST_F(OutputDirectoryTest, ChangesNothingWhenAWriteFails) {
  publish("one");
  rlimit old{}, small{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  small = {2000, old.rlim_max};
  {
    OutputDirectory directory(out);
    ::setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(directory.publish(result(std::string(5000, 'x'))), Error);
    ::setrlimit(RLIMIT_FSIZE, &old);
  }
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(read("a/x.txt"), "one");
  EXPECT_EQ(entries_beside(), 1u);
}

TEST_F(OutputDirectoryTest, LeavesNoParentsBehindWhenNothingIsPublished) {
  { OutputDirectory directory(root / "new" / "deep" / "out"); }
  EXPECT_EQ(entries_beside(), 0u);
  OutputDirectory(root / "new" / "deep" / "out").publish(result("x"));
  EXPECT_TRUE(fs::exists(root / "new" / "deep" / "out" / "y.txt"));
}

TEST_F(OutputDirectoryTest, RefusesWhatIsNotItsOwn) {
  fs::create_directory(out);
  EXPECT_EQ(refusal(), "accepted");  // empty
  std::ofstream(out / "thesis.txt") << "precious";
  EXPECT_EQ(refusal(), "E-OUT-FOREIGN");
  fs::remove_all(out);
  fs::create_symlink(root, out);
  EXPECT_EQ(refusal(), "E-OUT-KIND");
  fs::remove(out);
  ::mkfifo(out.c_str(), 0600);
  EXPECT_EQ(refusal(), "E-OUT-KIND");
}

TEST_F(OutputDirectoryTest, RefusesALinkWhereAResultStood) {
  publish("one");
  fs::remove(out / "y.txt");
  fs::create_symlink("/etc/passwd", out / "y.txt");
  EXPECT_EQ(refusal(), "E-OUT-KIND");
}

TEST_F(OutputDirectoryTest, LetsOneWriterInAtATime) {
  OutputDirectory first(out);
  EXPECT_EQ(refusal(), "E-LOCK");
  first.publish(result("x"));
  EXPECT_EQ(refusal(), "E-LOCK");
}

TEST_F(OutputDirectoryTest, TakesOverTheLockOfADeadProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    OutputDirectory directory(out);
    ::_exit(0);  // no destructors: as if killed
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(entries_beside(), 1u);  // its lock
  publish("x");
  EXPECT_EQ(entries_beside(), 1u);  // the result
}

TEST_F(OutputDirectoryTest, TakesSafeNamesOnly) {
  for (const char* name : {"../x", "/x", "a//b", "", "a/../b", "-x", "con", "a\nb"})
    EXPECT_THROW(OutputDirectory(out).publish(std::vector<OutputFile>{{name, ""}}),
                 std::logic_error)
        << name;
  EXPECT_EQ(entries_beside(), 0u);
}

}  // namespace
}  // namespace whence
