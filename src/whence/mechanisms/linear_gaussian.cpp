#include "whence/mechanisms/linear_gaussian.hpp"

namespace whence {

LinearGaussian<double> linear_gaussian(const GaussianTerms& terms) {
  const std::size_t d = terms.offset.size(), inputs = terms.slope.columns;
  std::vector<double> parameters;
  for (std::size_t i = 0; i < d; ++i) {
    parameters.push_back(terms.offset[i]);
    for (std::size_t j = 0; j < inputs; ++j) parameters.push_back(terms.slope(i, j));
    for (std::size_t j = 0; j < i; ++j) parameters.push_back(terms.factor(i, j));
    parameters.push_back(portable_log(terms.factor(i, i)));
  }
  return {d, inputs, std::move(parameters)};
}

GaussianTerms terms_of(const LinearGaussian<double>& module) {
  const std::size_t d = module.dimension(), inputs = module.inputs();
  GaussianTerms terms{std::vector<double>(d), Matrix(d, inputs), Matrix(d, d)};
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = module.row(i);
    terms.offset[i] = row[0];
    for (std::size_t j = 0; j < inputs; ++j) terms.slope(i, j) = row[1 + j];
    for (std::size_t j = 0; j < i; ++j) terms.factor(i, j) = row[1 + inputs + j];
    terms.factor(i, i) = portable_exp(row.back());
  }
  return terms;
}

namespace {

Matrix stacked(const Matrix& above, const Matrix& below) {
  Matrix both(above.rows + below.rows, above.columns);
  both.values = above.values;
  both.values.insert(both.values.end(), below.values.begin(), below.values.end());
  return both;
}

}  // namespace

GaussianPair bayes_inverse(const GaussianPair& pair) {
  const GaussianTerms &a = pair.marginal, &b = pair.conditional;
  GaussianPair inverse;

  // P(B): mean b1 mu_A + b0, covariance [b1 L_A, L_N] [b1 L_A, L_N]^T.
  inverse.marginal.offset = product(b.slope, a.offset);
  for (std::size_t i = 0; i < b.offset.size(); ++i) inverse.marginal.offset[i] += b.offset[i];
  inverse.marginal.slope = Matrix(b.offset.size(), 0);
  inverse.marginal.factor =
      factor_of_gram(stacked(transposed(product(b.slope, a.factor)), transposed(b.factor)));

  // P(A | B): the precision is K^T K + M^T M with K = L_A^-1 and M = L_N^-1 b1.
  const Matrix m = lower_solve(b.factor, b.slope);
  const Matrix root = reversed_factor_of_gram(stacked(lower_inverse(a.factor), m));
  Matrix& factor = inverse.conditional.factor = lower_inverse(root);
  // V1 = L L^T M^T L_N^-1, from the right by a solve with L_N.
  const Matrix gain = product(factor, product(transposed(factor), transposed(m)));
  inverse.conditional.slope = transposed(lower_transposed_solve(b.factor, transposed(gain)));
  // V0 makes the conditional mean at E[B] equal to E[A].
  inverse.conditional.offset = a.offset;
  const std::vector<double> at_mean = product(inverse.conditional.slope, inverse.marginal.offset);
  for (std::size_t i = 0; i < a.offset.size(); ++i) inverse.conditional.offset[i] -= at_mean[i];
  return inverse;
}

}  // namespace whence
