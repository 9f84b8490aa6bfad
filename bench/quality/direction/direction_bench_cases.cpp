#include "bench/quality/direction/direction_bench_cases.hpp"

#include <chrono>

#include <fmt/format.h>

#include "whence/paper/paper_criterion.hpp"

namespace whence::direction_bench {

Sizes Sizes::of(const std::string& scale) {
  if (scale == "smoke") return {2, 1, 2, 1, 2, 4, 400, 2};
  return {160, 40, 100, 60, 200, 200, 120'000, 30};
}

std::vector<Group> discrete_cells(const Sizes& sizes) {
  std::vector<Group> cells;
  const auto add = [&](const DiscreteDesign& design) {
    const bool large = design.levels > 10;
    if (large && design.environments > 1) return;
    // The control carries the most weight.
    const std::size_t times = design.situation == Situation::none ? 3 : 1;
    Group cell{fmt::format("N={}", design.levels),
               {design.sparse ? "sparse" : "dense", std::to_string(design.training),
                fmt::format("{} x {}", design.environments, design.rows)},
               design.situation,
               design.training,
               design.sparse,
               times * (large ? sizes.large_tables : sizes.small_tables),
               [design](RunKey key) { return draw_discrete(design, key); },
               true};
    cells.push_back(std::move(cell));
  };
  for (int levels : {2, 10, 100})
    for (bool sparse : {false, true})
      for (std::size_t training : {100, 1000, 10000})
        for (std::size_t rows : {20, 100, 1000})
          for (std::size_t environments : {1, 5})
            for (Situation situation : all_situations)
              add({situation, levels, sparse, training, rows, environments});
  return cells;
}

namespace {

Group real_cell(const RealDesign& design, const Sizes& sizes) {
  const bool linear = !design.spline,
             labels = design.spline || design.law != CauseLaw::Kind::gaussian;
  return {fmt::format("{}, {}{}", linear ? "linear" : "spline", name_of(design.law),
                      design.dimension > 1 ? fmt::format(", d={}", design.dimension) : ""),
          {linear ? std::string(name_of(design.moved)) : "",
           fmt::format("{} x {}", design.environments, design.rows)},
          design.situation,
          design.rows,
          false,
          labels ? sizes.labels : sizes.gaussian,
          [design](RunKey key) { return draw_real(design, key); },
          linear && design.dimension == 1};
}

/// Every situation but one row; the parts of a linear mechanism one by one.
void add_real(std::vector<Group>& cells, RealDesign design, const Sizes& sizes) {
  const bool parts = !design.spline && design.law == CauseLaw::Kind::gaussian;
  for (Situation situation : all_situations) {
    if (situation == Situation::row) continue;
    design.situation = situation;
    const bool one_part = situation == Situation::cause || situation == Situation::effect;
    for (Moved moved : {Moved::both, Moved::mean, Moved::variance}) {
      if (moved != Moved::both && !(parts && one_part)) continue;
      design.moved = moved;
      cells.push_back(real_cell(design, sizes));
    }
  }
}

}  // namespace

std::vector<Group> real_cells(const Sizes& sizes) {
  using Law = CauseLaw::Kind;
  std::vector<Group> cells;
  const auto add = [&](bool spline, Law law, int dimension) {
    RealDesign design;
    design.spline = spline;
    design.law = law;
    design.dimension = dimension;
    if (sizes.labels > 1) add_real(cells, design, sizes);  // 20 x 400, which takes a while
    design.environments = 6;
    design.rows = 200;
    add_real(cells, design, sizes);
  };
  for (int dimension : {1, 2, 10}) add(false, Law::gaussian, dimension);
  for (Law law : {Law::laplace, Law::bimodal}) add(false, law, 1);
  for (Law law : {Law::gaussian, Law::laplace, Law::bimodal}) add(true, law, 1);
  return cells;
}

std::vector<Group> control_cells(const Sizes& sizes) {
  std::vector<Group> cells;
  const auto add = [&](std::string family, bool within, std::size_t cases, auto draw) {
    cells.push_back({std::move(family),
                     {within ? "within environments" : "over all rows"},
                     Situation::apart,
                     0,
                     false,
                     cases,
                     [draw, within](RunKey key) {
                       Dataset data = draw(key);
                       shuffle_second(data, within, key);
                       return data;
                     }});
  };
  for (bool within : {false, true}) {
    for (bool sparse : {false, true})
      for (Situation situation : {Situation::cause, Situation::mechanism}) {
        const DiscreteDesign design{situation, 10, sparse, 1000, 100, 10};
        add(fmt::format("N=10, {}, {} shifts", sparse ? "sparse" : "dense", name_of(situation)),
            within, sizes.controls, [design](RunKey key) { return draw_discrete(design, key); });
      }
    for (bool spline : {false, true})
      for (bool heavy : {false, true}) {
        RealDesign design;
        design.spline = spline;
        design.rows = 200;
        design.environments = 10;
        add(fmt::format("{}{}", spline ? "spline" : "linear", heavy ? ", heavy tails" : ""), within,
            spline || heavy ? sizes.controls / 2 : sizes.controls, [design, heavy](RunKey key) {
              Dataset data = draw_real(design, key);
              if (heavy) add_heavy_tails(data, key);
              return data;
            });
      }
  }
  return cells;
}

void run_cells(std::vector<Group>& cells, std::uint32_t part, const RunOptions& options,
               const Progress& progress) {
  struct Job {
    std::size_t cell, number;
  };
  std::vector<Job> jobs;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    cells[c].outcomes.resize(cells[c].cases);
    for (std::size_t i = 0; i < cells[c].cases; ++i) jobs.push_back({c, i});
  }
  DirectionOptions how;
  how.baseline = 0;
  how.sensitivity = false;
  how.prior.hidden = 0;  // one mechanism alone, as in the paper
  std::vector<Outcome> outcomes(jobs.size());
  share_out(
      fmt::format("cells {}", part), outcomes, options,
      [&](std::size_t j) {
        const Group& cell = cells[jobs[j].cell];
        Outcome outcome;
        const Dataset data = cell.draw({options.seed + part, std::uint32_t(j)});
        const auto start = std::chrono::steady_clock::now();
        const DirectionResult result = find_direction(data, how);
        outcome.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        outcome.belief = result.belief;
        outcome.confounded = result.verdict.confounded;
        if (cell.gradient) outcome.gradient = paper_belief(data);
        return outcome;
      },
      progress);
  for (std::size_t j = 0; j < jobs.size(); ++j)
    cells[jobs[j].cell].outcomes[jobs[j].number] = outcomes[j];
}

}  // namespace whence::direction_bench
