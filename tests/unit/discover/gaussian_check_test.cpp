// What looks linear and Gaussian, and what does not.
#include "whence/discover/pair/gaussian_check.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/quality/direction/direction_cases.hpp"
#include "support/effort.hpp"

namespace whence {
namespace {

RealDesign design_of(CauseLaw::Kind law, int dimension) {
  RealDesign design;
  design.situation = Situation::effect;
  design.law = law;
  design.dimension = dimension;
  design.rows = 200;
  design.environments = 6;
  return design;
}

/// Twenty coordinates in seven environments are many chances for one sample to look odd.
TEST(GaussianCheck, GaussianVectorsPass) {
  int odd = 0;
  const int runs = std::max(20, int(support::effort(100)));
  for (int run = 0; run < runs; ++run)
    odd += !check_gaussian(
                draw_real(design_of(CauseLaw::Kind::gaussian, 10), {1001, std::uint32_t(run)}))
                .passes;
  EXPECT_LE(odd, runs / 100);
}

TEST(GaussianCheck, OtherLawsDoNot) {
  for (const CauseLaw::Kind law : {CauseLaw::Kind::laplace, CauseLaw::Kind::bimodal})
    for (std::uint32_t run = 0; run < 10; ++run) {
      const auto check = check_gaussian(draw_real(design_of(law, 1), {1001, run}));
      EXPECT_FALSE(check.passes);
      EXPECT_NE(check.reason.code, RemarkCode::model_looks_gaussian);
    }
}

TEST(GaussianCheck, FarRowsInOneEnvironmentAreSeen) {
  Dataset data = draw_real(design_of(CauseLaw::Kind::gaussian, 2), {1001, 3});
  ASSERT_TRUE(check_gaussian(data).passes);
  data.columns[1].values[2 * (data.environments[4].begin + 7)] += 40;
  EXPECT_FALSE(check_gaussian(data).passes);
}

}  // namespace
}  // namespace whence
