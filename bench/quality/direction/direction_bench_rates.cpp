#include "bench/quality/direction/direction_bench_rates.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "whence/belief/two_hypotheses.hpp"
#include "whence/discover/pair/pair_beliefs.hpp"
#include "whence/judge/summary.hpp"

namespace whence::direction_bench {

namespace {

double share(const std::vector<Outcome>& outcomes, const std::function<bool(const Outcome&)>& of) {
  const auto n = std::count_if(outcomes.begin(), outcomes.end(), of);
  return outcomes.empty() ? 0 : double(n) / double(outcomes.size());
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

}  // namespace

Rates rates_of(const std::vector<Outcome>& outcomes) {
  const double right =
      share(outcomes, [](const Outcome& o) { return o.belief[0] > decided_belief; });
  const double wrong =
      share(outcomes, [](const Outcome& o) { return o.belief[1] > decided_belief; });
  return {right + wrong, right + wrong > 0 ? right / (right + wrong) : 1, outcomes.size()};
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

namespace {

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

}  // namespace

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

Table confounded_table(const std::vector<Group>& discrete, const std::vector<Group>& real) {
  Table table{"confounded",
              "Named confounded, in percent, where more than one environment shifts",
              {"data"},
              {}};
  for (Situation situation : all_situations) table.columns.emplace_back(name_of(situation));
  std::vector<Group> several;
  for (const std::vector<Group>* cells : {&discrete, &real})
    std::copy_if(cells->begin(), cells->end(), std::back_inserter(several),
                 [](const Group& c) { return !c.words.back().starts_with("1 x "); });
  for (const std::string& family : families_of(several)) {
    std::vector<std::string> row = {family};
    for (Situation situation : all_situations) {
      const auto all = pooled(
          several, [&](const Group& c) { return c.family == family && c.situation == situation; });
      const double named = share(all, [](const Outcome& o) { return o.confounded; });
      row.push_back(all.empty() ? "–" : fmt::format("{:.1f}", 100 * named));
    }
    table.rows.push_back(std::move(row));
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
  share_out(
      "prior", told, options,
      [&](std::size_t i) {
        const Size& size = sizes[i % sizes.size()];
        std::vector<std::size_t> rows(size.environments + 1, size.rows);
        rows[0] = size.training;
        const PriorDraw draw =
            draw_from_prior(how.prior, size.levels, rows, {options.seed + 3, std::uint32_t(i)});
        return Told{beliefs_over(draw.joint, how).back(), draw.structure};
      },
      progress);
  Reliability reliability;
  for (const Told& t : told)
    for (std::size_t s = 0; s < structures; ++s)
      reliability.add(t.belief[s], Structure(s) == t.truth);
  return reliability;
}

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

}  // namespace whence::direction_bench
