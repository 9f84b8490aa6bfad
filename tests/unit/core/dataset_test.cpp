#include "whence/core/dataset.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(Dataset, CountsRowsOfCategoricalColumns) {
  Dataset data;
  EXPECT_EQ(data.rows(), 0u);
  data.variables = {{"A", Variable::Kind::categorical, 3}};
  data.columns = {{{0, 1, 2, 0}, {}}};
  EXPECT_EQ(data.rows(), 4u);
  EXPECT_EQ(data.levels(VariableId(0))[2], 2);
}

TEST(Dataset, CountsRowsOfRealColumnsByDimension) {
  Dataset data;
  data.variables = {{"X", Variable::Kind::real, 0, 3}};
  data.columns = {{{}, std::vector<double>(12)}};
  EXPECT_EQ(data.rows(), 4u);
}

TEST(Episode, HasBatchRowsPerStep) {
  EXPECT_EQ((Episode{0, 3, 5}.rows()), 15u);
  EXPECT_EQ((Environment{"shifted", 10, 17}.rows()), 7u);
}

}  // namespace
}  // namespace whence
