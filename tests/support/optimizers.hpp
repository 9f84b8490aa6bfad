// One of each optimizer, by name.
#pragma once

#include <string>
#include <vector>

#include "whence/math/optimizer.hpp"

namespace whence::support {

struct NamedOptimizer {
  std::string name;
  OptimizerSpec spec;
};

inline std::vector<NamedOptimizer> all_optimizers() {
  using Kind = OptimizerSpec::Kind;
  return {
      {"sgd", {.kind = Kind::sgd, .learning_rate = 0.5}},
      {"momentum", {.kind = Kind::sgd, .learning_rate = 0.2, .momentum = 0.9}},
      {"nesterov", {.kind = Kind::sgd, .learning_rate = 0.2, .momentum = 0.9, .nesterov = true}},
      {"rmsprop", {.kind = Kind::rmsprop, .learning_rate = 0.1}},
      {"rmsprop with momentum", {.kind = Kind::rmsprop, .learning_rate = 0.05, .momentum = 0.8}},
      {"adam", {.kind = Kind::adam, .learning_rate = 0.1}},
      {"adam with short memory",
       {.kind = Kind::adam, .learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3}},
  };
}

}  // namespace whence::support
