#include "whence/discover/encoder/encoder_tournament.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numbers>

#include "whence/discover/encoder/find_rotation.hpp"
#include "whence/evidence/encoder/plane_evidence.hpp"

namespace whence {

namespace {

/// One start on its way.
struct Runner {
  double angle = 0, squares = 1e-8, score = 0, gamma = 0;
  std::vector<double> path;  // angles after each counted episode

  /// Later angles count; angles are near each other by then, so their mean is one.
  double settled() const {
    if (path.empty()) return angle;
    const std::size_t from = path.size() / 2;
    double sum = 0;
    for (std::size_t i = from; i < path.size(); ++i)
      sum += std::remainder(path[i] - path.back(), half_turn);
    return path.back() + sum / double(path.size() - from);
  }
};

/// One episode against the training rows, or against an earlier episode.
class Comparison {
 public:
  Comparison(const PlanePoints& reference, const PlanePoints& episode)
      : points_{reference, episode}, plane_(points_), anywhere_(plane_.anywhere()[0]) {}
  Comparison(const Comparison&) = delete;  // the evidence keeps a view of the points
  Comparison& operator=(const Comparison&) = delete;

  double anywhere() const { return anywhere_; }
  double along(double angle) const { return plane_.along(angle)[0]; }

  /// Heat divides evidences: above one, hills are lower and wider.
  double at(double angle, double heat) const {
    constexpr std::array<double, plane_changes> shares = {0.1, 0.44, 0.44, 0.02};
    return heat * change_objective(along(angle) / heat, anywhere_ / heat, shares);
  }

 private:
  std::array<PlanePoints, 2> points_;
  PlaneEvidence plane_;
  double anywhere_;
};

/// What one episode says of an angle, beside the training rows and the episodes before it.
class EpisodeScore {
 public:
  EpisodeScore(const PlanePoints& training, const std::deque<PlanePoints>& before,
               const PlanePoints& episode) {
    comparisons_.emplace_back(training, episode);
    for (const PlanePoints& earlier : before) comparisons_.emplace_back(earlier, episode);
  }

  /// The evidence that the episode differs from the training rows at all.
  double changed() const {
    const Comparison& training = comparisons_.front();
    double most = training.anywhere();
    for (int i = 0; i < 4; ++i) most = std::max(most, training.along(half_turn * i / 4));
    return most;
  }
  double at(double angle, double heat) const {
    double sum = 0;
    for (const Comparison& one : comparisons_) sum += one.at(angle, heat);
    return sum;
  }

 private:
  std::deque<Comparison> comparisons_;  // never moves what it holds
};

void follow(Runner& runner, const EpisodeScore& episode, const EncoderTournament& how,
            double heat) {
  const double high = episode.at(runner.angle + how.probe / 2, heat);
  const double low = episode.at(runner.angle - how.probe / 2, heat);
  const double slope = std::clamp((high - low) / how.probe, -how.steepest, how.steepest);
  const double here = (high + low) / 2;
  runner.score = how.memory * runner.score + here;
  runner.gamma += here - episode.at(runner.angle + half_turn / 2, heat);
  runner.squares += slope * slope;
  const double step = how.rate * slope / std::sqrt(runner.squares);
  runner.angle += std::clamp(step, -how.longest_step, how.longest_step);
  runner.path.push_back(runner.angle);
}

}  // namespace

TournamentResult run_tournament(const PlanePoints& training,
                                const std::function<PlanePoints(std::size_t)>& episode,
                                std::size_t episodes, const EncoderTournament& how) {
  std::vector<Runner> runners(how.starts);
  for (std::size_t i = 0; i < how.starts; ++i)
    runners[i].angle = how.first_angle + half_turn * double(i) / double(how.starts);
  TournamentResult result;
  const auto better = [](const Runner& a, const Runner& b) { return a.score > b.score; };
  std::deque<PlanePoints> before;  // episodes that changed something, the latest first
  for (std::size_t k = 0; k < episodes; ++k) {
    PlanePoints now = episode(k);
    const EpisodeScore score(training, before, now);
    if (score.changed() > how.gate) {
      const double heat = std::max(1.0, how.heat * std::pow(how.cooling, double(result.counted)));
      for (Runner& runner : runners) follow(runner, score, how, heat);
      ++result.counted;
      std::stable_sort(runners.begin(), runners.end(), better);
      if (result.counted % std::size_t(how.round) == 0 && runners.size() > how.survivors)
        runners.resize(std::max(how.survivors, (runners.size() + 1) / 2));
      before.push_front(std::move(now));
      if (before.size() > how.earlier) before.pop_back();
    }
    result.angle.push_back(runners[0].angle);
    result.gamma.push_back(runners[0].gamma);
  }
  result.answer = runners[0].settled();
  return result;
}

}  // namespace whence
