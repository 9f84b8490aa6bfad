// Laws of what is stated of a direction, whichever engine found it.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "whence/discover/limits/direction_limits.hpp"
#include "whence/discover/limits/second_opinion.hpp"
#include "whence/math/random.hpp"

namespace whence::laws {
namespace {

constexpr std::size_t variables = 4, environments = 5;

/// An answer in which every pair has a direction, nearly sure, for reasons drawn at random.
GraphResult random_answer(GraphModel model, std::uint32_t run) {
  Stream stream(31, Purpose::tests, {run, std::uint32_t(model), 0});
  GraphResult result;
  result.model = model;
  result.variables = {"a", "b", "c", "d"};
  result.edges = EdgeMatrix(variables);
  for (std::size_t e = 0; e < environments; ++e) {
    GraphEnvironment& environment = result.environments.emplace_back();
    environment.name = fmt::format("e{}", e);
    for (std::size_t v = 0; v < variables; ++v)
      environment.changed.push_back(stream.uniform() < 0.7 ? 0.02 : stream.uniform());
  }
  for (std::size_t i = 0; i < variables; ++i)
    for (std::size_t j = i + 1; j < variables; ++j) result.edges.at(i, j) = 0.999;
  result.findings = edges_worth_showing(result.edges);
  for (EdgeFinding& edge : result.findings) {
    edge.turned = 0.9 * stream.uniform();
    for (std::size_t e = 0; e < environments; ++e) {
      edge.support.push_back(stream.uniform() < 0.6 ? 0.1 : 12 * stream.uniform());
      edge.shift_log_odds += edge.support.back();
    }
  }
  return result;
}

using Limiter = std::function<void(GraphResult&)>;

void limit(GraphResult& result) { limit_directions(result, nullptr, {}); }

bool speaks(const EdgeFinding& edge, std::size_t e) { return edge.support[e] >= std::log(20.0); }
bool changed_there(const GraphResult& result, const EdgeFinding& edge, std::size_t e) {
  const std::vector<double>& p = result.environments[e].changed;
  return std::max(p[edge.from], p[edge.to]) >= 0.4;
}

/// Whether sure edges lead from one variable to a later one, not counting the edge itself.
bool implied(const GraphResult& result, std::size_t from, std::size_t to) {
  for (std::size_t v = from + 1; v < to; ++v)
    if (result.edges.at(from, v) > 0.95 &&
        (result.edges.at(v, to) > 0.95 || implied(result, v, to)))
      return true;
  return false;
}

/// No direction above 95 % that no shift supports: an environment that speaks for it, in which one
/// of its ends changed; where lines answer, a path of sure edges does as well. Nor one that a
/// single environment turns round. The pair stays linked.
Finding sure_directions_are_supported(const Limiter& limiter) {
  Finding finding;
  for (const GraphModel model : {GraphModel::linear, GraphModel::categorical, GraphModel::labels})
    for (std::uint32_t run = 0; run < 50; ++run) {
      GraphResult result = random_answer(model, run);
      const std::vector<EdgeFinding> given = result.findings;
      limiter(result);
      for (const EdgeFinding& edge : given) {
        const double p = result.edges.at(edge.from, edge.to);
        finding.near(p + result.edges.at(edge.to, edge.from), 0.999, 1e-9, "the link");
        bool supported = false;
        for (std::size_t e = 0; e < environments; ++e)
          supported |= speaks(edge, e) && changed_there(result, edge, e);
        const bool follows = model == GraphModel::linear && implied(result, edge.from, edge.to);
        const std::string which = fmt::format("run {} {}->{}", run, edge.from, edge.to);
        finding.require(p <= 0.95 || supported || follows, "no shift supports " + which);
        finding.require(p <= 0.95 || edge.turned <= 0.75 || !supported, "turned round: " + which);
        finding.require(p > 0.95 || supported || !follows, "implied and lost: " + which);
        finding.require(p > 0.95 || !supported || edge.turned > 0.75, "lost: " + which);
      }
    }
  return finding;
}

/// Limits every edge for which `sure` is false.
Limiter limits_unless(std::function<bool(const GraphResult&, const EdgeFinding&)> sure) {
  return [sure = std::move(sure)](GraphResult& result) {
    for (const EdgeFinding& edge : result.findings) {
      if (sure(result, edge)) continue;
      double& p = result.edges.at(edge.from, edge.to);
      result.edges.at(edge.to, edge.from) += p - highest_if_unsure;
      p = highest_if_unsure;
    }
  };
}

LAW(DirectionLimitLaws, SureDirectionsAreSupported, sure_directions_are_supported,
    {{"limit_directions", limit}},
    {{"support that no change explains", limits_unless([](const auto&, const EdgeFinding& edge) {
        return edge.shift_log_odds >= std::log(20.0) && edge.turned <= 0.75;
      })},
     {"a change in another environment",
      limits_unless([](const GraphResult& result, const EdgeFinding& edge) {
        bool spoke = false, changed = false;
        for (std::size_t e = 0; e < environments; ++e) {
          spoke |= speaks(edge, e);
          changed |= changed_there(result, edge, e);
        }
        return spoke && changed && edge.turned <= 0.75;
      })},
     {"one engine left alone",
      [](GraphResult& result) {
        if (result.model != GraphModel::labels) limit(result);
      }},
     {"implied by edges that are not sure",
      [](GraphResult& result) {
        limit(result);
        for (std::size_t to = 2; to < variables; ++to) {
          result.edges.at(to, 0) = 0.009;
          result.edges.at(0, to) = 0.99;
        }
      }},
     {"one environment turns it round", limits_unless(shift_supports)}});

}  // namespace
}  // namespace whence::laws
