#include "whence/discover/graph/edge_effects.hpp"

#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/evidence/family_fit.hpp"

namespace whence {
namespace {

constexpr double likely = 0.5;
constexpr std::size_t most_rows = 20'000;

std::vector<std::size_t> causes_of(const GraphResult& result, std::size_t effect) {
  std::vector<std::size_t> causes;
  for (std::size_t v = 0; v < result.variables.size(); ++v)
    if (result.graph.edge(VariableId(v), VariableId(effect))) causes.push_back(v);
  return causes;
}

bool kept(const GraphEnvironment& environment, std::size_t effect) {
  if (environment.baseline || environment.changed.empty()) return true;
  return environment.all_changed < likely && environment.changed[effect] < likely;
}

/// Environments in which the mechanism of a variable is that of the baseline.
std::vector<std::size_t> same_mechanism(const GraphResult& result, std::size_t effect) {
  std::vector<std::size_t> list;
  for (std::size_t e = 0; e < result.environments.size(); ++e)
    if (kept(result.environments[e], effect)) list.push_back(e);
  return list;
}

/// All rows, or so many evenly spread ones.
std::vector<std::size_t> rows_of(const Dataset& data, const std::vector<std::size_t>& environments,
                                 std::size_t most) {
  std::size_t all = 0;
  for (std::size_t e : environments) all += data.environments[e].rows();
  std::vector<std::size_t> rows;
  for (std::size_t e : environments) {
    const Environment& here = data.environments[e];
    const std::size_t share = all <= most ? here.rows() : here.rows() * most / all;
    for (std::size_t i = 0; i < share; ++i) rows.push_back(here.begin + i * here.rows() / share);
  }
  return rows;
}

std::vector<std::size_t> baseline_rows(const Dataset& data, const GraphResult& result) {
  for (std::size_t e = 0; e < result.environments.size(); ++e)
    if (result.environments[e].baseline) return rows_of(data, {e}, most_rows);
  return {};
}

FamilyFit fit_of(const Dataset& data, const GraphResult& result, std::size_t effect) {
  return FamilyFit(data, effect, causes_of(result, effect),
                   rows_of(data, same_mechanism(result, effect), most_rows),
                   baseline_rows(data, result), result.model != GraphModel::linear);
}

// ---- pictures ----

constexpr std::size_t most_points = 300, curve_points = 41;

/// How far an environment moved the mean of a variable, in standard deviations of the baseline.
double moved_by(const Dataset& data, std::size_t variable, const Environment& here,
                const std::vector<std::size_t>& reference) {
  const auto& x = data.columns[variable].values;
  double mean = 0, square = 0, moved = 0;
  for (std::size_t row : reference) mean += x[row] / double(reference.size());
  for (std::size_t row : reference) square += std::pow(x[row] - mean, 2) / double(reference.size());
  for (std::size_t row = here.begin; row < here.end; ++row) moved += x[row] / double(here.rows());
  return square > 0 ? std::abs(moved - mean) / std::sqrt(square) : std::abs(moved - mean);
}

/// The baseline, the three environments that moved the cause most, and all others together.
std::vector<std::vector<std::size_t>> groups_of(const Dataset& data, const GraphResult& result,
                                                std::size_t cause, std::size_t effect) {
  constexpr std::size_t most_apart = 3;
  std::vector<std::size_t> base, others;
  for (std::size_t e : same_mechanism(result, effect))
    (result.environments[e].baseline ? base : others).push_back(e);
  const std::vector<std::size_t> reference = rows_of(data, base.empty() ? others : base, most_rows);
  std::vector<double> moved(data.environments.size());
  for (std::size_t e : others) moved[e] = moved_by(data, cause, data.environments[e], reference);
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return moved[a] > moved[b]; });
  std::vector<std::vector<std::size_t>> groups;
  if (!base.empty()) groups.push_back(base);
  for (std::size_t k = 0; k < std::min(most_apart, others.size()); ++k)
    groups.push_back({others[k]});
  if (others.size() > most_apart) groups.emplace_back(others.begin() + most_apart, others.end());
  return groups;
}

MechanismPicture picture_of(const Dataset& data, const GraphResult& result, const FamilyFit& fit,
                            const EdgeFinding& edge) {
  MechanismPicture picture{edge.from, edge.to, {}, {}};
  const auto groups = groups_of(data, result, edge.from, edge.to);
  double low = INFINITY, high = -INFINITY;
  for (const auto& environments : groups) {
    MechanismPicture::Points points{environments, {}, {}};
    for (std::size_t row : rows_of(data, environments, most_points / groups.size())) {
      points.x.push_back(fit.value_of(edge.from, row));
      points.y.push_back(fit.adjusted(edge.from, row));
      low = std::min(low, points.x.back());
      high = std::max(high, points.x.back());
    }
    picture.points.push_back(std::move(points));
  }
  for (std::size_t k = 0; k < curve_points && low < high; ++k)
    picture.fit.push_back(
        fit.at(edge.from, low + (high - low) * double(k) / double(curve_points - 1)));
  return picture;
}

/// How clearly an effect differs from none, in standard errors.
double clearness(const EffectSize& effect) {
  const double width = effect.high - effect.low;
  return width > 0 ? std::abs(effect.change) / width : 0;
}

}  // namespace

void add_effects(const Dataset& data, GraphResult& result, const Control& control) {
  parallel_for(result.variables.size(), control.threads, [&](std::size_t effect) {
    if (control.stopped() || causes_of(result, effect).empty()) return;
    const FamilyFit fit = fit_of(data, result, effect);
    for (EdgeFinding& edge : result.findings)
      if (edge.to == effect && result.graph.edge(VariableId(edge.from), VariableId(effect)))
        edge.effect = fit.effect_of(edge.from);
  });
}

std::vector<MechanismPicture> mechanism_pictures(const Dataset& data, const GraphResult& result,
                                                 std::size_t most) {
  DataSource source(data);
  return mechanism_pictures(source, result, most);
}

std::vector<MechanismPicture> mechanism_pictures(DataSource& source, const GraphResult& result,
                                                 std::size_t most) {
  const std::vector<Variable>& variables = source.outline().variables;
  constexpr double strong = 0.95;
  std::vector<const EdgeFinding*> edges;
  for (const EdgeFinding& edge : result.findings)
    if (edge.effect && edge.probability > strong && variables[edge.from].is_number() &&
        variables[edge.to].is_number())
      edges.push_back(&edge);
  std::stable_sort(edges.begin(), edges.end(), [](const EdgeFinding* a, const EdgeFinding* b) {
    return clearness(*a->effect) > clearness(*b->effect);
  });
  if (edges.size() > most) edges.resize(most);
  std::vector<MechanismPicture> pictures;
  if (edges.empty()) return pictures;
  const Dataset& data = source.whole();
  for (const EdgeFinding* edge : edges) {
    const FamilyFit fit = fit_of(data, result, edge->to);
    pictures.push_back(picture_of(data, result, fit, *edge));
  }
  return pictures;
}

}  // namespace whence
