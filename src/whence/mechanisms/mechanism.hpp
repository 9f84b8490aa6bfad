// What every mechanism P(V | parents) must do. A mechanism is a value: copying it is how an episode
// starts from the pre-trained parameters.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "whence/core/dataset.hpp"
#include "whence/core/family.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// Row `row` of the data holds the child and its parents; `Family` says which columns they are.
/// `add_gradient` adds weight * d log_prob / d parameters; `sample` writes the child.
template <class M>
concept Mechanism = std::copyable<M> &&
    requires(M m, const M& c, const Dataset& data, Dataset& drawn, const Family& family,
             std::size_t row, typename M::Scalar weight, std::span<typename M::Scalar> gradient,
             Stream& stream) {
  { m.parameters() } -> std::same_as<std::span<typename M::Scalar>>;
  { c.log_prob(data, family, row) } -> std::same_as<typename M::Scalar>;
  c.add_gradient(data, family, row, weight, gradient);
  c.sample(stream, drawn, family, row);
};

}  // namespace whence
