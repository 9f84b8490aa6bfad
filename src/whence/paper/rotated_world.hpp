// A spline world that is seen through a rotation: what an encoder has to undo.
#pragma once

#include <numbers>
#include <utility>

#include "whence/encoders/rotation.hpp"
#include "whence/paper/encoder_learning.hpp"

namespace whence {

/// Angles are counted in quarter turns: each exchanges the variables, and nothing else.
inline constexpr double quarter_turn = std::numbers::pi / 2;

struct RotatedWorld {
  SplineWorld world;
  Rotation decoder;
  std::size_t batch;
  RunKey key;

  /// Observations (X, Y) of the world as it is given.
  PairColumns observe(const SplineWorld& as_it_is, Purpose purpose, Cell cell) const {
    const PairColumns hidden = draw_columns(as_it_is, batch, purpose, key.seed, cell);
    Encoded seen = decoder.encode(hidden.a, hidden.b);
    PairColumns columns;
    columns.a = std::move(seen.u);
    columns.b = std::move(seen.v);
    return columns;
  }

  /// Every meta-iteration shifts the world anew.
  ObservationSource source(ShiftKind kind = ShiftKind::cause) const {
    return {[self = *this](std::uint32_t k, std::uint32_t step) {
              return self.observe(self.world, Purpose::training, {self.key.run, k, step});
            },
            [self = *this, kind](std::uint32_t k, std::uint32_t step) {
              const Stream stream(self.key.seed, Purpose::shift, {self.key.run, k, 0});
              return self.observe(self.world.shifted(kind, stream), Purpose::sample,
                                  {self.key.run, k, step});
            }};
  }
};

}  // namespace whence
