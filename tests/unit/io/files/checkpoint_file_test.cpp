#include "whence/io/files/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/files/single_file.hpp"
#include "whence/io/files/text_file.hpp"
#include "whence/report/report_bytes.hpp"

namespace whence {
namespace {

const std::vector<SharedFact> facts = {{"version", "1"}, {"command", "whence x"}, {"data", "abc"}};

Checkpoint example() {
  Checkpoint checkpoint{facts, {}};
  checkpoint.units[{"starts", 0}] = std::string("\0\n\xff", 3);
  checkpoint.units[{"starts", 7}] = "";
  return checkpoint;
}

std::string refusal(const std::string& text, const std::vector<SharedFact>& of = facts) {
  try {
    require_same_run(read_checkpoint(text, "file"), of, "file");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::checkpoint);
    return error.id() + " " + error.what();
  }
  return "";
}

TEST(Checkpoint, ComesBackAsItWas) {
  const Checkpoint read = read_checkpoint(checkpoint_text(example()), "file");
  EXPECT_EQ(read.units, example().units);
  EXPECT_EQ(refusal(checkpoint_text(example())), "");
}

TEST(Checkpoint, EveryDamageIsSeen) {
  const std::string text = checkpoint_text(example());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = char(damaged[at] ^ 1);
    EXPECT_TRUE(refusal(damaged).starts_with("E-CHECKPOINT-")) << at;
    EXPECT_TRUE(refusal(text.substr(0, at)).starts_with("E-CHECKPOINT-")) << at;
  }
  EXPECT_TRUE(refusal(text + "x").starts_with("E-CHECKPOINT-DAMAGED"));
}

TEST(Checkpoint, OfAnotherRunIsRefusedAndSaysInWhatItDiffers) {
  auto others = facts;
  others[2].value = "abd";
  const std::string said = refusal(checkpoint_text(example()), others);
  EXPECT_TRUE(said.starts_with("E-CHECKPOINT-FOREIGN")) << said;
  EXPECT_NE(said.find("its data is not"), std::string::npos) << said;
  EXPECT_TRUE(refusal("a,b\n1,2\n").starts_with("E-CHECKPOINT-FOREIGN"));
  std::string later = checkpoint_text(example());
  later.replace(later.find(" 1\n"), 3, " 2\n");
  EXPECT_TRUE(refusal(later).starts_with("E-CHECKPOINT-VERSION"));
}

TEST(Checkpoint, IsContinuedFromAFile) {
  const bad_input::TemporaryFolder folder;
  const auto path = folder / "run.checkpoint";
  {
    const CheckpointFile file(path, facts);
    EXPECT_TRUE(file.units().empty());
    file.save(example().units);
    EXPECT_THROW(CheckpointFile(path, facts), Error);  // one run at a time
  }
  EXPECT_EQ(CheckpointFile(path, facts).units(), example().units);
  EXPECT_THROW(CheckpointFile(path, {{"version", "2"}}), Error);
}

TEST(ReportBytes, AReportComesBackAsItWas) {
  Report report;
  report.experiment = "e";
  report.seed = 7;
  report.curves = {{"c", "label", {1, 2}, {3, 4}, {5, 6}, {7, 8}}};
  report.figures = {{"f", "t", "x", "y", {"c"}, "caption", true, false, 1, 2, true}};
  report.tables = {{"t", "title", {"a", "b"}, {{"1", "2"}, {"3", "4"}}}};
  report.claims = {{"i", "said", "measured", true, "why", ClaimKind::control}};
  report.numbers = {{"n", 0.1}};
  report.assumptions = {"a"};
  report.warnings = {"w", ""};
  report.failed_runs = 3;
  const std::string bytes = report_bytes(report);
  const Report read = report_of_bytes(bytes);
  EXPECT_EQ(report_bytes(read), bytes);
  EXPECT_EQ(read.tables[0].rows, report.tables[0].rows);
  EXPECT_EQ(read.claims[0].kind, ClaimKind::control);
  EXPECT_EQ(read.curves[0].q75, report.curves[0].q75);
  EXPECT_TRUE(read.figures[0].scatter);
  EXPECT_EQ(read.failed_runs, 3u);
  EXPECT_THROW(report_of_bytes(std::string_view(bytes).substr(1)), Error);
  EXPECT_THROW(report_of_bytes(bytes + "x"), Error);
}

}  // namespace
}  // namespace whence
