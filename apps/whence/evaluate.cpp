#include <memory>

#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/evaluation.hpp"
#include "whence/io/json_reader.hpp"
#include "whence/io/text_file.hpp"

namespace whence {
namespace {

struct EvaluateCommand {
  std::string result, truth;
  bool json = false;
};

constexpr std::size_t largest = std::size_t(64) << 20;

Json read(const std::string& path) {
  return read_json(read_text_file(path, largest), printable(path), {.bytes = largest});
}

void run(const EvaluateCommand& command) {
  const Evaluation found = evaluate(read(command.result), printable(command.result),
                                    read(command.truth), printable(command.truth));
  if (command.json) return print(evaluation_json(found).dump(2) + "\n");
  print(for_locale(fmt::format(
      "truth: {}\nverdict: {} ({})\nbelief in the truth: {:.4f} (log loss {:.4f} nats, Brier score "
      "{:.4f})\nchanges told rightly: {} of {}\n",
      printable(found.truth), found.outcome, printable(found.verdict), found.belief, found.log_loss,
      found.brier, found.found, found.judged)));
}

}  // namespace

void add_evaluate(CLI::App& root, Globals&) {
  CLI::App* app = root.add_subcommand("evaluate", "a result against the truth of a simulation");
  app->group("Your data");
  const auto command = std::make_shared<EvaluateCommand>();
  app->add_option("RESULT", command->result, "result.json of whence direction")
      ->required()
      ->type_name("RESULT");
  app->add_option("TRUTH", command->truth, "truth.json of whence simulate")
      ->required()
      ->type_name("TRUTH");
  app->add_flag("--json", command->json, "print one JSON object to stdout and nothing else");
  app->footer("Example:\n  whence evaluate whence-out/direction/result.json data/truth.json");
  app->callback([command] { run(*command); });
}

}  // namespace whence
