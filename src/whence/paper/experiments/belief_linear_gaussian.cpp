// Figure "Convergence of the causal belief, linear Gaussian": sigma(gamma) over episodes, and what
// it becomes as a function of the inner learning rate that the paper does not give.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/meta_learn.hpp"
#include "whence/paper/tasks/gaussian_task.hpp"

namespace whence {

namespace {

constexpr std::array shifts = {ShiftKind::cause, ShiftKind::effect, ShiftKind::none};
constexpr std::size_t held_at_once = 32;  // episodes whose data are held at once

/// One way to adapt.
struct Rule {
  OptimizerSpec optimizer;
  std::string id() const {
    return fmt::format("{}/{:g}", name_of(optimizer.kind), optimizer.learning_rate);
  }
};

/// One rule on the episodes of one run under one shift.
struct CellRun {
  std::vector<double> delta;                        // per episode
  std::vector<double> gain_forward, gain_backward;  // over not adapting at all, per episode
  std::size_t lost_forward = 0, lost_backward = 0;  // episodes that left the finite numbers
};

struct Run {
  std::array<std::vector<CellRun>, shifts.size()> cells;  // [shift][rule]
  double condition = 0;
  double first_batch = 0;  // largest |delta| before anything is learnt, relative to |log L|
};

std::vector<Rule> rules_of(const Settings& settings) {
  std::vector<Rule> rules;
  std::vector<double> rates = settings.numbers("learning_rates");
  std::sort(rates.begin(), rates.end());
  for (const std::string& name : settings.texts("optimizers"))
    for (double rate : rates)
      for (auto kind :
           {OptimizerSpec::Kind::sgd, OptimizerSpec::Kind::rmsprop, OptimizerSpec::Kind::adam})
        if (name == name_of(kind)) rules.push_back({{.kind = kind, .learning_rate = rate}});
  return rules;
}

LinearGaussianPrior prior_of(const Settings& settings, int d) {
  const bool few = settings.text("covariance_degrees") == "d+2";
  auto prior = LinearGaussianPrior::of(d, few ? d + 2 : std::max(2 * d, d + 2));
  prior.shift_covariance = settings.flag("shift_covariance");
  return prior;
}

/// Scores of one chunk, kept when they leave the finite numbers.
Scores score(const GaussianTask& task, const EpisodeSet& set, const OptimizerSpec& optimizer) {
  return cpu_backend()->score(set.data, set.episodes, task.modules, {optimizer, true, false});
}

void add_episode(double forward, double backward, double unadapted, CellRun& cell) {
  cell.lost_forward += !std::isfinite(forward);
  cell.lost_backward += !std::isfinite(backward);
  cell.delta.push_back(log_odds_or_lost(forward, backward));
  cell.gain_forward.push_back(log_odds_or_lost(forward, unadapted));
  cell.gain_backward.push_back(log_odds_or_lost(backward, unadapted));
}

void add_chunk(const GaussianTask& task, const EpisodeSet& set, std::span<const Rule> rules,
               std::vector<CellRun>& cells, double& first_batch) {
  const auto forward = task.pair.forward, backward = task.pair.backward;
  const Scores still = score(task, set, {.learning_rate = 0});  // a step of length 0
  for (std::size_t e = 0; e < set.episodes.size(); ++e) {
    const double log_lik = still.log_lik(EpisodeId(e), forward, 0);
    const double delta = log_lik - still.log_lik(EpisodeId(e), backward, 0);
    first_batch = std::max(first_batch, std::abs(delta) / std::max(1.0, std::abs(log_lik)));
  }
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const Scores scores = score(task, set, rules[r].optimizer);
    for (std::size_t e = 0; e < set.episodes.size(); ++e)
      add_episode(scores.log_lik(EpisodeId(e), forward), scores.log_lik(EpisodeId(e), backward),
                  still.log_lik(EpisodeId(e), forward), cells[r]);
  }
}

Run one_run(const Settings& settings, std::span<const Rule> rules, int d, RunKey key) {
  const LinearGaussianPrior prior = prior_of(settings, d);
  const auto task = GaussianTask::exact(LinearGaussianWorld::draw_pair(prior, key.seed, key.run));
  Run run;
  run.condition = task.world.condition();
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    const bool control = shifts[s] != ShiftKind::cause;
    const auto episodes = std::size_t(settings.integer(control ? "control_episodes" : "episodes"));
    run.cells[s].resize(rules.size());
    for (std::size_t e = 0; e < episodes; e += held_at_once)
      add_chunk(
          task,
          draw_episodes(task.world, shifts[s], prior, key, e, std::min(held_at_once, episodes - e),
                        settings.integer("steps"), settings.integer("batch")),
          rules, run.cells[s], run.first_batch);
  }
  return run;
}

// ---- what the runs say together ----

/// One (dimension, shift, rule), over runs.
struct Outcome {
  int dimension;
  ShiftKind shift;
  Rule rule;
  std::vector<double> wins, belief, p_star, median_delta;  // per run
  std::vector<double> helped_forward, helped_backward;     // share of episodes with a gain
  std::vector<std::vector<double>> beliefs;                // [run][episode]
  std::size_t lost_forward = 0, lost_backward = 0, episodes = 0;
  int clamped = 0;
  double share_diverged(std::size_t lost) const { return double(lost) / double(episodes); }
  bool stays_finite() const { return lost_forward + lost_backward == 0; }
};

double share_above_zero(std::span<const double> values) {
  double count = 0;
  for (double v : values) count += v > 0 ? 1 : v == 0 ? 0.5 : 0;
  return count / double(values.size());
}

void add_run(const CellRun& run, const BeliefLearning& learning, Outcome& outcome) {
  const BeliefTrajectory learnt = learn_belief(run.delta, 1, learning);
  std::vector<double> beliefs;
  for (double gamma : learnt.gamma) beliefs.push_back(sigmoid(gamma));
  outcome.wins.push_back(share_above_zero(run.delta));
  outcome.helped_forward.push_back(share_above_zero(run.gain_forward));
  outcome.helped_backward.push_back(share_above_zero(run.gain_backward));
  outcome.belief.push_back(beliefs.back());
  outcome.p_star.push_back(limit_belief(run.delta));
  outcome.median_delta.push_back(median(run.delta));
  outcome.beliefs.push_back(std::move(beliefs));
  outcome.lost_forward += run.lost_forward;
  outcome.lost_backward += run.lost_backward;
  outcome.episodes += run.delta.size();
  outcome.clamped += learnt.clamped;
}

std::vector<Outcome> outcomes_of(std::span<const int> dimensions, std::span<const Rule> rules,
                                 std::span<const std::vector<Run>> runs,
                                 const BeliefLearning& learning) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    for (std::size_t s = 0; s < shifts.size(); ++s)
      for (std::size_t r = 0; r < rules.size(); ++r) {
        outcomes.push_back({dimensions[i], shifts[s], rules[r], {}, {}, {}, {}, {}, {}, {}});
        for (const Run& run : runs[i]) add_run(run.cells[s][r], learning, outcomes.back());
      }
  return outcomes;
}

const char* says(const Outcome& outcome) {
  const double belief = median(outcome.belief);
  return belief > 0.6 ? "A→B" : belief < 0.4 ? "B→A" : "undecided";
}

/// Where a model leaves the finite numbers its episode is lost by a stand-in, not by nats.
std::string delta_words(const Outcome& o) {
  const double delta = median(o.median_delta);
  return std::abs(delta) < lost_by / 2 ? show(delta, 4)
                                       : fmt::format("{} diverged", delta > 0 ? "B→A" : "A→B");
}

Table cells_table(std::span<const Outcome> outcomes) {
  Table table{"cells",
              "Every learning rate; the truth is A→B. An episode in which one model leaves the "
              "finite numbers is lost by it",
              {"d", "shift", "optimizer", "learning rate", "Δ > 0", "median Δ", "σ(γ) at the end",
               "p*", "adapting helped A→B", "adapting helped B→A", "episodes", "A→B diverged",
               "B→A diverged", "says"},
              {}};
  for (const Outcome& o : outcomes)
    table.rows.push_back({fmt::format("{}", o.dimension), std::string(name_of(o.shift)),
                          std::string(name_of(o.rule.optimizer.kind)),
                          fmt::format("{:g}", o.rule.optimizer.learning_rate), show(median(o.wins)),
                          delta_words(o), show(median(o.belief)), show(median(o.p_star)),
                          show(median(o.helped_forward)), show(median(o.helped_backward)),
                          fmt::format("{}", o.episodes), fmt::format("{}", o.lost_forward),
                          fmt::format("{}", o.lost_backward), says(o)});
  return table;
}

constexpr const char* shown_name(OptimizerSpec::Kind kind) {
  switch (kind) {
    case OptimizerSpec::Kind::sgd: return "SGD";
    case OptimizerSpec::Kind::rmsprop: return "RMSprop";
    case OptimizerSpec::Kind::adam: return "Adam";
  }
  return "?";
}

using Quantity = std::vector<double> Outcome::*;

/// A quantity of the outcomes as a function of the learning rate, one curve per dimension and
/// optimizer; returns the curves' ids.
std::vector<std::string> add_rate_curves(const std::string& prefix, ShiftKind shift,
                                         Quantity quantity, std::span<const Outcome> outcomes,
                                         Report& report) {
  std::vector<std::string> ids;
  for (const Outcome& o : outcomes) {
    if (o.shift != shift) continue;
    const OptimizerSpec& optimizer = o.rule.optimizer;
    std::string id = fmt::format("{}/d={}/{}", prefix, o.dimension, name_of(optimizer.kind));
    if (ids.empty() || ids.back() != id) {
      Curve curve;
      curve.id = id;
      curve.label = fmt::format("d = {}, {}", o.dimension, shown_name(optimizer.kind));
      report.curves.push_back(std::move(curve));
      ids.push_back(std::move(id));
    }
    Curve& curve = report.curves.back();
    const std::vector<double>& values = o.*quantity;
    curve.x.push_back(optimizer.learning_rate);
    curve.median.push_back(median(values));
    curve.q25.push_back(quantile(values, 0.25));
    curve.q75.push_back(quantile(values, 0.75));
  }
  return ids;
}

/// A share between 0 and 1, drawn.
struct ByRate {
  const char *id, *title, *y_label, *caption;
  ShiftKind shift;
  Quantity quantity;
};

void add_by_rate(const ByRate& what, std::span<const Outcome> outcomes, Report& report) {
  Figure figure{what.id, what.title, "inner learning rate", what.y_label, {}, what.caption, true};
  figure.y_max = 1;
  figure.curves = add_rate_curves(what.id, what.shift, what.quantity, outcomes, report);
  report.figures.push_back(std::move(figure));
}

/// The cells of a dimension under shifts of the cause with the highest and the lowest belief, among
/// those where nothing diverges; among all, where there are none such.
std::pair<const Outcome*, const Outcome*> extremes(std::span<const Outcome> outcomes, int d) {
  const auto here = [&](const Outcome& o) {
    return o.dimension == d && o.shift == ShiftKind::cause;
  };
  const bool any_finite = std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) {
    return here(o) && o.stays_finite();
  });
  const Outcome *best = nullptr, *worst = nullptr;
  for (const Outcome& o : outcomes) {
    if (!here(o) || (any_finite && !o.stays_finite())) continue;
    if (!best || median(o.belief) > median(best->belief)) best = &o;
    if (!worst || median(o.belief) < median(worst->belief)) worst = &o;
  }
  return {best, worst};
}

/// The paper's figure: sigma(gamma) over episodes, at the learning rates that answer best and
/// worst.
void add_belief_figure(std::span<const int> dimensions, std::span<const Outcome> outcomes,
                       Report& report) {
  Figure figure{"belief",
                "Belief that A causes B",
                "episodes seen",
                "σ(γ)",
                {},
                "The paper's belief rises to 1. Here, per dimension: the learning rate at which it "
                "rises highest, and the one at which it falls lowest, of those at which nothing "
                "diverges."};
  figure.y_max = 1;
  for (int d : dimensions) {
    const auto [best, worst] = extremes(outcomes, d);
    for (const auto& [which, o] : {std::pair("best", best), std::pair("worst", worst)}) {
      std::vector<double> x;
      for (std::size_t e = 1; e <= o->beliefs[0].size(); ++e) x.push_back(double(e));
      const std::string id = fmt::format("belief/d={}/{}", d, which);
      report.curves.push_back(
          summarise(id,
                    fmt::format("d = {}, {} {:g}", d, name_of(o->rule.optimizer.kind),
                                o->rule.optimizer.learning_rate),
                    x, o->beliefs));
      figure.curves.push_back(id);
    }
  }
  report.figures.push_back(std::move(figure));
}

std::string described(const Outcome& o) {
  return fmt::format("{} with {} {:g} (Δ > 0 in {})", show(median(o.belief)),
                     name_of(o.rule.optimizer.kind), o.rule.optimizer.learning_rate,
                     show(median(o.wins), 2));
}

/// The rules that give that answer when the cause shifts, with how often B->A diverged.
std::string rates_that_say(std::span<const Outcome> outcomes, int d, std::string_view answer) {
  std::string out;
  for (const Outcome& o : outcomes) {
    if (o.dimension != d || o.shift != ShiftKind::cause || says(o) != answer) continue;
    out += fmt::format("{}{} {:g}", out.empty() ? "" : ", ", name_of(o.rule.optimizer.kind),
                       o.rule.optimizer.learning_rate);
    if (o.lost_backward > 0)
      out += fmt::format(" (B→A diverged in {})", show(o.share_diverged(o.lost_backward), 2));
  }
  return out.empty() ? "none" : out;
}

const Outcome& same_rule(std::span<const Outcome> outcomes, const Outcome& o, ShiftKind shift) {
  return *std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
    return other.dimension == o.dimension && other.shift == shift && other.rule.id() == o.rule.id();
  });
}

/// What a control says at the learning rates that answer A->B under shifts of the cause.
void add_control_claim(std::span<const Outcome> outcomes, int d, ShiftKind shift,
                       std::string_view wanted, const char* claim, const char* why,
                       Report& report) {
  int rules = 0, as_wanted = 0;
  for (const Outcome& o : outcomes) {
    if (o.dimension != d || o.shift != ShiftKind::cause || says(o) != std::string_view("A→B"))
      continue;
    ++rules;
    as_wanted += says(same_rule(outcomes, o, shift)) == wanted;
  }
  if (rules == 0) return;  // nothing to hold the control against
  const bool holds = as_wanted == rules;
  report.claims.push_back(
      {fmt::format("linear-gaussian/{}/d={}", name_of(shift), d),
       fmt::format("{} (d = {})", claim, d),
       fmt::format("of {} learning rates that answer A→B when the cause shifts, {} are {} here",
                   rules, as_wanted, wanted == "A→B" ? "right" : "undecided"),
       holds, holds ? "" : why, ClaimKind::control});
}

/// The limit of gamma when every one of infinitely many episodes supports A->B.
double highest_belief(const BeliefLearning& learning, std::size_t episodes) {
  const std::vector<double> certain(episodes, lost_by);
  return sigmoid(learn_belief(certain, 1, learning).gamma.back());
}

void add_claims(std::span<const int> dimensions, std::span<const Outcome> outcomes,
                const BeliefLearning& learning, Report& report) {
  const std::size_t episodes = outcomes[0].beliefs[0].size();  // of the first shift: the cause's
  const double ceiling = highest_belief(learning, episodes);
  report.numbers.push_back({"highest-belief-possible", ceiling});
  for (int d : dimensions) {
    const auto [best, worst] = extremes(outcomes, d);
    const bool holds = median(worst->belief) > 0.5;
    report.claims.push_back(
        {fmt::format("linear-gaussian/converges/d={}", d),
         fmt::format(
             "The belief in the correct direction converges to 1 (d = {}; the learning rate "
             "is not given)",
             d),
         fmt::format("after {} episodes, where nothing diverges: at best {}, at worst {}; {} steps "
                     "of {:g} can reach {} at most",
                     episodes, described(*best), described(*worst), episodes,
                     learning.optimizer.learning_rate, show(ceiling)),
         holds,
         holds
             ? ""
             : fmt::format("the published claim depends on the unpublished learning rate. B→A, "
                           "the wrong answer: {}. A→B: {}",
                           rates_that_say(outcomes, d, "B→A"), rates_that_say(outcomes, d, "A→B")),
         ClaimKind::paper});
    add_control_claim(outcomes, d, ShiftKind::none, "undecided",
                      "Without a shift the belief stays undecided",
                      "steps that long hurt B→A more than A→B whatever the data: the answer does "
                      "not come from the shift",
                      report);
    add_control_claim(outcomes, d, ShiftKind::effect, "A→B",
                      "The correct causal model adapts faster when the effect is set",
                      "the criterion is about shifts of the cause", report);
  }
}

/// What may go wrong, counted, and that both models start as the same joint.
void add_numbers(std::span<const int> dimensions, std::span<const std::vector<Run>> runs,
                 std::span<const Outcome> outcomes, Report& report) {
  double first_batch = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    double condition = 0;
    for (const Run& run : runs[i]) {
      condition = std::max(condition, run.condition);
      first_batch = std::max(first_batch, run.first_batch);
    }
    report.numbers.push_back({fmt::format("condition-number/d={}", dimensions[i]), condition});
  }
  std::size_t diverged = 0, episodes = 0;
  int clamped = 0;
  for (const Outcome& o : outcomes) {
    diverged += o.lost_forward + o.lost_backward;
    episodes += o.episodes;
    clamped += o.clamped;
  }
  report.numbers.push_back({"first-batch-relative-delta", first_batch});
  report.numbers.push_back({"episodes", double(episodes)});
  report.numbers.push_back({"adaptations-diverged", double(diverged)});
  report.numbers.push_back({"gamma-clamped", double(clamped)});
  report.claims.push_back(
      {"linear-gaussian/same-joint",
       "With exact parameters both models are the same joint before adaptation",
       fmt::format("log-likelihoods of first mini-batches differ by at most {} of their size",
                   show(first_batch)),
       first_batch < 1e-9, "", ClaimKind::paper});
}

void add_words(std::span<const int> dimensions, std::span<const Outcome> outcomes, Report& report) {
  const auto [best, worst] = extremes(outcomes, dimensions[0]);
  report.summary = fmt::format(
      "The direction found depends on the inner learning rate, which the paper does not give: at "
      "d = {} the belief in A→B ends at {} with {} {:g} and at {} with {} {:g}.",
      dimensions[0], show(median(best->belief)), name_of(best->rule.optimizer.kind),
      best->rule.optimizer.learning_rate, show(median(worst->belief)),
      name_of(worst->rule.optimizer.kind), worst->rule.optimizer.learning_rate);
  report.assumptions = {
      "Modules start from the exact training distribution and are reset after each episode.",
      "Covariances are inverse-Wishart with mean I; means, offsets and slopes are standard normal.",
      "An adaptation that leaves the finite numbers is an outcome here: the model has lost that "
      "episode, and it is counted; the curves delta/… show it as 1e9. A rate that wins so is no "
      "evidence for the claim."};
}

}  // namespace

Report belief_linear_gaussian(const Settings& settings, const RunOptions& options) {
  const std::vector<int> dimensions = settings.integers("dimensions");
  const std::vector<Rule> rules = rules_of(settings);
  const auto count = std::size_t(settings.integer("runs"));
  std::vector<std::vector<Run>> runs(dimensions.size(), std::vector<Run>(count));
  // The last dimension is the largest: its runs begin first, so that threads end together.
  parallel_for(
      dimensions.size() * count, options.threads,
      [&](std::size_t job) {
        const std::size_t i = dimensions.size() - 1 - job / count, run = job % count;
        runs[i][run] = one_run(settings, rules, dimensions[i], {options.seed, std::uint32_t(run)});
      },
      options.progress);

  const BeliefLearning learning{settings.number("gamma0"), settings.optimizer("belief")};
  const std::vector<Outcome> outcomes = outcomes_of(dimensions, rules, runs, learning);
  Report report;
  add_belief_figure(dimensions, outcomes, report);
  add_by_rate({"wins", "Who is ahead, by learning rate", "share of episodes with Δ > 0",
               "Shifts of the cause. The paper gives no learning rate; above ½ the causal model is "
               "ahead after 10 steps, below it the anticausal one.",
               ShiftKind::cause, &Outcome::wins},
              outcomes, report);
  add_by_rate(
      {"belief-by-rate", "What is believed in the end, by learning rate", "σ(γ) after all episodes",
       "Shifts of the cause; the truth is 1.", ShiftKind::cause, &Outcome::belief},
      outcomes, report);
  add_by_rate({"helped", "Where adapting helps the wrong model, by learning rate",
               "share of episodes with a gain",
               "Shifts of the cause: how often B→A, adapting, is more likely over the episode than "
               "left alone. The causal model gets ahead where the steps become too long for the "
               "other one.",
               ShiftKind::cause, &Outcome::helped_backward},
              outcomes, report);
  add_by_rate({"wins-effect", "Control: the effect is set by a hard intervention",
               "share of episodes with Δ > 0", "The truth is still A→B.", ShiftKind::effect,
               &Outcome::wins},
              outcomes, report);
  add_by_rate({"wins-none", "Control: nothing shifts", "share of episodes with Δ > 0",
               "Nothing here says anything about the direction: ½ would be honest.",
               ShiftKind::none, &Outcome::wins},
              outcomes, report);
  add_rate_curves("delta", ShiftKind::cause, &Outcome::median_delta, outcomes, report);
  report.tables.push_back(cells_table(outcomes));
  add_claims(dimensions, outcomes, learning, report);
  add_numbers(dimensions, runs, outcomes, report);
  add_words(dimensions, outcomes, report);
  return report;
}

}  // namespace whence
