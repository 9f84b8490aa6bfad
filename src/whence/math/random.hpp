// Samplers on Philox streams: the same numbers on every machine, in any order, on any thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "whence/math/elementary.hpp"
#include "whence/math/philox.hpp"

namespace whence {

/// 52 bits, centred in their cells: the open interval (0, 1), symmetric about 1/2, exact in a
/// double.
constexpr double unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t(high) << 20) | (low >> 12);
  return std::bit_cast<double>(bits | 0x3FF0000000000000ULL) - (1 - 0x1p-53);
}

/// The stream of one purpose in one cell. `uniform()` walks along it; `uniform_at(i)` is its i-th
/// number, for callers that need only some of them; `fill` is many at once, on vectors.
class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, Cell cell)
      : key_(philox_key(seed, purpose)), cell_(cell) {}

  double uniform() { return uniform_at(next_++); }

  double uniform_at(std::uint32_t i) const {
    const PhiloxBlock b = philox({cell_.run, cell_.episode, cell_.step, i / 2}, key_);
    return i % 2 == 0 ? unit_interval(b[0], b[1]) : unit_interval(b[2], b[3]);
  }

  /// The next numbers of the stream. (Starts at a fresh block: an odd number left over is skipped.)
  void fill(std::span<double> u);

 private:
  std::uint64_t key_;
  Cell cell_;
  std::uint32_t next_ = 0;
};

/// A whole number in [0, n).
inline int sample_index(Stream& stream, int n) {
  return std::min(n - 1, int(stream.uniform() * n));
}

/// The quantile function of the standard normal law (Wichura's AS 241, relative error 1e-16).
double normal_quantile(double p);

/// Uniform between two numbers.
inline double between(Stream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

/// One standard normal from one uniform.
inline double sample_normal(Stream& stream) { return normal_quantile(stream.uniform()); }

/// log G with G ~ Gamma(shape, 1). In the log domain, so that shape = .01 does not underflow.
double sample_log_gamma(Stream& stream, double shape);

/// Logarithms of a draw from the symmetric Dirichlet(concentration).
void sample_log_dirichlet(Stream& stream, double concentration, std::span<double> log_p);

/// The same with the cumulative probabilities beside them.
void sample_log_dirichlet(Stream& stream, double concentration, std::span<double> log_p,
                          std::span<double> cumulative);

/// cumulative[i] = (p_0 + ... + p_i) / total, in index order.
void cumulate(std::span<const double> log_p, std::span<double> cumulative);

/// The first level whose cumulative probability exceeds u.
inline int sample_level(std::span<const double> cumulative, double u) {
  const double* base = cumulative.data();
  std::size_t n = cumulative.size();
  while (n > 1) {  // halving without a branch on the data
    const std::size_t half = n / 2;
    base += base[half - 1] <= u ? half : 0;
    n -= half;
  }
  return int(base - cumulative.data());
}

/// Many at once: out[i] is sampled from row configuration[i] of a table of cumulative rows (row 0
/// without configurations), by u[i * stride].
void sample_levels(std::span<const double> cumulative, std::size_t levels,
                   const std::int32_t* configuration, const double* u, std::size_t stride,
                   std::span<std::int32_t> out);

}  // namespace whence
