// From raw columns to the variables that shifts act on one at a time: the encoder, what each
// environment changed, and where the data cannot say, that they cannot.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/mixing.hpp"
#include "whence/core/remark.hpp"
#include "whence/discover/encoder/find_rotation.hpp"
#include "whence/discover/encoder/find_unmixing.hpp"
#include "whence/discover/encoder/latent_effects.hpp"

namespace whence {

struct EncoderOptions {
  std::optional<Mixing> mixing;  // default: a rotation of two columns, a matrix of more
  std::size_t latents = 0;       // at most so many; 0: as many as columns
  std::size_t baseline = 0;      // the environment that is unchanged by definition
  int threads = 1;
  std::size_t max_memory = std::size_t(4) << 30;  // fewer threads rather than more; then refused
  std::function<void()> pulse = {};  // called now and then: it may throw to stop the search
};

/// An encoder, or why there is none.
enum class EncoderVerdict {
  encoder,
  noises_only,     // shifts that leave causes attached show noises, not latents
  one_per_latent,  // every latent was changed once, and twice are needed
  no_shift,        // no environment changed anything
  too_few_shifts,  // one did
  all_changed,     // environments change everything at once
  undecided,       // too many angles, or no direction, fit the data
};
std::string_view name_of(EncoderVerdict verdict);
std::string_view name_of(LatentKind kind);

/// One variable behind the columns.
struct FoundLatent {
  std::string name;
  LatentKind kind = LatentKind::unresolved;
  double probability = 0;            // that this is what the row stands for
  std::vector<double> weights = {};  // of the raw columns; empty where nothing is known
  std::vector<double> sd = {};       // of the weights, by chance alone
  bool saturated = false;            // environments differ too clearly for the row to be tested
};

struct EncoderEnvironment {
  std::string name;
  std::size_t rows = 0;
  bool baseline = false;
  EnvironmentKind kind = EnvironmentKind::unchanged;
  std::vector<std::optional<double>> changed;  // P(the latent's mechanism changed); none: unknown
};

struct EncoderAnswer {
  std::vector<std::string> columns;
  Mixing mixing = Mixing::rotation;
  EncoderVerdict verdict = EncoderVerdict::undecided;
  std::optional<RotationAnswer> rotation;  // of a rotation, also where the verdict is against it
  std::vector<FoundLatent> latents;
  std::vector<EncoderEnvironment> environments;  // in the data's order
  double direction = 0.5;                        // of a rotation: P(first latent causes the second)
  std::vector<LatentEffect> effects;             // of a matrix: what latents do to each other
  std::vector<Remark> remarks;
};

/// Real columns only, of dimension one. Errors of code bad_data say which columns or environments
/// do not fit, and what to do.
EncoderAnswer find_encoder(const Dataset& data, const EncoderOptions& options = {});

/// The latents of every row of the data, [row][latent]; only those with weights.
Matrix encode(const EncoderAnswer& answer, const Dataset& data);

}  // namespace whence
