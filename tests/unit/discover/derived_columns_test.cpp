// Columns that were computed from others are named, laws with noise are not.
#include "whence/discover/check/derived_columns.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// A number, a price, their product, and a column that depends on the product; two groups that
/// differ in price.
Dataset sold(double noise, bool as_sum) {
  Stream stream(73, Purpose::tests, {std::uint32_t(1000 * noise), as_sum ? 1U : 0U, 0});
  std::vector<std::vector<double>> columns(4);
  std::vector<int> labels;
  for (int r = 0; r < 400; ++r) {
    const double number = std::exp(0.5 * sample_normal(stream));
    const double price = std::exp(0.5 * sample_normal(stream) + (r % 2));
    const double whole = as_sum ? number + price : number * price;
    const double volume = whole * (1 + noise * sample_normal(stream));
    const double row[] = {number, price, volume, volume + sample_normal(stream)};
    for (std::size_t v = 0; v < 4; ++v) columns[v].push_back(row[v]);
    labels.push_back(r % 2);
  }
  return Dataset::from_columns({DataColumn("number", columns[0]), DataColumn("price", columns[1]),
                                DataColumn("volume", columns[2]), DataColumn("tax", columns[3])},
                               labels);
}

TEST(DerivedColumns, SumsAndProductsAreNamed) {
  const std::vector<DerivedColumns> expected = {{0, 1, 2}};
  EXPECT_EQ(derived_columns(sold(0, false)), expected);
  EXPECT_EQ(derived_columns(sold(0, true)), expected);
  EXPECT_EQ(derived_columns(sold(1e-5, false)), expected) << "rounded";
  EXPECT_TRUE(derived_columns(sold(0.02, false)).empty()) << "a law with noise";
  EXPECT_TRUE(derived_columns(sold(0.02, true)).empty());
}

TEST(DerivedColumns, NoArrowIsStatedBetweenThem) {
  GraphOptions options;
  options.baseline = 0;
  options.sweeps = 60;
  const GraphResult result = find_graph(sold(0, true), options);
  EXPECT_TRUE(has(result.remarks, RemarkCode::derived_columns));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j) continue;
      EXPECT_LE(result.edges.at(i, j), 0.5 + 1e-12) << i << j;
      EXPECT_FALSE(result.graph.edge(VariableId(i), VariableId(j)));
    }
}

}  // namespace
}  // namespace whence
