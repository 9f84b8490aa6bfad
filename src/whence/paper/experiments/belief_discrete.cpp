// Figure "Evolution of the belief": sigma(gamma) over episodes of a shifted cause.
#include <cmath>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/core/error.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence {

namespace {

struct BeliefRun {
  std::vector<double> learnt, bayes;  // beliefs after each episode
  std::vector<double> delta;          // per episode
  int clamped = 0;
};

BeliefObjective objective_of(const std::string& name) {
  for (auto o : {BeliefObjective::mixture, BeliefObjective::printed, BeliefObjective::per_step})
    if (name == name_of(o)) return o;
  throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "belief_objective",
              "unknown objective '" + name + "'", "mixture, printed or per-step");
}

BeliefLearning learning_of(const Settings& settings) {
  return {settings.number("gamma0"), settings.optimizer("belief"),
          objective_of(settings.text("belief_objective")), settings.flag("tie_artefact")};
}

std::vector<double> beliefs(const BeliefTrajectory& trajectory) {
  std::vector<double> p;
  for (double gamma : trajectory.gamma) p.push_back(sigmoid(gamma));
  return p;
}

BeliefRun one_run(const Settings& settings, const BeliefLearning& learning, int levels,
                  RunKey key) {
  const double concentration = settings.number("concentration");
  const PairTask task =
      PairTask::exact(CategoricalWorld::draw_pair(levels, concentration, key.seed, key.run));
  const EpisodeSet set = draw_episodes(task.world, {ShiftKind::cause}, concentration, key,
                                       std::size_t(settings.integer("episodes")),
                                       settings.integer("steps"), settings.integer("batch"));
  const Scores scores =
      cpu_backend()->score(set.data, set.episodes, task.modules,
                           {settings.optimizer("adaptation"), settings.flag("reset")});
  const auto delta = step_log_odds(scores, task.pair.forward, task.pair.backward);
  const BeliefTrajectory learnt = learn_belief(delta, scores.steps(), learning);
  return {beliefs(learnt), beliefs(bayes_belief(delta, scores.steps(), learning.gamma0)),
          log_odds(scores, task.pair.forward, task.pair.backward), learnt.clamped};
}

std::vector<std::string> diagnostics_row(int levels, std::span<const BeliefRun> runs) {
  std::vector<double> all;
  for (const BeliefRun& run : runs) all.insert(all.end(), run.delta.begin(), run.delta.end());
  const BeliefDiagnostics d = diagnose(all);
  return {fmt::format("{}", levels),
          show(d.mean, 4),
          show(d.standard_error, 5),
          show(d.win_rate),
          show(d.log_mean_exp_plus, 4),
          show(d.log_mean_exp_minus, 4),
          show(d.p_star),
          std::string(name_of(d.verdict))};
}

void add_claim(const Curve& belief, int levels, Report& report) {
  const double last = belief.median.back();
  const int decided = first_above(belief, 0.95);
  report.claims.push_back(
      {fmt::format("belief/converges/N={}", levels),
       fmt::format("N = {}: the belief in the correct direction goes towards 1 within about 500 "
                   "episodes",
                   levels),
       fmt::format("median belief {} after {} episodes; above .95 {}", show(last, 4),
                   belief.x.back(), decided ? fmt::format("from episode {}", decided) : "never"),
       decided > 0 && decided <= 500,
       decided ? "" : "too few episodes in this run: the γ step, not the evidence, sets the pace",
       ClaimKind::paper});
}

}  // namespace

Report belief_discrete(const Settings& settings, const RunOptions& options) {
  const std::vector<int> sizes = settings.integers("levels");
  const auto count = std::size_t(settings.integer("runs"));
  const BeliefLearning learning = learning_of(settings);
  std::vector<std::vector<BeliefRun>> runs(sizes.size(), std::vector<BeliefRun>(count));
  parallel_for(
      sizes.size() * count, options.threads,
      [&](std::size_t job) {
        const std::size_t size = job / count, run = job % count;
        runs[size][run] =
            one_run(settings, learning, sizes[size], {options.seed, std::uint32_t(run)});
      },
      options.progress);

  std::vector<double> x;
  for (int e = 1; e <= settings.integer("episodes"); ++e) x.push_back(e);
  Report report;
  Figure figure{"belief",
                "Belief that A causes B",
                "episodes seen",
                "σ(γ)",
                {},
                "The paper's belief rises towards 1 for N = 10 and N = 100. The exact Bayes update "
                "γ += Δ on the same scores is shown beside it.",
                false,
                false,
                0.4,
                1.0};
  Table diagnostics{"diagnostics",
                    "What the episodes say together, whatever the step of γ",
                    {"N", "mean Δ", "standard error", "win rate", "log mean e^Δ", "log mean e^−Δ",
                     "p*", "verdict"},
                    {}};
  int clamped = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::vector<double>> learnt, bayes;
    for (const BeliefRun& run : runs[i]) {
      learnt.push_back(run.learnt);
      bayes.push_back(run.bayes);
      clamped += run.clamped;
    }
    const std::string id = fmt::format("N={}", sizes[i]);
    report.curves.push_back(summarise("belief/" + id, "γ learnt, N = " + id.substr(2), x, learnt));
    add_claim(report.curves.back(), sizes[i], report);
    report.curves.push_back(
        summarise("belief-bayes/" + id, "exact Bayes, N = " + id.substr(2), x, bayes));
    figure.curves.push_back("belief/" + id);
    figure.curves.push_back("belief-bayes/" + id);
    diagnostics.rows.push_back(diagnostics_row(sizes[i], runs[i]));
  }
  report.figures.push_back(std::move(figure));
  report.tables.push_back(std::move(diagnostics));
  report.numbers.push_back({"gamma-clamped", double(clamped)});
  report.summary = fmt::format(
      "Shifts of the cause drive the belief in A→B to {} (N = {}) after {} episodes, median of {} "
      "runs.",
      show(report.curves[0].median.back(), 4), sizes[0], x.back(), count);
  report.assumptions = {
      "The cause's distribution is what shifts: shift-controls shows what happens otherwise.",
      "Modules start from the exact training distribution and are reset after each episode."};
  return report;
}

}  // namespace whence
