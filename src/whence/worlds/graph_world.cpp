#include "whence/worlds/graph_world.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/corruption.hpp"
#include "whence/worlds/embedded_network.hpp"
#include "whence/worlds/environment_names.hpp"
#include "whence/worlds/mechanism_nodes.hpp"
#include "whence/worlds/mlp_world.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {

namespace {

// ---- targets of the shifts ----

bool is_linear(const GraphWorldSpec& spec) {
  return spec.mechanism == GraphMechanism::linear_gaussian;
}

bool is_categorical(const GraphWorldSpec& spec) {
  return spec.mechanism == GraphMechanism::categorical;
}

[[noreturn]] void refuse_shape(const std::string& problem, const std::string& hint) {
  throw Error(ExitCode::bad_config, "E-WORLD-SHAPE", "graph", problem, hint);
}

void check(const GraphWorldSpec& spec) {
  const std::size_t m = spec.graph.variables();
  if (!spec.graph.is_acyclic())
    throw Error(ExitCode::bad_config, "E-WORLD-CYCLE", "graph",
                "the graph of the world has a cycle", "remove one of the edges that close it");
  if (m == 0) refuse_shape("the graph has no variables", "name at least one");
  if ((!spec.variables.empty() && spec.variables.size() != m) ||
      (!spec.tables.empty() && spec.tables.size() != m))
    refuse_shape("variables or tables do not fit the graph", "give one for each of its variables");
  if (!spec.tables.empty() && (!is_categorical(spec) || spec.hidden > 0))
    refuse_shape("given tables go with categorical variables and no hidden ones",
                 "leave the tables out");
  if (!is_linear(spec) && (spec.shift == GraphShift::weak || spec.shift == GraphShift::zero_mean))
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "shift",
                fmt::format("a {} mechanism has no '{}' shift", name_of(spec.mechanism),
                            name_of(spec.shift)),
                "none, hard, soft, two-hard, all-soft or all-hard");
  if (spec.drift != 0 && !is_node_mechanism(spec.mechanism))
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "drift",
                fmt::format("a {} mechanism does not drift", name_of(spec.mechanism)),
                "choose linear, network or another of their kind");
  if (!(spec.drift >= 0 && spec.drift <= 10) || !(spec.noise_rows >= 0 && spec.noise_rows <= 1))
    throw Error(ExitCode::bad_config, "E-CONFIG-RANGE", "drift",
                "drift lies from 0 to 10, the share of noise rows from 0 to 1");
  if (is_categorical(spec) && spec.levels < 2)
    throw Error(ExitCode::bad_config, "E-CONFIG-RANGE", "levels", "a variable needs two levels");
}

std::vector<std::size_t> targets_of(const GraphWorldSpec& spec, std::size_t e, Stream stream) {
  const std::size_t m = spec.graph.variables();
  std::vector<std::size_t> targets;
  if (e == 0 || spec.shift == GraphShift::none) return targets;
  if (spec.shift == GraphShift::all_soft || spec.shift == GraphShift::all_hard) {
    for (std::size_t v = 0; v < m; ++v) targets.push_back(v);
    return targets;
  }
  targets.push_back((e - 1) % m);
  if (spec.shift == GraphShift::two_hard && m > 1)
    targets.push_back((targets[0] + 1 + std::size_t(sample_index(stream, int(m - 1)))) % m);
  std::sort(targets.begin(), targets.end());
  return targets;
}

std::vector<Environment> environments_of(const GraphWorldSpec& spec) {
  std::vector<Environment> list = {{"baseline", 0, spec.baseline_rows}};
  for (std::size_t e = 1; e <= spec.environments; ++e)
    list.push_back(
        {shifted_name(e, spec.environments), list.back().end, list.back().end + spec.rows});
  return list;
}

/// "k0", "k1": names, so that no reader takes levels for numbers.
Variable categorical_variable(std::string name, int levels) {
  Variable variable{std::move(name), Variable::Kind::categorical, levels};
  for (int k = 0; k < levels; ++k) variable.level_names.push_back("k" + std::to_string(k));
  return variable;
}

Variable plain_variable(const GraphWorldSpec& spec, std::string name) {
  if (is_categorical(spec)) return categorical_variable(std::move(name), spec.levels);
  return {std::move(name), Variable::Kind::real};
}

std::vector<Variable> variables_of(const GraphWorldSpec& spec, std::uint64_t seed) {
  std::vector<Variable> list = spec.variables;
  for (std::size_t v = list.size(); v < spec.graph.variables(); ++v)
    list.push_back(plain_variable(spec, "X" + std::to_string(v)));
  if (spec.mechanism != GraphMechanism::mixed) return list;
  constexpr int mixed_levels = 3;
  Stream stream(seed, Purpose::world, {3, 0, 0});
  const auto order = random_order(list.size(), stream);
  for (std::size_t k = 0; k < list.size() / 2; ++k)
    list[order[k]] = categorical_variable(list[order[k]].name, mixed_levels);
  return list;
}

// ---- hidden variables ----

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Different pairs of variables without an edge between them.
Pairs draw_confounded(const Graph& graph, std::size_t count, Stream stream) {
  Pairs free, drawn;
  for (std::size_t i = 0; i < graph.variables(); ++i)
    for (std::size_t j = i + 1; j < graph.variables(); ++j)
      if (!graph.edge(VariableId(i), VariableId(j)) && !graph.edge(VariableId(j), VariableId(i)))
        free.emplace_back(i, j);
  if (free.size() < count)
    refuse_shape("too few pairs of variables are not joined", "ask for fewer hidden variables");
  const auto order = random_order(free.size(), stream);
  for (std::size_t k = 0; k < count; ++k) drawn.push_back(free[order[k]]);
  return drawn;
}

/// The graph with one more root for each confounded pair, after the seen variables.
Graph with_hidden(const Graph& seen, const Pairs& confounded) {
  const std::size_t m = seen.variables();
  Graph all(m + confounded.size());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      all.set_edge(VariableId(i), VariableId(j), seen.edge(VariableId(i), VariableId(j)));
  for (std::size_t k = 0; k < confounded.size(); ++k) {
    all.set_edge(VariableId(m + k), VariableId(confounded[k].first));
    all.set_edge(VariableId(m + k), VariableId(confounded[k].second));
  }
  return all;
}

// ---- linear mechanisms ----

/// x = mean + sum of weight times parent + sqrt(variance) noise
struct LinearNode {
  double mean = 0, variance = 1;
  std::vector<double> weights;  // per parent, in the family's order
};

double random_sign(Stream& stream) { return stream.uniform() < 0.5 ? -1 : 1; }

LinearNode draw_linear(const GraphWorldSpec& spec, std::size_t parents, Stream& stream) {
  LinearNode node;
  node.variance = between(stream, 0.05, 0.15);
  for (std::size_t p = 0; p < parents; ++p)
    node.weights.push_back(spec.normal_weights ? sample_normal(stream)
                                               : random_sign(stream) * between(stream, 0.5, 2));
  return node;
}

constexpr double hard_variance = 0.5, soft_mean_deviation = 0.5;

LinearNode draw_hard_linear(const GraphWorldSpec& spec, std::size_t parents, Stream& stream) {
  LinearNode node{0, hard_variance, std::vector<double>(parents, 0.0)};
  if (spec.shift == GraphShift::weak) node.mean = random_sign(stream);
  if (spec.shift == GraphShift::weak || spec.shift == GraphShift::zero_mean) return node;
  const double z = 2 * sample_normal(stream);
  node.mean = z + (z < 0 ? -5 : 5);
  return node;
}

/// A world in which every node has one mechanism of a kind, and may get another for an environment.
class LinearNodes {
 public:
  LinearNodes(const GraphWorldSpec& spec, std::vector<Family> families, std::uint64_t seed)
      : spec_(&spec), families_(std::move(families)) {
    for (const Family& family : families_) {
      Stream stream(seed, Purpose::world, {0, 0, std::uint32_t(family.child.value)});
      base_.push_back(draw_linear(spec, family.parents.size(), stream));
    }
  }

  void sample(VariableId v, NodeShift shift, Stream how, Stream stream, const Environment& rows,
              Dataset& data) const {
    const Family& family = families_[v.value];
    LinearNode node = base_[v.value];
    if (shift == NodeShift::hard) node = draw_hard_linear(*spec_, family.parents.size(), how);
    if (shift == NodeShift::soft) {
      node = draw_linear(*spec_, family.parents.size(), how);
      node.mean = soft_mean_deviation * sample_normal(how);
    }
    const double deviation = std::sqrt(node.variance);
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
      double x = node.mean + deviation * sample_noise(stream, spec_->noise);
      for (std::size_t p = 0; p < family.parents.size(); ++p)
        x += node.weights[p] * data.columns[family.parents[p].value].values[r];
      data.columns[v.value].values[r] = x;
    }
  }

 private:
  const GraphWorldSpec* spec_;
  std::vector<Family> families_;
  std::vector<LinearNode> base_;
};

// ---- categorical mechanisms ----

/// Logits U(-2.5, 2.5), as SDI changes the tables of known networks.
CategoricalTable<double> draw_table(std::size_t rows, int levels, Stream& stream) {
  std::vector<double> log_p;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> row(static_cast<std::size_t>(levels));
    for (double& x : row) x = between(stream, -2.5, 2.5);
    double total = 0;
    for (double x : row) total += portable_exp(x);
    for (double x : row) log_p.push_back(x - portable_log(total));
  }
  return {levels, std::move(log_p)};
}

/// The same for categorical nodes: drawn networks, or given tables.
class CategoricalNodes {
 public:
  CategoricalNodes(const GraphWorldSpec& spec, std::vector<Variable> variables,
                   std::vector<Family> families, std::uint64_t seed)
      : spec_(&spec), variables_(std::move(variables)), families_(std::move(families)) {
    for (std::size_t v = 0; v < families_.size() && spec.tables.empty(); ++v)
      base_.push_back(draw(v, Stream(seed, Purpose::world, {0, 0, std::uint32_t(v)})));
    for (std::size_t v = 0; v < spec.tables.size(); ++v)
      if (spec.tables[v].levels() != variables_[v].levels ||
          spec.tables[v].rows() != configurations(variables_, families_[v]))
        refuse_shape("the table of '" + variables_[v].name + "' does not fit its parents",
                     "give one row for each combination of their levels");
  }

  void sample(VariableId v, NodeShift shift, Stream how, Stream stream, const Environment& rows,
              Dataset& data) const {
    auto& column = data.columns[v.value].levels;
    if (shift == NodeShift::hard) {  // every level equally likely
      for (std::size_t r = rows.begin; r < rows.end; ++r)
        column[r] = sample_index(stream, variables_[v.value].levels);
    } else if (!spec_->tables.empty()) {
      sample_table(v, shift == NodeShift::soft, how, stream, rows, data);
    } else {
      const EmbeddedNetwork fresh =
          shift == NodeShift::soft ? draw(v.value, how) : EmbeddedNetwork();
      const EmbeddedNetwork& net = shift == NodeShift::soft ? fresh : base_[v.value];
      const auto& parents = families_[v.value].parents;
      std::vector<std::int32_t> seen(parents.size());
      std::vector<double> cumulative(static_cast<std::size_t>(net.levels()));
      for (std::size_t r = rows.begin; r < rows.end; ++r) {
        for (std::size_t p = 0; p < parents.size(); ++p)
          seen[p] = data.columns[parents[p].value].levels[r];
        net.cumulative(seen, cumulative);
        column[r] = sample_level(cumulative, stream.uniform());
      }
    }
  }

 private:
  EmbeddedNetwork draw(std::size_t v, Stream stream) const {
    std::vector<int> levels;
    for (VariableId p : families_[v].parents) levels.push_back(variables_[p.value].levels);
    return EmbeddedNetwork::draw(levels, variables_[v].levels, stream);
  }

  void sample_table(VariableId v, bool redrawn, Stream how, Stream stream, const Environment& rows,
                    Dataset& data) const {
    const CategoricalTable<double>& given = spec_->tables[v.value];
    const auto table = redrawn ? draw_table(given.rows(), given.levels(), how) : given;
    std::vector<double> cumulative(static_cast<std::size_t>(table.levels()));
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
      cumulate(table.row(parent_configuration(data, families_[v.value], r)), cumulative);
      data.columns[v.value].levels[r] = sample_level(cumulative, stream.uniform());
    }
  }

  const GraphWorldSpec* spec_;
  std::vector<Variable> variables_;
  std::vector<Family> families_;
  std::vector<EmbeddedNetwork> base_;
};

// ---- all together ----

template <class Nodes>
void sample_all(const Nodes& nodes, const std::vector<VariableId>& order, const GraphTruth& truth,
                std::uint64_t seed, Dataset& data) {
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    for (VariableId v : order) {
      const auto& targets = truth.targets[e];
      const bool changed = std::binary_search(targets.begin(), targets.end(), v.value);
      const auto node = std::uint32_t(v.value), episode = std::uint32_t(e);
      nodes.sample(v,
                   !changed                   ? NodeShift::none
                   : is_hard(truth.shifts[e]) ? NodeShift::hard
                                              : NodeShift::soft,
                   Stream(seed, Purpose::shift, {0, episode, node}),
                   Stream(seed, Purpose::sample, {0, episode, node}), data.environments[e], data);
    }
}

GraphTruth truth_of(const GraphWorldSpec& spec, const std::vector<Variable>& variables,
                    std::uint64_t seed) {
  GraphTruth truth;
  truth.graph = spec.graph;
  for (const Variable& variable : variables) truth.names.push_back(variable.name);
  for (std::size_t e = 0; e <= spec.environments; ++e) {
    truth.targets.push_back(
        targets_of(spec, e, Stream(seed, Purpose::shift, {1, std::uint32_t(e), 0})));
    truth.shifts.push_back(e == 0 ? GraphShift::none : spec.shift);
  }
  truth.confounded =
      draw_confounded(spec.graph, spec.hidden, Stream(seed, Purpose::world, {1, 0, 0}));
  truth.drift = spec.drift;
  return truth;
}

Dataset empty_data(const GraphWorldSpec& spec, const std::vector<Variable>& variables) {
  Dataset data;
  data.environments = environments_of(spec);
  data.variables = variables;
  data.columns.resize(variables.size());
  const std::size_t rows = data.environments.back().end;
  for (std::size_t v = 0; v < variables.size(); ++v)
    variables[v].kind == Variable::Kind::real ? data.columns[v].values.resize(rows)
                                              : data.columns[v].levels.resize(rows);
  return data;
}

/// BaCaDI's linear and ENCO's categorical protocol: hidden variables are columns that are left out.
void sample_protocol(const GraphWorldSpec& spec, std::vector<Variable> variables,
                     std::uint64_t seed, GraphSimulation& result) {
  const std::size_t seen = variables.size();
  for (std::size_t k = 0; k < spec.hidden; ++k) variables.push_back(plain_variable(spec, "hidden"));
  const auto families = with_hidden(spec.graph, result.truth.confounded).families();
  const auto order = parents_first(families);
  Dataset& data = result.data;
  data = empty_data(spec, variables);
  if (is_linear(spec))
    sample_all(LinearNodes(spec, families, seed), order, result.truth, seed, data);
  else
    sample_all(CategoricalNodes(spec, variables, families, seed), order, result.truth, seed, data);
  data.variables.resize(seen);
  data.columns.resize(seen);
}

void sample_mechanisms(const GraphWorldSpec& spec, std::vector<Variable> variables,
                       std::uint64_t seed, GraphSimulation& result) {
  const auto families = spec.graph.families();
  const auto order = parents_first(families);
  result.data = empty_data(spec, variables);
  const MechanismNodes nodes(
      {spec.mechanism, std::move(variables), families, order, result.truth.confounded, spec.drift},
      seed);
  sample_all(nodes, order, result.truth, seed, result.data);
}

template <class T>
void permute_rows(std::vector<T>& values, std::size_t first, std::size_t last, std::size_t width,
                  Stream stream) {
  const std::vector<T> before(values.begin() + std::ptrdiff_t(first * width),
                              values.begin() + std::ptrdiff_t(last * width));
  const auto order = random_order(last - first, stream);
  for (std::size_t r = 0; r < order.size(); ++r)
    for (std::size_t k = 0; k < width; ++k)
      values[(first + r) * width + k] = before[order[r] * width + k];
}

}  // namespace

std::string_view name_of(GraphShift shift) {
  switch (shift) {
    case GraphShift::none: return "none";
    case GraphShift::hard: return "hard";
    case GraphShift::soft: return "soft";
    case GraphShift::two_hard: return "two-hard";
    case GraphShift::all_soft: return "all-soft";
    case GraphShift::all_hard: return "all-hard";
    case GraphShift::weak: return "weak";
    case GraphShift::zero_mean: return "zero-mean";
  }
  return "?";
}

std::string_view name_of(NoiseFamily noise) {
  switch (noise) {
    case NoiseFamily::gaussian: return "gaussian";
    case NoiseFamily::t2_5: return "t2.5";
    case NoiseFamily::t5: return "t5";
    case NoiseFamily::laplace: return "laplace";
    case NoiseFamily::lognormal: return "lognormal";
  }
  return "?";
}

bool is_hard(GraphShift shift) {
  return shift != GraphShift::none && shift != GraphShift::soft && shift != GraphShift::all_soft;
}

double sample_noise(Stream& stream, NoiseFamily noise) {
  const auto student = [&](double nu) {  // variance nu / (nu - 2) before scaling
    const double z = sample_normal(stream);
    const double log_gamma = sample_log_gamma(stream, nu / 2);  // chi-square / 2
    return z * std::sqrt((nu - 2) / 2) * portable_exp(-log_gamma / 2);
  };
  switch (noise) {
    case NoiseFamily::gaussian: break;
    case NoiseFamily::t2_5: return student(2.5);
    case NoiseFamily::t5: return student(5);
    case NoiseFamily::laplace: {
      const double u = stream.uniform() - 0.5;
      const double size = -portable_log(1 - 2 * std::fabs(u)) / std::sqrt(2.0);
      return u < 0 ? -size : size;
    }
    case NoiseFamily::lognormal: {
      const double e = portable_exp(1), mean = std::sqrt(e);
      return (portable_exp(sample_normal(stream)) - mean) / std::sqrt((e - 1) * e);
    }
  }
  return sample_normal(stream);
}

GraphSimulation simulate_graph(const GraphWorldSpec& spec, std::uint64_t seed) {
  check(spec);
  GraphSimulation result;
  std::vector<Variable> variables = variables_of(spec, seed);
  result.truth = truth_of(spec, variables, seed);
  if (is_node_mechanism(spec.mechanism))
    sample_mechanisms(spec, std::move(variables), seed, result);
  else
    sample_protocol(spec, std::move(variables), seed, result);
  if (spec.noise_rows > 0) replace_rows_by_noise(result.data, spec.noise_rows, seed);
  if (spec.typos > 0) mistype_cells(result.data, spec.typos, seed);
  return result;
}

void shuffle_columns(Dataset& data, Shuffle how, std::uint64_t seed) {
  const std::vector<Environment> all = {{"", 0, data.rows()}};
  const auto& blocks = how == Shuffle::all_rows ? all : data.environments;
  for (std::size_t v = 0; v < data.columns.size(); ++v)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Stream stream(seed, Purpose::sample, {1, std::uint32_t(b), std::uint32_t(v)});
      const auto width = std::size_t(data.variables[v].dimension);
      if (data.variables[v].kind == Variable::Kind::categorical)
        permute_rows(data.columns[v].levels, blocks[b].begin, blocks[b].end, 1, stream);
      else
        permute_rows(data.columns[v].values, blocks[b].begin, blocks[b].end, width, stream);
    }
}

}  // namespace whence
