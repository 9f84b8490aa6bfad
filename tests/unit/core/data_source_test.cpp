#include "whence/core/data_source.hpp"

#include <gtest/gtest.h>

#include "whence/core/error.hpp"

namespace whence {
namespace {

Dataset two_rows(double last = 2) {
  Dataset data;
  data.variables = {{"X", Variable::Kind::real}};
  data.columns = {{{}, {1, last}}};
  data.environments = {{"home", 0, 2}};
  return data;
}

TEST(DataSource, CopiesRowsThatStay) {
  const Dataset data = two_rows();
  DataSource source(data);
  EXPECT_FALSE(source.can_read_again());
  EXPECT_EQ(source.take().columns[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(&source.whole(), &data);
  EXPECT_EQ(data.rows(), 2u);
}

TEST(DataSource, LetsRowsGoAndReadsThemAgain) {
  Dataset data = two_rows();
  int times = 0;
  DataSource source(data, [&] { return ++times, two_rows(); });
  EXPECT_EQ(&source.whole(), &data);
  const Dataset taken = source.take();
  EXPECT_EQ(taken.rows(), 2u);
  EXPECT_EQ(source.outline().rows(), 0u);
  EXPECT_EQ(source.outline().variables[0].name, "X");
  EXPECT_EQ(times, 0);
  EXPECT_EQ(source.whole().columns[0].values, taken.columns[0].values);
  EXPECT_EQ(source.whole().rows(), 2u);
  EXPECT_EQ(times, 1);
}

TEST(DataSource, RefusesDataThatChanged) {
  for (const bool other_rows : {false, true}) {
    Dataset data = two_rows();
    DataSource source(data, [&] {
      Dataset other = two_rows();
      if (other_rows)
        other.environments[0].end = 1;
      else
        other.variables[0].name = "Y";
      return other;
    });
    source.take();
    try {
      source.whole();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "E-DATA-CHANGED");
    }
  }
}

}  // namespace
}  // namespace whence
