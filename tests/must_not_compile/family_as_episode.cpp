// Scores are read by (episode, family), in that order.
#include "whence/core/scores.hpp"

double first_score(const whence::Scores& scores) {
#ifdef CONTROL
  return scores.of(whence::EpisodeId(0), whence::FamilyId(1))[0];
#else
  return scores.of(whence::FamilyId(1), whence::EpisodeId(0))[0];
#endif
}
