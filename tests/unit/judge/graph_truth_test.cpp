// Data become a folder of files, and come back under the names that they had.
#include "whence/judge/graph_truth.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

using bad_input::TemporaryFolder;

/// Two environments of six rows, of which the first is the baseline.
GraphData two_sites(const std::string& baseline, const std::string& other) {
  GraphData data;
  Dataset& all = data.loaded.data;
  all.variables = {{"wind", Variable::Kind::categorical, 2, 1, {"-lo", "@hi"}},
                   {"power", Variable::Kind::real, 0, 1, {}}};
  all.columns.resize(2);
  for (int r = 0; r < 12; ++r) {
    all.columns[0].levels.push_back(r % 2);
    all.columns[1].values.push_back(r + 0.5);
  }
  all.environments = {{baseline, 0, 6}, {other, 6, 12}};
  data.loaded.baseline = 0;
  data.targets = {std::vector<std::size_t>{}, std::vector<std::size_t>{1}};
  return data;
}

void put(const TemporaryFolder& folder, const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files)
    std::ofstream(folder / file.name, std::ios::binary) << file.content;
}

TEST(SimulationFolder, LevelsAndNamesComeBack) {
  for (const std::string baseline : {"baseline", "base", "home/2024"}) {
    const TemporaryFolder folder;
    const GraphData data = two_sites(baseline, "lab");
    put(folder, simulation_files(data, known_truth_json(data)));
    EXPECT_TRUE(std::filesystem::exists(folder / "baseline.csv"));
    const GraphData found = read_simulation(folder / "");
    ASSERT_EQ(found.loaded.data.environments.size(), 2u);
    EXPECT_EQ(found.loaded.data.environments[0].name, baseline);
    EXPECT_EQ(found.loaded.data.environments[1].name, "lab");
    EXPECT_EQ(found.loaded.baseline, 0u);
    EXPECT_EQ(found.loaded.data.variables[0].level_names, (std::vector<std::string>{"-lo", "@hi"}));
    EXPECT_EQ(found.targets, data.targets);
  }
}

TEST(SimulationFolder, TwoBaselinesAreRefused) {
  const GraphData data = two_sites("base", "baseline");
  EXPECT_THROW(simulation_files(data, known_truth_json(data)), Error);
}

TEST(SimulationFolder, AForgedNameIsRefused) {
  for (const char* called : {"\"lab\"", "\"\"", "7", "null", "[\"a\"]"}) {
    const TemporaryFolder folder;
    const GraphData data = two_sites("base", "lab");
    put(folder, simulation_files(data, known_truth_json(data)));
    std::ofstream(folder / "truth.json")
        << R"({"environments": [{"name": "baseline", "called": )" << called << "}]}";
    EXPECT_THROW(read_simulation(folder / ""), Error) << called;
  }
}

}  // namespace
}  // namespace whence
