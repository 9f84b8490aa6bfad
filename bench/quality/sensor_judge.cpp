#include "bench/quality/sensor_judge.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include <fmt/format.h>

#include "whence/encoders/unsupervised.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

Matrix covariance_of(const Matrix& rows) {
  Matrix centred = rows;
  for (std::size_t j = 0; j < rows.columns; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) mean += rows(i, j) / double(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) centred(i, j) -= mean;
  }
  Matrix spread = product(transposed(centred), centred);
  for (double& x : spread.values) x /= double(rows.rows);
  return spread;
}

/// The multiple correlation of column `of` with the first `sensors` ones.
double multiple_correlation(const Matrix& covariance, std::size_t sensors, std::size_t of) {
  Matrix among(sensors, sensors);
  std::vector<double> with(sensors);
  for (std::size_t j = 0; j < sensors; ++j) {
    with[j] = covariance(j, of);
    for (std::size_t k = 0; k < sensors; ++k) among(j, k) = covariance(j, k);
  }
  const SymmetricEigen axes = symmetric_eigen(among);
  double explained = 0;
  for (std::size_t l = 0; l < sensors; ++l) {
    if (axes.values[l] < 1e-12 * axes.values[0]) continue;
    double along = 0;
    for (std::size_t j = 0; j < sensors; ++j) along += axes.vectors(j, l) * with[j];
    explained += along * along / axes.values[l];
  }
  return std::sqrt(std::min(1.0, explained / covariance(of, of)));
}

/// Some of the rows from `begin` to `end`.
Matrix rows_of(const Dataset& data, std::size_t begin, std::size_t end, std::size_t most) {
  const std::size_t n = std::min(end - begin, most);
  Matrix rows(n, data.variables.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j)
      rows(i, j) = data.columns[j].values[begin + i * (end - begin) / n];
  return rows;
}

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

SensorJudge::SensorJudge(const Dataset& sensors, const Matrix& hidden)
    : sensors_(sensors.variables.size()), hidden_(hidden.columns) {
  const std::size_t n = sensors.environments[0].rows(), first = sensors.environments[0].begin;
  Matrix rows(n, sensors_ + hidden_);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < sensors_; ++j) rows(i, j) = sensors.columns[j].values[first + i];
    for (std::size_t k = 0; k < hidden_; ++k) rows(i, sensors_ + k) = hidden(first + i, k);
  }
  covariance_ = covariance_of(rows);
  truth_ = Matrix(hidden_, sensors_ + hidden_);
  for (std::size_t k = 0; k < hidden_; ++k) {
    truth_(k, sensors_ + k) = 1;
    oracle_.push_back(multiple_correlation(covariance_, sensors_, sensors_ + k));
  }
}

RowMatch SensorJudge::match(const Matrix& rows) const {
  Matrix wide(rows.rows, sensors_ + hidden_);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < sensors_; ++j) wide(i, j) = rows(i, j);
  return match_rows(wide, truth_, covariance_);
}

double SensorJudge::oracle_mean() const { return mean_of(oracle_); }

double SensorJudge::over_all(const RowMatch& match) const {
  return std::accumulate(match.correlation.begin(), match.correlation.end(), 0.0) / double(hidden_);
}

double SensorJudge::random_floor() const {
  constexpr std::uint32_t draws = 200;
  double sum = 0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    Stream stream(0, Purpose::tests, {draw, 1, 0});
    Matrix random(hidden_, sensors_);
    for (std::size_t i = 0; i < hidden_; ++i)
      for (std::size_t j = 0; j < sensors_; ++j)  // in units of the columns
        random(i, j) = sample_normal(stream) / std::sqrt(covariance_(j, j));
    sum += over_all(match(random)) / draws;
  }
  return sum;
}

SensorTrial judge_sensors(const Dataset& sensors, const Matrix& hidden,
                          const std::vector<std::string>& hidden_names, std::size_t latents) {
  SensorTrial trial;
  trial.hidden = hidden.columns;
  const double start = processor_seconds();
  EncoderOptions options;
  options.mixing = Mixing::linear;
  options.latents = latents;
  const EncoderAnswer answer = find_encoder(sensors, options);
  trial.seconds = processor_seconds() - start;
  trial.verdict = name_of(answer.verdict);
  const SensorJudge judge(sensors, hidden);
  std::vector<const FoundLatent*> found;
  Matrix rows(0, sensors.variables.size());
  for (const FoundLatent& latent : answer.latents) {
    if (latent.weights.empty()) continue;
    found.push_back(&latent);
    rows.values.insert(rows.values.end(), latent.weights.begin(), latent.weights.end());
    ++rows.rows;
  }
  const RowMatch match = judge.match(rows);
  std::vector<double> named, named_oracle, every, every_oracle;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t k = match.latent[i];
    const double oracle = k < hidden.columns ? judge.oracle()[k] : 1, here = match.correlation[i];
    trial.rows.push_back(fmt::format("{} {} {:.3f} of {:.3f}", name_of(found[i]->kind),
                                     k < hidden.columns ? hidden_names[k] : "nothing", here,
                                     oracle));
    every.push_back(here);
    every_oracle.push_back(oracle);
    if (found[i]->kind == LatentKind::unresolved) {
      ++trial.unresolved;
      continue;
    }
    constexpr double close = 0.9;
    const bool wrong = here < close * oracle, label = found[i]->kind == LatentKind::latent;
    named.push_back(here);
    named_oracle.push_back(oracle);
    ++trial.named;
    trial.wrong += wrong;
    trial.labels += label;
    trial.wrong_labels += wrong && label;
  }
  trial.correlation = mean_of(named);
  trial.oracle = mean_of(named_oracle);
  trial.every = mean_of(every);
  trial.every_oracle = mean_of(every_oracle);
  trial.oracle_mean = judge.oracle_mean();
  constexpr std::size_t most_rows = 6000;
  for (const Matrix& seen :
       {rows_of(sensors, 0, sensors.rows(), most_rows),
        rows_of(sensors, sensors.environments[0].begin, sensors.environments[0].end, most_rows)}) {
    const auto reached = [&](const Matrix& rival) { return judge.over_all(judge.match(rival)); };
    trial.rivals[0] = std::max(trial.rivals[0], reached(independent_components(seen)));
    trial.rivals[1] = std::max(trial.rivals[1], reached(principal_components(seen)));
  }
  trial.rivals[2] = judge.random_floor();
  return trial;
}

}  // namespace whence
