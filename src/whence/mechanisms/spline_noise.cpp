#include "whence/mechanisms/spline_noise.hpp"

namespace whence {

std::vector<Spline> cardinal_splines(int degree, std::span<const double> x, Extrapolation outside) {
  std::vector<Spline> basis;
  std::vector<double> unit(x.size(), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    unit[k] = 1;
    basis.emplace_back(degree, x, unit, outside);
    unit[k] = 0;
  }
  return basis;
}

}  // namespace whence
