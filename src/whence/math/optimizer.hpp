// Gradient steps with exactly PyTorch's formulas: SGD (momentum, Nesterov), RMSprop, Adam.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace whence {

struct OptimizerSpec {
  enum class Kind { sgd, rmsprop, adam };
  Kind kind = Kind::sgd;
  double learning_rate = 0.1;
  double momentum = 0;    // sgd, rmsprop
  bool nesterov = false;  // sgd
  double alpha = 0.99;    // rmsprop: decay of the squared gradient
  double beta1 = 0.9;     // adam
  double beta2 = 0.999;   // adam
  double epsilon = 1e-8;  // rmsprop, adam
};

constexpr std::string_view name_of(OptimizerSpec::Kind kind) {
  switch (kind) {
    case OptimizerSpec::Kind::sgd: return "sgd";
    case OptimizerSpec::Kind::rmsprop: return "rmsprop";
    case OptimizerSpec::Kind::adam: return "adam";
  }
  return "?";
}

/// State and step for one parameter vector; `Scalar` may be double, long double or a dual number.
template <class Scalar>
class Optimizer {
 public:
  Optimizer(const OptimizerSpec& spec, std::size_t size)
      : spec_(spec), first_(size, Scalar(0)), second_(size, Scalar(0)) {}

  /// theta <- theta - (step along `gradient`, the gradient of the loss).
  void step(std::span<Scalar> theta, std::span<const Scalar> gradient) {
    ++steps_;
    for (std::size_t i = 0; i < theta.size(); ++i)
      theta[i] -= move(gradient[i], first_[i], second_[i]);
  }

  void reset() {
    steps_ = 0;
    first_.assign(first_.size(), Scalar(0));
    second_.assign(second_.size(), Scalar(0));
  }

 private:
  Scalar move(const Scalar& g, Scalar& m, Scalar& v) const {
    using std::sqrt;
    const OptimizerSpec& o = spec_;
    switch (o.kind) {
      case OptimizerSpec::Kind::sgd: {
        if (o.momentum == 0) return o.learning_rate * g;
        m = o.momentum * m + g;
        return o.learning_rate * (o.nesterov ? g + o.momentum * m : m);
      }
      case OptimizerSpec::Kind::rmsprop: {
        v = o.alpha * v + (1 - o.alpha) * g * g;
        const Scalar direction = g / (sqrt(v) + o.epsilon);
        if (o.momentum == 0) return o.learning_rate * direction;
        m = o.momentum * m + direction;
        return o.learning_rate * m;
      }
      case OptimizerSpec::Kind::adam: {
        m = o.beta1 * m + (1 - o.beta1) * g;
        v = o.beta2 * v + (1 - o.beta2) * g * g;
        const double correction1 = 1 - std::pow(o.beta1, steps_);
        const double correction2 = 1 - std::pow(o.beta2, steps_);
        return (o.learning_rate / correction1) * m / (sqrt(v) / std::sqrt(correction2) + o.epsilon);
      }
    }
    return Scalar(0);
  }

  OptimizerSpec spec_;
  int steps_ = 0;
  std::vector<Scalar> first_, second_;  // momentum or first moment; second moment
};

}  // namespace whence
