// The continuous ground truth of the paper: A ~ some law, B = f(A) + noise with a random spline f.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "whence/core/shift.hpp"
#include "whence/math/spline.hpp"
#include "whence/mechanisms/mechanism.hpp"

namespace whence {

/// Where the cause lies and how it is spread; every law has standard deviation `scale`.
struct CauseLaw {
  enum class Kind { gaussian, laplace, bimodal };
  Kind kind = Kind::gaussian;
  double mean = 0;
  double scale = 2;

  /// The cause that belongs to a uniform number; of a Gaussian one, to a standard normal.
  double at(double u) const;
  double of_normal(double z) const { return mean + scale * z; }
};

constexpr std::string_view name_of(CauseLaw::Kind kind) {
  switch (kind) {
    case CauseLaw::Kind::gaussian: return "gaussian";
    case CauseLaw::Kind::laplace: return "laplace";
    case CauseLaw::Kind::bimodal: return "bimodal";
  }
  return "?";
}

/// How random splines are drawn: `anchors` points evenly over [-8, 8], values uniform on [-8, 8].
struct SplineKind {
  int anchors = 8;
  int degree = 2;
  double half_width = 8;
  Extrapolation outside = Extrapolation::linear;
};

Spline draw_spline(const SplineKind& kind, Stream& stream);

class SplineWorld {
 public:
  SplineWorld(SplineKind kind, CauseLaw cause, Spline mechanism, double noise = 1)
      : kind_(kind), cause_(cause), mechanism_(std::move(mechanism)), noise_(noise) {}

  static SplineWorld draw(const SplineKind& kind, const CauseLaw& cause, std::uint64_t seed,
                          std::uint32_t run);

  /// The world after a shift. cause: its mean ~ U(-4, 4). effect: B becomes N(mu, 2^2) with mu ~
  /// U(-4, 4), whatever A is (a hard intervention). mechanism: a new spline. both: cause and
  /// mechanism. There are no rows to redraw here: `row` is an Error.
  SplineWorld shifted(ShiftKind what, Stream stream) const;
  /// The same world with another mean of the cause.
  SplineWorld with_mean(double mean) const;

  /// Fills columns a and b, of equal length.
  void sample(Stream stream, std::span<double> a, std::span<double> b) const;

  const CauseLaw& cause() const { return cause_; }
  const Spline& mechanism() const { return mechanism_; }

 private:
  SplineKind kind_;
  CauseLaw cause_;
  Spline mechanism_;
  double noise_;
  bool cut_ = false;      // B ignores A
  CauseLaw effect_ = {};  // of B then
};

}  // namespace whence
