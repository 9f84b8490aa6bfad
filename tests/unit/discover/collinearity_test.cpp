#include "whence/discover/check/collinearity.hpp"

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// A, B, C = 3 - 2A, D = A + B, E with noise; `noise` is added to C.
Dataset columns(double noise) {
  Dataset data;
  for (const char* name : {"A", "B", "C", "D", "E"})
    data.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  data.columns.resize(5);
  Stream stream(3, Purpose::sample, {0, 0, 0});
  for (int i = 0; i < 50; ++i) {
    const double a = stream.uniform(), b = stream.uniform(), e = stream.uniform();
    const double c = 3 - 2 * a + noise * stream.uniform();
    const double values[] = {a, b, c, a + b, a + b + e};
    for (std::size_t v = 0; v < 5; ++v) data.columns[v].values.push_back(values[v]);
  }
  data.environments = {{"all", 0, 50}};
  return data;
}

TEST(Collinearity, IsNamedWithWhatItDependsOn) {
  const auto found = collinear_columns(columns(0));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rfind("C is an exact linear function of A:", 0), 0u) << found[0];
  EXPECT_EQ(found[1].rfind("D is an exact linear function of A, B:", 0), 0u) << found[1];
}

TEST(Collinearity, IsNotSeenWhereThereIsALittleNoise) {
  const auto found = collinear_columns(columns(1e-3));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0][0], 'D');
}

TEST(Collinearity, DoesNotDependOnUnits) {
  Dataset data = columns(0);
  for (double& x : data.columns[0].values) x *= 1e200;
  for (double& x : data.columns[2].values) x *= 1e-200;
  EXPECT_EQ(collinear_columns(data).size(), 2u);
}

}  // namespace
}  // namespace whence
