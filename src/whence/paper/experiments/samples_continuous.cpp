// Figure "Train and transfer samples": points of one spline world under three means of the cause.
#include <cmath>

#include <fmt/format.h>

#include "whence/judge/summary.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/tasks/continuous_task.hpp"

namespace whence {

namespace {

struct Sample {
  const char* id;
  const char* label;
  double mean;
};

constexpr Sample samples[] = {{"training", "training, μ = 0", 0},
                              {"transfer-", "transfer, μ = −4", -4},
                              {"transfer+", "transfer, μ = +4", 4}};

/// Mean squared distance of B from the curve: 1 when the mechanism is the same everywhere.
double residual_of(const SplineWorld& world, const PairColumns& columns) {
  double sum = 0;
  for (std::size_t i = 0; i < columns.a.size(); ++i) {
    const double distance = columns.b[i] - world.mechanism()(columns.a[i]);
    sum += distance * distance;
  }
  return sum / double(columns.a.size());
}

}  // namespace

Report samples_continuous(const Settings& settings, const RunOptions& options) {
  const SplineWorld world =
      SplineWorld::draw(spline_kind(settings.text("splines"), settings.text("extrapolation")),
                        {cause_law_kind(settings.text("cause_law"))}, options.seed, 0);
  Report report;
  Figure figure{"samples",
                "Samples before and after a shift of the cause",
                "A (cause)",
                "B (effect)",
                {},
                "The points of all three distributions lie along one curve: where A lies changes, "
                "how B follows from A does not. The curve itself is drawn in the second figure."};
  figure.scatter = true;
  const auto points = std::size_t(settings.integer("points"));
  const double tolerance = 5 * std::sqrt(2 / double(points));  // five standard errors
  std::vector<std::string> residuals;
  bool same = true;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const PairColumns columns = draw_columns(world.with_mean(samples[i].mean), points,
                                             Purpose::sample, options.seed, {0, i, 0});
    const std::string id = fmt::format("samples/{}", samples[i].id);
    report.curves.push_back({id, samples[i].label, columns.a, columns.b, {}, {}});
    figure.curves.push_back(id);
    const double residual = residual_of(world, columns);
    report.numbers.push_back({id + "/noise-variance", residual});
    residuals.push_back(show(residual, 2));
    same = same && std::abs(residual - 1) <= tolerance;
  }
  Curve curve{"samples/mechanism", "f(A)", {}, {}, {}, {}};
  for (int i = -100; i <= 100; ++i) {
    curve.x.push_back(0.1 * i);
    curve.median.push_back(world.mechanism()(curve.x.back()));
  }
  report.curves.push_back(std::move(curve));
  report.figures = {
      std::move(figure),
      {"mechanism",
       "The mechanism f of this world",
       "A",
       "f(A)",
       {"samples/mechanism"},
       fmt::format("A random spline on [−8, 8], {} beyond.", settings.text("extrapolation"))}};
  report.claims.push_back(
      {"samples/same-mechanism", "Shifting the cause leaves the mechanism alone",
       fmt::format("variance of B about f(A): {}, {} and {}", residuals[0], residuals[1],
                   residuals[2]),
       same,
       fmt::format("so by construction: A moves, B = f(A) + N(0, 1); 1 ± {} counts",
                   show(tolerance, 2)),
       ClaimKind::paper});
  report.summary =
      "A shift of the cause moves the samples along the same curve; only P(A) has to be relearnt.";
  report.assumptions = {"A has standard deviation 2, the noise of B standard deviation 1."};
  if (options.progress) options.progress(1);
  return report;
}

}  // namespace whence
