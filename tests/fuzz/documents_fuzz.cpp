// Two documents, a zero byte between them: an answer and a truth, as whence evaluate takes them.
#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/encoder_evaluation.hpp"
#include "whence/judge/evaluation.hpp"
#include "whence/judge/graph_evaluation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace whence;
  const std::string_view text(data, size);
  const std::size_t middle = text.find('\0');
  if (middle == std::string_view::npos) return 0;
  Json result, truth;
  const auto read = [&] {
    result = read_json(text.substr(0, middle), "result.json");
    truth = read_json(text.substr(middle + 1), "truth.json");
  };
  if (!fuzz::succeeds(read, ExitCode::bad_config)) return 0;
  fuzz::succeeds([&] {
    const Evaluation e = evaluate(result, "result.json", truth, "truth.json");
    fuzz::require(e.belief >= 0 && e.belief <= 1 && e.found <= e.judged);
    evaluation_json(e).dump();
  });
  fuzz::succeeds([&] {
    const EncoderEvaluation e = evaluate_encoder(result, "result.json", truth, "truth.json");
    fuzz::require(std::isfinite(e.correlation) && std::isfinite(e.floor) && e.right <= e.judged);
    encoder_evaluation_json(e).dump();
  });
  fuzz::succeeds([&] {
    const GraphEvaluation e =
        evaluate_graph(graph_of_json(result, "result.json"), &result, "result.json",
                       graph_of_json(truth, "truth.json"), &truth, "truth.json");
    fuzz::require(!e.changes || e.changes->right <= e.changes->judged);
    graph_evaluation_json(e).dump();
  });
  return 0;
}
