#include "whence/mechanisms/categorical_mlp.hpp"

#include <string>

#include "whence/core/error.hpp"

namespace whence {

MlpShape mlp_shape(std::span<const Variable> variables, const Family& family, int hidden,
                   Activation activation) {
  MlpShape shape{{}, hidden, variables[family.child.value].levels, activation};
  for (VariableId parent : family.parents) shape.inputs.push_back(variables[parent.value].levels);
  if (hidden < 1)
    throw Error(ExitCode::bad_config, "E-CONFIG-RANGE", "hidden",
                "a network needs at least 1 hidden unit, not " + std::to_string(hidden));
  for (int levels : shape.inputs)
    if (levels < 1) shape.levels = 0;
  if (shape.levels < 2)
    throw Error(ExitCode::bad_config, "E-CONFIG-RANGE", "levels",
                "a categorical variable has at least 2 levels");
  return shape;
}

MlpInitialisation MlpInitialisation::kaiming(std::size_t inputs, int hidden, double bias) {
  return {std::sqrt(2.0 / double(inputs)), bias, std::sqrt(2.0 / hidden), bias};
}

MlpInitialisation MlpInitialisation::one_hot(std::size_t parents, int hidden, double spread) {
  // Pre-activations: a bias of variance 1/(k+1) and k weights of the same. A rectified unit normal
  // has mean square 1/2, so H of them with variance 2 spread^2 / H make logits of size `spread`.
  const double share = std::sqrt(1.0 / double(parents + 1));
  return {share, share * std::sqrt(3.0), spread * std::sqrt(2.0 / hidden), 0};
}

void initialise(CategoricalMlp<double>& mlp, const MlpInitialisation& how, Stream& stream) {
  const auto theta = mlp.parameters();
  const auto normal = [&](std::size_t begin, std::size_t end, double sd) {
    for (std::size_t i = begin; i < end; ++i) theta[i] = sd * sample_normal(stream);
  };
  const auto uniform = [&](std::size_t begin, std::size_t end, double half_width) {
    for (std::size_t i = begin; i < end; ++i) theta[i] = half_width * (2 * stream.uniform() - 1);
  };
  normal(0, mlp.bias1_begin(), how.weight1);
  uniform(mlp.bias1_begin(), mlp.weight2_begin(), how.bias1);
  normal(mlp.weight2_begin(), mlp.bias2_begin(), how.weight2);
  uniform(mlp.bias2_begin(), theta.size(), how.bias2);
}

}  // namespace whence
