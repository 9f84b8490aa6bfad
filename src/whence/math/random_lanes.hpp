// The vector kernels behind random.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "whence/math/philox.hpp"

namespace whence {

/// u[2i], u[2i + 1] = the two numbers of Philox block first_block + i.
void fill_uniform(std::uint64_t key, Cell cell, std::uint32_t first_block, std::span<double> u);

/// In: uniforms. Out: e_i = -log u_i as shares of their sum, in logarithms and cumulated.
void log_exponential_shares(std::span<double> x, std::span<double> cumulative);

/// p <- normal_quantile(p), to the same bits; numbers in (0, 1).
void normal_quantiles(std::span<double> p);

}  // namespace whence
