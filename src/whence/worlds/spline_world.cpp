#include "whence/worlds/spline_world.hpp"

#include <cmath>
#include <vector>

#include "whence/core/error.hpp"
#include "whence/math/random_lanes.hpp"

namespace whence {

namespace {

constexpr double largest_mean = 4;  // shifted means are uniform on [-4, 4]

double shifted_mean(Stream& stream) { return largest_mean * (2 * stream.uniform() - 1); }

}  // namespace

double CauseLaw::at(double u) const {
  switch (kind) {
    case Kind::gaussian: break;
    case Kind::laplace: {
      const double tail = u < 0.5 ? portable_log(2 * u) : -portable_log(2 * (1 - u));
      return mean + scale / std::sqrt(2.0) * tail;
    }
    case Kind::bimodal: {
      // Two narrow humps: variance = 3/4 between them, 1/4 within.
      const double side = u < 0.5 ? -1 : 1, within = u < 0.5 ? 2 * u : 2 * u - 1;
      return mean + scale * (side * std::sqrt(0.75) + 0.5 * normal_quantile(within));
    }
  }
  return of_normal(normal_quantile(u));
}

Spline draw_spline(const SplineKind& kind, Stream& stream) {
  const std::vector<double> x = even_points(kind.anchors, kind.half_width);
  std::vector<double> y;
  for (int i = 0; i < kind.anchors; ++i) y.push_back(kind.half_width * (2 * stream.uniform() - 1));
  return {kind.degree, x, y, kind.outside};
}

SplineWorld SplineWorld::draw(const SplineKind& kind, const CauseLaw& cause, std::uint64_t seed,
                              std::uint32_t run) {
  Stream stream(seed, Purpose::world, {run, 0, 0});
  return {kind, cause, draw_spline(kind, stream)};
}

SplineWorld SplineWorld::with_mean(double mean) const {
  SplineWorld world = *this;
  world.cause_.mean = mean;
  return world;
}

SplineWorld SplineWorld::shifted(ShiftKind what, Stream stream) const {
  SplineWorld world = *this;
  if (what == ShiftKind::row)
    throw Error(ExitCode::bad_config, "E-WORLD-SHIFT", "",
                "a continuous mechanism has no row that could be redrawn",
                "use cause, effect, mechanism, both or none");
  if (what == ShiftKind::cause || what == ShiftKind::both) world.cause_.mean = shifted_mean(stream);
  if (what == ShiftKind::mechanism || what == ShiftKind::both)
    world.mechanism_ = draw_spline(kind_, stream);
  if (what == ShiftKind::effect) {
    world.cut_ = true;
    world.effect_.mean = shifted_mean(stream);
  }
  return world;
}

void SplineWorld::sample(Stream stream, std::span<double> a, std::span<double> b) const {
  std::vector<double> u(2 * a.size());
  stream.fill(u);
  std::vector<double> z = u;
  normal_quantiles(z);
  const bool gaussian = cause_.kind == CauseLaw::Kind::gaussian;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = gaussian ? cause_.of_normal(z[2 * i]) : cause_.at(u[2 * i]);
    b[i] = cut_ ? effect_.of_normal(z[2 * i + 1]) : mechanism_(a[i]) + noise_ * z[2 * i + 1];
  }
}

}  // namespace whence
