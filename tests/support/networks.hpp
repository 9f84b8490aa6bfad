// Small networks and data to try them on.
#pragma once

#include <vector>

#include "tests/support/tables.hpp"
#include "whence/adapt/gradient.hpp"
#include "whence/mechanisms/categorical_mlp.hpp"

namespace whence::support {

inline constexpr Activation all_activations[] = {Activation::relu, Activation::leaky_relu,
                                                 Activation::tanh};

/// P(variable 0 | the others), all parameters of size one.
inline CategoricalMlp<double> random_mlp(const std::vector<int>& levels, int hidden,
                                         Activation activation, std::uint32_t run) {
  const auto variables = categorical_variables(levels);
  CategoricalMlp<double> mlp(
      mlp_shape(variables, first_given_rest(levels.size()), hidden, activation));
  Stream stream(11, Purpose::tests, {run, 0, 0});
  initialise(mlp, {0.7, 0.7, 0.7, 0.7}, stream);
  return mlp;
}

inline Dataset random_rows(const std::vector<int>& levels, std::size_t rows, std::uint64_t seed) {
  Inputs inputs(seed);
  Dataset data;
  data.variables = categorical_variables(levels);
  for (int n : levels) data.columns.push_back({inputs.levels(rows, n), {}});
  return data;
}

/// The gradient of the mean log-likelihood of all rows, in any scalar type.
template <class T>
std::vector<T> mean_gradient(const CategoricalMlp<T>& mlp, const Dataset& data,
                             const Family& family) {
  std::vector<T> gradient(mlp.parameters().size(), T(0));
  for (std::size_t row = 0; row < data.rows(); ++row)
    mlp.add_gradient(data, family, row, T(1) / T(double(data.rows())), gradient);
  return gradient;
}

template <class T>
T mean_log_prob(const CategoricalMlp<T>& mlp, const Dataset& data, const Family& family) {
  T sum(0);
  for (std::size_t row = 0; row < data.rows(); ++row) sum += mlp.log_prob(data, family, row);
  return sum / T(double(data.rows()));
}

}  // namespace whence::support
