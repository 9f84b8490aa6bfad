#include "whence/mechanisms/mixture_density.hpp"

namespace whence {

MixtureDensity<double> initial_density(DensityShape shape, Stream stream) {
  MixtureDensity<double> density(shape);
  const auto theta = density.parameters();
  const double output_bound = 1 / std::sqrt(double(shape.hidden));
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double bound = i < shape.output_weight() ? 1 : output_bound;  // the input is one number
    theta[i] = bound * (2 * stream.uniform() - 1);
  }
  return density;
}

}  // namespace whence
