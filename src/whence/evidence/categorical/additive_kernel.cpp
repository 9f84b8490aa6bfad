#include "whence/evidence/categorical/additive_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/evidence/categorical/additive_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

constexpr std::size_t most_classes = 256;

/// exp(x) for x <= 0 with a relative error below 1e-11; what lies below -600 counts as -600. Half
/// the work of LanesExp, and like it the same bits on every machine.
HWY_INLINE Lanes LeanExp(LanesTag d, Lanes x) {
  using namespace elementary;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  x = hn::Max(x, constant(-600.0));
  const Lanes shifted = hn::Add(hn::Mul(x, constant(log2_e)), constant(round_to_integer));
  const Lanes k = hn::Sub(shifted, constant(round_to_integer));
  const Lanes r = hn::Sub(x, hn::Mul(k, constant(ln2_high + ln2_low)));
  const Lanes r2 = hn::Mul(r, r);
  Lanes even = constant(exp_even[2]), odd = constant(exp_odd[2]);  // from 1/8! and 1/9! on
  for (int i = 3; i < 6; ++i) {
    even = hn::Add(hn::Mul(even, r2), constant(exp_even[i]));
    odd = hn::Add(hn::Mul(odd, r2), constant(exp_odd[i]));
  }
  const Lanes one = constant(1.0);
  even = hn::Add(hn::Mul(even, r2), one);
  odd = hn::Mul(r, hn::Add(hn::Mul(odd, r2), one));
  const hn::RebindToUnsigned<LanesTag> du;
  const auto bits = hn::Add(hn::BitCast(du, shifted), hn::Set(du, 1023));
  return hn::Mul(hn::Add(even, odd), hn::BitCast(d, hn::ShiftLeft<52>(bits)));
}

/// Where the logits of one item come from.
struct Logits {
  const AdditiveItems& items;
  const double* theta;
  std::size_t classes, width;
  HWY_ALIGN double base[most_classes];  // the intercept; classes that only pad have probability 0

  Logits(const AdditiveItems& i, const double* t, std::size_t c, std::size_t w)
      : items(i), theta(t), classes(c), width(w) {
    for (std::size_t k = 0; k < w; ++k) base[k] = k < c ? t[k] : -1e300;
  }

  HWY_INLINE Lanes At(LanesTag d, const std::uint16_t* row, std::size_t column) const {
    Lanes sum = hn::Load(d, base + column);
    for (std::size_t p = 0; p < items.parents; ++p)
      sum = hn::Add(sum, hn::LoadU(d, theta + row[p] * width + column));
    return sum;
  }
};

template <class Body>
HWY_INLINE void WithVectors(std::size_t vectors, Body&& body) {
  switch (vectors) {
    case 1: body.template Run<1>(); break;
    case 2: body.template Run<2>(); break;
    case 4: body.template Run<4>(); break;
    case 8: body.template Run<8>(); break;
    default: body.template Run<0>(); break;  // their number is known at run time only
  }
}

/// log-sum-exp of every item, and what the mechanism expects to see.
struct Look {
  Logits logits;
  const double* weight;
  AdditivePass& pass;
  HWY_ALIGN double buffer[most_classes];

  template <std::size_t V>
  HWY_ATTR void Run() {
    const LanesTag d;
    const std::size_t lanes = hn::Lanes(d), vectors = V > 0 ? V : logits.width / lanes;
    constexpr std::size_t kept = V > 0 ? V : most_classes / hn::MaxLanes(LanesTag());
    Lanes x[kept];
    for (std::size_t i = 0; i < logits.items.items; ++i) {
      const std::uint16_t* row = logits.items.row.data() + i * logits.items.parents;
      for (std::size_t v = 0; v < vectors; ++v) x[v] = logits.At(d, row, v * lanes);
      Lanes top = x[0];
      for (std::size_t v = 1; v < vectors; ++v) top = hn::Max(top, x[v]);
      top = hn::MaxOfLanes(d, top);
      for (std::size_t v = 0; v < vectors; ++v) {
        x[v] = LeanExp(d, hn::Sub(x[v], top));
        hn::Store(x[v], d, buffer + v * lanes);
      }
      const double sum = LanesSum(d, buffer, logits.width);
      pass.scratch[i] = hn::GetLane(top);
      pass.log_sum[i] = sum;
      if (weight[i] == 0) continue;
      const Lanes share = hn::Set(d, weight[i] / sum);
      for (std::size_t v = 0; v < vectors; ++v) {
        const Lanes q = hn::Mul(x[v], share);
        double* column = pass.expected.data() + v * lanes;
        Accumulate(d, column, q);
        for (std::size_t p = 0; p < logits.items.parents; ++p)
          Accumulate(d, column + row[p] * logits.width, q);
      }
      if (!pass.outer.empty()) Outer(d, vectors, x, weight[i] / (sum * sum));
    }
  }

  static HWY_INLINE void Accumulate(LanesTag d, double* at, Lanes x) {
    hn::StoreU(hn::Add(hn::LoadU(d, at), x), d, at);
  }

  HWY_INLINE void Outer(LanesTag d, std::size_t vectors, const Lanes* x, double scale) {
    for (std::size_t c = 0; c < logits.classes; ++c) {
      const Lanes q = hn::Set(d, buffer[c] * scale);
      for (std::size_t v = 0; v < vectors; ++v)
        Accumulate(d, &pass.outer[c * logits.width + v * hn::Lanes(d)], hn::Mul(q, x[v]));
    }
  }

  static HWY_ATTR void Finish(AdditivePass& pass) {
    const LanesTag d;
    for (std::size_t i = 0; i < pass.log_sum.size(); i += hn::Lanes(d))
      hn::StoreU(
          hn::Add(hn::LoadU(d, &pass.scratch[i]), LanesLog(d, hn::LoadU(d, &pass.log_sum[i]))), d,
          &pass.log_sum[i]);
  }
};

using RoughTag = hn::CappedTag<float, 16>;
using Rough = hn::Vec<RoughTag>;
constexpr std::size_t rough_multiple = 16;

/// exp(x) for x <= 0 in single precision; what lies below -80 counts as -80.
HWY_INLINE Rough RoughExp(RoughTag d, Rough x) {
  const auto constant = [d](float c) HWY_ATTR { return hn::Set(d, c); };
  x = hn::Max(x, constant(-80.0F));
  constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23
  const Rough shifted = hn::Add(hn::Mul(x, constant(1.44269504F)), constant(to_integer));
  const Rough k = hn::Sub(shifted, constant(to_integer));
  const Rough r = hn::Sub(hn::Sub(x, hn::Mul(k, constant(0.693359375F))),
                          hn::Mul(k, constant(-2.12194440e-4F)));
  Rough series = constant(1.0F / 720);
  for (float c : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F})
    series = hn::Add(hn::Mul(series, r), constant(c));
  const hn::RebindToUnsigned<RoughTag> du;
  const auto bits = hn::Add(hn::BitCast(du, shifted), hn::Set(du, 127));
  return hn::Mul(series, hn::BitCast(d, hn::ShiftLeft<23>(bits)));
}

/// Look's sums in single precision. Rows are padded to sixteen classes.
struct RoughLook {
  const AdditiveItems& items;
  const double* weight;
  std::size_t classes, width;
  AdditivePass& pass;
  HWY_ALIGN float base[most_classes], buffer[most_classes];

  template <std::size_t V>
  HWY_ATTR void Run() {
    const RoughTag d;
    const std::size_t lanes = hn::Lanes(d), vectors = V > 0 ? V : width / lanes;
    constexpr std::size_t kept = V > 0 ? V : most_classes / hn::MaxLanes(RoughTag());
    for (std::size_t c = 0; c < width; ++c) base[c] = c < classes ? pass.theta[c] : -1e30F;
    const float* theta = pass.theta.data();
    Rough x[kept];
    for (std::size_t i = 0; i < items.items; ++i) {
      const std::uint16_t* row = items.row.data() + i * items.parents;
      for (std::size_t v = 0; v < vectors; ++v) {
        x[v] = hn::Load(d, base + v * lanes);
        for (std::size_t p = 0; p < items.parents; ++p)
          x[v] = hn::Add(x[v], hn::LoadU(d, theta + row[p] * width + v * lanes));
      }
      Rough top = x[0];
      for (std::size_t v = 1; v < vectors; ++v) top = hn::Max(top, x[v]);
      top = hn::MaxOfLanes(d, top);
      for (std::size_t v = 0; v < vectors; ++v) {
        x[v] = RoughExp(d, hn::Sub(x[v], top));
        hn::Store(x[v], d, buffer + v * lanes);
      }
      const float sum = Sum();
      pass.scratch[i] = double(hn::GetLane(top));
      pass.log_sum[i] = double(sum);
      if (weight[i] == 0) continue;
      const Rough share = hn::Set(d, float(weight[i]) / sum);
      for (std::size_t v = 0; v < vectors; ++v) {
        const Rough q = hn::Mul(x[v], share);
        float* column = pass.rough.data() + v * lanes;
        hn::StoreU(hn::Add(hn::LoadU(d, column), q), d, column);
        for (std::size_t p = 0; p < items.parents; ++p) {
          float* at = column + row[p] * width;
          hn::StoreU(hn::Add(hn::LoadU(d, at), q), d, at);
        }
      }
    }
  }

  /// Of the buffer, sixteen partial sums in a fixed tree: the same on every machine.
  HWY_INLINE float Sum() {
    const hn::CappedTag<float, 4> d;
    HWY_ALIGN float partial[4];
    for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
      auto sum = Quarter(d, k);
      for (std::size_t i = rough_multiple; i < width; i += rough_multiple)
        sum = hn::Add(sum, Quarter(d, i + k));
      hn::Store(sum, d, partial + k);
    }
    return (partial[0] + partial[1]) + (partial[2] + partial[3]);
  }

  template <class D>
  HWY_INLINE hn::Vec<D> Quarter(D d, std::size_t i) const {
    return hn::Add(hn::Add(hn::Load(d, buffer + i), hn::Load(d, buffer + i + 4)),
                   hn::Add(hn::Load(d, buffer + i + 8), hn::Load(d, buffer + i + 12)));
  }
};

constexpr std::size_t side = CholeskyLanes::lanes;
constexpr std::size_t row_block = 4;  // rows whose sums stay in registers together

inline std::size_t Place(std::size_t i, std::size_t j) { return side * (i * (i + 1) / 2 + j); }

/// The curvature of every item along every direction, onto the matrices.
struct Bend {
  Logits logits;
  const double *weight, *log_sum;
  const AdditiveCurvature& curvature;
  std::span<CholeskyLanes> groups;  // of the curvature, to add to
  HWY_ALIGN double p[most_classes];

  HWY_ATTR void Run() {
    const LanesTag d;
    for (std::size_t i = 0; i < logits.items.items; ++i) {
      if (weight[i] == 0) continue;
      const std::uint16_t* row = Probabilities(i);
      for (std::size_t k = 0; k < curvature.exact(); k += hn::Lanes(d))
        Add(row, k, hn::Mul(hn::Set(d, weight[i]), Variance(k)));
    }
  }

  HWY_ATTR void Moments(double* into) {
    const LanesTag d;
    for (std::size_t i = 0; i < logits.items.items; ++i, into += logits.width + curvature.exact()) {
      Probabilities(i);
      std::copy(p, p + logits.width, into);
      for (std::size_t k = 0; k < curvature.exact(); k += hn::Lanes(d))
        hn::StoreU(Variance(k), d, into + logits.width + k);
    }
  }

  /// Of item i, into p; its rows are returned.
  HWY_INLINE const std::uint16_t* Probabilities(std::size_t i) {
    const LanesTag d;
    const std::uint16_t* row = logits.items.row.data() + i * logits.items.parents;
    const Lanes level = hn::Set(d, log_sum[i]);
    for (std::size_t c = 0; c < logits.width; c += hn::Lanes(d))
      hn::Store(LeanExp(d, hn::Sub(logits.At(d, row, c), level)), d, p + c);
    return row;
  }

  /// Of the indicator along directions k, k + 1, ...
  HWY_INLINE Lanes Variance(std::size_t k) const {
    const LanesTag d;
    Lanes mean = hn::Zero(d), square = hn::Zero(d);
    for (std::size_t c = 0; c < logits.classes; ++c) {
      const Lanes direction = hn::LoadU(d, &curvature.directions[c * curvature.stride + k]);
      const Lanes share = hn::Mul(hn::Set(d, p[c]), direction);
      mean = hn::Add(mean, share);
      square = hn::Add(square, hn::Mul(share, direction));
    }
    return hn::Max(hn::Zero(d), hn::Sub(square, hn::Mul(mean, mean)));
  }

  HWY_INLINE void Add(const std::uint16_t* row, std::size_t k, Lanes x) const {
    const LanesTag d;
    double* lower = groups[k / side].lower.data() + k % side;
    Look::Accumulate(d, lower, x);
    for (std::size_t a = 0; a < logits.items.parents; ++a) {
      double* line = lower + Place(row[a], 0);
      Look::Accumulate(d, line, x);
      for (std::size_t b = 0; b <= a; ++b) Look::Accumulate(d, line + side * row[b], x);
    }
  }
};

/// L_rj for R rows from i on: what is left of A_rj after columns before j, over L_jj.
template <std::size_t R>
HWY_ATTR void Column(double* lower, const double* inverse, std::size_t i, std::size_t j) {
  const LanesTag d;
  for (std::size_t c = 0; c < side; c += hn::Lanes(d)) {
    double* row[R];
    Lanes left[R];
    for (std::size_t r = 0; r < R; ++r) {
      row[r] = lower + Place(i + r, 0) + c;
      left[r] = hn::LoadU(d, row[r] + side * j);
    }
    const double* above = lower + Place(j, 0) + c;
    for (std::size_t k = 0; k < side * j; k += side) {
      const Lanes l = hn::LoadU(d, above + k);
      for (std::size_t r = 0; r < R; ++r)
        left[r] = hn::Sub(left[r], hn::Mul(hn::LoadU(d, row[r] + k), l));
    }
    const Lanes scale = hn::LoadU(d, inverse + side * j + c);
    for (std::size_t r = 0; r < R; ++r) hn::StoreU(hn::Mul(left[r], scale), d, row[r] + side * j);
  }
}

HWY_ATTR void Diagonal(double* lower, double* inverse, std::size_t i) {
  const LanesTag d;
  for (std::size_t c = 0; c < side; c += hn::Lanes(d)) {
    double* row = lower + Place(i, 0) + c;
    Lanes left = hn::LoadU(d, row + side * i);
    for (std::size_t k = 0; k < side * i; k += side) {
      const Lanes l = hn::LoadU(d, row + k);
      left = hn::Sub(left, hn::Mul(l, l));
    }
    const Lanes root = hn::Sqrt(left);
    hn::StoreU(root, d, row + side * i);
    hn::StoreU(hn::Div(hn::Set(d, 1.0), root), d, inverse + side * i + c);
  }
}

}  // namespace

HWY_ATTR void AdditiveLook(const AdditiveItems& items, const double* weight, const double* theta,
                           std::size_t classes, std::size_t width, AdditivePass& pass) {
  Look look{Logits(items, theta, classes, width), weight, pass, {}};
  WithVectors(width / hn::Lanes(LanesTag()), look);
  Look::Finish(pass);
}

HWY_ATTR void AdditiveRoughLook(const AdditiveItems& items, const double* weight,
                                std::size_t classes, std::size_t width, AdditivePass& pass) {
  RoughLook look{items, weight, classes, width, pass, {}, {}};
  WithVectors(width / hn::Lanes(RoughTag()), look);
  Look::Finish(pass);
}

HWY_ATTR void AdditiveBend(const AdditiveItems& items, const double* weight, const double* theta,
                           std::size_t classes, std::size_t width, const double* log_sum,
                           AdditiveCurvature& curvature) {
  Bend{Logits(items, theta, classes, width), weight, log_sum, curvature, curvature.groups, {}}
      .Run();
}

HWY_ATTR void AdditiveMoments(const AdditiveItems& items, const double* theta, std::size_t classes,
                              std::size_t width, const double* log_sum,
                              const AdditiveCurvature& curvature, double* into) {
  Bend{Logits(items, theta, classes, width), nullptr, log_sum, curvature, {}, {}}.Moments(into);
}

HWY_ATTR void SumByLevel(const double* moments, std::size_t stride, const std::uint32_t* item,
                         std::span<const std::uint8_t* const> columns, const std::size_t* offset,
                         std::size_t begin, std::size_t end, double* sums) {
  const LanesTag d;
  for (std::size_t r = begin; r < end; ++r) {
    const double* from = moments + item[r] * stride;
    for (std::size_t c = 0; c < stride; c += hn::Lanes(d)) {
      const Lanes x = hn::LoadU(d, from + c);
      for (std::size_t k = 0; k < columns.size(); ++k)
        Look::Accumulate(d, sums + (offset[k] + columns[k][r]) * stride + c, x);
    }
  }
}

HWY_ATTR void CrossByLevel(const AdditiveItems& items, const double* variances, std::size_t stride,
                           const std::uint32_t* item, const std::uint8_t* column, std::size_t begin,
                           std::size_t end, std::size_t order, double* cross) {
  const LanesTag d;
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint16_t* row = items.row.data() + item[r] * items.parents;
    for (std::size_t c = 0; c < side; c += hn::Lanes(d)) {
      const Lanes x = hn::LoadU(d, variances + item[r] * stride + c);
      double* line = cross + side * order * column[r] + c;
      Look::Accumulate(d, line, x);
      for (std::size_t p = 0; p < items.parents; ++p) Look::Accumulate(d, line + side * row[p], x);
    }
  }
}

HWY_ATTR void FactorLanes(CholeskyLanes& m) {
  double *lower = m.lower.data(), *inverse = m.inverse.data();
  for (std::size_t i = 0; i < m.order; i += row_block) {
    const std::size_t rows = std::min(row_block, m.order - i);
    if (rows == row_block)
      for (std::size_t j = 0; j < i; ++j) Column<row_block>(lower, inverse, i, j);
    for (std::size_t r = i; r < i + rows; ++r) {
      for (std::size_t j = rows == row_block ? i : 0; j < r; ++j) Column<1>(lower, inverse, r, j);
      Diagonal(lower, inverse, r);
    }
  }
}

/// Row i of the inverse of L, given all rows before it; rows of the inverse are kept like L's.
HWY_ATTR void InverseRow(const CholeskyLanes& m, std::size_t i, double* inverse) {
  const LanesTag d;
  double* row = inverse + Place(i, 0);
  const double* factor = m.lower.data() + Place(i, 0);
  std::fill(row, row + side * i, 0.0);
  for (std::size_t c = 0; c < side; c += hn::Lanes(d)) {
    for (std::size_t k = 0; k < i; ++k) {
      const double* above = inverse + Place(k, 0) + c;
      const Lanes l = hn::LoadU(d, factor + side * k + c);
      for (std::size_t j = 0; j <= side * k; j += side)
        hn::StoreU(hn::Sub(hn::LoadU(d, row + c + j), hn::Mul(l, hn::LoadU(d, above + j))), d,
                   row + c + j);
    }
    const Lanes scale = hn::LoadU(d, &m.inverse[side * i + c]);
    for (std::size_t j = 0; j < side * i; j += side)
      hn::StoreU(hn::Mul(hn::LoadU(d, row + c + j), scale), d, row + c + j);
    hn::StoreU(scale, d, row + side * i + c);
  }
}

/// Adds row i's share of the inverse matrix to a block of it that begins at `first`.
HWY_ATTR void AddToBlock(const double* row, std::size_t first, std::size_t size, double* block) {
  const LanesTag d;
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = 0; b <= a; ++b, block += side)
      for (std::size_t c = 0; c < side; c += hn::Lanes(d))
        Look::Accumulate(d, block + c,
                         hn::Mul(hn::LoadU(d, row + side * (first + a) + c),
                                 hn::LoadU(d, row + side * (first + b) + c)));
}

HWY_ATTR void InverseBlocks(const CholeskyLanes& m, std::span<const std::size_t> first,
                            double* blocks) {
  std::vector<double> inverse(m.lower.size());
  for (std::size_t i = 0; i < m.order; ++i) {
    InverseRow(m, i, inverse.data());
    double* block = blocks;
    for (std::size_t b = 0; b + 1 < first.size() && first[b] <= i; ++b) {
      const std::size_t size = first[b + 1] - first[b];
      AddToBlock(inverse.data() + Place(i, 0), first[b], std::min(size, i + 1 - first[b]), block);
      block += Place(size, 0);
    }
  }
}

HWY_ATTR void SolveLanes(const CholeskyLanes& m, double* x) {
  const LanesTag d;
  for (std::size_t c = 0; c < side; c += hn::Lanes(d)) {
    for (std::size_t i = 0; i < m.order; ++i) {
      const double* row = m.lower.data() + Place(i, 0) + c;
      Lanes left = hn::LoadU(d, x + side * i + c);
      for (std::size_t k = 0; k < side * i; k += side)
        left = hn::Sub(left, hn::Mul(hn::LoadU(d, row + k), hn::LoadU(d, x + c + k)));
      hn::StoreU(hn::Mul(left, hn::LoadU(d, &m.inverse[side * i + c])), d, x + side * i + c);
    }
    for (std::size_t i = m.order; i-- > 0;) {
      const double* row = m.lower.data() + Place(i, 0) + c;
      const Lanes done =
          hn::Mul(hn::LoadU(d, x + side * i + c), hn::LoadU(d, &m.inverse[side * i + c]));
      hn::StoreU(done, d, x + side * i + c);
      for (std::size_t k = 0; k < side * i; k += side)
        hn::StoreU(hn::Sub(hn::LoadU(d, x + c + k), hn::Mul(hn::LoadU(d, row + k), done)), d,
                   x + c + k);
    }
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(AdditiveLook);
HWY_EXPORT(AdditiveRoughLook);
HWY_EXPORT(AdditiveBend);
HWY_EXPORT(AdditiveMoments);
HWY_EXPORT(SumByLevel);
HWY_EXPORT(CrossByLevel);
HWY_EXPORT(FactorLanes);
HWY_EXPORT(InverseBlocks);
HWY_EXPORT(SolveLanes);

void additive_pass(const AdditiveItems& items, std::span<const double> weight,
                   std::span<const double> theta, std::size_t classes, std::size_t width,
                   bool with_outer, AdditivePass& pass) {
  const std::size_t padded = (items.items + 7) / 8 * 8;
  pass.log_sum.assign(padded, 1.0);
  pass.scratch.assign(padded, 0.0);
  pass.expected.assign(theta.size(), 0.0);
  pass.outer.assign(with_outer ? classes * width : 0, 0.0);
  HWY_DYNAMIC_DISPATCH(AdditiveLook)
  (items, weight.data(), theta.data(), classes, width, pass);
}

void additive_pass_rough(const AdditiveItems& items, std::span<const double> weight,
                         std::span<const double> theta, std::size_t classes, std::size_t width,
                         AdditivePass& pass) {
  const std::size_t padded = (items.items + 7) / 8 * 8, rows = theta.size() / width;
  const std::size_t wide = (classes + 15) / 16 * 16;
  pass.log_sum.assign(padded, 1.0);
  pass.scratch.assign(padded, 0.0);
  pass.theta.assign(rows * wide, 0.0F);
  pass.rough.assign(rows * wide, 0.0F);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < classes; ++c)
      pass.theta[i * wide + c] = float(theta[i * width + c]);
  HWY_DYNAMIC_DISPATCH(AdditiveRoughLook)(items, weight.data(), classes, wide, pass);
  pass.expected.assign(theta.size(), 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < classes; ++c)
      pass.expected[i * width + c] = double(pass.rough[i * wide + c]);
}

void additive_curvature(const AdditiveItems& items, std::span<const double> weight,
                        std::span<const double> theta, std::size_t classes, std::size_t width,
                        const AdditivePass& pass, AdditiveCurvature& curvature) {
  HWY_DYNAMIC_DISPATCH(AdditiveBend)
  (items, weight.data(), theta.data(), classes, width, pass.log_sum.data(), curvature);
}

std::vector<double> additive_moments(const AdditiveItems& items, std::span<const double> theta,
                                     std::size_t classes, std::size_t width,
                                     const AdditivePass& pass, const AdditiveCurvature& curvature) {
  std::vector<double> moments(items.items * (width + curvature.exact()));
  HWY_DYNAMIC_DISPATCH(AdditiveMoments)
  (items, theta.data(), classes, width, pass.log_sum.data(), curvature, moments.data());
  return moments;
}

void sum_by_level(std::span<const double> moments, std::size_t stride,
                  std::span<const std::uint32_t> item, std::span<const std::uint8_t* const> columns,
                  std::span<const std::size_t> offset, std::size_t begin, std::size_t end,
                  std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(SumByLevel)
  (moments.data(), stride, item.data(), columns, offset.data(), begin, end, sums.data());
}

void cross_by_level(const AdditiveItems& items, std::span<const double> moments, std::size_t stride,
                    std::size_t from, std::span<const std::uint32_t> item,
                    const std::uint8_t* column, std::size_t begin, std::size_t end,
                    std::size_t order, std::span<double> cross) {
  HWY_DYNAMIC_DISPATCH(CrossByLevel)
  (items, moments.data() + from, stride, item.data(), column, begin, end, order, cross.data());
}

void factor(CholeskyLanes& matrix) { HWY_DYNAMIC_DISPATCH(FactorLanes)(matrix); }

std::vector<double> inverse_blocks(const CholeskyLanes& factor,
                                   std::span<const std::size_t> first) {
  std::size_t size = 0;
  for (std::size_t b = 0; b + 1 < first.size(); ++b) {
    const std::size_t rows = first[b + 1] - first[b];
    size += CholeskyLanes::lanes * rows * (rows + 1) / 2;
  }
  std::vector<double> blocks(size, 0.0);
  HWY_DYNAMIC_DISPATCH(InverseBlocks)(factor, first, blocks.data());
  return blocks;
}

void solve(const CholeskyLanes& factor, std::span<double> x) {
  HWY_DYNAMIC_DISPATCH(SolveLanes)(factor, x.data());
}

}  // namespace whence
#endif  // HWY_ONCE
