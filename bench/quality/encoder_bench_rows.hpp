// The rows of `bench encoders`: kinds of worlds, and what is asked of the answers.
#pragma once

#include <string>
#include <vector>

#include "whence/worlds/mixed_world.hpp"

namespace whence {

/// One kind of world, and what is asked of the answers.
struct EncoderBenchRow {
  std::string name;
  MixedSpec spec;
  double rate = -1;  // at least this share of the reported within .05 rad, or rows over .95
  double abstain_most = -1, abstain_least = -1;
  bool coverage = false;     // 95 % ranges must hold the truth in 88 to 99 of 100
  double targets = -1;       // share of single targets found
  double seconds = -1;       // of the processor
  bool warned = false;       // or warned of in 95 %
  bool honest = false;       // wrong labels "latent" in 2 % of rows at most
  double share = 1;          // of the worlds of the scale
  bool say_latents = false;  // the engine gets their number

  bool sensors() const { return spec.sensors != SensorKind::exact; }
};

/// All rows, or those named by `only`: a name, or the beginning of some with a star.
std::vector<EncoderBenchRow> encoder_bench_rows(const std::vector<std::string>& only);

}  // namespace whence
