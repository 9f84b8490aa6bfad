#include "whence/evidence/linear/student_family.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/evidence/linear/student_family.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

#ifndef WHENCE_STUDENT_FAMILY_ONCE
#define WHENCE_STUDENT_FAMILY_ONCE

#if defined(__GNUC__) && !defined(__clang__)
#define WHENCE_UNROLL _Pragma("GCC unroll 9")
#define WHENCE_UNROLL_TRIANGLE _Pragma("GCC unroll 45")
#else
#define WHENCE_UNROLL
#define WHENCE_UNROLL_TRIANGLE
#endif

namespace whence {

/// One factorisation per environment.
struct FactorQuery {
  const FamilyGrams& grams;
  const double* base;  // [packed]
  const double* sign;  // per environment
  const RegressionPrior& prior;
  double base_count;
  bool by_weights;  // the precision of the noise by the sum of weights, not by rows
  double* factors;  // [packed][stride]: below the diagonal L, on it 1 / pivot, last the precision
};

/// New weights for all rows of all pieces.
struct WeightQuery {
  std::size_t order, length, stride;
  const double* const* columns;  // [order] of [length][stride]
  const double* factors;         // [packed][stride]
  double freedom;
  double* grams;      // [packed][stride]
  double* log_rates;  // [stride]
  double* weights;    // [length][stride]
};

/// Sums of weight * column * each of the others.
struct ProductQuery {
  std::size_t length, stride;
  const double* weights;                  // [length][stride]
  const double* column;                   // [length][stride]
  std::span<const double* const> others;  // of the same
  double* products;                       // [others][stride]
};

}  // namespace whence
#endif

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

/// Takes each environment's pool apart into L D L'. With u = L^-1 (1, parents, child), the
/// child's residual is u's last number, and the others are uncorrelated.
HWY_ATTR void Factors(const FactorQuery& q) {
  const LanesTag d;
  const std::size_t order = q.grams.order, last = order - 1, stride = q.grams.stride;
  const Lanes one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  Lanes a[packed(largest_order, 0)];
  for (std::size_t e = 0; e < stride; e += hn::Lanes(d)) {
    const Lanes sign = hn::LoadU(d, q.sign + e);
    for (std::size_t k = 0; k < packed(order, 0); ++k)
      a[k] = hn::Add(hn::Set(d, q.base[k]), hn::Mul(sign, hn::LoadU(d, q.grams.entries[k] + e)));
    const Lanes rows =
        hn::Add(hn::Set(d, q.base_count), hn::Mul(sign, hn::LoadU(d, q.grams.counts.data() + e)));
    const Lanes count = q.by_weights ? a[0] : rows;
    a[0] = hn::Add(a[0], hn::Set(d, q.prior.intercept));
    for (std::size_t j = 1; j < last; ++j)
      a[packed(j, j)] = hn::Add(a[packed(j, j)], hn::Set(d, q.prior.slope));
    for (std::size_t j = 0; j < last; ++j) {
      const Lanes inverse = hn::Div(one, a[packed(j, j)]);
      for (std::size_t r = j + 1; r < order; ++r) {
        const Lanes factor = hn::Mul(a[packed(r, j)], inverse);
        for (std::size_t c = j + 1; c <= r; ++c)
          a[packed(r, c)] = hn::Sub(a[packed(r, c)], hn::Mul(factor, a[packed(c, j)]));
        hn::StoreU(factor, d, q.factors + packed(r, j) * stride + e);
      }
      hn::StoreU(inverse, d, q.factors + packed(j, j) * stride + e);
    }
    const Lanes residual = hn::Max(a[packed(last, last)], hn::Zero(d));
    const Lanes shape = hn::Add(hn::Set(d, q.prior.shape), hn::Mul(half, count));
    const Lanes rate = hn::Add(hn::Set(d, q.prior.rate), hn::Mul(half, residual));
    hn::StoreU(hn::Div(shape, rate), d, q.factors + packed(last, last) * stride + e);
  }
}

/// Each row's expected squared residual in units of the noise (its own and the fit's uncertainty),
/// hence its weight; Gram matrices with these weights, and sums of log b over rows. Small orders
/// are known to the compiler: their sums stay in registers.
template <std::size_t known_order>
HWY_ATTR void WeighOrder(const WeightQuery& q) {
  const LanesTag d;
  constexpr std::size_t most = known_order == 0 ? largest_order : known_order;
  const std::size_t order = known_order == 0 ? q.order : known_order;
  const std::size_t stride = q.stride, entries = packed(order, 0);
  const Lanes one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), zero = hn::Zero(d);
  const Lanes nu = hn::Set(d, q.freedom), nu_and_one = hn::Set(d, q.freedom + 1);
  const Lanes farthest = hn::Set(d, 1e30);  // eight of them can be multiplied
  Lanes factor[packed(most, 0)], sum[packed(most, 0)], z[most], u[most];
  for (std::size_t r = 0; r < most; ++r) z[r] = u[r] = zero;
  for (std::size_t i = 0; i < stride; i += hn::Lanes(d)) {
    WHENCE_UNROLL_TRIANGLE
    for (std::size_t k = 0; k < entries; ++k) {
      factor[k] = hn::LoadU(d, q.factors + k * stride + i);
      sum[k] = zero;
    }
    Lanes product = one, logs = zero;
    for (std::size_t n = 0; n < q.length; ++n) {
      Lanes distance = zero;
      WHENCE_UNROLL
      for (std::size_t r = 0; r < order; ++r) {
        z[r] = u[r] = hn::LoadU(d, q.columns[r] + n * stride + i);
        WHENCE_UNROLL
        for (std::size_t c = 0; c < r; ++c)
          u[r] = hn::Sub(u[r], hn::Mul(factor[packed(r, c)], u[c]));
        distance = hn::Add(distance, hn::Mul(hn::Mul(u[r], u[r]), factor[packed(r, r)]));
      }
      const Lanes spread = hn::Add(nu, hn::Min(distance, farthest));
      const Lanes weight = hn::Div(nu_and_one, spread);
      hn::StoreU(weight, d, q.weights + n * stride + i);
      product = hn::Mul(product, hn::IfThenElse(hn::Gt(z[0], zero), hn::Mul(half, spread), one));
      if (n % 8 == 7) {
        logs = hn::Add(logs, LanesLog(d, product));
        product = one;
      }
      WHENCE_UNROLL
      for (std::size_t r = 0; r < order; ++r) {
        const Lanes weighted = hn::Mul(weight, z[r]);
        WHENCE_UNROLL
        for (std::size_t c = 0; c <= r; ++c)
          sum[packed(r, c)] = hn::Add(sum[packed(r, c)], hn::Mul(weighted, z[c]));
      }
    }
    WHENCE_UNROLL_TRIANGLE
    for (std::size_t k = 0; k < entries; ++k) hn::StoreU(sum[k], d, q.grams + k * stride + i);
    hn::StoreU(hn::Add(logs, LanesLog(d, product)), d, q.log_rates + i);
  }
}

HWY_ATTR void Products(const ProductQuery& q) {
  const LanesTag d;
  Lanes sum[largest_order + 1];
  for (std::size_t i = 0; i < q.stride; i += hn::Lanes(d)) {
    for (std::size_t c = 0; c < q.others.size(); ++c) sum[c] = hn::Zero(d);
    for (std::size_t n = 0; n < q.length; ++n) {
      const std::size_t at = n * q.stride + i;
      const Lanes weighted = hn::Mul(hn::LoadU(d, q.weights + at), hn::LoadU(d, q.column + at));
      for (std::size_t c = 0; c < q.others.size(); ++c)
        sum[c] = hn::Add(sum[c], hn::Mul(weighted, hn::LoadU(d, q.others[c] + at)));
    }
    for (std::size_t c = 0; c < q.others.size(); ++c)
      hn::StoreU(sum[c], d, q.products + c * q.stride + i);
  }
}

HWY_ATTR void Weigh(const WeightQuery& q) {
  switch (q.order) {
    case 2: return WeighOrder<2>(q);
    case 3: return WeighOrder<3>(q);
    case 4: return WeighOrder<4>(q);
    case 5: return WeighOrder<5>(q);
    case 6: return WeighOrder<6>(q);
    case 7: return WeighOrder<7>(q);
    case 8: return WeighOrder<8>(q);
    case 9: return WeighOrder<9>(q);
    default: return WeighOrder<0>(q);
  }
}

}  // namespace
}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "whence/math/special.hpp"

namespace whence {

namespace {

HWY_EXPORT(Factors);
HWY_EXPORT(Weigh);
HWY_EXPORT(Products);

constexpr std::size_t piece_multiple = 8;

std::size_t padded_pieces(std::span<const std::size_t> rows, std::size_t length) {
  std::size_t pieces = 0;
  for (std::size_t n : rows) pieces += (n + length - 1) / length;
  return std::max<std::size_t>(1, (pieces + piece_multiple - 1) / piece_multiple) * piece_multiple;
}

/// The length that wastes least; a piece costs about two rows to set up and to fold.
std::size_t best_length(std::span<const std::size_t> rows) {
  std::size_t best = 1, least = std::numeric_limits<std::size_t>::max();
  for (std::size_t length = 1; length <= 256; ++length) {
    const std::size_t cost = padded_pieces(rows, length) * (length + 2);
    if (cost < least) least = cost, best = length;
  }
  return best;
}

}  // namespace

RowPieces::RowPieces(std::span<const std::size_t> rows_per_environment)
    : length_(best_length(rows_per_environment)),
      stride_(padded_pieces(rows_per_environment, length_)) {
  for (std::size_t e = 0; e < rows_per_environment.size(); ++e) {
    first_piece_.push_back(environment_of_.size());
    const std::size_t pieces = (rows_per_environment[e] + length_ - 1) / length_;
    environment_of_.insert(environment_of_.end(), pieces, std::uint32_t(e));
  }
}

void RowPieces::set(std::size_t environment, std::size_t row, std::size_t column, double value) {
  const std::size_t piece = first_piece_[environment] + row / length_;
  columns_[column][row % length_ * stride_ + piece] = value;
}

StudentFamily::StudentFamily(const RowPieces& rows, std::span<const std::size_t> columns,
                             const FamilyGrams& plain)
    : rows_(rows), plain_(plain) {
  const std::size_t entries = packed(plain.order, 0);
  for (std::size_t k : columns) columns_.push_back(rows.column(k));
  weighted_.resize(entries * plain.stride);
  factors_.resize(entries * plain.stride);
  piece_factors_.assign(entries * rows.stride(), 0.0);
  piece_sums_.resize(entries * rows.stride());
  piece_logs_.resize(rows.stride());
  weights_.assign(rows.length() * rows.stride(), 1.0);
  log_rates_.resize(plain.stride);
  offsets_.resize(plain.stride);
  for (std::size_t k = 0; k < entries; ++k) entries_.push_back(&weighted_[k * plain.stride]);
  grams_ = {plain.order, plain.stride, entries_, plain.counts};
  restart();
}

void StudentFamily::restart() {
  for (std::size_t k = 0; k < entries_.size(); ++k)
    std::copy_n(plain_.entries[k], plain_.stride, &weighted_[k * plain_.stride]);
  std::fill(offsets_.begin(), offsets_.end(), 0.0);
}

void StudentFamily::reweigh(const RegressionPrior& prior, std::span<const double> base,
                            double base_count, std::span<const double> sign, Pace pace) {
  HWY_DYNAMIC_DISPATCH(Factors)
  ({grams_, base.data(), sign.data(), prior, base_count, pace == Pace::fast, factors_.data()});
  expand_factors();
  HWY_DYNAMIC_DISPATCH(Weigh)
  ({grams_.order, rows_.length(), rows_.stride(), columns_.data(), piece_factors_.data(), freedom_,
    piece_sums_.data(), piece_logs_.data(), weights_.data()});
  fold_pieces();
  // q(w) = Gamma(a, b): each row adds C - a log b + a - (nu / 2) E w.
  const double a = (freedom_ + 1) / 2, half = freedom_ / 2;
  const double constant = half * portable_log(half) - log_gamma(half) + log_gamma(a) + a;
  for (std::size_t e = 0; e < plain_.stride; ++e)
    offsets_[e] = plain_.counts[e] * constant - a * log_rates_[e] - half * weighted_[e];
}

/// Every piece gets the factors of its environment.
void StudentFamily::expand_factors() {
  const std::span<const std::uint32_t> environment = rows_.environment_of();
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const double* from = &factors_[k * plain_.stride];
    double* into = &piece_factors_[k * rows_.stride()];
    for (std::size_t i = 0; i < environment.size(); ++i) into[i] = from[environment[i]];
  }
}

/// Every environment gets the sums over its pieces.
void StudentFamily::fold(const double* pieces, double* environments) const {
  const std::span<const std::uint32_t> environment = rows_.environment_of();
  std::fill_n(environments, plain_.stride, 0.0);
  for (std::size_t i = 0; i < environment.size();) {
    const std::uint32_t e = environment[i];
    double sum = pieces[i++];
    for (; i < environment.size() && environment[i] == e; ++i) sum += pieces[i];
    environments[e] = sum;
  }
}

void StudentFamily::fold_pieces() {
  for (std::size_t k = 0; k < entries_.size(); ++k)
    fold(&piece_sums_[k * rows_.stride()], &weighted_[k * plain_.stride]);
  fold(piece_logs_.data(), log_rates_.data());
}

void StudentFamily::column_products(std::size_t column, std::span<double> products) const {
  std::vector<const double*> others = columns_;
  others.push_back(rows_.column(column));
  std::vector<double> pieces(others.size() * rows_.stride());
  HWY_DYNAMIC_DISPATCH(Products)
  ({rows_.length(), rows_.stride(), weights_.data(), rows_.column(column), others, pieces.data()});
  for (std::size_t c = 0; c < others.size(); ++c)
    fold(&pieces[c * rows_.stride()], &products[c * plain_.stride]);
}

}  // namespace whence
#endif
