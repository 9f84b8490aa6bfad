// What becomes of a run's files.
#include "apps/whence/results.hpp"

#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/io/files/text_file.hpp"

namespace whence {
namespace {

TEST(Publish, DrawsNothingForARunThatWasAskedToStop) {
  const bad_input::TemporaryFolder folder;
  OutputDirectory directory(folder / "out");
  RunRecord record({"whence", "discover"}, 1);
  const std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>";
  publish(directory, {{"graph.svg", svg}}, record, Pictures::none);
  EXPECT_TRUE(std::filesystem::exists(folder / "out/graph.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/graph.png"));
  EXPECT_NE(read_text_file(folder / "out/run.json", 100000).find("asked to stop"),
            std::string::npos);
}

}  // namespace
}  // namespace whence
