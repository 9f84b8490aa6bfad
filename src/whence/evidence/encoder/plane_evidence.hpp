// Evidence from environment labels about points in the plane: along any direction, and about the
// plane as a whole.
#pragma once

#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "whence/evidence/encoder/score_evidence.hpp"

namespace whence {

/// What a line through the origin turns before it is itself again.
inline constexpr double half_turn = std::numbers::pi;

/// The points of one environment.
struct PlanePoints {
  std::vector<double> x, y;
};

/// Environments of points; the first is the reference. Keeps a view of the points.
class PlaneEvidence {
 public:
  explicit PlaneEvidence(std::span<const PlanePoints> environments);

  std::size_t environments() const { return points_.size(); }  // with the reference

  /// Normal scores of u = cos(angle) x + sin(angle) y, counted for each environment. Ranks are
  /// among all points.
  std::vector<ScoreCounts> counts(double angle) const;

  /// log-evidence that the law of u changed, one number per environment after the reference.
  std::vector<double> along(double angle) const;

  /// log-evidence that the law of the points changed in any way: products of smooth functions of
  /// two uncorrelated coordinates. It does not depend on an angle.
  std::vector<double> anywhere() const;

 private:
  struct Range {
    double middle = 0, reach = 0;
  };
  std::span<const PlanePoints> points_;
  Range range_x_, range_y_;
};

/// What an environment changed, U being the cause.
enum class PlaneChange { nothing, cause, effect, both };
inline constexpr std::size_t plane_changes = 4;

/// How much evidence the two directions get from how one law and another changed: of all
/// environments, those in `cause` support u by differing along it, those in `effect` by not
/// differing. Relative to any other angle only. `parts`, where given, become the shares of the
/// environments (the reference first), which add up to it.
double pooled_evidence(std::span<const ScoreCounts> counts, std::span<const PlaneChange> changes,
                       std::span<double> parts = {});

}  // namespace whence
