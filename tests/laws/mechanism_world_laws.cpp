// Graphs whose mechanisms are not plain linear ones: each kind is what its name says, environments
// change their targets and nothing else, drift and hidden causes are as large as promised, and
// damage to a table is the damage that was asked for.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/statistics.hpp"
#include "whence/worlds/corruption.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/node_mechanism.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence::laws {
namespace {

using Simulate = std::function<GraphSimulation(const GraphWorldSpec&, std::uint64_t seed)>;

std::vector<GraphMechanism> node_mechanisms() {
  std::vector<GraphMechanism> list;
  for (GraphMechanism kind : all_graph_mechanisms)
    if (is_node_mechanism(kind)) list.push_back(kind);
  return list;
}

/// Numbers of a column, levels as numbers, of some rows.
std::vector<double> numbers(const Dataset& data, std::size_t v, const Environment& rows) {
  std::vector<double> out;
  const bool levels = data.variables[v].kind == Variable::Kind::categorical;
  for (std::size_t r = rows.begin; r < rows.end; ++r)
    out.push_back(levels ? data.columns[v].levels[r] : data.columns[v].values[r]);
  return out;
}

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
}

double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (double v : x) sum += (v - mean) * (v - mean);
  return sum / double(x.size());
}

double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x), my = mean_of(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mx) * (y[i] - my) / double(x.size());
  return sum / std::sqrt(variance_of(x) * variance_of(y));
}

/// Kolmogorov-Smirnov for two samples; ties only make the p-value larger.
double same_law_p_value(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) return 1;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double worst = 0;
  for (const auto* at : {&a, &b})
    for (double x : *at) {
      const auto below = [&](const std::vector<double>& s) {
        return double(std::upper_bound(s.begin(), s.end(), x) - s.begin()) / double(s.size());
      };
      worst = std::max(worst, std::fabs(below(a) - below(b)));
    }
  const double n = double(a.size()) * double(b.size()) / double(a.size() + b.size());
  return std::min(1.0, 2 * std::exp(-2 * n * worst * worst));
}

/// The effect of rows with (nearly) the same cause, one from each of two environments: where the
/// mechanism is the same, so are the laws of the two lists.
std::pair<std::vector<double>, std::vector<double>> matched(const Dataset& data, std::size_t cause,
                                                            std::size_t effect, std::size_t e) {
  const auto pairs = [&](const Environment& rows) {
    const auto x = numbers(data, cause, rows), y = numbers(data, effect, rows);
    std::vector<std::pair<double, double>> list;
    for (std::size_t i = 0; i < x.size(); ++i) list.emplace_back(x[i], y[i]);
    // Causes only: equal ones keep their order, or matching would favour small effects.
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return list;
  };
  const auto before = pairs(data.environments[0]), now = pairs(data.environments[e]);
  const double near = 0.01 * std::sqrt(variance_of(numbers(data, cause, data.environments[0])));
  std::pair<std::vector<double>, std::vector<double>> out;
  for (std::size_t i = 0, j = 0; i < before.size() && j < now.size();) {
    if (std::fabs(before[i].first - now[j].first) <= near) {
      out.first.push_back(before[i++].second);
      out.second.push_back(now[j++].second);
    } else {
      before[i].first < now[j].first ? ++i : ++j;
    }
  }
  return out;
}

double unchanged_p_value(const Dataset& data, std::size_t v, std::size_t e) {
  if (v == 0)
    return same_law_p_value(numbers(data, 0, data.environments[0]),
                            numbers(data, 0, data.environments[e]));
  // In quarters of the cause's range: a curve turned upside down leaves the whole law as it was.
  const auto [before, now] = matched(data, v - 1, v, e);
  constexpr std::ptrdiff_t parts = 4;
  double least = 1;
  for (std::ptrdiff_t k = 0; k < parts; ++k) {
    const auto part = [&](const std::vector<double>& all) {
      const auto n = std::ptrdiff_t(all.size());
      return std::vector<double>(all.begin() + k * n / parts, all.begin() + (k + 1) * n / parts);
    };
    least = std::min(least, same_law_p_value(part(before), part(now)));
  }
  return least;
}

// ---- environments ----

GraphWorldSpec chain_of(GraphMechanism kind, GraphShift shift, std::size_t rows) {
  GraphWorldSpec spec{read_graph("chain3")};
  spec.mechanism = kind;
  spec.shift = shift;
  spec.environments = 3;
  spec.rows = spec.baseline_rows = rows;
  return spec;
}

Finding mechanisms_change_where_they_should(const Simulate& simulate) {
  Finding finding;
  int redrawn = 0, noticed = 0;
  for (GraphMechanism kind : node_mechanisms())
    for (GraphShift shift : {GraphShift::none, GraphShift::hard, GraphShift::soft,
                             GraphShift::all_soft, GraphShift::all_hard}) {
      const GraphSimulation s = simulate(chain_of(kind, shift, 2000), 12);
      for (std::size_t e = 1; e < 4; ++e)
        for (std::size_t v = 0; v < 3; ++v) {
          const auto& targets = s.truth.targets[e];
          const bool target = std::binary_search(targets.begin(), targets.end(), v);
          const std::string what =
              fmt::format("{}, {}, environment {}, X{}", name_of(kind), name_of(shift), e, v);
          // Forced causes leave their baseline range: then there is nothing to compare with.
          const bool cause_forced =
              is_hard(shift) && v > 0 && std::binary_search(targets.begin(), targets.end(), v - 1);
          if (cause_forced) continue;
          const double p = unchanged_p_value(s.data, v, e);
          if (target && is_hard(shift)) finding.at_most(p, 1e-9, what + " changes");
          if (target && !is_hard(shift)) {
            ++redrawn;
            noticed += p < 1e-3;
          }
          if (!target) finding.likely(p, what + " stays the same");
          if (!target || !is_hard(shift) || v == 0) continue;
          auto now = numbers(s.data, v, s.data.environments[e]);
          const auto cause = numbers(s.data, v - 1, s.data.environments[e]);
          std::vector<double> low, high;
          for (std::size_t i = 0; i < now.size(); ++i)
            (cause[i] < mean_of(cause) ? low : high).push_back(now[i]);
          finding.likely(same_law_p_value(low, high), what + ": no longer listens");
        }
    }
  // A redrawn mechanism may come out near the old one.
  finding.require(noticed > 0.85 * redrawn, fmt::format("{} of {} redrawn", noticed, redrawn));
  return finding;
}

LAW(MechanismWorldLaws, MechanismsChangeWhereTheyShould, mechanisms_change_where_they_should,
    {{"simulate_graph", simulate_graph}},
    {{"targets off by one",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        for (auto& targets : s.truth.targets) {
          for (std::size_t& t : targets) t = (t + 1) % 3;
          std::sort(targets.begin(), targets.end());
        }
        return s;
      }},
     {"hard done as soft",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        const GraphSimulation asked = simulate_graph(spec, seed);
        if (spec.shift == GraphShift::hard) spec.shift = GraphShift::soft;
        return GraphSimulation{simulate_graph(spec, seed).data, asked.truth};
      }},
     {"soft does nothing",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        if (spec.shift != GraphShift::soft) return s;
        spec.shift = GraphShift::none;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }},
     {"everything drifts", [](GraphWorldSpec spec, std::uint64_t seed) {
        spec.drift = 0.5;
        return simulate_graph(spec, seed);
      }}});

// ---- what each kind is ----

/// The effect in ten groups of rows with similar causes.
struct Shape {
  double beyond_line = 0;   // variance of the effect that groups explain and a line does not
  double spread_ratio = 1;  // largest over smallest variance around a line within a group
  double dispersion = 1;    // mean over groups of variance / mean
  double proportion = 0;    // correlation of the groups' deviations and means
  bool counts = true, positive = true;
};

Shape shape_of(const Dataset& data) {
  const auto x = numbers(data, 0, data.environments[0]), y = numbers(data, 1, data.environments[0]);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  Shape shape;
  constexpr std::size_t groups = 10;
  std::vector<double> means, deviations;
  double between = 0, least = INFINITY, most = 0, dispersion = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<double> gx, gy;
    for (std::size_t k = g * x.size() / groups; k < (g + 1) * x.size() / groups; ++k) {
      gx.push_back(x[order[k]]);
      gy.push_back(y[order[k]]);
    }
    const double r = variance_of(gx) > 0 ? correlation_of(gx, gy) : 0;
    const double around = variance_of(gy) * (1 - r * r);
    least = std::min(least, around);
    most = std::max(most, around);
    means.push_back(mean_of(gy));
    deviations.push_back(std::sqrt(around));
    dispersion += around / mean_of(gy) / double(groups);
    between += (mean_of(gy) - mean_of(y)) * (mean_of(gy) - mean_of(y)) / double(groups);
  }
  const double r = correlation_of(x, y);
  shape.beyond_line = between / variance_of(y) - r * r;
  shape.spread_ratio = most / least;
  shape.dispersion = dispersion;
  shape.proportion = correlation_of(means, deviations);
  for (double value : y) {
    shape.counts = shape.counts && value >= 0 && value == std::floor(value);
    shape.positive = shape.positive && value > 0;
  }
  return shape;
}

void check_shape(Finding& finding, GraphMechanism kind, const Shape& shape,
                 const std::string& what) {
  const bool bent = kind == GraphMechanism::square || kind == GraphMechanism::sine;
  if (bent) finding.require(shape.beyond_line > 0.1, what + "a line does not do");
  if (kind == GraphMechanism::linear || kind == GraphMechanism::heteroscedastic)
    finding.at_most(shape.beyond_line, 0.02, what + "a line does");
  if (kind == GraphMechanism::linear)
    finding.at_most(shape.spread_ratio, 1.6, what + "the noise is the same everywhere");
  if (kind == GraphMechanism::heteroscedastic)
    finding.require(shape.spread_ratio > 3, what + "the noise depends on the cause");
  finding.require(shape.counts == (kind == GraphMechanism::count), what + "whole numbers?");
  finding.require(shape.positive || kind != GraphMechanism::multiplicative, what + "positive");
  if (kind == GraphMechanism::count) finding.near(shape.dispersion, 1, 0.1, what + "as Poisson");
  if (kind == GraphMechanism::multiplicative)
    finding.require(shape.proportion > 0.9, what + "noise in proportion");
}

Finding mechanisms_are_what_they_are_called(const Simulate& simulate) {
  Finding finding;
  for (GraphMechanism kind : node_mechanisms())
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
      if (kind == GraphMechanism::mixed) continue;
      GraphWorldSpec spec{read_graph("0->1")};
      spec.mechanism = kind;
      spec.shift = GraphShift::none;
      spec.environments = 0;
      spec.baseline_rows = 4000;
      check_shape(finding, kind, shape_of(simulate(spec, seed).data),
                  fmt::format("{}, seed {}: ", name_of(kind), seed));
    }
  return finding;
}

Simulate always(GraphMechanism kind, GraphMechanism instead) {
  return [=](GraphWorldSpec spec, std::uint64_t seed) {
    if (spec.mechanism == kind) spec.mechanism = instead;
    return simulate_graph(spec, seed);
  };
}

LAW(MechanismWorldLaws, MechanismsAreWhatTheyAreCalled, mechanisms_are_what_they_are_called,
    {{"simulate_graph", simulate_graph}},
    {{"a line for a square", always(GraphMechanism::square, GraphMechanism::linear)},
     {"a line for a sine", always(GraphMechanism::sine, GraphMechanism::linear)},
     {"even noise", always(GraphMechanism::heteroscedastic, GraphMechanism::linear)},
     {"additive noise", always(GraphMechanism::multiplicative, GraphMechanism::linear)},
     {"uneven noise", always(GraphMechanism::linear, GraphMechanism::heteroscedastic)},
     {"counts not rounded",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        if (spec.mechanism == GraphMechanism::count)
          for (double& x : s.data.columns[1].values) x += 0.25;
        return s;
      }},
     {"counts twice as large", [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        if (spec.mechanism == GraphMechanism::count)
          for (double& x : s.data.columns[1].values) x *= 2;
        return s;
      }}});

/// Half of the columns of a mixed world are categories; levels have all their names, and appear.
Finding mixed_columns_are_mixed(const Simulate& simulate) {
  Finding finding;
  std::map<std::size_t, int> categorical;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    GraphWorldSpec spec{draw_named_graph("er:6:8", Stream(seed, Purpose::tests, {3}))};
    spec.mechanism = GraphMechanism::mixed;
    spec.environments = 2;
    spec.rows = 50;
    spec.baseline_rows = 300;
    const Dataset data = simulate(spec, seed).data;
    int count = 0;
    for (std::size_t v = 0; v < 6; ++v) {
      const Variable& variable = data.variables[v];
      if (variable.kind != Variable::Kind::categorical) continue;
      ++count;
      ++categorical[v];
      finding.near(variable.levels, 3, 0, "levels");
      finding.near(double(variable.level_names.size()), 3, 0, "names of levels");
      const auto& levels = data.columns[v].levels;
      const auto [least, most] = std::minmax_element(levels.begin(), levels.end());
      finding.require(*least >= 0 && *most < 3, "levels in range");
      finding.near(double(levels.size()), 400, 0, "rows");
    }
    finding.near(count, 3, 0, "categorical columns");
  }
  for (std::size_t v = 0; v < 6; ++v)  // 20 expected, deviation 3.2
    finding.near(categorical[v], 20, 15, fmt::format("X{} is categorical by chance", v));
  return finding;
}

LAW(MechanismWorldLaws, MixedColumnsAreMixed, mixed_columns_are_mixed,
    {{"simulate_graph", simulate_graph}},
    {{"no categories", always(GraphMechanism::mixed, GraphMechanism::network)},
     {"the first half always", [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5};
        std::stable_partition(order.begin(), order.end(), [&](std::size_t v) {
          return s.data.variables[v].kind == Variable::Kind::categorical;
        });
        const Dataset before = s.data;
        for (std::size_t v = 0; v < 6; ++v) {
          s.data.variables[v] = before.variables[order[v]];
          s.data.columns[v] = before.columns[order[v]];
        }
        return s;
      }}});

// ---- drift and hidden causes ----

/// Over 120 environments: how far the offset of the cause, and of the effect given the cause,
/// moves.
Finding drift_is_as_large_as_asked(const Simulate& simulate) {
  Finding finding;
  constexpr double drift = 0.3;
  GraphWorldSpec spec{read_graph("0->1")};
  spec.mechanism = GraphMechanism::linear;
  spec.shift = GraphShift::none;
  spec.environments = 120;
  spec.rows = 400;
  spec.baseline_rows = 8000;
  spec.drift = drift;
  const GraphSimulation s = simulate(spec, 5);
  finding.near(s.truth.drift, drift, 0, "the truth tells the drift");
  const auto x0 = numbers(s.data, 0, s.data.environments[0]);
  const auto y0 = numbers(s.data, 1, s.data.environments[0]);
  const double r = correlation_of(x0, y0);
  const double slope = r * std::sqrt(variance_of(y0) / variance_of(x0));
  const double residual = std::sqrt(variance_of(y0) * (1 - r * r));
  finding.near(mean_of(x0), 0, 0.06, "the baseline does not drift");
  std::vector<double> causes, effects, slopes;
  for (std::size_t e = 1; e <= spec.environments; ++e) {
    const auto x = numbers(s.data, 0, s.data.environments[e]);
    const auto y = numbers(s.data, 1, s.data.environments[e]);
    causes.push_back(mean_of(x) - mean_of(x0));
    const double here = correlation_of(x, y) * std::sqrt(variance_of(y) / variance_of(x));
    slopes.push_back((here - slope) / residual);
    effects.push_back((mean_of(y) - mean_of(y0) - here * (mean_of(x) - mean_of(x0))) / residual);
  }
  const double sampling = 1 / 400.0;  // of a mean or a slope, in residual variances
  const double error = 5 * drift / std::sqrt(2.0 * 120);
  finding.near(std::sqrt(variance_of(causes) - sampling), drift, error, "drift of a root");
  finding.near(std::sqrt(variance_of(effects) - sampling), drift, error, "drift of an offset");
  finding.near(std::sqrt(std::max(0.0, variance_of(slopes) - sampling)), 0.3 * drift, error / 2,
               "drift of a slope");
  return finding;
}

LAW(MechanismWorldLaws, DriftIsAsLargeAsAsked, drift_is_as_large_as_asked,
    {{"simulate_graph", simulate_graph}},
    {{"no drift",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        spec.drift = 0;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }},
     {"twice as much",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        spec.drift *= 2;
        GraphSimulation s = simulate_graph(spec, seed);
        s.truth.drift /= 2;
        return s;
      }},
     {"in total deviations",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        for (std::size_t e = 1; e < s.data.environments.size(); ++e)
          for (std::size_t r = s.data.environments[e].begin; r < s.data.environments[e].end; ++r)
            s.data.columns[1].values[r] += 0.3 * std::sin(double(e));
        return s;
      }},
     {"not told", [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        s.truth.drift = 0;
        return s;
      }}});

/// Two variables without an edge that share a hidden cause: 1.5 residual deviations of each come
/// from it, a correlation of 1.5^2 / (1 + 1.5^2). A forced variable no longer hears it.
Finding hidden_causes_join_pairs(const Simulate& simulate) {
  Finding finding;
  constexpr double expected = 2.25 / 3.25;
  for (GraphMechanism kind : node_mechanisms())
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      GraphWorldSpec spec{Graph(4)};
      spec.mechanism = kind;
      spec.hidden = 1;
      spec.environments = 4;
      spec.rows = spec.baseline_rows = 2000;
      const GraphSimulation s = simulate(spec, seed);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) {
          const bool joined = s.truth.confounded == std::vector{std::pair{i, j}};
          const auto correlation = [&](std::size_t e) {
            return correlation_of(numbers(s.data, i, s.data.environments[e]),
                                  numbers(s.data, j, s.data.environments[e]));
          };
          const std::string what = fmt::format("{}, {} and {}: ", name_of(kind), i, j);
          const bool additive = kind != GraphMechanism::count && kind != GraphMechanism::mixed &&
                                kind != GraphMechanism::multiplicative;
          if (joined && additive)
            finding.near(correlation(0), expected, 0.06, what + "joined");
          else if (joined && kind != GraphMechanism::mixed)
            finding.require(correlation(0) > 0.2, what + "joined");
          else if (!joined)
            finding.near(correlation(0), 0, 0.12, what + "not joined");
          finding.near(correlation(i + 1), 0, 0.12, what + "forced");
        }
    }
  return finding;
}

LAW(MechanismWorldLaws, HiddenCausesJoinPairs, hidden_causes_join_pairs,
    {{"simulate_graph", simulate_graph}},
    {{"nothing hidden",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        spec.hidden = 0;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }},
     {"pair not told",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        s.truth.confounded.clear();
        return s;
      }},
     {"forced variables still hear it", [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        spec.shift = GraphShift::none;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }}});

// ---- counts ----

using PoissonDraw = std::function<int(Stream&, double)>;

Finding counts_are_poisson(const PoissonDraw& draw) {
  Finding finding;
  for (double rate : {0.3, 1.0, 5.0, 37.0, 61.0}) {
    Stream stream(7, Purpose::tests, {std::uint32_t(rate * 10)});
    std::vector<std::size_t> counts(200, 0);
    for (int i = 0; i < 20000; ++i) ++counts[std::size_t(std::clamp(draw(stream, rate), 0, 199))];
    std::vector<double> p(200);
    double log_p = -rate;
    for (std::size_t k = 0; k < 200; ++k) {
      p[k] = std::exp(log_p);
      log_p += std::log(rate / double(k + 1));
    }
    finding.likely(support::counts_p_value(counts, p), fmt::format("rate {}", rate));
  }
  return finding;
}

LAW(MechanismWorldLaws, CountsArePoisson, counts_are_poisson, {{"sample_poisson", sample_poisson}},
    {{"rounded normal",
      [](Stream& stream, double rate) {
        return int(std::lround(std::max(0.0, rate + std::sqrt(rate) * sample_normal(stream))));
      }},
     {"one too many", [](Stream& stream, double rate) { return sample_poisson(stream, rate) + 1; }},
     {"a larger rate",
      [](Stream& stream, double rate) { return sample_poisson(stream, rate * 1.1); }}});

// ---- damage ----

struct Damage {
  std::function<void(Dataset&, std::size_t)> mistype;
  std::function<void(Dataset&, double)> replace;
};

Finding damage_is_what_was_asked_for(const Damage& damage) {
  Finding finding;
  GraphWorldSpec spec{read_graph("chain3")};
  spec.mechanism = GraphMechanism::mixed;
  spec.environments = 2;
  spec.rows = spec.baseline_rows = 200;
  const Dataset before = simulate_graph(spec, 3).data;
  Dataset typed = before, noisy = before;
  damage.mistype(typed, 7);
  damage.replace(noisy, 0.1);
  std::size_t cells = 0;
  std::vector<std::size_t> rows(3, 0);
  for (std::size_t v = 0; v < 3; ++v)
    for (std::size_t r = 0; r < before.rows(); ++r) {
      if (before.variables[v].kind == Variable::Kind::categorical) {
        finding.require(typed.columns[v].levels[r] == before.columns[v].levels[r], "levels kept");
        continue;
      }
      const double factor = typed.columns[v].values[r] / before.columns[v].values[r];
      cells += factor != 1;
      finding.require(factor == 1 || (factor >= 10 && factor <= 100), "10 to 100 times");
      rows[v] += noisy.columns[v].values[r] != before.columns[v].values[r];
    }
  finding.near(double(cells), 7, 0, "mistyped cells");
  for (const Environment& rows_of : before.environments) {
    std::size_t changed = 0;
    for (std::size_t r = rows_of.begin; r < rows_of.end; ++r) {
      bool any = false, all = true;
      for (std::size_t v = 0; v < 3; ++v) {
        if (before.variables[v].kind == Variable::Kind::categorical) continue;
        const bool differs = noisy.columns[v].values[r] != before.columns[v].values[r];
        any = any || differs;
        all = all && differs;
      }
      changed += any;
      finding.require(any == all, "whole rows are noise");
    }
    finding.near(double(changed), 20, 0, "noise rows of an environment");
  }
  return finding;
}

void mistype(Dataset& data, std::size_t cells) { mistype_cells(data, cells, 4); }
void replace(Dataset& data, double share) { replace_rows_by_noise(data, share, 4); }

LAW(MechanismWorldLaws, DamageIsWhatWasAskedFor, damage_is_what_was_asked_for,
    {{"mistype_cells and replace_rows_by_noise", {mistype, replace}}},
    {{"one cell fewer", {[](Dataset& data, std::size_t n) { mistype(data, n - 1); }, replace}},
     {"cells a little larger",
      {[](Dataset& data, std::size_t n) {
         const Dataset before = data;
         mistype(data, n);
         for (std::size_t v = 0; v < data.columns.size(); ++v)
           for (std::size_t r = 0; r < data.columns[v].values.size(); ++r) {
             double& x = data.columns[v].values[r];
             if (x != before.columns[v].values[r]) x = 2 * before.columns[v].values[r];
           }
       },
       replace}},
     {"noise in one environment only",
      {mistype,
       [](Dataset& data, double share) {
         Dataset first = data;
         first.environments.resize(1);
         replace(first, share);
         first.environments = data.environments;
         data = first;
       }}},
     {"one column only", {mistype, [](Dataset& data, double share) {
                            const Dataset before = data;
                            replace(data, share);
                            bool kept = false;
                            for (std::size_t v = 0; v < data.columns.size(); ++v)
                              if (!kept && data.variables[v].kind == Variable::Kind::real) {
                                data.columns[v] = before.columns[v];
                                kept = true;
                              }
                          }}}});

}  // namespace
}  // namespace whence::laws
