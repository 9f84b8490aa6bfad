#include "whence/backends/simd.hpp"

#include <gtest/gtest.h>

#include "support/simd.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

TEST(Simd, UsesTheBestTargetUnlessTold) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(simd_target(), targets.front());
}

TEST(Simd, UsesTheTargetAskedFor) {
  const auto targets = simd_targets();
  for (const std::string& name : targets) {
    const support::SimdTarget chosen(name);
    EXPECT_EQ(simd_target(), name);
  }
  EXPECT_EQ(simd_targets(), targets) << "all of them are back";
}

TEST(Simd, RefusesTargetsThatCannotRun) {
  try {
    use_simd_target("Abacus");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-SIMD-TARGET");
    EXPECT_EQ(error.code(), ExitCode::device);
    EXPECT_NE(std::string(error.what()).find("Abacus"), std::string::npos);
  }
  use_simd_target("");
}

}  // namespace
}  // namespace whence
