// Algorithm 1 from a configuration file, with an encoder that is learnt: a spline world seen
// through a rotation.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "whence/encoders/rotation.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/encoder_learning.hpp"
#include "whence/paper/meta_learn_report.hpp"
#include "whence/paper/rotated_world.hpp"
#include "whence/paper/run_sweep.hpp"

namespace whence {

namespace {

EncoderLearning switches_of(const Settings& settings, RunKey key) {
  const bool corrected = settings.text("belief_objective") == "mixture";
  EncoderLearning how;
  how.gamma0 = settings.number("gamma0");
  how.iterations = settings.integer("episodes");
  how.shape = {std::size_t(settings.integer("hidden")),
               std::size_t(settings.integer("components"))};
  how.training = settings.optimizer("training");
  how.training_steps = settings.integer("training_steps");
  how.steps = settings.integer("steps");
  how.corrected = corrected;
  how.mean_likelihood = settings.text("likelihood") == "mean";
  how.regret = {settings.optimizer("adaptation"),
                corrected && settings.text("meta_gradient") == "exact",
                {.iterations = settings.integer("em_iterations"),
                 .gain = corrected ? -std::numeric_limits<double>::infinity() : released_em_gain}};
  how.encoder = settings.optimizer("encoder");
  how.belief = settings.optimizer("belief");
  how.key = key;
  return how;
}

}  // namespace

Report encoder_learning_report(const Settings& settings, const RunOptions& options) {
  const double decoder = settings.number("decoder_angle");
  const auto sweep = sweep_runs(
      std::size_t(settings.integer("runs")), options.threads,
      [&](std::size_t run) {
        const RunKey key{options.seed, std::uint32_t(run)};
        const SplineKind kind =
            spline_kind(settings.text("splines"), settings.text("extrapolation"));
        const RotatedWorld world{SplineWorld::draw(kind, {}, key.seed, key.run), Rotation(decoder),
                                 std::size_t(settings.integer("batch")), key};
        return meta_learn(world.source(), switches_of(settings, key));
      },
      options.progress);
  const std::vector<EncoderResult>& results = sweep.results;

  std::vector<std::vector<double>> distance, belief;
  std::vector<double> x;
  Fallbacks fallbacks;
  double near = 0;
  for (const EncoderResult& result : results) {
    auto& way = distance.emplace_back();
    auto& sure = belief.emplace_back();
    for (double angle : result.parameter) way.push_back(distance_to_solution(angle, decoder));
    for (double gamma : result.gamma) sure.push_back(sigmoid(gamma));
    near += way.back() < 0.1 ? 1 : 0;
    fallbacks.add(result.fallbacks);
  }
  for (std::size_t k = 1; k <= distance[0].size(); ++k) x.push_back(double(k));
  Report report;
  report.curves.push_back(summarise("distance", "distance", x, distance));
  report.curves.push_back(summarise("belief", "σ(γ)", x, belief));
  report.figures.push_back({"distance",
                            "Distance to the nearest valid angle",
                            "meta-iterations",
                            "radians",
                            {"distance"},
                            "π/4 is as far as an angle can be. Medians over runs."});
  report.figures.push_back({"belief",
                            "The belief in U→V",
                            "meta-iterations",
                            "σ(γ)",
                            {"belief"},
                            "Which direction is right depends on the solution that is nearest.",
                            false,
                            false,
                            0,
                            1});
  report.numbers = {{"success-0.1", near / double(results.size())},
                    {"distance", report.curves[0].median.back()},
                    {"log-sigma-clamped", double(fallbacks.clamped)},
                    {"variance-floored", double(fallbacks.floored)},
                    {"components-reseeded", double(fallbacks.reseeded)}};
  report.summary = fmt::format(
      "After {} meta-iterations the encoder is {} rad from a valid angle (median of {} runs; π/4 "
      "at "
      "the most), within .1 rad in {} of them (chance {}).",
      x.back(), show(report.curves[0].median.back()), results.size(), near,
      show(0.1 / (std::numbers::pi / 4), 2));
  tell_failed(sweep.failed, report);
  return report;
}

}  // namespace whence
