#include "whence/io/files/run_seal.hpp"

#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/files/sha256.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

std::string run_of(const std::string& content) {
  Json files = Json::list();
  files.items.push_back(Json::object(
      {{"name", "result.json"}, {"bytes", content.size()}, {"sha256", sha256_hex(content)}}));
  return sealed_run(Json::object({{"program", "whence"}, {"files", files}}));
}

TEST(RunSeal, HoldsUntilAByteChanges) {
  const bad_input::TemporaryFolder folder;
  const std::filesystem::path root = folder / "";
  const std::string content = "{\"belief\": 0.5}\n", run = run_of(content);
  folder.write("run.json", run);
  folder.write("result.json", content);
  EXPECT_TRUE(check_run(root).good());
  for (std::size_t at = 0; at < content.size(); ++at) {
    std::string damaged = content;
    damaged[at] ^= 1;
    folder.write("result.json", damaged);
    EXPECT_FALSE(check_run(root).good()) << at;
  }
  std::filesystem::remove(root / "result.json");
  const RunCheck gone = check_run(root);
  ASSERT_EQ(gone.files.size(), 2u);
  EXPECT_EQ(gone.files[1].state, FileCheck::State::missing);
  folder.write("result.json", content);
  folder.write("notes.txt", "mine");
  const RunCheck more = check_run(root);
  EXPECT_TRUE(more.good());
  EXPECT_EQ(more.strangers, std::vector<std::string>{"notes.txt"});
}

TEST(RunSeal, IsSealedAgainAfterAChangeOnPurpose) {
  Json run = read_json(run_of("x"), "run.json");
  const std::string before = run.find("sha256")->text;
  run.set("note", "changed");
  const Json again = read_json(sealed_run(run), "run.json");
  EXPECT_NE(again.find("sha256")->text, before);
  EXPECT_EQ(sealed_run(again), sealed_run(run));
}

TEST(RunSeal, LooksAtNothingOutsideTheFolder) {
  const bad_input::TemporaryFolder folder;
  const std::filesystem::path root = folder / "";
  Json files = Json::list();
  files.items.push_back(Json::object({{"name", "../x"}, {"bytes", 0}, {"sha256", ""}}));
  folder.write("run.json", sealed_run(Json::object({{"program", "whence"}, {"files", files}})));
  EXPECT_THROW(check_run(root), Error);
}

}  // namespace
}  // namespace whence
