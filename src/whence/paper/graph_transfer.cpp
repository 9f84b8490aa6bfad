#include "whence/paper/graph_transfer.hpp"

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/graph/canonical_order.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/meta_learn.hpp"

namespace whence {

namespace {

constexpr const char* other_way = "find_graph takes columns of any kind and number";

void check_columns(const Dataset& data) {
  if (data.variables.size() < 2 || data.variables.size() > most_transfer_variables)
    throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
                fmt::format("the paper's learner sums over all parent sets and acyclic graphs, "
                            "for 2 to {} variables, and there are {}",
                            most_transfer_variables, data.variables.size()),
                fmt::format("leave some columns out; {}", other_way));
  for (const Variable& variable : data.variables) {
    if (variable.kind != Variable::Kind::categorical)
      throw Error(ExitCode::bad_data, "E-DATA-KIND", variable.name,
                  "the paper's learner has networks over levels, and this column is real",
                  fmt::format("cut it into levels; {}", other_way));
    if (variable.levels < 2)
      throw Error(ExitCode::bad_data, "E-DATA-CONSTANT", variable.name,
                  "this column has the same value everywhere", "leave it out");
  }
}

void check_environments(const Dataset& data, const TransferOptions& options) {
  if (!options.baseline)
    throw Error(ExitCode::usage, "E-USAGE-BASELINE", "baseline",
                "the networks learn one environment before any other is seen", "name it");
  if (data.environments.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "environments",
                "there is only the baseline: nothing shifted",
                "the criterion needs at least one shifted environment");
}

/// The rows of one environment as a data set of their own.
Dataset rows_of(const Dataset& data, const Environment& environment) {
  Dataset out = make_dataset(data.variables, environment.rows());
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t n = 0; n < environment.rows(); ++n)
      out.columns[v].levels[n] = data.columns[v].levels[environment.begin + n];
  return out;
}

/// A network for every family, trained on the baseline.
std::vector<Module> networks(const Dataset& baseline, const TransferOptions& options,
                             const Control& control) {
  const std::vector<Family> families = all_families(baseline.variables.size());
  std::vector<std::optional<Module>> trained(families.size());
  parallel_for(
      families.size(), control.threads,
      [&](std::size_t f) {
        const Family& family = families[f];
        CategoricalMlp<double> mlp(mlp_shape(baseline.variables, family, options.hidden));
        // Networks of one size start alike: luckier weights would be evidence for a direction.
        Stream stream(options.seed, Purpose::initialise,
                      {0, 0, std::uint32_t(family.parents.size())});
        initialise(mlp, MlpInitialisation::one_hot(family.parents.size(), options.hidden, 0.5),
                   stream);
        MlpTraining how = options.training;
        if (control.stopped()) how.steps = 1;
        trained[f] = Module{family, train_mlp(mlp, baseline, family, how)};
      },
      control.progress);
  std::vector<Module> modules;
  for (std::optional<Module>& one : trained) modules.push_back(std::move(*one));
  return modules;
}

/// Each episode is one shifted environment, drawn evenly, and rows of it. The baseline comes first.
EpisodeSource episodes_of(const Dataset& data, std::uint64_t seed) {
  return {data.variables,
          [&data, seed](std::size_t episode, Dataset& out, std::size_t first, std::size_t rows) {
            Stream stream(seed, Purpose::sample, {0, std::uint32_t(episode), 0});
            const auto which = sample_index(stream, int(data.environments.size()) - 1);
            const Environment& environment = data.environments[std::size_t(which) + 1];
            for (std::size_t r = first; r < first + rows; ++r) {
              const std::size_t row =
                  environment.begin + std::size_t(sample_index(stream, int(environment.rows())));
              for (std::size_t v = 0; v < data.variables.size(); ++v)
                out.columns[v].levels[r] = data.columns[v].levels[row];
            }
          }};
}

/// Algorithm 1: modules always adapt, every episode counts for itself, cycles stay out of all sums.
EdgeMetaResult learn(const Dataset& data, const TransferOptions& options, const Control& control) {
  const auto part = [&](double share) {
    if (control.progress) control.progress(share);
  };
  EdgeMetaLearning how;
  Control training = control;
  training.progress = [&](double share) { part(share / 2); };
  how.modules = networks(rows_of(data, data.environments[0]), options, training);
  how.episodes = options.episodes;
  how.steps = options.steps;
  how.batch = options.batch;
  how.adaptation = {options.adaptation, true};
  how.threads = control.threads;
  how.belief = {.optimizer = options.belief, .acyclicity = Acyclicity::exact};
  how.key = {options.seed, 0};
  return meta_learn(episodes_of(data, options.seed), how, [&](const EdgeMetaStep& step) {
    part(0.5 + 0.5 * double(step.episode + 1) / double(options.episodes));
    return !control.stopped();
  });
}

}  // namespace

TransferResult learn_graph_by_transfer(const Dataset& data, const TransferOptions& options,
                                       const Control& control) {
  require_valid(data);
  require_environment(data, options.baseline);
  check_columns(data);
  check_environments(data, options);
  const CanonicalOrder order = in_canonical_order(data, options.baseline);
  const EdgeMetaResult learnt = learn(order.data, options, control);

  TransferResult result;
  const std::size_t m = data.variables.size();
  for (const Variable& variable : data.variables) result.variables.push_back(variable.name);
  for (const EdgeMatrix& log_odds : learnt.log_odds) {
    EdgeMatrix& belief = result.beliefs.emplace_back(m);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        if (i != j) belief.at(order.variables[i], order.variables[j]) = sigmoid(log_odds.at(i, j));
  }
  result.edges = result.beliefs.back();
  result.graph = likely_graph(result.edges, result.cycle_broken);
  result.stopped = control.stopped();
  return result;
}

namespace {

constexpr double worth_drawing = 0.05;  // edges that were never believed in more are left out

/// The belief in one edge, episode by episode.
Curve curve_of(const TransferResult& result, std::size_t from, std::size_t to) {
  const std::string edge = result.variables[from] + " -> " + result.variables[to];
  Curve curve{"belief/" + edge, edge, {}, {}, {}, {}};
  for (std::size_t k = 0; k < result.beliefs.size(); ++k) {
    curve.x.push_back(double(k));
    curve.median.push_back(result.beliefs[k].at(from, to));
  }
  curve.q25 = curve.q75 = curve.median;
  return curve;
}

}  // namespace

Report transfer_report(const TransferResult& result) {
  Report report;
  report.experiment = "meta-learn";
  report.title = fmt::format("The paper's beliefs among {} variables", result.variables.size());
  Table table{"edges", "Beliefs σ(γ) in edges", {"cause", "effect", "belief"}, {}};
  Figure figure{"beliefs", "Beliefs over the episodes", "episode", "σ(γ)", {}, "", false, false, 0,
                1};
  std::size_t edges = 0, sure = 0;
  for (std::size_t i = 0; i < result.variables.size(); ++i)
    for (std::size_t j = 0; j < result.variables.size(); ++j) {
      if (i == j) continue;
      const double belief = result.edges.at(i, j);
      edges += result.graph.edge(VariableId(i), VariableId(j));
      sure += belief > 0.95;
      if (belief < worth_drawing) continue;
      table.rows.push_back({result.variables[i], result.variables[j], percent(belief)});
      report.curves.push_back(curve_of(result, i, j));
      figure.curves.push_back(report.curves.back().id);
    }
  report.summary = fmt::format(
      "{} edges among {} variables, {} of them believed above 95 %, by the paper's criterion.{}",
      edges, result.variables.size(), sure,
      result.stopped ? " It was stopped before the last episode." : "");
  report.tables.push_back(std::move(table));
  if (!figure.curves.empty()) report.figures.push_back(std::move(figure));
  report.assumptions = {
      "There are no hidden common causes and no cycles; all variables are categorical.",
      "What shifts is the own law of causes: where the mechanism of an effect shifts, the "
      "criterion can point the wrong way.",
      "One network per variable and set of parents, trained on the baseline; γ descends the "
      "regret of adapting to episodes of the shifted environments."};
  report.warnings.push_back(
      "the paper's criterion is right where causes shift; where the mechanism of an effect does, "
      "it can point the wrong way: compare with discover");
  if (result.cycle_broken)
    report.warnings.push_back("the edges believed in close a cycle: its weakest was left out");
  return report;
}

}  // namespace whence
