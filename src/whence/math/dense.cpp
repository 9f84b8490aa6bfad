#include "whence/math/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace whence {

Matrix transposed(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  return t;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> product(const Matrix& a, std::span<const double> x) {
  std::vector<double> y(a.rows, 0.0);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) y[i] += a(i, j) * x[j];
  return y;
}

Matrix lower_solve(const Matrix& lower, Matrix x) {
  for (std::size_t i = 0; i < lower.rows; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = 0; j < x.columns; ++j) x(i, j) -= lower(i, k) * x(k, j);
    for (std::size_t j = 0; j < x.columns; ++j) x(i, j) /= lower(i, i);
  }
  return x;
}

std::vector<double> lower_solve(const Matrix& lower, std::vector<double> x) {
  for (std::size_t i = 0; i < lower.rows; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower(i, k) * x[k];
    x[i] /= lower(i, i);
  }
  return x;
}

Matrix lower_transposed_solve(const Matrix& lower, Matrix x) {
  for (std::size_t i = lower.rows; i-- > 0;) {
    for (std::size_t k = i + 1; k < lower.rows; ++k)
      for (std::size_t j = 0; j < x.columns; ++j) x(i, j) -= lower(k, i) * x(k, j);
    for (std::size_t j = 0; j < x.columns; ++j) x(i, j) /= lower(i, i);
  }
  return x;
}

Matrix lower_inverse(const Matrix& lower) {
  Matrix identity(lower.rows, lower.rows);
  for (std::size_t i = 0; i < lower.rows; ++i) identity(i, i) = 1;
  return lower_solve(lower, std::move(identity));
}

namespace {

/// Reflects the rows k.. of `a` so that column k vanishes below its diagonal.
void reflect(Matrix& a, std::size_t k) {
  double square = 0;
  for (std::size_t i = k; i < a.rows; ++i) square += a(i, k) * a(i, k);
  const double norm = std::sqrt(square);
  if (norm == 0) return;
  std::vector<double> v(a.rows, 0.0);
  for (std::size_t i = k; i < a.rows; ++i) v[i] = a(i, k);
  v[k] += a(k, k) < 0 ? -norm : norm;
  const double scale = 1 / (square + std::abs(a(k, k)) * norm);
  std::vector<double> along(a.columns, 0.0);
  for (std::size_t i = k; i < a.rows; ++i)
    for (std::size_t j = k; j < a.columns; ++j) along[j] += v[i] * a(i, j);
  for (std::size_t i = k; i < a.rows; ++i)
    for (std::size_t j = k; j < a.columns; ++j) a(i, j) -= scale * v[i] * along[j];
}

}  // namespace

Matrix factor_of_gram(Matrix a) {
  for (std::size_t k = 0; k < a.columns; ++k) reflect(a, k);
  Matrix lower(a.columns, a.columns);
  for (std::size_t i = 0; i < a.columns; ++i)
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = a(j, j) < 0 ? -a(j, i) : a(j, i);
  return lower;
}

Matrix reversed_factor_of_gram(const Matrix& a) {
  // With the columns in reverse order R R^T = J A^T A J; turned round again, L = J R^T J.
  Matrix reversed(a.rows, a.columns);
  const std::size_t last = a.columns - 1;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j <= last; ++j) reversed(i, j) = a(i, last - j);
  const Matrix factor = factor_of_gram(std::move(reversed));
  Matrix lower(a.columns, a.columns);
  for (std::size_t i = 0; i <= last; ++i)
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = factor(last - j, last - i);
  return lower;
}

double condition_number(const Matrix& a) {
  Matrix columns = transposed(a);  // rows of it are rotated against each other
  const std::size_t n = columns.rows, length = columns.columns;
  for (bool rotated = true; rotated;) {
    rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (std::size_t i = 0; i < length; ++i) {
          pp += columns(p, i) * columns(p, i);
          qq += columns(q, i) * columns(q, i);
          pq += columns(p, i) * columns(q, i);
        }
        // Orthogonal enough for a condition number: it is read as a power of ten.
        if (!(std::abs(pq) > 1e-8 * std::sqrt(pp) * std::sqrt(qq))) continue;
        rotated = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (std::size_t i = 0; i < length; ++i) {
          const double x = columns(p, i), y = columns(q, i);
          columns(p, i) = c * x - s * y;
          columns(q, i) = s * x + c * y;
        }
      }
  }
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t p = 0; p < n; ++p) {
    double square = 0;
    for (std::size_t i = 0; i < length; ++i) square += columns(p, i) * columns(p, i);
    least = std::min(least, square);
    most = std::max(most, square);
  }
  return std::sqrt(most / least);
}

namespace {

/// Turns axes p and q so that a(p, q) vanishes.
void rotate(Matrix& a, Matrix& vectors, std::size_t p, std::size_t q) {
  const double difference = 0.5 * (a(q, q) - a(p, p)), off = a(p, q);
  const double tangent =
      off / (difference + std::copysign(std::hypot(difference, off), difference));
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
  for (std::size_t i = 0; i < a.rows; ++i) {
    const double x = a(i, p), y = a(i, q);
    a(i, p) = cosine * x - sine * y;
    a(i, q) = sine * x + cosine * y;
  }
  for (std::size_t i = 0; i < a.rows; ++i) {
    const double x = a(p, i), y = a(q, i);
    a(p, i) = cosine * x - sine * y;
    a(q, i) = sine * x + cosine * y;
    const double v = vectors(i, p), w = vectors(i, q);
    vectors(i, p) = cosine * v - sine * w;
    vectors(i, q) = sine * v + cosine * w;
  }
}

}  // namespace

SymmetricEigen symmetric_eigen(Matrix a) {
  constexpr int most_sweeps = 30;
  const std::size_t n = a.rows;
  Matrix vectors(n, n);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) vectors(i, i) = 1;
  for (double x : a.values) size += x * x;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += a(p, q) * a(p, q);
    if (off <= 1e-32 * size) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q)
        if (a(p, q) != 0) rotate(a, vectors, p, q);
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
  SymmetricEigen result{std::vector<double>(n), Matrix(n, n)};
  for (std::size_t k = 0; k < n; ++k) {
    result.values[k] = a(order[k], order[k]);
    for (std::size_t i = 0; i < n; ++i) result.vectors(i, k) = vectors(i, order[k]);
  }
  return result;
}

}  // namespace whence
