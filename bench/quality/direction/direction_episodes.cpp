#include "bench/quality/direction/direction_episodes.hpp"

#include <algorithm>
#include <cmath>

#include "bench/quality/direction/direction_bench_cases.hpp"
#include "whence/discover/pair/pair_beliefs.hpp"
#include "whence/discover/pair/pair_models.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr int levels = 10;
constexpr std::size_t episode_rows = 20;
constexpr double sure = 0.99;

/// An exactly known baseline, and the episodes as tables of counts.
struct Run {
  std::vector<double> log_joint;    // [x][y]
  std::vector<FamilyCounts> joint;  // the baseline first
};

Run draw_run(const DiscreteDesign& design, RunKey key) {
  const double concentration = design.sparse ? 1.0 / levels : 1.0;
  const auto world = CategoricalWorld::draw_pair(levels, concentration, key.seed, key.run);
  Run run{world.log_joint(), {FamilyCounts(levels, levels)}};
  constexpr double imaginary_rows = 1e8;
  for (std::size_t i = 0; i < run.log_joint.size(); ++i)
    run.joint[0].cells[i] = imaginary_rows * std::exp(run.log_joint[i]);
  constexpr std::array kinds = {ShiftKind::cause, ShiftKind::effect, ShiftKind::mechanism,
                                ShiftKind::row};
  Dataset data = make_dataset(world.variables(), episode_rows);
  ShiftedWorld view(world);
  for (std::size_t e = 0; e < most_episodes; ++e) {
    const Cell cell{key.run, std::uint32_t(e), 0};
    view.shift({kinds[std::size_t(design.situation)]}, concentration,
               Stream(key.seed, Purpose::shift, cell));
    view.sample(Stream(key.seed, Purpose::sample, cell), data, 0, episode_rows);
    run.joint.push_back(count(data, {VariableId(1), {VariableId(0)}}, 0, episode_rows));
  }
  return run;
}

/// log P(episode) for one direction, where the mechanisms and the kind of shift are known.
/// `log_joint` and `seen` are factorised with the cause first.
double told_score(const std::vector<double>& log_joint, const FamilyCounts& seen,
                  Situation situation, double concentration) {
  const auto n = std::size_t(levels);
  const FamilyCounts nothing(n, n);
  double known_first = 0, known_second = 0;
  std::vector<double> rows;
  FamilyCounts first(1, n), second(1, n);
  for (std::size_t x = 0; x < n; ++x) {
    const double total = log_sum_exp(std::span(log_joint).subspan(x * n, n));
    double known_row = 0;
    for (std::size_t y = 0; y < n; ++y) {
      const double c = seen.cells[x * n + y];
      first.cells[x] += c;
      second.cells[y] += c;
      if (c > 0) known_row += c * (log_joint[x * n + y] - total);
    }
    if (first.cells[x] > 0) known_first += first.cells[x] * total;
    known_second += known_row;
    rows.push_back(log_predictive_row(nothing, seen, concentration, x) - known_row);
  }
  switch (situation) {
    case Situation::cause: return log_marginal_likelihood(first, concentration) + known_second;
    case Situation::effect: return known_first + log_marginal_likelihood(second, concentration);
    case Situation::mechanism: return known_first + log_marginal_likelihood(seen, concentration);
    default: return known_first + known_second + log_mean_exp(rows);
  }
}

struct Needed {
  double engine = most_episodes + 1, told = most_episodes + 1;
  bool wrong = false;
};

Needed needed_of(const Run& run, const DiscreteDesign& design) {
  Needed needed;
  DirectionOptions how;
  how.baseline = 0;
  const auto path = beliefs_over(run.joint, how);
  for (std::size_t e = 2; e < path.size(); ++e) {  // after the prior and the baseline
    if (path[e][0] < sure && path[e][1] < sure && path[e][2] < sure) continue;
    needed.wrong = path[e][0] < sure;
    if (!needed.wrong) needed.engine = double(e - 1);
    break;
  }
  const double concentration = design.sparse ? 1.0 / levels : 1.0;
  std::vector<double> turned(run.log_joint.size());
  for (std::size_t i = 0; i < turned.size(); ++i)
    turned[i] = run.log_joint[i % levels * levels + i / levels];
  double log_odds = 0;
  for (std::size_t e = 1; e < run.joint.size(); ++e) {
    log_odds += told_score(run.log_joint, run.joint[e], design.situation, concentration) -
                told_score(turned, transposed(run.joint[e]), design.situation, concentration);
    if (sigmoid(log_odds) < sure) continue;
    needed.told = double(e);
    break;
  }
  return needed;
}

}  // namespace

std::vector<EpisodesNeeded> episodes_needed(std::size_t runs, const RunOptions& options,
                                            const Progress& progress) {
  std::vector<DiscreteDesign> designs;
  for (Situation s : {Situation::cause, Situation::effect, Situation::mechanism, Situation::row})
    for (bool sparse : {false, true}) designs.push_back({s, levels, sparse, 0, episode_rows, 1});
  std::vector<Needed> all(designs.size() * runs);
  direction_bench::share_out(
      "episodes", all, options,
      [&](std::size_t i) {
        const DiscreteDesign& design = designs[i / runs];
        return needed_of(draw_run(design, {options.seed + 4, std::uint32_t(i)}), design);
      },
      progress);
  std::vector<EpisodesNeeded> result;
  for (std::size_t d = 0; d < designs.size(); ++d) {
    EpisodesNeeded r{designs[d].situation, designs[d].sparse, runs};
    std::vector<double> engine, told;
    for (std::size_t i = d * runs; i < (d + 1) * runs; ++i) {
      engine.push_back(all[i].engine);
      told.push_back(all[i].told);
      r.reached += double(all[i].engine <= double(most_episodes)) / double(runs);
      r.wrong += double(all[i].wrong) / double(runs);
    }
    r.median = median(engine);
    r.optimal = median(told);
    result.push_back(r);
  }
  return result;
}

Table episodes_table(const std::vector<EpisodesNeeded>& needed) {
  Table table{"episodes",
              "Episodes of 20 rows until P >= .99, ten levels, unshifted mechanisms known exactly",
              {"shift", "tables", "runs", "median", "told what shifts", "reached", "wrong"},
              {}};
  for (const EpisodesNeeded& n : needed)
    table.rows.push_back({std::string(name_of(n.situation)), n.sparse ? "sparse" : "dense",
                          std::to_string(n.runs), show(n.median), show(n.optimal), show(n.reached),
                          show(n.wrong)});
  return table;
}

}  // namespace whence
