#include "whence/worlds/linear_gaussian_world.hpp"

#include <algorithm>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/math/random_lanes.hpp"

namespace whence {

namespace {

constexpr double worst_condition = 1e12;

std::vector<double> standard_normals(Stream& stream, std::size_t n) {
  std::vector<double> x(n);
  for (double& v : x) v = sample_normal(stream);
  return x;
}

Matrix standard_normals(Stream& stream, std::size_t rows, std::size_t columns) {
  Matrix m(rows, columns);
  m.values = standard_normals(stream, rows * columns);
  return m;
}

double covariance_condition(const Matrix& factor) {
  const double root = condition_number(factor);
  return root * root;
}

/// out[r] += matrix in[r] for all rows at once; the matrix turned round, so that the innermost loop
/// runs along the output.
void add_product(const Matrix& matrix, const double* in, std::size_t rows, double* out) {
  const Matrix columns = transposed(matrix);
  const std::size_t n = matrix.rows;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < matrix.columns; ++k) {
      const double scale = in[r * matrix.columns + k];
      const double* column = &columns.values[k * n];
      for (std::size_t i = 0; i < n; ++i) out[r * n + i] += scale * column[i];
    }
}

void set_rows(std::span<const double> row, std::size_t rows, double* out) {
  for (std::size_t r = 0; r < rows; ++r) std::copy(row.begin(), row.end(), out + r * row.size());
}

}  // namespace

LinearGaussianPrior LinearGaussianPrior::of(int dimension, double degrees) {
  return {{dimension, degrees, degrees - dimension - 1}};
}

LinearGaussianWorld::LinearGaussianWorld(GaussianPair forward)
    : forward_(std::move(forward)),
      condition_(std::max(covariance_condition(forward_.marginal.factor),
                          covariance_condition(forward_.conditional.factor))) {
  if (!(condition_ <= worst_condition))
    throw Error(ExitCode::numerical, "E-NUM-SINGULAR", "",
                "a covariance of the world has condition number " + rounded(condition_, 3),
                "more degrees of freedom make covariances rounder");
  backward_ = bayes_inverse(forward_);
}

LinearGaussianWorld LinearGaussianWorld::draw_pair(const LinearGaussianPrior& prior,
                                                   std::uint64_t seed, std::uint32_t run) {
  const auto d = std::size_t(prior.covariance.dimension);
  Stream cause(seed, Purpose::world, {run, 0, 0}), effect(seed, Purpose::world, {run, 0, 1});
  GaussianPair pair;
  pair.marginal = {standard_normals(cause, d), Matrix(d, 0),
                   sample_inverse_wishart_factor(cause, prior.covariance)};
  pair.conditional = {standard_normals(effect, d), standard_normals(effect, d, d),
                      sample_inverse_wishart_factor(effect, prior.covariance)};
  return LinearGaussianWorld(std::move(pair));
}

std::vector<Variable> LinearGaussianWorld::variables() const {
  const int d = int(dimension());
  return {{"A", Variable::Kind::real, 0, d}, {"B", Variable::Kind::real, 0, d}};
}

LinearGaussian<double> LinearGaussianWorld::conditional(const Family& family) const {
  const GaussianPair& pair =
      (family.child == VariableId(0)) == family.parents.empty() ? forward_ : backward_;
  return linear_gaussian(family.parents.empty() ? pair.marginal : pair.conditional);
}

GaussianPair LinearGaussianWorld::shifted(ShiftKind what, const LinearGaussianPrior& prior,
                                          Stream stream) const {
  GaussianPair pair = forward_;
  const std::size_t d = dimension();
  const auto covariance = [&](Matrix& factor) {
    factor = sample_inverse_wishart_factor(stream, prior.covariance);
  };
  if (what == ShiftKind::row)
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "shift",
                "a linear Gaussian mechanism has no rows to redraw",
                "cause, effect, mechanism, both or none");
  if (what == ShiftKind::cause || what == ShiftKind::both) {
    pair.marginal.offset = standard_normals(stream, d);
    if (prior.shift_covariance) covariance(pair.marginal.factor);
  }
  if (what == ShiftKind::mechanism || what == ShiftKind::both) {
    pair.conditional.offset = standard_normals(stream, d);
    pair.conditional.slope = standard_normals(stream, d, d);
    if (prior.shift_covariance) covariance(pair.conditional.factor);
  }
  if (what == ShiftKind::effect) {
    pair.conditional.offset = standard_normals(stream, d);
    pair.conditional.slope = Matrix(d, d);
    covariance(pair.conditional.factor);
  }
  return pair;
}

void sample_pair(const GaussianPair& pair, Stream stream, Dataset& data, std::size_t first,
                 std::size_t rows) {
  const std::size_t d = pair.marginal.offset.size(), size = rows * d;
  std::vector<double> noise(2 * size);
  stream.fill(noise);
  normal_quantiles(noise);
  double* a = &data.columns[0].values[first * d];
  double* b = &data.columns[1].values[first * d];
  set_rows(pair.marginal.offset, rows, a);
  add_product(pair.marginal.factor, noise.data(), rows, a);
  set_rows(pair.conditional.offset, rows, b);
  add_product(pair.conditional.slope, a, rows, b);
  add_product(pair.conditional.factor, noise.data() + size, rows, b);
}

Dataset make_real_dataset(const std::vector<Variable>& variables, std::size_t rows) {
  Dataset data;
  data.variables = variables;
  data.columns.resize(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    data.columns[v].values.resize(rows * std::size_t(variables[v].dimension));
  return data;
}

}  // namespace whence
