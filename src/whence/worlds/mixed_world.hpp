// Latents behind a mixture: a hidden structural model, observed through a rotation or a
// matrix, with environments that change its mechanisms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/mixing.hpp"
#include "whence/math/dense.hpp"
#include "whence/worlds/spline_world.hpp"

namespace whence {

/// What environments change. Of two latents: one of them, either, or what `some` draws. Of any
/// number: hard (the latent no longer listens), soft (its noise), none.
enum class MixedShift { none, cause, effect, mixed, some, both, hard, soft };
inline constexpr std::array all_mixed_shifts = {
    MixedShift::none, MixedShift::cause, MixedShift::effect, MixedShift::mixed,
    MixedShift::some, MixedShift::both,  MixedShift::hard,   MixedShift::soft};
constexpr std::string_view name_of(MixedShift shift) {
  constexpr std::string_view names[] = {"none", "cause", "effect", "mixed",
                                        "some", "both",  "hard",   "soft"};
  return names[std::size_t(shift)];
}

/// What sensors make of a linear mixture of the latents. All but `exact` have offsets and noise.
enum class SensorKind {
  exact,           // the mixture itself
  additive,        // noise of one size
  multiplicative,  // noise in proportion to the signal
  saturating,      // large signals are compressed
  quantised,       // readings in steps
  heavy_tailed,    // noise with rare large values
  crosstalk        // neighbours share their noise
};
inline constexpr std::array all_sensor_kinds = {
    SensorKind::exact,      SensorKind::additive,  SensorKind::multiplicative,
    SensorKind::saturating, SensorKind::quantised, SensorKind::heavy_tailed,
    SensorKind::crosstalk};
constexpr std::string_view name_of(SensorKind kind) {
  constexpr std::string_view names[] = {"exact",     "additive",     "multiplicative", "saturating",
                                        "quantised", "heavy-tailed", "crosstalk"};
  return names[std::size_t(kind)];
}

struct MixedSpec {
  Mixing mixing = Mixing::rotation;
  MixedShift shift = MixedShift::cause;
  std::size_t latents = 2;                        // a rotation has two
  bool splines = true;                            // mechanisms: random splines, or lines
  CauseLaw::Kind law = CauseLaw::Kind::gaussian;  // of the cause of a rotation; of all noises else
  /// Shifted environments of a rotation. Of a matrix: so many for each latent (`least` to `most`),
  /// then some that change nothing and some that change two latents.
  std::size_t environments = 20;
  std::size_t least = 2, most = 4, unchanged = 2, double_targets = 2;
  std::size_t rows = 1000, baseline_rows = 10000;
  double links = 0.5;       // of a matrix: how often a latent listens to an earlier one
  std::size_t columns = 0;  // of a matrix: no fewer than latents; 0: as many
  SensorKind sensors = SensorKind::exact;
};

struct MixedWorld {
  Dataset data;      // raw columns x1, x2, ...; baseline first
  Matrix latents;    // [row][latent], as the rows of data
  Matrix noises;     // what is new in each latent, [row][latent]
  Matrix unmixing;   // latents = unmixing * raw columns; of sensors: the rows that come nearest
  double angle = 0;  // of a rotation: cause = cos x1 + sin x2
  std::vector<std::vector<std::size_t>> parents;  // of each latent
  std::vector<std::vector<std::size_t>> targets;  // of each environment, the baseline's empty
};

/// Drawn from `seed` and `run` alone.
MixedWorld draw_mixed_world(const MixedSpec& spec, std::uint64_t seed, std::uint32_t run);

}  // namespace whence
