#include "bench/quality/graph_bench_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bench/quality/graph_figure_rows.hpp"
#include "bench/quality/graph_scale.hpp"
#include "whence/core/dag.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {

namespace {

/// How large the situations are.
struct Sizes {
  bool smoke;
  std::size_t variables(std::size_t full) const {
    return smoke ? std::min<std::size_t>(full, 6) : full;
  }
  std::size_t sets(std::size_t full) const { return smoke ? 1 : full; }
};

/// "er:20:40", "sf:20:2": two edges per variable; one where two would join nearly all.
std::string sparse_graph(const std::string& kind, std::size_t variables) {
  return kind == "er"
             ? fmt::format("er:{}:{}", variables, variables < 10 ? variables : 2 * variables)
             : fmt::format("sf:{}:2", variables);
}

/// BaCaDI's protocol: a baseline, and one environment for each variable.
GraphBenchRow linear_row(std::string name, std::string title, const std::string& kind,
                         std::size_t variables) {
  GraphBenchRow row{std::move(name), std::move(title), sparse_graph(kind, variables)};
  row.world.environments = variables;
  row.world.rows = variables > 20 ? 20 : 10;
  row.world.baseline_rows = variables > 20 ? 200 : 100;
  return row;
}

class Rows {
 public:
  explicit Rows(Sizes sizes) : sizes_(sizes) {}

  std::vector<GraphBenchRow> all() {
    add_protocols();
    add_controls();
    add_shuffles();
    add_noises();
    add_categorical();
    add_speed();
    return std::move(rows_);
  }

 private:
  GraphBenchRow& add(GraphBenchRow row, std::size_t sets = 30) {
    row.sets = sizes_.sets(sets);
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void add_protocols() {
    const auto protocol = [&](const char* kind, std::size_t variables, std::size_t sets) {
      if (sizes_.smoke && variables > 20) return;
      const std::string title = fmt::format(
          "{}, {} variables, hard", kind == std::string("er") ? "ER" : "scale-free", variables);
      add(linear_row(kind + std::to_string(variables), title, kind, variables), sets);
    };
    for (std::size_t variables : {20, 50})
      for (const char* kind : {"er", "sf"}) protocol(kind, variables, 30);
    protocol("er", 100, 10);
    protocol("er", 200, 1);
    for (const char* kind : {"er", "sf"})
      small(kind + std::string("20-normal"), "the same with N(0,1) weights", kind)
          .world.normal_weights = true;
  }

  /// A row of the size of all controls.
  GraphBenchRow& small(std::string name, std::string title, const char* kind = "er",
                       std::size_t sets = 30) {
    return add(linear_row(std::move(name), std::move(title), kind, sizes_.variables(20)), sets);
  }

  void add_controls() {
    const auto shifted = [&](const char* name, const char* title, GraphShift shift,
                             std::size_t sets = 30) -> GraphBenchRow& {
      GraphBenchRow& row = small(name, title, "er", sets);
      row.world.shift = shift;
      return row;
    };
    // A share near 90 % of 30 data sets may be 26 or 29 by chance.
    shifted("no-shift-100", "nothing changes, 100 baseline rows", GraphShift::none, 100);
    shifted("no-shift-1000", "nothing changes, 1000 baseline rows", GraphShift::none, 100)
        .world.baseline_rows = 1000;
    shifted("all-soft", "every mechanism redrawn in every environment", GraphShift::all_soft);
    shifted("all-hard", "no variable listens in any environment", GraphShift::all_hard);
    shifted("soft", "one mechanism redrawn, parents kept", GraphShift::soft);
    shifted("two-targets", "two hard targets per environment", GraphShift::two_hard);
    shifted("weak", "hard, mean ±1", GraphShift::weak);
    shifted("zero-mean", "hard, mean 0", GraphShift::zero_mean);
    shifted("few-rows", "hard, 10 baseline rows", GraphShift::hard).world.baseline_rows = 10;
    shifted("hidden", "hard, one hidden confounder", GraphShift::hard).world.hidden = 1;
  }

  void add_shuffles() {
    for (NoiseFamily noise :
         {NoiseFamily::gaussian, NoiseFamily::t2_5, NoiseFamily::laplace, NoiseFamily::lognormal})
      for (Shuffle how : {Shuffle::all_rows, Shuffle::within_environments}) {
        const bool all = how == Shuffle::all_rows;
        GraphBenchRow& row =
            small(fmt::format("shuffled-{}{}", all ? "" : "within-", name_of(noise)),
                  fmt::format("columns shuffled {}, {} noise",
                              all ? "over all rows" : "within environments", name_of(noise)));
        row.shuffle = how;
        row.world.noise = noise;
      }
    // Shuffled within environments, shifts of means stay, and they are in proportion, as if caused
    // by each other. Here there are none.
    GraphBenchRow& level = small("shuffled-within-zero-mean",
                                 "columns shuffled within environments, hard shifts of mean 0");
    level.shuffle = Shuffle::within_environments;
    level.world.shift = GraphShift::zero_mean;
  }

  void add_noises() {
    for (NoiseFamily noise :
         {NoiseFamily::t2_5, NoiseFamily::t5, NoiseFamily::laplace, NoiseFamily::lognormal})
      for (GraphShift shift : {GraphShift::hard, GraphShift::soft, GraphShift::none}) {
        GraphBenchRow& row =
            small(fmt::format("{}-{}", name_of(noise), name_of(shift)),
                  fmt::format("{} noise, shift {}", name_of(noise), name_of(shift)));
        row.world.noise = noise;
        row.world.shift = shift;
      }
  }

  /// ENCO's protocol with the targets hidden.
  GraphBenchRow categorical_row(std::string name, std::string title,
                                const std::string& kind) const {
    const std::size_t m = sizes_.smoke ? 4 : 25;
    GraphBenchRow row{std::move(name), std::move(title),
                      kind == "random" ? fmt::format("er:{}:{}", m, (3 * m * (m - 1) + 10) / 20)
                                       : kind + std::to_string(m)};
    row.world.mechanism = GraphMechanism::categorical;
    row.world.levels = sizes_.smoke ? 3 : 10;
    row.world.environments = m;
    row.world.rows = sizes_.smoke ? 60 : 200;
    row.world.baseline_rows = sizes_.smoke ? 500 : 5000;
    return row;
  }

  void add_categorical() {
    for (const char* kind : {"chain", "bidiag", "collider", "jungle", "random", "full"})
      add(categorical_row(fmt::format("enco-{}", kind), fmt::format("ENCO's {}, hard", kind), kind),
          kind == std::string("full") ? 3 : 10);
    add(categorical_row("enco-none", "ENCO's chain, nothing changes", "chain"), 10).world.shift =
        GraphShift::none;
    add(categorical_row("enco-all-soft", "ENCO's chain, every mechanism redrawn", "chain"), 10)
        .world.shift = GraphShift::all_soft;
    GraphBenchRow shuffled =
        categorical_row("enco-shuffled", "ENCO's chain, columns shuffled", "chain");
    shuffled.shuffle = Shuffle::all_rows;
    add(std::move(shuffled), 10);
  }

  void add_speed() {
    const auto timed = [&](GraphBenchRow row, std::size_t sets, bool single_start = false) {
      row.speed = true;
      row.single_start = single_start;
      add(std::move(row), sets);
    };
    for (std::size_t variables : {20, 50, 100, 200}) {
      if (sizes_.smoke && variables > 20) break;
      const std::string m = std::to_string(variables);
      timed(linear_row("time-" + m, "ER, " + m + " variables", "er", variables),
            variables > 50 ? 1 : 5);
      if (variables < 200)
        timed(linear_row("time-single-" + m, "the same, Gaussian noise only, one search, one chain",
                         "er", variables),
              variables > 50 ? 1 : 5, true);
    }
    GraphBenchRow heavy =
        linear_row("time-heavy-20", "the same with t(2.5) noise", "er", sizes_.variables(20));
    heavy.world.noise = NoiseFamily::t2_5;
    timed(std::move(heavy), 5);
    for (const char* kind : {"chain", "bidiag", "collider", "jungle", "random", "full"})
      timed(
          categorical_row(fmt::format("time-enco-{}", kind), fmt::format("ENCO's {}", kind), kind),
          1);
  }

  Sizes sizes_;
  std::vector<GraphBenchRow> rows_;
};

/// FNV-1a: a number for a name, so that new rows leave the data of others as they are.
std::uint32_t number_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ std::uint8_t(c)) * 16777619u;
  return hash;
}

/// Shuffled within environments, the columns no longer depend on each other, but each keeps its law
/// there: it differs from the baseline's for the targets and whatever they cause.
std::vector<std::size_t> with_descendants(const Graph& graph,
                                          const std::vector<std::size_t>& targets) {
  const std::size_t m = graph.variables();
  std::vector<bool> reached(m, false);
  std::vector<std::size_t> open = targets;
  while (!open.empty()) {
    const std::size_t v = open.back();
    open.pop_back();
    if (reached[v]) continue;
    reached[v] = true;
    for (std::size_t w = 0; w < m; ++w)
      if (graph.edge(VariableId(v), VariableId(w))) open.push_back(w);
  }
  std::vector<std::size_t> all;
  for (std::size_t v = 0; v < m; ++v)
    if (reached[v]) all.push_back(v);
  return all;
}

}  // namespace

std::vector<GraphBenchRow> graph_bench_rows(const std::string& scale) {
  if (scale == "large") return graph_scale_rows();
  const bool smoke = scale == "smoke";
  std::vector<GraphBenchRow> rows = Rows({smoke}).all();
  for (GraphBenchRow& row : graph_figure_rows(smoke)) rows.push_back(std::move(row));
  return rows;
}

std::uint64_t graph_bench_seed(std::uint64_t seed, const GraphBenchRow& row, std::size_t set) {
  const PhiloxBlock block =
      philox({number_of(row.name), std::uint32_t(set), 0, 0}, philox_key(seed, Purpose::world));
  return (std::uint64_t(block[0]) << 32) | block[1];
}

GraphSimulation draw_graph_bench(const GraphBenchRow& row, std::uint64_t seed) {
  GraphWorldSpec world = row.world;
  world.graph = draw_named_graph(row.graph, Stream(seed, Purpose::world, {2, 0, 0}));
  GraphSimulation simulation = simulate_graph(world, seed);
  if (!row.shuffle) return simulation;
  shuffle_columns(simulation.data, *row.shuffle, seed);
  GraphTruth& truth = simulation.truth;
  for (auto& targets : truth.targets)
    targets = *row.shuffle == Shuffle::all_rows ? std::vector<std::size_t>()
                                                : with_descendants(truth.graph, targets);
  truth.graph = Graph(truth.graph.variables());
  return simulation;
}

}  // namespace whence
