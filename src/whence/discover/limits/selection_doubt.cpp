#include "whence/discover/limits/selection_doubt.hpp"

#include <algorithm>
#include <cmath>

#include "whence/evidence/labels/label_evidence.hpp"
#include "whence/evidence/link_strength.hpp"

namespace whence {

bool stayed_visibly(double cause_moved, double effect_moved, double link) {
  return cause_moved <= 0 && link * effect_moved >= std::log(20.0);
}

bool ChosenRows::exclude(const EdgeFinding& edge) {
  for (std::size_t e = 0; e < edge.support.size(); ++e)
    if (speaks(edge, e) && (has_known_target(e) || changed_alone(edge, e) || is_real(edge.from, e)))
      return true;
  return false;
}

bool ChosenRows::speaks(const EdgeFinding& edge, std::size_t e) const {
  return e < edge.support.size() && options_.baseline != e && edge.support[e] >= std::log(20.0);
}

bool ChosenRows::has_known_target(std::size_t e) const {
  const std::size_t environments = data_.environments.size();
  for (std::size_t v = 0; v < data_.variables.size() && !options_.known.empty(); ++v)
    if (options_.known[v * environments + e] == KnownChange::changed) return true;
  return false;
}

bool ChosenRows::changed_alone(const EdgeFinding& edge, std::size_t e) {
  return result_.environments[e].changed[edge.to] >= likely_change &&
         stayed_visibly(moved(edge.from, e), moved(edge.to, e),
                        link_strength(data_, edge.from, edge.to, compared_with(e)));
}

/// Whether the change of a variable reached none of those it depends on: rows chosen by its
/// values would have moved them as well.
bool ChosenRows::is_real(std::size_t variable, std::size_t e) {
  constexpr double linked = 0.5;
  return std::any_of(result_.findings.begin(), result_.findings.end(),
                     [&](const EdgeFinding& edge) {
                       return edge.to == variable && edge.probability > linked && speaks(edge, e) &&
                              changed_alone(edge, e);
                     });
}

/// The evidence for another law of the variable there, in nats.
double ChosenRows::moved(std::size_t variable, std::size_t e) {
  const auto [at, is_new] = evidence_.try_emplace({variable, e}, 0.0);
  if (is_new) at->second = law_evidence(data_, VariableId(variable), e, compared_with(e));
  return at->second;
}

/// The baseline; without one, all other environments.
std::vector<std::size_t> ChosenRows::compared_with(std::size_t e) const {
  std::vector<std::size_t> list;
  for (std::size_t other = 0; other < data_.environments.size(); ++other)
    if (options_.baseline ? *options_.baseline == other : other != e) list.push_back(other);
  return list;
}

}  // namespace whence
