// Evidence from environment labels about one number per row, counted on a grid.
//
// The number is a normal score: the rank among all rows, bent onto the standard normal law. So the
// family of the number leaks nothing, and one set of smooth functions serves every number. Log odds
// of the label are such a function; its coefficients have independent normal priors that ask for
// smoothness. Evidences are Laplace's approximation, the intercept at its best value.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace whence {

inline constexpr std::size_t score_cells = 64;     // on [-4, 4]
inline constexpr double score_limit = 4;           // scores beyond it are counted at the end
inline constexpr std::size_t score_functions = 9;  // natural splines, the smoothest first

using ScoreCounts = std::array<double, score_cells>;
using ScoreWeights = std::array<double, score_functions>;  // one number per function
using ScoreBasis = std::array<ScoreWeights, score_cells>;  // [cell][function]

/// Natural splines, orthonormal under the standard normal law, the smoothest first
/// (Demmler-Reinsch); the first is a straight line.
const ScoreBasis& score_basis();

/// Prior variances of the coefficients before any data: function j has j^-2. (Smoother priors, such
/// as j^-4, miss the wiggles of laws with several humps and then call every change a double one.)
ScoreWeights smooth_prior();

/// A fitted function of the score, and how well it separates the environment from the reference.
struct ScoreFit {
  double log_evidence = 0;      // against labels that depend on nothing
  double intercept = 0;         // of the log odds, beyond the ratio of the numbers of rows
  ScoreWeights coefficients{};  // at the mode
  ScoreWeights spread{};        // variances of the coefficients around it
};

/// Rows of an environment against rows of the reference. `start` warms the search up.
ScoreFit fit_scores(const ScoreCounts& environment, const ScoreCounts& reference,
                    const ScoreWeights& variances, const ScoreFit& start = {});

/// log-evidence that each environment differs from the reference (at `counts[0]`) in the law of the
/// score. Prior variances are learnt from all environments together. One number per environment
/// after the first.
void change_evidence(std::span<const ScoreCounts> counts, std::span<double> evidence);

/// log-evidence that the laws of all these environments differ, by one model for all labels: each
/// has its own smooth tilt of one common law of any shape. `parts`, where given, become the shares
/// of the environments, which add up to it.
double difference_evidence(std::span<const ScoreCounts* const> counts,
                           std::span<double> parts = {});

}  // namespace whence
