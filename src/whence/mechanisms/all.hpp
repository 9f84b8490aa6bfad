// The closed set of mechanisms: a new kind is one file and one name in this list.
#pragma once

#include <variant>

#include "whence/mechanisms/categorical_mlp.hpp"
#include "whence/mechanisms/categorical_table.hpp"
#include "whence/mechanisms/gaussian_mixture.hpp"
#include "whence/mechanisms/linear_gaussian.hpp"
#include "whence/mechanisms/mixture_density.hpp"
#include "whence/mechanisms/spline_noise.hpp"

namespace whence {

using AnyMechanism =
    std::variant<CategoricalTable<double>, LinearGaussian<double>, MixtureDensity<double>,
                 GaussianMixture<double>, SplineNoise<double>, CategoricalMlp<double>>;

/// A pre-trained mechanism in its place in a graph: what an episode adapts.
struct Module {
  Family family;
  AnyMechanism mechanism;
};

}  // namespace whence
