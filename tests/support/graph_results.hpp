// What tests of graphs from shifts ask of a result.
#pragma once

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/report/remark_words.hpp"

namespace whence::support {

/// Probabilities, whatever the data.
inline void expect_usable(const GraphResult& result) {
  for (double p : result.edges.values) EXPECT_TRUE(p >= 0 && p <= 1 + 1e-12);
  for (const GraphEnvironment& e : result.environments)
    for (double p : e.changed) EXPECT_TRUE(p >= 0 && p <= 1);
}

/// The result of turned_round() data, bit by bit.
inline void expect_turned_round(const GraphResult& one, const GraphResult& other) {
  const std::size_t m = one.variables.size(), environments = one.environments.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      EXPECT_TRUE(same_bits(one.edges.at(i, j), other.edges.at(m - 1 - i, m - 1 - j)));
  for (std::size_t e = 0; e < environments; ++e)
    for (std::size_t v = 0; v < m; ++v)
      EXPECT_TRUE(same_bits(one.environments[e].changed[v],
                            other.environments[environments - 1 - e].changed[m - 1 - v]));
}

inline bool warns(const GraphResult& result, std::string_view words) {
  const std::vector<std::string> all = warnings_in_words(result.remarks);
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.find(words) != std::string::npos; });
}

}  // namespace whence::support
