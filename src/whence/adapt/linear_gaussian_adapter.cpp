#include "whence/adapt/linear_gaussian_adapter.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/linear_gaussian_adapter.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/optimizer_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

constexpr std::size_t row_block = 4;  // rows whose sums stay in registers together

inline std::size_t padded(std::size_t n) {
  return (n + row_multiple - 1) / row_multiple * row_multiple;
}

class GaussianAdapter {
 public:
  GaussianAdapter(const GaussianPlan& plan, const OptimizerSpec& optimizer, int batch,
                  GaussianScratch& scratch)
      : d_(plan.dimension),
        p_(plan.inputs),
        stride_(plan.stride),
        batch_(std::size_t(batch)),
        width_(padded(batch_)),
        optimizer_(optimizer),
        s_(scratch) {
    s_.examples.assign(batch_ * stride_, 0.0);
    s_.across.assign((1 + p_ + d_) * width_, 0.0);
    s_.child.assign(d_ * width_, 0.0);
    s_.weighed.resize(d_ * width_);
    s_.squares.resize(width_);
    for (std::size_t e = 0; e < batch_; ++e) s_.examples[e * stride_] = s_.across[e] = 1;
  }

  HWY_ATTR void Run(const double* x, const double* y, std::span<double> scores, bool goes_on) {
    for (std::size_t t = 0; t < scores.size(); ++t) {
      TakeIn(x + t * batch_ * p_, y + t * batch_ * d_);
      for (std::size_t n = 0; n < width_; n += 2 * hn::Lanes(LanesTag())) Whiten(n);
      scores[t] = Score();
      if (!goes_on && t + 1 == scores.size()) return;
      for (std::size_t n = 0; n < width_; n += 2 * hn::Lanes(LanesTag())) Weigh(n);
      TurnRound();
      ++s_.step;
      Learn();
    }
  }

 private:
  double* Across(std::size_t column) { return &s_.across[column * width_]; }
  std::size_t Z(std::size_t i) const { return 1 + p_ + i; }  // the column of z_i, and of log L_ii

  /// A mini-batch, by examples and across them.
  void TakeIn(const double* x, const double* y) {
    for (std::size_t e = 0; e < batch_; ++e) {
      for (std::size_t j = 0; j < p_; ++j)
        s_.examples[e * stride_ + 1 + j] = s_.across[(1 + j) * width_ + e] = x[e * p_ + j];
      for (std::size_t i = 0; i < d_; ++i) s_.child[i * width_ + e] = y[e * d_ + i];
    }
  }

  /// z = L^-1 (y - b0 - B x) for two vectors of examples.
  HWY_ATTR void Whiten(std::size_t n) {
    const LanesTag d;
    const std::size_t second = n + hn::Lanes(d) < width_ ? hn::Lanes(d) : 0;
    Lanes square0 = hn::Zero(d), square1 = hn::Zero(d);
    for (std::size_t i = 0; i < d_; i += row_block) {
      const std::size_t rows = std::min(row_block, d_ - i);
      Lanes left[row_block][2];
      for (std::size_t r = 0; r < row_block; ++r) {
        const double* y = &s_.child[std::min(i + r, d_ - 1) * width_ + n];
        left[r][0] = hn::LoadU(d, y);
        left[r][1] = hn::LoadU(d, y + second);
      }
      if (rows == row_block)
        Subtract<row_block>(&s_.rows[i * stride_], stride_, 1, Across(0) + n, Z(i), second, left);
      else
        for (std::size_t r = 0; r < rows; ++r)
          Subtract<1>(&s_.rows[(i + r) * stride_], stride_, 1, Across(0) + n, Z(i), second,
                      left + r);
      for (std::size_t r = 0; r < rows; ++r) {
        // Within the block each row waits for those above it.
        Subtract<1>(&s_.rows[(i + r) * stride_ + Z(i)], stride_, 1, Across(Z(i)) + n, r, second,
                    left + r);
        const Lanes inverse = hn::Set(d, s_.inverse[i + r]);
        const Lanes z0 = hn::Mul(left[r][0], inverse), z1 = hn::Mul(left[r][1], inverse);
        hn::StoreU(z0, d, Across(Z(i + r)) + n);
        hn::StoreU(z1, d, Across(Z(i + r)) + n + second);
        square0 = hn::Add(square0, hn::Mul(z0, z0));
        square1 = hn::Add(square1, hn::Mul(z1, z1));
      }
    }
    hn::StoreU(square0, d, &s_.squares[n]);
    hn::StoreU(square1, d, &s_.squares[n + second]);
  }

  /// left[r] -= sum over c of coefficient[r * row_step + c * column_step] * in[c], two vectors of
  /// examples at a time, in the order of c.
  template <std::size_t R>
  HWY_INLINE void Subtract(const double* HWY_RESTRICT coefficient, std::size_t row_step,
                           std::size_t column_step, const double* HWY_RESTRICT in,
                           std::size_t depth, std::size_t second, Lanes (*left)[2]) const {
    const LanesTag d;
    Lanes sum[R][2];
    for (std::size_t r = 0; r < R; ++r) sum[r][0] = left[r][0], sum[r][1] = left[r][1];
    for (std::size_t c = 0; c < depth; ++c) {
      const Lanes a = hn::LoadU(d, in + c * width_), b = hn::LoadU(d, in + c * width_ + second);
      for (std::size_t r = 0; r < R; ++r) {
        const Lanes k = hn::Set(d, coefficient[r * row_step + c * column_step]);
        sum[r][0] = hn::Sub(sum[r][0], hn::Mul(k, a));
        sum[r][1] = hn::Sub(sum[r][1], hn::Mul(k, b));
      }
    }
    for (std::size_t r = 0; r < R; ++r) left[r][0] = sum[r][0], left[r][1] = sum[r][1];
  }

  /// The summed log-likelihood of the mini-batch.
  double Score() const {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    double squares = 0, log_diagonal = 0;
    for (std::size_t e = 0; e < batch_; ++e) squares += s_.squares[e];
    for (std::size_t i = 0; i < d_; ++i) log_diagonal += s_.rows[i * stride_ + Z(i)];
    return -0.5 * squares - double(batch_) * (log_diagonal + double(d_) * half_log_two_pi);
  }

  /// w = L^-T z for two vectors of examples, from the last row up.
  HWY_ATTR void Weigh(std::size_t n) {
    const LanesTag d;
    const std::size_t second = n + hn::Lanes(d) < width_ ? hn::Lanes(d) : 0;
    for (std::size_t end = d_; end > 0; end -= std::min(end, row_block)) {
      const std::size_t i = end - std::min(end, row_block), rows = end - i;
      Lanes left[row_block][2];
      for (std::size_t r = 0; r < row_block; ++r) {
        const double* z = Across(Z(std::min(i + r, d_ - 1))) + n;
        left[r][0] = hn::LoadU(d, z);
        left[r][1] = hn::LoadU(d, z + second);
      }
      const double* below = &s_.rows[std::min(end, d_ - 1) * stride_ + Z(i)];
      const double* w = &s_.weighed[std::min(end, d_ - 1) * width_ + n];
      if (rows == row_block)
        Subtract<row_block>(below, 1, stride_, w, d_ - end, second, left);
      else
        for (std::size_t r = 0; r < rows; ++r)
          Subtract<1>(below + r, 1, stride_, w, d_ - end, second, left + r);
      for (std::size_t r = rows; r-- > 0;) {
        Subtract<1>(&s_.rows[std::min(i + r + 1, d_ - 1) * stride_ + Z(i + r)], 1, stride_,
                    &s_.weighed[std::min(i + r + 1, d_ - 1) * width_ + n], rows - r - 1, second,
                    left + r);
        const Lanes inverse = hn::Set(d, s_.inverse[i + r]);
        hn::StoreU(hn::Mul(left[r][0], inverse), d, &s_.weighed[(i + r) * width_ + n]);
        hn::StoreU(hn::Mul(left[r][1], inverse), d, &s_.weighed[(i + r) * width_ + n + second]);
      }
    }
  }

  /// z by examples, for the gradient.
  void TurnRound() {
    for (std::size_t i = 0; i < d_; ++i)
      for (std::size_t e = 0; e < batch_; ++e)
        s_.examples[e * stride_ + Z(i)] = s_.across[Z(i) * width_ + e];
  }

  HWY_ATTR void Learn() {
    using Kind = OptimizerSpec::Kind;
    const LanesOptimizer step(optimizer_, s_.step);
    switch (optimizer_.kind) {
      case Kind::sgd: LearnWith<Kind::sgd>(step); break;
      case Kind::rmsprop: LearnWith<Kind::rmsprop>(step); break;
      case Kind::adam: LearnWith<Kind::adam>(step); break;
    }
    Exponentiate(s_);
  }

  template <OptimizerSpec::Kind kind>
  HWY_INLINE void LearnWith(const LanesOptimizer& step) {
    std::size_t i = 0;
    for (; i + row_block <= d_; i += row_block) LearnRows<kind, row_block>(step, i);
    for (; i < d_; ++i) LearnRows<kind, 1>(step, i);
  }

  /// The gradient of R rows, a vector of columns at a time, and the move along it.
  template <OptimizerSpec::Kind kind, std::size_t R>
  HWY_INLINE void LearnRows(const LanesOptimizer& step, std::size_t i) {
    const LanesTag d;
    for (std::size_t c = 0; c <= Z(i + R - 1); c += hn::Lanes(d)) {
      Lanes sum[R];
      for (std::size_t r = 0; r < R; ++r) sum[r] = hn::Zero(d);
      for (std::size_t e = 0; e < batch_; ++e) {
        const Lanes v = hn::LoadU(d, &s_.examples[e * stride_ + c]);
        for (std::size_t r = 0; r < R; ++r) {
          const Lanes w = hn::Set(d, s_.weighed[(i + r) * width_ + e]);
          sum[r] = hn::Add(sum[r], hn::Mul(w, v));
        }
      }
      const Lanes column = hn::Iota(d, double(c));
      for (std::size_t r = 0; r < R; ++r) MoveRow<kind>(step, i + r, c, column, sum[r]);
    }
  }

  /// `sum` is w_i v summed over the mini-batch; the loss is the mean negative log-likelihood.
  template <OptimizerSpec::Kind kind>
  HWY_INLINE void MoveRow(const LanesOptimizer& step, std::size_t i, std::size_t c, Lanes column,
                          Lanes sum) {
    const LanesTag d;
    const Lanes last = hn::Set(d, double(Z(i)));
    // On the diagonal the parameter is log L_ii, and the normaliser pulls the other way.
    const Lanes on_diagonal =
        hn::Sub(hn::Mul(sum, hn::Set(d, s_.diagonal[i])), hn::Set(d, double(batch_)));
    const Lanes gradient = hn::Mul(hn::Set(d, -1.0 / double(batch_)),
                                   hn::IfThenElse(hn::Eq(column, last), on_diagonal, sum));
    const std::size_t at = i * stride_ + c;
    const Lanes move = LanesMove<kind>(d, step, hn::IfThenElseZero(hn::Le(column, last), gradient),
                                       s_.first.empty() ? nullptr : &s_.first[at],
                                       s_.second.empty() ? nullptr : &s_.second[at]);
    hn::StoreU(hn::Sub(hn::LoadU(d, &s_.rows[at]), move), d, &s_.rows[at]);
  }

 public:
  /// The diagonal and its inverse, from their logarithms in the rows.
  HWY_ATTR void Exponentiate(GaussianScratch& s) const {
    const LanesTag d;
    for (std::size_t i = 0; i < d_; ++i) s.diagonal[i] = s.rows[i * stride_ + Z(i)];
    for (std::size_t i = 0; i < s.diagonal.size(); i += hn::Lanes(d)) {
      const Lanes log_diagonal = hn::LoadU(d, &s.diagonal[i]);
      hn::StoreU(LanesExp(d, hn::Neg(log_diagonal)), d, &s.inverse[i]);
      hn::StoreU(LanesExp(d, log_diagonal), d, &s.diagonal[i]);
    }
  }

 private:
  std::size_t d_, p_, stride_, batch_, width_;
  const OptimizerSpec& optimizer_;
  GaussianScratch& s_;
};

}  // namespace

void AdaptGaussian(const GaussianPlan& plan, const OptimizerSpec& optimizer, int batch,
                   const double* x, const double* y, GaussianScratch& scratch,
                   std::span<double> scores, bool goes_on) {
  GaussianAdapter adapter(plan, optimizer, batch, scratch);
  if (scratch.step == 0) adapter.Exponentiate(scratch);
  adapter.Run(x, y, scores, goes_on);
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(AdaptGaussian);

GaussianPlan::GaussianPlan(const LinearGaussian<double>& module)
    : dimension(module.dimension()),
      inputs(module.inputs()),
      stride((1 + inputs + dimension + 7) / 8 * 8),
      rows(dimension * stride, 0.0) {
  for (std::size_t i = 0; i < dimension; ++i)
    std::copy(module.row(i).begin(), module.row(i).end(), &rows[i * stride]);
}

void GaussianScratch::restart(const GaussianPlan& plan, const OptimizerSpec& optimizer) {
  using Kind = OptimizerSpec::Kind;
  step = 0;
  rows = plan.rows;
  const bool has_first = optimizer.kind == Kind::adam || optimizer.momentum != 0;
  first.assign(has_first ? rows.size() : 0, 0.0);
  second.assign(optimizer.kind == Kind::sgd ? 0 : rows.size(), 0.0);
  diagonal.assign((plan.dimension + 7) / 8 * 8, 0.0);
  inverse.assign(diagonal.size(), 0.0);
}

void adapt_gaussian(const GaussianPlan& plan, const OptimizerSpec& optimizer, int batch,
                    const double* x, const double* y, GaussianScratch& scratch,
                    std::span<double> scores, bool goes_on) {
  HWY_DYNAMIC_DISPATCH(AdaptGaussian)
  (plan, optimizer, batch, x, y, scratch, scores, goes_on);
}

}  // namespace whence
#endif  // HWY_ONCE
