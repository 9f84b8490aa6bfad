#include "whence/report/encoder_report.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

EncoderAnswer with_change(std::optional<double> changed) {
  EncoderAnswer answer;
  answer.columns = {"a", "b"};
  answer.mixing = Mixing::linear;
  answer.verdict = EncoderVerdict::encoder;
  answer.latents = {{"Z1", LatentKind::latent, 0.99, {1, 0}, {0.1, 0.1}}};
  answer.environments.push_back({"home", 100, true, EnvironmentKind::unchanged, {0.0}});
  answer.environments.push_back({"lab", 100, false, EnvironmentKind::unresolved, {changed}});
  return answer;
}

TEST(EncoderReport, AdviceNamesEnvironmentsThatStayOpen) {
  const auto advice = [](std::optional<double> changed) {
    return encoder_json(with_change(changed), {}).find("advice")->dump();
  };
  EXPECT_NE(advice({}).find("1 of 1 shifted environments (lab)"), std::string::npos) << advice({});
  EXPECT_EQ(advice(1.0), "[]");
}

}  // namespace
}  // namespace whence
