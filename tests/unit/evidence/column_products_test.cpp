#include "whence/evidence/linear/column_products.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// The same bits as the plain sum, for widths that do not fill a tile, and for rows in pieces.
TEST(ColumnProducts, AreThePlainSumsBitByBit) {
  Stream stream(1, Purpose::sample, {12});
  for (const std::size_t width : {1u, 7u, 65u, 131u}) {
    const std::size_t rows = 37;
    std::vector<double> x(rows * width);
    for (double& value : x) value = sample_normal(stream);
    std::vector<double> plain(width * width, 0.0), tiled(width * width, 0.0);
    for (std::size_t n = 0; n < rows; ++n)
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          plain[i * width + j] += x[n * width + i] * x[n * width + j];
    const auto entry = [&](std::size_t i, std::size_t j) -> double& {
      return tiled[i * width + j];
    };
    add_column_products(std::span(x).first(11 * width), width, entry);
    add_column_products(std::span(x).subspan(11 * width), width, entry);
    EXPECT_EQ(tiled, plain) << width;
  }
}

}  // namespace
}  // namespace whence
