// Algorithm 1 with an encoder, made right: episodes arrive one at a time, the angle follows the
// gradient of what each says, and gamma adds up beside it. Two things differ from the paper.
//
// The regret is scored by the labels of an episode's rows against the training rows, so that no
// density has to be learnt at every angle. And several starts run side by side, of which the worse
// half goes out now and then: the regret has two or three minima in half a turn, and a single start
// ends in the nearest.
//
// Two things lead there. At first evidences are divided by a heat: where an effect is set by force,
// "both changed" is as good at every angle but those next to the right one, and there is no slope
// to follow. And an episode is compared with those before it, not only with the training rows,
// whose sampling error is the same in every episode.
//
// An episode counts only where it changed anything: without that gate gamma wanders to one side
// when nothing shifts.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "whence/evidence/encoder/plane_evidence.hpp"

namespace whence {

struct EncoderTournament {
  std::size_t starts = 8;                    // evenly over half a turn
  std::size_t survivors = 2;                 // never fewer
  int round = 15;                            // counted episodes between two eliminations
  double rate = 0.1;                         // of Adagrad
  double longest_step = 0.15, probe = 0.04;  // radians
  double steepest = 30;                      // nats per radian: steeper slopes count as that
  double heat = 30, cooling = 0.9;           // falls to one; per counted episode
  std::size_t earlier = 3;                   // episodes that each is compared with
  double memory = 0.98;                      // of a start's score, from episode to episode
  double gate = 4;                           // nats
  double first_angle = 0.1;                  // of the first start
};

struct TournamentResult {
  std::vector<double> angle, gamma;  // of the leading start, after each episode
  std::size_t counted = 0;           // episodes beyond the gate
  double answer = 0;                 // mean of the winner's later angles
  /// Fewer than two episodes changed anything: neither angle nor gamma mean anything.
  bool open() const { return counted < 2; }
};

/// `episode(k)` gives the points of episode k; `training` those of the training distribution.
/// U = cos(angle) x + sin(angle) y, as for find_rotation.
TournamentResult run_tournament(const PlanePoints& training,
                                const std::function<PlanePoints(std::size_t)>& episode,
                                std::size_t episodes, const EncoderTournament& how = {});

}  // namespace whence
