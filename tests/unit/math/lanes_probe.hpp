// The vector functions of lanes-inl.hpp, reachable from tests; the instruction set is the one in
// use.
#pragma once

#include <span>

namespace whence::support {

/// x <- f(x); the number of elements is a multiple of eight.
void lanes_exp(std::span<double> x);
void lanes_log(std::span<double> x);
void lanes_tanh(std::span<double> x);
void lanes_exp2(std::span<double> x);  // of sixteen
double lanes_sum(std::span<const double> x);

}  // namespace whence::support
