// Figure "Cross entropy between the ground-truth SCM structure and the learned SCM structure":
// edge beliefs over neural modules, as the paper prints it, as its code does it, and corrected.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/judge/summary.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/experiments/mlp_runs.hpp"

namespace whence {

namespace {

constexpr double solved_below = 0.1;  // bits
constexpr int large_levels = 50;      // from here the released code's row is repeated less often

/// What can be refused is refused before anything is computed.
void check_beliefs(const Settings& settings, std::size_t variables) {
  for (const char* key : {"printed.samples", "released.samples"})
    EdgeBelief(EdgeMatrix(2), {.samples = settings.integer(key)});
  const std::vector<std::string> rows = settings.texts("rows");
  if (std::find(rows.begin(), rows.end(), "corrected") != rows.end())
    EdgeBelief(EdgeMatrix(variables), {.acyclicity = Acyclicity::exact});
}

/// One curve: a way of learning under one shift, over runs.
struct MlpCell {
  std::string id, label;
  int levels;
  int training_rows, examples;  // that the modules, and that an episode, may learn from
  std::vector<MlpPath> runs;

  bool control() const { return id.find("/none/") != std::string::npos; }
  /// Whose claim it is that such learning finds the structure.
  ClaimKind kind() const {
    return id.starts_with("printed")    ? ClaimKind::paper
           : id.starts_with("released") ? ClaimKind::released
                                        : ClaimKind::corrected;
  }
  std::size_t solved() const {
    return std::size_t(std::count_if(runs.begin(), runs.end(), [](const MlpPath& path) {
      return path.bits.back() < solved_below;
    }));
  }
  double share_solved() const { return double(solved()) / double(runs.size()); }
  /// Runs that end further from the truth than knowing nothing.
  std::size_t misled() const {
    return std::size_t(std::count_if(runs.begin(), runs.end(),
                                     [](const MlpPath& path) { return path.bits.back() > 1; }));
  }
  double median_bits() const {
    std::vector<double> last;
    for (const MlpPath& path : runs) last.push_back(path.bits.back());
    return median(last);
  }
  double median_distance() const {
    std::vector<double> distance;
    for (const MlpPath& path : runs) distance.push_back(path.distance.back());
    return median(distance);
  }
  /// Median over runs of the belief in an edge, for tables.
  double median_odds(std::size_t cause, std::size_t effect) const {
    std::vector<double> odds;
    for (const MlpPath& path : runs) odds.push_back(path.log_odds.at(cause, effect));
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
  std::vector<std::pair<const char*, const char*>> ways = {
      {"corrected", "γ"}, {"per-episode", "γ from each episode alone"}, {"bayes", "exact Bayes"}};
  if (s.integer("variables") == 2) {
    ways.emplace_back("changes", "only what changed");
    ways.emplace_back("ideal", "only what changed, training distribution known");
  }
  for (const MlpEpisodeLength& length : mlp_episode_lengths)
    for (const MlpShift& shift : mlp_shifts)
      for (const auto& [id, way] : ways)
        cells.push_back({fmt::format("{}{}/{}/N={}", length.id, id, shift.id, n),
                         fmt::format("{}, {}, {}", length.label, way, shift.label),
                         n,
                         s.integer("corrected.training_rows"),
                         s.integer(length.steps) * s.integer(length.batch),
                         {}});
  return cells;
}

/// One run of a row.
struct Job {
  std::size_t size;  // index into the levels
  MlpRow row;
  std::uint32_t run;
  std::vector<MlpPath> paths;  // one per cell of the row
};

constexpr const char* name_of(MlpRow row) {
  return row == MlpRow::printed ? "printed" : row == MlpRow::released ? "released" : "corrected";
}

std::vector<Job> all_jobs(const Settings& settings, std::span<const int> sizes) {
  const std::vector<std::string> wanted = settings.texts("rows");
  std::vector<Job> jobs;
  for (std::size_t s = 0; s < sizes.size(); ++s)
    for (MlpRow row : {MlpRow::corrected, MlpRow::released, MlpRow::printed}) {
      if (std::find(wanted.begin(), wanted.end(), name_of(row)) == wanted.end()) continue;
      int runs = settings.integer("runs");
      if (row == MlpRow::released && sizes[s] >= large_levels)
        runs = std::min(runs, settings.integer("large_runs"));
      for (int r = 0; r < runs; ++r) jobs.push_back({s, row, std::uint32_t(r), {}});
    }
  return jobs;
}

std::vector<MlpCell> collect(const Settings& settings, std::span<const int> sizes,
                             std::vector<Job>& jobs) {
  std::vector<MlpCell> all;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::vector<MlpCell> cells = empty_cells(settings, sizes[s]);
    for (Job& job : jobs) {
      if (job.size != s) continue;
      std::size_t first = job.row == MlpRow::printed ? 0 : job.row == MlpRow::released ? 1 : 2;
      for (MlpPath& path : job.paths) cells[first++].runs.push_back(std::move(path));
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
                       cell.id.find("per-episode") != std::string::npos ||
                       cell.id.find("ideal") != std::string::npos;
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
  for (const MlpPath& path : cell.runs) {
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
    for (const MlpPath& path : cell.runs) {
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

/// Whether a curve differs visibly from its neighbours in a picture; the others are in the tables.
bool in_pictures(const MlpCell& cell) {
  for (const std::string_view beside : {"per-episode/", "bayes/", "ideal/"})
    if (cell.id.find(beside) != std::string::npos) return false;
  return true;
}

/// The curves of one size: the rows as they are meant, or those of short episodes.
void add_figure(int n, Figure figure, const std::string& quantity, bool short_episodes,
                std::span<const MlpCell> cells, Report& report) {
  figure.id += fmt::format("/N={}", n);
  figure.title += fmt::format(", N = {}", n);
  for (const MlpCell& cell : cells)
    if (cell.levels == n && in_pictures(cell) && cell.id.starts_with("short-") == short_episodes)
      figure.curves.push_back(quantity + "/" + cell.id);
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
  std::vector<MlpSetup> setups;
  setups.reserve(sizes.size());
  for (int n : sizes) setups.emplace_back(settings, options.seed, n);
  std::vector<Job> jobs = all_jobs(settings, sizes);
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t j) {
        Job& job = jobs[j];
        job.paths = run_mlp_row(settings, setups[job.size], job.row, {options.seed, job.run});
      },
      options.progress);
  const std::vector<MlpCell> cells = collect(settings, sizes, jobs);

  std::vector<double> x;
  for (std::size_t e = 1; e <= setups[0].episodes; ++e) x.push_back(double(e));
  Report report;
  for (const MlpCell& cell : cells) {
    std::vector<std::vector<double>> bits, distance;
    for (const MlpPath& path : cell.runs) {
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
      "sampled graphs. The paper gives neither the learning rates nor K: see the settings.",
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
      "Only what changed: an episode without a change counts the same for both directions, "
      "whatever their networks say of it; a mechanism that changed is integrated out (Dirichlet "
      "laws around the network, or around the even law), for which 20 examples are enough.",
      "Truths are networks whose logits have about the spread of a Dirichlet(1) draw."};
  return report;
}

}  // namespace whence
