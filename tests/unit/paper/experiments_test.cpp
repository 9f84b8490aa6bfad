// The contract of every experiment: what a report must contain, and that it depends on the settings
// and the seed alone, not on threads, chunks or instruction sets.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/source_tree.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/simd.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/paper/embedded.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {
namespace {

/// Settings small enough to run an experiment many times; smoke scale for those not listed.
std::string tiny(std::string_view experiment) {
  static const std::map<std::string_view, std::string> overlays = {
      {"adaptation-curve",
       R"({"training_distributions": 5, "transfer_distributions": 2, "steps": 12, "test_rows": 300})"},
      {"belief-continuous",
       R"({"runs": 2, "episodes": 4, "control_episodes": 2, "training_steps": 20, "batch": 40,
           "training_batch": 40, "em_iterations": 10, "steps": 3})"},
      {"belief-discrete", R"({"levels": [10, 100], "runs": 9, "episodes": 15})"},
      {"encoder-rotation",
       R"({"runs": 2, "meta_steps": 4, "batch": 40, "em_iterations": 5, "training_steps": 3,
           "angles": 3, "long_runs": 1, "long_steps": 5, "episodes": 2, "online_worlds": 2,
           "online_episodes": 6, "online_training_rows": 800})"},
      {"belief-mlp",
       R"({"levels": [3, 5], "runs": 2, "episodes": 3,
           "released": {"training_steps": 3, "samples": 4, "batch": 20, "steps": 3},
           "corrected": {"training_rows": 300, "training_steps": 20, "steps": 4}})"},
      {"propositions", R"({"runs": 5, "episodes": 100})"},
      {"samples-continuous", R"({"points": 20})"},
      {"belief-linear-gaussian",
       R"({"dimensions": [3, 9], "runs": 3, "episodes": 12, "control_episodes": 5,
           "learning_rates": [1e-4, 1e-2]})"},
      {"same-distribution",
       R"({"levels": [3, 10], "runs": 9, "steps": 15, "test_rows": 300,
           "long_steps": 30, "long_runs": 3})"},
      {"shift-controls", R"({"runs": 3, "episodes": 10})"},
      {"zero-gradient", R"({"runs": 9, "steps": 2})"},
  };
  const auto found = overlays.find(experiment);
  return found == overlays.end() ? "" : found->second;
}

struct Question {
  std::string overlay = {}, profile = "paper";
  std::uint64_t seed = 0;
  int threads = 1;
  Progress progress = {};
};

Report answer(const Experiment& experiment, const Question& q) {
  const UserConfig config{q.overlay, q.overlay.empty() ? "" : "overlay.json"};
  return run_experiment(experiment, Settings::of(experiment.name, q.profile, "smoke", config),
                        {q.seed, q.threads, q.progress});
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  return names;
}

/// Letters, digits and underscores only, as test names must be.
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

class EveryExperiment : public testing::TestWithParam<std::string> {
 protected:
  const Experiment& experiment() const { return find_experiment(GetParam()); }
  Report tiny_answer(Question q = {}) const {
    q.overlay = tiny(GetParam());
    return answer(experiment(), q);
  }
};
INSTANTIATE_TEST_SUITE_P(Experiments, EveryExperiment, testing::ValuesIn(experiment_names()),
                         test_name);

// What a report contains --------------------------------------------------------------------------

/// Points of a scatter have no quartiles and no order; lines have both.
bool is_scatter(const Report& report, const std::string& curve) {
  return std::any_of(report.figures.begin(), report.figures.end(), [&](const Figure& figure) {
    return figure.scatter &&
           std::find(figure.curves.begin(), figure.curves.end(), curve) != figure.curves.end();
  });
}

void expect_points(const Curve& c) {
  ASSERT_EQ(c.median.size(), c.x.size()) << c.id;
  for (std::size_t i = 0; i < c.x.size(); ++i)
    ASSERT_TRUE(std::isfinite(c.x[i]) && std::isfinite(c.median[i])) << c.id;
}

void expect_curves(const Report& report) {
  std::set<std::string> ids;
  for (const Curve& c : report.curves) {
    EXPECT_TRUE(ids.insert(c.id).second) << "two curves are called " << c.id;
    EXPECT_FALSE(c.label.empty()) << c.id;
    ASSERT_FALSE(c.x.empty()) << c.id;
    if (is_scatter(report, c.id)) {
      expect_points(c);
      continue;
    }
    for (const auto* column : {&c.median, &c.q25, &c.q75})
      ASSERT_EQ(column->size(), c.x.size()) << c.id;
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      for (double value : {c.x[i], c.median[i], c.q25[i], c.q75[i]})
        ASSERT_TRUE(std::isfinite(value)) << c.id << " at " << c.x[i];
      ASSERT_LE(c.q25[i], c.median[i]) << c.id << " at " << c.x[i];
      ASSERT_LE(c.median[i], c.q75[i]) << c.id << " at " << c.x[i];
      ASSERT_TRUE(i == 0 || c.x[i] > c.x[i - 1]) << c.id;
    }
  }
}

void expect_figures(const Report& report) {
  std::set<std::string> curves, ids;
  for (const Curve& curve : report.curves) curves.insert(curve.id);
  for (const Figure& figure : report.figures) {
    EXPECT_TRUE(ids.insert(figure.id).second) << "two figures are called " << figure.id;
    EXPECT_FALSE(figure.curves.empty()) << figure.id;
    for (const std::string* text :
         {&figure.title, &figure.x_label, &figure.y_label, &figure.caption})
      EXPECT_FALSE(text->empty()) << figure.id;
    for (const std::string& curve : figure.curves)
      EXPECT_TRUE(curves.contains(curve)) << figure.id << " draws " << curve;
  }
}

void expect_tables(const Report& report) {
  std::set<std::string> ids;
  for (const Table& table : report.tables) {
    EXPECT_TRUE(ids.insert(table.id).second) << "two tables are called " << table.id;
    EXPECT_FALSE(table.rows.empty()) << table.id;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.id;
  }
}

void expect_claims(const Report& report) {
  std::set<std::string> ids;
  EXPECT_FALSE(report.claims.empty());
  for (const Claim& claim : report.claims) {
    EXPECT_TRUE(ids.insert(claim.id).second) << "two claims are called " << claim.id;
    EXPECT_FALSE(claim.paper.empty()) << claim.id;
    EXPECT_FALSE(claim.measured.empty()) << claim.id;
    EXPECT_TRUE(claim.holds || !claim.why.empty()) << claim.id << " fails without a reason";
    EXPECT_EQ(claim.measured.find("nan"), std::string::npos) << claim.measured;
  }
}

/// Nothing is skipped in silence: every number of a report is one (N20).
void expect_numbers(const Report& report) {
  std::set<std::string> ids;
  for (const Number& number : report.numbers) {
    EXPECT_TRUE(ids.insert(number.id).second) << "two numbers are called " << number.id;
    EXPECT_TRUE(std::isfinite(number.value)) << number.id;
  }
}

void expect_contract(const Report& report) {
  EXPECT_FALSE(report.curves.empty() && report.tables.empty());
  EXPECT_FALSE(report.title.empty());
  EXPECT_FALSE(report.summary.empty());
  EXPECT_NO_THROW(read_json(report.settings_json, "settings"));
  expect_curves(report);
  expect_figures(report);
  expect_tables(report);
  expect_claims(report);
  expect_numbers(report);
}

TEST_P(EveryExperiment, KeepsTheContractAtSmokeScale) {
  const std::string overlay = support::effort_divisor == 1 ? "" : tiny(GetParam());
  for (const char* profile : {"paper", "released-code"}) {
    const Report report =
        answer(experiment(), {.overlay = overlay, .profile = profile, .threads = 2});
    expect_contract(report);
    EXPECT_EQ(report.experiment, GetParam());
    EXPECT_EQ(report.profile, profile);
    EXPECT_EQ(report.scale, "smoke");
  }
}

/// Every count that the description has, at the smallest value that is allowed.
std::string smallest(std::string_view experiment) {
  const Json description = read_json(description_of(experiment), "the description");
  Json overlay = Json::object();
  for (const JsonMember& member : description.find("settings")->members) {
    static const std::set<std::string_view> counts = {"runs",
                                                      "training_distributions",
                                                      "transfer_distributions",
                                                      "episodes",
                                                      "steps",
                                                      "long_runs",
                                                      "long_steps",
                                                      "batch",
                                                      "test_rows"};
    if (counts.contains(member.key)) overlay.set(member.key, 1);
    if (member.key == "levels" && !member.value.is(Json::Kind::list)) overlay.set("levels", 2);
  }
  return overlay.dump();
}

TEST_P(EveryExperiment, KeepsTheContractAtTheSmallestSize) {
  expect_contract(answer(experiment(), {.overlay = smallest(GetParam())}));
}

TEST_P(EveryExperiment, TellsItsProgressFromNothingToAll) {
  double last = 0;
  bool rises = true;
  tiny_answer({.threads = 3, .progress = [&](double share) {
                 rises = rises && share >= last && share <= 1 + 1e-12;
                 last = share;
               }});
  EXPECT_TRUE(rises);
  EXPECT_NEAR(last, 1, 1e-12);
}

TEST_P(EveryExperiment, KnowsThatTheUserChangedItsSettings) {
  if (tiny(GetParam()).empty()) GTEST_SKIP() << "no overlay";
  EXPECT_FALSE(tiny_answer().warnings.empty());
}

// What a report depends on ------------------------------------------------------------------------

/// Everything that was found, every double by its bits.
std::string fingerprint(const Report& report) {
  std::string text = report.summary;
  const auto add = [&](const std::vector<double>& values) {
    for (double v : values) text += fmt::format(" {:016x}", std::bit_cast<std::uint64_t>(v));
  };
  for (const Curve& c : report.curves) {
    text += "\n" + c.id;
    for (const auto* column : {&c.x, &c.median, &c.q25, &c.q75}) add(*column);
  }
  for (const Number& number : report.numbers) {
    text += "\n" + number.id;
    add({number.value});
  }
  for (const Claim& claim : report.claims)
    text += fmt::format("\n{} {} {}", claim.id, claim.measured, claim.holds);
  for (const Table& table : report.tables)
    for (const auto& row : table.rows)
      for (const std::string& cell : row) text += "\n" + cell;
  return text;
}

TEST_P(EveryExperiment, IsTheSameForAnyNumberOfThreads) {
  for (const char* profile : {"paper", "released-code"}) {
    const std::string alone = fingerprint(tiny_answer({.profile = profile, .threads = 1}));
    for (int threads : {2, 3, 7})
      EXPECT_TRUE(alone == fingerprint(tiny_answer({.profile = profile, .threads = threads})))
          << profile << ", " << threads << " threads";
  }
}

TEST_P(EveryExperiment, IsTheSameOnEveryInstructionSet) {
  for (const char* profile : {"paper", "released-code"}) {
    const std::string best = fingerprint(tiny_answer({.profile = profile}));
    support::for_each_simd_target([&](const std::string& target) {
      EXPECT_TRUE(best == fingerprint(tiny_answer({.profile = profile}))) << profile << target;
    });
  }
}

TEST_P(EveryExperiment, DependsOnTheSeed) {
  EXPECT_FALSE(fingerprint(tiny_answer({.seed = 0})) == fingerprint(tiny_answer({.seed = 1})));
  EXPECT_FALSE(fingerprint(tiny_answer({.seed = 0})) ==
               fingerprint(tiny_answer({.seed = std::uint64_t(1) << 63})));
}

TEST_P(EveryExperiment, ThisFingerprintSeesASingleBit) {
  Report report = tiny_answer();
  const std::string before = fingerprint(report);
  if (report.curves.empty())
    report.numbers.back().value = std::nextafter(report.numbers.back().value, 2);
  else
    report.curves.back().median.back() = std::nextafter(report.curves.back().median.back(), 2);
  EXPECT_FALSE(before == fingerprint(report));
}

// The list of experiments -------------------------------------------------------------------------

TEST(Experiments, AndDescriptionFilesBelongTogether) {
  std::set<std::string> files, carried, known;
  const auto folder = test::source_tree() / "experiments";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.insert(entry.path().stem().string());
  for (int i = 0; i < embedded_experiment_count; ++i) carried.insert(embedded_experiments[i].name);
  for (const std::string& name : experiment_names()) known.insert(name);
  EXPECT_EQ(files, carried);
  EXPECT_EQ(files, known);
}

TEST(Experiments, AreCalledWhatTheirDescriptionsSay) {
  for (const std::string& name : experiment_names()) {
    const Settings settings = Settings::of(name, "paper", "full");
    EXPECT_EQ(settings.experiment(), name);
    EXPECT_FALSE(settings.title().empty()) << name;
    EXPECT_FALSE(settings.paper_figure().empty()) << name;
    EXPECT_FALSE(settings.paper_claim().empty()) << name;
  }
}

TEST(Experiments, ExpectOnlyCurvesThatExist) {
  for (const Experiment& experiment : experiments())
    for (const char* profile : {"paper", "released-code"}) {
      std::set<std::string> curves;
      for (const Curve& c : answer(experiment, {.overlay = tiny(experiment.name)}).curves)
        curves.insert(c.id);
      for (const auto& expected : Settings::of(experiment.name, profile, "full").expectations())
        for (const auto& at : expected.at)
          EXPECT_TRUE(curves.contains(at.curve)) << experiment.name << " expects " << at.curve;
    }
}

// What they find ----------------------------------------------------------------------------------

double number_of(const Report& report, const std::string& id) {
  for (const Number& number : report.numbers)
    if (number.id == id) return number.value;
  ADD_FAILURE() << "no number " << id;
  return std::nan("");
}

const Claim& claim_of(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.claims.begin(), report.claims.end(),
                                  [&](const Claim& claim) { return claim.id == id; });
  if (found == report.claims.end()) throw std::runtime_error("no claim " + id);
  return *found;
}

double median_at(const Report& report, const std::string& id, double x) {
  for (const Curve& curve : report.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (curve.id == id && curve.x[i] == x) return curve.median[i];
  ADD_FAILURE() << id << " has no point " << x;
  return std::nan("");
}

TEST(Propositions, AreJudgedAsTheErrataDo) {
  const Report report = answer(find_experiment("propositions"), {.threads = 1});
  for (const char* id : {"2/gradient", "4/decoupled", "4/estimator", "3/corrected",
                         "objective/mixture", "likelihood/before"})
    EXPECT_TRUE(claim_of(report, std::string("propositions/") + id).holds) << id;
  for (const char* id : {"2/appendix-sign", "3/as-printed", "objective/printed",
                         "likelihood/after"}) {  // E1, E3, E2, E8
    const Claim& claim = claim_of(report, std::string("propositions/") + id);
    EXPECT_FALSE(claim.holds) << id;
    EXPECT_EQ(claim.kind, ClaimKind::paper) << id;
  }
  EXPECT_NEAR(number_of(report, "proposition-3-counterexample"), 0.6105, 5e-5);
}

TEST(EveryClaim, IsThePapersOnlyWhereThePaperMakesIt) {
  for (const Experiment& experiment : experiments()) {
    for (const Claim& claim : answer(experiment, {.overlay = tiny(experiment.name)}).claims)
      EXPECT_NE(claim.kind, ClaimKind::aim) << claim.id;
    for (const Claim& claim :
         answer(experiment, {.overlay = tiny(experiment.name), .profile = "released-code"}).claims)
      EXPECT_NE(claim.kind, ClaimKind::paper) << claim.id;
  }
  const Report controls =
      answer(find_experiment("shift-controls"), {.overlay = tiny("shift-controls")});
  EXPECT_EQ(claim_of(controls, "shift-controls/cause/dense").kind, ClaimKind::paper);
  EXPECT_EQ(claim_of(controls, "shift-controls/effect/dense").kind, ClaimKind::control);
}

// At smoke scale: what belongs to the full counts is in the descriptions.

TEST(BeliefMlp, FindsTheEdgeWhereModulesAreTrainedAndEpisodesLong) {
  if (support::effort_divisor != 1) GTEST_SKIP() << "minutes under a sanitizer";
  const std::string overlay = R"({"levels": [10], "rows": ["printed", "corrected"]})";
  const Report report = answer(find_experiment("belief-mlp"), {.overlay = overlay, .threads = 2});
  for (const char* way : {"corrected", "bayes"})
    EXPECT_GE(number_of(report, fmt::format("solved/{}/cause/N=10", way)), 0.5) << way;
  for (const char* way : {"short-changes", "short-ideal"}) {
    EXPECT_GE(number_of(report, fmt::format("solved/{}/cause/N=10", way)), 0.9) << way;
    EXPECT_LE(number_of(report, fmt::format("solved/{}/none/N=10", way)), 0.3) << way;
  }
  EXPECT_LT(number_of(report, "solved/printed/N=10"), 0.5);
  EXPECT_EQ(median_at(report, "shd/corrected/cause/N=10", 50), 0);
}

TEST(BeliefContinuous, ReachesTheReleasedCodesBelief) {
  if (support::effort_divisor != 1) GTEST_SKIP() << "minutes under a sanitizer";
  const Report report =
      answer(find_experiment("belief-continuous"), {.profile = "released-code", .threads = 2});
  for (const char* spline : {"quadratic-8", "cubic-10"}) {
    EXPECT_GT(median_at(report, fmt::format("belief/cause/{}", spline), 40), 0.9) << spline;
    EXPECT_LT(median_at(report, fmt::format("belief/effect/{}", spline), 20), 0.5)
        << spline;  // errata E6
  }
}

TEST(EncoderRotation, OneAngleIsALandscapeToo) {
  const std::string overlay =
      R"({"recipes": ["printed"], "runs": 1, "meta_steps": 1, "batch": 40, "em_iterations": 2,
          "training_steps": 1, "angles": 1, "long_runs": 1, "long_steps": 1, "episodes": 1,
          "online_worlds": 1, "online_episodes": 1, "online_rows": 20, "online_training_rows": 20})";
  const Report report = answer(find_experiment("encoder-rotation"), {.overlay = overlay});
  EXPECT_EQ(number_of(report, "landscape-minimum-near-solution"), 1);
}

TEST(EncoderRotation, RegretIsLowestNextToASolution) {
  if (support::effort_divisor != 1) GTEST_SKIP() << "minutes under a sanitizer";
  const std::string overlay = R"({"runs": 1, "meta_steps": 2})";
  const Report report =
      answer(find_experiment("encoder-rotation"), {.overlay = overlay, .threads = 2});
  EXPECT_GE(number_of(report, "landscape-minimum-near-solution"), 0.5);
}

/// Ways of scoring that nobody asked for are left out; the belief does not notice.
TEST(BeliefContinuous, ScoresOnlyTheMarginalsAskedFor) {
  const Experiment& experiment = find_experiment("belief-continuous");
  const auto with = [&](const std::string& scored, const char* profile) {
    std::string overlay = tiny("belief-continuous");
    overlay.insert(1, fmt::format(R"("marginals_scored": [{}], )", scored));
    return answer(experiment, {.overlay = overlay, .profile = profile});
  };
  for (const auto& [own, profile] :
       {std::pair{R"("online")", "paper"}, std::pair{R"("released")", "released-code"}}) {
    const Report all = with(R"("online", "hindsight", "released")", profile);
    const Report one = with(own, profile);
    expect_contract(one);
    EXPECT_EQ(one.curves[0].id, all.curves[0].id);
    EXPECT_EQ(one.curves[0].median, all.curves[0].median);
    EXPECT_EQ(3 * one.tables[0].rows.size(), all.tables[0].rows.size());
  }
  EXPECT_THROW(with(R"("hindsight")", "paper"), Error);  // the belief follows another
}

TEST(ShiftControls, SayWhatIsKnownOfTheCriterion) {
  // Errata E6: right when the cause shifts, wrong when the effect's mechanism does.
  const std::string overlay = R"({"priors": ["dense"]})";
  const Report report =
      answer(find_experiment("shift-controls"), {.overlay = overlay, .threads = 2});
  EXPECT_GE(number_of(report, "decided-right/cause/dense/exact"), 0.9);
  EXPECT_GE(number_of(report, "decided-wrong/effect/dense/exact"), 0.9);
  EXPECT_GE(number_of(report, "decided-wrong/mechanism/dense/exact"), 0.9);
  EXPECT_EQ(number_of(report, "decided-right/effect/dense/exact"), 0);
  EXPECT_EQ(number_of(report, "decided-right/mechanism/dense/exact"), 0);
}

TEST(ShiftControls, TableHasARowForEveryShiftAndPrior) {
  const Report report =
      answer(find_experiment("shift-controls"), {.overlay = tiny("shift-controls")});
  ASSERT_EQ(report.tables.size(), 1u);
  std::set<std::string> rows;
  for (const auto& row : report.tables[0].rows) rows.insert(row[0] + " " + row[1] + " " + row[2]);
  for (const char* prior : {"dense", "sparse"})
    for (const char* shift : {"cause", "effect", "mechanism", "row", "both", "none"})
      EXPECT_TRUE(rows.contains(fmt::format("{} {} exact", shift, prior))) << shift << " " << prior;
}

TEST(ZeroGradient, IsZeroOnlyForTheUnchangedModuleAtTheFirstStep) {
  const Report report =
      answer(find_experiment("zero-gradient"), {.overlay = tiny("zero-gradient")});
  for (const Curve& curve : report.curves) {
    const bool unchanged = curve.id.ends_with("P(B|A)");
    EXPECT_EQ(curve.q75[0] <= 1e-14, unchanged) << curve.id;
    EXPECT_GT(curve.q25[1], 1e-8) << curve.id;
  }
  EXPECT_NEAR(number_of(report, "zero-gradient/slope"), 2, 0.1);
}

}  // namespace
}  // namespace whence
