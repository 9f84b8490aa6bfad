// The answer about a direction does not depend on the order of files, rows and columns, nor on
// names.
#include "whence/discover/pair/canonical_pair.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/discover/check/safe_units.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Five environments of 12 rows: X moves in some, the mechanism of Y in others.
Dataset pair_of(Variable::Kind kind) {
  Dataset data;
  const bool levels = kind == Variable::Kind::categorical;
  for (const char* name : {"X", "Y"}) data.variables.push_back({name, kind, levels ? 3 : 0, 1, {}});
  data.columns.resize(2);
  Stream stream(7, Purpose::sample, {0, 0, 0});
  for (std::size_t e = 0; e < 5; ++e) {
    const std::size_t begin = data.rows();
    for (std::size_t i = 0; i < 12; ++i) {
      const double x = stream.uniform() + 0.4 * double(e % 3);
      const double y = (e == 4 ? -1 : 1) * x + 0.3 * stream.uniform();
      if (levels) {
        data.columns[0].levels.push_back(std::min(2, int(2 * x)));
        data.columns[1].levels.push_back(std::clamp(int(2 * y), 0, 2));
      } else {
        data.columns[0].values.push_back(x);
        data.columns[1].values.push_back(y);
      }
    }
    data.environments.push_back({"e" + std::to_string(e), begin, data.rows()});
  }
  return data;
}

/// Environments in another order and under other names, rows of each turned round.
Dataset rearranged(const Dataset& data, const std::vector<std::size_t>& order) {
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(2);
  for (const std::size_t e : order) {
    const Environment& rows = data.environments[e];
    const std::size_t begin = out.rows();
    for (std::size_t r = rows.end; r-- > rows.begin;)
      for (std::size_t v = 0; v < 2; ++v)
        if (data.variables[v].kind == Variable::Kind::categorical)
          out.columns[v].levels.push_back(data.columns[v].levels[r]);
        else
          out.columns[v].values.push_back(data.columns[v].values[r]);
    out.environments.push_back({"z" + std::to_string(9 - e), begin, out.rows()});
  }
  return out;
}

void expect_same(const DirectionResult& a, const DirectionResult& b,
                 const std::vector<std::size_t>& order) {
  EXPECT_EQ(a.belief, b.belief);
  EXPECT_EQ(a.verdict.kind, b.verdict.kind);
  EXPECT_EQ(a.leave_one_out, b.leave_one_out);
  EXPECT_EQ(a.shift_log_odds, b.shift_log_odds);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(a.environments[order[i]].log_odds, b.environments[i].log_odds);
    EXPECT_EQ(a.environments[order[i]].changed, b.environments[i].changed);
    EXPECT_EQ(a.environments[order[i]].rows, b.environments[i].rows);
  }
}

TEST(Direction, DoesNotDependOnTheOrderOfFilesAndRows) {
  for (const auto kind : {Variable::Kind::categorical, Variable::Kind::real})
    for (const auto model : {DirectionModel::automatic, DirectionModel::labels}) {
      const Dataset data = pair_of(kind);
      DirectionOptions options;
      options.model = model;
      // Few poolings are kept, as where there are many environments: what is left out must not
      // depend on the order either.
      options.limits.most = 6;
      options.baseline = 2;
      const DirectionResult straight = find_direction(data, options);
      for (const std::vector<std::size_t>& order :
           {std::vector<std::size_t>{4, 3, 2, 1, 0}, {1, 4, 0, 2, 3}, {2, 0, 1, 3, 4}}) {
        options.baseline = std::size_t(std::find(order.begin(), order.end(), 2u) - order.begin());
        expect_same(straight, find_direction(rearranged(data, order), options), order);
      }
    }
}

TEST(Direction, EndsItsPathWithTheAnswer) {
  const Dataset data = pair_of(Variable::Kind::categorical);
  const DirectionResult result = find_direction(rearranged(data, {4, 3, 2, 1, 0}));
  EXPECT_EQ(result.path.size(), 6u);
  EXPECT_EQ(result.path.back(), result.belief);
}

TEST(CanonicalPair, OfSymmetricDataMirrorsToo) {
  // (0,1) here and (1,0) there: as a whole symmetric, by environment not.
  Dataset data;
  for (const char* name : {"X", "Y"})
    data.variables.push_back({name, Variable::Kind::categorical, 2, 1, {}});
  data.columns = {{{0, 0, 1, 1, 1}, {}}, {{1, 1, 0, 0, 0}, {}}};
  data.columns[0].levels[4] = 1, data.columns[1].levels[4] = 1;
  data.environments = {{"a", 0, 2}, {"b", 2, 5}};
  Dataset turned = data;
  std::swap(turned.columns[0], turned.columns[1]);
  const CanonicalPair one = canonical_pair(data, {}), other = canonical_pair(turned, {});
  EXPECT_NE(one.swapped, other.swapped);
  EXPECT_EQ(one.data.columns[0].levels, other.data.columns[0].levels);
  EXPECT_EQ(one.data.columns[1].levels, other.data.columns[1].levels);
}

TEST(SafeUnits, ArePowersOfTwoAndOnlyWhereNeeded) {
  Dataset data = pair_of(Variable::Kind::real);
  EXPECT_FALSE(in_safe_units(data).has_value());
  const DirectionResult usual = find_direction(data);
  for (const double unit : {std::ldexp(1.0, 540), std::ldexp(1.0, -1000)}) {
    Dataset scaled = data;
    for (double& x : scaled.columns[0].values) x *= unit;
    ASSERT_TRUE(in_safe_units(scaled).has_value());
    EXPECT_EQ(find_direction(scaled).verdict.kind, usual.verdict.kind);
    EXPECT_EQ(find_direction(scaled).model, usual.model);
  }
}

}  // namespace
}  // namespace whence
