#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/encoder_evaluation.hpp"
#include "whence/judge/evaluation.hpp"
#include "whence/judge/graph_evaluation.hpp"

namespace whence {
namespace {

struct EvaluateCommand {
  std::string result, truth;
  bool json = false;
};

constexpr std::size_t largest = std::size_t(64) << 20;

Json read(const std::string& path, const Globals& globals) {
  return read_json(text_named(path, globals, largest), printable(path), {.bytes = largest});
}

/// A document, or a graph in any format.
struct Evaluated {
  std::optional<Json> document;
  std::optional<NamedGraph> graph;
};

Evaluated read_either(const std::string& path, const Globals& globals) {
  const auto format = graph_format_of(std::filesystem::path(path));
  if (format && format != GraphFormat::json) return {std::nullopt, read_graph_file(path)};
  return {read(path, globals), std::nullopt};
}

NamedGraph graph_in(const Evaluated& one, const std::string& path) {
  return one.graph ? *one.graph : graph_of_json(*one.document, printable(path));
}

std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.4g}", *value) : "-";
}

std::string changes_in_words(const GraphEvaluation::Changes& c) {
  return fmt::format(
      "changes told rightly: {} of {}, all of an environment in {} of {}\n"
      "changes: average precision {}, AUROC {}; claimed rightly {}, wrongly {}, missed {}\n",
      c.right, c.judged, c.environments_right, c.environments, number(c.average_precision),
      number(c.area_under_roc), c.found.right, c.found.wrong, c.found.missed);
}

std::string in_words(const GraphEvaluation& e) {
  std::string text = fmt::format(
      "truth: {} variables, {} edges\n"
      "graph: SHD {} (missing {}, extra {}, reversed {}), SID {}; precision {:.3f}, recall {:.3f}, "
      "F1 {:.3f}\n"
      "probabilities: expected SHD {}, expected SID {}; AUROC {}, average precision {}, "
      "cross-entropy {} bits\n",
      e.variables, e.edges, e.distance.total(), e.distance.missing, e.distance.extra,
      e.distance.reversed,
      e.intervention_distance ? std::to_string(*e.intervention_distance) : "- (a cycle)",
      e.found.precision(), e.found.recall(), e.found.f1(), number(e.expected_structural),
      number(e.expected_intervention), number(e.area_under_roc), number(e.average_precision),
      number(e.cross_entropy_bits));
  return e.changes ? text + changes_in_words(*e.changes) : text;
}

Answer graph_answer(const EvaluateCommand& command, const Evaluated& result,
                    const Evaluated& truth) {
  const auto document = [](const Evaluated& one) {
    return one.document ? &*one.document : nullptr;
  };
  const GraphEvaluation found =
      evaluate_graph(graph_in(result, command.result), document(result), printable(command.result),
                     graph_in(truth, command.truth), document(truth), printable(command.truth));
  return {graph_evaluation_json(found).dump(2) + "\n", for_locale(in_words(found)), {}, {}, {}};
}

/// A result about two variables has beliefs in directions; whatever else has edges is a graph.
bool is_about_graph(const Evaluated& result) {
  if (result.graph) return true;
  const Json& document = *result.document;
  if (!document.is(Json::Kind::object) || !document.find("edges") || document.find("beliefs"))
    return false;
  // Two variables with environments and no graph are the truth of a pair.
  const Json* variables = document.find("variables");
  return document.find("graph") || !document.find("environments") ||
         (variables && variables->items.size() > 2);
}

/// A result of whence disentangle has rows of an unmixing matrix.
bool is_about_encoder(const Evaluated& result) {
  return result.document && result.document->is(Json::Kind::object) &&
         result.document->find("unmixing");
}

Answer encoder_answer(const EvaluateCommand& command, const Json& result, const Json& truth) {
  const EncoderEvaluation e =
      evaluate_encoder(result, printable(command.result), truth, printable(command.truth));
  std::string text = fmt::format("verdict: {}\n", printable(e.verdict));
  if (e.angle_error)
    text += fmt::format(
        "angle: off by {:.4f} rad up to quarter turns ({} its range); direction {}\n",
        *e.angle_error, *e.covered ? "within" : "outside", *e.direction ? "right" : "wrong");
  text += fmt::format(
      "rows: {} of {} latents, mean correlation {:.3f} (random rows {:.3f}), {} above .95\n"
      "environments told rightly: {} of {}\n",
      e.rows, e.latents, e.correlation, e.floor, e.above, e.right, e.judged);
  if (e.effects > 0)
    text += fmt::format("effects among them that are there: {} of {}\n", e.true_effects, e.effects);
  return {encoder_evaluation_json(e).dump(2) + "\n", for_locale(text), {}, {}, {}};
}

Answer answer_of(const EvaluateCommand& command, const Globals& globals) {
  const Evaluated given = read_either(command.result, globals);
  if (is_about_encoder(given))
    return encoder_answer(command, *given.document, read(command.truth, globals));
  if (is_about_graph(given))
    return graph_answer(command, given, read_either(command.truth, globals));
  const Evaluation found = evaluate(*given.document, printable(command.result),
                                    read(command.truth, globals), printable(command.truth));
  return {evaluation_json(found).dump(2) + "\n",
          for_locale(fmt::format(
              "truth: {}\nverdict: {} ({})\nbelief in the truth: {:.4f} (log loss {:.4f} nats, "
              "Brier score {:.4f})\nchanges told rightly: {} of {}\n",
              printable(found.truth), found.outcome, printable(found.verdict), found.belief,
              found.log_loss, found.brier, found.found, found.judged)),
          {},
          {},
          {}};
}

void run(const EvaluateCommand& given, Globals& globals) {
  const EvaluateCommand command{file_of(given.result, "result.json"),
                                file_of(given.truth, "truth.json"), given.json};
  show_answer(answer_of(command, globals), command.json, globals);
}

}  // namespace

void add_evaluate(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("evaluate", "a result against the truth of a simulation");
  app->group("Your data");
  const auto command = std::make_shared<EvaluateCommand>();
  app->add_option("RESULT", command->result,
                  "result.json of whence direction, discover or disentangle, its folder, or a "
                  "graph in any format")
      ->required()
      ->type_name("RESULT");
  app->add_option("TRUTH", command->truth,
                  "truth.json of whence simulate, its folder, or a graph in any format")
      ->required()
      ->type_name("TRUTH");
  app->add_flag("--json", command->json, "print one JSON object to stdout and nothing else");
  app->footer("Example:\n  whence evaluate whence-out/direction/result.json data/truth.json");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
