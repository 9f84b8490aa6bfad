#include "whence/discover/graph/selection_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "whence/discover/graph/second_opinion.hpp"
#include "whence/evidence/labels/label_evidence.hpp"

namespace whence {

namespace {

bool is_known(const EdgeKnowledge& knowledge, std::size_t m, const EdgeFinding& edge) {
  return knowledge.of(m, edge.from, edge.to) == EdgeKnowledge::Word::required ||
         knowledge.of(m, edge.to, edge.from) == EdgeKnowledge::Word::forbidden;
}

/// What rows say of how an environment came about.
class ChosenRows {
 public:
  ChosenRows(const GraphResult& result, const Dataset& data, const GraphOptions& options)
      : result_(result), data_(data), options_(options) {}

  /// Whether some environment that speaks for the edge cannot have been made by a choice of rows.
  bool exclude(const EdgeFinding& edge) {
    for (std::size_t e = 0; e < edge.support.size(); ++e)
      if (speaks(edge, e) && (has_known_target(e) || stayed(edge.from, e) || is_real(edge.from, e)))
        return true;
    return false;
  }

 private:
  bool speaks(const EdgeFinding& edge, std::size_t e) const {
    return e < edge.support.size() && options_.baseline != e && edge.support[e] >= std::log(20.0);
  }

  bool has_known_target(std::size_t e) const {
    const std::size_t environments = data_.environments.size();
    for (std::size_t v = 0; v < data_.variables.size() && !options_.known.empty(); ++v)
      if (options_.known[v * environments + e] == KnownChange::changed) return true;
    return false;
  }

  /// Whether the variable has the law it has elsewhere.
  bool stayed(std::size_t variable, std::size_t e) {
    const auto [at, is_new] = evidence_.try_emplace({variable, e}, 0.0);
    if (is_new) at->second = law_evidence(data_, VariableId(variable), e, compared_with(e));
    return at->second <= 0;
  }

  /// Whether the change of a variable reached none of those it depends on: rows chosen by its
  /// values would have moved them as well.
  bool is_real(std::size_t variable, std::size_t e) {
    constexpr double linked = 0.5;
    return std::any_of(result_.findings.begin(), result_.findings.end(),
                       [&](const EdgeFinding& edge) {
                         return edge.to == variable && edge.probability > linked &&
                                speaks(edge, e) && stayed(edge.from, e);
                       });
  }

  /// The baseline; without one, all other environments.
  std::vector<std::size_t> compared_with(std::size_t e) const {
    std::vector<std::size_t> list;
    for (std::size_t other = 0; other < data_.environments.size(); ++other)
      if (options_.baseline ? *options_.baseline == other : other != e) list.push_back(other);
    return list;
  }

  const GraphResult& result_;
  const Dataset& data_;
  const GraphOptions& options_;
  std::map<std::pair<std::size_t, std::size_t>, double> evidence_;  // of another law
};

}  // namespace

void doubt_selection(GraphResult& result, const Dataset& data, const GraphOptions& options) {
  ChosenRows rows(result, data, options);
  std::vector<EdgeFinding> limited;
  for (const EdgeFinding& edge : result.findings)
    if (edge.probability > highest_if_selected &&
        !is_known(options.knowledge, result.variables.size(), edge) && !rows.exclude(edge))
      limited.push_back(edge);
  for (const EdgeFinding& edge : limited) {
    double& p = result.edges.at(edge.from, edge.to);
    result.edges.at(edge.to, edge.from) += p - highest_if_selected;
    p = highest_if_selected;
    result.remarks.push_back({RemarkCode::maybe_selected,
                              {result.variables[edge.from], result.variables[edge.to]},
                              {},
                              {highest_if_selected}});
  }
  if (!limited.empty()) list_findings_again(result);
}

}  // namespace whence
