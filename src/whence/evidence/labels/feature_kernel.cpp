#include "whence/evidence/labels/feature_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/evidence/labels/feature_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

using FloatTag = hn::CappedTag<float, 8>;
using Floats = hn::Vec<FloatTag>;
constexpr std::size_t lanes = 8;

/// Eight partial sums in a fixed tree.
HWY_INLINE double TreeSum(const float* p) {
  return (double(p[0] + p[4]) + double(p[2] + p[6])) + (double(p[1] + p[5]) + double(p[3] + p[7]));
}

/// The products of up to B columns with up to B others. Narrow machines walk twice.
template <std::size_t B>
HWY_ATTR void GramBlock(const float* const* a, const float* const* b, std::size_t stride,
                        double (*out)[B]) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN float partial[B][B][lanes];
  for (std::size_t part = 0; part < lanes; part += width) {
    Floats sum[B][B];
    for (std::size_t i = 0; i < B; ++i)
      for (std::size_t j = 0; j < B; ++j) sum[i][j] = hn::Zero(d);
    for (std::size_t r = part; r < stride; r += lanes) {
      Floats right[B];
      for (std::size_t j = 0; j < B; ++j) right[j] = hn::LoadU(d, b[j] + r);
      for (std::size_t i = 0; i < B; ++i) {
        const Floats left = hn::LoadU(d, a[i] + r);
        for (std::size_t j = 0; j < B; ++j) sum[i][j] = hn::Add(sum[i][j], hn::Mul(left, right[j]));
      }
    }
    for (std::size_t i = 0; i < B; ++i)
      for (std::size_t j = 0; j < B; ++j) hn::StoreU(sum[i][j], d, partial[i][j] + part);
  }
  for (std::size_t i = 0; i < B; ++i)
    for (std::size_t j = 0; j < B; ++j) out[i][j] = TreeSum(partial[i][j]);
}

void GramMatrix(const FeatureColumns& x, const float* weight, std::span<double> gram) {
  constexpr std::size_t block = 3;
  const std::size_t q = x.columns(), stride = x.stride();
  const FloatTag d;
  const std::size_t width = hn::Lanes(d);
  AlignedFloats weighted(weight != nullptr ? stride * block : 0);
  for (std::size_t j0 = 0; j0 < q; j0 += block) {
    const float* right[block];
    for (std::size_t j = 0; j < block; ++j) {
      right[j] = x.column(std::min(j0 + j, q - 1));
      if (weight == nullptr) continue;
      float* scaled = weighted.data() + j * stride;
      for (std::size_t r = 0; r < stride; r += width)
        hn::StoreU(hn::Mul(hn::LoadU(d, right[j] + r), hn::LoadU(d, weight + r)), d, scaled + r);
      right[j] = scaled;
    }
    for (std::size_t i0 = j0; i0 < q; i0 += block) {
      const float* left[block];
      for (std::size_t i = 0; i < block; ++i) left[i] = x.column(std::min(i0 + i, q - 1));
      double sums[block][block];
      GramBlock<block>(left, right, stride, sums);
      for (std::size_t i = 0; i < block && i0 + i < q; ++i)
        for (std::size_t j = 0; j < block && j0 + j < q; ++j)
          if (i0 + i >= j0 + j)
            gram[(i0 + i) * q + j0 + j] = gram[(j0 + j) * q + i0 + i] = sums[i][j];
    }
  }
}

void FillWave(std::span<const float* const> columns, std::span<const float> weight, float phase,
              std::size_t stride, float* to) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d);
  const Floats half = hn::Set(d, 0.5F), two = hn::Set(d, 2.0F), four = hn::Set(d, 4.0F);
  for (std::size_t r = 0; r < stride; r += width) {
    Floats x = hn::Set(d, phase);
    for (std::size_t k = 0; k < columns.size(); ++k)
      x = hn::Add(x, hn::Mul(hn::Set(d, weight[k]), hn::LoadU(d, columns[k] + r)));
    // Into [-1, 1], then the parabola 4 x (1 - |x|).
    x = hn::Sub(x, hn::Mul(two, hn::Round(hn::Mul(half, x))));
    hn::StoreU(hn::Mul(hn::Mul(four, x), hn::Sub(hn::Set(d, 1.0F), hn::Abs(x))), d, to + r);
  }
}

/// Four vectors of rows at a time stay in registers while all columns are added to them.
void AddScores(const FeatureColumns& x, std::span<const double> w, double step,
               std::span<float> score) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d);
  constexpr std::size_t together = 4;
  std::size_t r = 0;
  for (; r + together * width <= x.stride(); r += together * width) {
    float* to = score.data() + r;
    Floats s0 = hn::LoadU(d, to), s1 = hn::LoadU(d, to + width);
    Floats s2 = hn::LoadU(d, to + 2 * width), s3 = hn::LoadU(d, to + 3 * width);
    for (std::size_t j = 0; j < x.columns(); ++j) {
      if (w[j] == 0) continue;
      const float* from = x.column(j) + r;
      const Floats factor = hn::Set(d, float(step * w[j]));
      s0 = hn::Add(s0, hn::Mul(factor, hn::LoadU(d, from)));
      s1 = hn::Add(s1, hn::Mul(factor, hn::LoadU(d, from + width)));
      s2 = hn::Add(s2, hn::Mul(factor, hn::LoadU(d, from + 2 * width)));
      s3 = hn::Add(s3, hn::Mul(factor, hn::LoadU(d, from + 3 * width)));
    }
    hn::StoreU(s0, d, to);
    hn::StoreU(s1, d, to + width);
    hn::StoreU(s2, d, to + 2 * width);
    hn::StoreU(s3, d, to + 3 * width);
  }
  for (; r < x.stride(); r += width) {
    Floats sum = hn::LoadU(d, score.data() + r);
    for (std::size_t j = 0; j < x.columns(); ++j)
      if (w[j] != 0)
        sum = hn::Add(sum, hn::Mul(hn::Set(d, float(step * w[j])), hn::LoadU(d, x.column(j) + r)));
    hn::StoreU(sum, d, score.data() + r);
  }
}

void SquaredNorms(const FeatureColumns& x, std::size_t q, std::span<const float> lower,
                  std::span<float> to) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d);
  for (std::size_t r = 0; r < x.stride(); r += width) {
    Floats sum = hn::Zero(d);
    for (std::size_t j = 0; j < q; ++j) {
      Floats along = hn::Zero(d);
      for (std::size_t k = 0; k <= j; ++k)
        along =
            hn::Add(along, hn::Mul(hn::Set(d, lower[j * q + k]), hn::LoadU(d, x.column(k) + r)));
      sum = hn::Add(sum, hn::Mul(along, along));
    }
    hn::StoreU(sum, d, to.data() + r);
  }
}

void Project(const FeatureColumns& x, std::span<const float> residual, std::span<double> gradient) {
  for (std::size_t j = 0; j < x.columns(); ++j) {
    const float* left[1] = {x.column(j)};
    const float* right[1] = {residual.data()};
    double sum[1][1];
    GramBlock<1>(left, right, x.stride(), sum);
    gradient[j] = sum[0][0];
  }
}

/// Log-likelihoods of one vector of rows; what they say of each row's label.
struct LogisticLanes {
  Lanes term, residual, weight;
};

HWY_INLINE LogisticLanes LogisticStep(LanesTag d, Lanes z, Lanes y) {
  const Lanes one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const Lanes decay = LanesExp<false>(d, hn::Neg(hn::Abs(z)));  // e^-|z|: never overflows
  const Lanes whole = hn::Add(one, decay);
  const Lanes larger = hn::Div(one, whole);
  const Lanes p = hn::IfThenElse(hn::Lt(z, zero), hn::Mul(decay, larger), larger);
  const Lanes fit = hn::Sub(hn::Mul(y, z), hn::Max(z, zero));
  return {hn::Sub(fit, LanesLog(d, whole)), hn::Sub(y, p), hn::Mul(p, hn::Sub(one, p))};
}

double LogisticPass(std::size_t rows, std::span<const float> score, std::span<const float> label,
                    std::span<float> residual, std::span<float> weight) {
  const LanesTag d;
  const hn::Rebind<float, LanesTag> narrow;
  const std::size_t width = hn::Lanes(d);
  HWY_ALIGN double log_lik[lanes] = {}, term[lanes];
  for (std::size_t r = 0; r < score.size(); r += lanes) {
    const std::size_t filled = rows > r ? std::min(lanes, rows - r) : 0;
    for (std::size_t part = 0; part < lanes; part += width) {
      const std::size_t at = r + part;
      const LogisticLanes found =
          LogisticStep(d, hn::PromoteTo(d, hn::LoadU(narrow, score.data() + at)),
                       hn::PromoteTo(d, hn::LoadU(narrow, label.data() + at)));
      hn::StoreU(hn::DemoteTo(narrow, found.residual), narrow, residual.data() + at);
      hn::StoreU(hn::DemoteTo(narrow, found.weight), narrow, weight.data() + at);
      hn::Store(found.term, d, term + part);
      if (filled < lanes) continue;
      hn::Store(hn::Add(hn::Load(d, log_lik + part), found.term), d, log_lik + part);
    }
    if (filled == lanes) continue;
    for (std::size_t k = 0; k < filled; ++k) log_lik[k] += term[k];
    for (std::size_t k = filled; k < lanes; ++k) residual[r + k] = weight[r + k] = 0;
  }
  return ((log_lik[0] + log_lik[4]) + (log_lik[2] + log_lik[6])) +
         ((log_lik[1] + log_lik[5]) + (log_lik[3] + log_lik[7]));
}

}  // namespace
}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(GramMatrix);
HWY_EXPORT(FillWave);
HWY_EXPORT(AddScores);
HWY_EXPORT(SquaredNorms);
HWY_EXPORT(Project);
HWY_EXPORT(LogisticPass);

void gram_matrix(const FeatureColumns& x, const float* weight, std::span<double> gram) {
  HWY_DYNAMIC_DISPATCH(GramMatrix)(x, weight, gram);
}

void fill_wave(std::span<const float* const> columns, std::span<const float> weight, float phase,
               std::size_t stride, float* to) {
  HWY_DYNAMIC_DISPATCH(FillWave)(columns, weight, phase, stride, to);
}

void add_scores(const FeatureColumns& x, std::span<const double> w, double step,
                std::span<float> score) {
  HWY_DYNAMIC_DISPATCH(AddScores)(x, w, step, score);
}

void squared_norms(const FeatureColumns& x, std::size_t q, std::span<const float> lower,
                   std::span<float> to) {
  HWY_DYNAMIC_DISPATCH(SquaredNorms)(x, q, lower, to);
}

void project(const FeatureColumns& x, std::span<const float> residual, std::span<double> gradient) {
  HWY_DYNAMIC_DISPATCH(Project)(x, residual, gradient);
}

double logistic_pass(std::size_t rows, std::span<const float> score, std::span<const float> label,
                     std::span<float> residual, std::span<float> weight) {
  return HWY_DYNAMIC_DISPATCH(LogisticPass)(rows, score, label, residual, weight);
}

}  // namespace whence
#endif
