#include "whence/report/graph_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/result_parts.hpp"

namespace whence {
namespace {

constexpr double decided = 0.95, likely = 0.5, least_drawn = 0.05;

/// Both ends of a range, shortly: "61.2–100 %".
std::string percent_range(const std::array<double, 2>& range) {
  const auto end = [](double p) {
    return p < 0.001 ? "0" : p > 0.999 ? "100" : fmt::format("{:.1f}", 100 * p);
  };
  const std::string low = end(range[0]), high = end(range[1]);
  return (low == high ? low : low + "–" + high) + " %";
}

std::string plural(std::size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// ---- effects in words ----

/// So many digits, and no exponent for numbers that people write out.
std::string few_digits(double value, int digits) {
  if (!(value >= 100 && value < 1e7)) return rounded(value, digits);
  const double unit = std::pow(10, std::floor(std::log10(value)) - (digits - 1));
  return fmt::format("{:.0f}", unit > 1 ? unit * std::round(value / unit) : value);
}

/// Three digits, with a sign.
std::string signed_number(double value) {
  return (value < 0 ? "-" : "+") + few_digits(std::abs(value), 3);
}

/// "+14.2 ± 0.3", a probability in points of a hundred. The range is as wide on both sides but for
/// probabilities at their end.
std::string change_with_range(const EffectSize& effect) {
  const double unit = effect.level.empty() ? 1 : 100;
  return fmt::format("{} ± {}", signed_number(unit * effect.change),
                     few_digits(unit * (effect.high - effect.low) / 2, 2));
}

}  // namespace

std::string in_words(const EffectSize& effect) {
  std::string words = effect.level.empty()
                          ? change_with_range(effect)
                          : fmt::format("P({}) {} points", effect.level, change_with_range(effect));
  words += effect.start_level.empty()
               ? " per " + signed_number(effect.end - effect.start)
               : fmt::format(", {} to {}", effect.start_level, effect.end_level);
  return words + (effect.turns ? ", turning round" : "");
}

namespace {

// ---- words ----

bool is_open(const EdgeFinding& edge) {
  return edge.adjacent_probability > likely &&
         edge.probability < decided * edge.adjacent_probability;
}

/// Sure of a direction that no shift clearly (20 to 1) supports: it follows from which variables
/// are independent of which, from other edges, or from what was given.
bool without_a_shift(const EdgeFinding& edge) {
  constexpr double clear_evidence = 3;  // nats
  return edge.probability > decided && !edge.support.empty() &&
         edge.shift_log_odds < clear_evidence;
}

/// Whether most of the belief in an edge comes from how environments differ alone.
bool in_shifts_only(const GraphResult& result, const EdgeFinding& edge) {
  return result.shift_only.variables > 0 &&
         result.shift_only.at(edge.from, edge.to) > 0.5 * edge.probability;
}

bool maybe_hidden(const GraphResult& result, const EdgeFinding& edge) {
  const auto& suspects = result.maybe_confounded;
  return std::find(suspects.begin(), suspects.end(), std::pair(edge.from, edge.to)) !=
         suspects.end();
}

EdgeLook look_of(const GraphResult& result, const EdgeFinding& edge) {
  if (is_open(edge)) return EdgeLook::open;
  if (in_shifts_only(result, edge)) return EdgeLook::shifts_only;
  if (without_a_shift(edge)) return EdgeLook::unsupported;
  return edge.probability > decided ? EdgeLook::sure : EdgeLook::unsure;
}

/// Of a pair whose direction is open, the less probable direction: the other one stands for both.
bool is_second_of_open(const EdgeFinding& edge) {
  const double reverse = edge.adjacent_probability - edge.probability;
  return is_open(edge) &&
         (edge.probability < reverse || (edge.probability == reverse && edge.from > edge.to));
}

/// What to keep in mind about an edge, shortly.
std::string note_on(const GraphResult& result, const EdgeFinding& edge) {
  std::vector<std::string> notes;
  if (is_open(edge))
    notes.push_back("reversed " + percent(edge.adjacent_probability - edge.probability));
  if (without_a_shift(edge)) notes.emplace_back("no shift");
  if (in_shifts_only(result, edge)) notes.emplace_back("seen in shifts only");
  if (maybe_hidden(result, edge)) notes.emplace_back("may be a hidden cause");
  return joined(notes);
}

/// The shifted environment that says most for the direction; what the baseline says is said by
/// comparison with them.
std::string best_support(const GraphResult& result, const EdgeFinding& edge) {
  if (without_a_shift(edge)) return "no shift";
  std::size_t best = edge.support.size();
  for (std::size_t e = 0; e < edge.support.size(); ++e)
    if (!result.environments[e].baseline &&
        (best == edge.support.size() || edge.support[e] > edge.support[best]))
      best = e;
  if (best == edge.support.size() || edge.support[best] < 0.05) return "–";
  return fmt::format("{} ({:+.1f})", result.environments[best].name, edge.support[best]);
}

Table edges_table(const GraphResult& result) {
  Table table{"edges",
              "Edges, what a step of the cause does to the effect, and the range of each "
              "probability when any one environment is left out",
              {"cause", "effect", "probability", "joined", "a step of the cause", "one left out",
               "support (nats)", "note"},
              {}};
  for (const EdgeFinding& edge : result.findings) {
    if (edge.probability < least_drawn || is_second_of_open(edge)) continue;
    table.rows.push_back({result.variables[edge.from], result.variables[edge.to],
                          percent(edge.probability), percent(edge.adjacent_probability),
                          edge.effect && !is_open(edge) ? in_words(*edge.effect) : "–",
                          edge.support.empty() ? "–" : percent_range(edge.leave_one_out),
                          best_support(result, edge), note_on(result, edge)});
  }
  return table;
}

/// What is more likely than not; where something changed and no variable is likely enough, the
/// likeliest.
std::string changed_names(const GraphResult& result, const GraphEnvironment& e) {
  if (e.all_changed > likely) return "everything";
  if (e.none_changed > likely) return "nothing";
  constexpr std::size_t most_guesses = 3;
  std::vector<std::size_t> order(result.variables.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return e.changed[a] > e.changed[b]; });
  const bool told = !order.empty() && e.changed[order[0]] > likely;
  std::vector<std::string> names;
  for (std::size_t v : order)
    if (e.changed[v] > (told ? likely : least_drawn) && (told || names.size() < most_guesses))
      names.push_back(result.variables[v] + " (" + percent(e.changed[v]) + ")");
  return (told ? "" : "perhaps ") + (names.empty() ? "something" : joined(names));
}

Table changes_table(const GraphResult& result) {
  Table table{"changes",
              "What changed where",
              {"environment", "rows", "most likely changed", "everything", "nothing"},
              {}};
  for (const GraphEnvironment& e : result.environments)
    table.rows.push_back(
        {e.name, std::to_string(e.rows), e.baseline ? "the baseline" : changed_names(result, e),
         e.baseline ? "–" : percent(e.all_changed), e.baseline ? "–" : percent(e.none_changed)});
  return table;
}

/// Pairs more likely linked through something hidden than not.
std::vector<std::pair<std::size_t, std::size_t>> hidden_pairs(const GraphResult& result,
                                                              double least = likely) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < result.hidden.variables; ++a)
    for (std::size_t b = a + 1; b < result.hidden.variables; ++b)
      if (result.hidden.at(a, b) > least) pairs.emplace_back(a, b);
  return pairs;
}

/// "3 edges among 4 variables: 2 more than 95 % sure, 1 less sure"
std::string edges_in_words(const GraphResult& result) {
  std::size_t sure = 0, unsure = 0, open = 0, unshifted = 0;
  for (const EdgeFinding& edge : result.findings) {
    if (!result.graph.edge(VariableId(edge.from), VariableId(edge.to))) continue;
    ++(edge.probability > decided ? sure : is_open(edge) ? open : unsure);
    unshifted += without_a_shift(edge);
  }
  std::string text =
      fmt::format("{} among {}: {} more than 95 % sure", plural(sure + unsure + open, "edge"),
                  plural(result.variables.size(), "variable"), sure);
  if (unshifted > 0)
    text += fmt::format(" ({} without a shift that supports the direction)",
                        unshifted == sure ? "all" : std::to_string(unshifted));
  if (unsure > 0) text += fmt::format(", {} less sure", unsure);
  if (open > 0) text += fmt::format(", {} whose direction stays open", open);
  const std::size_t hidden = hidden_pairs(result).size();
  if (hidden > 0)
    text += fmt::format("; {} linked through something hidden", plural(hidden, "pair"));
  return text;
}

/// In how many environments something changed, and whether that can give a direction at all.
std::string changes_in_words(const GraphResult& result) {
  std::size_t shifted = 0, changed = 0, perhaps = 0, all = 0;
  for (const GraphEnvironment& e : result.environments) {
    if (e.baseline) continue;
    ++shifted;
    changed += e.none_changed < 1 - decided;
    perhaps += e.none_changed >= 1 - decided && e.none_changed < decided;
    all += e.all_changed > decided;
  }
  const bool has_baseline = shifted < result.environments.size();
  const std::string of = plural(shifted, has_baseline ? "shifted environment" : "environment");
  if (shifted > 0 && changed + perhaps == 0)
    return fmt::format(
        "Nothing seems to have changed in {}{}: by how they differ these data cannot tell a cause "
        "from its effect.",
        shifted == 1 ? "" : "any of ", of);
  if (changed == 0 && shifted > 0) {
    const std::string open = "Whether anything changed is open";
    if (perhaps < shifted)
      return fmt::format("{} in {} of {}; in the others nothing did.", open, perhaps, of);
    return open + (shifted == 1 ? "." : " in all " + of + ".");
  }
  std::string text = fmt::format("Something changed in {} of {}", changed, of);
  if (perhaps > 0) text += fmt::format(", perhaps in {} more", perhaps);
  if (shifted > 0 && all == shifted)
    text +=
        ", and it was everything: by how they differ these data cannot tell a cause from its "
        "effect";
  return text + ".";
}

// ---- pictures ----

/// "site B", or "17 other environments"
std::string group_name(const GraphResult& result, const MechanismPicture::Points& points) {
  if (points.environments.size() == 1) return result.environments[points.environments[0]].name;
  return fmt::format("{} other environments", points.environments.size());
}

void draw_mechanism(Report& report, const GraphResult& result, const MechanismPicture& picture) {
  const std::string &cause = result.variables[picture.from], &effect = result.variables[picture.to];
  const std::string id = fmt::format("mechanism-{}", report.figures.size() + 1);
  Figure figure{id, cause + " → " + effect, cause, effect, {}, ""};
  for (std::size_t k = 0; k < picture.points.size(); ++k) {
    Curve points{fmt::format("{}/{}", id, k + 1),
                 group_name(result, picture.points[k]),
                 picture.points[k].x,
                 picture.points[k].y,
                 {},
                 {}};
    points.q25 = points.q75 = points.median;
    figure.curves.push_back(points.id);
    report.curves.push_back(std::move(points));
  }
  Curve fit{id + "/fit", "fit, with its range", {}, {}, {}, {}};
  for (const FittedPoint& p : picture.fit) {
    fit.x.push_back(p.x);
    fit.median.push_back(p.y);
    fit.q25.push_back(p.low);
    fit.q75.push_back(p.high);
  }
  figure.fit = fit.id;
  figure.curves.push_back(fit.id);
  figure.scatter = true;
  for (const EdgeFinding& edge : result.findings)
    if (edge.from == picture.from && edge.to == picture.to && edge.effect)
      figure.caption = fmt::format("{}: {}.", effect, in_words(*edge.effect));
  report.curves.push_back(std::move(fit));
  report.figures.push_back(std::move(figure));
}

std::vector<std::string> assumptions_of(const GraphResult& result) {
  std::vector<std::string> list = {"There are no hidden common causes and no cycles.",
                                   "Mechanisms change independently; where nothing changed, data "
                                   "do not tell the direction of an "
                                   "edge beyond the equivalence class."};
  list.push_back(
      "A direction that no shift supports follows from which variables are independent of which, "
      "from other edges, or from what was given; a hidden common cause would upset it.");
  if (result.model == GraphModel::labels)
    list[0] = "There are no cycles; a common cause that is hidden acts on two variables at most.";
  list.push_back(
      "Effects of a step are from the environments in which the mechanism did not change, the "
      "other causes being as in the baseline; their ranges (95 %) take rows for independent. In "
      "pictures the other causes are moved there as well.");
  list.emplace_back(entry_of(result.model).assumption);
  return list;
}

}  // namespace

NamedGraph named_graph(const GraphResult& result) {
  NamedGraph graph{result.variables, result.graph, result.edges.values};
  for (std::size_t v = 0; v < result.variables.size(); ++v)
    graph.probabilities[v * result.variables.size() + v] = 0;
  for (double& p : graph.probabilities) p = bounded(p);
  return graph;
}

std::string in_words(const GraphResult& result) {
  const char* hurried = result.search.stopped.empty() || result.search.one_graph
                            ? ""
                            : " The search was stopped early: what it found is stated too surely.";
  return edges_in_words(result) + ". " + changes_in_words(result) + hurried;
}

std::string assumption_in_words(const GraphResult& result) {
  if (result.model == GraphModel::labels)
    return "An arrow means a direct cause if whatever is hidden acts on two of these variables at "
           "most, each environment changed few mechanisms, and its rows were not chosen by what "
           "they hold.";
  return fmt::format(
      "An arrow means a direct cause if nothing hidden acts on both of its ends{}, each "
      "environment changed few mechanisms, and its rows were not chosen by what they hold.",
      entry_of(result.model).proviso);
}

GraphView graph_view(const GraphResult& result) {
  GraphView view;
  view.variables = result.variables;
  view.assumption = assumption_in_words(result);
  for (const EdgeFinding& edge : result.findings) {
    const bool in_graph = result.graph.edge(VariableId(edge.from), VariableId(edge.to));
    if (edge.probability < least_drawn && !in_graph) continue;
    if (is_second_of_open(edge) && !in_graph) continue;  // its pair is drawn once
    view.edges.push_back(
        {edge.from, edge.to, bounded(edge.probability), bounded(edge.adjacent_probability),
         in_graph, look_of(result, edge),
         edge.support.empty() ? std::array{0.0, 1.0} : edge.leave_one_out, edge.support,
         edge.effect && !is_open(edge) ? in_words(*edge.effect) : "",
         maybe_hidden(result, edge)
             ? "It may be the work of a hidden common cause: wherever the cause changed, the "
               "mechanism of the effect seems to have changed too."
             : ""});
  }
  for (const auto& [a, b] : hidden_pairs(result, least_drawn))
    view.edges.push_back({a, b, bounded(result.hidden.at(a, b)), bounded(result.hidden.at(a, b)),
                          false, EdgeLook::hidden});
  std::stable_sort(view.edges.begin(), view.edges.end(),
                   [](const auto& a, const auto& b) { return a.shown_by() > b.shown_by(); });
  for (const GraphEnvironment& e : result.environments) {
    GraphView::Environment one{
        e.name, e.rows, e.baseline, e.changed, bounded(e.all_changed), bounded(e.none_changed)};
    for (double& p : one.changed) p = bounded(p);
    view.environments.push_back(std::move(one));
  }
  view.advice = advice_in_words(result.remarks);
  return view;
}

Report graph_report(const GraphResult& result) {
  Report report;
  report.experiment = "discover";
  report.title =
      fmt::format("What causes what among {}", plural(result.variables.size(), "variable"));
  report.summary = in_words(result);
  report.tables = {edges_table(result), changes_table(result)};
  for (const MechanismPicture& picture : result.pictures) draw_mechanism(report, result, picture);
  report.assumptions = assumptions_of(result);
  report.warnings = warnings_in_words(result.remarks);
  for (std::size_t k = 0; k < result.search.scores.size(); ++k)
    report.numbers.push_back(
        {fmt::format("score of the best graph from start {}", k + 1), result.search.scores[k]});
  report.numbers.push_back(
      {"largest difference of an edge between chains", result.search.chain_spread});
  report.numbers.push_back({"families scored", double(result.search.families_scored)});
  return report;
}

std::vector<Table> probability_tables(const GraphResult& result) {
  const std::size_t m = result.variables.size();
  Table edges{"edge-probabilities", "", {"cause", "effect", "probability", "joined"}, {}};
  for (std::size_t from = 0; from < m; ++from)
    for (std::size_t to = 0; to < m; ++to) {
      if (from == to) continue;
      const double forward = result.edges.at(from, to), backward = result.edges.at(to, from);
      if (result.search.left_out && forward + backward == 0) continue;  // a million such pairs
      edges.rows.push_back({result.variables[from], result.variables[to],
                            fmt::format("{}", forward), fmt::format("{}", forward + backward)});
    }
  Table changes{
      "change-probabilities", "", {"environment", "rows", "all_changed", "none_changed"}, {}};
  changes.columns.insert(changes.columns.end(), result.variables.begin(), result.variables.end());
  for (const GraphEnvironment& e : result.environments) {
    changes.rows.push_back({e.name, std::to_string(e.rows), fmt::format("{}", e.all_changed),
                            fmt::format("{}", e.none_changed)});
    for (const double p : e.changed) changes.rows.back().push_back(fmt::format("{}", p));
  }
  return {edges, changes};
}

}  // namespace whence
