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

/// The cross-entropy to the truth after each episode, and what was counted on the way.
struct Path {
  std::vector<double> bits;
  EdgeMatrix log_odds;  // at the end, [cause][effect]
  int clamped = 0, rejected = 0;
  std::vector<double> effective_samples;  // of all nodes and episodes

  void add(const EdgeMatrix& odds, const Graph& truth) {
    bits.push_back(cross_entropy_bits(odds, truth));
    log_odds = odds;
  }
  void finish(const EdgeBelief& belief) {
    clamped = belief.clamped();
    rejected = belief.rejected();
    for (const auto& nodes : belief.effective_samples())
      effective_samples.insert(effective_samples.end(), nodes.begin(), nodes.end());
  }
};

/// What is the same for all rows of one size.
struct Setup {
  std::size_t variables, episodes;
  int levels;
  Graph truth;  // a chain: A -> B -> ...
  std::vector<Variable> list;

  Setup(const Settings& settings, int n)
      : variables(std::size_t(settings.integer("variables"))),
        episodes(std::size_t(settings.integer("episodes"))),
        levels(n),
        truth(read_graph(fmt::format("chain{}", variables))),
        list(letter_variables(variables, n)) {}
  std::size_t input_units() const { return variables * std::size_t(levels); }
};

/// What can be refused is refused before anything is computed.
void check_samples(const Settings& settings) {
  for (const char* key : {"printed.samples", "released.samples"})
    EdgeBelief(EdgeMatrix(2), {.samples = settings.integer(key)});
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
  for (const auto& nodes : learnt.effective_samples)
    path.effective_samples.insert(path.effective_samples.end(), nodes.begin(), nodes.end());
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
    path.finish(belief);
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
    path.effective_samples.insert(path.effective_samples.end(), sampled.effective_samples.begin(),
                                  sampled.effective_samples.end());
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

/// log L of every family and episode: frozen or adapting, evaluated before every update.
std::vector<std::vector<double>> family_evidence(const EpisodeSet& set,
                                                 std::span<const Module> modules,
                                                 const OptimizerSpec& adaptation) {
  const Scores adapted = cpu_backend()->score(set.data, set.episodes, modules, {adaptation, true});
  std::vector<Episode> whole;  // one mini-batch: nothing is learnt before it is scored
  for (const Episode& e : set.episodes) whole.push_back({e.first_row, 1, int(e.rows())});
  const Scores frozen = cpu_backend()->score(set.data, whole, modules, {adaptation, true});
  std::vector<std::vector<double>> evidence;
  for (std::size_t e = 0; e < whole.size(); ++e) {
    std::vector<double> a = episode_log_lik(adapted, EpisodeId(e));
    const std::vector<double> f = episode_log_lik(frozen, EpisodeId(e));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = frozen_or_adapting(f[i], a[i]);
    evidence.push_back(std::move(a));
  }
  return evidence;
}

Corrected read_evidence(const std::vector<std::vector<double>>& evidence, const Setup& setup,
                        const OptimizerSpec& optimizer, RunKey key) {
  const EdgeLearning learning{.optimizer = optimizer, .acyclicity = Acyclicity::exact};
  EdgeBelief so_far(EdgeMatrix(setup.variables), learning), alone = so_far;
  GraphPosterior posterior(setup.variables);
  Corrected result;
  std::vector<double> total(evidence[0].size(), 0.0);
  for (std::size_t e = 0; e < evidence.size(); ++e) {
    for (std::size_t f = 0; f < total.size(); ++f) total[f] += evidence[e][f];
    so_far.update(total, learner_stream(key, e + 1, 0));
    alone.update(evidence[e], learner_stream(key, e + 1, 0));
    posterior.update(evidence[e]);
    result.gamma.add(so_far.log_odds(), setup.truth);
    result.per_episode.add(alone.log_odds(), setup.truth);
    result.bayes.add(posterior.log_odds(), setup.truth);
  }
  result.gamma.finish(so_far);
  result.per_episode.finish(alone);
  return result;
}

std::array<Corrected, shift_rows.size()> corrected_run(const Settings& settings, const Setup& setup,
                                                       RunKey key) {
  const MlpDraw how{.hidden = settings.integer("corrected.hidden"),
                    .spread = settings.number("corrected.spread")};
  const MlpWorld world = MlpWorld::draw(setup.list, setup.truth, how, key.seed, key.run);
  // Every family has a network of its own, trained until it knows the training distribution.
  const std::vector<Module> modules = trained_networks(
      world, settings.integer("corrected.module_hidden"),
      std::size_t(settings.integer("corrected.training_rows")),
      {settings.optimizer("corrected.training"), settings.integer("corrected.training_steps")},
      key);
  std::array<Corrected, shift_rows.size()> results;
  for (std::size_t s = 0; s < shift_rows.size(); ++s) {
    const EpisodeSet set =
        draw_episodes(world, shift_rows[s].kind, how, key, setup.episodes,
                      settings.integer("corrected.steps"), settings.integer("corrected.batch"));
    results[s] =
        read_evidence(family_evidence(set, modules, settings.optimizer("corrected.adaptation")),
                      setup, settings.optimizer("corrected.belief"), key);
  }
  return results;
}

// ---- what the runs say together ----

/// One curve: a way of learning under one shift, over runs.
struct MlpCell {
  std::string id, label;
  int levels;
  std::vector<Path> runs;

  double share_solved() const {
    double solved = 0;
    for (const Path& path : runs)
      solved += *std::min_element(path.bits.begin(), path.bits.end()) < solved_below &&
                path.bits.back() < solved_below;
    return solved / double(runs.size());
  }
  double median_bits() const {
    std::vector<double> last;
    for (const Path& path : runs) last.push_back(path.bits.back());
    return median(last);
  }
  double median_distance(const Graph& truth) const {
    std::vector<double> distance;
    for (const Path& path : runs)
      distance.push_back(hamming_distance(path.log_odds, truth).total());
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
std::vector<MlpCell> empty_cells(int n) {
  std::vector<MlpCell> cells = {{fmt::format("printed/N={}", n), "as printed", n, {}},
                                {fmt::format("released/N={}", n), "the released code", n, {}}};
  for (const ShiftRow& shift : shift_rows) {
    cells.push_back({fmt::format("corrected/{}/N={}", shift.id, n),
                     fmt::format("corrected, γ, {}", shift.label),
                     n,
                     {}});
    cells.push_back({fmt::format("per-episode/{}/N={}", shift.id, n),
                     fmt::format("corrected, γ from each episode alone, {}", shift.label),
                     n,
                     {}});
    cells.push_back({fmt::format("bayes/{}/N={}", shift.id, n),
                     fmt::format("corrected, exact Bayes, {}", shift.label),
                     n,
                     {}});
  }
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
      for (Corrected& c : corrected_run(settings, setup, key))
        for (Path* path : {&c.gamma, &c.per_episode, &c.bayes})
          job.paths.push_back(std::move(*path));
      break;
  }
}

std::vector<MlpCell> collect(std::span<const int> sizes, std::vector<Job>& jobs) {
  std::vector<MlpCell> all;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::vector<MlpCell> cells = empty_cells(sizes[s]);
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
    const bool control = cell.id.find("/either/") != std::string::npos ||
                         cell.id.find("/none/") != std::string::npos;
    if (cell.levels == n && !control && !cell.id.starts_with("per-episode"))
      parts.push_back(fmt::format("{} {} bits", cell.label, show(cell.median_bits())));
  }
  return fmt::format("N = {}, how far the edges end from the truth (chance is 1): {}.", n,
                     fmt::join(parts, "; "));
}

std::string counted(const MlpCell& cell) {
  return fmt::format("median {} bits at the end (chance 1), below {} in {:.0f} of {} runs",
                     show(cell.median_bits()), show(solved_below, 1),
                     cell.share_solved() * double(cell.runs.size()), cell.runs.size());
}

void add_claim(const MlpCell& cell, Report& report) {
  const bool control = cell.id.find("/none/") != std::string::npos;
  if (control || cell.id.starts_with("per-episode")) return;
  Claim claim{
      "mlp/" + cell.id,
      fmt::format("50 to 100 episodes recover the structure: {}, N = {}", cell.label, cell.levels),
      counted(cell), cell.share_solved() >= 0.9, ""};
  if (!claim.holds && cell.id.starts_with("printed"))
    claim.why =
        "100 examples do not train the modules, and independent edges have no reason to prefer one "
        "direction: before anything is adapted both get the same score";
  else if (!claim.holds && cell.id.starts_with("released"))
    claim.why =
        "modules are hardly trained, the step of γ is 0.0001, and nothing keeps both directions "
        "from being believed at once";
  else if (!claim.holds)
    claim.why =
        "in the other runs the training data or the episodes say too little about the edge, or "
        "contradict each other";
  report.claims.push_back(std::move(claim));
}

/// The control can decide nothing: how often it seems to.
void add_control(const MlpCell& cell, Report& report) {
  if (cell.id.find("/none/") == std::string::npos || cell.id.starts_with("per-episode")) return;
  double right = 0, wrong = 0;
  for (const Path& path : cell.runs) {
    right += path.log_odds.at(0, 1) > 3;
    wrong += path.log_odds.at(1, 0) > 3;
  }
  const double n = double(cell.runs.size());
  report.numbers.push_back({"control-says-right/" + cell.id, right / n});
  report.numbers.push_back({"control-says-wrong/" + cell.id, wrong / n});
  report.claims.push_back(
      {"mlp/" + cell.id,
       fmt::format("Control: without a shift nothing tells the direction ({}, N = {})", cell.label,
                   cell.levels),
       fmt::format("log-odds above 3 for A→B in {}, for B→A in {} of {} runs", right, wrong,
                   cell.runs.size()),
       right + wrong <= 0.1 * n,
       right + wrong <= 0.1 * n ? ""
                                : "two trained networks never hold quite the same joint: over all "
                                  "examples the small difference adds up to an answer"});
}

Table cell_table(std::span<const MlpCell> cells, const Graph& truth) {
  Table table{"cells",
              "The edges at the end; the truth is A→B",
              {"row", "N", "runs", "cross-entropy (median, bits)", "solved", "SHD (median)",
               "log-odds A→B (median)", "log-odds B→A (median)"},
              {}};
  for (const MlpCell& cell : cells)
    table.rows.push_back(
        {cell.label, fmt::format("{}", cell.levels), fmt::format("{}", cell.runs.size()),
         show(cell.median_bits()),
         fmt::format("{:.0f} of {}", cell.share_solved() * double(cell.runs.size()),
                     cell.runs.size()),
         show(cell.median_distance(truth), 1), show(cell.median_odds(0, 1), 2),
         show(cell.median_odds(1, 0), 2)});
  return table;
}

void add_counts(std::span<const MlpCell> cells, Report& report) {
  double clamped = 0, rejected = 0;
  for (const MlpCell& cell : cells) {
    std::vector<double> effective;
    for (const Path& path : cell.runs) {
      clamped += path.clamped;
      rejected += path.rejected;
      effective.insert(effective.end(), path.effective_samples.begin(),
                       path.effective_samples.end());
    }
    report.numbers.push_back({"solved/" + cell.id, cell.share_solved()});
    if (effective.empty()) continue;
    const double middle = median(effective);
    report.numbers.push_back({"effective-samples/" + cell.id, middle});
    if (middle < 1.5)
      report.warnings.push_back(fmt::format(
          "{}, N = {}: half of the estimates rest on fewer than 1.5 of the sampled graphs",
          cell.label, cell.levels));
  }
  report.numbers.push_back({"gamma-clamped", clamped});
  report.numbers.push_back({"episodes-rejected", rejected});
}

void add_figure(int n, std::span<const MlpCell> cells, Report& report) {
  Figure figure{fmt::format("cross-entropy/N={}", n),
                fmt::format("Cross-entropy of the edge beliefs to the truth, N = {}", n),
                "episodes seen",
                "bits per possible edge",
                {},
                "The paper's curve goes to 0 within 100 episodes. 1 bit is chance; more is a wrong "
                "answer. Without a shift nothing can be known of the direction."};
  figure.y_max = 2;
  for (const MlpCell& cell : cells) {
    if (cell.levels != n || cell.id.starts_with("per-episode")) continue;
    figure.curves.push_back("cross-entropy/" + cell.id);
  }
  report.figures.push_back(std::move(figure));
}

}  // namespace

Report belief_mlp(const Settings& settings, const RunOptions& options) {
  check_samples(settings);
  const std::vector<int> sizes = settings.integers("levels");
  std::vector<Setup> setups;
  setups.reserve(sizes.size());
  for (int n : sizes) setups.emplace_back(settings, n);
  std::vector<Job> jobs = all_jobs(settings, sizes);
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t j) { run_job(settings, setups[jobs[j].size], options.seed, jobs[j]); },
      options.progress);
  const std::vector<MlpCell> cells = collect(sizes, jobs);

  std::vector<double> x;
  for (std::size_t e = 1; e <= setups[0].episodes; ++e) x.push_back(double(e));
  Report report;
  for (const MlpCell& cell : cells) {
    std::vector<std::vector<double>> bits;
    for (const Path& path : cell.runs) bits.push_back(path.bits);
    report.curves.push_back(summarise("cross-entropy/" + cell.id, cell.label, x, bits));
    add_claim(cell, report);
    add_control(cell, report);
  }
  for (int n : sizes) add_figure(n, cells, report);
  report.tables.push_back(cell_table(cells, setups[0].truth));
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
          "An episode of the corrected row holds {} examples. At full scale, N = 100, shifts "
          "on either variable, half as many left 1 to 4 of 20 runs unsolved, by the seed.",
          settings.integer("corrected.steps") * settings.integer("corrected.batch")),
      "Truths are networks whose logits have about the spread of a Dirichlet(1) draw."};
  return report;
}

}  // namespace whence
