// Small dense matrices, row by row: what exact Gaussian arithmetic needs and no more.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace whence {

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [row][column]

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}

  double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

Matrix transposed(const Matrix& a);
Matrix product(const Matrix& a, const Matrix& b);
std::vector<double> product(const Matrix& a, std::span<const double> x);
/// The sum of a[i] b[i], in this order; b may be longer.
double dot(std::span<const double> a, std::span<const double> b);

/// L^-1 X for a lower triangular L.
Matrix lower_solve(const Matrix& lower, Matrix x);
std::vector<double> lower_solve(const Matrix& lower, std::vector<double> x);
/// L^-T X for a lower triangular L.
Matrix lower_transposed_solve(const Matrix& lower, Matrix x);
Matrix lower_inverse(const Matrix& lower);

/// The lower triangular L with a positive diagonal and L L^T = A^T A, found by rotating the rows of
/// A (Householder) and never by forming A^T A: nothing is squared, so half the digits are not lost.
Matrix factor_of_gram(Matrix a);
/// The lower triangular L with a positive diagonal and L^T L = A^T A, likewise.
Matrix reversed_factor_of_gram(const Matrix& a);

/// A symmetric matrix taken apart: eigenvalues, the largest first, and eigenvectors as columns.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};
/// By Jacobi's rotations: for matrices of some ten rows.
SymmetricEigen symmetric_eigen(Matrix a);

/// Largest over smallest singular value (one-sided Jacobi).
double condition_number(const Matrix& a);

}  // namespace whence
