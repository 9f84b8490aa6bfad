// Undoing a rotation of the plane: the angle whose coordinates the environments change one at a
// time.
//
// At the right angle every environment changes the law of U (its cause shifted), or leaves it alone
// (only what follows from U shifted), or both, or nothing. J(angle) is the log-evidence of that,
// summed over the environments; exp J is the posterior of the angle on [0, pi), the direction U ->
// V included: a quarter turn further stands V -> U.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "whence/evidence/encoder/plane_evidence.hpp"

namespace whence {

struct RotationSearch {
  int angles = 60;             // of the first look, over half a turn
  double gate = 4;             // nats: environments with less evidence of any change are left out
  double most_candidates = 3;  // maxima of J that are looked at closely
  int threads = 1;
  std::function<void()> pulse = {};  // called now and then: it may throw to stop the search
};

/// What all environments say about the angle. U = cos(angle) x + sin(angle) y.
struct RotationAnswer {
  std::vector<double> angles, objective;  // the first look: J over [0, pi)
  double angle = 0, sd = 0;               // the best, and the width of its basin
  double low = 0, high = 0;               // where 95 % of the posterior lie, around the best angle
  double width = 0;      // of all angles that the most probable 95 % take, in radians
  double direction = 0;  // P(U -> V): the posterior within an eighth of a turn of the best angle
  double depth = 0;      // nats between the best angle and the best one further than .2 rad from it
  std::array<double, plane_changes> shares{};  // how often each change happens, over environments
  std::vector<double> evidence;                // that anything changed, of each environment
  std::vector<bool> counted;                   // which environments passed the gate
  std::vector<std::array<double, plane_changes>> changes;  // P of each, at the best angle

  std::size_t shifted() const;
};

/// The first environment is the baseline. At least two environments with rows.
RotationAnswer find_rotation(std::span<const PlanePoints> environments,
                             const RotationSearch& how = {});

/// One environment's share of J, for callers that take environments one at a time: `along` is the
/// evidence that the law of U changed, `anywhere` that anything did; `shares` sum to one.
double change_objective(double along, double anywhere,
                        const std::array<double, plane_changes>& shares);

/// P(nothing, cause, effect, both) of one environment.
std::array<double, plane_changes> change_posterior(double along, double anywhere,
                                                   const std::array<double, plane_changes>& shares);

}  // namespace whence
