#include "whence/paper/experiment.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

/// The median at x, or nullptr: curves are sampled at whole steps, so x is found exactly.
const double* median_at(const Report& report, const Settings::Expectation& expected) {
  for (const Curve& curve : report.curves) {
    if (curve.id != expected.curve) continue;
    const auto at = std::find(curve.x.begin(), curve.x.end(), expected.x);
    if (at != curve.x.end()) return &curve.median[std::size_t(at - curve.x.begin())];
  }
  return nullptr;
}

/// What the description expects of a curve, held against what was measured. Expected numbers are
/// those that runs of the released code gave.
Claim judged(const Report& report, const Settings::ExpectedCurve& expected) {
  Claim claim{expected.id, expected.paper, "", true, "", ClaimKind::released};
  std::vector<std::string> measured, outside;
  for (const Settings::Expectation& e : expected.at) {
    const double* median = median_at(report, e);
    const std::string at = " at " + shortest(e.x);
    measured.push_back((median ? rounded(*median) : "nothing") + at);
    if (median && *median >= e.low && *median <= e.high) continue;
    claim.holds = false;
    outside.push_back(shortest(e.low) + " to " + shortest(e.high) + at);
  }
  claim.measured = "median " + joined(measured);
  if (!claim.holds) claim.why = "expected " + joined(outside);
  return claim;
}

}  // namespace

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.emplace_back(experiment.name);
  }
  names.emplace_back("all");
  const std::string near = did_you_mean(name, names);
  throw Error(ExitCode::usage, "E-USAGE-EXPERIMENT", "",
              "there is no experiment '" + excerpt(name) + "'",
              near.empty() ? "there are: " + joined(names) : near);
}

Report run_experiment(const Experiment& experiment, const Settings& settings,
                      const RunOptions& options) {
  Report report = experiment.run(settings, options);
  report.experiment = experiment.name;
  if (report.title.empty()) report.title = settings.title();
  report.profile = settings.profile();
  report.scale = settings.scale();
  report.seed = options.seed;
  report.settings_json = settings.json();
  // With the released code's settings the paper's claim is that code's.
  if (report.profile == "released-code")
    for (Claim& claim : report.claims)
      if (claim.kind == ClaimKind::paper) claim.kind = ClaimKind::released;
  for (Curve& curve : report.curves)  // a single run is its own quartiles
    if (curve.q25.empty()) curve.q25 = curve.q75 = curve.median;

  // The figures of the description belong to its own settings, not to the user's.
  if (settings.changed_by_user()) {
    report.warnings.emplace_back(
        "the settings were changed: claims are judged by your settings, not by the paper's, and "
        "the figures expected of this experiment are not checked");
    return report;
  }
  for (const Settings::ExpectedCurve& expected : settings.expectations())
    report.claims.push_back(judged(report, expected));
  return report;
}

}  // namespace whence
