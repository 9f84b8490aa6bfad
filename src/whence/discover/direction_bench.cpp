#include "whence/discover/direction_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/discover/direction.hpp"
#include "whence/discover/direction_cases.hpp"
#include "whence/discover/direction_episodes.hpp"
#include "whence/discover/paper_criterion.hpp"
#include "whence/discover/reliability.hpp"
#include "whence/discover/summary.hpp"

namespace whence {

namespace {

/// Of one data set.
struct Outcome {
  std::array<double, structures> belief{};
  double gradient = 0.5;  // the paper's belief in the first direction
  double seconds = 0;
};

/// Data sets of one kind, and what was said of each.
struct Group {
  std::string family;              // "N=10", "spline, laplace": what is compared with what
  std::vector<std::string> words;  // the other columns of its row
  Situation situation = Situation::none;
  std::size_t training = 0;
  bool sparse = false;
  std::size_t cases = 0;
  std::function<Dataset(RunKey)> draw;
  bool gradient = false;
  std::vector<Outcome> outcomes = {};
};

double share(const std::vector<Outcome>& outcomes, const std::function<bool(const Outcome&)>& of) {
  const auto n = std::count_if(outcomes.begin(), outcomes.end(), of);
  return outcomes.empty() ? 0 : double(n) / double(outcomes.size());
}

/// A direction is decided, and it is the true one.
struct Rates {
  double decided = 0, right = 0;  // right: of those decided, if there is a truth
  std::size_t cases = 0;
};

Rates rates_of(const std::vector<Outcome>& outcomes) {
  const double right =
      share(outcomes, [](const Outcome& o) { return o.belief[0] > decided_belief; });
  const double wrong =
      share(outcomes, [](const Outcome& o) { return o.belief[1] > decided_belief; });
  return {right + wrong, right + wrong > 0 ? right / (right + wrong) : 1, outcomes.size()};
}

Rates gradient_rates(const std::vector<Outcome>& outcomes) {
  const double right =
      share(outcomes, [](const Outcome& o) { return o.gradient > decided_belief; });
  const double wrong =
      share(outcomes, [](const Outcome& o) { return o.gradient < 1 - decided_belief; });
  return {right + wrong, right + wrong > 0 ? right / (right + wrong) : 1, outcomes.size()};
}

/// Over three structures; of a confounded pair none is true.
double brier_of(const std::vector<Outcome>& outcomes, Situation situation) {
  double sum = 0;
  const std::size_t truth = situation == Situation::apart ? 2 : 0;
  for (const Outcome& o : outcomes)
    for (std::size_t s = 0; s < structures; ++s) {
      const double miss = o.belief[s] - (situation != Situation::confounded && s == truth);
      sum += miss * miss;
    }
  return sum / double(std::max<std::size_t>(1, outcomes.size()));
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
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t j) {
        Group& cell = cells[jobs[j].cell];
        Outcome& outcome = cell.outcomes[jobs[j].number];
        // Each part of the benchmark has its own streams.
        const Dataset data = cell.draw({options.seed + part, std::uint32_t(j)});
        const auto start = std::chrono::steady_clock::now();
        outcome.belief = find_direction(data, how).belief;
        outcome.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (cell.gradient) outcome.gradient = paper_belief(data);
      },
      progress);
}

// ---- what is run --------------------------------------------------------------------------------

/// How many data sets of each kind.
struct Sizes {
  std::size_t small_tables, large_tables, gaussian, labels, controls, episodes, prior;
  static Sizes of(const std::string& scale) {
    if (scale == "smoke") return {2, 1, 2, 1, 2, 4, 400};
    return {160, 40, 100, 60, 200, 200, 120'000};
  }
};

constexpr std::array all_situations = {Situation::cause, Situation::effect,    Situation::mechanism,
                                       Situation::row,   Situation::none,      Situation::both,
                                       Situation::apart, Situation::confounded};

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

// ---- tables -------------------------------------------------------------------------------------

std::string rate(double share) { return fmt::format("{:.3f}", share); }

/// The cell that differs in nothing but that nothing shifts.
const Group* control_of(const std::vector<Group>& cells, const Group& cell) {
  for (const Group& other : cells)
    if (other.situation == Situation::none && other.family == cell.family &&
        other.words.back() == cell.words.back() && other.training == cell.training &&
        other.sparse == cell.sparse)
      return &other;
  return nullptr;
}

Table grid_table(std::string id, std::string title, std::vector<std::string> words,
                 const std::vector<Group>& cells) {
  Table table{std::move(id), std::move(title), {"data", "shift"}, {}};
  table.columns.insert(table.columns.end(), words.begin(), words.end());
  for (const char* name : {"cases", "decided", "right", "no shift: decided", "Brier",
                           "gradient: decided", "right", "no shift: decided"})
    table.columns.emplace_back(name);
  for (const Group& cell : cells) {
    const Rates own = rates_of(cell.outcomes), theirs = gradient_rates(cell.outcomes);
    const Group* control = control_of(cells, cell);
    const bool truth = identifiable(cell.situation);
    std::vector<std::string> row = {cell.family, std::string(name_of(cell.situation))};
    row.insert(row.end(), cell.words.begin(), cell.words.end());
    const auto control_rate = [&](const auto& rates) {
      return control ? rate(rates(control->outcomes).decided) : std::string("–");
    };
    row.insert(row.end(), {std::to_string(own.cases), rate(own.decided),
                           truth && own.decided > 0 ? rate(own.right) : "–", control_rate(rates_of),
                           rate(brier_of(cell.outcomes, cell.situation))});
    if (cell.gradient)
      row.insert(row.end(),
                 {rate(theirs.decided), truth && theirs.decided > 0 ? rate(theirs.right) : "–",
                  control_rate(gradient_rates)});
    else
      row.insert(row.end(), {"–", "–", "–"});
    table.rows.push_back(std::move(row));
  }
  return table;
}

using Choice = std::function<bool(const Group&)>;

std::vector<Outcome> pooled(const std::vector<Group>& cells, const Choice& wanted) {
  std::vector<Outcome> all;
  for (const Group& cell : cells)
    if (wanted(cell)) all.insert(all.end(), cell.outcomes.begin(), cell.outcomes.end());
  return all;
}

std::vector<std::string> families_of(const std::vector<Group>& cells) {
  std::vector<std::string> list;
  for (const Group& cell : cells)
    if (list.empty() || list.back() != cell.family) list.push_back(cell.family);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// "97/100": decided, and right of those, in percent.
std::string in_short(const Rates& rates, bool truth) {
  if (!truth) return fmt::format("{:.1f}", 100 * rates.decided);
  return fmt::format("{:.0f}/{}", 100 * rates.decided,
                     rates.decided > 0 ? fmt::format("{:.1f}", 100 * rates.right) : "–");
}

void add_summary(Table& table, const std::vector<Group>& cells, const std::string& family,
                 const std::string& label, const Choice& wanted, bool gradient) {
  std::vector<std::string> row = {label, gradient ? "gradient" : "whence"};
  for (Situation situation : all_situations) {
    const auto all = pooled(cells, [&](const Group& c) {
      return c.family == family && c.situation == situation && wanted(c);
    });
    row.push_back(all.empty() ? "–"
                              : in_short(gradient ? gradient_rates(all) : rates_of(all),
                                         identifiable(situation)));
  }
  table.rows.push_back(std::move(row));
}

Table summary_table(const std::vector<Group>& discrete, const std::vector<Group>& real) {
  Table table{"summary",
              "Decided / right where decided, in percent; where no direction can be known, decided "
              "alone",
              {"data", "by"},
              {}};
  for (Situation situation : all_situations) table.columns.emplace_back(name_of(situation));
  for (const std::string family : {"N=2", "N=10", "N=100"})
    for (std::size_t training : {100, 1000, 10000})
      for (bool gradient : {false, true})
        add_summary(
            table, discrete, family, fmt::format("{}, {} rows", family, training),
            [&](const Group& c) { return c.training == training; }, gradient);
  for (const std::string& family : families_of(real))
    for (const std::string size : {"20 x 400", "6 x 200"})
      for (bool gradient : {false, true}) {
        if (gradient && !std::any_of(real.begin(), real.end(), [&](const Group& c) {
              return c.family == family && c.gradient;
            }))
          continue;
        add_summary(
            table, real, family, fmt::format("{}, {}", family, size),
            [&](const Group& c) { return c.words.back() == size; }, gradient);
      }
  return table;
}

Table control_table(const std::vector<Group>& cells) {
  Table table{"controls",
              "Columns shuffled: no link, whatever shifts",
              {"data", "shuffled", "cases", "a direction decided", "no link decided"},
              {}};
  for (const Group& cell : cells) {
    const double apart =
        share(cell.outcomes, [](const Outcome& o) { return o.belief[2] > decided_belief; });
    table.rows.push_back({cell.family, cell.words[0], std::to_string(cell.cases),
                          rate(rates_of(cell.outcomes).decided), rate(apart)});
  }
  return table;
}

Table time_table(std::span<const std::vector<Group>* const> parts) {
  Table table{
      "time", "Milliseconds per data set, on one thread", {"data", "rows", "median", "most"}, {}};
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;
  for (const std::vector<Group>* part : parts)
    for (const Group& cell : *part)
      for (const Outcome& o : cell.outcomes)
        times[{cell.family, cell.words.back()}].push_back(1e3 * o.seconds);
  for (const auto& [key, all] : times)
    table.rows.push_back({key.first, key.second, fmt::format("{:.2f}", median(all)),
                          fmt::format("{:.2f}", *std::max_element(all.begin(), all.end()))});
  return table;
}

// ---- calibration --------------------------------------------------------------------------------

/// Beliefs in all three structures, on data drawn from the stated prior.
Reliability prior_reliability(std::size_t cases, const RunOptions& options,
                              const Progress& progress) {
  struct Size {
    std::size_t levels, training, rows, environments;
  };
  constexpr std::array<Size, 6> sizes = {{{2, 100, 20, 1},
                                          {2, 300, 50, 3},
                                          {3, 100, 30, 2},
                                          {3, 1000, 100, 2},
                                          {5, 300, 40, 2},
                                          {5, 100, 20, 4}}};
  struct Told {
    std::array<double, structures> belief;
    Structure truth;
  };
  std::vector<Told> told(cases);
  DirectionOptions how;
  how.baseline = 0;
  parallel_for(
      cases, options.threads,
      [&](std::size_t i) {
        const Size& size = sizes[i % sizes.size()];
        std::vector<std::size_t> rows(size.environments + 1, size.rows);
        rows[0] = size.training;
        const PriorDraw draw =
            draw_from_prior(how.prior, size.levels, rows, {options.seed + 3, std::uint32_t(i)});
        told[i] = {beliefs_over(draw.joint, how).back(), draw.structure};
      },
      progress);
  Reliability reliability;
  for (const Told& t : told)
    for (std::size_t s = 0; s < structures; ++s)
      reliability.add(t.belief[s], Structure(s) == t.truth);
  return reliability;
}

/// The belief in the leading direction where exactly one mechanism shifts.
Reliability shift_reliability(const std::vector<Group>& cells, const Choice& wanted) {
  Reliability reliability;
  for (const Group& cell : cells)
    if (identifiable(cell.situation) && wanted(cell))
      for (const Outcome& o : cell.outcomes)
        reliability.add(std::max(o.belief[0], o.belief[1]), o.belief[0] > o.belief[1]);
  return reliability;
}

void draw_reliability(Report& report, const Reliability& prior, const Reliability& shifts) {
  const auto add = [&](std::string id, std::string label, const Reliability& of) {
    Curve curve{std::move(id), std::move(label), {}, {}, {}, {}};
    for (const auto& bin : of.bins())
      if (bin.cases > 0) {
        curve.x.push_back(bin.stated);
        curve.median.push_back(bin.observed);
      }
    curve.q25 = curve.q75 = curve.median;
    report.curves.push_back(std::move(curve));
  };
  add("reliability/prior", "data from the stated prior", prior);
  add("reliability/shifts", "one mechanism shifts", shifts);
  Figure figure{"reliability",
                "What was stated, and how often it came true",
                "stated belief",
                "came true",
                {"reliability/prior", "reliability/shifts"},
                "On data from the stated prior the points lie on the diagonal. Data in which "
                "exactly one mechanism shifts are kinder than that prior: their points may lie "
                "above."};
  figure.y_max = 1;
  figure.scatter = true;
  report.figures.push_back(std::move(figure));
}

// ---- the figures that must be reached
// -------------------------------------------------------------

void claim(Report& report, std::string id, std::string what, std::string measured, bool holds,
           std::string why = {}) {
  report.claims.push_back(
      {"bench/" + std::move(id), std::move(what), std::move(measured), holds, std::move(why)});
}

bool small_tables(const Group& c) { return c.family == "N=2" || c.family == "N=10"; }

void claim_discrete(Report& report, const std::vector<Group>& cells, const Reliability& shifts) {
  const auto single = pooled(cells, [](const Group& c) {
    return small_tables(c) && c.training >= 1000 && identifiable(c.situation);
  });
  const Rates rates = rates_of(single);
  claim(report, "single-right",
        "One mechanism shifts, 1000 training rows or more, N = 2, 10: right in 99 % where decided",
        fmt::format("right in {:.2f} % of {:.0f} decided ({:.1f} % of {})", 100 * rates.right,
                    rates.decided * double(rates.cases), 100 * rates.decided, rates.cases),
        rates.right >= 0.99);
  claim(report, "single-calibrated", "There no bin of 200 cases promises more than it keeps by .03",
        fmt::format("stated minus observed is at most {:+.4f}", shifts.worst(200, false)),
        shifts.worst(200, false) <= 0.03);
  double none = 0, both = 0;
  std::string none_where, both_where;
  for (const std::string family : {"N=2", "N=10", "N=100"})
    for (std::size_t training : {100, 1000, 10000})
      for (bool sparse : {false, true}) {
        const auto rate_of = [&](Situation situation) {
          return rates_of(pooled(cells,
                                 [&](const Group& c) {
                                   return c.family == family && c.training == training &&
                                          c.sparse == sparse && c.situation == situation;
                                 }))
              .decided;
        };
        const std::string where =
            fmt::format("{}, {}, {} training rows", family, sparse ? "sparse" : "dense", training);
        if (const double r = rate_of(Situation::none); r >= none) none = r, none_where = where;
        if (const double r = rate_of(Situation::both); r >= both) both = r, both_where = where;
      }
  claim(report, "none", "No shift: a direction decided in at most 1 %",
        fmt::format("at most {:.2f} % ({})", 100 * none, none_where), none <= 0.01);
  claim(report, "both", "Both mechanisms changed: a direction decided in at most 4 %",
        fmt::format("at most {:.2f} % ({})", 100 * both, both_where), both <= 0.04);
}

void claim_controls(Report& report, const std::vector<Group>& cells) {
  for (const char* kind : {"over all rows", "within environments"}) {
    double worst = 0;
    std::string where;
    for (const Group& cell : cells)
      if (cell.words[0] == kind && rates_of(cell.outcomes).decided >= worst) {
        worst = rates_of(cell.outcomes).decided;
        where = cell.family;
      }
    claim(report, fmt::format("shuffled/{}", kind),
          fmt::format("Columns shuffled {}: a direction decided in at most 1 %", kind),
          fmt::format("at most {:.2f} % ({})", 100 * worst, where), worst <= 0.01);
  }
}

void claim_real(Report& report, const std::vector<Group>& cells) {
  for (const std::string& family : families_of(cells))
    for (const std::string size : {"20 x 400", "6 x 200"}) {
      const bool many = size == "20 x 400";
      const auto of = [&](const Choice& wanted) {
        return rates_of(pooled(cells, [&](const Group& c) {
          return c.family == family && c.words.back() == size && wanted(c);
        }));
      };
      const Rates single = of([](const Group& c) { return identifiable(c.situation); });
      const Rates none = of([](const Group& c) { return c.situation == Situation::none; });
      claim(report, fmt::format("real/{}/{}", family, size),
            many ? fmt::format("{}, {}: right in 98 % where decided, decided in 95 %; no shift: "
                               "decided in at most 5 %",
                               family, size)
                 : fmt::format("{}, {}: right in 95 % where decided", family, size),
            fmt::format("right in {:.1f} %, decided in {:.1f} %; no shift: {:.1f} %",
                        100 * single.right, 100 * single.decided, 100 * none.decided),
            many ? single.right >= 0.98 && single.decided >= 0.95 && none.decided <= 0.05
                 : single.right >= 0.95);
    }
}

void claim_episodes(Report& report, const std::vector<EpisodesNeeded>& needed) {
  for (const EpisodesNeeded& n : needed) {
    const bool row = n.situation == Situation::row, reported = row && !n.sparse;
    const double limit = row ? 5 : 2;
    claim(report,
          fmt::format("episodes/{}/{}", name_of(n.situation), n.sparse ? "sparse" : "dense"),
          fmt::format("N=10, exact modules, 20-sample episodes, {} shift, {}: P of .99 {}",
                      name_of(n.situation), n.sparse ? "sparse" : "dense",
                      reported ? "beside the best that is possible"
                               : fmt::format("within a median of {:.0f}", limit)),
          fmt::format(
              "median {} (told what shifts: {}); reached in {:.1f} % of {}, wrong in {:.1f} %",
              show(n.median), show(n.optimal), 100 * n.reached, n.runs, 100 * n.wrong),
          reported || n.median <= limit,
          reported ? "reported, not required: rows that 20 samples hardly touch" : "");
  }
}

}  // namespace

DirectionBenchmark bench_direction(const std::string& scale, const RunOptions& options) {
  const Sizes sizes = Sizes::of(scale);
  // By their share of the time.
  double done = 0;
  const auto part = [&](double weight) -> Progress {
    const double before = done;
    done += weight;
    return [&options, before, weight](double share) {
      if (options.progress) options.progress(before + weight * share);
    };
  };
  std::vector<Group> discrete = discrete_cells(sizes), real = real_cells(sizes),
                     controls = control_cells(sizes);
  run_cells(discrete, 0, options, part(0.3));
  run_cells(real, 1, options, part(0.5));
  run_cells(controls, 2, options, part(0.1));
  const auto needed = episodes_needed(sizes.episodes, options, part(0.05));
  const Reliability prior = prior_reliability(sizes.prior, options, part(0.05));
  const Reliability shifts = shift_reliability(
      discrete, [](const Group& c) { return small_tables(c) && c.training >= 1000; });

  DirectionBenchmark bench;
  Report& report = bench.report;
  report.experiment = "bench-direction";
  report.title = "How often whence direction is right, and how often it says so";
  report.scale = scale;
  report.seed = options.seed;
  report.tables = {summary_table(discrete, real),
                   episodes_table(needed),
                   control_table(controls),
                   prior.table("reliability-prior", "Data drawn from the stated prior"),
                   shifts.table("reliability-shifts",
                                "One mechanism shifts, 1000 training rows or more, N = 2, 10"),
                   grid_table("discrete", "Categorical pairs",
                              {"tables", "training rows", "shifted rows"}, discrete),
                   grid_table("real", "Real pairs", {"moves", "shifted rows"}, real)};
  report.numbers = {{"prior-brier", prior.brier()},
                    {"prior-expected-calibration-error", prior.expected_error()},
                    {"shifts-brier", shifts.brier()},
                    {"shifts-expected-calibration-error", shifts.expected_error()}};
  draw_reliability(report, prior, shifts);
  if (scale == "full") {
    claim_episodes(report, needed);
    claim(report, "prior",
          "Data from the stated prior: stated minus observed within .03 in bins of 2000",
          fmt::format("at most {:.4f}; Brier score {:.4f}, expected calibration error {:.4f}",
                      prior.worst(2000, true), prior.brier(), prior.expected_error()),
          prior.worst(2000, true) <= 0.03);
    claim_discrete(report, discrete, shifts);
    claim_controls(report, controls);
    claim_real(report, real);
  } else {
    report.warnings.push_back(
        "smoke scale: too few data sets for any of these rates to be trusted");
  }
  report.summary = fmt::format(
      "Decided means a belief above {}. Every rate stands beside the rate at which a direction is "
      "decided when nothing shifts.",
      decided_belief);
  const std::array<const std::vector<Group>*, 3> parts = {&discrete, &real, &controls};
  bench.time = time_table(parts);
  bench.cases = sizes.prior;
  for (const auto* cells : parts)
    for (const Group& cell : *cells) bench.cases += cell.cases;
  return bench;
}

}  // namespace whence
