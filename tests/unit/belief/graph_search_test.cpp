// Moves of the search that single edges cannot make.
#include "whence/belief/graph_search.hpp"

#include <gtest/gtest.h>

#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Causes 0..4 of 5, of which 6 is nearly a copy.
Dataset with_a_copy() {
  Dataset data;
  Stream stream(5, Purpose::tests, {7, 12, 0});
  data.columns.resize(7);
  for (std::size_t v = 0; v < 7; ++v)
    data.variables.push_back({"x" + std::to_string(v), Variable::Kind::real, 0, 1, {}});
  constexpr std::size_t rows = 200;
  for (std::size_t n = 0; n < rows; ++n) {
    double sum = 0.2 * sample_normal(stream);
    for (std::size_t v = 0; v < 5; ++v) {
      data.columns[v].values.push_back(sample_normal(stream));
      sum += data.columns[v].values[n];
    }
    data.columns[5].values.push_back(sum);
    data.columns[6].values.push_back(sum + 0.2 * sample_normal(stream));
  }
  data.environments = {{"all", 0, rows}};
  return data;
}

TEST(GraphClimber, ExchangingParentsPutsACopyInItsPlace) {
  const LinearFamilyScorer scorer(with_a_copy());
  const FamilyTable table(scorer);
  const std::size_t regime = table.number_of(quiet_regime(1));
  const Dag truth(read_graph("0->5,1->5,2->5,3->5,4->5->6"));
  const Dag confused(read_graph("0->6,1->6,2->6,3->6,4->6->5"));

  GraphClimber stuck(table, regime, confused);
  stuck.climb();
  ASSERT_LT(stuck.score(), table.total(regime, truth) - 5) << "climbing alone gets out of it";
  EXPECT_TRUE(stuck.exchange_parents());
  EXPECT_GE(stuck.score(), table.total(regime, truth) - 1e-6);

  GraphClimber there(table, regime, truth);
  there.climb();
  const double best = there.score();
  EXPECT_FALSE(there.exchange_parents());
  EXPECT_EQ(there.score(), best) << "nothing is lost where nothing is found";
}

}  // namespace
}  // namespace whence
