// How near rows of weights come to hidden columns that sensors mix: beside the best linear rows,
// FastICA, principal components and random rows.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/discover/encoder/find_encoder.hpp"
#include "whence/judge/encoder_evaluation.hpp"

namespace whence {

/// What sensors showed, and what was behind them: both only in the baseline, where correlations are
/// taken.
class SensorJudge {
 public:
  /// `hidden` is [row][column], its rows those of the data; the first environment is the baseline.
  SensorJudge(const Dataset& sensors, const Matrix& hidden);

  /// Each row of weights with the hidden column that it shows, no column twice.
  RowMatch match(const Matrix& rows) const;
  /// Correlations of the best linear rows, one for each hidden column.
  const std::vector<double>& oracle() const { return oracle_; }
  double oracle_mean() const;
  /// Mean correlation with all hidden columns, of so many random rows.
  double random_floor() const;
  /// Mean over all hidden columns: those without a row count as zero.
  double over_all(const RowMatch& match) const;

 private:
  std::size_t sensors_, hidden_;
  Matrix covariance_;  // of sensors, then hidden columns
  Matrix truth_;       // rows that pick hidden columns
  std::vector<double> oracle_;
};

/// What this thread has used so far.
double processor_seconds();

/// What one set of sensors gave.
struct SensorTrial {
  std::string verdict;
  std::size_t hidden = 0, named = 0, unresolved = 0;  // rows by what they are called
  std::size_t labels = 0;                             // rows called latent
  std::size_t wrong = 0, wrong_labels = 0;            // named rows below .9 of the oracle's
  double correlation = 0, oracle = 0;  // mean of the named rows, and the oracle's there
  double every = 0, every_oracle = 0;  // mean of all rows, and the oracle's there
  double oracle_mean = 0;              // of all hidden columns
  std::array<double, 3> rivals{};      // FastICA, PCA, random: all hidden columns
  std::vector<std::string> rows;       // in words: what it is, of which column
  double seconds = 0;                  // of the processor
};

/// `latents` as for find_encoder.
SensorTrial judge_sensors(const Dataset& sensors, const Matrix& hidden,
                          const std::vector<std::string>& hidden_names, std::size_t latents);

}  // namespace whence
