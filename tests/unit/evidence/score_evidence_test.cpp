#include "whence/evidence/encoder/score_evidence.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

/// Rows of a normal law around `mean`, as expected counts.
ScoreCounts rows_around(double mean, double rows) {
  ScoreCounts counts{};
  double all = 0;
  for (std::size_t k = 0; k < score_cells; ++k) {
    const double at = score_limit * (2.0 * double(k) / (score_cells - 1) - 1);
    counts[k] = std::exp(-0.5 * (at - mean) * (at - mean));
    all += counts[k];
  }
  for (double& n : counts) n *= rows / all;
  return counts;
}

TEST(ScoreEvidence, SharesOfEnvironmentsAddUp) {
  const ScoreCounts base = rows_around(0, 1000), up = rows_around(0.8, 200),
                    down = rows_around(-0.5, 300);
  const std::vector<const ScoreCounts*> all = {&base, &up, &down};
  std::vector<double> parts(3, -1);
  const double evidence = difference_evidence(all, parts);
  EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), evidence, 1e-9);
  EXPECT_DOUBLE_EQ(evidence, difference_evidence(all));
  EXPECT_GT(parts[1], parts[0]);  // the one that moved furthest says most
}

TEST(ScoreEvidence, EqualLawsAreEvidenceOfNoDifference) {
  const ScoreCounts base = rows_around(0, 1000), same = rows_around(0, 400),
                    other = rows_around(1, 400);
  const std::vector<const ScoreCounts*> equal = {&base, &same}, different = {&base, &other};
  EXPECT_LT(difference_evidence(equal), 0);
  EXPECT_GT(difference_evidence(different), 20);
}

}  // namespace
}  // namespace whence
