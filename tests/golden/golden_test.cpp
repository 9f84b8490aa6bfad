// Golden files: what every experiment found at smoke scale with seed 0, as text that can be
// reviewed. `scripts/regenerate_golden.sh` writes them anew; read the difference before committing.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "whence/backends/threads.hpp"
#include "whence/discover/experiment.hpp"
#include "whence/io/json_reader.hpp"
#include "whence/io/text_file.hpp"

namespace whence {
namespace {

constexpr const char* remedy =
    "; if the change is wanted, run scripts/regenerate_golden.sh and review the difference";

std::filesystem::path golden_file(const std::string& experiment) {
  return std::filesystem::path(WHENCE_SOURCE_DIR) / "tests" / "golden" / (experiment + ".json");
}

bool regenerating() {
  const char* wish = std::getenv("WHENCE_REGENERATE_GOLDEN");
  return wish && std::string(wish) == "1";
}

constexpr double noise = 1e-13;  // values below it are rounding

/// Enough digits to compare at 1e-9, few enough to read.
Json number(double value) {
  const std::string text = fmt::format("{:.12g}", std::abs(value) < noise ? 0.0 : value);
  double shortened = 0;
  std::from_chars(text.data(), text.data() + text.size(), shortened);
  return Json(shortened);
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
    x.items.push_back(number(curve.x[i]));
    median.items.push_back(number(curve.median[i]));
    q25.items.push_back(number(curve.q25[i]));
    q75.items.push_back(number(curve.q75[i]));
  }
  return Json::object({{"x", x}, {"median", median}, {"q25", q25}, {"q75", q75}});
}

/// What a golden file holds.
Json summary(const Report& report) {
  Json curves = Json::object(), numbers = Json::object(), claims = Json::object();
  for (const Curve& curve : report.curves) curves.set(curve.id, curve_summary(curve));
  for (const Number& n : report.numbers) numbers.set(n.id, number(n.value));
  for (const Claim& claim : report.claims) claims.set(claim.id, claim.holds);
  return Json::object({{"experiment", report.experiment},
                       {"profile", report.profile},
                       {"scale", report.scale},
                       {"seed", report.seed},
                       {"claims", claims},
                       {"numbers", numbers},
                       {"curves", curves}});
}

/// Libraries round exp and log differently in the last digits.
bool close(double measured, double golden) {
  return std::abs(measured - golden) <= 1e-9 * std::abs(golden) + noise;
}

/// The paths at which two values differ.
void differences(const Json& measured, const Json& golden, const std::string& path,
                 std::vector<std::string>& found) {
  const auto differ = [&] {
    found.push_back(path + ": " + measured.dump() + " instead of " + golden.dump());
  };
  if (measured.kind != golden.kind) return differ();
  switch (golden.kind) {
    case Json::Kind::number:
      if (!close(measured.as_double(), golden.as_double())) differ();
      return;
    case Json::Kind::list:
      if (measured.items.size() != golden.items.size()) return differ();
      for (std::size_t i = 0; i < golden.items.size(); ++i)
        differences(measured.items[i], golden.items[i], path + "[" + std::to_string(i) + "]",
                    found);
      return;
    case Json::Kind::object:
      for (const JsonMember& member : golden.members) {
        const Json* other = measured.find(member.key);
        if (other)
          differences(*other, member.value, path + "/" + member.key, found);
        else
          found.push_back(path + "/" + member.key + " is gone");
      }
      for (const JsonMember& member : measured.members)
        if (!golden.find(member.key)) found.push_back(path + "/" + member.key + " is new");
      return;
    default:
      if (measured.dump() != golden.dump()) differ();
  }
}

std::vector<std::string> differences(const Json& measured, const Json& golden) {
  std::vector<std::string> found;
  differences(measured, golden, "", found);
  return found;
}

void write_golden(const std::string& experiment, const Json& value) {
  std::ofstream out(golden_file(experiment), std::ios::trunc);
  out << value.dump(2) << "\n";
  ASSERT_TRUE(out.good());
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
  const Json measured = summary(report);
  if (regenerating()) return write_golden(GetParam(), measured);
  ASSERT_TRUE(std::filesystem::exists(golden_file(GetParam())))
      << golden_file(GetParam()).filename() << " is missing" << remedy;
  const Json golden = read_json(read_text_file(golden_file(GetParam())),
                                golden_file(GetParam()).filename().string());
  for (const std::string& difference : differences(measured, golden))
    ADD_FAILURE() << difference << remedy;
}

TEST(GoldenFiles, BelongToExperiments) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_file("x").parent_path())) {
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
