// whence bench real: folders with a truth are read in each of their forms, rows and columns are
// drawn as asked, and controls hold nothing to find.
#include "bench/quality/real_bench.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/report/result_json.hpp"

namespace whence {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

/// a -> b -> c; row r of environment e holds a = r + 100 e, so that rows can be told apart.
std::string table_text(int environment, int rows) {
  std::string text = "a,b,c\n";
  for (int r = 0; r < rows; ++r) {
    const double a = r + 100.0 * environment, b = a / 2 + (r * 7) % 5, c = b - (r * 3) % 4;
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "\n";
  }
  return text;
}

constexpr const char* plain_truth =
    R"({"edges": [["a", "b"], {"from": "b", "to": "c"}], "hidden": [["c", "a"]],
        "environments": {"shifted_01.csv": {"targets": ["a"]}, "shifted_02.csv": {}}})";

class RealDataTest : public testing::Test {
 protected:
  void SetUp() override {
    write(folder() / "baseline.csv", table_text(0, 40));
    write(folder() / "shifted_01.csv", table_text(1, 20));
    write(folder() / "shifted_02.csv", table_text(2, 20));
    write(folder() / "truth.json", plain_truth);
  }
  const std::filesystem::path& folder() const { return temporary_.path(); }
  std::string id_of_truth(const std::string& text) const {
    write(folder() / "truth.json", text);
    try {
      read_real_data(folder());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_data);
      return error.id();
    }
    return "none";
  }

 private:
  support::TemporaryFolder temporary_;
};

TEST_F(RealDataTest, ReadsFilesWithTheirTruth) {
  const RealData data = read_real_data(folder());
  EXPECT_EQ(data.name, folder().filename().string());
  EXPECT_EQ(data.truth.names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(data.truth.graph, read_graph("0->1->2"));
  EXPECT_EQ(data.truth.confounded, (std::vector{std::pair<std::size_t, std::size_t>{0, 2}}));
  EXPECT_EQ(data.truth.targets[1], std::vector<std::size_t>{0});
  EXPECT_EQ(data.knows_targets, (std::vector{false, true, false}));
  EXPECT_TRUE(data.knows_edges);
  EXPECT_EQ(data.data.environments[0].rows(), 40u);
}

TEST_F(RealDataTest, ReadsOneTableWithAColumnOfEnvironments) {
  for (const char* file : {"baseline.csv", "shifted_01.csv", "shifted_02.csv"})
    std::filesystem::remove(folder() / file);
  std::string text = "when,a,b\n";
  for (int r = 0; r < 30; ++r)
    text += std::string(r % 3 == 0 ? "hot" : "usual") + "," + std::to_string(r) + "," +
            std::to_string(r * r % 17) + "\n";
  write(folder() / "all.csv", text);
  write(folder() / "truth.json",
        R"({"environment": "when", "baseline": "usual",
            "environments": [{"name": "hot", "targets": ["b"]}]})");
  const RealData data = read_real_data(folder());
  EXPECT_EQ(data.truth.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(data.knows_edges);
  EXPECT_EQ(data.data.environments[0].name, "usual");
  EXPECT_EQ(data.data.environments[0].rows(), 20u);
  EXPECT_EQ(data.data.columns[0].values[0], 1);  // the first usual row
  EXPECT_EQ(data.truth.targets[1], std::vector<std::size_t>{1});
}

TEST_F(RealDataTest, RefusesATruthThatDoesNotFit) {
  EXPECT_EQ(id_of_truth(plain_truth), "none");
  EXPECT_EQ(id_of_truth(R"({"edges": [["a", "nobody"]]})"), "E-REAL-TRUTH");
  EXPECT_EQ(id_of_truth(R"({"edges": [["a"]]})"), "E-REAL-TRUTH");
  EXPECT_EQ(id_of_truth(R"({"edges": [["a", "b"], ["b", "a"]]})"), "E-REAL-TRUTH");
  EXPECT_EQ(id_of_truth(R"({"environments": {"shifted_09.csv": {"targets": ["a"]}}})"),
            "E-REAL-TRUTH");
  EXPECT_EQ(id_of_truth(R"({"environments": {"baseline.csv": {"targets": ["a"]}}})"),
            "E-REAL-TRUTH");
  std::filesystem::rename(folder() / "baseline.csv", folder() / "usual.csv");
  EXPECT_EQ(id_of_truth(plain_truth), "E-REAL-BASELINE");
  EXPECT_EQ(id_of_truth(R"({"baseline": "usual.csv"})"), "none");
}

/// Rows are those of the table, whole: a says which row of which environment it is.
TEST_F(RealDataTest, SubsamplesAreWholeRowsOfTheirEnvironments) {
  const RealData all = read_real_data(folder());
  const RealData part = subsample(all, {10, 5}, 3, 0), other = subsample(all, {10, 5}, 3, 1);
  EXPECT_EQ(part.data.environments[0].rows(), 10u);
  EXPECT_EQ(part.data.environments[2].rows(), 5u);
  EXPECT_NE(part.data.columns[0].values, other.data.columns[0].values);
  for (std::size_t e = 0; e < 3; ++e) {
    std::set<double> seen;
    const Environment &rows = part.data.environments[e], &source = all.data.environments[e];
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
      const double a = part.data.columns[0].values[r];
      EXPECT_TRUE(seen.insert(a).second) << "a row twice";
      const auto at = source.begin + std::size_t(a - 100.0 * double(e));
      ASSERT_LT(at, source.end);
      EXPECT_EQ(part.data.columns[2].values[r], all.data.columns[2].values[at]);
    }
  }
  EXPECT_EQ(subsample(all, {}, 3, 0).data.columns[1].values, all.data.columns[1].values);
}

TEST_F(RealDataTest, ColumnsMoveWithTheirTruth) {
  const RealData all = read_real_data(folder());
  bool moved = false;
  for (std::uint32_t k = 0; k < 4; ++k) {
    RealData data = all;
    reorder_columns(data, 1, k);
    std::vector<std::size_t> now(3);  // [old]: new
    for (std::size_t v = 0; v < 3; ++v)
      now[v] = std::size_t(
          std::find(data.truth.names.begin(), data.truth.names.end(), all.truth.names[v]) -
          data.truth.names.begin());
    moved = moved || now != std::vector<std::size_t>{0, 1, 2};
    for (std::size_t v = 0; v < 3; ++v) {
      EXPECT_EQ(data.data.variables[now[v]].name, all.truth.names[v]);
      EXPECT_EQ(data.data.columns[now[v]].values, all.data.columns[v].values);
    }
    EXPECT_TRUE(data.truth.graph.edge(VariableId(now[0]), VariableId(now[1])));
    EXPECT_TRUE(data.truth.graph.edge(VariableId(now[1]), VariableId(now[2])));
    EXPECT_EQ(data.truth.graph.edge_count(), 2u);
    EXPECT_EQ(data.truth.targets[1], std::vector<std::size_t>{now[0]});
    EXPECT_EQ(data.truth.confounded[0].first, std::min(now[0], now[2]));
  }
  EXPECT_TRUE(moved);
}

TEST_F(RealDataTest, PiecesComeFromTheBaselineAlone) {
  const RealData all = read_real_data(folder());
  const RealData pieces = baseline_in_pieces(all, all, 1, 0);
  ASSERT_EQ(pieces.data.environments.size(), 3u);
  EXPECT_EQ(pieces.data.environments[0].rows(), 20u);
  EXPECT_EQ(pieces.data.environments[1].rows(), 10u);
  std::set<double> seen(pieces.data.columns[0].values.begin(), pieces.data.columns[0].values.end());
  EXPECT_EQ(seen.size(), 40u);
  EXPECT_LT(*seen.rbegin(), 40);  // environment 1 begins at 100
  for (const auto& targets : pieces.truth.targets) EXPECT_TRUE(targets.empty());
}

TEST_F(RealDataTest, ShiftsOfMeansAreInBaselineDeviations) {
  const RealData all = read_real_data(folder());
  const std::vector<double> shifts = standardised_shifts(all.data, 1);
  const double deviation = std::sqrt((40.0 * 40 - 1) / 12);  // of 0 ... 39
  EXPECT_NEAR(shifts[0], (109.5 - 19.5) / deviation, 1e-9);
  EXPECT_LT(shifts[1], shifts[0]);
  Dataset constant = all.data;
  for (std::size_t r = 0; r < 40; ++r) constant.columns[2].values[r] = 1;
  EXPECT_TRUE(std::isinf(standardised_shifts(constant, 1)[2]));
}

TEST_F(RealDataTest, TheBenchTellsEveryRunAndItsControls) {
  RunOptions options;
  options.seed = 2;
  const RealBenchPlan plan{{folder()}, {30, 15}, 2, true, true};
  const RealBenchmark bench = bench_real(plan, options);
  EXPECT_TRUE(bench.report.warnings.empty());
  ASSERT_EQ(bench.report.tables[0].rows.size(), 6u);
  std::set<std::string> controls;
  for (const auto& row : bench.report.tables[0].rows) controls.insert(row[3]);
  EXPECT_EQ(controls, (std::set<std::string>{"as recorded", "baseline in pieces",
                                             "shuffled within environments"}));
  const auto& first = bench.report.tables[0].rows[0];
  EXPECT_EQ(first[2], "60");  // 30 + 15 + 15 rows
  EXPECT_EQ(first[7].substr(first[7].find('(')), "(2)") << "distance of the empty graph";
  EXPECT_EQ(first[9], "1 of 1") << "the largest shift of a mean names a";
  EXPECT_GE(bench.report.claims.size(), 4u);
  EXPECT_EQ(bench.speed.tables[0].rows.size(), 6u);
  options.threads = 3;
  EXPECT_EQ(result_text(result_json(bench_real(plan, options).report)),
            result_text(result_json(bench.report)));
}

}  // namespace
}  // namespace whence
