// Figure "Cross entropy between the ground-truth SCM structure and the learned SCM structure":
// edge beliefs over neural modules, as the paper prints it, as its code does it, and corrected.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/edges.hpp"
#include "whence/discover/experiments/all.hpp"
#include "whence/discover/meta_learn.hpp"
#include "whence/discover/mlp_task.hpp"
#include "whence/discover/summary.hpp"

namespace whence {

namespace {

constexpr double solved_below = 0.1;  // bits
constexpr int large_levels = 50;      // from here the released code's row is repeated less often

struct ShiftRow {
  EpisodeShift::Kind kind;
  const char *id, *label;
};
constexpr std::array shift_rows = {
    ShiftRow{EpisodeShift::Kind::cause, "cause", "cause shifts"},
    ShiftRow{EpisodeShift::Kind::either, "either", "shifts on either variable"},
    ShiftRow{EpisodeShift::Kind::none, "none", "no shift"}};

/// How far the edges are from the truth after each episode, and what was counted on the way.
struct Path {
  std::vector<double> bits, distance;  // cross-entropy; structural Hamming distance
  EdgeMatrix log_odds;                 // at the end, [cause][effect]
  int clamped = 0, rejected = 0;
  std::vector<std::vector<double>> effective_samples;  // per sampled episode and node

  void add(const EdgeMatrix& odds, const Graph& truth) {
    bits.push_back(cross_entropy_bits(odds, truth));
    distance.push_back(hamming_distance(odds, truth).total());
    log_odds = odds;
  }
};

/// What is the same for all rows of one size.
struct Setup {
  Graph truth;
  std::size_t variables, episodes;
  int levels;
  std::vector<Variable> list;

  Setup(const Settings& settings, std::uint64_t seed, int n)
      : truth(graph_of(settings, seed)),
        variables(truth.variables()),
        episodes(std::size_t(settings.integer("episodes"))),
        levels(n),
        list(letter_variables(variables, n)) {}
  std::size_t input_units() const { return variables * std::size_t(levels); }
};

/// What can be refused is refused before anything is computed.
void check_beliefs(const Settings& settings, std::size_t variables) {
  for (const char* key : {"printed.samples", "released.samples"})
    EdgeBelief(EdgeMatrix(2), {.samples = settings.integer(key)});
  const std::vector<std::string> rows = settings.texts("rows");
  if (std::find(rows.begin(), rows.end(), "corrected") != rows.end())
    EdgeBelief(EdgeMatrix(variables), {.acyclicity = Acyclicity::exact});
}

/// Randomness of a learner: parameters in the cells of episode 0, sampled graphs in the others.
Stream learner_stream(RunKey key, std::size_t episode, std::size_t number) {
  return {key.seed, Purpose::initialise, {key.run, std::uint32_t(episode), std::uint32_t(number)}};
}

/// A network of a variable over all the others, drawn as the released code does.
CategoricalMlp<double> fresh_learner(const Setup& setup, std::size_t child, int hidden,
                                     RunKey key) {
  const Family family =
      all_families(setup.variables)[(child + 1) * parent_sets(setup.variables) - 1];
  CategoricalMlp<double> mlp(mlp_shape(setup.list, family, hidden));
  Stream stream = learner_stream(key, 0, child);
  initialise(mlp, MlpInitialisation::kaiming(setup.input_units(), hidden, 0.1), stream);
  return mlp;
}

std::vector<bool> mask_of(ParentSet set, std::size_t variables) {
  std::vector<bool> mask;
  for (std::size_t bit = 0; bit + 1 < variables; ++bit) mask.push_back(set >> bit & 1);
  return mask;
}

// ---- as printed ----

/// One network per variable, trained on a few examples with all edges, then masked.
std::vector<Module> printed_modules(const Settings& settings, const Setup& setup,
                                    const MlpWorld& world, RunKey key) {
  const auto rows = std::size_t(settings.integer("printed.training_rows"));
  const Dataset data = draw_rows(world, rows, Purpose::training, key);
  const std::size_t sets = parent_sets(setup.variables);
  const std::vector<Family> families = all_families(setup.variables);
  std::vector<Module> modules;
  for (std::size_t child = 0; child < setup.variables; ++child) {
    const Family& family = families[(child + 1) * sets - 1];  // all the others
    CategoricalMlp<double> mlp =
        train_mlp(fresh_learner(setup, child, settings.integer("printed.hidden"), key), data,
                  family, {settings.optimizer("printed.adaptation"), int(rows), 1, false});
    for (std::size_t set = 0; set < sets; ++set) {
      mlp.set_mask(mask_of(ParentSet(set), setup.variables));
      modules.push_back({family, mlp});
    }
  }
  return modules;
}

Path printed_run(const Settings& settings, const Setup& setup, RunKey key) {
  const MlpDraw how{.hidden = settings.integer("printed.hidden"),
                    .spread = settings.number("printed.spread")};
  const MlpWorld world = MlpWorld::draw(setup.list, setup.truth, how, key.seed, key.run);
  EdgeMetaLearning meta;
  meta.modules = printed_modules(settings, setup, world, key);
  meta.episodes = setup.episodes;
  meta.steps = settings.integer("printed.steps");
  meta.batch = settings.integer("printed.batch");
  meta.adaptation = {settings.optimizer("printed.adaptation"), true};
  meta.belief = {.optimizer = settings.optimizer("printed.belief"),
                 .samples = settings.integer("printed.samples")};
  meta.key = key;
  const EdgeMetaResult learnt =
      meta_learn(episodes_of(world, EpisodeShift::Kind::cause, how, key), meta);
  Path path;
  for (const EdgeMatrix& odds : learnt.log_odds) path.add(odds, setup.truth);
  path.clamped = learnt.clamped;
  path.rejected = learnt.rejected;
  path.effective_samples = learnt.effective_samples;
  return path;
}

// ---- as the released code does it ----

/// A learner whose momentum is never put back, and one mini-batch seen under every parent set.
struct ReleasedNode {
  CategoricalMlp<double> start;
  MlpPlan plan;
  MlpScratch scratch;

  explicit ReleasedNode(const CategoricalMlp<double>& mlp) : start(mlp), plan(mlp) {
    scratch.restart(plan);
  }
};

class ReleasedRun {
 public:
  ReleasedRun(const Settings& settings, const Setup& setup, RunKey key)
      : setup_(setup),
        key_(key),
        adaptation_(settings.optimizer("released.adaptation")),
        steps_(settings.integer("released.steps")),
        batch_(settings.integer("released.batch")),
        samples_(settings.integer("released.samples")),
        hidden_(settings.integer("released.hidden_factor") *
                std::max(int(setup.variables), setup.levels)),
        families_(all_families(setup.variables)),
        world_(MlpWorld::draw(setup.list, setup.truth, {.hidden = hidden_, .kaiming = true},
                              key.seed, key.run)) {
    train(settings.integer("released.training_steps"));
  }

  Path run(const EdgeLearning& learning) {
    EdgeMatrix gamma0(setup_.variables);
    Stream stream = learner_stream(key_, 0, setup_.variables);
    for (double& g : gamma0.values) g = 0.1 * (2 * stream.uniform() - 1);
    EdgeBelief belief(gamma0, learning);
    const EpisodeSet set =
        draw_episodes(world_, EpisodeShift::Kind::forced, {}, key_, setup_.episodes, 1, batch_);
    Path path;
    for (std::size_t e = 0; e < setup_.episodes; ++e) {
      episode(set.data, set.episodes[e].first_row, e, belief, path);
      path.add(belief.log_odds(), setup_.truth);
    }
    path.clamped = belief.clamped();
    return path;
  }

 private:
  const Family& all_others(std::size_t child) const {
    return families_[(child + 1) * parent_sets(setup_.variables) - 1];
  }

  void train(int steps) {
    const auto rows = std::size_t(steps) * std::size_t(batch_);
    const Dataset data = draw_rows(world_, rows, Purpose::training, key_);
    for (std::size_t child = 0; child < setup_.variables; ++child)
      nodes_.emplace_back(train_mlp(fresh_learner(setup_, child, hidden_, key_), data,
                                    all_others(child), {adaptation_, steps, batch_, false}));
  }

  /// K graphs, each adapted for T steps on the same mini-batch; T times the estimator.
  void episode(const Dataset& data, std::size_t first, std::size_t e, EdgeBelief& belief,
               Path& path) {
    const std::size_t m = setup_.variables, sets = parent_sets(m);
    std::vector<MlpBatch> batches;
    for (std::size_t f = 0; f < m * sets; ++f)
      batches.push_back(group_rows(nodes_[f / sets].plan, mask_of(ParentSet(f % sets), m), data,
                                   all_others(f / sets), first, std::size_t(batch_)));
    const std::vector<ParentSet> draws =
        draw_parent_sets(belief.gamma(), samples_, learner_stream(key_, e + 1, 0));
    std::vector<double> log_lik(draws.size(), 0.0);
    for (std::size_t d = 0; d < draws.size(); ++d) {
      ReleasedNode& node = nodes_[d % m];
      node.scratch.restore_parameters(node.plan);
      for (int t = 0; t < steps_; ++t)
        log_lik[d] += score_mlp(node.plan, batches[d % m * sets + draws[d]], adaptation_,
                                node.scratch, true) /
                      batch_;
    }
    SampledGradient sampled = sampled_edge_gradient(belief.gamma(), draws, log_lik);
    for (double& g : sampled.gradient.values) g *= steps_;
    path.rejected += sampled.rejected;
    path.effective_samples.push_back(std::move(sampled.effective_samples));
    if (!sampled.rejected) belief.step(sampled.gradient);
  }

  const Setup& setup_;
  RunKey key_;
  OptimizerSpec adaptation_;
  int steps_, batch_, samples_, hidden_;
  std::vector<Family> families_;
  MlpWorld world_;
  std::vector<ReleasedNode> nodes_;
};

// ---- corrected ----

/// The same scores, read three ways.
struct Corrected {
  Path gamma;        // gamma descends the regret of all episodes so far
  Path per_episode;  // gamma descends the regret of each episode for itself, as the paper does
  Path bayes;        // the exact posterior
};

/// Algorithm 1, its belief moved by all episodes so far; an observer reads the same scores again,
/// each episode for itself.
Corrected learn_corrected(const EpisodeSource& source, const EdgeMetaLearning& how,
                          const Graph& truth) {
  Corrected result;
  EdgeBelief alone(EdgeMatrix(truth.variables()), how.belief);
  const EdgeMetaResult learnt = meta_learn(source, how, [&](const EdgeMetaStep& step) {
    alone.update(step.log_lik, learner_stream(how.key, step.episode + 1, 0));
    result.gamma.add(step.log_odds, truth);
    result.per_episode.add(alone.log_odds(), truth);
    result.bayes.add(step.bayes_log_odds, truth);
    return true;
  });
  result.gamma.clamped = learnt.clamped;
  result.per_episode.clamped = alone.clamped();
  return result;
}

/// How long an episode of the corrected row is: long enough to tell, or as the paper's.
struct Length {
  const char *id, *label, *steps, *batch;  // the last two are keys of the settings
};
constexpr std::array lengths = {
    Length{"", "corrected", "corrected.steps", "corrected.batch"},
    Length{"short-", "corrected, short episodes", "printed.steps", "printed.batch"}};

/// [length][shift]
std::vector<Corrected> corrected_run(const Settings& settings, const Setup& setup, RunKey key) {
  const MlpDraw how{.hidden = settings.integer("corrected.hidden"),
                    .spread = settings.number("corrected.spread")};
  const MlpWorld world = MlpWorld::draw(setup.list, setup.truth, how, key.seed, key.run);
  EdgeMetaLearning meta;
  // Every family has a network of its own, trained until it knows the training distribution.
  meta.modules = trained_networks(
      world, settings.integer("corrected.module_hidden"),
      std::size_t(settings.integer("corrected.training_rows")),
      {settings.optimizer("corrected.training"), settings.integer("corrected.training_steps")},
      key);
  meta.episodes = setup.episodes;
  meta.adaptation = {settings.optimizer("corrected.adaptation"), true};
  meta.belief = {.optimizer = settings.optimizer("corrected.belief"),
                 .acyclicity = Acyclicity::exact};
  meta.frozen_or_adapting = meta.all_so_far = true;
  meta.key = key;
  std::vector<Corrected> results;
  for (const Length& length : lengths)
    for (const ShiftRow& shift : shift_rows) {
      meta.steps = settings.integer(length.steps);
      meta.batch = settings.integer(length.batch);
      results.push_back(
          learn_corrected(episodes_of(world, shift.kind, how, key), meta, setup.truth));
    }
  return results;
}

// ---- what the runs say together ----

/// One curve: a way of learning under one shift, over runs.
struct MlpCell {
  std::string id, label;
  int levels;
  int training_rows, examples;  // that the modules, and that an episode, may learn from
  std::vector<Path> runs;

  bool control() const { return id.find("/none/") != std::string::npos; }
  /// Whose claim it is that such learning finds the structure.
  ClaimKind kind() const {
    return id.starts_with("printed")    ? ClaimKind::paper
           : id.starts_with("released") ? ClaimKind::released
                                        : ClaimKind::corrected;
  }
  std::size_t solved() const {
    return std::size_t(std::count_if(runs.begin(), runs.end(), [](const Path& path) {
      return path.bits.back() < solved_below;
    }));
  }
  double share_solved() const { return double(solved()) / double(runs.size()); }
  /// Runs that end further from the truth than knowing nothing.
  std::size_t misled() const {
    return std::size_t(std::count_if(runs.begin(), runs.end(),
                                     [](const Path& path) { return path.bits.back() > 1; }));
  }
  double median_bits() const {
    std::vector<double> last;
    for (const Path& path : runs) last.push_back(path.bits.back());
    return median(last);
  }
  double median_distance() const {
    std::vector<double> distance;
    for (const Path& path : runs) distance.push_back(path.distance.back());
    return median(distance);
  }
  /// Median over runs of the belief in an edge, for tables.
  double median_odds(std::size_t cause, std::size_t effect) const {
    std::vector<double> odds;
    for (const Path& path : runs) odds.push_back(path.log_odds.at(cause, effect));
    return median(odds);
  }
};

/// All cells of one size, in the order they are shown.
std::vector<MlpCell> empty_cells(const Settings& s, int n) {
  const int released = s.integer("released.batch");
  std::vector<MlpCell> cells = {{fmt::format("printed/N={}", n),
                                 "as printed",
                                 n,
                                 s.integer("printed.training_rows"),
                                 s.integer("printed.steps") * s.integer("printed.batch"),
                                 {}},
                                {fmt::format("released/N={}", n),
                                 "the released code",
                                 n,
                                 s.integer("released.training_steps") * released,
                                 released,
                                 {}}};
  const std::pair<const char*, const char*> ways[] = {
      {"corrected", "γ"}, {"per-episode", "γ from each episode alone"}, {"bayes", "exact Bayes"}};
  for (const Length& length : lengths)
    for (const ShiftRow& shift : shift_rows)
      for (const auto& [id, way] : ways)
        cells.push_back({fmt::format("{}{}/{}/N={}", length.id, id, shift.id, n),
                         fmt::format("{}, {}, {}", length.label, way, shift.label),
                         n,
                         s.integer("corrected.training_rows"),
                         s.integer(length.steps) * s.integer(length.batch),
                         {}});
  return cells;
}

/// Rows of the experiment: each is one job per run.
enum class Row { printed, released, corrected };

struct Job {
  std::size_t size;  // index into the levels
  Row row;
  std::uint32_t run;
  std::vector<Path> paths;  // one per cell of the row
};

constexpr const char* name_of(Row row) {
  return row == Row::printed ? "printed" : row == Row::released ? "released" : "corrected";
}

std::vector<Job> all_jobs(const Settings& settings, std::span<const int> sizes) {
  const std::vector<std::string> wanted = settings.texts("rows");
  std::vector<Job> jobs;
  for (std::size_t s = 0; s < sizes.size(); ++s)
    for (Row row : {Row::corrected, Row::released, Row::printed}) {
      if (std::find(wanted.begin(), wanted.end(), name_of(row)) == wanted.end()) continue;
      int runs = settings.integer("runs");
      if (row == Row::released && sizes[s] >= large_levels)
        runs = std::min(runs, settings.integer("large_runs"));
      for (int r = 0; r < runs; ++r) jobs.push_back({s, row, std::uint32_t(r), {}});
    }
  return jobs;
}

void run_job(const Settings& settings, const Setup& setup, std::uint64_t seed, Job& job) {
  const RunKey key{seed, job.run};
  switch (job.row) {
    case Row::printed: job.paths = {printed_run(settings, setup, key)}; break;
    case Row::released:
      job.paths = {ReleasedRun(settings, setup, key)
                       .run({.optimizer = settings.optimizer("released.belief"), .limit = 5})};
      break;
    case Row::corrected:
      for (Corrected& c : corrected_run(settings, setup, key))  // in the order of empty_cells
        for (Path* path : {&c.gamma, &c.per_episode, &c.bayes})
          job.paths.push_back(std::move(*path));
      break;
  }
}

std::vector<MlpCell> collect(const Settings& settings, std::span<const int> sizes,
                             std::vector<Job>& jobs) {
  std::vector<MlpCell> all;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::vector<MlpCell> cells = empty_cells(settings, sizes[s]);
    for (Job& job : jobs) {
      if (job.size != s) continue;
      std::size_t first = job.row == Row::printed ? 0 : job.row == Row::released ? 1 : 2;
      for (Path& path : job.paths) cells[first++].runs.push_back(std::move(path));
    }
    std::erase_if(cells, [](const MlpCell& cell) { return cell.runs.empty(); });
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

/// What the first size says, row by row, of shifts of the cause.
std::string summary_of(int n, std::span<const MlpCell> cells) {
  std::vector<std::string> parts;
  for (const MlpCell& cell : cells) {
    const bool other = cell.control() || cell.id.find("/either/") != std::string::npos ||
                       cell.id.find("per-episode") != std::string::npos;
    if (cell.levels == n && !other)
      parts.push_back(fmt::format("{} {} bits", cell.label, show(cell.median_bits())));
  }
  return fmt::format("N = {}, how far the edges end from the truth (chance is 1): {}.", n,
                     fmt::join(parts, "; "));
}

std::string counted(const MlpCell& cell) {
  return fmt::format(
      "median {} bits at the end (chance 1), below {} in {} and above 1 in {} of {} runs",
      show(cell.median_bits()), show(solved_below, 1), cell.solved(), cell.misled(),
      cell.runs.size());
}

/// Where the edges between the first two variables ended, in words.
std::string leaning(const MlpCell& cell) {
  constexpr double little = 0.1;  // log-odds: a belief between .475 and .525
  const double right = cell.median_odds(0, 1), wrong = cell.median_odds(1, 0);
  const char* where = std::max(std::abs(right), std::abs(wrong)) < little ? "neither edge has moved"
                      : right > 0 && wrong > 0 ? "both directions are believed"
                      : right > 0              ? "it leans the right way"
                      : wrong > 0              ? "it leans the wrong way"
                                               : "both edges are dropped";
  return fmt::format("{}: median log-odds of A→B {}, of B→A {}", where, show(right, 2),
                     show(wrong, 2));
}

/// What seems to be found where there is nothing to find is no finding.
std::string beside_control(const MlpCell& cell, std::span<const MlpCell> cells) {
  std::string id = cell.id;
  for (std::string_view shift : {"/cause/", "/either/"})
    if (const std::size_t at = id.find(shift); at != std::string::npos)
      id.replace(at, shift.size(), "/none/");
  const auto control = std::find_if(cells.begin(), cells.end(),
                                    [&](const MlpCell& other) { return other.id == id; });
  if (id == cell.id || control == cells.end()) return {};
  return fmt::format("; without any shift {} of {} are below {} too", control->solved(),
                     control->runs.size(), show(solved_below, 1));
}

void add_claim(const MlpCell& cell, std::span<const MlpCell> cells, Report& report) {
  if (cell.control()) return;
  const bool holds = cell.share_solved() >= 0.9;
  report.claims.push_back(
      {"mlp/" + cell.id,
       fmt::format("50 to 100 episodes recover the structure: {}, N = {} ({} training rows, {} "
                   "examples an episode)",
                   cell.label, cell.levels, cell.training_rows, cell.examples),
       counted(cell), holds, holds ? "" : leaning(cell) + beside_control(cell, cells),
       cell.kind()});
}

/// The control can decide nothing: how often it seems to.
void add_control(const MlpCell& cell, Report& report) {
  if (!cell.control()) return;
  double right = 0, wrong = 0;
  for (const Path& path : cell.runs) {
    right += path.log_odds.at(0, 1) > 3;
    wrong += path.log_odds.at(1, 0) > 3;
  }
  const double n = double(cell.runs.size());
  report.numbers.push_back({"control-says-right/" + cell.id, right / n});
  report.numbers.push_back({"control-says-wrong/" + cell.id, wrong / n});
  report.claims.push_back({"mlp/" + cell.id,
                           fmt::format("Without a shift nothing tells the direction ({}, N = {})",
                                       cell.label, cell.levels),
                           fmt::format("log-odds above 3 for A→B in {}, for B→A in {} of {} runs",
                                       right, wrong, cell.runs.size()),
                           right + wrong <= 0.1 * n,
                           right + wrong <= 0.1 * n
                               ? ""
                               : "two trained networks never hold quite the same joint: over all "
                                 "examples the small difference adds up to an answer",
                           ClaimKind::control});
}

Table cell_table(std::span<const MlpCell> cells) {
  Table table{
      "cells",
      "The edges at the end",
      {"row", "N", "training rows", "examples an episode", "runs", "cross-entropy (median, bits)",
       "solved", "above 1 bit", "SHD (median)", "log-odds A→B (median)", "log-odds B→A (median)"},
      {}};
  for (const MlpCell& cell : cells)
    table.rows.push_back({cell.label, fmt::format("{}", cell.levels),
                          fmt::format("{}", cell.training_rows), fmt::format("{}", cell.examples),
                          fmt::format("{}", cell.runs.size()), show(cell.median_bits()),
                          fmt::format("{} of {}", cell.solved(), cell.runs.size()),
                          fmt::format("{}", cell.misled()), show(cell.median_distance(), 1),
                          show(cell.median_odds(0, 1), 2), show(cell.median_odds(1, 0), 2)});
  return table;
}

void add_counts(std::span<const MlpCell> cells, Report& report) {
  double clamped = 0, rejected = 0;
  for (const MlpCell& cell : cells) {
    std::vector<std::vector<double>> effective;  // [sampled episode][node], of all runs
    for (const Path& path : cell.runs) {
      clamped += path.clamped;
      rejected += path.rejected;
      effective.insert(effective.end(), path.effective_samples.begin(),
                       path.effective_samples.end());
    }
    report.numbers.push_back({"solved/" + cell.id, cell.share_solved()});
    add_effective_samples("effective-samples/" + cell.id,
                          fmt::format("{}, N = {}", cell.label, cell.levels), effective, report);
  }
  report.numbers.push_back({"gamma-clamped", clamped});
  report.numbers.push_back({"episodes-rejected", rejected});
}

/// The curves of one size: the rows as they are meant, or those of short episodes.
void add_figure(int n, Figure figure, const std::string& quantity, bool short_episodes,
                std::span<const MlpCell> cells, Report& report) {
  figure.id += fmt::format("/N={}", n);
  figure.title += fmt::format(", N = {}", n);
  for (const MlpCell& cell : cells) {
    const bool alone = cell.id.find("per-episode") != std::string::npos;
    if (cell.levels == n && !alone && cell.id.starts_with("short-") == short_episodes)
      figure.curves.push_back(quantity + "/" + cell.id);
  }
  if (!figure.curves.empty()) report.figures.push_back(std::move(figure));
}

void add_figures(int n, std::span<const MlpCell> cells, Report& report) {
  Figure bits{"cross-entropy",
              "Cross-entropy of the edge beliefs to the truth",
              "episodes seen",
              "bits per possible edge",
              {},
              "The paper's curve goes to 0 within 100 episodes. 1 bit is chance; more is a wrong "
              "answer. Without a shift nothing can be known of the direction."};
  bits.y_max = 2;
  add_figure(n, bits, "cross-entropy", false, cells, report);
  bits.id = "cross-entropy-short";
  bits.title += ", short episodes";
  bits.caption = "The corrected row again, with as few examples in an episode as the paper has.";
  bits.y_max = 0;  // the height is what the data say: sure and wrong is far above chance
  add_figure(n, bits, "cross-entropy", true, cells, report);
  add_figure(n,
             {"shd",
              "Structural Hamming distance of the edges believed",
              "episodes seen",
              "edges",
              {},
              "Edges missing, too many or reversed, among those believed with more than ½."},
             "shd", false, cells, report);
}

}  // namespace

Report belief_mlp(const Settings& settings, const RunOptions& options) {
  check_beliefs(settings, graph_of(settings, options.seed).variables());
  const std::vector<int> sizes = settings.integers("levels");
  std::vector<Setup> setups;
  setups.reserve(sizes.size());
  for (int n : sizes) setups.emplace_back(settings, options.seed, n);
  std::vector<Job> jobs = all_jobs(settings, sizes);
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t j) { run_job(settings, setups[jobs[j].size], options.seed, jobs[j]); },
      options.progress);
  const std::vector<MlpCell> cells = collect(settings, sizes, jobs);

  std::vector<double> x;
  for (std::size_t e = 1; e <= setups[0].episodes; ++e) x.push_back(double(e));
  Report report;
  for (const MlpCell& cell : cells) {
    std::vector<std::vector<double>> bits, distance;
    for (const Path& path : cell.runs) {
      bits.push_back(path.bits);
      distance.push_back(path.distance);
    }
    report.curves.push_back(summarise("cross-entropy/" + cell.id, cell.label, x, bits));
    report.curves.push_back(summarise("shd/" + cell.id, cell.label, x, distance));
    add_claim(cell, cells, report);
    add_control(cell, report);
  }
  for (int n : sizes) add_figures(n, cells, report);
  report.tables.push_back(cell_table(cells));
  add_counts(cells, report);
  report.summary = summary_of(sizes[0], cells);
  report.assumptions = {
      "As printed: H = 4M, 100 training examples with all edges, soft shifts of the cause, K "
      "sampled "
      "graphs. The paper gives neither the learning rates nor K: see the settings.",
      "Released code: an intervention that sets a random variable to one level, one mini-batch for "
      "all graphs and steps, momentum never put back, its truth with almost even distributions.",
      "Corrected: trained modules, one per family; scored before every update; each family frozen "
      "or adapting, half and half; acyclic graphs only; γ takes one Adam step per episode down the "
      "regret of all episodes so far.",
      fmt::format(
          "The corrected row does more than correct: its modules have seen {} examples and not {}, "
          "an episode holds {} and not {}. Short episodes are that row with the paper's episodes.",
          settings.integer("corrected.training_rows"), settings.integer("printed.training_rows"),
          settings.integer("corrected.steps") * settings.integer("corrected.batch"),
          settings.integer("printed.steps") * settings.integer("printed.batch")),
      "Truths are networks whose logits have about the spread of a Dirichlet(1) draw."};
  return report;
}

}  // namespace whence
