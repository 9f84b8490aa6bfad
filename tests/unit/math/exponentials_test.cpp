#include "whence/math/exponentials.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "whence/math/elementary.hpp"

namespace whence {
namespace {

TEST(Exponentials, AreThoseOfOneNumberAtATime) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<double> x, want;
    for (std::size_t i = 0; i < size; ++i)
      x.push_back(i % 9 == 4 ? -infinity : i % 11 == 7 ? -800.0 : -0.37 * double(i * i % 23));
    for (const double value : x) want.push_back(portable_exp(value));
    exponentials(x);
    EXPECT_EQ(x, want);
  }
}

}  // namespace
}  // namespace whence
