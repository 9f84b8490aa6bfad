#include "whence/paper/settings.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/paper/embedded.hpp"
#include "whence/paper/experiment.hpp"
#include "whence/paper/setting_keys.hpp"

namespace whence {
namespace {

const char* const description = R"({
  "name": "fake", "title": "A fake", "paper": {"figure": "Figure 1", "claim": "it grows"},
  "settings": {"levels": [10, 100], "runs": 7, "concentration": 1.0, "reset": true,
               "belief_objective": "mixture",
               "adaptation": {"optimizer": "rmsprop", "learning_rate": 0.1}},
  "profiles": {"released-code": {"runs": 8, "adaptation": {"optimizer": "sgd", "learning_rate": 1}}},
  "smoke": {"runs": 2},
  "expected": [
    {"id": "up", "paper": "goes up", "curve": "c", "at": {"1": [0.4, 0.6], "2": [0.9, 1]}},
    {"id": "full", "paper": "", "curve": "c", "scale": "full", "at": {}},
    {"id": "code", "paper": "", "curve": "c", "profile": "released-code", "at": {}}]})";

Settings fake(const std::string& profile = "paper", const std::string& scale = "full",
              const std::string& config = {}) {
  return Settings::from(description, profile, scale, {config, config.empty() ? "" : "c.json"});
}

std::string refusal(const std::string& config) {
  try {
    fake("paper", "full", config);
  } catch (const Error& error) {
    return error.id() + " " + error.place();
  }
  return "accepted";
}

TEST(Settings, LayOverEachOtherInOrder) {
  EXPECT_EQ(fake().integer("runs"), 7);
  EXPECT_EQ(fake("released-code").integer("runs"), 8);
  EXPECT_EQ(fake("released-code", "smoke").integer("runs"), 2);
  EXPECT_EQ(fake("released-code", "smoke", R"({"runs": 5})").integer("runs"), 5);
}

TEST(Settings, GiveValuesOfEveryType) {
  const Settings settings = fake();
  EXPECT_EQ(settings.integers("levels"), (std::vector<int>{10, 100}));
  EXPECT_EQ(settings.integers("runs"), std::vector<int>{7});
  EXPECT_EQ(settings.number("concentration"), 1.0);
  EXPECT_TRUE(settings.flag("reset"));
  EXPECT_EQ(settings.text("belief_objective"), "mixture");
  EXPECT_EQ(settings.number("adaptation.learning_rate"), 0.1);
  EXPECT_EQ(settings.title(), "A fake");
  EXPECT_EQ(settings.paper_claim(), "it grows");
  EXPECT_TRUE(settings.has("runs"));
  EXPECT_FALSE(settings.has("runs.x"));
  EXPECT_THROW(settings.integer("nothing"), std::logic_error);
}

TEST(Settings, CompleteAnOptimizerWithWhatItUses) {
  const OptimizerSpec rmsprop = fake().optimizer("adaptation");
  EXPECT_EQ(rmsprop.kind, OptimizerSpec::Kind::rmsprop);
  EXPECT_EQ(rmsprop.alpha, 0.99);
  const OptimizerSpec sgd = fake("released-code").optimizer("adaptation");
  EXPECT_EQ(sgd.kind, OptimizerSpec::Kind::sgd);
  EXPECT_EQ(sgd.learning_rate, 1);
  const auto json = fake("released-code").json();
  EXPECT_NE(
      json.find(
          R"("adaptation":{"learning_rate":1,"momentum":0,"nesterov":false,"optimizer":"sgd"})"),
      std::string::npos)
      << json;
  const OptimizerSpec adam =
      fake("paper", "full", R"({"adaptation": {"optimizer": "adam", "beta1": 0.5}})")
          .optimizer("adaptation");
  EXPECT_EQ(adam.beta1, 0.5);
  EXPECT_EQ(adam.beta2, 0.999);
  EXPECT_EQ(refusal(R"({"adaptation": {"optimizer": "sgd", "alpha": 0.5}})"),
            "E-CONFIG-KEY c.json:1:37");
}

TEST(Settings, AreWrittenInOneForm) {
  const auto json = [](const char* config) { return fake("paper", "full", config).json(); };
  EXPECT_EQ(json(R"({"concentration": 0.5})"), json(R"({ "concentration": 5.0e-1 })"));
  EXPECT_EQ(json(R"({"concentration": 1})"), fake().json());
  EXPECT_NE(json(R"({"concentration": 2})"), fake().json());
  EXPECT_EQ(read_json(fake().json(), "f").dump(), fake().json());
}

TEST(Settings, NameThePlaceOfWhatTheyRefuse) {
  EXPECT_EQ(refusal("{\"runs\": 3}"), "accepted");
  EXPECT_EQ(refusal("{\n \"rnus\": 3}"), "E-CONFIG-KEY c.json:2:2");
  EXPECT_EQ(refusal("{\"runs\": 0}"), "E-CONFIG-RANGE c.json:1:10");
  EXPECT_EQ(refusal("{\"levels\": [5, 1]}"), "E-CONFIG-RANGE c.json:1:16");
  EXPECT_EQ(refusal("{\"levels\": 5}"), "E-CONFIG-TYPE c.json:1:12");
  EXPECT_EQ(refusal("{\"adaptation\": 5}"), "E-CONFIG-TYPE c.json:1:16");
  EXPECT_EQ(refusal("{\"adaptation\": {\"runs\": 5}}"), "E-CONFIG-KEY c.json:1:17");
  EXPECT_EQ(refusal("{\"seed\": -1}"), "E-CONFIG-SEED c.json:1:10");
  EXPECT_EQ(refusal("{\"levels\": [1000000]}"), "E-LIMIT-MEMORY c.json");
  EXPECT_EQ(refusal("[]"), "E-CONFIG-TYPE c.json:1:1");
}

TEST(Settings, RefuseWhatDoesNotFitIntoMemory) {
  const auto said = [](const char* experiment, const char* config) -> std::string {
    try {
      Settings::of(experiment, "paper", "full", {config, "c.json"});
      return "accepted";
    } catch (const Error& error) {
      return error.id() + " " + error.what();
    }
  };
  EXPECT_EQ(said("belief-mlp", "{}"), "accepted");
  EXPECT_EQ(said("encoder-rotation", "{}"), "accepted");
  for (const char* config : {R"({"batch": 2000000000})", R"({"training_batch": 2000000000})",
                             R"({"hidden": 2000000000})"}) {
    const std::string answer = said("belief-continuous", config);
    EXPECT_TRUE(answer.starts_with("E-LIMIT-MEMORY")) << config << answer;
    EXPECT_NE(answer.find("2000000000"), std::string::npos) << answer;
  }
  EXPECT_TRUE(said("adaptation-curve", R"({"test_rows": 2000000000})").starts_with("E-LIMIT"));
}

TEST(Settings, KnowWhatTheUserChanged) {
  EXPECT_FALSE(fake().changed_by_user());
  EXPECT_FALSE(fake("paper", "full", R"({"seed": 3, "name": "x"})").changed_by_user());
  EXPECT_EQ(fake("paper", "full", R"({"seed": 3, "name": "x"})").seed(), 3u);
  EXPECT_EQ(fake("paper", "full", R"({"seed": 3, "name": "x"})").run_name(), "x");
  EXPECT_TRUE(fake("paper", "full", R"({"runs": 7})").changed_by_user());
}

TEST(Settings, ExpectWhatIsMeantForProfileAndScale) {
  const auto ids = [](const Settings& settings) {
    std::string out;
    for (const auto& e : settings.expectations()) out += e.id + " ";
    return out;
  };
  EXPECT_EQ(ids(fake()), "up full ");
  EXPECT_EQ(ids(fake("paper", "smoke")), "up ");
  EXPECT_EQ(ids(fake("released-code", "smoke")), "up code ");
  const auto first = fake().expectations()[0];
  EXPECT_EQ(first.at.size(), 2u);
  EXPECT_EQ(first.at[1].x, 2);
  EXPECT_EQ(first.at[1].low, 0.9);
}

// The descriptions that travel with the program.

TEST(Descriptions, AreValidInEveryProfileAndScale) {
  EXPECT_GT(embedded_experiment_count, 0);
  for (int i = 0; i < embedded_experiment_count; ++i)
    for (const char* profile : {"paper", "released-code"})
      for (const char* scale : {"smoke", "full"}) {
        const std::string name = embedded_experiments[i].name;
        const Settings settings = Settings::of(name, profile, scale);
        EXPECT_EQ(settings.experiment(), name);
        EXPECT_FALSE(settings.title().empty()) << name;
        EXPECT_FALSE(settings.paper_claim().empty()) << name;
        for (const auto& expected : settings.expectations())
          for (const auto& at : expected.at) EXPECT_LE(at.low, at.high) << name << expected.id;
      }
}

TEST(Descriptions, BelongToTheExperimentsAndTheOtherWayRound) {
  std::set<std::string> described, listed;
  for (int i = 0; i < embedded_experiment_count; ++i)
    described.insert(embedded_experiments[i].name);
  for (const Experiment& experiment : experiments()) listed.insert(std::string(experiment.name));
  EXPECT_EQ(described, listed);
  EXPECT_THROW(find_experiment("nothing"), Error);
}

void expect_rows(const Json& settings, const std::string& where) {
  for (const JsonMember& member : settings.members) {
    if (member.value.is(Json::Kind::object))
      expect_rows(member.value, where + "." + member.key);
    else
      EXPECT_NE(find_setting_key(member.key), nullptr)
          << where << "." << member.key << " has no row in setting_keys.cpp";
  }
}

TEST(Descriptions, UseKeysOfTheTableOnly) {
  for (int i = 0; i < embedded_experiment_count; ++i)
    expect_rows(read_json(Settings::of(embedded_experiments[i].name, "paper", "full").json(), "f"),
                embedded_experiments[i].name);
}

TEST(SettingKeys, AreDescribedAndDistinct) {
  std::set<std::string_view> names;
  for (const SettingKey& key : setting_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.meaning.empty()) << key.name;
    EXPECT_FALSE(key.range.empty()) << key.name;
    EXPECT_LE(key.min, key.max) << key.name;
  }
}

// Running an experiment.

Report run_fake(const Settings&, const RunOptions&) {
  Report report;
  report.curves = {{"c", "", {1, 2, 3}, {0.5, 0.95, 0.99}, {}, {}}};
  return report;
}

TEST(RunExperiment, CompletesTheReport) {
  const Report report =
      run_experiment({"fake", run_fake}, fake(), {.seed = 9, .threads = 1, .progress = {}});
  EXPECT_EQ(report.experiment, "fake");
  EXPECT_EQ(report.title, "A fake");
  EXPECT_EQ(report.seed, 9u);
  EXPECT_EQ(report.scale, "full");
  EXPECT_EQ(report.settings_json, fake().json());
  ASSERT_EQ(report.claims.size(), 2u);
  EXPECT_TRUE(report.claims[0].holds);
  EXPECT_EQ(report.claims[0].measured, "median 0.5 at 1, 0.95 at 2");
}

Report run_low(const Settings& settings, const RunOptions& options) {
  Report report = run_fake(settings, options);
  report.curves[0].median[1] = 0.8;
  return report;
}
Report run_empty(const Settings&, const RunOptions&) { return {}; }

TEST(RunExperiment, SaysWhyAClaimDoesNotHold) {
  const Claim low = run_experiment({"fake", run_low}, fake(), {}).claims.at(0);
  EXPECT_FALSE(low.holds);
  EXPECT_EQ(low.why, "expected 0.9 to 1 at 2");
  const Claim missing = run_experiment({"fake", run_empty}, fake(), {}).claims.at(0);
  EXPECT_FALSE(missing.holds);
  EXPECT_EQ(missing.measured, "median nothing at 1, nothing at 2");
}

TEST(RunExperiment, ExpectsNothingOfChangedSettings) {
  const Report report =
      run_experiment({"fake", run_low}, fake("paper", "full", R"({"runs": 1})"), {});
  EXPECT_TRUE(report.claims.empty());
  EXPECT_EQ(report.warnings.size(), 1u);
}

}  // namespace
}  // namespace whence
