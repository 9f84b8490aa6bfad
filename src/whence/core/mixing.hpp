// How raw columns come from the variables behind them.
#pragma once

#include <string_view>

namespace whence {

enum class Mixing {
  rotation,  // of two variables
  linear,    // an invertible matrix
};

constexpr std::string_view name_of(Mixing mixing) {
  return mixing == Mixing::rotation ? "rotation" : "linear";
}

}  // namespace whence
