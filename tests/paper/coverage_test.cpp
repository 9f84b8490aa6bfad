// Every proposition of the table that concerns categorical pairs has a law; that each law has a
// planted bug is checked by the compiler (law.hpp).
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "whence/io/text_file.hpp"

namespace whence::test {
namespace {

std::string all_sources() {
  std::string text;
  const auto folder = std::filesystem::path(WHENCE_SOURCE_DIR) / "tests" / "paper";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cpp") text += read_text_file(entry.path());
  return text;
}

/// Is `id` the first argument of a call of expect_law, whatever the line breaks?
bool has_law(const std::string& text, const std::string& id) {
  const std::string argument = "\"" + id + "\",";
  for (auto at = text.find(argument); at != std::string::npos; at = text.find(argument, at + 1)) {
    const auto before = text.find_last_not_of(" \n", at - 1);
    const std::string call = "expect_law(";
    if (before + 1 >= call.size() && text.compare(before + 1 - call.size(), call.size(), call) == 0)
      return true;
  }
  return false;
}

TEST(Propositions, AllHaveALaw) {
  const std::string text = all_sources();
  for (const char* id : {"P1a", "P1b", "P1c", "P1d", "P2a", "P2b", "P2c", "P2d", "P2e", "P2f",
                         "P3a", "P3b", "P3c", "P6", "P7", "calibration", "swap", "rename"})
    EXPECT_TRUE(has_law(text, id)) << id;
  EXPECT_FALSE(has_law(text, "P0"));
}

}  // namespace
}  // namespace whence::test
