#include "whence/judge/encoder_evaluation.hpp"

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

Json result() {
  return read_json(
      R"({"verdict": {"kind": "encoder"}, "angle": {"value": 0.1, "interval": [0, 0.2]},
    "unmixing": [{"latent": "Z1", "weights": {"x": 1, "y": 0}}, {"latent": "Z2", "weights": {"x": 0, "y": 1}}],
    "environments": [{"name": "s", "changed": {"Z1": 0.9, "Z2": null}}],
    "effects": [{"from": "Z1", "to": "Z2"}]})",
      "result");
}

Json truth() {
  return read_json(R"({"columns": ["x", "y"], "angle": 0.15, "unmixing": [[1, 0], [0, 1]],
    "covariance": [[1, 0], [0, 2]], "parents": {"S1": [], "S2": ["S1"]},
    "environments": [{"name": "b", "baseline": true, "changed": []}, {"name": "s", "changed": ["S1"]}]})",
                   "truth");
}

/// What a changed member makes of the evaluation: the id of its error.
std::string id_with(Json what, const char* key, const std::string& value, bool of_truth) {
  what.set(key, read_json(value, "value"));
  try {
    evaluate_encoder(of_truth ? result() : what, "result", of_truth ? what : truth(), "truth");
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}
std::string id_of_result(const char* key, const std::string& value) {
  return id_with(result(), key, value, false);
}
std::string id_of_truth(const char* key, const std::string& value) {
  return id_with(truth(), key, value, true);
}

TEST(EncoderEvaluation, JudgesWhatIsSaid) {
  const EncoderEvaluation e = evaluate_encoder(result(), "result", truth(), "truth");
  EXPECT_EQ(e.rows, 2u);
  EXPECT_EQ(e.above, 2u);
  EXPECT_DOUBLE_EQ(e.correlation, 1);
  EXPECT_NEAR(*e.angle_error, 0.05, 1e-12);
  EXPECT_TRUE(*e.covered);
  EXPECT_EQ(e.right, 1u);
  EXPECT_EQ(e.true_effects, 1u);
}

TEST(EncoderEvaluation, DocumentsOfStrangersAreRefused) {
  EXPECT_EQ(id_of_result("angle", R"({"value": 1, "interval": []})"), "E-EVALUATE");
  EXPECT_EQ(id_of_result("angle", R"({"value": 1, "interval": 7})"), "E-EVALUATE");
  EXPECT_EQ(id_of_result("unmixing", "[0, 0]"), "E-EVALUATE");
  EXPECT_EQ(id_of_result("unmixing", "[0, 0, 0]"), "E-EVALUATE");
  EXPECT_EQ(id_of_result("environments", R"([{"name": "s", "changed": {"Z1": 7, "Z2": 0}}])"),
            "E-EVALUATE");
  EXPECT_EQ(id_of_truth("columns", R"("x")"), "E-EVALUATE");
  EXPECT_EQ(id_of_truth("covariance", "[[1], [2]]"), "E-EVALUATE");
  EXPECT_EQ(id_of_truth("covariance", "[[1, 0]]"), "E-EVALUATE");
  EXPECT_EQ(id_of_truth("unmixing", "[[1, 0], [0, 1], [1, 1]]"), "E-EVALUATE");
}

TEST(EncoderEvaluation, ManyColumnsAreRefusedBeforeThereIsAMatrix) {
  std::string many = "[\"x\"";
  for (int i = 0; i < 200000; ++i) many += ",\"x\"";
  EXPECT_EQ(id_of_truth("columns", many + "]"), "E-LIMIT-COLUMNS");
}

TEST(EncoderEvaluation, ACorrelationIsANumberWhateverTheCovariance) {
  Json huge = truth();
  huge.set("covariance", read_json("[[1e308, 1e308], [1e308, 1e308]]", "value"));
  const EncoderEvaluation e = evaluate_encoder(result(), "result", huge, "truth");
  EXPECT_GE(e.correlation, 0);
  EXPECT_LE(e.correlation, 1);
}

}  // namespace
}  // namespace whence
