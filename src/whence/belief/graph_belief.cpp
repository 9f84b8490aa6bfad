#include "whence/belief/graph_belief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "whence/belief/equivalence_class.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

std::size_t open_environments(const FamilyTable& table) {
  std::size_t open = 0;
  for (std::size_t e = 0; e < table.scorer().environments(); ++e)
    open += table.regime_prior().is_fixed(e) ? 0 : 1;
  return open;
}

GraphBelief empty_belief(const FamilyTable& table) {
  const std::size_t m = table.variables(), environments = table.scorer().environments();
  GraphBelief belief;
  belief.edges = EdgeMatrix(m);
  belief.changed.assign(m * environments, 0.0);
  belief.all_changed.assign(environments, 0.0);
  belief.none_changed.assign(environments, 0.0);
  return belief;
}

/// One graph's share of the beliefs about changes.
void add_changes(const FamilyTable& table, const Dag& dag, std::size_t regime, double weight,
                 GraphBelief& belief) {
  const EnvironmentRegime assumed = table.regime(regime);
  const std::size_t environments = assumed.states.size();
  if (assumed.quiet) belief.quiet += weight;
  std::vector<double> none(environments, 1.0);
  for (std::size_t v = 0; v < dag.variables(); ++v) {
    const std::vector<double>& changed = table.changed(regime, v, dag.parents(v));
    for (std::size_t e = 0; e < environments; ++e) {
      belief.changed[v * environments + e] += weight * changed[e];
      none[e] *= 1 - changed[e];
    }
  }
  for (std::size_t e = 0; e < environments; ++e) {
    const bool all = assumed.states[e] != EnvironmentState::sparse;
    belief.all_changed[e] += all ? weight : 0;
    belief.none_changed[e] += all ? 0 : weight * none[e];
  }
}

/// Which graphs have the same edges and v-structures.
class MarkovClasses {
 public:
  explicit MarkovClasses(std::span<const Graph> graphs) {
    std::map<std::string, std::size_t> numbers;
    std::size_t count = 0;
    for (const Graph& graph : graphs) {
      const EquivalenceClass members = equivalence_class(graph);
      std::string name = members.directed.to_string();
      for (const auto& [a, b] : members.undirected) name += fmt::format(" {}-{}", a, b);
      const std::size_t number = numbers.try_emplace(name, members_.size()).first->second;
      if (number == members_.size()) members_.emplace_back();
      members_[number].push_back(count++);
    }
  }

  /// For log-evidences of graphs: what to add so that each counts as the mean of its class.
  std::vector<double> level(const std::vector<double>& evidence) const {
    std::vector<double> result(evidence.size());
    for (const std::vector<std::size_t>& members : members_) {
      std::vector<double> own;
      for (std::size_t g : members) own.push_back(evidence[g]);
      for (std::size_t g : members) result[g] = log_mean_exp(own) - evidence[g];
    }
    return result;
  }

 private:
  std::vector<std::vector<std::size_t>> members_;
};

/// What an environment in which everything was redrawn says of each graph.
std::vector<double> redrawn_evidence(const FamilyTable& table, std::span<const Dag> dags,
                                     std::size_t environment) {
  std::vector<double> sums(dags.size(), 0.0);
  std::vector<std::unordered_map<VariableSet, double, VariableSetHash>> known(table.variables());
  for (std::size_t g = 0; g < dags.size(); ++g)
    for (std::size_t v = 0; v < table.variables(); ++v) {
      const auto [place, fresh] = known[v].try_emplace(dags[g].parents(v), 0.0);
      if (fresh)
        place->second = table.scorer().log_redrawn(v, dags[g].parents(v).members(), environment,
                                                   EnvironmentState::all_soft);
      sums[g] += place->second;
    }
  return sums;
}

}  // namespace

bool can_enumerate(const FamilyTable& table) {
  return table.variables() <= largest_enumerated_graph &&
         std::pow(3.0, double(open_environments(table))) <= double(most_enumerated_regimes);
}

std::vector<EnvironmentRegime> all_regimes(const FamilyTable& table) {
  const std::size_t environments = table.scorer().environments();
  std::vector<EnvironmentRegime> regimes = {sparse_regime(environments)};
  for (std::size_t e = 0; e < environments; ++e) {
    if (table.regime_prior().is_fixed(e)) continue;
    const std::size_t before = regimes.size();
    for (const auto state : {EnvironmentState::all_soft, EnvironmentState::all_hard})
      for (std::size_t k = 0; k < before; ++k) {
        regimes.push_back(regimes[k]);
        regimes.back().states[e] = state;
      }
  }
  regimes.push_back(quiet_regime(environments));
  return regimes;
}

GraphBelief enumerate_graphs(const FamilyTable& table, std::vector<double>* log_weights) {
  const std::size_t m = table.variables();
  const std::vector<Graph> graphs = all_acyclic_graphs(m);
  const std::vector<EnvironmentRegime> regimes = all_regimes(table);
  std::vector<Dag> dags;
  for (const Graph& graph : graphs) dags.emplace_back(graph);

  const MarkovClasses classes(graphs);
  std::vector<std::vector<double>> levelled;  // [environment][graph]
  for (std::size_t e = 0; e < table.scorer().environments(); ++e)
    levelled.push_back(table.regime_prior().is_fixed(e)
                           ? std::vector<double>(graphs.size(), 0.0)
                           : classes.level(redrawn_evidence(table, dags, e)));

  // Scores of all families under all regimes, then of all graphs.
  std::vector<double> weights(graphs.size() * regimes.size());
  std::vector<double> of_graph(graphs.size(), -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> numbers;
  for (std::size_t r = 0; r < regimes.size(); ++r) {
    numbers.push_back(table.number_of(regimes[r]));
    std::vector<double> scores;  // [variable][parent set]
    for (std::size_t v = 0; v < m; ++v) {
      std::vector<VariableSet> sets(parent_sets(m));
      for (ParentSet set = 0; set < parent_sets(m); ++set)
        for (std::size_t bit = 0; bit + 1 < m; ++bit)
          if (set >> bit & 1) sets[set].insert(parent_of_bit(v, bit));
      const std::vector<double> of_child = table.scores(numbers[r], v, sets);
      scores.insert(scores.end(), of_child.begin(), of_child.end());
    }
    const double prior = table.log_prior(numbers[r]);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      double sum = prior;
      for (std::size_t e = 0; e < levelled.size(); ++e)
        if (regimes[r].states[e] == EnvironmentState::all_soft) sum += levelled[e][g];
      for (std::size_t v = 0; v < m; ++v)
        sum += scores[v * parent_sets(m) + parent_set(graphs[g], VariableId(v))];
      weights[r * graphs.size() + g] = sum;
      of_graph[g] = log_add_exp(of_graph[g], sum);
    }
  }
  const double total = log_sum_exp(of_graph);
  GraphBelief belief = empty_belief(table);
  constexpr double unseen = 60;  // nats: e^-60 of the whole changes no printed digit
  for (std::size_t r = 0; r < regimes.size(); ++r)
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const double weight = weights[r * graphs.size() + g] - total;
      if (weight > -unseen) add_changes(table, dags[g], numbers[r], std::exp(weight), belief);
    }
  for (std::size_t g = 0; g < graphs.size(); ++g)
    for (std::size_t v = 0; v < m; ++v)
      dags[g].parents(v).each(
          [&](std::size_t u) { belief.edges.at(u, v) += std::exp(of_graph[g] - total); });
  const auto best = std::size_t(std::max_element(weights.begin(), weights.end()) - weights.begin());
  belief.draws = {{dags[best % graphs.size()], numbers[best / graphs.size()], weights[best]}};
  if (log_weights) *log_weights = std::move(of_graph);
  return belief;
}

GraphBelief belief_of_draws(const FamilyTable& table, std::vector<GraphDraw> draws) {
  GraphBelief belief = empty_belief(table);
  const double weight = 1 / double(draws.size());
  for (const GraphDraw& draw : draws) {
    add_changes(table, draw.dag, draw.regime, weight, belief);
    for (std::size_t v = 0; v < table.variables(); ++v)
      draw.dag.parents(v).each([&](std::size_t u) { belief.edges.at(u, v) += weight; });
  }
  belief.draws = std::move(draws);
  return belief;
}

}  // namespace whence
