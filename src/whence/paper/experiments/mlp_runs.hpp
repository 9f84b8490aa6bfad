// The runs behind belief_mlp: edge beliefs over neural modules, learnt as the paper prints it, as
// its code does it, and corrected.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "whence/belief/edges.hpp"
#include "whence/paper/tasks/mlp_task.hpp"

namespace whence {

struct MlpShift {
  EpisodeShift::Kind kind;
  const char *id, *label;
};
inline constexpr std::array mlp_shifts = {
    MlpShift{EpisodeShift::Kind::cause, "cause", "cause shifts"},
    MlpShift{EpisodeShift::Kind::either, "either", "shifts on either variable"},
    MlpShift{EpisodeShift::Kind::none, "none", "no shift"}};

/// How long an episode of the corrected row is: long enough to decide, or as the paper's.
struct MlpEpisodeLength {
  const char *id, *label, *steps, *batch;  // the last two are keys of the settings
};
inline constexpr std::array mlp_episode_lengths = {
    MlpEpisodeLength{"", "corrected", "corrected.steps", "corrected.batch"},
    MlpEpisodeLength{"short-", "corrected, short episodes", "printed.steps", "printed.batch"}};

/// How far the edges are from the truth after each episode, and what was counted on the way.
struct MlpPath {
  std::vector<double> bits, distance;  // cross-entropy; structural Hamming distance
  EdgeMatrix log_odds;                 // at the end, [cause][effect]
  int clamped = 0, rejected = 0;
  std::vector<std::vector<double>> effective_samples;  // per sampled episode and node

  void add(const EdgeMatrix& odds, const Graph& truth) {
    bits.push_back(cross_entropy_bits(odds, truth));
    distance.push_back(hamming_distance(odds, truth).total());
    log_odds = odds;
  }
};

/// What is the same for all rows of one size.
struct MlpSetup {
  Graph truth;
  std::size_t variables, episodes;
  int levels;
  std::vector<Variable> list;

  MlpSetup(const Settings& settings, std::uint64_t seed, int n)
      : truth(graph_of(settings, seed)),
        variables(truth.variables()),
        episodes(std::size_t(settings.integer("episodes"))),
        levels(n),
        list(letter_variables(variables, n)) {}
  std::size_t input_units() const { return variables * std::size_t(levels); }
};

/// Rows of the experiment: each is one job per run.
enum class MlpRow { printed, released, corrected };

/// The paths of one run of a row: one, or of the corrected row, for each length of episodes and
/// each shift, γ from all episodes so far, γ from each episode alone, and exact Bayes; of two
/// variables also what changed, by the modules and by the true training distribution.
std::vector<MlpPath> run_mlp_row(const Settings& settings, const MlpSetup& setup, MlpRow row,
                                 RunKey key);

}  // namespace whence
