// The paper's neural module: one-hot parents, one hidden layer, a softmax over the child's levels.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "whence/mechanisms/mechanism.hpp"

namespace whence {

enum class Activation { relu, leaky_relu, tanh };

constexpr std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::relu: return "relu";
    case Activation::leaky_relu: return "leaky-relu";
    case Activation::tanh: return "tanh";
  }
  return "?";
}

/// Slope of the leaky rectifier below zero, as PyTorch has it.
inline constexpr double leaky_slope = 0.01;

/// Sizes of the network. The inputs are the family's parents, one-hot, in the family's order.
struct MlpShape {
  std::vector<int> inputs;  // levels of each candidate parent
  int hidden = 8;
  int levels = 2;  // of the child
  Activation activation = Activation::relu;

  std::size_t input_units() const {
    std::size_t units = 0;
    for (int n : inputs) units += std::size_t(n);
    return units;
  }
  std::size_t parameters() const {
    const auto h = std::size_t(hidden), n = std::size_t(levels);
    return (input_units() + 1) * h + (h + 1) * n;
  }
  bool operator==(const MlpShape&) const = default;
};

/// The shape for a family; throws E-CONFIG-RANGE for no hidden unit or a child of one level.
MlpShape mlp_shape(std::span<const Variable> variables, const Family& family, int hidden,
                   Activation activation = Activation::relu);

/// P(V | parents) = softmax(W2 act(W1 x + b1) + b2), x the parents' one-hot vectors. Columns of W1
/// are gathered, never multiplied. A masked parent is never read: its input is zero. `T` may be
/// double, long double or a dual number: this is the reference that the fast code must agree with.
template <class T = double>
class CategoricalMlp {
 public:
  using Scalar = T;

  /// All parameters zero (uniform), listening to every parent.
  explicit CategoricalMlp(MlpShape shape)
      : shape_(std::move(shape)),
        mask_(shape_.inputs.size(), true),
        theta_(shape_.parameters(), T(0)) {
    std::size_t unit = 0;
    for (int n : shape_.inputs) {
      first_unit_.push_back(unit);
      unit += std::size_t(n);
    }
  }

  const MlpShape& shape() const { return shape_; }
  int levels() const { return shape_.levels; }
  std::size_t hidden() const { return std::size_t(shape_.hidden); }

  /// Which parents count.
  const std::vector<bool>& mask() const { return mask_; }
  void set_mask(std::vector<bool> mask) { mask_ = std::move(mask); }
  std::size_t first_unit(std::size_t parent) const { return first_unit_[parent]; }

  /// W1 [input unit][hidden], b1 [hidden], W2 [hidden][level], b2 [level].
  std::span<T> parameters() { return theta_; }
  std::span<const T> parameters() const { return theta_; }
  std::size_t bias1_begin() const { return shape_.input_units() * hidden(); }
  std::size_t weight2_begin() const { return bias1_begin() + hidden(); }
  std::size_t bias2_begin() const { return weight2_begin() + hidden() * std::size_t(levels()); }

  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    const Pass pass = forward(data, family, row);
    return pass.log_p[std::size_t(data.columns[family.child.value].levels[row])];
  }

  /// Log-probabilities of all levels of the child, given the parents in a row of the data.
  std::vector<T> log_probs(const Dataset& data, const Family& family, std::size_t row) const {
    return forward(data, family, row).log_p;
  }

  /// Backpropagation by hand: d log P(j) / d logits = onehot(j) - P.
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    using std::exp;
    const Pass pass = forward(data, family, row);
    const auto n = std::size_t(levels());
    std::vector<T> slope(n);
    for (std::size_t j = 0; j < n; ++j) slope[j] = -weight * exp(pass.log_p[j]);
    slope[std::size_t(data.columns[family.child.value].levels[row])] += weight;
    for (std::size_t j = 0; j < n; ++j) gradient[bias2_begin() + j] += slope[j];
    for (std::size_t h = 0; h < hidden(); ++h) {
      const std::size_t begin = weight2_begin() + h * n;
      T back(0);
      for (std::size_t j = 0; j < n; ++j) {
        gradient[begin + j] += pass.active[h] * slope[j];
        back += theta_[begin + j] * slope[j];
      }
      back *= activation_slope(pass.before[h], pass.active[h]);
      gradient[bias1_begin() + h] += back;
      for (std::size_t unit : pass.units) gradient[unit * hidden() + h] += back;
    }
  }

  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    const std::vector<T> log_p = log_probs(data, family, row);
    double left = stream.uniform();
    std::size_t level = 0;
    for (; level + 1 < log_p.size(); ++level) {
      left -= portable_exp(double(value_of(log_p[level])));
      if (left < 0) break;
    }
    data.columns[family.child.value].levels[row] = std::int32_t(level);
  }

 private:
  /// One example on its way through the network.
  struct Pass {
    std::vector<std::size_t> units;  // one-hot inputs that are on
    std::vector<T> before, active;   // hidden units before and after the activation
    std::vector<T> log_p;            // of the levels
  };

  Pass forward(const Dataset& data, const Family& family, std::size_t row) const {
    Pass pass;
    for (std::size_t k = 0; k < mask_.size(); ++k)
      if (mask_[k])
        pass.units.push_back(first_unit_[k] +
                             std::size_t(data.columns[family.parents[k].value].levels[row]));
    const auto n = std::size_t(levels());
    pass.log_p.assign(theta_.begin() + std::ptrdiff_t(bias2_begin()), theta_.end());
    for (std::size_t h = 0; h < hidden(); ++h) {
      T sum = theta_[bias1_begin() + h];
      for (std::size_t unit : pass.units) sum += theta_[unit * hidden() + h];
      pass.before.push_back(sum);
      pass.active.push_back(activate(sum));
      const std::size_t begin = weight2_begin() + h * n;
      for (std::size_t j = 0; j < n; ++j) pass.log_p[j] += pass.active[h] * theta_[begin + j];
    }
    const T normaliser = log_normaliser(pass.log_p);
    for (T& l : pass.log_p) l -= normaliser;
    return pass;
  }

  T activate(const T& x) const {
    using std::tanh;
    switch (shape_.activation) {
      case Activation::relu: return x > T(0) ? x : T(0);
      case Activation::leaky_relu: return x > T(0) ? x : T(leaky_slope) * x;
      case Activation::tanh:
        if constexpr (std::is_same_v<T, double>)
          return portable_tanh(x);
        else
          return tanh(x);
    }
    return x;
  }

  T activation_slope(const T& x, const T& active) const {
    switch (shape_.activation) {
      case Activation::relu: return T(x > T(0) ? 1 : 0);
      case Activation::leaky_relu: return T(x > T(0) ? 1 : leaky_slope);
      case Activation::tanh: return T(1) - active * active;
    }
    return T(1);
  }

  static T log_normaliser(std::span<const T> logits) {
    using std::exp;
    using std::log;
    T top = logits[0];
    for (const T& l : logits)
      if (l > top) top = l;
    T sum(0);
    for (const T& l : logits) sum += exp(l - top);
    return top + log(sum);
  }

  static auto value_of(const T& x) {
    if constexpr (requires { x.value; })
      return x.value;
    else
      return x;
  }

  MlpShape shape_;
  std::vector<bool> mask_;
  std::vector<std::size_t> first_unit_;
  std::vector<T> theta_;
};

static_assert(Mechanism<CategoricalMlp<double>>);

/// The same network in another scalar type.
template <class To, class From>
CategoricalMlp<To> converted(const CategoricalMlp<From>& mlp) {
  CategoricalMlp<To> result(mlp.shape());
  result.set_mask(mlp.mask());
  for (std::size_t i = 0; i < mlp.parameters().size(); ++i)
    result.parameters()[i] = To(mlp.parameters()[i]);
  return result;
}

/// How starting parameters are drawn: weights normal, biases uniform about zero.
struct MlpInitialisation {
  double weight1 = 1, bias1 = 1;  // standard deviation; half-width
  double weight2 = 1, bias2 = 0;

  /// Kaiming-normal with the rectifier's gain, as the released code has it. `inputs` is the fan-in
  /// of the first layer, masked inputs and the variable's own included.
  static MlpInitialisation kaiming(std::size_t inputs, int hidden, double bias);

  /// For one-hot inputs, of which only `parents` are on at a time: hidden units of size 1, and
  /// logits with about the standard deviation `spread`. (A Dirichlet(1) draw has 1.28.)
  static MlpInitialisation one_hot(std::size_t parents, int hidden, double spread);
};

void initialise(CategoricalMlp<double>& mlp, const MlpInitialisation& how, Stream& stream);

}  // namespace whence
