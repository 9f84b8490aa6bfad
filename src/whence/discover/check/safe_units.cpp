#include "whence/discover/check/safe_units.hpp"

#include <algorithm>
#include <cmath>

namespace whence {
namespace {

/// The power of two that brings a coordinate near 1; 0 where it may stay as it is.
int shift_of(const Column& column, std::size_t begin, std::size_t stride) {
  constexpr double large = 1e100, small = 1e-100;
  double greatest = 0;
  for (std::size_t i = begin; i < column.values.size(); i += stride)
    greatest = std::max(greatest, std::abs(column.values[i]));
  if (greatest == 0 || !std::isfinite(greatest) || (greatest <= large && greatest >= small))
    return 0;
  return -std::ilogb(greatest);
}

}  // namespace

std::optional<Dataset> in_safe_units(const Dataset& data) {
  std::optional<Dataset> out;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (data.variables[v].kind != Variable::Kind::real) continue;
    const auto d = std::size_t(data.variables[v].dimension);
    for (std::size_t k = 0; k < d; ++k) {
      const int shift = shift_of(data.columns[v], k, d);
      if (shift == 0) continue;
      if (!out) out = data;
      auto& values = out->columns[v].values;
      for (std::size_t i = k; i < values.size(); i += d) values[i] = std::ldexp(values[i], shift);
    }
  }
  return out;
}

}  // namespace whence
