#include "whence/paper/graph_transfer.hpp"

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/graph/canonical_order.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/meta_learn.hpp"

namespace whence {

namespace {

constexpr const char* or_leave_it_out = "leave --engine out";

void check_columns(const Dataset& data) {
  if (data.variables.size() < 2 || data.variables.size() > most_transfer_variables)
    throw Error(
        ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
        fmt::format("--engine meta-transfer sums over all parent sets and acyclic graphs, "
                    "for 2 to {} variables, and there are {}",
                    most_transfer_variables, data.variables.size()),
        fmt::format("leave some columns out (of tables, by --columns), or {}", or_leave_it_out));
  for (const Variable& variable : data.variables) {
    if (variable.kind != Variable::Kind::categorical)
      throw Error(
          ExitCode::bad_data, "E-DATA-KIND", variable.name,
          "--engine meta-transfer has networks over levels, and this column is real",
          fmt::format("cut it into levels and say so with --types, or {}", or_leave_it_out));
    if (variable.levels < 2)
      throw Error(ExitCode::bad_data, "E-DATA-CONSTANT", variable.name,
                  "this column has the same value everywhere", "leave it out");
  }
}

void check_environments(const Dataset& data, const TransferOptions& options) {
  if (!options.baseline)
    throw Error(ExitCode::usage, "E-USAGE-BASELINE", "--engine meta-transfer",
                "its networks learn one environment before any other is seen",
                fmt::format("name it with --baseline, or {}", or_leave_it_out));
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

GraphResult learn_graph_by_transfer(const Dataset& data, const TransferOptions& options,
                                    const Control& control) {
  check_columns(data);
  check_environments(data, options);
  const CanonicalOrder order = in_canonical_order(data, options.baseline);
  const EdgeMetaResult learnt = learn(order.data, options, control);

  GraphResult result;
  result.engine = GraphEngine::meta_transfer;
  result.model = GraphModel::categorical;
  result.model_reason = {RemarkCode::model_of_the_paper, {}, {}, {}};
  const std::size_t m = data.variables.size();
  result.edges = EdgeMatrix(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (i != j)
        result.edges.at(order.variables[i], order.variables[j]) =
            sigmoid(learnt.log_odds.back().at(i, j));
  for (const Variable& variable : data.variables) result.variables.push_back(variable.name);
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    GraphEnvironment environment;
    environment.name = data.environments[e].name;
    environment.rows = data.environments[e].rows();
    environment.baseline = options.baseline == e;
    result.environments.push_back(std::move(environment));
  }
  result.findings = edges_worth_showing(result.edges);
  result.graph = likely_graph(result.edges, result.cycle_broken);
  result.search.families_scored = m * parent_sets(m);
  if (control.stopped()) result.search.stopped = "stopped";
  result.remarks.push_back({RemarkCode::criterion_of_the_paper, {}, {}, {}});
  if (result.cycle_broken) result.remarks.push_back({RemarkCode::cycle_broken, {}, {}, {}});
  return result;
}

}  // namespace whence
