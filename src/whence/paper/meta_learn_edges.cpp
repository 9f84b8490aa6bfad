// Algorithm 1 from a configuration file, with a belief per edge.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/meta_learn.hpp"
#include "whence/paper/meta_learn_report.hpp"
#include "whence/paper/run_sweep.hpp"

namespace whence {

namespace {

EdgeMetaLearning switches_of(const Settings& settings, std::size_t variables, RunKey key) {
  EdgeMetaLearning how;
  take_episodes(settings, how);
  how.gamma0 = EdgeMatrix(variables, settings.number("gamma0"));
  how.belief.optimizer = settings.optimizer("belief");
  for (Acyclicity a : {Acyclicity::none, Acyclicity::exact, Acyclicity::penalty})
    if (settings.text("acyclicity") == name_of(a)) how.belief.acyclicity = a;
  if (settings.text("estimator") == "sampled") how.belief.samples = settings.integer("samples");
  how.frozen_or_adapting = settings.flag("frozen_or_adapting");
  how.all_so_far = settings.flag("all_so_far");
  how.key = key;
  return how;
}

/// What one world said, and its graph.
struct EdgeRun {
  EdgeMetaResult learnt;
  Graph truth;
};

/// A pair of levels: exact or counted tables for all its families.
EdgeRun categorical_run(const Settings& settings, RunKey key) {
  const double concentration = settings.number("concentration");
  const auto world =
      CategoricalWorld::draw_pair(settings.integer("levels"), concentration, key.seed, key.run);
  const bool counts = settings.text("modules") == "counts";
  const auto rows = std::size_t(settings.integer("training_rows"));
  Dataset data;
  if (counts) data = draw_rows(world, rows, Purpose::training, key);
  EdgeMetaLearning how = switches_of(settings, 2, key);
  for (const Family& family : all_families(2))
    how.modules.push_back(
        {family, counts ? fit_counts(data, 0, rows, family, settings.number("equivalent_rows"))
                        : world.conditional(family)});
  ShiftKind shift = ShiftKind::none;
  for (ShiftKind kind : all_shift_kinds)
    if (settings.text("shift") == name_of(kind)) shift = kind;
  return {meta_learn(episodes_of(world, {shift}, concentration, key), how), read_graph("0->1")};
}

/// A graph of networks; a trained network for every family.
EdgeRun network_run(const Settings& settings, RunKey key) {
  const Graph truth = graph_of(settings, key.seed);
  const std::size_t m = truth.variables();
  const std::vector<Variable> variables = letter_variables(m, settings.integer("levels"));
  const MlpDraw draw{.hidden = settings.integer("hidden"), .spread = settings.number("spread")};
  const MlpWorld world = MlpWorld::draw(variables, truth, draw, key.seed, key.run);
  EdgeMetaLearning how = switches_of(settings, m, key);
  const MlpTraining training{settings.optimizer("training"), settings.integer("training_steps")};
  how.modules = trained_networks(world, settings.integer("module_hidden"),
                                 std::size_t(settings.integer("training_rows")), training, key);
  using Kind = EpisodeShift::Kind;
  const std::string shift = settings.text("shift");
  const Kind kind = shift == "cause" ? Kind::cause : shift == "either" ? Kind::either : Kind::none;
  return {meta_learn(episodes_of(world, kind, draw, key), how), truth};
}

std::vector<double> bits(const std::vector<EdgeMatrix>& path, const Graph& truth) {
  std::vector<double> all;
  all.reserve(path.size());
  for (const EdgeMatrix& odds : path) all.push_back(cross_entropy_bits(odds, truth));
  return all;
}

std::vector<double> distances(const std::vector<EdgeMatrix>& path, const Graph& truth) {
  std::vector<double> all;
  all.reserve(path.size());
  for (const EdgeMatrix& odds : path) all.push_back(hamming_distance(odds, truth).total());
  return all;
}

/// The exact posterior runs over all acyclic graphs: beyond a few variables there is none.
bool has_posterior(const EdgeRun& run) {
  return run.learnt.bayes_log_odds.back().variables == run.truth.variables();
}

Table edge_table(std::span<const EdgeRun> runs) {
  Table table{
      "edges", "The edges at the end", {"edge", "truth", "belief (median)", "exact Bayes"}, {}};
  const Graph& truth = runs[0].truth;
  const bool exact = has_posterior(runs[0]);
  for (std::size_t i = 0; i < truth.variables(); ++i)
    for (std::size_t j = 0; j < truth.variables(); ++j) {
      if (i == j) continue;
      std::vector<double> learnt, bayes;
      for (const EdgeRun& run : runs) {
        learnt.push_back(sigmoid(run.learnt.log_odds.back().at(i, j)));
        if (exact) bayes.push_back(sigmoid(run.learnt.bayes_log_odds.back().at(i, j)));
      }
      table.rows.push_back({fmt::format("{}→{}", char('A' + i), char('A' + j)),
                            truth.edge(VariableId(i), VariableId(j)) ? "yes" : "no",
                            show(median(learnt)), exact ? show(median(bayes)) : "–"});
    }
  return table;
}

Report report_of(const Settings& settings, std::span<const EdgeRun> runs) {
  const bool exact = has_posterior(runs[0]);
  std::vector<std::vector<double>> learnt, bayes, distance, effective;
  std::vector<double> x;
  double clamped = 0, rejected = 0;
  for (const EdgeRun& run : runs) {
    learnt.push_back(bits(run.learnt.log_odds, run.truth));
    if (exact) bayes.push_back(bits(run.learnt.bayes_log_odds, run.truth));
    distance.push_back(distances(run.learnt.log_odds, run.truth));
    effective.insert(effective.end(), run.learnt.effective_samples.begin(),
                     run.learnt.effective_samples.end());
    clamped += run.learnt.clamped;
    rejected += run.learnt.rejected;
  }
  for (std::size_t e = 1; e <= learnt[0].size(); ++e) x.push_back(double(e));
  Report report;
  report.curves.push_back(summarise("cross-entropy", "γ learnt", x, learnt));
  report.curves.push_back(summarise("shd", "γ learnt", x, distance));
  report.figures.push_back({"cross-entropy",
                            "Cross-entropy of the edge beliefs to the truth",
                            "episodes seen",
                            "bits per possible edge",
                            {"cross-entropy"},
                            "1 bit is chance; more is a wrong answer. Medians over runs."});
  report.figures.push_back({"shd",
                            "Structural Hamming distance of the edges believed",
                            "episodes seen",
                            "edges",
                            {"shd"},
                            "Edges missing, too many or reversed, among those believed with more "
                            "than ½. Medians over runs."});
  report.tables.push_back(edge_table(runs));
  report.numbers = {{"cross-entropy", report.curves[0].median.back()},
                    {"hamming-distance", report.curves[1].median.back()},
                    {"gamma-clamped", clamped},
                    {"episodes-rejected", rejected}};
  add_effective_samples("effective-samples", "sampled graphs", effective, report);
  report.summary =
      fmt::format("{} the edge beliefs are {} bits from the truth ({} runs, median; chance is 1)",
                  after_episodes(settings), show(report.curves[0].median.back()), runs.size());
  if (exact) {
    report.curves.push_back(summarise("cross-entropy-bayes", "exact Bayes", x, bayes));
    report.figures[0].curves.emplace_back("cross-entropy-bayes");
    report.numbers.push_back({"cross-entropy-bayes", report.curves.back().median.back()});
    report.summary += fmt::format("; the exact Bayes update of the same scores ends at {}.",
                                  show(report.curves.back().median.back()));
  } else {
    report.summary += ". There are too many variables for the exact posterior.";
  }
  warn_without_reset(settings, report);
  return report;
}

}  // namespace

Report edge_learning_report(const Settings& settings, const RunOptions& options) {
  const auto sweep = sweep_runs(
      std::size_t(settings.integer("runs")), options.threads,
      [&](std::size_t run) {
        const RunKey key{options.seed, std::uint32_t(run)};
        return settings.text("world") == "network" ? network_run(settings, key)
                                                   : categorical_run(settings, key);
      },
      options.progress);
  Report report = report_of(settings, sweep.results);
  tell_failed(sweep.failed, report);
  return report;
}

}  // namespace whence
