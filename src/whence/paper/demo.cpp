#include "whence/paper/demo.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/belief/two_hypotheses.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/tasks/pair_task.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/page/pair_pictures.hpp"

namespace whence {

namespace {

constexpr std::size_t home_rows = 365, visits = 12;  // a year at home, then other cities
constexpr int cities = 60, steps = 3, batch = 10;    // what the paper's criterion is shown
constexpr std::size_t city_rows = std::size_t(steps * batch);

CategoricalWorld rain_and_umbrella() {
  const auto logs = [](std::vector<double> p) {
    for (double& x : p) x = portable_log(x);
    return p;
  };
  const auto categorical = Variable::Kind::categorical;
  return {{{"rain", categorical, 3}, {"umbrella", categorical, 2}},
          {{VariableId(0), {}}, {VariableId(1), {VariableId(0)}}},
          {CategoricalTable<double>(3, logs({0.6, 0.25, 0.15})),  // none, drizzle, downpour
           CategoricalTable<double>(2, logs({0.95, 0.05,          // closed, open: no rain
                                             0.40, 0.60,          // drizzle
                                             0.15, 0.85}))}};     // downpour
}

/// A year at home, then visits to cities in which something may differ.
Dataset home_and_cities(const CategoricalWorld& world, ShiftKind kind, std::uint64_t seed) {
  Dataset data = make_dataset(world.variables(), home_rows + visits * city_rows);
  ShiftedWorld shifted(world);
  std::size_t first = 0;
  for (std::size_t e = 0; e <= visits; ++e) {
    const Cell cell{std::uint32_t(kind), std::uint32_t(e), 1};
    const std::size_t rows = e == 0 ? home_rows : city_rows;
    shifted.shift({e == 0 ? ShiftKind::none : kind}, 1.0, Stream(seed, Purpose::shift, cell));
    shifted.sample(Stream(seed, Purpose::sample, cell), data, first, rows);
    data.environments.push_back({e == 0 ? "home" : fmt::format("city {}", e), first, first + rows});
    first += rows;
  }
  return data;
}

/// What whence direction says of it, and the belief on the way there.
struct Found {
  DirectionResult result;
  Curve path;
};

Found find(const CategoricalWorld& world, ShiftKind kind, const RunOptions& options, Curve path) {
  const Dataset data = home_and_cities(world, kind, options.seed);
  DirectionOptions how;
  how.baseline = 0;
  const Control control{.threads = options.threads};
  Found found{find_direction(data, how, control), std::move(path)};
  for (const BeliefStep& step : belief_path(found.result)) {
    found.path.x.push_back(step.environments == 0 ? 0 : double(step.environments - 1));
    found.path.median.push_back(step.belief[0]);
  }
  found.path.q25 = found.path.q75 = found.path.median;
  return found;
}

/// log-odds per city and step of "rain causes umbrella" against the reverse.
std::vector<double> visit_cities(const PairTask& task, ShiftKind kind, std::uint64_t seed) {
  const EpisodeSet set =
      draw_episodes(task.world, {kind}, 1.0, {seed, std::uint32_t(kind)}, cities, steps, batch);
  const OptimizerSpec sgd{.kind = OptimizerSpec::Kind::sgd, .learning_rate = 0.2};
  const Scores scores = cpu_backend()->score(set.data, set.episodes, task.modules, {sgd, true});
  return step_log_odds(scores, task.pair.forward, task.pair.backward);
}

std::vector<double> per_episode(std::span<const double> delta) {
  std::vector<double> sums(delta.size() / steps, 0.0);
  for (std::size_t i = 0; i < delta.size(); ++i) sums[i / steps] += delta[i];
  return sums;
}

Curve belief_curve(std::string id, std::string label, std::span<const double> delta) {
  Curve curve{std::move(id), std::move(label), {0}, {0.5}, {0.5}, {0.5}};
  const BeliefTrajectory path = bayes_belief(delta, steps);
  for (std::size_t e = 0; e < path.gamma.size(); ++e) {
    curve.x.push_back(double(e + 1));
    curve.median.push_back(sigmoid(path.gamma[e]));
  }
  curve.q25 = curve.q75 = curve.median;
  return curve;
}

std::size_t cities_needed(const Curve& curve) {
  std::size_t e = curve.median.size();
  while (e > 0 && curve.median[e - 1] > decided_belief) --e;  // decided, and staying so
  return std::min(e + 1, curve.median.size());
}

Figure belief_figure(std::string id, std::string title, std::vector<std::string> curves,
                     std::string caption) {
  Figure figure{std::move(id), std::move(title),  "cities visited",
                "belief",      std::move(curves), std::move(caption)};
  figure.y_max = 1;
  return figure;
}

/// The paper's criterion on the same world, for comparison.
void add_paper(Report& report, const std::vector<double>& shifted,
               const std::vector<double>& control) {
  report.curves.push_back(belief_curve("demo/paper-shifted", "cities with other weather", shifted));
  report.curves.push_back(
      belief_curve("demo/paper-no-shift", "control: cities with the same weather", control));
  report.figures.push_back(belief_figure(
      "demo-paper", "The same belief by the paper's criterion",
      {"demo/paper-shifted", "demo/paper-no-shift"},
      fmt::format(
          "{} cities of {} observations, adaptation by gradient. Without a shift this belief "
          "wanders; only its verdict abstains.",
          cities, city_rows)));
  const BeliefDiagnostics said = diagnose(per_episode(shifted)),
                          held = diagnose(per_episode(control));
  const double belief = report.curves[report.curves.size() - 2].median.back();
  report.numbers.push_back({"paper-belief", belief});
  report.numbers.push_back({"paper-belief-control", report.curves.back().median.back()});
  report.claims.push_back(
      {"demo/paper-direction", "The paper's criterion finds the cause, too",
       fmt::format("belief {} after {} cities, verdict {}, limit p* {}", show(belief, 4), cities,
                   name_of(said.verdict), show(said.p_star)),
       belief > decided_belief && said.verdict == BeliefDiagnostics::Verdict::direction,
       "it is right for shifts of the cause only (see reproduce shift-controls)"});
  report.claims.push_back(
      {"demo/paper-control", "Without a shift its verdict abstains",
       fmt::format("mean log-odds {} ± {} nats per city, verdict {}", show(held.mean, 4),
                   show(held.standard_error, 4), name_of(held.verdict)),
       held.verdict == BeliefDiagnostics::Verdict::undecided, ""});
}

void add_direction(Report& report, const Found& shifted, const Found& control) {
  using Kind = Verdict::Kind;
  const DirectionResult &said = shifted.result, &held = control.result;
  report.curves = {shifted.path, control.path};
  report.figures = {
      belief_figure("demo", "Belief that rain causes umbrella", {shifted.path.id, control.path.id},
                    fmt::format("Each city is a shifted data set of {} observations beside {} from "
                                "home. Where the weather differs the belief settles; where nothing "
                                "differs it must not.",
                                city_rows, home_rows))};
  // The table of what changed where, as whence direction shows it.
  for (Table& table : direction_report(said, {}).tables) report.tables.push_back(std::move(table));
  report.numbers = {{"belief", said.belief[0]},
                    {"belief-control", held.belief[0]},
                    {"cities-needed", shifted.path.x[cities_needed(shifted.path) - 1]}};
  report.claims = {
      {"demo/direction", "Rain is the cause",
       fmt::format("belief {}, between {} and {} when any city is left out",
                   show(said.belief[0], 4), show(said.leave_one_out[0], 4),
                   show(said.leave_one_out[1], 4)),
       said.verdict.kind == Kind::direction && said.verdict.from == 0, ""},
      {"demo/control", "Without a shift nobody can tell",
       fmt::format("belief {} that rain causes umbrella, {} of the reverse: verdict {}",
                   show(held.belief[0], 3), show(held.belief[1], 3), name_of(held.verdict.kind)),
       held.verdict.kind == Kind::no_shift || held.verdict.kind == Kind::undecided, ""}};
}

}  // namespace

Demo run_demo(const RunOptions& options) {
  const PairTask task = PairTask::exact(rain_and_umbrella());
  const Found shifted = find(task.world, ShiftKind::cause, options,
                             {"demo/shifted", "cities with other weather", {}, {}, {}, {}});
  if (options.progress) options.progress(0.25);
  const Found control =
      find(task.world, ShiftKind::none, options,
           {"demo/no-shift", "control: cities with the same weather", {}, {}, {}, {}});
  if (options.progress) options.progress(0.5);

  Report report;
  report.experiment = "demo";
  report.title = "Does rain open umbrellas, or do umbrellas bring rain?";
  report.seed = options.seed;
  add_direction(report, shifted, control);
  add_paper(report, visit_cities(task, ShiftKind::cause, options.seed),
            visit_cities(task, ShiftKind::none, options.seed));
  if (options.progress) options.progress(1);
  report.summary = fmt::format(
      "{} Seen: a year at home, and {} cities of {} observations. Control: where the weather is "
      "the same everywhere the verdict is \"{}\".",
      in_words(shifted.result), visits, city_rows, name_of(control.result.verdict.kind));
  report.assumptions = {
      "What differs between cities is how often it rains, not how people react to rain. Whence is "
      "not told so: it weighs every mechanism that could have changed.",
      "The paper's criterion starts from the exact law at home, and is right for shifts of the "
      "cause only."};
  return {std::move(report), pair_view(shifted.result)};
}

}  // namespace whence
