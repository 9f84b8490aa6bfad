// Which of two categorical variables causes the other, from episodes too short to learn from.
//
// Modules that were trained for both directions never hold quite the same joint distribution, and
// over many episodes that small difference adds up to an answer even where nothing shifts. So an
// episode in which nothing changed counts the same for both directions, whatever their modules say
// of it; only what changed is scored, and that nothing ever changes is as likely as anything else
// at first. A changed mechanism is not adapted by gradient steps, for
// which 20 examples are too few, but integrated out: Dirichlet laws around the module, or around
// the even law, whichever predict better.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "whence/math/dense.hpp"

namespace whence {

/// What the modules know of the training distribution: log-probabilities, [level of the
/// cause][level of the effect]; those without a cause have one row.
struct PairModules {
  Matrix first, second;                           // A, and B, alone
  Matrix second_given_first, first_given_second;  // B given A, and A given B
};

/// The four modules of a joint distribution, [A][B].
PairModules modules_of(const Matrix& joint);

/// One of A -> B, B -> A, no link.
inline constexpr std::size_t pair_graphs = 3;

class ChangeBelief {
 public:
  explicit ChangeBelief(PairModules modules);

  /// Learns from one episode: levels of A and of B, row by row.
  void see(std::span<const int> a, std::span<const int> b);

  /// P(A -> B), P(B -> A), P(no link) after all episodes so far, even before them.
  std::array<double, pair_graphs> graphs() const;
  /// How often each mechanism of a graph changed, so far: the cause's, the effect's.
  std::array<double, 2> change_rates(std::size_t graph) const;

 private:
  struct Hypothesis {
    double log_evidence = 0;          // if mechanisms change in some episodes ...
    double still = 0;                 // ... and if none ever does: the same for both directions
    std::array<double, 2> changed{};  // expected number of episodes that changed each mechanism
  };
  /// log-likelihood of an episode as trained, and with the mechanism redrawn.
  struct Scores {
    double trained = 0, redrawn = 0;
  };

  Scores score(const Matrix& module, std::span<const int> cause, std::span<const int> effect) const;
  void count(Hypothesis& hypothesis, const Scores& cause, const Scores& effect, double unchanged);

  PairModules modules_;
  std::array<Hypothesis, pair_graphs> hypotheses_;  // A -> B, B -> A, no link
  double episodes_ = 0;
};

}  // namespace whence
