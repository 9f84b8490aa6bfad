// Algorithm 1 from a configuration file, with an encoder that is learnt: a spline world seen
// through a rotation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "whence/core/shift.hpp"
#include "whence/discover/encoder/encoder_tournament.hpp"
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

ShiftKind shift_of(const Settings& settings) {
  return *std::find_if(all_shift_kinds.begin(), all_shift_kinds.end(),
                       [&](ShiftKind kind) { return name_of(kind) == settings.text("shift"); });
}

/// One run, and whether its learner saw enough changes to say anything.
struct Learnt {
  EncoderResult path;
  bool open = false;
};

PlanePoints points_of(PairColumns columns) {
  PlanePoints points;
  points.x = std::move(columns.a);
  points.y = std::move(columns.b);
  return points;
}

/// Episodes scored by their labels, from several starts.
Learnt learn_by_labels(const Settings& settings, RotatedWorld world, ShiftKind shift) {
  const ObservationSource source = world.source(shift);
  world.batch = std::size_t(settings.integer("online_training_rows"));
  const PlanePoints training =
      points_of(world.observe(world.world, Purpose::training, {world.key.run, 0, 0}));
  EncoderTournament how;
  how.starts = std::size_t(settings.integer("online_starts"));
  how.survivors = std::min(how.survivors, how.starts);
  Stream start(world.key.seed, Purpose::initialise, {world.key.run, 3, 0});
  how.first_angle = std::numbers::pi * start.uniform();
  const TournamentResult found = run_tournament(
      training, [&](std::size_t k) { return points_of(source.transfer(std::uint32_t(k), 0)); },
      std::size_t(settings.integer("episodes")), how);
  Learnt learnt;
  // The encoder turns back what the decoder turned; where it ends is the mean of its later angles.
  for (const double angle : found.angle) learnt.path.parameter.push_back(-angle);
  learnt.path.parameter.back() = -found.answer;
  learnt.path.gamma = found.gamma;
  learnt.open = found.open();
  return learnt;
}

}  // namespace

Report encoder_learning_report(const Settings& settings, const RunOptions& options) {
  const double decoder = settings.number("decoder_angle");
  const bool labels = settings.text("learner") == "labels";
  const ShiftKind shift = shift_of(settings);
  const auto sweep = sweep_runs(
      std::size_t(settings.integer("runs")), options.threads,
      [&](std::size_t run) {
        const RunKey key{options.seed, std::uint32_t(run)};
        const SplineKind kind =
            spline_kind(settings.text("splines"), settings.text("extrapolation"));
        const RotatedWorld world{SplineWorld::draw(kind, {}, key.seed, key.run), Rotation(decoder),
                                 std::size_t(settings.integer("batch")), key};
        return labels ? learn_by_labels(settings, world, shift)
                      : Learnt{meta_learn(world.source(shift), switches_of(settings, key)), false};
      },
      options.progress);
  std::vector<EncoderResult> results;
  double open = 0;
  for (const Learnt& learnt : sweep.results) {
    results.push_back(learnt.path);
    open += learnt.open ? 1 : 0;
  }

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
      "at the most), within .1 rad in {} of them (chance {}).",
      x.back(), show(report.curves[0].median.back()), results.size(), near,
      show(0.1 / (std::numbers::pi / 4), 2));
  if (labels) {
    report.numbers.push_back({"open", open / double(results.size())});
    report.summary += fmt::format(
        " In {} of {} runs fewer than two episodes changed anything: there neither angle nor γ "
        "mean anything.",
        open, results.size());
  }
  tell_failed(sweep.failed, report);
  return report;
}

}  // namespace whence
