// Undoing a linear mixture of any number of latents: environments that changed the same latent
// differ along one direction, and that direction is a row of the unmixing matrix.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "whence/evidence/encoder/single_index.hpp"

namespace whence {

/// What a row of the unmixing matrix stands for.
enum class LatentKind {
  latent,     // two or more environments set it, whatever its causes: the latent itself
  noise,      // what is new in it, beyond its causes; the latent itself where it has no causes
  unresolved  // a direction that may be either, or a mixture of several; or nothing is known
};

struct LatentRow {
  std::vector<double> weights;  // of the raw columns; variance one in the baseline
  Matrix chance;                // covariance of the weights, as far as chance goes
  LatentKind kind = LatentKind::unresolved;
  std::vector<std::size_t> environments;  // that changed it, counted after the baseline
  double gain = 0;                        // nats by which it predicts the environment
  double probability = 0;                 // that one direction is enough for all of them
  double p = 1;                           // of the worst lack of fit among them
  bool saturated =
      false;             // some of them differ so much that nothing could have shown that it is not
  bool mixture = false;  // it may well stand for several latents at once
};

/// What became of an environment.
enum class EnvironmentKind { unchanged, one_latent, unresolved };

struct UnmixingAnswer {
  std::vector<LatentRow> rows;                // the best supported first
  std::vector<EnvironmentKind> environments;  // after the baseline
  std::size_t pairs = 0;                      // of environments that were compared
};

struct UnmixingSearch {
  std::size_t latents = 0;  // at most so many, unresolved ones among them; 0: as many as columns,
                            // and only rows that stand for something
  double level = 1e-3;      // one direction is given up below this probability
  IndexSearch index;
  int threads = 1;
  std::function<void()> pulse = {};  // called now and then: it may throw to stop the search
};

/// Rows of each environment, [row][column], the baseline first.
UnmixingAnswer find_unmixing(std::span<const Matrix> environments, const UnmixingSearch& how = {});

}  // namespace whence
