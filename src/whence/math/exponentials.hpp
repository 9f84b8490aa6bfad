// Many exponentials at once.
#pragma once

#include <span>

namespace whence {

/// x <- e^x on vectors, with the bits of portable_exp: 0 below -708.
void exponentials(std::span<double> x);

}  // namespace whence
