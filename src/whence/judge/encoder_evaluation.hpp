// How near an encoder came to the truth of a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "whence/io/json/json.hpp"
#include "whence/math/dense.hpp"
#include "whence/worlds/mixed_world.hpp"

namespace whence {

/// The object of truth.json.
Json mixed_truth_json(const MixedSpec& spec, const MixedWorld& world, std::uint64_t seed);

/// Rows of weights against true rows, by the correlation of what they give in the baseline.
struct RowMatch {
  std::vector<double> correlation;  // of each found row with its latent
  std::vector<std::size_t> latent;  // which one that is; no latent has two rows
  double mean() const;              // 0 without rows
  std::size_t above(double threshold) const;
};
RowMatch match_rows(const Matrix& found, const Matrix& truth, const Matrix& covariance);

/// What random rows reach on average: without it a correlation says nothing.
double random_floor(const Matrix& truth, const Matrix& covariance);

struct EncoderEvaluation {
  std::string verdict;
  std::optional<double> angle_error;             // radians, up to quarter turns
  std::optional<bool> covered;                   // by the interval
  std::optional<bool> direction;                 // right
  std::size_t latents = 0, rows = 0, above = 0;  // rows with correlation over .95
  double correlation = 0, floor = 0;             // mean of the rows; of random rows
  std::size_t judged = 0, right = 0;             // environments, and those judged right
  std::size_t effects = 0, true_effects = 0;     // stated; those of a cause on what follows from it
};

/// `result` is the object of whence disentangle, `truth` that of whence simulate mixed; the files
/// are named in errors, which are of code bad_data.
EncoderEvaluation evaluate_encoder(const Json& result, const std::string& result_file,
                                   const Json& truth, const std::string& truth_file);

Json encoder_evaluation_json(const EncoderEvaluation& evaluation);

}  // namespace whence
