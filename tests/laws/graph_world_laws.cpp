// Worlds on graphs: random graphs are what their names say, noise has its law, and an environment
// changes the mechanisms of its targets and no others.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/effort.hpp"
#include "support/statistics.hpp"
#include "whence/worlds/embedded_network.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence::laws {
namespace {

// ---- random graphs ----

using GraphDraw = std::function<Graph(const std::string& text, Stream)>;

Graph draw_engine(const std::string& text, Stream stream) { return draw_named_graph(text, stream); }

/// The mean number of edges, the share that points from a smaller to a larger number, and how
/// evenly the pairs are used.
Finding random_graphs_are_fair(const GraphDraw& draw) {
  Finding finding;
  constexpr std::uint32_t runs = 2000;
  for (const auto& [text, expected, spread] :
       {std::tuple{"er:8:10", 10.0, std::sqrt(28 * (10. / 28) * (18. / 28))},
        std::tuple{"sf:20:2", 37.0, 0.0}, std::tuple{"sf:6:1", 5.0, 0.0}}) {
    double edges = 0, upwards = 0, first = 0;
    for (std::uint32_t run = 0; run < runs; ++run) {
      const Graph g = draw(text, Stream(4, Purpose::tests, {run}));
      finding.require(g.is_acyclic(), fmt::format("{}: a cycle", text));
      edges += double(g.edge_count());
      for (std::size_t i = 0; i < g.variables(); ++i)
        for (std::size_t j = 0; j < g.variables(); ++j) {
          if (!g.edge(VariableId(i), VariableId(j))) continue;
          upwards += i < j;
          first += i == 0 || j == 0;
        }
    }
    const double per_node =
        2 * edges / double(draw(text, Stream(4, Purpose::tests, {})).variables());
    finding.near(edges / runs, expected, 5 * spread / std::sqrt(double(runs)) + 1e-12,
                 fmt::format("{}: edges", text));
    finding.near(upwards / edges, 0.5, 0.02, fmt::format("{}: directions", text));
    finding.near(first / per_node, 1, 0.06, fmt::format("{}: variable 0 is like the others", text));
  }
  return finding;
}

LAW(GraphWorldLaws, RandomGraphsAreFair, random_graphs_are_fair,
    {{"draw_named_graph", draw_engine}},
    {{"order of the columns",
      [](const std::string& text, Stream stream) {
        const Graph g = draw_engine(text, stream);
        Graph sorted(g.variables());
        for (std::size_t i = 0; i < g.variables(); ++i)
          for (std::size_t j = 0; j < g.variables(); ++j)
            if (g.edge(VariableId(i), VariableId(j)))
              sorted.set_edge(VariableId(std::min(i, j)), VariableId(std::max(i, j)));
        return sorted;
      }},
     {"twice the edges",
      [](const std::string& text, Stream stream) {
        return draw_engine(text == "er:8:10" ? "er:8:20" : text, stream);
      }},
     {"variable 0 left out", [](const std::string& text, Stream stream) {
        Graph g = draw_engine(text, stream);
        if (text.starts_with("er"))
          for (std::size_t j = 0; j < g.variables(); ++j) {
            g.set_edge(VariableId(0), VariableId(j), false);
          }
        return g;
      }}});

/// Newcomers prefer variables that are popular already: the largest in-degree is large.
using InDegree = std::function<Graph(std::uint32_t run)>;

Finding scale_free_graphs_have_hubs(const InDegree& draw) {
  Finding finding;
  double largest = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    std::size_t most = 0;
    for (const Family& f : draw(run).families()) most = std::max(most, f.parents.size());
    largest += double(most) / 200;
  }
  finding.require(largest > 14, fmt::format("mean largest in-degree {}", largest));
  return finding;
}

LAW(GraphWorldLaws, ScaleFreeGraphsHaveHubs, scale_free_graphs_have_hubs,
    {{"sf:50:2",
      [](std::uint32_t run) {
        return draw_named_graph("sf:50:2", Stream(5, Purpose::tests, {run}));
      }}},
    {{"uniform graphs with as many edges", [](std::uint32_t run) {
        return draw_named_graph("er:50:97", Stream(5, Purpose::tests, {run}));
      }}});

// ---- noise ----

using NoiseDraw = std::function<double(Stream&, NoiseFamily)>;

/// The distribution function of a Student t: x = sqrt(nu) tan(angle) makes its density a power of
/// the cosine.
std::function<double(double)> student_cdf(double nu) {
  constexpr std::size_t cells = 20000;
  std::vector<double> mass(cells + 1, 0);
  const double width = std::numbers::pi / double(cells);
  for (std::size_t i = 0; i < cells; ++i)
    mass[i + 1] = mass[i] + std::pow(std::sin((double(i) + 0.5) * width), nu - 1);
  return [=](double x) {
    const double at = (std::atan(x / std::sqrt(nu)) / std::numbers::pi + 0.5) * double(cells);
    const auto i = std::min(cells - 1, std::size_t(at));
    return (mass[i] + (at - double(i)) * (mass[i + 1] - mass[i])) / mass[cells];
  };
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// P(noise <= x), scaled to variance 1.
std::function<double(double)> noise_cdf(NoiseFamily family) {
  using std::numbers::e;
  const auto scaled = [](double nu) {
    return [cdf = student_cdf(nu), s = std::sqrt(nu / (nu - 2))](double x) { return cdf(x * s); };
  };
  switch (family) {
    case NoiseFamily::gaussian: return normal_cdf;
    case NoiseFamily::t2_5: return scaled(2.5);
    case NoiseFamily::t5: return scaled(5);
    case NoiseFamily::laplace:
      return [](double x) {
        const double tail = 0.5 * std::exp(-std::numbers::sqrt2 * std::fabs(x));
        return x < 0 ? tail : 1 - tail;
      };
    case NoiseFamily::lognormal:
      return [](double x) {
        const double y = x * std::sqrt((e - 1) * e) + std::sqrt(e);
        return y <= 0 ? 0 : normal_cdf(std::log(y));
      };
  }
  return normal_cdf;
}

Finding noise_follows_its_law(const NoiseDraw& draw) {
  Finding finding;
  for (NoiseFamily family : all_noise_families) {
    Stream stream(6, Purpose::tests, {std::uint32_t(family)});
    std::vector<double> samples(support::effort(40000));
    for (double& x : samples) x = draw(stream, family);
    finding.likely(support::ks_p_value(samples, noise_cdf(family)), std::string(name_of(family)));
  }
  return finding;
}

LAW(GraphWorldLaws, NoiseFollowsItsLaw, noise_follows_its_law, {{"sample_noise", sample_noise}},
    {{"t not scaled to variance 1",
      [](Stream& stream, NoiseFamily family) {
        const double x = sample_noise(stream, family);
        return family == NoiseFamily::t2_5 ? x * std::sqrt(5.0) : x;
      }},
     {"lognormal not centred",
      [](Stream& stream, NoiseFamily family) {
        return sample_noise(stream, family) + (family == NoiseFamily::lognormal ? 0.2 : 0);
      }},
     {"t5 for t2.5", [](Stream& stream, NoiseFamily family) {
        return sample_noise(stream, family == NoiseFamily::t2_5 ? NoiseFamily::t5 : family);
      }}});

// ---- linear environments ----

using Simulate = std::function<GraphSimulation(const GraphWorldSpec&, std::uint64_t seed)>;

/// Mean, slope and residual variance of the effect of a pair in one environment.
struct Fit {
  double mean = 0, slope = 0, intercept = 0, variance = 0;
};

Fit fit_pair(const Dataset& data, const Environment& rows, std::size_t x, std::size_t y) {
  const auto n = double(rows.rows());
  double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    mx += data.columns[x].values[r] / n;
    my += data.columns[y].values[r] / n;
  }
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    const double dx = data.columns[x].values[r] - mx, dy = data.columns[y].values[r] - my;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const double slope = xy / xx;
  return {my, slope, my - slope * mx, (yy - slope * xy) / n};
}

/// One environment of the chain X0 -> X1 -> X2, against what its shift promises.
void check_chain(Finding& finding, const GraphSimulation& s, std::size_t e, GraphShift shift) {
  const Dataset& data = s.data;
  const auto& targets = s.truth.targets[e];
  for (std::size_t v = 1; v < 3; ++v) {
    const Fit before = fit_pair(data, data.environments[0], v - 1, v);
    const Fit now = fit_pair(data, data.environments[e], v - 1, v);
    const std::string what = fmt::format("{}, environment {}, X{}: ", name_of(shift), e, v);
    finding.near(before.intercept, 0, 0.05, what + "baseline intercept");
    finding.require(before.variance > 0.045 && before.variance < 0.16, what + "baseline variance");
    finding.require(std::fabs(before.slope) > 0.45 && std::fabs(before.slope) < 2.1,
                    what + "baseline slope");
    if (!std::binary_search(targets.begin(), targets.end(), v)) {
      finding.near(now.slope, before.slope, 0.06, what + "slope kept");
      finding.near(now.variance, before.variance, 0.02, what + "variance kept");
    } else if (is_hard(shift)) {
      finding.near(now.slope, 0, 0.15, what + "no longer listens");
      finding.near(now.variance, 0.5, 0.06, what + "variance of a hard shift");
      const bool small = shift == GraphShift::weak || shift == GraphShift::zero_mean;
      finding.require(small || std::fabs(now.mean) > 4.8, what + "mean of a hard shift");
      if (shift == GraphShift::weak) finding.near(std::fabs(now.mean), 1, 0.1, what + "mean");
      if (shift == GraphShift::zero_mean) finding.near(now.mean, 0, 0.1, what + "mean");
    } else {
      finding.require(std::fabs(now.slope - before.slope) > 1e-6, what + "slope redrawn");
      finding.require(std::fabs(now.slope) > 0.45, what + "still listens");
    }
  }
}

Finding linear_environments_change_their_targets(const Simulate& simulate) {
  Finding finding;
  for (GraphShift shift : all_graph_shifts) {
    GraphWorldSpec spec{read_graph("chain3")};
    spec.shift = shift;
    spec.environments = 6;
    spec.rows = spec.baseline_rows = 4000;
    const GraphSimulation s = simulate(spec, 8);
    finding.near(double(s.data.environments.size()), 7, 0, "environments");
    for (std::size_t e = 0; e < s.data.environments.size(); ++e) {
      const std::size_t expected = e == 0 || shift == GraphShift::none ? 0
                                   : shift == GraphShift::two_hard     ? 2
                                   : shift == GraphShift::all_soft || shift == GraphShift::all_hard
                                       ? 3
                                       : 1;
      finding.near(double(s.truth.targets[e].size()), double(expected), 0, "targets");
      check_chain(finding, s, e, e == 0 ? GraphShift::none : shift);
    }
  }
  return finding;
}

LAW(GraphWorldLaws, LinearEnvironmentsChangeTheirTargets, linear_environments_change_their_targets,
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
     {"soft done as hard",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        if (spec.shift == GraphShift::soft) spec.shift = GraphShift::hard;
        return simulate_graph(spec, seed);
      }},
     {"deviation for variance",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        for (double& x : s.data.columns[0].values) x *= 3;
        return s;
      }},
     {"every environment the baseline", [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        spec.shift = GraphShift::none;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }}});

/// Hidden variables join two variables that no edge joins, and nothing else.
Finding hidden_variables_confound(const Simulate& simulate) {
  Finding finding;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    GraphWorldSpec spec{Graph(4)};
    spec.hidden = 1;
    spec.shift = GraphShift::none;
    spec.environments = 0;
    spec.baseline_rows = 4000;
    const GraphSimulation s = simulate(spec, seed);
    finding.near(double(s.data.columns.size()), 4, 0, "columns seen");
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) {
        const Fit fit = fit_pair(s.data, s.data.environments[0], i, j);
        const bool joined = s.truth.confounded == std::vector{std::pair{i, j}};
        finding.require((std::fabs(fit.slope) > 0.1) == joined, fmt::format("{} and {}", i, j));
      }
  }
  return finding;
}

LAW(GraphWorldLaws, HiddenVariablesConfound, hidden_variables_confound,
    {{"simulate_graph", simulate_graph}},
    {{"pair not told",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        s.truth.confounded.clear();
        return s;
      }},
     {"nothing hidden", [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        spec.hidden = 0;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }}});

// ---- categorical environments ----

/// P(child | parent) of a pair of columns as counts [parent level][child level].
std::vector<std::vector<std::size_t>> counts_of(const Dataset& data, const Environment& rows,
                                                std::size_t x, std::size_t y) {
  const auto levels = std::size_t(data.variables[x].levels);
  std::vector<std::vector<std::size_t>> counts(levels, std::vector<std::size_t>(levels, 0));
  for (std::size_t r = rows.begin; r < rows.end; ++r)
    ++counts[std::size_t(data.columns[x].levels[r])][std::size_t(data.columns[y].levels[r])];
  return counts;
}

/// Whether all rows of two tables may have come from the same law.
double same_rows_p_value(const std::vector<std::vector<std::size_t>>& a,
                         const std::vector<std::vector<std::size_t>>& b) {
  double statistic = 0;
  std::size_t degrees = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double na = 0, nb = 0;
    for (std::size_t j = 0; j < a.size(); ++j) na += double(a[i][j]), nb += double(b[i][j]);
    if (na < 50 || nb < 50) continue;
    std::size_t used = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double sum = double(a[i][j] + b[i][j]);
      if (sum < 20) continue;
      const double scaled =
          std::sqrt(nb / na) * double(a[i][j]) - std::sqrt(na / nb) * double(b[i][j]);
      statistic += scaled * scaled / sum;
      ++used;
    }
    degrees += used > 1 ? used - 1 : 0;
  }
  return degrees == 0 ? 1 : support::chi_square_p_value(statistic, degrees);
}

Finding categorical_environments_change_their_targets(const Simulate& simulate) {
  Finding finding;
  const std::vector<double> even(5, 0.2);
  for (GraphShift shift : {GraphShift::none, GraphShift::hard, GraphShift::soft}) {
    GraphWorldSpec spec{read_graph("chain3")};
    spec.mechanism = GraphMechanism::categorical;
    spec.levels = 5;
    spec.shift = shift;
    spec.environments = 3;
    spec.rows = spec.baseline_rows = 20000;
    const GraphSimulation s = simulate(spec, 9);
    for (std::size_t e = 1; e < 4; ++e)
      for (std::size_t v = 1; v < 3; ++v) {
        const auto before = counts_of(s.data, s.data.environments[0], v - 1, v);
        const auto now = counts_of(s.data, s.data.environments[e], v - 1, v);
        const double p = same_rows_p_value(before, now);
        const std::string what = fmt::format("{}, environment {}, X{}", name_of(shift), e, v);
        const bool target = !s.truth.targets[e].empty() && s.truth.targets[e][0] == v;
        finding.require((p < 1e-9) == target, what + fmt::format(": changed? p = {}", p));
        double uniform = 1;
        for (const auto& row : now) uniform = std::min(uniform, support::counts_p_value(row, even));
        if (target) finding.require((uniform > 1e-9) == is_hard(shift), what + ": even odds?");
      }
  }
  return finding;
}

LAW(GraphWorldLaws, CategoricalEnvironmentsChangeTheirTargets,
    categorical_environments_change_their_targets, {{"simulate_graph", simulate_graph}},
    {{"soft for hard",
      [](GraphWorldSpec spec, std::uint64_t seed) {
        if (spec.shift == GraphShift::hard) spec.shift = GraphShift::soft;
        return simulate_graph(spec, seed);
      }},
     {"another target",
      [](const GraphWorldSpec& spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        for (auto& targets : s.truth.targets)
          for (std::size_t& t : targets) t = (t + 1) % 3;
        return s;
      }},
     {"all change", [](GraphWorldSpec spec, std::uint64_t seed) {
        GraphSimulation s = simulate_graph(spec, seed);
        if (spec.shift != GraphShift::soft) return s;
        spec.shift = GraphShift::all_soft;
        s.data = simulate_graph(spec, seed).data;
        return s;
      }}});

// ---- shuffles ----

using Shuffler = std::function<void(Dataset&, Shuffle)>;

/// Shuffled columns hold the same values and are no longer joined; within environments each keeps
/// its own values.
Finding shuffles_break_links(const Shuffler& shuffle) {
  Finding finding;
  for (Shuffle how : {Shuffle::all_rows, Shuffle::within_environments}) {
    GraphWorldSpec spec{read_graph("chain3")};
    spec.environments = 3;
    spec.rows = spec.baseline_rows = 4000;
    Dataset data = simulate_graph(spec, 3).data;
    const Dataset before = data;
    shuffle(data, how);
    const std::vector<Environment> blocks = how == Shuffle::all_rows
                                                ? std::vector<Environment>{{"", 0, data.rows()}}
                                                : data.environments;
    for (const Environment& block : blocks)
      for (std::size_t v = 0; v < 3; ++v) {
        const auto part = [&](const Dataset& d) {
          const auto& x = d.columns[v].values;
          std::vector<double> values(x.begin() + std::ptrdiff_t(block.begin),
                                     x.begin() + std::ptrdiff_t(block.end));
          std::sort(values.begin(), values.end());
          return values;
        };
        finding.require(part(data) == part(before), "the same values");
        if (v > 0) finding.near(fit_pair(data, block, v - 1, v).slope, 0, 0.15, "no link left");
      }
  }
  return finding;
}

LAW(GraphWorldLaws, ShufflesBreakLinks, shuffles_break_links,
    {{"shuffle_columns", [](Dataset& data, Shuffle how) { shuffle_columns(data, how, 1); }}},
    {{"nothing shuffled", [](Dataset&, Shuffle) {}},
     {"over all rows, always",
      [](Dataset& data, Shuffle) { shuffle_columns(data, Shuffle::all_rows, 1); }},
     {"one order for all columns", [](Dataset& data, Shuffle how) {
        Dataset one = data;
        for (std::size_t v = 0; v < data.columns.size(); ++v) {
          one.columns = {data.columns[v]};
          one.variables.resize(1);
          shuffle_columns(one, how, 1);
          data.columns[v] = one.columns[0];
        }
      }}});

}  // namespace
}  // namespace whence::laws
