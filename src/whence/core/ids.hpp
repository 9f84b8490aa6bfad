// Index types: passing an episode where a variable is meant does not compile.
#pragma once

#include <compare>
#include <cstddef>

namespace whence {

template <class Tag>
struct Index {
  std::size_t value = 0;
  constexpr Index() = default;
  constexpr explicit Index(std::size_t v) : value(v) {}
  constexpr auto operator<=>(const Index&) const = default;
};

using VariableId = Index<struct VariableTag>;  // a column of a data set
using FamilyId = Index<struct FamilyTag>;      // a module: a variable with its parents
using EpisodeId = Index<struct EpisodeTag>;    // a short run of shifted data

}  // namespace whence
