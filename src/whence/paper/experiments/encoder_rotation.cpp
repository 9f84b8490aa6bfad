// Figure "Evolution of the encoder parameter": a rotation learnt together with gamma.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/encoders/rotation.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/encoder_learning.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/experiments/encoder_online.hpp"
#include "whence/paper/rotated_world.hpp"

namespace whence {

namespace {

struct RotationPlan {
  const Settings& settings;
  std::uint64_t seed;
  DensityShape shape{std::size_t(settings.integer("hidden")),
                     std::size_t(settings.integer("components"))};
  std::size_t batch = std::size_t(settings.integer("batch"));
  int steps = settings.integer("steps");
  Rotation decoder = Rotation(settings.number("decoder_angle"));

  SplineWorld world(std::uint32_t run) const {
    return SplineWorld::draw(spline_kind(settings.text("splines"), settings.text("extrapolation")),
                             {cause_law_kind(settings.text("cause_law"))}, seed, run);
  }
  RotatedWorld seen(std::uint32_t run) const { return {world(run), decoder, batch, {seed, run}}; }
  RegretRecipe recipe(bool corrected) const {
    return {settings.optimizer("adaptation"),
            corrected && settings.text("meta_gradient") == "exact",
            {.iterations = settings.integer("em_iterations"),
             .gain = corrected ? -std::numeric_limits<double>::infinity() : released_em_gain}};
  }
};

struct MetaRun {
  std::vector<double> angle, belief;  // after each meta-iteration
  Fallbacks fallbacks;

  double final_distance(const RotationPlan& plan) const {
    return distance_to_solution(angle.back(), plan.decoder.angle());
  }
  /// Whether gamma points along the causal direction of the solution the angle is nearest to.
  bool direction_right(const RotationPlan& plan) const {
    const double turns = (angle.back() + plan.decoder.angle()) / quarter_turn;
    const bool forward = std::lround(turns) % 2 == 0;
    return (belief.back() > 0.5) == forward;
  }
};

/// One recipe on one world.
MetaRun learn_encoder(const RotationPlan& plan, const RotatedWorld& seen, ShiftKind shift,
                      int iterations, const std::string& recipe) {
  const Settings& s = plan.settings;
  const bool corrected = recipe == "corrected";
  EncoderLearning how;
  how.gamma0 = s.number("gamma0");
  how.iterations = iterations;
  how.shape = plan.shape;
  how.training = s.optimizer("training");
  how.training_steps = s.integer("training_steps");
  how.steps = plan.steps;
  how.corrected = corrected;
  how.mean_likelihood = s.text("likelihood") == "mean";
  how.softmax_weights = recipe == "released" || s.text("marginals") == "released";
  how.regret = plan.recipe(corrected);
  how.encoder = s.optimizer("encoder");
  how.belief = s.optimizer(corrected ? "corrected_belief" : "belief");
  how.key = seen.key;
  EncoderResult learnt = meta_learn(seen.source(shift), how);
  MetaRun result{std::move(learnt.parameter), {}, learnt.fallbacks};
  for (double gamma : learnt.gamma) result.belief.push_back(sigmoid(gamma));
  return result;
}

/// Regrets per point and step at one total angle, with modules trained there.
struct Landscape {
  double forward = 0, backward = 0;
};

Landscape regret_at(const RotationPlan& plan, std::uint32_t run, double total_angle) {
  const double angle = total_angle - plan.decoder.angle();
  const RotatedWorld seen = plan.seen(run);
  EncodedPair modules(plan.shape, plan.settings.optimizer("training"), {plan.seed, run});
  modules.train(seen.source(), rotation_encoder(), angle, plan.settings.integer("long_steps"), 0);
  EncoderRegret regret({.adaptation = plan.settings.optimizer("adaptation"), .exact = false},
                       plan.shape);
  Landscape mean;
  const int episodes = plan.settings.integer("episodes");
  for (int e = 0; e < episodes; ++e) {
    const auto at = std::uint32_t(e);
    const SplineWorld shifted =
        seen.world.shifted(ShiftKind::cause, Stream(plan.seed, Purpose::shift, {run, at, 1}));
    std::vector<Encoded> batches;
    for (int t = 0; t <= plan.steps; ++t) {
      const PairColumns points =
          seen.observe(shifted, Purpose::test_set, {run, at, std::uint32_t(t)});
      batches.push_back(Rotation(angle).encode(points.a, points.b));
    }
    const PairRegret r = regret.online(
        modules.forward.density(), modules.backward.density(),
        std::span<const Encoded>(batches).first(std::size_t(plan.steps)), batches.back());
    const double share = 1.0 / (double(plan.batch) * plan.steps * episodes);
    mean.forward += share * r.forward.value;
    mean.backward += share * r.backward.value;
  }
  return mean;
}

std::string recipe_words(const std::string& recipe, const Settings& settings) {
  return recipe == "printed"    ? "printed, first order"
         : recipe == "released" ? "released marginals, first order"
                                : fmt::format("corrected, {}", settings.text("meta_gradient"));
}

int successes(const RotationPlan& plan, std::span<const MetaRun> runs, double within) {
  return int(std::count_if(runs.begin(), runs.end(),
                           [&](const MetaRun& run) { return run.final_distance(plan) < within; }));
}

/// Whether the first and the last recipe differ clearly in how often they succeed; nothing where
/// one ran alone.
std::string compared(const RotationPlan& plan, std::span<const std::vector<MetaRun>> learnt,
                     Report& report) {
  if (learnt.size() < 2) return {};
  const int runs = int(learnt.front().size());
  const double p = same_rate_probability(successes(plan, learnt.front(), 0.05), runs,
                                         successes(plan, learnt.back(), 0.05), runs);
  report.numbers.push_back({"recipes-succeed-equally-p", p});
  return fmt::format(
      "{} splines {} the first and the last recipe apart (within .05 rad, Fisher's exact test: p = "
      "{})",
      runs, p < 0.05 ? "tell" : "do not tell", show(p, 2));
}

/// Success rates, and the way there; `remark` goes with those that fall short.
void add_recipe(const RotationPlan& plan, const std::string& recipe, std::span<const MetaRun> runs,
                const std::string& remark, Report& report) {
  std::vector<std::vector<double>> distance;
  double near = successes(plan, runs, 0.1), nearer = successes(plan, runs, 0.05), directed = 0;
  for (const MetaRun& run : runs) {
    auto& way = distance.emplace_back();
    for (double angle : run.angle) way.push_back(distance_to_solution(angle, plan.decoder.angle()));
    directed += run.final_distance(plan) < 0.1 && run.direction_right(plan) ? 1 : 0;
  }
  for (double* count : {&near, &nearer, &directed}) *count /= double(runs.size());
  const std::string words = recipe_words(recipe, plan.settings);
  report.curves.push_back(
      summarise("distance/" + recipe, words, counting(distance[0].size()), distance));
  report.numbers.push_back({"success-0.05/" + recipe, nearer});
  report.numbers.push_back({"success-0.1/" + recipe, near});
  constexpr double chance05 = 0.05 / (quarter_turn / 2), chance1 = 0.1 / (quarter_turn / 2);
  report.tables[0].rows.push_back({words, fmt::format("{}", runs.size()), show(nearer, 2),
                                   show(near, 2), show(directed, 2),
                                   show(report.curves.back().median.back(), 3)});
  report.claims.push_back(
      {"encoder/" + recipe,
       fmt::format("The encoder converges to one of the two angles that recover the causal "
                   "variables ({})",
                   words),
       fmt::format("within .05 rad in {} and within .1 rad in {} of {} splines (chance {} and {})",
                   show(nearer, 2), show(near, 2), runs.size(), show(chance05, 2),
                   show(chance1, 2)),
       near >= 0.9, near >= 0.9 ? "" : remark,
       recipe == "printed"    ? ClaimKind::paper
       : recipe == "released" ? ClaimKind::released
                              : ClaimKind::corrected});
}

/// The paper's own picture: single runs.
void add_single_runs(const RotationPlan& plan, const std::string& recipe,
                     std::span<const MetaRun> runs, Report& report) {
  Figure angles{"angle-" + recipe,
                fmt::format("The encoder's angle, {}", recipe_words(recipe, plan.settings)),
                "meta-iterations",
                "θ_E / (π/2)",
                {},
                "Single splines. Valid solutions are odd multiples of .5."};
  Figure beliefs{"gamma-" + recipe,
                 fmt::format("The belief in U→V, {}", recipe_words(recipe, plan.settings)),
                 "meta-iterations",
                 "σ(γ)",
                 {},
                 "The same splines."};
  beliefs.y_max = 1;
  for (std::size_t r = 0; r < std::min<std::size_t>(runs.size(), 4); ++r) {
    std::vector<double> turned;
    for (double a : runs[r].angle) turned.push_back(a / quarter_turn);
    const auto x = counting(turned.size());
    const std::string label = fmt::format("spline {}", r + 1);
    const std::string id = fmt::format("{}/{}", recipe, r + 1);
    report.curves.push_back({"angle/" + id, label, x, std::move(turned), {}, {}});
    report.curves.push_back({"gamma/" + id, label, x, runs[r].belief, {}, {}});
    angles.curves.push_back("angle/" + id);
    beliefs.curves.push_back("gamma/" + id);
  }
  report.figures.push_back(std::move(angles));
  report.figures.push_back(std::move(beliefs));
}

/// How the regret depends on the angle: median over splines, each from its own minimum. Returns how
/// often that minimum is next to a solution, in words.
std::string add_landscape(std::span<const double> angles,
                          std::span<const std::vector<Landscape>> splines, Report& report) {
  std::vector<std::vector<double>> forward, backward, both;
  double right = 0;
  for (const auto& at : splines) {
    std::vector<double> f, b, m;
    for (const Landscape& l : at) {
      f.push_back(l.forward);
      b.push_back(l.backward);
      m.push_back((l.forward + l.backward) / 2);
    }
    const auto best = std::size_t(std::min_element(f.begin(), f.end()) - f.begin());
    const double error = std::abs(std::remainder(angles[best], std::numbers::pi));
    right += error <= 1.5 * std::numbers::pi / double(angles.size()) ? 1 : 0;
    for (auto* curve : {&f, &b, &m}) {
      const double low = *std::min_element(curve->begin(), curve->end());
      for (double& value : *curve) value -= low;
    }
    forward.push_back(std::move(f));
    backward.push_back(std::move(b));
    both.push_back(std::move(m));
  }
  const std::vector<double> x(angles.begin(), angles.end());
  report.curves.push_back(summarise("regret/U->V", "U→V", x, forward));
  report.curves.push_back(summarise("regret/V->U", "V→U", x, backward));
  report.curves.push_back(summarise("regret/both", "mean of both", x, both));
  report.figures.push_back({"regret",
                            "The regret as a function of the angle",
                            "θ_E + θ_D (radians)",
                            "nats per point above the minimum",
                            {"regret/U->V", "regret/V->U", "regret/both"},
                            "Modules are trained at each angle. 0 recovers (A, B), π/2 recovers "
                            "(B, A). The mean of both "
                            "is what e^(+R) descends while γ is near 0."});
  report.numbers.push_back({"landscape-minimum-near-solution", right / double(splines.size())});
  return fmt::format(
      "with trained modules the regret of U→V is lowest next to a solution in {} of {} splines "
      "({} angles)",
      right, splines.size(), angles.size());
}

}  // namespace

Report encoder_rotation(const Settings& settings, const RunOptions& options) {
  const RotationPlan plan{settings, options.seed};
  const std::vector<std::string> recipes = settings.texts("recipes");
  const auto runs = std::size_t(settings.integer("runs"));
  const auto profiles = std::size_t(settings.integer("long_runs"));
  std::vector<double> angles;
  angles.reserve(std::size_t(settings.integer("angles")));
  for (int i = 0; i < settings.integer("angles"); ++i)
    angles.push_back(std::numbers::pi * i / settings.integer("angles"));

  // The long jobs first, so that no thread is left waiting for one at the end.
  std::vector<std::vector<MetaRun>> learnt(recipes.size(), std::vector<MetaRun>(runs));
  std::vector<std::vector<Landscape>> landscape(profiles, std::vector<Landscape>(angles.size()));
  const std::size_t long_jobs = recipes.size() * runs;
  parallel_for(
      long_jobs + profiles * angles.size(), options.threads,
      [&](std::size_t job) {
        if (job < long_jobs) {
          const std::size_t recipe = job % recipes.size(), run = job / recipes.size();
          learnt[recipe][run] = learn_encoder(plan, plan.seen(std::uint32_t(run)), ShiftKind::cause,
                                              settings.integer("meta_steps"), recipes[recipe]);
        } else {
          const std::size_t run = (job - long_jobs) / angles.size();
          const std::size_t angle = (job - long_jobs) % angles.size();
          landscape[run][angle] = regret_at(plan, std::uint32_t(run), angles[angle]);
        }
      },
      options.progress);

  Report report, landscapes;  // shown after the runs, needed for their remarks
  const std::string minima = add_landscape(angles, landscape, landscapes);
  const std::string told = compared(plan, learnt, report);
  const Settings released = Settings::of("encoder-rotation", "released-code", "full");
  const std::string sizes = fmt::format(
      "mini-batches of {} points and {} iterations of EM; the paper gives neither, its released "
      "code takes {} and {}",
      settings.integer("batch"), settings.integer("em_iterations"), released.integer("batch"),
      released.integer("em_iterations"));
  const std::string remark = minima + (told.empty() ? "" : "; " + told) + "; " + sizes;
  report.tables.push_back(
      {"success",
       "How often the encoder undoes the rotation",
       {"recipe", "splines", "within .05 rad", "within .1 rad", "and γ right", "median distance"},
       {}});
  Figure distance{"distance",
                  "Distance to the nearest valid angle",
                  "meta-iterations",
                  "radians",
                  {},
                  "Median and quartiles over splines; π/4 is as far as an angle can be."};
  Fallbacks fallbacks;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    add_recipe(plan, recipes[i], learnt[i], remark, report);
    distance.curves.push_back("distance/" + recipes[i]);
    for (const MetaRun& run : learnt[i]) fallbacks.add(run.fallbacks);
  }
  report.tables[0].rows.push_back({"chance", "", show(0.05 / (quarter_turn / 2), 2),
                                   show(0.1 / (quarter_turn / 2), 2), "",
                                   show(quarter_turn / 4, 3)});
  report.figures.push_back(std::move(distance));
  for (std::size_t i = 0; i < recipes.size(); ++i)
    add_single_runs(plan, recipes[i], learnt[i], report);
  for (Curve& curve : landscapes.curves) report.curves.push_back(std::move(curve));
  for (Figure& figure : landscapes.figures) report.figures.push_back(std::move(figure));
  for (Number& number : landscapes.numbers) report.numbers.push_back(std::move(number));
  const RecipeLearner learn = [&](const std::string& recipe, std::uint32_t run, ShiftKind shift,
                                  int episodes, std::size_t rows) {
    RotatedWorld seen = plan.seen(run);
    seen.batch = rows;
    MetaRun learnt_here = learn_encoder(plan, seen, shift, episodes, recipe);
    return EncoderPath{std::move(learnt_here.angle), std::move(learnt_here.belief)};
  };
  add_equal_terms(settings, learn, options, report);
  report.numbers.push_back({"log-sigma-clamped", double(fallbacks.clamped)});
  report.numbers.push_back({"variance-floored", double(fallbacks.floored)});
  report.numbers.push_back({"components-reseeded", double(fallbacks.reseeded)});
  std::vector<std::string> rates;
  for (const auto& row : report.tables[0].rows)
    rates.push_back(fmt::format("{} {}", row[0], row[2]));
  report.summary = fmt::format(
      "Share of {} splines whose encoder ends within .05 rad of a valid angle: {}. {}With episodes "
      "scored by their labels, several starts and a gate, online: {} of {} worlds, from one start "
      "{}. The figure of the paper shows one spline.",
      runs, fmt::join(rates, "; "), told.empty() ? "" : told + ". ", report.tables[1].rows[0][2],
      report.tables[1].rows[0][1], report.tables[1].rows[1][2]);
  std::vector<std::string> assumptions = {
      "The cause is what shifts. A quarter turn exchanges U and V, so angles count up to quarter "
      "turns.",
      "printed: e^(+R), mean likelihood, one batch for all steps, first-order gradient, none from "
      "the marginals. corrected: the mixture of likelihoods, fresh batches scored before they are "
      "learnt from, marginals fitted to held-out points, derivatives through every step."};
  report.assumptions.insert(report.assumptions.begin(), assumptions.begin(), assumptions.end());
  return report;
}

}  // namespace whence
