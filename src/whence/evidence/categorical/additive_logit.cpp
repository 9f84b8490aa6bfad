#include "whence/evidence/categorical/additive_logit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/math/dense.hpp"
#include "whence/math/elementary.hpp"

namespace whence {

namespace {

constexpr std::size_t most_rows = 1024;  // of coefficients: 32 MiB of factors
constexpr std::size_t lanes = CholeskyLanes::lanes;
constexpr double least_doubtful = -150;   // nats: newcomers estimated above are looked at again
constexpr std::size_t many_items = 1000;  // from here on single precision guides the climb
std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

/// a += scale * b
void add(std::vector<double>& a, double scale, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

}  // namespace

std::size_t AdditiveLogit::coefficients(const CategoricalRows& rows,
                                        std::span<const std::size_t> parents) {
  std::size_t order = 1;
  for (std::size_t p : parents) order += rows.levels(p);
  return order;
}

bool AdditiveLogit::affordable(const CategoricalRows& rows, std::span<const std::size_t> parents) {
  return coefficients(rows, parents) <= most_rows;
}

AdditiveLogit::AdditiveLogit(const CategoricalRows& rows, std::size_t child,
                             std::span<const std::size_t> parents,
                             std::span<const std::size_t> present,
                             std::span<const std::size_t> members, AdditivePrior prior)
    : rows_(rows),
      child_(child),
      parents_(parents.begin(), parents.end()),
      classes_(rows.levels(child)),
      width_(padded(classes_)),
      pooled_(rows.environments(), 0) {
  for (std::size_t p : parents) {
    offset_.push_back(order_);
    order_ += rows.levels(p);
  }
  make_items(members);
  make_prior(present, prior);
}

/// Configurations where they repeat, else the rows themselves.
Configurations AdditiveLogit::name_items(std::span<const std::size_t> members) const {
  double possible = 1, rows = 0;
  for (std::size_t p : parents_) possible *= double(rows_.levels(p));
  for (std::size_t e : members) rows += double(rows_.rows(e));
  if (possible <= 1000 * rows) return configurations(rows_, parents_);
  Configurations each{0, std::vector<std::uint32_t>(rows_.rows())};
  for (std::size_t e : members)
    for (std::size_t r = rows_.begin(e); r < rows_.end(e); ++r)
      each.of_row[r] = std::uint32_t(each.number++);
  return each;
}

void AdditiveLogit::make_items(std::span<const std::size_t> members) {
  Configurations configuration = name_items(members);
  items_.parents = parents_.size();
  items_.items = configuration.number;
  items_.row.assign(items_.items * items_.parents, 0);
  shares_.resize(rows_.environments());
  std::vector<std::uint32_t> seen(items_.items, 0);
  for (std::size_t e : members) {
    for (std::size_t p = 0; p < parents_.size(); ++p) {
      const std::uint8_t* column = rows_.column(parents_[p]);
      for (std::size_t r = rows_.begin(e); r < rows_.end(e); ++r)
        items_.row[configuration.of_row[r] * items_.parents + p] =
            std::uint16_t(offset_[p] + column[r]);
    }
    for (std::size_t r = rows_.begin(e); r < rows_.end(e); ++r)
      if (seen[configuration.of_row[r]]++ == 0) shares_[e].push_back({configuration.of_row[r], 0});
    for (Share& share : shares_[e]) std::swap(share.number, seen[share.item]);
  }
  item_of_row_ = std::move(configuration.of_row);
}

double AdditiveLogit::log_evidence_of(std::span<const std::size_t> pool, double tolerance) {
  double rows = 0;
  for (std::size_t e : pool) rows += double(rows_.rows(e));
  if (rows == 0) return 0;
  start(pool);
  climb(tolerance);
  bend();
  return log_evidence();
}

void AdditiveLogit::make_prior(std::span<const std::size_t> present, AdditivePrior prior) {
  precision_ = {prior.intercept};
  for (std::size_t p : parents_) {
    const std::vector<double> levels = level_precision(p, present, prior.ridge);
    precision_.insert(precision_.end(), levels.begin(), levels.end());
  }
}

std::vector<double> AdditiveLogit::level_precision(std::size_t variable,
                                                   std::span<const std::size_t> present,
                                                   double ridge) const {
  // Half a row each: levels that never occurred.
  std::vector<double> number(rows_.levels(variable), 0.5);
  double total = 0.5 * double(number.size());
  for (std::size_t e : present) {
    total += double(rows_.rows(e));
    for (std::size_t l = 0; l < number.size(); ++l) number[l] += rows_.counts(variable, e)[l];
  }
  for (double& n : number) n *= ridge / total;
  return number;
}

void AdditiveLogit::count_pool(std::span<const std::size_t> pool) {
  seen_ = false;
  std::fill(pooled_.begin(), pooled_.end(), 0);
  pool_rows_ = 0;
  for (std::size_t e : pool) {
    pooled_[e] = 1;
    pool_rows_ += double(rows_.rows(e));
  }
  weight_.assign(items_.items, 0.0);
  for (std::size_t e : pool)
    for (const Share& share : shares_[e]) weight_[share.item] += share.number;
  cross_.assign(order_ * order_, 0.0);
  observed_.assign(order_ * width_, 0.0);
  // Whichever is less: add what is pooled, or take the rest away from the tables of all rows.
  const bool most = 2 * pool_rows_ > double(rows_.rows());
  if (most) count_pairs();
  for (std::size_t e = 0; e < pooled_.size(); ++e)
    if (bool(pooled_[e]) != most) count_rows(e, most ? -1 : 1);
}

/// X'X and X'Y of all rows, from the tables of pairs.
void AdditiveLogit::count_pairs() {
  const auto pair = [&](std::size_t a, std::size_t b, auto&& take) {
    const bool in_order = a < b;
    const auto counts = rows_.pair_counts(in_order ? a : b, in_order ? b : a);
    const std::size_t la = rows_.levels(a), lb = rows_.levels(b);
    for (std::size_t i = 0; i < la; ++i)
      for (std::size_t j = 0; j < lb; ++j)
        take(i, j, double(counts[in_order ? i * lb + j : j * la + i]));
  };
  const auto total = [&](std::size_t v, std::size_t level) {
    double sum = 0;
    for (std::size_t e = 0; e < rows_.environments(); ++e) sum += rows_.counts(v, e)[level];
    return sum;
  };
  cross_[0] = double(rows_.rows());
  for (std::size_t c = 0; c < classes_; ++c) observed_[c] = total(child_, c);
  for (std::size_t p = 0; p < parents_.size(); ++p) {
    for (std::size_t l = 0; l < rows_.levels(parents_[p]); ++l) {
      const std::size_t i = offset_[p] + l;
      cross_[i * order_] = cross_[i * order_ + i] = total(parents_[p], l);
    }
    for (std::size_t q = 0; q < p; ++q)
      pair(parents_[p], parents_[q], [&](std::size_t i, std::size_t j, double n) {
        cross_[(offset_[p] + i) * order_ + offset_[q] + j] = n;
      });
    pair(parents_[p], child_, [&](std::size_t i, std::size_t c, double n) {
      observed_[(offset_[p] + i) * width_ + c] = n;
    });
  }
}

void AdditiveLogit::count_rows(std::size_t environment, double sign) {
  const std::uint8_t* child = rows_.column(child_);
  std::vector<std::size_t> row(parents_.size());
  for (std::size_t r = rows_.begin(environment); r < rows_.end(environment); ++r) {
    cross_[0] += sign;
    observed_[child[r]] += sign;
    for (std::size_t p = 0; p < parents_.size(); ++p) {
      row[p] = offset_[p] + rows_.column(parents_[p])[r];
      observed_[row[p] * width_ + child[r]] += sign;
      double* cross = &cross_[row[p] * order_];
      cross[0] += sign;
      for (std::size_t q = 0; q <= p; ++q) cross[row[q]] += sign;
    }
  }
}

void AdditiveLogit::start(std::span<const std::size_t> pool) {
  moves_.clear();
  count_pool(pool);
  first_guess();
}

void AdditiveLogit::repool(std::span<const std::size_t> pool) { count_pool(pool); }

void AdditiveLogit::resume(std::span<const std::size_t> pool, std::span<const float> coefficients) {
  count_pool(pool);
  theta_.assign(coefficients.begin(), coefficients.end());
  gradient_.assign(theta_.size(), 0.0);
  bend();
}

/// The step from the intercept alone: what Newton would do, from the counts.
void AdditiveLogit::first_guess() {
  theta_.assign(order_ * width_, 0.0);
  gradient_.assign(order_ * width_, 0.0);
  std::vector<double> share(classes_), covariance(classes_ * classes_);
  double mean = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    share[c] = (observed_[c] + 0.5) / (pool_rows_ + 0.5 * double(classes_));
    theta_[c] = portable_log(share[c]);
    mean += theta_[c] / double(classes_);
  }
  for (std::size_t c = 0; c < classes_; ++c) theta_[c] -= mean;
  for (std::size_t a = 0; a < classes_; ++a) {
    for (std::size_t b = 0; b < classes_; ++b)
      covariance[a * classes_ + b] = (a == b ? share[a] : 0.0) - share[a] * share[b];
    for (std::size_t i = 0; i < order_; ++i)
      gradient_[i * width_ + a] = observed_[i * width_ + a] - cross_[i * order_] * share[a] -
                                  precision_[i] * theta_[i * width_ + a];
  }
  choose_directions(covariance);
  for (std::size_t g = 0; g < curvature_.groups.size(); ++g)
    for (std::size_t i = 0; i < order_; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t l = 0; l < lanes; ++l)
          curvature_.groups[g].at(i, j)[l] = variances_[g * lanes + l] * cross_[i * order_ + j];
  factor_groups();
  add(theta_, 1, newton(gradient_));
}

void AdditiveLogit::look(bool with_outer, bool rough) {
  ++looks_;
  seen_ = true;
  if (rough && items_.items >= many_items)
    additive_pass_rough(items_, weight_, theta_, classes_, width_, pass_);
  else
    additive_pass(items_, weight_, theta_, classes_, width_, with_outer, pass_);
  objective_ = 0;
  for (std::size_t i = 0; i < items_.items; ++i) objective_ -= weight_[i] * pass_.log_sum[i];
  for (std::size_t i = 0; i < order_; ++i)
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::size_t at = i * width_ + c;
      objective_ += theta_[at] * (observed_[at] - 0.5 * precision_[i] * theta_[at]);
      gradient_[at] = observed_[at] - pass_.expected[at] - precision_[i] * theta_[at];
    }
}

void AdditiveLogit::bend() {
  look(true);
  std::vector<double> covariance(classes_ * classes_);
  for (std::size_t a = 0; a < classes_; ++a)
    for (std::size_t b = 0; b < classes_; ++b)
      covariance[a * classes_ + b] =
          ((a == b ? pass_.expected[a] : 0.0) - pass_.outer[a * width_ + b]) /
          std::max(1.0, pool_rows_);
  choose_directions(covariance);
  additive_curvature(items_, weight_, theta_, classes_, width_, pass_, curvature_);
  factor_groups();
  moves_.clear();
}

/// The principal directions of the child's indicator, the strongest first; that of equal logits,
/// along which nothing varies, comes last and is left out.
void AdditiveLogit::choose_directions(const std::vector<double>& covariance) {
  Matrix square(classes_, classes_);
  square.values = covariance;
  const SymmetricEigen eigen = symmetric_eigen(std::move(square));
  // One or two directions too many for the groups are the weakest: they follow the one before.
  const std::size_t exact = classes_ > 3 ? classes_ - 3 : 1;
  curvature_.groups.resize(padded(exact) / lanes);
  for (CholeskyLanes& group : curvature_.groups) group.resize(order_);
  curvature_.stride = padded(classes_);
  curvature_.directions.assign(classes_ * curvature_.stride, 0.0);
  variances_.assign(curvature_.stride, 0.0);
  for (std::size_t d = 0; d + 1 < classes_; ++d) {
    variances_[d] = std::max(1e-12, eigen.values[d]);
    for (std::size_t c = 0; c < classes_; ++c)
      curvature_.directions[c * curvature_.stride + d] = eigen.vectors(c, d);
  }
}

void AdditiveLogit::factor_groups() {
  for (CholeskyLanes& group : curvature_.groups) {
    for (std::size_t i = 0; i < order_; ++i)
      for (std::size_t l = 0; l < lanes; ++l) group.at(i, i)[l] += precision_[i];
    factor(group);
  }
  log_determinant_ = freedom_ = 0;
  for (std::size_t d = 0; d + 1 < classes_; ++d) {
    const std::size_t like = std::min(d, curvature_.exact() - 1);
    const double share = variances_[d] / variances_[like];
    for (std::size_t i = 0; i < order_; ++i) {
      const double root = curvature_.groups[like / lanes].at(i, i)[like % lanes];
      const double pivot = 1 + share * (root * root / precision_[i] - 1);
      log_determinant_ += portable_log(pivot);
      freedom_ += 1 - 1 / pivot;
    }
  }
}

/// The gradient divided by the curvature.
AdditiveLogit::Vector AdditiveLogit::newton(const Vector& gradient) const {
  Vector step(order_ * width_, 0.0);
  std::vector<double> turned(order_ * lanes);
  for (std::size_t g = 0; g < curvature_.groups.size(); ++g) {
    turn(gradient, g * lanes, 0, turned);
    solve(curvature_.groups[g], turned);
    turn_back(turned, g * lanes, 0, step);
  }
  for (std::size_t d = curvature_.exact(); d + 1 < classes_; ++d) {
    turn(gradient, d - lanes + 1, lanes - 1, turned);
    solve(curvature_.groups.back(), turned);
    turn_back(turned, d - lanes + 1, lanes - 1, step);
  }
  return step;
}

/// Of lane l on: lane l is the part along direction `first` + l.
void AdditiveLogit::turn(const Vector& gradient, std::size_t first, std::size_t lane,
                         std::vector<double>& turned) const {
  std::fill(turned.begin(), turned.end(), 0.0);
  for (std::size_t i = 0; i < order_; ++i)
    for (std::size_t c = 0; c < classes_; ++c) {
      const double* direction = &curvature_.directions[c * curvature_.stride + first];
      for (std::size_t l = lane; l < lanes; ++l)
        turned[i * lanes + l] += gradient[i * width_ + c] * direction[l];
    }
}

void AdditiveLogit::turn_back(const std::vector<double>& turned, std::size_t first,
                              std::size_t lane, Vector& step) const {
  for (std::size_t i = 0; i < order_; ++i)
    for (std::size_t c = 0; c < classes_; ++c) {
      const double* direction = &curvature_.directions[c * curvature_.stride + first];
      for (std::size_t l = lane; l < lanes; ++l)
        step[i * width_ + c] += turned[i * lanes + l] * direction[l];
    }
}

/// L-BFGS: what the moves since the last factoring say about the curvature between directions.
AdditiveLogit::Vector AdditiveLogit::quasi_newton() const {
  Vector gradient = gradient_;
  std::vector<double> share(moves_.size());
  for (std::size_t k = moves_.size(); k-- > 0;) {
    share[k] = dot(moves_[k].step, gradient) / moves_[k].along;
    add(gradient, -share[k], moves_[k].turn);
  }
  Vector step = newton(gradient);
  for (std::size_t k = 0; k < moves_.size(); ++k)
    add(step, share[k] - dot(moves_[k].turn, step) / moves_[k].along, moves_[k].step);
  return step;
}

/// Goes along the direction as far as it is worth it; false where nothing is gained any more.
bool AdditiveLogit::advance(const Vector& direction) {
  const Vector start = theta_, gradient = gradient_;
  const double before = objective_, slope = dot(gradient, direction);
  for (double scale = moves_.empty() ? 0.5 : 1; scale > 1e-6;) {  // the first is mostly too long
    theta_ = start;
    add(theta_, scale, direction);
    look(false, true);
    if (objective_ >= before + 0.01 * scale * slope) {
      Move move{direction, gradient, 0};
      for (double& x : move.step) x *= scale;
      add(move.turn, -1, gradient_);
      move.along = dot(move.step, move.turn);
      if (move.along > 0) moves_.push_back(std::move(move));
      return true;
    }
    // The minimum of the parabola through both values gives the length of the step.
    const double best = 0.5 * scale * scale * slope / (scale * slope - (objective_ - before));
    scale = std::clamp(best, 0.1 * scale, 0.5 * scale);
  }
  theta_ = start;
  look(false, true);
  return false;
}

void AdditiveLogit::climb(double tolerance) {
  constexpr std::size_t most_moves = 100, moves_kept = 12;
  if (!seen_) look(false, true);
  for (std::size_t n = 0; n < most_moves; ++n) {
    const Vector direction = quasi_newton();
    promised_ = 0.5 * dot(direction, gradient_);
    if (promised_ <= tolerance || !advance(direction)) return;
    if (moves_.size() > moves_kept) moves_.erase(moves_.begin());
  }
}

double AdditiveLogit::predictive(std::size_t environment) const {
  const std::uint8_t* child = rows_.column(child_);
  double sum = 0;
  for (std::size_t r = rows_.begin(environment); r < rows_.end(environment); ++r)
    sum += theta_[child[r]];
  for (std::size_t p = 0; p < parents_.size(); ++p) {
    const std::uint8_t* column = rows_.column(parents_[p]);
    const double* theta = &theta_[offset_[p] * width_];
    for (std::size_t r = rows_.begin(environment); r < rows_.end(environment); ++r)
      sum += theta[column[r] * width_ + child[r]];
  }
  for (const Share& share : shares_[environment])
    sum -= double(share.number) * pass_.log_sum[share.item];
  if (pooled_[environment])
    sum -= freedom_ * double(rows_.rows(environment)) / std::max(1.0, pool_rows_);
  return sum;
}

std::vector<double> AdditiveLogit::gains(std::span<const std::size_t> present,
                                         AdditivePrior prior) const {
  std::vector<double> result(rows_.variables(), std::nan(""));
  std::vector<std::size_t> candidates, offset;
  std::vector<const std::uint8_t*> columns;
  std::size_t levels = 0;
  for (std::size_t v = 0; v < rows_.variables(); ++v) {
    if (v == child_ || std::find(parents_.begin(), parents_.end(), v) != parents_.end()) continue;
    candidates.push_back(v);
    columns.push_back(rows_.column(v));
    offset.push_back(levels);
    levels += rows_.levels(v);
  }
  const std::vector<double> moments =
      additive_moments(items_, theta_, classes_, width_, pass_, curvature_);
  const std::size_t stride = width_ + curvature_.exact();
  std::vector<double> sums(levels * stride, 0.0);
  for (std::size_t e = 0; e < pooled_.size(); ++e)
    if (pooled_[e])
      sum_by_level(moments, stride, item_of_row_, columns, offset, rows_.begin(e), rows_.end(e),
                   sums);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const std::size_t size = rows_.levels(candidates[k]) * stride;
    const std::span<const double> own = std::span(sums).subspan(offset[k] * stride, size);
    const std::vector<double> precision = level_precision(candidates[k], present, prior.ridge);
    const Vector gradient = gradient_of(candidates[k], own);
    double& gain = result[candidates[k]] = gain_of(precision, gradient, own);
    if (gain > least_doubtful && gain < 0)
      gain = gain_beside(candidates[k], precision, gradient, moments);
  }
  const std::vector<double> without = gains_without();
  for (std::size_t p = 0; p < parents_.size(); ++p) result[parents_[p]] = without[p];
  return result;
}

/// Of each parent's leaving, after Wald: its coefficients at zero, all others where they are best
/// then. The curvature that is left for its own is the inverse of its part of the inverse.
std::vector<double> AdditiveLogit::gains_without() const {
  std::vector<std::size_t> first = offset_;
  first.push_back(order_);
  std::vector<double> result(parents_.size(), 0.0);
  if (parents_.empty()) return result;
  for (std::size_t g = 0; g < curvature_.groups.size(); ++g) {
    const std::vector<double> blocks = inverse_blocks(curvature_.groups[g], first);
    const bool last = g + 1 == curvature_.groups.size();
    const std::size_t end = last ? classes_ - 1 : (g + 1) * lanes;
    const double* block = blocks.data();
    for (std::size_t p = 0; p < parents_.size(); ++p) {
      for (std::size_t d = g * lanes; d < end; ++d)
        result[p] += gain_without(p, d, std::min(d, curvature_.exact() - 1), block);
      const std::size_t rows = first[p + 1] - first[p];
      block += lanes * rows * (rows + 1) / 2;
    }
  }
  return result;
}

double AdditiveLogit::gain_without(std::size_t parent, std::size_t direction, std::size_t like,
                                   const double* block) const {
  const std::size_t from = offset_[parent], levels = rows_.levels(parents_[parent]);
  const double share = variances_[direction] / variances_[like];
  // L of the block, row by row, and what it makes of the coefficients along the direction.
  std::vector<double> lower(levels * levels), turned(levels);
  double gain = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    double theta = 0;
    for (std::size_t c = 0; c < classes_; ++c)
      theta += theta_[(from + i) * width_ + c] *
               curvature_.directions[c * curvature_.stride + direction];
    const double precision = precision_[from + i], prior = precision * theta * theta;
    for (std::size_t j = 0; j <= i; ++j, block += lanes) {
      double left = block[like % lanes];
      for (std::size_t k = 0; k < j; ++k) left -= lower[i * levels + k] * lower[j * levels + k];
      lower[i * levels + j] = j < i ? left / lower[j * levels + j] : std::sqrt(left);
    }
    for (std::size_t k = 0; k < i; ++k) theta -= lower[i * levels + k] * turned[k];
    const double root = lower[i * levels + i];
    turned[i] = theta / root;
    gain -= 0.5 * (prior + share * (turned[i] * turned[i] - prior));
    gain += 0.5 * portable_log(1 + share * (1 / (root * root * precision) - 1));
  }
  return gain;
}

/// How often the child took each level beside the newcomer's, less expected.
AdditiveLogit::Vector AdditiveLogit::gradient_of(std::size_t candidate,
                                                 std::span<const double> sums) const {
  const std::size_t levels = rows_.levels(candidate), stride = width_ + curvature_.exact();
  Vector gradient(levels * classes_);
  for (std::size_t l = 0; l < levels; ++l)
    for (std::size_t c = 0; c < classes_; ++c) gradient[l * classes_ + c] = -sums[l * stride + c];
  const std::uint8_t *child = rows_.column(child_), *column = rows_.column(candidate);
  for (std::size_t e = 0; e < pooled_.size(); ++e)
    if (pooled_[e])
      for (std::size_t r = rows_.begin(e); r < rows_.end(e); ++r)
        gradient[column[r] * classes_ + child[r]] += 1;
  return gradient;
}

/// The curvature left to a newcomer when all other coefficients follow: [level][level][lane].
std::vector<double> AdditiveLogit::curvature_beside(std::size_t candidate,
                                                    std::span<const double> precision,
                                                    std::size_t group,
                                                    std::span<const double> moments) const {
  const std::size_t levels = precision.size(), size = order_ * lanes;
  std::vector<double> cross(levels * size, 0.0), left(levels * levels * lanes, 0.0);
  for (std::size_t e = 0; e < pooled_.size(); ++e)
    if (pooled_[e])
      cross_by_level(items_, moments, width_ + curvature_.exact(), width_ + group * lanes,
                     item_of_row_, rows_.column(candidate), rows_.begin(e), rows_.end(e), order_,
                     cross);
  std::vector<double> solved(size);
  for (std::size_t a = 0; a < levels; ++a) {
    solved.assign(&cross[a * size], &cross[a * size] + size);
    solve(curvature_.groups[group], solved);
    for (std::size_t b = 0; b < levels; ++b) {
      double* into = &left[(a * levels + b) * lanes];
      for (std::size_t i = 0; i < size; ++i) into[i % lanes] -= solved[i] * cross[b * size + i];
      for (std::size_t l = 0; a == b && l < lanes; ++l)
        into[l] += cross[a * size + l] + precision[a];
    }
  }
  return left;
}

/// Newton's step in the newcomer's coefficients, all others' following.
double AdditiveLogit::gain_beside(std::size_t candidate, std::span<const double> precision,
                                  const Vector& gradient, std::span<const double> moments) const {
  const std::size_t levels = precision.size();
  std::vector<double> left, lower(levels * levels), turned(levels);
  double gain = 0;
  for (std::size_t d = 0; d + 1 < classes_; ++d) {
    const std::size_t like = std::min(d, curvature_.exact() - 1), lane = like % lanes;
    if (d == like && lane == 0) left = curvature_beside(candidate, precision, d / lanes, moments);
    const double share = variances_[d] / variances_[like];
    for (std::size_t a = 0; a < levels; ++a) {
      double along = 0;
      for (std::size_t c = 0; c < classes_; ++c)
        along += gradient[a * classes_ + c] * curvature_.directions[c * curvature_.stride + d];
      for (std::size_t b = 0; b <= a; ++b) {
        const double prior = a == b ? precision[a] : 0;
        double rest = prior + share * (left[(a * levels + b) * lanes + lane] - prior);
        for (std::size_t k = 0; k < b; ++k) rest -= lower[a * levels + k] * lower[b * levels + k];
        lower[a * levels + b] = b < a ? rest / lower[b * levels + b] : std::sqrt(rest);
      }
      for (std::size_t k = 0; k < a; ++k) along -= lower[a * levels + k] * turned[k];
      const double root = lower[a * levels + a];
      turned[a] = along / root;
      gain += 0.5 * turned[a] * turned[a] - 0.5 * portable_log(root * root / precision[a]);
    }
  }
  return gain;
}

/// Newton's step in the newcomer's coefficients and the intercept, the other parents' held: along
/// each direction a diagonal matrix, less what the intercept takes of it.
double AdditiveLogit::gain_of(std::span<const double> precision, const Vector& gradient,
                              std::span<const double> sums) const {
  const std::size_t levels = precision.size(), stride = width_ + curvature_.exact();
  double gain = 0;
  for (std::size_t d = 0; d + 1 < classes_; ++d) {
    const std::size_t like = std::min(d, curvature_.exact() - 1);
    const double share = variances_[d] / variances_[like];
    double square = 0, log_determinant = 0, total = precision_[0], taken = 0, along = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      double g = 0;
      for (std::size_t c = 0; c < classes_; ++c)
        g += gradient[l * classes_ + c] * curvature_.directions[c * curvature_.stride + d];
      const double w = share * sums[l * stride + width_ + like], own = w + precision[l];
      square += g * g / own;
      log_determinant += portable_log(own / precision[l]);
      total += w;
      taken += w * w / own;
      along += w * g / own;
    }
    gain += 0.5 * (square + along * along / (total - taken));
    gain -= 0.5 * (log_determinant + portable_log((total - taken) / total));
  }
  return gain;
}

}  // namespace whence
