// What simulated environments are called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace whence {

/// The e-th of `all` shifted environments, from 1; names sort as their numbers do.
inline std::string shifted_name(std::size_t e, std::size_t all) {
  const std::size_t digits = std::max<std::size_t>(2, std::to_string(all).size());
  const std::string number = std::to_string(e);
  return "shifted_" + std::string(digits - std::min(digits, number.size()), '0') + number;
}

}  // namespace whence
