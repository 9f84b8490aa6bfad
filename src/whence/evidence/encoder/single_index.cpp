#include "whence/evidence/encoder/single_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <Eigen/Dense>

namespace whence {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Size = Eigen::Index;

// ---- the link -----------------------------------------------------------------------------------

constexpr int bends = 5;  // functions of the index: a line, a parabola, three splines
constexpr std::array<double, 5> knots = {-2.2, -1.1, 0, 1.1, 2.2};
constexpr double furthest = 5;  // beyond it every function is a straight line or constant

/// The functions of an index u, and their slopes.
void link(double u, double* value, double* slope) {
  const auto cube = [](double t) { return t > 0 ? t * t * t : 0.0; };
  const auto square3 = [](double t) { return t > 0 ? 3 * t * t : 0.0; };
  const double near = std::clamp(u, -furthest, furthest), inside = near == u ? 1 : 0;
  value[0] = u;
  slope[0] = 1;
  value[1] = near * near - 1;
  slope[1] = inside * 2 * near;
  const auto bend = [&](std::size_t k, const auto& power) {
    return (power(near - knots[k]) - power(near - knots[4])) / (knots[4] - knots[k]);
  };
  constexpr double size = 0.3;  // about as large as the others
  for (std::size_t k = 0; k < 3; ++k) {
    value[2 + k] = size * (bend(k, cube) - bend(3, cube));
    slope[2 + k] = inside * size * (bend(k, square3) - bend(3, square3));
  }
}

/// A small pull to zero for all bends but the line, stronger for the splines.
double ridge(int bend) { return bend == 0 ? 0.0 : bend == 1 ? 0.05 : 0.2; }

// ---- the data of one comparison -----------------------------------------------------------------

/// Evenly picked rows of both sets, in coordinates in which they are white together.
struct Labelled {
  MatrixXd x;       // [row][column]
  VectorXd label;   // 1 for the first set
  MatrixXd whiten;  // white = whiten (raw - mean)
  double first = 0, second = 0;

  double offset() const { return std::log(first / second); }
  double guessing() const {
    const double o = offset();
    return first * o - (first + second) * std::log1p(std::exp(o));
  }
};

MatrixXd picked(const Matrix& rows, std::size_t most) {
  const std::size_t n = std::min(rows.rows, most);
  MatrixXd out(Size(n), Size(rows.columns));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i * rows.rows / n;
    for (std::size_t j = 0; j < rows.columns; ++j) out(Size(i), Size(j)) = rows(from, j);
  }
  return out;
}

Labelled labelled(const Matrix& rows, const Matrix& others, std::size_t most) {
  const MatrixXd a = picked(rows, most), b = picked(others, most);
  Labelled data;
  data.first = double(a.rows());
  data.second = double(b.rows());
  data.x.resize(a.rows() + b.rows(), a.cols());
  data.x << a, b;
  data.label = VectorXd::Zero(data.x.rows());
  data.label.head(a.rows()).setOnes();
  const Eigen::RowVectorXd mean = data.x.colwise().mean();
  data.x.rowwise() -= mean;
  MatrixXd spread = data.x.transpose() * data.x / double(data.x.rows());
  spread.diagonal() *= 1 + 1e-9;
  const Eigen::LLT<MatrixXd> factor(spread);
  data.whiten = factor.matrixL().solve(MatrixXd::Identity(a.cols(), a.cols()));
  data.x = (data.x * data.whiten.transpose()).eval();
  return data;
}

// ---- one index ----------------------------------------------------------------------------------

struct Index {
  VectorXd w;     // of length one
  VectorXd bend;  // intercept, then the link's coefficients
  double value = -INFINITY;
};

/// Climbs by damped Gauss-Newton steps on the index and its link together.
class IndexClimb {
 public:
  explicit IndexClimb(const Labelled& data)
      : data_(data), n_(data.x.rows()), d_(data.x.cols()), jacobian_(n_, 1 + bends + d_) {
    probability_.resize(n_);
    slope_.resize(n_);
  }

  Index from(const VectorXd& w) const {
    Index index{w / w.norm(), VectorXd::Zero(1 + bends), 0};
    return index;
  }

  void climb(Index& index, int steps) {
    index.value = evaluate(index);
    double damping = 1e-3;
    for (int step = 0; step < steps; ++step) {
      // Sets that are as good as separated: going on would follow the few rows at the border.
      if (index.value > 0.02 * data_.guessing()) return;
      linearise(index);
      const double before = index.value;
      if (!try_steps(index, damping)) return;
      damping *= 0.3;
      if (index.value - before < 1e-2) return;
    }
  }

  /// Probabilities, and derivatives by intercept, link and index.
  void linearise(const Index& index) {
    const VectorXd u = data_.x * index.w;
    jacobian_.col(0).setOnes();
    for (Size i = 0; i < n_; ++i) {
      std::array<double, bends> f{}, df{};
      link(u[i], f.data(), df.data());
      double score = data_.offset() + index.bend[0], slope = 0;
      for (int k = 0; k < bends; ++k) {
        score += index.bend[k + 1] * f[std::size_t(k)];
        slope += index.bend[k + 1] * df[std::size_t(k)];
        jacobian_(i, k + 1) = f[std::size_t(k)];
      }
      slope_[i] = slope;
      probability_[i] = 1 / (1 + std::exp(-score));
    }
    jacobian_.rightCols(d_) = slope_.asDiagonal() * data_.x;
  }

  const MatrixXd& jacobian() const { return jacobian_; }
  const VectorXd& probability() const { return probability_; }

 private:
  double evaluate(const Index& index) const {
    const VectorXd u = data_.x * index.w;
    double value = 0;
    for (int k = 0; k < bends; ++k) value -= 0.5 * ridge(k) * index.bend[k + 1] * index.bend[k + 1];
    for (Size i = 0; i < n_; ++i) {
      std::array<double, bends> f{}, df{};
      link(u[i], f.data(), df.data());
      double score = data_.offset() + index.bend[0];
      for (int k = 0; k < bends; ++k) score += index.bend[k + 1] * f[std::size_t(k)];
      value +=
          data_.label[i] * score - std::max(score, 0.0) - std::log1p(std::exp(-std::abs(score)));
    }
    return value;
  }

  bool try_steps(Index& index, double& damping) {
    const VectorXd root = (probability_.array() * (1 - probability_.array())).max(1e-6).sqrt();
    const MatrixXd weighted = root.asDiagonal() * jacobian_;
    VectorXd gradient = jacobian_.transpose() * (data_.label - probability_);
    MatrixXd hessian = MatrixXd::Zero(jacobian_.cols(), jacobian_.cols());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    for (int k = 0; k < bends; ++k) {
      gradient[k + 1] -= ridge(k) * index.bend[k + 1];
      hessian(k + 1, k + 1) += ridge(k);
    }
    for (int attempt = 0; attempt < 8; ++attempt) {
      MatrixXd damped = hessian;
      damped.diagonal() *= 1 + damping;
      damped.diagonal().array() += 1e-6 * double(n_);
      const VectorXd step = damped.selfadjointView<Eigen::Lower>().llt().solve(gradient);
      Index next{index.w + step.tail(d_), index.bend + step.head(1 + bends), 0};
      next.w /= next.w.norm();
      next.value = evaluate(next);
      if (next.value > index.value) {
        index = std::move(next);
        return true;
      }
      damping = 6 * damping + 1e-4;
    }
    return false;
  }

  const Labelled& data_;
  Size n_, d_;
  MatrixXd jacobian_;
  VectorXd probability_, slope_;
};

/// Directions in which means or spreads of the two sets differ most.
std::vector<VectorXd> starts(const Labelled& data) {
  const auto a = data.x.topRows(Size(data.first)), b = data.x.bottomRows(Size(data.second));
  const Eigen::RowVectorXd mean_a = a.colwise().mean(), mean_b = b.colwise().mean();
  const auto spread = [](const auto& rows, const Eigen::RowVectorXd& mean) {
    const MatrixXd centred = rows.rowwise() - mean;
    MatrixXd s = centred.transpose() * centred / double(rows.rows());
    s.diagonal().array() += 1e-6;
    return s;
  };
  const MatrixXd first = spread(a, mean_a), second = spread(b, mean_b);
  const Size d = data.x.cols();
  std::vector<VectorXd> list;
  const VectorXd apart = (first + second).ldlt().solve((mean_a - mean_b).transpose());
  if (apart.norm() > 1e-9) list.push_back(apart);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(first, second);
  for (Size j = 0; j < d; ++j)
    if (d <= 4 || j < 2 || j >= d - 2) list.push_back(solver.eigenvectors().col(j));
  return list;
}

Index best_index(const Labelled& data) {
  IndexClimb climb(data);
  std::vector<Index> tried;
  for (const VectorXd& start : starts(data)) {
    tried.push_back(climb.from(start));
    climb.climb(tried.back(), 2);
  }
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Index& a, const Index& b) { return a.value > b.value; });
  tried.resize(std::min<std::size_t>(2, tried.size()));
  for (Index& index : tried) climb.climb(index, 20);
  return tried.size() > 1 && tried[1].value > tried[0].value ? tried[1] : tried[0];
}

// ---- is one index enough? -----------------------------------------------------------------------

/// Everything quadratic beside the index: lines, products with it, products with each other.
MatrixXd beside(const MatrixXd& rest, const VectorXd& u) {
  constexpr double limit = 4;  // so that no outlier decides
  const MatrixXd z = rest.cwiseMax(-limit).cwiseMin(limit);
  const VectorXd near = u.cwiseMax(-limit).cwiseMin(limit);
  const Size k = z.cols();
  MatrixXd out(z.rows(), 2 * k + k * (k + 1) / 2);
  out.leftCols(k) = z;
  out.middleCols(k, k) = near.asDiagonal() * z;
  Size c = 2 * k;
  for (Size i = 0; i < k; ++i)
    for (Size j = 0; j <= i; ++j) out.col(c++) = z.col(i).cwiseProduct(z.col(j));
  return out;
}

/// A score test with a sandwich variance: the fitted parts are projected out first.
void test_lack(const Labelled& data, const Index& index, IndexFit& fit) {
  const Size d = data.x.cols();
  if (d < 2) return;
  IndexClimb climb(data);
  climb.linearise(index);
  const Eigen::HouseholderQR<MatrixXd> frame{MatrixXd(index.w)};
  const MatrixXd across = (frame.householderQ() * MatrixXd::Identity(d, d)).rightCols(d - 1);
  const MatrixXd z = beside(data.x * across, data.x * index.w);
  MatrixXd fitted(data.x.rows(), 1 + bends + d - 1);
  fitted << climb.jacobian().leftCols(1 + bends), climb.jacobian().rightCols(d) * across;
  const VectorXd& p = climb.probability();
  const VectorXd weight = (p.array() * (1 - p.array())).max(1e-9);
  const MatrixXd weighted = weight.asDiagonal() * fitted;
  MatrixXd inner = fitted.transpose() * weighted;
  inner.diagonal().array() += 1e-7 * double(data.x.rows());
  const Eigen::LDLT<MatrixXd> known(inner);
  const MatrixXd left = z - fitted * known.solve(weighted.transpose() * z);
  // How far chance turns the index away from where it lies, in raw columns.
  const MatrixXd raw = data.whiten.transpose() * across;
  const MatrixXd turning =
      known.solve(MatrixXd::Identity(inner.rows(), inner.cols())).bottomRightCorner(d - 1, d - 1);
  const MatrixXd chance = raw * turning * raw.transpose();
  fit.chance = Matrix(std::size_t(d), std::size_t(d));
  for (Size j = 0; j < d; ++j)
    for (Size k = 0; k < d; ++k) fit.chance(std::size_t(j), std::size_t(k)) = chance(j, k);
  const VectorXd residual = data.label - p;
  // Directions that the fitted parts have used up are left out.
  const VectorXd scale =
      (z.cwiseAbs2().transpose() * weight).cwiseSqrt().cwiseMax(1e-9).cwiseInverse();
  const MatrixXd information =
      scale.asDiagonal() * (left.transpose() * (weight.asDiagonal() * left)) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> axes(information);
  const Size rank = (axes.eigenvalues().array() > 0.02).count();
  if (rank == 0) return;
  const MatrixXd free = scale.asDiagonal() * axes.eigenvectors().rightCols(rank);
  const MatrixXd scores = residual.asDiagonal() * (left * free);
  const VectorXd total = scores.colwise().sum();
  MatrixXd variance = scores.transpose() * scores;
  variance.diagonal().array() += 1e-9;
  fit.lack = total.dot(variance.ldlt().solve(total));
  fit.freedom = double(rank);
  fit.p = chi_square_tail(fit.lack, fit.freedom);
}

// ---- is one line enough? ------------------------------------------------------------------------

/// Rows around their mean.
struct Centred {
  MatrixXd x;
  VectorXd mean;
  double n = 0;

  explicit Centred(MatrixXd rows)
      : x(std::move(rows)), mean(x.colwise().mean()), n(double(x.rows())) {
    x.rowwise() -= mean.transpose();
  }
  MatrixXd spread() const { return x.transpose() * x / n; }
};

/// Products of every other coordinate with the first and with each other. The line was fitted to
/// the means, which moves the first kind of product by `pull` times a mean: taken off, so that what
/// is left varies as if the line were known.
MatrixXd products(const MatrixXd& y, double pull) {
  const Size k = y.cols() - 1;
  MatrixXd out(y.rows(), k + k * (k + 1) / 2);
  for (Size j = 0; j < k; ++j)
    out.col(j) = (y.col(0).array() - pull).matrix().cwiseProduct(y.col(j + 1));
  Size c = k;
  for (Size i = 0; i < k; ++i)
    for (Size j = 0; j <= i; ++j) out.col(c++) = y.col(i + 1).cwiseProduct(y.col(j + 1));
  return out;
}

IndexFit fit_rows(const Matrix& rows, const Matrix& others, std::size_t most) {
  const Labelled data = labelled(rows, others, most);
  const Index index = best_index(data);
  IndexFit fit;
  const VectorXd raw = data.whiten.transpose() * index.w;
  fit.weights.assign(raw.data(), raw.data() + raw.size());
  fit.entropy = -data.guessing();
  fit.gain = index.value - data.guessing();
  fit.rows = data.first + data.second;
  test_lack(data, index, fit);
  if (fit.apart()) fit.lines = check_line(rows, others, most);
  return fit;
}

}  // namespace

LineTest check_line(const Matrix& rows, const Matrix& others, std::size_t most_rows) {
  Centred a(picked(rows, most_rows)), b(picked(others, most_rows));
  const Size d = a.x.cols();
  LineTest check;
  if (d < 2) return check;
  // Coordinates in which both spreads together are white, the first along the means: were one line
  // enough, the other coordinates would have nothing to do with it and one law in both sets.
  MatrixXd within = (a.spread() + b.spread()) / 2;
  within.diagonal() *= 1 + 1e-9;
  const Eigen::LLT<MatrixXd> factor(within);
  const VectorXd apart = factor.matrixL().solve(a.mean - b.mean);
  const double distance = apart.norm();
  constexpr double nearest = 1;  // deviations: a line through means that hardly differ is no line
  if (distance < nearest) return check;
  const Eigen::HouseholderQR<MatrixXd> frame{MatrixXd(apart)};
  MatrixXd turn = frame.householderQ() * MatrixXd::Identity(d, d);
  if (turn.col(0).dot(apart) < 0) turn.col(0) *= -1;
  const auto turned = [&](const Centred& set) -> MatrixXd {
    return factor.matrixL().solve(set.x.transpose()).transpose() * turn;
  };
  const MatrixXd ya = turned(a), yb = turned(b);
  const double pull = (ya.col(0).squaredNorm() / a.n - yb.col(0).squaredNorm() / b.n) / distance;
  const Centred pa(products(ya, pull)), pb(products(yb, pull));
  MatrixXd variance = pa.spread() / a.n + pb.spread() / b.n;
  variance.diagonal() *= 1 + 1e-9;
  const VectorXd difference = pa.mean - pb.mean;
  check.lack = difference.dot(variance.ldlt().solve(difference));
  check.freedom = double(difference.size());
  check.p = chi_square_tail(check.lack, check.freedom);
  check.rows = a.n * b.n / (a.n + b.n);
  return check;
}

double IndexFit::log_odds() const { return 0.5 * (freedom * std::log(std::max(rows, 2.0)) - lack); }

IndexFit fit_index(const Matrix& rows, const Matrix& others, const IndexSearch& how) {
  const std::size_t largest = std::max(rows.rows, others.rows);
  if (largest > 2 * how.quick_rows) {
    IndexFit quick = fit_rows(rows, others, how.quick_rows);
    if (quick.p < how.hopeless) return quick;
  }
  return fit_rows(rows, others, how.most_rows);
}

double same_law_probability(const Matrix& rows, const Matrix& others) {
  constexpr std::size_t most_rows = 20000;  // more would not change the answer
  const Labelled data = labelled(rows, others, most_rows);
  const MatrixXd x = data.x.cwiseMax(-4).cwiseMin(4);
  const Size d = x.cols(), n = x.rows();
  MatrixXd z(n, d + d * (d + 1) / 2);
  z.leftCols(d) = x;
  Size c = d;
  for (Size i = 0; i < d; ++i)
    for (Size j = 0; j <= i; ++j) z.col(c++) = x.col(i).cwiseProduct(x.col(j));
  const Eigen::RowVectorXd mean = z.colwise().mean();
  z.rowwise() -= mean;
  const VectorXd apart = (z.topRows(Size(data.first)).colwise().mean() -
                          z.bottomRows(Size(data.second)).colwise().mean())
                             .transpose();
  MatrixXd variance = z.transpose() * z / double(n) * (1 / data.first + 1 / data.second);
  variance.diagonal().array() += 1e-12;
  return chi_square_tail(apart.dot(variance.ldlt().solve(apart)), double(z.cols()));
}

double chi_square_tail(double x, double freedom) {
  if (freedom <= 0) return 1;
  const double spread = 2 / (9 * freedom);
  const double z = (std::cbrt(std::max(x, 1e-9) / freedom) - (1 - spread)) / std::sqrt(spread);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

}  // namespace whence
