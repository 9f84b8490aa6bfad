// Figure "Evolution of sigma(gamma)", continuous: splines, mixture densities, and the controls.
//
// An episode is scored once, in three ways (continuous_task.hpp); objectives and sums or means are
// re-scans of those tables.
#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>

#include "whence/backends/backend.hpp"
#include "whence/backends/threads.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/core/error.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/tasks/continuous_task.hpp"

namespace whence {

namespace {

constexpr std::array seen_shifts = {ShiftKind::cause, ShiftKind::effect, ShiftKind::none};
constexpr std::array marginal_names = {"online", "hindsight", "released"};
constexpr std::size_t chunk = 10;  // episodes of a job

struct ContinuousPlan {
  const Settings& settings;
  const RunOptions& options;
  std::vector<std::string> kinds = settings.texts("splines");
  std::size_t runs = std::size_t(settings.integer("runs"));
  int steps = settings.integer("steps");
  /// Whole mini-batches only: both ways of scoring see the same points.
  std::size_t points =
      std::size_t(settings.integer("batch")) / std::size_t(steps) * std::size_t(steps);
  PairHypotheses pair = pair_hypotheses();
  std::vector<std::string> scored = settings.texts("marginals_scored");

  bool scores(std::string_view marginals) const {
    return std::find(scored.begin(), scored.end(), marginals) != scored.end();
  }
  std::size_t worlds() const { return kinds.size() * runs; }
  std::size_t episodes(ShiftKind shift) const {
    return std::size_t(
        settings.integer(shift == ShiftKind::cause ? "episodes" : "control_episodes"));
  }
  RunKey key(std::size_t world) const { return {options.seed, std::uint32_t(world)}; }
};

/// One world with its modules, and the tables [shift][way of scoring].
struct WorldRun {
  SplineWorld world;
  MixtureDensity<double> forward = MixtureDensity<double>(), backward = forward;
  GaussianMixture<double> cause = GaussianMixture<double>(), effect = cause;
  std::vector<std::array<Scores, 3>> tables = {};
};

WorldRun start_world(const ContinuousPlan& plan, std::size_t w) {
  const Settings& s = plan.settings;
  const SplineKind kind = spline_kind(plan.kinds[w / plan.runs], s.text("extrapolation"));
  WorldRun run{SplineWorld::draw(kind, {cause_law_kind(s.text("cause_law"))}, plan.options.seed,
                                 plan.key(w).run)};
  for (ShiftKind shift : seen_shifts) {
    const Scores empty(plan.episodes(shift), 4, std::size_t(plan.steps));
    run.tables.push_back({empty, empty, empty});
  }
  return run;
}

DensityTraining training_of(const Settings& s) {
  return {{std::size_t(s.integer("hidden")), std::size_t(s.integer("components"))},
          s.optimizer("training"),
          s.integer("training_steps"),
          s.integer("training_batch")};
}

/// Pre-trains one direction of a world, its marginal included if that is wanted.
void train(const ContinuousPlan& plan, WorldRun& run, std::size_t w, bool backward,
           Fallbacks& fallbacks) {
  constexpr std::size_t marginal_rows = 4000;
  const DensityTraining how = training_of(plan.settings);
  (backward ? run.backward : run.forward) =
      train_density(run.world, how, backward, plan.key(w), fallbacks);
  if (!plan.scores("online")) return;  // the others fit marginals of their own
  const PairColumns rows = draw_columns(run.world, marginal_rows, Purpose::test_set,
                                        plan.options.seed, {plan.key(w).run, 0, 0});
  (backward ? run.effect : run.cause) =
      train_marginal(how.shape.components, backward ? rows.b : rows.a, fallbacks);
}

/// Scores episodes [begin, begin + chunk) under one kind of shift.
void score(const ContinuousPlan& plan, WorldRun& run, std::size_t w, std::size_t shift,
           std::size_t begin, Fallbacks& fallbacks) {
  ContinuousScorer scorer(run.forward, run.backward, plan.settings.optimizer("adaptation"),
                          plan.steps, plan.settings.integer("em_iterations"));
  const std::uint64_t seed = plan.options.seed;
  auto& [online, hindsight, released] = run.tables[shift];
  for (std::size_t e = begin; e < std::min(begin + chunk, online.episodes()); ++e) {
    const Cell cell{plan.key(w).run, std::uint32_t(e), std::uint32_t(shift)};
    const SplineWorld shifted =
        run.world.shifted(seen_shifts[shift], Stream(seed, Purpose::shift, cell));
    const PairColumns points = draw_columns(shifted, plan.points, Purpose::sample, seed, cell);
    if (plan.scores("online")) scorer.score_online(points, run.cause, run.effect).store(online, e);
    if (!plan.scores("hindsight") && !plan.scores("released")) continue;
    const auto both = scorer.score_hindsight(
        points,
        Stream(seed, Purpose::initialise, {plan.key(w).run, 2 + std::uint32_t(e), cell.step}));
    both.em_weights.store(hindsight, e);
    both.softmax_weights.store(released, e);
  }
  fallbacks.add(scorer.fallbacks());
}

struct Variant {
  std::string marginals, likelihood;
  BeliefObjective objective;
  std::string id() const {
    return fmt::format("{}/{}/{}", marginals, likelihood, name_of(objective));
  }
  /// Whose claim it is that this finds the direction: the paper prints e^{+R} and marginals fitted
  /// to the points they score.
  ClaimKind kind() const {
    if (objective == BeliefObjective::printed && marginals != "online")
      return likelihood == "sum" && marginals == "hindsight" ? ClaimKind::paper
                                                             : ClaimKind::released;
    return ClaimKind::corrected;
  }
};

Variant chosen_variant(const Settings& s) {
  Variant variant{s.text("marginals"), s.text("likelihood"), BeliefObjective::mixture};
  for (auto o : {BeliefObjective::printed, BeliefObjective::per_step})
    if (s.text("belief_objective") == name_of(o)) variant.objective = o;
  return variant;
}

/// What one variant says of one world: the belief after every episode.
struct CurveEnd {
  std::vector<double> belief;
  double win_rate = 0, mean_delta = 0;
  int clamped = 0;
};

CurveEnd answer(const ContinuousPlan& plan, const WorldRun& run, std::size_t shift,
                const Variant& variant) {
  std::size_t way = 0;
  while (marginal_names[way] != variant.marginals) ++way;
  const Scores& table = run.tables[shift][way];
  std::vector<double> delta = step_log_odds(table, plan.pair.forward, plan.pair.backward);
  if (variant.likelihood == "mean") {
    const double rows = double(plan.points) / (way == 0 ? double(plan.steps) : 1.0);
    for (double& d : delta) d /= rows;
  }
  const BeliefTrajectory learnt =
      learn_belief(delta, table.steps(),
                   {plan.settings.number("gamma0"), plan.settings.optimizer("belief"),
                    variant.objective, false});
  CurveEnd result;
  for (double gamma : learnt.gamma) result.belief.push_back(sigmoid(gamma));
  result.clamped = learnt.clamped;
  for (std::size_t e = 0; e < table.episodes(); ++e) {
    double total = 0;
    for (std::size_t t = 0; t < table.steps(); ++t) total += delta[e * table.steps() + t];
    result.win_rate += total > 0 ? 1 : 0;
    result.mean_delta += total;
  }
  result.win_rate /= double(table.episodes());
  result.mean_delta /= double(table.episodes());
  return result;
}

std::vector<CurveEnd> answers(const ContinuousPlan& plan, std::span<const WorldRun> runs,
                              std::size_t kind, std::size_t shift, const Variant& variant) {
  std::vector<CurveEnd> all;
  for (std::size_t r = 0; r < plan.runs; ++r)
    all.push_back(answer(plan, runs[kind * plan.runs + r], shift, variant));
  return all;
}

Curve belief_curve(std::string id, std::string label, std::span<const CurveEnd> all) {
  std::vector<std::vector<double>> beliefs;
  std::vector<double> x;
  for (const CurveEnd& a : all) beliefs.push_back(a.belief);
  for (std::size_t e = 1; e <= beliefs[0].size(); ++e) x.push_back(double(e));
  return summarise(std::move(id), std::move(label), std::move(x), beliefs);
}

std::string episode_or_never(int episode) {
  return episode > 0 ? fmt::format("{}", episode) : "never";
}

/// Shares of worlds whose belief ends above .95 and below .05.
std::pair<double, double> shares_decided(std::span<const CurveEnd> all) {
  double right = 0, wrong = 0;
  for (const CurveEnd& a : all) {
    right += a.belief.back() > 0.95 ? 1 : 0;
    wrong += a.belief.back() < 0.05 ? 1 : 0;
  }
  return {right / double(all.size()), wrong / double(all.size())};
}

std::string spline_words(const std::string& kind) {
  const std::size_t dash = kind.find('-');
  return fmt::format("{} points, {}", kind.substr(dash + 1), kind.substr(0, dash));
}

void add_variants_table(const ContinuousPlan& plan, std::span<const WorldRun> runs,
                        Report& report) {
  Table table{"variants",
              "All variants on the same episodes; the truth is A→B",
              {"shift", "spline", "marginals", "likelihood", "objective", "median σ(γ) at the end",
               "σ > .95", "σ < .05", "> .9 from", "> .99 from", "Δ > 0", "mean Δ (median)"},
              {}};
  for (std::size_t shift = 0; shift < seen_shifts.size(); ++shift)
    for (std::size_t kind = 0; kind < plan.kinds.size(); ++kind)
      for (const std::string& marginals : plan.scored)
        for (const char* likelihood : {"sum", "mean"})
          for (auto objective : {BeliefObjective::mixture, BeliefObjective::printed}) {
            const Variant variant{marginals, likelihood, objective};
            const auto all = answers(plan, runs, kind, shift, variant);
            const Curve curve = belief_curve("", "", all);
            const auto [right, wrong] = shares_decided(all);
            std::vector<double> wins, deltas;
            for (const CurveEnd& a : all) {
              wins.push_back(a.win_rate);
              deltas.push_back(a.mean_delta);
            }
            table.rows.push_back({std::string(name_of(seen_shifts[shift])), plan.kinds[kind],
                                  marginals, likelihood, std::string(name_of(objective)),
                                  show(curve.median.back(), 4), show(right, 2), show(wrong, 2),
                                  episode_or_never(first_above(curve, 0.9)),
                                  episode_or_never(first_above(curve, 0.99)), show(median(wins), 2),
                                  show(median(deltas), 3)});
          }
  report.tables.push_back(std::move(table));
}

/// The ways of judging that are claimed: those of the settings, and beside the paper's
/// settings the equation as it is printed, the released code's reading of it, and ours.
std::vector<Variant> judged_variants(const Settings& settings) {
  std::vector<Variant> variants = {chosen_variant(settings)};
  if (settings.profile() != "paper") return variants;
  for (const Variant& variant : {Variant{"hindsight", "sum", BeliefObjective::printed},
                                 Variant{"released", "mean", BeliefObjective::printed},
                                 Variant{"online", "sum", BeliefObjective::mixture}})
    if (variant.id() != variants[0].id()) variants.push_back(variant);
  return variants;
}

std::string variant_words(const Variant& variant) {
  return fmt::format("{} marginals, {} over the points, {} objective", variant.marginals,
                     variant.likelihood, name_of(variant.objective));
}

/// Shifts of the cause, as in the paper.
void add_cause_claim(const std::string& kind, const Variant& variant, std::span<const CurveEnd> all,
                     Report& report) {
  const Curve curve = belief_curve("", "", all);
  std::vector<double> wins;
  for (const CurveEnd& a : all) wins.push_back(a.win_rate);
  const auto [right, wrong] = shares_decided(all);
  const int sure = first_above(curve, 0.99);
  const bool holds = sure > 0 && sure <= 200;
  report.claims.push_back(
      {fmt::format("continuous/cause/{}/{}", variant.id(), kind),
       fmt::format(
           "{}: the belief in the correct direction rises towards 1 within 200 updates ({})",
           spline_words(kind), variant_words(variant)),
       fmt::format(
           "median σ(γ) {} after {} cause shifts; above .9 from {}, above .99 from {}; ends "
           "above .95 in {} and below .05 in {} of {} splines",
           show(curve.median.back(), 4), curve.x.back(), episode_or_never(first_above(curve, 0.9)),
           episode_or_never(sure), show(right, 2), show(wrong, 2), all.size()),
       holds,
       holds ? ""
             : fmt::format("Δ > 0 in {} of the episodes (median){}", show(median(wins), 2),
                           variant.objective == BeliefObjective::mixture
                               ? ": where episodes contradict each other strongly, the mixture's "
                                 "belief tends to that share, not to 1"
                               : ""),
       variant.kind()});
}

/// What the controls say about the criterion, by the settings' way of judging.
void add_control_claim(ShiftKind shift, const std::string& kind, std::span<const CurveEnd> all,
                       Report& report) {
  const bool none = shift == ShiftKind::none;
  const auto [right, wrong] = shares_decided(all);
  const bool holds = none ? right + wrong <= 0.1 : right >= 0.9;
  const char* why =
      none ? "imperfect conditionals and families of densities favour one direction without any "
             "shift: the belief alone is no evidence"
           : "the conditional of the true direction is the one that changed, so it is the one that "
             "pays: the criterion needs a shift of the cause";
  report.claims.push_back(
      {fmt::format("continuous/{}/{}", name_of(shift), kind),
       spline_words(kind) +
           (none ? ": without a shift nothing tells the direction, and σ(γ) stays at ½"
                 : ": a shift of the effect tells the direction as well"),
       fmt::format("σ(γ) ends above .95 in {} and below .05 in {} of {} splines; median {}",
                   show(right, 2), show(wrong, 2), all.size(),
                   show(belief_curve("", "", all).median.back(), 3)),
       holds, holds ? "" : why, ClaimKind::control});
}

void add_claims(const ContinuousPlan& plan, std::span<const WorldRun> runs, Report& report) {
  for (std::size_t kind = 0; kind < plan.kinds.size(); ++kind) {
    for (const Variant& variant : judged_variants(plan.settings))
      add_cause_claim(plan.kinds[kind], variant, answers(plan, runs, kind, 0, variant), report);
    for (std::size_t shift = 1; shift < seen_shifts.size(); ++shift)
      add_control_claim(seen_shifts[shift], plan.kinds[kind],
                        answers(plan, runs, kind, shift, chosen_variant(plan.settings)), report);
  }
}

void add_beliefs(const ContinuousPlan& plan, std::span<const WorldRun> runs, Report& report) {
  const Variant variant = chosen_variant(plan.settings);
  Figure cause{"belief",
               "Belief that A causes B",
               "episodes seen",
               "σ(γ)",
               {},
               "Shifts of the cause, as in the paper; median and quartiles over splines."};
  Figure controls{"controls",
                  "The same belief under other shifts",
                  "episodes seen",
                  "σ(γ)",
                  {},
                  "The truth is A→B throughout. With a shift of the effect, and with no shift at "
                  "all, the criterion still decides, and not always rightly."};
  cause.y_max = controls.y_max = 1;
  int clamped = 0;
  for (std::size_t kind = 0; kind < plan.kinds.size(); ++kind) {
    for (std::size_t shift = 0; shift < seen_shifts.size(); ++shift) {
      const auto all = answers(plan, runs, kind, shift, variant);
      for (const CurveEnd& a : all) clamped += a.clamped;
      const std::string id =
          fmt::format("belief/{}/{}", name_of(seen_shifts[shift]), plan.kinds[kind]);
      const std::string shift_words =
          shift == 0 ? "" : fmt::format("{}: ", shift == 1 ? "effect shifts" : "no shift");
      report.curves.push_back(belief_curve(id, shift_words + spline_words(plan.kinds[kind]), all));
      const auto [right, wrong] = shares_decided(all);
      report.numbers.push_back({"decided-right/" + id, right});
      report.numbers.push_back({"decided-wrong/" + id, wrong});
      (shift == 0 ? cause : controls).curves.push_back(id);
    }
  }
  report.numbers.push_back({"gamma-clamped", double(clamped)});
  report.figures = {std::move(cause), std::move(controls)};
  report.summary = fmt::format(
      "Shifts of the cause drive the belief in A→B to {} after {} episodes (median of {} splines, "
      "{}); the controls show that this is the right answer only because the cause is what shifts.",
      show(report.curves[0].median.back(), 4), report.curves[0].x.back(), plan.runs,
      spline_words(plan.kinds[0]));
}

/// The printed and the corrected objective side by side, on the first kind of spline.
void add_objectives_figure(const ContinuousPlan& plan, std::span<const WorldRun> runs,
                           Report& report) {
  Figure figure{
      "objectives",
      "Printed and corrected, on the same episodes",
      "episodes seen",
      "σ(γ)",
      {},
      fmt::format("Cause shifts, {}. Printed: log[σ e^R + (1−σ) e^R′], marginals fitted "
                  "to the points they score. Corrected: the mixture of likelihoods, every "
                  "mini-batch scored before it is learnt from.",
                  spline_words(plan.kinds[0]))};
  figure.y_max = 1;
  const std::pair<Variant, const char*> shown[] = {
      {{"hindsight", "sum", BeliefObjective::printed}, "as printed: sum"},
      {{"released", "mean", BeliefObjective::printed}, "released code: mean, softmax of weights"},
      {{"online", "mean", BeliefObjective::mixture}, "corrected, mean"},
      {{"online", "sum", BeliefObjective::mixture}, "corrected, sum"}};
  for (const auto& [variant, label] : shown) {
    if (!plan.scores(variant.marginals)) continue;
    const std::string id = "objective/" + variant.id();
    report.curves.push_back(belief_curve(id, label, answers(plan, runs, 0, 0, variant)));
    figure.curves.push_back(id);
  }
  if (!figure.curves.empty()) report.figures.push_back(std::move(figure));
}

}  // namespace

Report belief_continuous(const Settings& settings, const RunOptions& options) {
  const ContinuousPlan plan{settings, options};
  if (!plan.scores(settings.text("marginals")))
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "marginals_scored",
                "'" + settings.text("marginals") + "' is what the belief follows, and not scored",
                "add it, or choose other 'marginals'");
  std::vector<WorldRun> runs;
  for (std::size_t w = 0; w < plan.worlds(); ++w) runs.push_back(start_world(plan, w));

  Fallbacks fallbacks;
  std::mutex mutex;  // guards fallbacks
  const auto counted = [&](const auto& job) {
    Fallbacks own;
    job(own);
    const std::scoped_lock lock(mutex);
    fallbacks.add(own);
  };
  const auto progress = [&](double from, double to) -> Progress {
    if (!options.progress) return {};
    return [&options, from, to](double share) { options.progress(from + share * (to - from)); };
  };
  parallel_for(
      2 * plan.worlds(), options.threads,
      [&](std::size_t job) {
        counted([&](Fallbacks& own) { train(plan, runs[job / 2], job / 2, job % 2 == 1, own); });
      },
      progress(0, 0.2));

  struct Job {
    std::size_t world, shift, begin;
  };
  std::vector<Job> jobs;
  for (std::size_t w = 0; w < plan.worlds(); ++w)
    for (std::size_t shift = 0; shift < seen_shifts.size(); ++shift)
      for (std::size_t e = 0; e < plan.episodes(seen_shifts[shift]); e += chunk)
        jobs.push_back({w, shift, e});
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t j) {
        const Job& job = jobs[j];
        counted([&](Fallbacks& own) {
          score(plan, runs[job.world], job.world, job.shift, job.begin, own);
        });
      },
      progress(0.2, 1));
  for (const WorldRun& run : runs)
    for (const auto& ways : run.tables)
      for (const Scores& table : ways) check_finite(table);

  Report report;
  add_beliefs(plan, runs, report);
  add_claims(plan, runs, report);
  add_objectives_figure(plan, runs, report);
  add_variants_table(plan, runs, report);
  report.numbers.push_back({"log-sigma-clamped", double(fallbacks.clamped)});
  report.numbers.push_back({"variance-floored", double(fallbacks.floored)});
  report.numbers.push_back({"components-reseeded", double(fallbacks.reseeded)});
  report.assumptions = {
      "The truth is A→B: A ~ N(μ, 2²), B = f(A) + N(0, 1) with a random spline f; training μ = 0, "
      "shifted μ uniform on [−4, 4].",
      "effect: B becomes N(μ, 2²) whatever A is. online: scored before it is learnt from. "
      "hindsight: marginals fitted to the points they score; released: that, with softmax(π) as "
      "weights."};
  return report;
}

}  // namespace whence
