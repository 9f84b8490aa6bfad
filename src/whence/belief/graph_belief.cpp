#include "whence/belief/graph_belief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

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

/// P(changed) of families, computed once each.
class ChangeBook {
 public:
  explicit ChangeBook(const FamilyTable& table) : table_(table) {}

  const std::vector<double>& of(std::size_t regime, std::size_t child, const VariableSet& parents) {
    auto& of_regime = known_[regime];
    if (of_regime.empty()) of_regime.resize(table_.variables());
    auto [place, fresh] = of_regime[child].try_emplace(parents);
    if (fresh) {
      place->second.resize(table_.scorer().environments());
      table_.scorer().changed(child, parents.members(), table_.regime(regime), place->second);
    }
    return place->second;
  }

 private:
  const FamilyTable& table_;
  using OfChild = std::unordered_map<VariableSet, std::vector<double>, VariableSetHash>;
  std::unordered_map<std::size_t, std::vector<OfChild>> known_;  // [regime][child]
};

GraphBelief empty_belief(const FamilyTable& table) {
  const std::size_t m = table.variables(), environments = table.scorer().environments();
  GraphBelief belief;
  belief.edges = EdgeMatrix(m);
  belief.changed.assign(m * environments, 0.0);
  belief.all_changed.assign(environments, 0.0);
  belief.none_changed.assign(environments, 0.0);
  return belief;
}

/// One graph's share of what is believed of changes.
void add_changes(const FamilyTable& table, ChangeBook& book, const Dag& dag, std::size_t regime,
                 double weight, GraphBelief& belief) {
  const EnvironmentRegime assumed = table.regime(regime);
  const std::size_t environments = assumed.states.size();
  if (assumed.quiet) belief.quiet += weight;
  std::vector<double> none(environments, 1.0);
  for (std::size_t v = 0; v < dag.variables(); ++v) {
    const std::vector<double>& changed = book.of(regime, v, dag.parents(v));
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

  // Scores of all families under all regimes, then of all graphs.
  std::vector<double> weights(graphs.size() * regimes.size());
  std::vector<double> of_graph(graphs.size(), -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> numbers;
  for (std::size_t r = 0; r < regimes.size(); ++r) {
    numbers.push_back(table.number_of(regimes[r]));
    std::vector<double> scores(m * parent_sets(m));
    for (std::size_t v = 0; v < m; ++v)
      for (ParentSet set = 0; set < parent_sets(m); ++set) {
        VariableSet parents;
        for (std::size_t bit = 0; bit + 1 < m; ++bit)
          if (set >> bit & 1) parents.insert(parent_of_bit(v, bit));
        scores[v * parent_sets(m) + set] = table.score(numbers[r], v, parents);
      }
    const double prior = table.log_prior(numbers[r]);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      double sum = prior;
      for (std::size_t v = 0; v < m; ++v)
        sum += scores[v * parent_sets(m) + parent_set(graphs[g], VariableId(v))];
      weights[r * graphs.size() + g] = sum;
      of_graph[g] = log_add_exp(of_graph[g], sum);
    }
  }
  const double total = log_sum_exp(of_graph);
  GraphBelief belief = empty_belief(table);
  ChangeBook book(table);
  constexpr double unseen = 60;  // nats: e^-60 of the whole changes no printed digit
  for (std::size_t r = 0; r < regimes.size(); ++r)
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const double weight = weights[r * graphs.size() + g] - total;
      if (weight > -unseen) add_changes(table, book, dags[g], numbers[r], std::exp(weight), belief);
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
  ChangeBook book(table);
  const double weight = 1 / double(draws.size());
  for (const GraphDraw& draw : draws) {
    add_changes(table, book, draw.dag, draw.regime, weight, belief);
    for (std::size_t v = 0; v < table.variables(); ++v)
      draw.dag.parents(v).each([&](std::size_t u) { belief.edges.at(u, v) += weight; });
  }
  belief.draws = std::move(draws);
  return belief;
}

}  // namespace whence
