#include "whence/math/random_lanes.hpp"

#include "whence/math/normal_quantile.hpp"
#include "whence/math/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/math/random_lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

using WordsTag = hn::RebindToUnsigned<LanesTag>;  // one block per lane, its words in 64-bit lanes
using Words = hn::Vec<WordsTag>;

/// 52 bits -> (0, 1), as unit_interval().
HWY_INLINE Lanes ToUnitInterval(Words high, Words low) {
  const WordsTag dw;
  const LanesTag d;
  const Words bits = hn::Or(hn::ShiftLeft<20>(high), hn::ShiftRight<12>(low));
  const Words one = hn::Set(dw, 0x3FF0000000000000ULL);
  return hn::Sub(hn::BitCast(d, hn::Or(bits, one)), hn::Set(d, 1 - 0x1p-53));
}

/// 32 x 32 -> 64 bits; the upper half of each lane is 0.
HWY_INLINE Words Multiply(Words a, Words b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(WordsTag(), hn::GetLane(a) * hn::GetLane(b));
#else
  const hn::Repartition<std::uint32_t, WordsTag> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
#endif
}

void FillUniform(std::uint64_t key, Cell cell, std::uint32_t first_block, std::span<double> u) {
  const WordsTag dw;
  const LanesTag d;
  const std::size_t width = hn::Lanes(dw);
  const Words low32 = hn::Set(dw, 0xFFFFFFFFULL);
  HWY_ALIGN double even[row_multiple], odd[row_multiple];
  for (std::size_t block = 0; 2 * block < u.size(); block += width) {
    Words c0 = hn::Set(dw, cell.run), c1 = hn::Set(dw, cell.episode), c2 = hn::Set(dw, cell.step);
    Words c3 = hn::And(hn::Iota(dw, first_block + block), low32);
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const Words a = Multiply(hn::Set(dw, 0xD2511F53ULL), c0);
      const Words b = Multiply(hn::Set(dw, 0xCD9E8D57ULL), c2);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(dw, k0));
      c1 = hn::And(b, low32);
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(dw, k1));
      c3 = hn::And(a, low32);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    hn::Store(ToUnitInterval(c0, c1), d, even);
    hn::Store(ToUnitInterval(c2, c3), d, odd);
    const std::size_t left = u.size() - 2 * block;
    for (std::size_t i = 0; i < 2 * width && i < left; ++i)
      u[2 * block + i] = i % 2 == 0 ? even[i / 2] : odd[i / 2];
  }
}

/// x <- f(x), in whole vectors; the last one is padded with halves.
template <class F>
HWY_INLINE void ForEachVector(std::span<double> x, const F& f) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width)
    hn::StoreU(f(d, hn::LoadU(d, x.data() + i)), d, x.data() + i);
  if (i == x.size()) return;
  HWY_ALIGN double rest[row_multiple];
  for (std::size_t j = 0; j < width; ++j) rest[j] = i + j < x.size() ? x[i + j] : 0.5;
  hn::Store(f(d, hn::Load(d, rest)), d, rest);
  for (std::size_t j = 0; i + j < x.size(); ++j) x[i + j] = rest[j];
}

void LogExponentialShares(std::span<double> x, std::span<double> cumulative) {
  ForEachVector(x,
                [](LanesTag d, Lanes u) HWY_ATTR { return hn::Sub(hn::Zero(d), LanesLog(d, u)); });
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) cumulative[i] = sum += x[i];
  const double log_sum = portable_log(sum);
  ForEachVector(x, [log_sum](LanesTag d, Lanes e)
                       HWY_ATTR { return hn::Sub(LanesLog(d, e), hn::Set(d, log_sum)); });
  ForEachVector(cumulative,
                [sum](LanesTag d, Lanes c) HWY_ATTR { return hn::Div(c, hn::Set(d, sum)); });
}

HWY_INLINE Lanes Ratio(LanesTag d, Lanes r, const std::array<double, 8>& above,
                       const std::array<double, 8>& below) {
  Lanes n = hn::Set(d, above[7]), m = hn::Set(d, below[7]);
  for (std::size_t i = 7; i-- > 0;) {
    n = hn::Add(hn::Mul(n, r), hn::Set(d, above[i]));
    m = hn::Add(hn::Mul(m, r), hn::Set(d, below[i]));
  }
  return hn::Div(n, m);
}

/// The tails are computed for all lanes where one lane is in them.
HWY_INLINE Lanes NormalQuantile(LanesTag d, Lanes p) {
  using namespace wichura;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const Lanes q = hn::Sub(p, constant(0.5));
  const Lanes x = hn::Mul(
      q, Ratio(d, hn::Sub(constant(centre_origin), hn::Mul(q, q)), centre_above, centre_below));
  const auto outside = hn::Gt(hn::Abs(q), constant(half_centre));
  if (hn::AllFalse(d, outside)) return x;
  const Lanes smaller = hn::IfThenElse(hn::Lt(q, hn::Zero(d)), p, hn::Sub(constant(1), p));
  const Lanes r = hn::Sqrt(hn::Neg(LanesLog(d, smaller)));
  Lanes tail = Ratio(d, hn::Sub(r, constant(near_origin)), near_above, near_below);
  const auto far = hn::Gt(r, constant(tail_begin));
  if (HWY_UNLIKELY(!hn::AllFalse(d, far)))
    tail =
        hn::IfThenElse(far, Ratio(d, hn::Sub(r, constant(far_origin)), far_above, far_below), tail);
  return hn::IfThenElse(outside, hn::CopySign(tail, q), x);
}

void NormalQuantiles(std::span<double> p) {
  ForEachVector(p, [](LanesTag d, Lanes u) HWY_ATTR { return NormalQuantile(d, u); });
}

/// sample_level() for a vector of rows: `base` holds each lane's place in the table.
HWY_INLINE hn::Vec<hn::RebindToSigned<LanesTag>> Search(const double* cumulative,
                                                        std::size_t levels,
                                                        hn::Vec<hn::RebindToSigned<LanesTag>> base,
                                                        Lanes u) {
  const LanesTag d;
  const hn::RebindToSigned<LanesTag> di;
  for (std::size_t n = levels; n > 1;) {
    const std::size_t half = n / 2;
    const Lanes c = hn::GatherIndex(d, cumulative + half - 1, base);
    const auto beyond = hn::RebindMask(di, hn::Le(c, u));
    base = hn::Add(base, hn::IfThenElseZero(beyond, hn::Set(di, std::int64_t(half))));
    n -= half;
  }
  return base;
}

void SampleLevels(std::span<const double> cumulative, std::size_t levels,
                  const std::int32_t* configuration, const double* u, std::size_t stride,
                  std::span<std::int32_t> out) {
  const LanesTag d;
  const hn::RebindToSigned<LanesTag> di;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN double uniform[row_multiple];
  HWY_ALIGN std::int64_t begin[row_multiple], found[row_multiple];
  for (std::size_t i = 0; i < out.size(); i += width) {
    const std::size_t n = std::min(width, out.size() - i);
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t at = i + std::min(j, n - 1);  // lanes past the end repeat the last row
      uniform[j] = u[at * stride];
      begin[j] = configuration ? std::int64_t(configuration[at]) * std::int64_t(levels) : 0;
    }
    const auto base = hn::Load(di, begin);
    const auto place = Search(cumulative.data(), levels, base, hn::Load(d, uniform));
    hn::Store(hn::Sub(place, base), di, found);
    for (std::size_t j = 0; j < n; ++j) out[i + j] = std::int32_t(found[j]);
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(FillUniform);
HWY_EXPORT(LogExponentialShares);
HWY_EXPORT(NormalQuantiles);
HWY_EXPORT(SampleLevels);

void fill_uniform(std::uint64_t key, Cell cell, std::uint32_t first_block, std::span<double> u) {
  HWY_DYNAMIC_DISPATCH(FillUniform)(key, cell, first_block, u);
}

void log_exponential_shares(std::span<double> x, std::span<double> cumulative) {
  HWY_DYNAMIC_DISPATCH(LogExponentialShares)(x, cumulative);
}

void normal_quantiles(std::span<double> p) { HWY_DYNAMIC_DISPATCH(NormalQuantiles)(p); }

void sample_levels(std::span<const double> cumulative, std::size_t levels,
                   const std::int32_t* configuration, const double* u, std::size_t stride,
                   std::span<std::int32_t> out) {
  HWY_DYNAMIC_DISPATCH(SampleLevels)(cumulative, levels, configuration, u, stride, out);
}

void Stream::fill(std::span<double> u) {
  const std::uint32_t first_block = (next_ + 1) / 2;
  fill_uniform(key_, cell_, first_block, u);
  next_ = 2 * first_block + std::uint32_t(u.size());
}

}  // namespace whence
#endif  // HWY_ONCE
