// The waist of the house: online log-likelihoods per (episode, family, step), in nats.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/core/family.hpp"

namespace whence {

/// log P(mini-batch | family, everything seen before it), evaluated before each update.
/// Whatever fills it (gradient or conjugate adaptation, CPU or GPU), what reads it is the same.
class Scores {
 public:
  Scores(std::size_t episodes, std::size_t families, std::size_t steps)
      : episodes_(episodes),
        families_(families),
        steps_(steps),
        log_lik_(episodes * families * steps) {}

  std::size_t episodes() const { return episodes_; }
  std::size_t families() const { return families_; }
  std::size_t steps() const { return steps_; }

  std::span<double> of(EpisodeId e, FamilyId f) {
    return {&log_lik_[(e.value * families_ + f.value) * steps_], steps_};
  }
  std::span<const double> of(EpisodeId e, FamilyId f) const {
    return {&log_lik_[(e.value * families_ + f.value) * steps_], steps_};
  }

  /// log L_h of one episode: the sum over the hypothesis' families and all steps, in index order.
  double log_lik(EpisodeId e, const Hypothesis& h) const {
    double sum = 0;
    for (std::size_t t = 0; t < steps_; ++t) sum += log_lik(e, h, t);
    return sum;
  }
  /// The same for a single step.
  double log_lik(EpisodeId e, const Hypothesis& h, std::size_t step) const {
    double sum = 0;
    for (FamilyId f : h.families) sum += of(e, f)[step];
    return sum;
  }

 private:
  std::size_t episodes_, families_, steps_;
  std::vector<double> log_lik_;
};

/// Delta = log L_h1 - log L_h2 of each episode: positive favours h1.
inline std::vector<double> log_odds(const Scores& scores, const Hypothesis& h1,
                                    const Hypothesis& h2) {
  std::vector<double> delta(scores.episodes());
  for (std::size_t e = 0; e < delta.size(); ++e)
    delta[e] = scores.log_lik(EpisodeId(e), h1) - scores.log_lik(EpisodeId(e), h2);
  return delta;
}

}  // namespace whence
