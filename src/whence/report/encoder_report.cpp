#include "whence/report/encoder_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

std::string_view name_of(EnvironmentKind kind) {
  constexpr std::string_view names[] = {"unchanged", "one-latent", "unresolved"};
  return names[std::size_t(kind)];
}

// ---- JSON ---------------------------------------------------------------------------------------

Json angle_json(const EncoderAnswer& answer) {
  if (!answer.rotation || answer.verdict != EncoderVerdict::encoder) return {};
  const RotationAnswer& r = *answer.rotation;
  return Json::object({{"value", r.angle},
                       {"sd", r.sd},
                       {"interval", Json::list(std::vector{r.low, r.high})},
                       {"depth", r.depth}});
}

Json weights_json(const EncoderAnswer& answer, const FoundLatent& latent) {
  Json weights = Json::object(), sd = Json::object();
  for (std::size_t j = 0; j < latent.weights.size(); ++j) {
    weights.set(answer.columns[j], latent.weights[j]);
    sd.set(answer.columns[j], latent.sd[j]);
  }
  return Json::object(
      {{"latent", latent.name}, {"weights", std::move(weights)}, {"sd", std::move(sd)}});
}

Json latent_json(const FoundLatent& latent) {
  return Json::object({{"name", latent.name},
                       {"kind", name_of(latent.kind)},
                       {"probability", latent.probability},
                       {"saturated", latent.saturated}});
}

Json environment_json(const EncoderAnswer& answer, const EncoderEnvironment& e) {
  Json changed = Json::object();
  for (std::size_t k = 0; k < answer.latents.size(); ++k)
    changed.set(answer.latents[k].name, e.changed[k] ? Json(*e.changed[k]) : Json());
  return Json::object({{"name", e.name},
                       {"rows", e.rows},
                       {"baseline", e.baseline},
                       {"kind", name_of(e.kind)},
                       {"changed", std::move(changed)}});
}

Json direction_json(const EncoderAnswer& answer) {
  if (!answer.rotation || answer.verdict != EncoderVerdict::encoder) return {};
  return Json::object({{"from", answer.latents[0].name},
                       {"to", answer.latents[1].name},
                       {"probability", std::clamp(answer.direction, 0.0, 1.0)}});
}

Json effects_json(const EncoderAnswer& answer) {
  return listed(answer.effects, [&](const LatentEffect& one) {
    return Json::object({{"from", answer.latents[one.from].name},
                         {"to", answer.latents[one.to].name},
                         {"effect", one.effect},
                         {"sd", one.sd}});
  });
}

// ---- the page -----------------------------------------------------------------------------------

std::vector<const FoundLatent*> known_latents(const EncoderAnswer& answer) {
  std::vector<const FoundLatent*> known;
  for (const FoundLatent& latent : answer.latents)
    if (!latent.weights.empty()) known.push_back(&latent);
  return known;
}

Table latents_table(const EncoderAnswer& answer) {
  Table table{
      "latents", "The encoder: weights of the columns", {"latent", "kind", "probability"}, {}};
  for (const std::string& column : answer.columns) table.columns.push_back(column);
  for (const FoundLatent& latent : answer.latents) {
    std::vector<std::string> row = {latent.name, std::string(name_of(latent.kind)),
                                    latent.weights.empty() ? "–" : percent(latent.probability)};
    for (std::size_t j = 0; j < answer.columns.size(); ++j)
      row.push_back(latent.weights.empty()
                        ? "–"
                        : fmt::format("{:.4f} ± {:.4f}", latent.weights[j], latent.sd[j]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table changes_table(const EncoderAnswer& answer) {
  Table table{"changes", "What changed where", {"environment", "rows"}, {}};
  for (const FoundLatent& latent : answer.latents)
    table.columns.push_back(latent.name + " changed");
  for (const EncoderEnvironment& e : answer.environments) {
    std::vector<std::string> row = {e.name, std::to_string(e.rows)};
    for (const auto& p : e.changed)
      row.push_back(e.baseline ? "–" : !p ? "?" : *p == 0 ? "0 %" : percent(*p));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What latents do to each other, in the order in which they were found.
Table effects_table(const EncoderAnswer& answer) {
  Table table{"effects",
              "What latents do to each other, in all: deviations for one of the cause",
              {"cause", "effect", "size"},
              {}};
  for (const LatentEffect& one : answer.effects)
    table.rows.push_back({answer.latents[one.from].name, answer.latents[one.to].name,
                          fmt::format("{:.2f} ± {:.2f}", one.effect, one.sd)});
  return table;
}

void draw_profile(Report& report, const RotationAnswer& rotation) {
  const double top = *std::max_element(rotation.objective.begin(), rotation.objective.end());
  Curve curve{"objective", "J", rotation.angles, {}, {}, {}};
  for (const double j : rotation.objective) curve.median.push_back(j - top);
  curve.q25 = curve.q75 = curve.median;
  report.curves.push_back(std::move(curve));
  report.figures.push_back(
      {"objective",
       "J over angles",
       "angle (radians)",
       "nats below the best",
       {"objective"},
       "How well environments change one coordinate at a time, at each angle. A quarter turn "
       "further the two variables exchange their parts, as cause and effect. Where several angles "
       "are about as high, the data do not tell them apart."});
}

/// Some rows of the baseline and of the shifted environments, in two coordinates.
template <class Place>
void draw_points(Report& report, const EncoderAnswer& answer, const Dataset& data,
                 const std::string& id, const std::string& title, const std::string& x,
                 const std::string& y, const Place& place) {
  constexpr std::size_t most_points = 200, most_environments = 4;
  Figure figure{id, title, x, y, {}, "Rows of the baseline and of some shifted environments."};
  figure.scatter = true;
  std::size_t shown = 0;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& environment = data.environments[e];
    if (!answer.environments[e].baseline && ++shown > most_environments) continue;
    Curve curve{fmt::format("{}/{}", id, e), environment.name, {}, {}, {}, {}};
    const std::size_t n = std::min(environment.rows(), most_points);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = environment.begin + i * environment.rows() / n;
      curve.x.push_back(place(row, 0));
      curve.median.push_back(place(row, 1));
    }
    curve.q25 = curve.q75 = curve.median;
    figure.curves.push_back(curve.id);
    report.curves.push_back(std::move(curve));
  }
  report.figures.push_back(std::move(figure));
}

std::vector<std::string> assumptions_of(const EncoderAnswer& answer) {
  return {answer.mixing == Mixing::rotation
              ? "The columns are a rotation of two variables; angles count up to half a turn. "
                "Without --mixing, two columns are taken for a rotation; --mixing linear assumes "
                "less."
              : "The columns are an invertible linear mixture. A latent is told up to its sign and "
                "unit. Rows called noise tell what is new in a latent beyond its causes; a latent "
                "without causes is its own noise.",
          "All evidence comes from how environments differ; none comes from the law of one of "
          "them. Rows are independent within an environment."};
}

std::string found_in_words(const EncoderAnswer& answer) {
  if (answer.rotation) {
    const RotationAnswer& r = *answer.rotation;
    std::string words = fmt::format(
        "The columns are a rotation of two variables: {} = {:.3f} {} {:+.3f} {}, at an angle of "
        "{:.3f} (95 % between {:.3f} and {:.3f}).",
        answer.latents[0].name, answer.latents[0].weights[0], answer.columns[0],
        answer.latents[0].weights[1], answer.columns[1], r.angle, r.low, r.high);
    if (answer.direction > 0.95) words += " Z1 causes Z2.";
    return words;
  }
  std::vector<std::string> latents, noises, others;
  for (const FoundLatent& l : answer.latents) {
    if (l.kind == LatentKind::latent) latents.push_back(l.name);
    if (l.kind == LatentKind::noise) noises.push_back(l.name);
    if (l.kind == LatentKind::unresolved && !l.weights.empty()) others.push_back(l.name);
  }
  std::string words = fmt::format("{} of {} variables behind the columns were found",
                                  latents.size() + noises.size(), answer.latents.size());
  if (!latents.empty()) words += fmt::format("; latents: {}", fmt::join(latents, ", "));
  if (!noises.empty())
    words += fmt::format("; noises, or latents without causes: {}", fmt::join(noises, ", "));
  if (!others.empty())
    words += fmt::format("; directions that may mix several of them: {}", fmt::join(others, ", "));
  std::vector<std::string> acts;
  for (const LatentEffect& one : answer.effects)
    acts.push_back(answer.latents[one.from].name + " on " + answer.latents[one.to].name);
  if (!acts.empty()) words += fmt::format("; what acts on what: {}", fmt::join(acts, ", "));
  return words + ".";
}

/// Environments of which no latent is known to have changed or stayed.
std::vector<std::string> open_environments(const EncoderAnswer& answer) {
  std::vector<std::string> names;
  for (const EncoderEnvironment& e : answer.environments)
    if (!e.baseline && std::count(e.changed.begin(), e.changed.end(), std::nullopt) > 0)
      names.push_back(e.name);
  return names;
}

std::vector<std::string> advice_list(const EncoderAnswer& answer) {
  std::vector<std::string> list;
  const std::vector<std::string> open = open_environments(answer);
  if (answer.verdict == EncoderVerdict::encoder && !open.empty())
    list.push_back(fmt::format(
        "Which latents changed stays open in {} of {} shifted environments ({}): recordings in "
        "which one thing changed would settle it.",
        open.size(), answer.environments.size() - 1, some_of(open)));
  if (const std::string advice = advice_in_words(answer.verdict); !advice.empty())
    list.push_back(advice);
  return list;
}

}  // namespace

std::string in_words(const EncoderAnswer& answer) {
  switch (answer.verdict) {
    case EncoderVerdict::encoder: break;
    case EncoderVerdict::noises_only:
      return found_in_words(answer) +
             " Only noises can be recovered from soft shifts, and latents that have no causes; no "
             "graph among them.";
    case EncoderVerdict::one_per_latent:
      return (answer.latents[0].weights.empty()
                  ? std::string("No variable behind the columns was found.")
                  : found_in_words(answer)) +
             " Two environments per latent are needed; the other latents here have one.";
    case EncoderVerdict::no_shift:
      return "No environment shifts anything: no mixture can be told from another.";
    case EncoderVerdict::too_few_shifts:
      return "Only one environment shifts anything: two or more are needed.";
    case EncoderVerdict::all_changed:
      return "The environments change everything at once: no mixture can be told from another.";
    case EncoderVerdict::undecided: return "Too many mixtures fit these environments to name one.";
  }
  return found_in_words(answer);
}

std::string advice_in_words(EncoderVerdict verdict) {
  switch (verdict) {
    case EncoderVerdict::encoder: return {};
    case EncoderVerdict::noises_only:
      return "Environments that set a latent, whatever its causes, would tell more.";
    case EncoderVerdict::one_per_latent: return "Set each latent once more, to another value.";
    case EncoderVerdict::no_shift: return "Bring data in which something changed.";
    case EncoderVerdict::too_few_shifts:
      return "Bring more environments in which one thing changed.";
    case EncoderVerdict::all_changed:
      return "Bring environments in which one thing changed and the others did not.";
    case EncoderVerdict::undecided:
      return "Bring more environments, more rows, or stronger shifts.";
  }
  return {};
}

Json encoder_json(const EncoderAnswer& answer, const EncoderProvenance& provenance) {
  Json unmixing = Json::list();
  for (const FoundLatent* latent : known_latents(answer))
    unmixing.items.push_back(weights_json(answer, *latent));
  return Json::object(
      {{"columns", Json::list(answer.columns)},
       {"mixing", name_of(answer.mixing)},
       {"verdict", Json::object({{"kind", name_of(answer.verdict)}})},
       {"summary", in_words(answer)},
       {"angle", angle_json(answer)},
       {"unmixing", std::move(unmixing)},
       {"latents", listed(answer.latents, latent_json)},
       {"environments",
        listed(answer.environments, [&](const auto& e) { return environment_json(answer, e); })},
       {"direction", direction_json(answer)},
       {"effects", effects_json(answer)},
       {"advice", Json::list(advice_list(answer))},
       {"warnings", Json::list(all_warnings(provenance.warnings, answer.remarks))},
       {"remarks", listed(answer.remarks, remark_json)},
       {"provenance", Json::object({{"program", "whence"},
                                    {"format", encoder_format},
                                    {"version", version()},
                                    {"revision", revision()},
                                    {"variables", listed(provenance.variables, variable_json)},
                                    {"inputs", listed(provenance.inputs, input_json)},
                                    {"options", provenance.options}})}});
}

Report encoder_report(const EncoderAnswer& answer, const Dataset& data) {
  Report report;
  report.experiment = "disentangle";
  report.title = "Which variables are behind these columns?";
  report.summary = in_words(answer);
  for (const std::string& advice : advice_list(answer)) report.summary += " " + advice;
  if (answer.rotation) draw_profile(report, *answer.rotation);
  draw_points(report, answer, data, "before", "As observed", answer.columns[0], answer.columns[1],
              [&](std::size_t row, std::size_t j) { return data.columns[j].values[row]; });
  const auto known = known_latents(answer);
  if (known.size() >= 2) {
    const Matrix latents = encode(answer, data);
    draw_points(report, answer, data, "after", "As encoded", known[0]->name, known[1]->name,
                [&](std::size_t row, std::size_t j) { return latents(row, j); });
  }
  report.tables = {latents_table(answer), changes_table(answer)};
  if (!answer.effects.empty()) report.tables.push_back(effects_table(answer));
  if (answer.rotation)
    report.numbers = {{"angle", answer.rotation->angle},
                      {"angle-sd", answer.rotation->sd},
                      {"depth-nats", answer.rotation->depth},
                      {"width", answer.rotation->width}};
  report.assumptions = assumptions_of(answer);
  report.warnings = warnings_in_words(answer.remarks);
  return report;
}

GraphView encoder_view(const EncoderAnswer& answer) {
  GraphView view;
  for (const FoundLatent& latent : answer.latents) view.variables.push_back(latent.name);
  if (answer.rotation && answer.verdict == EncoderVerdict::encoder) {
    GraphView::Edge edge;
    edge.to = 1;
    edge.probability = answer.direction;
    edge.adjacent = 1;
    edge.in_graph = answer.direction > 0.5;
    edge.look = answer.direction > 0.95 ? EdgeLook::sure : EdgeLook::unsure;
    edge.leave_one_out = {answer.direction, answer.direction};
    view.edges.push_back(edge);
  }
  for (const LatentEffect& one : answer.effects) {
    GraphView::Edge edge;
    edge.from = one.from;
    edge.to = one.to;
    edge.probability = edge.adjacent =
        std::min(answer.latents[one.from].probability, answer.latents[one.to].probability);
    edge.in_graph = true;
    edge.look = edge.probability > 0.95 ? EdgeLook::sure : EdgeLook::unsure;
    edge.leave_one_out = {edge.probability, edge.probability};
    edge.effect = fmt::format("{:.2f} ± {:.2f} deviations for one", one.effect, one.sd);
    view.edges.push_back(edge);
  }
  for (const EncoderEnvironment& e : answer.environments) {
    GraphView::Environment row{e.name, e.rows, e.baseline, {}, 0, 0};
    for (const auto& p : e.changed) row.changed.push_back(p.value_or(0.5));
    view.environments.push_back(std::move(row));
  }
  view.advice = advice_list(answer);
  return view;
}

std::string latents_csv(const EncoderAnswer& answer, const Dataset& data) {
  std::string out = "environment,row";
  for (const FoundLatent* latent : known_latents(answer)) out += "," + latent->name;
  out += "\n";
  const Matrix latents = encode(answer, data);
  for (const Environment& e : data.environments) {
    const std::string name = csv_cell(e.name);
    for (std::size_t row = e.begin; row < e.end; ++row) {
      out += name + "," + std::to_string(row - e.begin + 1);
      for (std::size_t k = 0; k < latents.columns; ++k) out += "," + shortest(latents(row, k));
      out += "\n";
    }
  }
  return out;
}

}  // namespace whence
