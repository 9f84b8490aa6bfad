#include "whence/evidence/labels/covariance_change.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Two environments; `slope` and `wide` act on the second variable in the second one.
Dataset pair_of(std::uint32_t run, double slope, double offset, double wide) {
  Dataset data;
  data.variables = {{"X", Variable::Kind::real}, {"Y", Variable::Kind::real}};
  data.columns.resize(2);
  data.environments = {{"a", 0, 400}, {"b", 400, 800}};
  Stream stream(31, Purpose::tests, {run});
  for (std::size_t r = 0; r < 800; ++r) {
    const bool other = r >= 400;
    const double z = sample_normal(stream), x = z * std::abs(z);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back((other ? slope : 1) * x + (other ? offset : 0) +
                                     (other ? wide : 1) * sample_normal(stream));
  }
  return data;
}

double change(const Dataset& data, std::span<const double> share = {}) {
  const std::vector<std::size_t> reference = {0};
  return changed_covariance(data, 1, 1, reference, share);
}

TEST(ChangedCovariance, AddedNoiseLeavesItAlone) {
  for (std::uint32_t run = 0; run < 20; ++run) EXPECT_LT(change(pair_of(run, 1, 2, 2.5)), 2) << run;
}

TEST(ChangedCovariance, AnotherSlopeShows) {
  for (std::uint32_t run = 0; run < 20; ++run) EXPECT_GT(change(pair_of(run, -1, 0, 1)), 10) << run;
}

TEST(ChangedCovariance, RowsThatAreWorthLessShowLess) {
  const Dataset data = pair_of(3, -1, 0, 1);
  const std::vector<double> tenth = {0.1, 0.1};
  EXPECT_LT(change(data, tenth), change(data) / 5);
}

}  // namespace
}  // namespace whence
