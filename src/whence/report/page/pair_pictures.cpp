#include "whence/report/page/pair_pictures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/remark_words.hpp"

namespace whence {
namespace {

constexpr std::size_t most_pictures = 4, most_points = 200;

/// Roberts' even sequence over the unit square: the same points every time.
double spread(std::size_t i, std::size_t v) {
  const double x = (v == 0 ? 0.7548776662466927 : 0.5698402909980532) * double(i + 1);
  return x - std::floor(x);
}

/// A row's place along one variable: its first number; or its level, to the left (baseline) or to
/// the right of it, spread out so that as many points are seen as there are rows.
double place_of(const Dataset& data, std::size_t v, std::size_t row, std::size_t point,
                double side) {
  const Column& column = data.columns[v];
  if (!data.variables[v].is_categorical())
    return column.values[row * std::size_t(data.variables[v].dimension)];
  const double width = 0.36, shift = v == 0 ? side * 0.2 : 0;
  return double(column.levels[row]) + shift + width * (spread(point, v) - 0.5);
}

Curve points_of(const Dataset& data, const Environment& e, std::string id, double side) {
  Curve curve{std::move(id), e.name, {}, {}, {}, {}};
  const std::size_t n = std::min(e.rows(), most_points);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = e.begin + i * e.rows() / n;
    curve.x.push_back(place_of(data, 0, row, i, side));
    curve.median.push_back(place_of(data, 1, row, i, side));
  }
  curve.q25 = curve.q75 = curve.median;
  return curve;
}

/// "rain: 0 = dry, 1 = wet."
std::string level_key(const Variable& variable) {
  constexpr std::size_t most = 12;
  if (!variable.is_categorical() || variable.level_names.empty()) return {};
  std::string out = " " + variable.name + ":";
  for (std::size_t i = 0; i < std::min(most, variable.level_names.size()); ++i)
    out += fmt::format("{} {} = {}", i ? "," : "", i, variable.level_names[i]);
  return out + (variable.level_names.size() > most ? ", …." : ".");
}

void draw_shift(Report& report, const Dataset& data, const DirectionResult& result, std::size_t e,
                std::size_t reference, std::size_t number) {
  const auto& [x, y] = result.variables;
  const std::string base = fmt::format("shift-{}/{}", number, "base"),
                    other = fmt::format("shift-{}/{}", number, "here");
  report.curves.push_back(points_of(data, data.environments[reference], base, -1));
  report.curves.push_back(points_of(data, data.environments[e], other, 1));
  const EnvironmentFinding& found = result.environments[e];
  std::string caption =
      fmt::format("Most likely changed: {}. Log-odds of {} → {}: {:+.2f} nats.",
                  change_in_words(result, likely_change(found)), x, y, found.log_odds);
  if (data.variables[0].is_categorical() || data.variables[1].is_categorical())
    caption += " Points are rows, spread out within their level.";
  caption += level_key(data.variables[0]) + level_key(data.variables[1]);
  Figure figure{fmt::format("shift-{}", number),
                fmt::format("{} against {}", found.name, data.environments[reference].name),
                x,
                y,
                {base, other},
                std::move(caption)};
  figure.scatter = true;
  report.figures.push_back(std::move(figure));
}

void draw_adaptation(Report& report, const DirectionResult& result, const AdaptationPath& path) {
  const auto& [x, y] = result.variables;
  std::vector<Curve> curves = {{"adaptation/forward", x + " → " + y, {}, {}, {}, {}},
                               {"adaptation/backward", y + " → " + x, {}, {}, {}, {}}};
  for (std::size_t i = 0; i < path.rows.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s) {
      curves[s].x.push_back(double(path.rows[i]));
      curves[s].median.push_back(path.belief[i][s]);
    }
  const std::string &here = result.environments[path.environment].name,
                    &base = result.environments[path.reference].name;
  Figure figure{
      "adaptation",
      fmt::format("The belief as rows of {} arrive", here),
      "rows seen",
      "belief",
      {curves[0].id, curves[1].id},
      fmt::format("From {} and the first rows of {} alone: the direction whose mechanisms "
                  "have less to relearn becomes the more credible one.",
                  base, here)};
  figure.y_max = 1;
  figure.log_x = true;
  for (Curve& curve : curves) {
    curve.q25 = curve.q75 = curve.median;
    report.curves.push_back(std::move(curve));
  }
  report.figures.push_back(std::move(figure));
}

}  // namespace

void add_pair_pictures(Report& report, const Dataset& data, const DirectionResult& result,
                       const std::optional<AdaptationPath>& path) {
  const std::optional<std::size_t> reference = reference_of(result);
  if (!reference) return;
  if (path) draw_adaptation(report, result, *path);
  std::size_t number = 0;
  for (std::size_t e : loudest_environments(result))
    if (e != *reference && number < most_pictures)
      draw_shift(report, data, result, e, *reference, ++number);
}

GraphView pair_view(const DirectionResult& result) {
  GraphView view;
  view.variables = {result.variables[0], result.variables[1]};
  const double linked = result.belief[0] + result.belief[1];
  const bool decided = result.verdict.kind == Verdict::Kind::direction;
  const bool open = !decided && result.belief[2] < 0.5;
  for (std::size_t s = 0; s < 2; ++s) {
    GraphView::Edge edge;
    edge.from = s;
    edge.to = 1 - s;
    edge.probability = result.belief[s];
    edge.adjacent = linked;
    edge.in_graph = decided && result.verdict.from == int(s);
    edge.look = edge.in_graph ? EdgeLook::sure : open ? EdgeLook::open : EdgeLook::unsure;
    edge.leave_one_out = s == 0 ? result.leave_one_out : result.leave_one_out_mirrored;
    for (const EnvironmentFinding& e : result.environments)
      edge.support.push_back(s == 0 ? e.log_odds : 0 - e.log_odds);
    view.edges.push_back(std::move(edge));
  }
  if (view.edges[1].probability > view.edges[0].probability)
    std::swap(view.edges[0], view.edges[1]);
  if (open) view.edges.pop_back();  // one line without an arrowhead
  if (result.hidden > 0.05)
    view.edges.push_back({0, 1, result.hidden, result.hidden, false, EdgeLook::hidden});
  for (const EnvironmentFinding& e : result.environments) {
    view.environments.push_back({e.name,
                                 e.rows,
                                 e.baseline,
                                 {e.changed[0], e.changed[1]},
                                 e.kind[std::size_t(Change::both)],
                                 e.kind[std::size_t(Change::nothing)]});
  }
  view.assumption = assumption_in_words(result);
  view.advice = advice_in_words(result.remarks);
  return view;
}

}  // namespace whence
