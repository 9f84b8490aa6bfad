// Every proposition of the table has a law, and every numerical fault of the catalogue a test that
// names it; that each law has a planted bug is checked by the compiler (law.hpp).
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/source_tree.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/paper/experiment.hpp"

namespace whence::test {
namespace {

/// All sources below a folder of the repository, this file left out.
std::string sources_of(const std::string& folder) {
  std::string text;
  const auto root = source_tree() / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    const bool source = extension == ".cpp" || extension == ".hpp" || extension == ".sh";
    if (source && entry.path().filename() != "coverage_test.cpp")
      text += read_text_file(entry.path());
  }
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
  const std::string text = sources_of("tests/paper");
  for (const char* id : {"P1a", "P1b", "P1c", "P1d", "P1e", "P2a",         "P2b",  "P2c",
                         "P2d", "P2e", "P2f", "P3a", "P3b", "P3c",         "P4a",  "P4b",
                         "P4c", "P4f", "P5",  "P6",  "P7",  "calibration", "swap", "rename"})
    EXPECT_TRUE(has_law(text, id)) << id;
  EXPECT_FALSE(has_law(text, "P0"));
}

/// Is `id` a word of the text?
bool names(const std::string& text, const std::string& id) {
  const auto part_of_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (auto at = text.find(id); at != std::string::npos; at = text.find(id, at + 1))
    if (!part_of_word(at - 1) && !part_of_word(at + id.size())) return true;
  return false;
}

TEST(Faults, AllHaveATestThatNamesThem) {
  const std::string text = sources_of("tests");
  for (const char* id : {"P4d", "P4e", "K07", "K08", "K14", "K15", "K17", "K18", "L06", "L11",
                         "F03", "F07", "N01", "N02", "N03", "N04", "N05", "N06", "N07", "N08",
                         "N09", "N10", "N11", "N12", "N13", "N14", "N15", "N18", "N19", "N20"})
    EXPECT_TRUE(names(text, id)) << id;
  EXPECT_FALSE(names(text, std::string("N") + "99"));
}

/// Does exp( stand before log_lik within one argument? Names that end in _exp do not count.
bool exponentiates(const std::string& text) {
  for (auto at = text.find("exp("); at != std::string::npos; at = text.find("exp(", at + 1)) {
    const std::string_view portable = "portable_";
    std::size_t start = at;
    if (start >= portable.size() &&
        text.compare(start - portable.size(), portable.size(), portable) == 0)
      start -= portable.size();
    const char before = start == 0 ? ' ' : text[start - 1];
    if (before == '_' || (before >= 'a' && before <= 'z')) continue;
    const std::size_t end = std::min(text.find_first_of(";)", at), text.size());
    if (text.substr(at, end - at).find("log_lik") != std::string::npos) return true;
  }
  return false;
}

/// N01: a log-likelihood is never exponentiated.
TEST(Faults, NoLikelihoodLeavesTheLogarithm) {
  EXPECT_FALSE(exponentiates(sources_of("src")));
  EXPECT_TRUE(exponentiates("p = std::exp(log_lik1);"));
  EXPECT_TRUE(exponentiates("p = portable_exp(2 * log_lik);"));
  EXPECT_FALSE(exponentiates("log_sum_exp(log_lik)"));
}

/// Files that the map names in backticks and that do not exist below src/whence or tests.
std::vector<std::string> missing_files(const std::string& map) {
  const std::filesystem::path root = source_tree();
  std::vector<std::string> missing;
  for (auto open = map.find('`'); open != std::string::npos;) {
    const auto close = map.find('`', open + 1);
    if (close == std::string::npos) break;
    const std::string name = map.substr(open + 1, close - open - 1);
    open = map.find('`', close + 1);
    const std::string extension = std::filesystem::path(name).extension();
    const bool file =
        extension == ".cpp" || extension == ".hpp" || extension == ".sh" || extension == ".json";
    if (!file || name.find_first_of(" <>{}*=") != std::string::npos) continue;
    if (!std::filesystem::exists(root / "src" / "whence" / name) &&
        !std::filesystem::exists(root / "tests" / name))
      missing.push_back(name);
  }
  return missing;
}

TEST(PaperMap, NamesFilesThatExistAndEveryExperiment) {
  const std::string map = read_text_file(source_tree() / "docs" / "paper_map.md");
  EXPECT_EQ(missing_files(map), std::vector<std::string>{});
  EXPECT_EQ(missing_files("`no/such_file.cpp`"), std::vector<std::string>{"no/such_file.cpp"});
  for (const Experiment& experiment : experiments())
    EXPECT_NE(map.find("reproduce " + std::string(experiment.name) + "`"), std::string::npos)
        << experiment.name;
}

}  // namespace
}  // namespace whence::test
