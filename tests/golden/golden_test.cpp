// Golden files: what every experiment found at smoke scale with seed 0, as text that can be
// reviewed. `scripts/regenerate_golden.sh` writes them anew; read the difference before committing.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/golden/golden_file.hpp"
#include "whence/backends/threads.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {
namespace {

std::filesystem::path golden_file(const std::string& experiment) {
  return golden_folder() / (experiment + ".json");
}

/// About ten places along the curve, the ends among them.
std::vector<std::size_t> places(std::size_t size) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t at = i * (size - 1) / 9;
    if (chosen.empty() || chosen.back() != at) chosen.push_back(at);
  }
  return chosen;
}

Json curve_summary(const Curve& curve) {
  Json x = Json::list(), median = Json::list(), q25 = Json::list(), q75 = Json::list();
  for (std::size_t i : places(curve.x.size())) {
    x.items.push_back(golden_number(curve.x[i]));
    median.items.push_back(golden_number(curve.median[i]));
    q25.items.push_back(golden_number(curve.q25[i]));
    q75.items.push_back(golden_number(curve.q75[i]));
  }
  return Json::object({{"x", x}, {"median", median}, {"q25", q25}, {"q75", q75}});
}

/// What a golden file holds.
Json summary(const Report& report) {
  Json curves = Json::object(), numbers = Json::object(), claims = Json::object();
  for (const Curve& curve : report.curves) curves.set(curve.id, curve_summary(curve));
  for (const Number& n : report.numbers) numbers.set(n.id, golden_number(n.value));
  for (const Claim& claim : report.claims) claims.set(claim.id, claim.holds);
  return Json::object({{"experiment", report.experiment},
                       {"profile", report.profile},
                       {"scale", report.scale},
                       {"seed", report.seed},
                       {"claims", claims},
                       {"numbers", numbers},
                       {"curves", curves}});
}

/// Networks learn in thousands of chained steps: differences between libraries in the last digit
/// grow beyond any tolerance. Their bits are compared between threads and instruction sets instead.
bool has_golden_file(std::string_view experiment) {
  return experiment != "belief-continuous" && experiment != "encoder-rotation" &&
         experiment != "belief-mlp";
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments())
    if (has_golden_file(experiment.name)) names.emplace_back(experiment.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

class Golden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(experiment_names()), test_name);

TEST_P(Golden, AreWhatTheExperimentsFind) {
  const Experiment& experiment = find_experiment(GetParam());
  const Report report = run_experiment(experiment, Settings::of(GetParam(), "paper", "smoke"),
                                       {0, available_threads(), {}});
  compare_with_golden(golden_file(GetParam()), summary(report));
}

TEST(GoldenFiles, BelongToExperiments) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder())) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_NO_THROW(find_experiment(entry.path().stem().string())) << entry.path().filename();
  }
}

TEST(GoldenFiles, ComparisonSeesWhatMattersAndNothingElse) {
  const auto value = [](const char* text) { return read_json(text, "test"); };
  const Json golden = value(R"({"a": [1, 2.5], "claims": {"c": true}})");
  EXPECT_TRUE(
      differences(value(R"({"a": [1, 2.500000000001], "claims": {"c": true}})"), golden).empty());
  for (const char* planted :
       {R"({"a": [1, 2.50000001], "claims": {"c": true}})", R"({"a": [1], "claims": {"c": true}})",
        R"({"a": [1, 2.5], "claims": {"c": false}})", R"({"a": [1, 2.5], "claims": {}})",
        R"({"a": [1, 2.5], "claims": {"c": true, "d": true}})",
        R"({"a": [1, "2.5"], "claims": {"c": true}})"})
    EXPECT_FALSE(differences(value(planted), golden).empty()) << planted;
}

}  // namespace
}  // namespace whence
