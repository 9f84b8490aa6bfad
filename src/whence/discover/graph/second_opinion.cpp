#include "whence/discover/graph/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace whence {

namespace {

constexpr double likely = 0.5;
constexpr double unconfirmed = 0.9;  // the most that one of two answers can state alone

bool rows_enough(const Dataset& data, const GraphResult& result) {
  constexpr std::size_t of_baseline = 200, of_environment = 50, most_variables = 40;
  if (data.variables.size() > most_variables) return false;
  std::size_t largest = 0;
  std::vector<std::size_t> rows;
  for (const GraphEnvironment& environment : result.environments) {
    largest = std::max(largest, environment.rows);
    rows.push_back(environment.rows);
  }
  std::nth_element(rows.begin(), rows.begin() + std::ptrdiff_t(rows.size() / 2), rows.end());
  return largest >= of_baseline && rows[rows.size() / 2] >= of_environment;
}

}  // namespace

bool calls_for_second_opinion(const GraphResult& linear, const Dataset& data) {
  if (!rows_enough(data, linear)) return false;
  if (!linear.maybe_confounded.empty()) return true;
  // Everything changed in a few environments only: as likely they are what the model cannot fit.
  const auto all_changed = std::count_if(
      linear.environments.begin(), linear.environments.end(),
      [](const GraphEnvironment& environment) { return environment.all_changed > likely; });
  if (all_changed > 0 && 4 * std::size_t(all_changed) < linear.environments.size()) return true;
  const double many = std::max(2.0, double(linear.variables.size()) / 3);
  return std::any_of(
      linear.environments.begin(), linear.environments.end(),
      [&](const GraphEnvironment& environment) {
        const auto changed = std::count_if(environment.changed.begin(), environment.changed.end(),
                                           [](double p) { return p > likely; });
        return !environment.baseline && environment.all_changed < likely && double(changed) >= many;
      });
}

bool finds_drift(const GraphResult& labels) {
  const auto drifts = [](double scale) { return scale > 0; };
  return std::any_of(labels.drift.begin(), labels.drift.end(), drifts) ||
         std::any_of(labels.environments.begin(), labels.environments.end(),
                     [&](const GraphEnvironment& e) { return drifts(e.drift); });
}

bool denies_much(const GraphResult& labels, const GraphResult& linear) {
  std::size_t edges = 0, denied = 0;
  for (std::size_t k = 0; k < linear.edges.values.size(); ++k) {
    if (linear.edges.values[k] <= likely) continue;
    ++edges;
    denied += labels.edges.values[k] <= likely ? 1 : 0;
  }
  return 3 * denied > edges;
}

void temper(GraphResult& linear, const GraphResult& labels) {
  const std::size_t m = linear.variables.size();
  linear.hidden = linear.shift_only = EdgeMatrix(m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      double& p = linear.edges.at(a, b);
      if (a == b || labels.edges.at(a, b) > likely) continue;
      const double left = std::max(0.0, p - unconfirmed);
      p -= left;
      if (labels.hidden.at(a, b) <= likely) continue;
      // Something hidden, as labels have it, or a cause, as lines have it: as likely either way.
      const double hidden = std::min(p, 0.5) * labels.hidden.at(a, b) + left;
      p -= hidden - left;
      linear.hidden.at(a, b) = linear.hidden.at(b, a) = std::max(linear.hidden.at(a, b), hidden);
    }
  for (const auto& [a, b] : linear.maybe_confounded) {
    double& p = linear.edges.at(a, b);
    const double left = std::max(0.0, p - unconfirmed);
    p -= left;
    linear.hidden.at(a, b) = linear.hidden.at(b, a) = linear.hidden.at(a, b) + left;
  }
  for (std::size_t e = 0; e < linear.environments.size(); ++e)
    for (std::size_t v = 0; v < m; ++v)
      if (labels.environments[e].changed[v] < likely) {
        double& p = linear.environments[e].changed[v];
        p = std::min(p, unconfirmed);
      }
  list_findings_again(linear);
}

void list_findings_again(GraphResult& result) {
  std::vector<EdgeFinding> findings = edges_worth_showing(result.edges);
  for (EdgeFinding& finding : findings)
    for (const EdgeFinding& edge : result.findings)
      if (edge.from == finding.from && edge.to == finding.to) {
        const double probability = finding.probability, adjacent = finding.adjacent_probability;
        finding = edge;
        finding.probability = probability;
        finding.adjacent_probability = adjacent;
        if (probability == edge.probability) continue;
        for (double& p : finding.leave_one_out) p = std::min(p, probability);
      }
  result.findings = std::move(findings);
}

}  // namespace whence
