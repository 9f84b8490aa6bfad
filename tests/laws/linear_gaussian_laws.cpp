// The linear Gaussian: its module, its fast adaptation, Bayes' rule, its covariances, its world.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/bits.hpp"
#include "support/effort.hpp"
#include "support/optimizers.hpp"
#include "support/simd.hpp"
#include "support/statistics.hpp"
#include "support/tables.hpp"
#include "whence/adapt/linear_gaussian_adapter.hpp"
#include "whence/backends/backend.hpp"
#include "whence/math/dual.hpp"
#include "whence/worlds/linear_gaussian_world.hpp"

namespace whence::laws {
namespace {

using support::Inputs;

constexpr double two_pi = 6.283185307179586;

/// Child first, then the parents; each a vector.
struct Shape {
  int child;
  std::vector<int> parents;
  std::size_t inputs() const {
    std::size_t n = 0;
    for (int p : parents) n += std::size_t(p);
    return n;
  }
  std::string name() const { return fmt::format("{} given {}", child, inputs()); }
};

const std::vector<Shape> shapes = {{1, {}}, {1, {1}}, {2, {}},     {3, {2}},
                                   {4, {}}, {5, {9}}, {3, {2, 4}}, {10, {10}}};

Dataset random_data(Inputs& inputs, const Shape& shape, std::size_t rows) {
  Dataset data;
  std::vector<int> dimensions = {shape.child};
  dimensions.insert(dimensions.end(), shape.parents.begin(), shape.parents.end());
  for (int d : dimensions) {
    data.variables.push_back({"V", Variable::Kind::real, 0, d});
    data.columns.push_back({{}, inputs.reals(rows * std::size_t(d), -2, 2)});
  }
  return data;
}

Family family_of(const Shape& shape) { return support::first_given_rest(1 + shape.parents.size()); }

/// Parameters like those that worlds have: a covariance of order one, well away from singular.
std::vector<double> random_parameters(Inputs& inputs, const Shape& shape) {
  const auto d = std::size_t(shape.child);
  std::vector<double> p(LinearGaussian<double>::start(d, shape.inputs()));
  for (std::size_t i = 0; i < d; ++i) {
    const std::size_t begin = LinearGaussian<double>::start(i, shape.inputs());
    const std::size_t end = LinearGaussian<double>::start(i + 1, shape.inputs());
    for (std::size_t k = begin; k < end; ++k) p[k] = inputs.real(-1, 1);
    for (std::size_t k = begin + 1 + shape.inputs(); k + 1 < end; ++k)
      p[k] = inputs.real(-1, 1) / std::sqrt(double(d));
    p[end - 1] = inputs.real(-0.5, 0.5);
  }
  return p;
}

// ---- the density ----

/// log N(y; b0 + B x, L L^T) of row 0.
using Density =
    std::function<double(const Shape&, const std::vector<double>& parameters, const Dataset&)>;

double density(const Shape& shape, const std::vector<double>& parameters, const Dataset& data) {
  return LinearGaussian<double>(std::size_t(shape.child), shape.inputs(), parameters)
      .log_prob(data, family_of(shape), 0);
}

/// With the covariance formed, inverted and its determinant taken by elimination, in long double.
long double density_by_elimination(const Shape& shape, const std::vector<double>& parameters,
                                   const Dataset& data) {
  const auto d = std::size_t(shape.child);
  const LinearGaussian<double> module(d, shape.inputs(), parameters);
  std::vector<std::vector<long double>> s(d, std::vector<long double>(d + 1)), l(d);
  std::vector<double> x;
  for (std::size_t p = 0; p < shape.parents.size(); ++p)
    x.insert(x.end(), data.columns[1 + p].values.begin(),
             data.columns[1 + p].values.begin() + shape.parents[p]);
  for (std::size_t i = 0; i < d; ++i) {
    const auto row = module.row(i);
    l[i].assign(row.begin() + 1 + std::ptrdiff_t(shape.inputs()), row.end());
    l[i][i] = std::exp(l[i][i]);
    long double residual = data.columns[0].values[i] - row[0];
    for (std::size_t j = 0; j < x.size(); ++j) residual -= (long double)(row[1 + j]) * x[j];
    s[i][d] = residual;
  }
  std::vector<long double> r(d);
  for (std::size_t i = 0; i < d; ++i) r[i] = s[i][d];
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k <= std::min(i, j); ++k) s[i][j] += l[i][k] * l[j][k];
  long double log_det = 0, quadratic = 0;
  for (std::size_t k = 0; k < d; ++k) {
    log_det += std::log(s[k][k]);
    for (std::size_t i = k + 1; i < d; ++i) {
      const long double f = s[i][k] / s[k][k];
      for (std::size_t j = k; j <= d; ++j) s[i][j] -= f * s[k][j];
    }
  }
  std::vector<long double> solution(d);
  for (std::size_t i = d; i-- > 0;) {
    solution[i] = s[i][d];
    for (std::size_t j = i + 1; j < d; ++j) solution[i] -= s[i][j] * solution[j];
    solution[i] /= s[i][i];
    quadratic += solution[i] * r[i];
  }
  return -0.5L * (quadratic + log_det + (long double)(d)*std::log((long double)(two_pi)));
}

Finding density_is_the_formula(const Density& log_prob) {
  Finding finding;
  Inputs inputs(31);
  for (const Shape& shape : shapes)
    for (int n = 0; n < 20; ++n) {
      const Dataset data = random_data(inputs, shape, 1);
      const auto parameters = random_parameters(inputs, shape);
      const auto expected = double(density_by_elimination(shape, parameters, data));
      finding.near(log_prob(shape, parameters, data), expected,
                   1e-12 * std::max(1.0, std::abs(expected)), shape.name());
    }
  return finding;
}

LAW(LinearGaussianLaws, DensityIsTheFormula, density_is_the_formula, {{"module", density}},
    {{"the factor taken for the covariance",
      [](const Shape& shape, std::vector<double> p, const Dataset& data) {
        for (std::size_t i = 0; i < std::size_t(shape.child); ++i)
          p[LinearGaussian<double>::start(i + 1, shape.inputs()) - 1] *= 0.5;
        return density(shape, p, data);
      }},
     {"normaliser of one dimension",
      [](const Shape& shape, const std::vector<double>& p, const Dataset& data) {
        return density(shape, p, data) + 0.5 * (shape.child - 1) * std::log(two_pi);
      }}});

/// Planted: the diagonal of the factor is a parameter as it is, not by its logarithm.
double plain_diagonal(const Shape& shape, std::vector<double> p, const Dataset& data) {
  for (std::size_t i = 0; i < std::size_t(shape.child); ++i) {
    double& last = p[LinearGaussian<double>::start(i + 1, shape.inputs()) - 1];
    last = std::log(last);
  }
  return density(shape, p, data);
}

/// Any vector of parameters is a valid law (N11): its density is finite.
Finding any_parameters_are_valid(const Density& log_prob) {
  Finding finding;
  Inputs inputs(32);
  for (const Shape& shape : shapes)
    for (int n = 0; n < 200; ++n) {
      const Dataset data = random_data(inputs, shape, 1);
      auto p = random_parameters(inputs, shape);
      for (double& x : p) x = inputs.real(-20, 20);
      finding.require(std::isfinite(log_prob(shape, p, data)), shape.name());
    }
  return finding;
}

LAW(LinearGaussianLaws, AnyParametersAreValid, any_parameters_are_valid, {{"module", density}},
    {{"the diagonal itself as the parameter", plain_diagonal}});

/// A walk of many rough SGD steps never leaves the valid covariances (N11): the density of the last
/// place is finite wherever its parameters are.
Finding long_walks_stay_valid(const Density& log_prob) {
  Finding finding;
  Inputs inputs(36);
  const Shape shape{2, {1}};
  LinearGaussian<double> module(2, 1, random_parameters(inputs, shape));
  const Family family = family_of(shape);
  Optimizer<double> sgd({.learning_rate = 0.05}, module.parameters().size());
  std::vector<double> gradient(module.parameters().size());
  std::size_t judged = 0, looked = 0;
  for (std::size_t i = 0; i < support::effort(1'000'000); ++i) {
    if (i % 100 == 0) {  // a new start, far from the data
      const auto start = random_parameters(inputs, shape);
      std::copy(start.begin(), start.end(), module.parameters().begin());
    }
    const Dataset data = random_data(inputs, shape, 1);
    gradient.assign(gradient.size(), 0);
    module.add_gradient(data, family, 0, -1, std::span(gradient));
    sgd.step(module.parameters(), std::span<const double>(gradient));
    bool finite = true;
    for (double p : module.parameters()) finite = finite && std::abs(p) < 300;
    if (i % 10 != 0) continue;
    ++looked;
    judged += finite ? 1 : 0;
    if (finite)
      finding.require(std::isfinite(log_prob(
                          shape, {module.parameters().begin(), module.parameters().end()}, data)),
                      fmt::format("step {}", i));
  }
  finding.require(judged * 10 > looked * 9, fmt::format("only {} of {}", judged, looked));
  return finding;
}

LAW(LinearGaussianLaws, LongWalksStayValid, long_walks_stay_valid, {{"module", density}},
    {{"the diagonal itself as the parameter", plain_diagonal}});

// ---- the gradient ----

/// The gradient of log_prob of row 0 times a weight.
using Gradient = std::function<std::vector<double>(const Shape&, const std::vector<double>&,
                                                   const Dataset&, double weight)>;

std::vector<double> gradient(const Shape& shape, const std::vector<double>& parameters,
                             const Dataset& data, double weight) {
  std::vector<double> g(parameters.size(), 0.0);
  LinearGaussian<double>(std::size_t(shape.child), shape.inputs(), parameters)
      .add_gradient(data, family_of(shape), 0, weight, std::span(g));
  return g;
}

/// The same code in long double is the sharpest check of rounding; |error| over |g| + 1e-3 |g|_inf.
Finding gradient_is_accurate(const Gradient& g) {
  Finding finding;
  Inputs inputs(33);
  std::vector<Shape> all = shapes;
  all.push_back({100, {100}});
  for (const Shape& shape : all) {
    const Dataset data = random_data(inputs, shape, 1);
    const auto p = random_parameters(inputs, shape);
    std::vector<long double> expected(p.size(), 0);
    LinearGaussian<long double>(std::size_t(shape.child), shape.inputs(), {p.begin(), p.end()})
        .add_gradient(data, family_of(shape), 0, -0.1L, std::span(expected));
    long double top = 0;
    for (long double e : expected) top = std::max(top, std::abs(e));
    const auto measured = g(shape, p, data, -0.1);
    for (std::size_t k = 0; k < p.size(); ++k)
      finding.at_most(
          double(std::abs(measured[k] - expected[k]) / (std::abs(expected[k]) + 1e-3L * top)),
          shape.child == 100 ? 5e-12 : 1e-12, fmt::format("{}, parameter {}", shape.name(), k));
  }
  return finding;
}

LAW(LinearGaussianLaws, GradientIsAccurate, gradient_is_accurate, {{"module", gradient}},
    {{"in single precision",
      [](const Shape& shape, const std::vector<double>& p, const Dataset& data, double weight) {
        auto g = gradient(shape, p, data, weight);
        for (double& x : g) x = double(float(x));
        return g;
      }}});

/// Dual numbers through log_prob know nothing of the formulas of add_gradient.
Finding gradient_is_the_derivative(const Gradient& g) {
  Finding finding;
  Inputs inputs(34);
  for (const Shape& shape : shapes)
    for (int n = 0; n < 3; ++n) {
      const Dataset data = random_data(inputs, shape, 1);
      const auto p = random_parameters(inputs, shape);
      const auto measured = g(shape, p, data, 2);
      double top = 0;
      for (double x : measured) top = std::max(top, std::abs(x));
      for (std::size_t k = 0; k < p.size(); ++k) {
        std::vector<Dual<double>> duals(p.begin(), p.end());
        duals[k].slope = 2;
        const LinearGaussian<Dual<double>> module(std::size_t(shape.child), shape.inputs(), duals);
        finding.near(measured[k], module.log_prob(data, family_of(shape), 0).slope, 1e-12 * top,
                     fmt::format("{}, parameter {}", shape.name(), k));
      }
    }
  return finding;
}

LAW(LinearGaussianLaws, GradientIsTheDerivative, gradient_is_the_derivative, {{"module", gradient}},
    {{"diagonal, not its logarithm",
      [](const Shape& shape, const std::vector<double>& p, const Dataset& data, double weight) {
        auto g = gradient(shape, p, data, weight);
        for (std::size_t i = 0; i < std::size_t(shape.child); ++i) {
          const std::size_t k = LinearGaussian<double>::start(i + 1, shape.inputs()) - 1;
          g[k] *= std::exp(-p[k]);
        }
        return g;
      }},
     {"normaliser forgotten",
      [](const Shape& shape, const std::vector<double>& p, const Dataset& data, double weight) {
        auto g = gradient(shape, p, data, weight);
        for (std::size_t i = 0; i < std::size_t(shape.child); ++i)
          g[LinearGaussian<double>::start(i + 1, shape.inputs()) - 1] += weight;
        return g;
      }},
     {"weight ignored", [](const Shape& shape, const std::vector<double>& p, const Dataset& data,
                           double) { return gradient(shape, p, data, 1); }}});

// ---- sampling ----

/// Draws the child of row 0.
using Draw = std::function<void(const LinearGaussian<double>&, Stream&, Dataset&, const Family&)>;

void draw(const LinearGaussian<double>& m, Stream& stream, Dataset& data, const Family& family) {
  m.sample(stream, data, family, 0);
}

/// At the truth the score has mean zero, whatever the law: E[gradient] = 0 (P1e).
Finding score_has_mean_zero(const Draw& sample) {
  Finding finding;
  Inputs inputs(35);
  for (const Shape& shape : {Shape{1, {1}}, Shape{3, {2}}, Shape{4, {}}}) {
    Dataset data = random_data(inputs, shape, 1);
    const auto p = random_parameters(inputs, shape);
    const LinearGaussian<double> module(std::size_t(shape.child), shape.inputs(), p);
    std::vector<double> sum(p.size()), squares(p.size());
    const std::size_t n = support::effort(20000);
    for (std::size_t i = 0; i < n; ++i) {
      Stream stream(3, Purpose::tests, {std::uint32_t(i)});
      sample(module, stream, data, family_of(shape));
      const auto g = gradient(shape, p, data, 1);
      for (std::size_t k = 0; k < g.size(); ++k) {
        sum[k] += g[k];
        squares[k] += g[k] * g[k];
      }
    }
    for (std::size_t k = 0; k < p.size(); ++k)
      finding.likely(support::z_p_value(sum[k] / std::sqrt(squares[k])),
                     fmt::format("{}, parameter {}", shape.name(), k),
                     support::alpha / double(p.size()));
  }
  return finding;
}

LAW(LinearGaussianLaws, ScoreHasMeanZeroAtTheTruth, score_has_mean_zero, {{"module", draw}},
    {{"noise of double size",
      [](const LinearGaussian<double>& m, Stream& stream, Dataset& data, const Family& family) {
        GaussianTerms terms = terms_of(m);
        for (double& x : terms.factor.values) x *= 2;
        linear_gaussian(terms).sample(stream, data, family, 0);
      }},
     {"one noise for all coordinates",
      [](const LinearGaussian<double>& m, Stream& stream, Dataset& data, const Family& family) {
        GaussianTerms terms = terms_of(m);
        for (std::size_t i = 0; i < terms.factor.rows; ++i)
          for (std::size_t j = 1; j <= i; ++j)
            terms.factor(i, 0) += std::exchange(terms.factor(i, j), 1e-9);
        linear_gaussian(terms).sample(stream, data, family, 0);
      }},
     {"offset forgotten",
      [](const LinearGaussian<double>& m, Stream& stream, Dataset& data, const Family& family) {
        GaussianTerms terms = terms_of(m);
        for (double& x : terms.offset) x = 0;
        linear_gaussian(terms).sample(stream, data, family, 0);
      }}});

// ---- fast adaptation ----

using Adaptation =
    std::function<std::vector<double>(const Shape&, const std::vector<double>&,
                                      const OptimizerSpec&, const Dataset&, const Episode&)>;

std::vector<double> adapt_slowly(const Shape& shape, const std::vector<double>& parameters,
                                 const OptimizerSpec& spec, const Dataset& data,
                                 const Episode& episode) {
  LinearGaussian<double> module(std::size_t(shape.child), shape.inputs(), parameters);
  Optimizer<double> optimizer(spec, parameters.size());
  std::vector<double> scores(std::size_t(episode.steps));
  adapt(module, optimizer, data, family_of(shape), episode, std::span(scores));
  return scores;
}

std::vector<double> adapt_fast(const Shape& shape, const std::vector<double>& parameters,
                               const OptimizerSpec& spec, const Dataset& data,
                               const Episode& episode) {
  const Module module{family_of(shape),
                      LinearGaussian<double>(std::size_t(shape.child), shape.inputs(), parameters)};
  const Scores scores = cpu_backend()->score(data, {&episode, 1}, {&module, 1}, {spec, true});
  const auto row = scores.of(EpisodeId(0), FamilyId(0));
  return {row.begin(), row.end()};
}

/// The kernel scores as the reference does, within 1e-10.
Finding kernel_agrees(const Adaptation& adaptation) {
  Finding finding;
  Inputs inputs(36);
  std::vector<Shape> all = shapes;
  all.push_back({33, {17}});
  for (const Shape& shape : all)
    for (auto [name, spec] : support::all_optimizers())
      for (int batch : {1, 3, 8, 10, 17}) {
        if (shape.child > 10 && batch != 10) continue;
        spec.learning_rate *= 0.01;  // large steps amplify rounding without limit
        const Episode episode{2, 6, batch};
        const Dataset data = random_data(inputs, shape, 2 + episode.rows());
        const auto p = random_parameters(inputs, shape);
        const auto expected = adapt_slowly(shape, p, spec, data, episode);
        const auto measured = adaptation(shape, p, spec, data, episode);
        for (std::size_t t = 0; t < expected.size(); ++t)
          finding.near(measured[t], expected[t], 1e-10 * std::max(1.0, std::abs(expected[t])),
                       fmt::format("{}, {}, batch {}, step {}", shape.name(), name, batch, t));
      }
  return finding;
}

LAW(LinearGaussianLaws, KernelAgreesWithTheReference, kernel_agrees, {{"cpu", adapt_fast}},
    {{"scored after the update",
      [](const Shape& shape, const std::vector<double>& p, const OptimizerSpec& spec,
         const Dataset& data, const Episode& episode) {
        auto scores = adapt_fast(shape, p, spec, data, episode);
        std::rotate(scores.begin(), scores.begin() + 1, scores.end());
        return scores;
      }},
     {"a step a thousandth too long",
      [](const Shape& shape, const std::vector<double>& p, OptimizerSpec spec, const Dataset& data,
         const Episode& episode) {
        spec.learning_rate *= 1.001;
        return adapt_fast(shape, p, spec, data, episode);
      }},
     {"mean over the batch",
      [](const Shape& shape, const std::vector<double>& p, const OptimizerSpec& spec,
         const Dataset& data, const Episode& episode) {
        auto scores = adapt_fast(shape, p, spec, data, episode);
        for (double& s : scores) s /= episode.batch;
        return scores;
      }}});

/// One set of bits on every instruction set.
Finding kernel_has_one_set_of_bits(const Adaptation& adaptation) {
  Finding finding;
  Inputs inputs(37);
  for (const Shape& shape : shapes)
    for (const auto& [name, spec] : support::all_optimizers()) {
      const Episode episode{0, 4, 10};
      const Dataset data = random_data(inputs, shape, episode.rows());
      const auto p = random_parameters(inputs, shape);
      OptimizerSpec small = spec;
      small.learning_rate *= 0.01;
      const auto expected = adapt_fast(shape, p, small, data, episode);
      support::for_each_simd_target([&](const std::string& target) {
        finding.require(support::same_bits(adaptation(shape, p, small, data, episode), expected),
                        fmt::format("{}, {}, {}", shape.name(), name, target));
      });
    }
  return finding;
}

LAW(LinearGaussianLaws, KernelHasOneSetOfBits, kernel_has_one_set_of_bits, {{"cpu", adapt_fast}},
    {{"another order of summation",
      [](const Shape& shape, const std::vector<double>& p, const OptimizerSpec& spec,
         const Dataset& data, const Episode& episode) {
        auto scores = adapt_fast(shape, p, spec, data, episode);
        scores.back() = std::nextafter(scores.back(), 0);
        return scores;
      }}});

// ---- Bayes' rule ----

using Inversion = std::function<GaussianPair(const GaussianPair&)>;

/// log P(a, b) of row 0 by one factorisation; `swapped`: the pair's marginal is that of B.
double log_joint(const GaussianPair& pair, const Dataset& data, bool swapped) {
  const VariableId first(swapped ? 1 : 0), second(swapped ? 0 : 1);
  return linear_gaussian(pair.marginal).log_prob(data, {first, {}}, 0) +
         linear_gaussian(pair.conditional).log_prob(data, {second, {first}}, 0);
}

/// Both factorisations are the same joint: relative to |log P| 1e-11 with 2d degrees of freedom,
/// 1e-7 with d + 1; a subtraction of covariances would not get there (N12).
Finding bayes_rule_is_exact(const Inversion& invert) {
  Finding finding;
  for (int d : {1, 2, 10, 100})
    for (bool round : {true, false}) {
      const auto prior = LinearGaussianPrior{{d, round ? 2.0 * d : d + 1.0, 1}};
      const auto worlds = std::uint32_t(d == 100 ? 2 : support::effort(350));
      for (std::uint32_t run = 0; run < worlds; ++run) {
        const auto world = LinearGaussianWorld::draw_pair(prior, 11, run);
        const GaussianPair inverse = invert(world.forward());
        Dataset data = make_real_dataset(world.variables(), 1);
        sample_pair(world.shifted(ShiftKind::cause, prior, Stream(11, Purpose::shift, {run})),
                    Stream(11, Purpose::sample, {run}), data, 0, 1);
        const double expected = log_joint(world.forward(), data, false);
        finding.near(log_joint(inverse, data, true), expected,
                     (round ? 1e-11 : 1e-7) * std::max(1.0, std::abs(expected)),
                     fmt::format("d = {}, world {}", d, run));
      }
    }
  return finding;
}

/// Lower Cholesky factor of a symmetric matrix, in single precision.
Matrix float_cholesky(Matrix s) {
  const std::size_t n = s.rows;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (j > i) {
        s(i, j) = 0;
        continue;
      }
      auto left = float(s(i, j));
      for (std::size_t k = 0; k < j; ++k) left -= float(s(i, k)) * float(s(j, k));
      s(i, j) = i == j ? std::sqrt(left) : left / float(s(j, j));
    }
  return s;
}

/// The textbook's S_A - S_AB S_B^-1 S_BA in single precision: what N12 forbids.
GaussianPair by_subtraction(const GaussianPair& pair) {
  GaussianPair inverse = bayes_inverse(pair);
  const Matrix a = product(pair.marginal.factor, transposed(pair.marginal.factor));
  const Matrix half = lower_solve(inverse.marginal.factor, product(pair.conditional.slope, a));
  const Matrix explained = product(transposed(half), half);
  Matrix left = a;
  for (std::size_t i = 0; i < left.rows; ++i)
    for (std::size_t j = 0; j < left.rows; ++j)
      left(i, j) = float(left(i, j)) - float(explained(i, j));
  inverse.conditional.factor = float_cholesky(std::move(left));
  return inverse;
}

LAW(LinearGaussianLaws, BayesRuleIsExact, bayes_rule_is_exact, {{"bayes_inverse", bayes_inverse}},
    {{"covariances subtracted in float", by_subtraction},
     {"noise of A for the conditional",
      [](const GaussianPair& pair) {
        GaussianPair inverse = bayes_inverse(pair);
        inverse.conditional.factor = pair.marginal.factor;
        return inverse;
      }},
     {"offset of the marginal",
      [](const GaussianPair& pair) {
        GaussianPair inverse = bayes_inverse(pair);
        inverse.conditional.offset = pair.marginal.offset;
        return inverse;
      }},
     {"slope not turned round", [](const GaussianPair& pair) {
        GaussianPair inverse = bayes_inverse(pair);
        inverse.conditional.slope = transposed(inverse.conditional.slope);
        if (pair.marginal.offset.size() == 1) inverse.conditional.slope(0, 0) *= 1.001;
        return inverse;
      }}});

double largest_change(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// When only the mean of A moves, B -> A has to change V0 and mu_B and nothing else: d parameters
/// against 2d (errata E13).
Finding a_moved_mean_moves_two_vectors(const Inversion& invert) {
  Finding finding;
  const auto prior = LinearGaussianPrior::of(10, 20);
  for (std::uint32_t run = 0; run < 20; ++run) {
    const auto world = LinearGaussianWorld::draw_pair(prior, 12, run);
    const GaussianPair before = bayes_inverse(world.forward());
    const GaussianPair moved =
        world.shifted(ShiftKind::cause, prior, Stream(12, Purpose::shift, {run}));
    const GaussianPair after = invert(moved);
    finding.at_most(largest_change(before.marginal.factor.values, after.marginal.factor.values),
                    1e-12, "covariance of B");
    finding.at_most(
        largest_change(before.conditional.factor.values, after.conditional.factor.values), 1e-12,
        "conditional covariance");
    finding.at_most(largest_change(before.conditional.slope.values, after.conditional.slope.values),
                    1e-12, "V1");
    finding.require(largest_change(before.marginal.offset, after.marginal.offset) > 0.1, "mu_B");
    std::vector<double> at_mean = product(after.conditional.slope, after.marginal.offset);
    for (std::size_t i = 0; i < at_mean.size(); ++i) at_mean[i] += after.conditional.offset[i];
    finding.at_most(largest_change(at_mean, moved.marginal.offset), 1e-10, "V0");
  }
  return finding;
}

LAW(LinearGaussianLaws, AMovedMeanMovesTwoVectors, a_moved_mean_moves_two_vectors,
    {{"bayes_inverse", bayes_inverse}},
    {{"the slope depends on the mean",
      [](const GaussianPair& pair) {
        GaussianPair inverse = bayes_inverse(pair);
        inverse.conditional.slope(0, 0) += 1e-6 * pair.marginal.offset[0];
        return inverse;
      }},
     {"V0 stays", [](const GaussianPair& pair) {
        GaussianPair inverse = bayes_inverse(pair);
        for (double& x : inverse.conditional.offset) x = 0;
        return inverse;
      }}});

// ---- covariances ----

using FactorSampler = std::function<Matrix(Stream&, const InverseWishart&)>;

FactorSampler biased(double more_degrees, double scale) {
  return [=](Stream& stream, InverseWishart law) {
    law.degrees += more_degrees;
    Matrix factor = sample_inverse_wishart_factor(stream, law);
    for (double& x : factor.values) x *= scale;
    return factor;
  };
}

/// T = sqrt(scale) L^-1: the squares of its diagonal are chi-square, from degrees - d + 1 upwards.
Finding bartlett_diagonal_is_chi_square(const FactorSampler& sample) {
  Finding finding;
  for (const auto& law :
       {InverseWishart{1, 3, 1}, InverseWishart{5, 6, 2}, InverseWishart{4, 8, 1}}) {
    const std::size_t n = support::effort(20000);
    std::vector<std::vector<double>> squares(std::size_t(law.dimension));
    for (std::size_t k = 0; k < n; ++k) {
      Stream stream(5, Purpose::tests, {std::uint32_t(k)});
      const Matrix factor = sample(stream, law);
      for (std::size_t i = 0; i < squares.size(); ++i)
        squares[i].push_back(law.scale / (factor(i, i) * factor(i, i)));
    }
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const double degrees = law.degrees - law.dimension + 1 + double(i);
      finding.likely(
          support::ks_p_value(
              squares[i], [&](double x) { return double(support::gamma_p(degrees / 2, x / 2)); }),
          fmt::format("d = {}, entry {}", law.dimension, i));
    }
  }
  return finding;
}

LAW(LinearGaussianLaws, BartlettDiagonalIsChiSquare, bartlett_diagonal_is_chi_square,
    {{"sample_inverse_wishart_factor", sample_inverse_wishart_factor}},
    {{"one degree too many", biased(1, 1)}, {"5 % too large", biased(0, 1.05)}});

/// E[Sigma^-1] = degrees / scale times the identity, entry by entry.
Finding mean_precision_is_degrees(const FactorSampler& sample) {
  Finding finding;
  for (const auto& law : {InverseWishart{3, 6, 1}, InverseWishart{5, 6, 2}}) {
    const auto d = std::size_t(law.dimension);
    Matrix sum(d, d), squares(d, d);
    const std::size_t n = support::effort(20000);
    for (std::size_t k = 0; k < n; ++k) {
      Stream stream(6, Purpose::tests, {std::uint32_t(k)});
      const Matrix root = lower_inverse(sample(stream, law));
      const Matrix precision = product(transposed(root), root);
      for (std::size_t i = 0; i < d * d; ++i) {
        const double excess =
            precision.values[i] - (i % (d + 1) == 0 ? law.degrees / law.scale : 0.0);
        sum.values[i] += excess;
        squares.values[i] += excess * excess;
      }
    }
    for (std::size_t i = 0; i < d * d; ++i)
      finding.likely(support::z_p_value(sum.values[i] / std::sqrt(squares.values[i])),
                     fmt::format("d = {}, entry {}", d, i));
  }
  return finding;
}

LAW(LinearGaussianLaws, MeanPrecisionIsDegrees, mean_precision_is_degrees,
    {{"sample_inverse_wishart_factor", sample_inverse_wishart_factor}},
    {{"one degree too few", biased(-1, 1)},
     {"rows mixed", [](Stream& stream, const InverseWishart& law) {
        Matrix factor = sample_inverse_wishart_factor(stream, law);
        for (std::size_t j = 0; j < factor.columns; ++j)
          factor(factor.rows - 1, j) += 0.2 * factor(0, j);
        return factor;
      }}});

// ---- the world ----

using PairSampler = std::function<void(const GaussianPair&, Stream, Dataset&, std::size_t rows)>;

void sample_rows(const GaussianPair& pair, Stream stream, Dataset& data, std::size_t rows) {
  sample_pair(pair, stream, data, 0, rows);
}

/// Whitened by the law they were drawn from, the rows are standard normal: mean, variance and all
/// products of two coordinates.
Finding samples_are_the_joint(const PairSampler& sample) {
  Finding finding;
  const auto prior = LinearGaussianPrior::of(3, 6);
  for (ShiftKind kind : {ShiftKind::none, ShiftKind::cause, ShiftKind::effect, ShiftKind::mechanism,
                         ShiftKind::both}) {
    const auto world = LinearGaussianWorld::draw_pair(prior, 14, 0);
    const GaussianPair pair = world.shifted(kind, prior, Stream(14, Purpose::shift, {}));
    const std::size_t n = support::effort(20000);
    Dataset data = make_real_dataset(world.variables(), n);
    sample(pair, Stream(14, Purpose::sample, {}), data, n);
    Matrix products(7, 7);
    for (std::size_t r = 0; r < n; ++r) {
      std::vector<double> a(3),
          b = product(pair.conditional.slope, std::span(data.columns[0].values).subspan(3 * r, 3));
      for (std::size_t i = 0; i < 3; ++i) {
        a[i] = data.columns[0].values[3 * r + i] - pair.marginal.offset[i];
        b[i] = data.columns[1].values[3 * r + i] - b[i] - pair.conditional.offset[i];
      }
      a = lower_solve(pair.marginal.factor, a);
      b = lower_solve(pair.conditional.factor, b);
      const std::vector<double> v = {a[0], a[1], a[2], b[0], b[1], b[2], 1};
      for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j <= i; ++j) products(i, j) += v[i] * v[j];
    }
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        if (i == 6 && j == 6) continue;
        const double expected = i == j ? double(n) : 0.0, variance = i == j ? 2.0 : 1.0;
        finding.likely(
            support::z_p_value((products(i, j) - expected) / std::sqrt(variance * double(n))),
            fmt::format("{}: {}, {}", name_of(kind), i, j));
      }
  }
  return finding;
}

LAW(LinearGaussianLaws, SamplesAreTheJoint, samples_are_the_joint, {{"sample_pair", sample_rows}},
    {{"the same noise twice",
      [](GaussianPair pair, Stream stream, Dataset& data, std::size_t rows) {
        sample_pair(pair, stream, data, 0, rows);
        const Matrix across = product(pair.conditional.factor, lower_inverse(pair.marginal.factor));
        for (std::size_t r = 0; r < rows; ++r) {
          std::vector<double> a(3);
          const auto cause = std::span(data.columns[0].values).subspan(3 * r, 3);
          for (std::size_t i = 0; i < 3; ++i) a[i] = cause[i] - pair.marginal.offset[i];
          const auto noise = product(across, a), mean = product(pair.conditional.slope, cause);
          for (std::size_t i = 0; i < 3; ++i)
            data.columns[1].values[3 * r + i] = mean[i] + pair.conditional.offset[i] + noise[i];
        }
      }},
     {"the slope turned round",
      [](GaussianPair pair, Stream stream, Dataset& data, std::size_t rows) {
        pair.conditional.slope = transposed(pair.conditional.slope);
        pair.conditional.slope(0, 0) += 0.5;
        sample_pair(pair, stream, data, 0, rows);
      }}});

/// Before anything has been learnt both factorisations say the same (P2f).
Finding first_batch_says_nothing(const Inversion& invert) {
  Finding finding;
  const auto hypotheses = pair_hypotheses();
  for (int d : {1, 10}) {
    const auto prior = LinearGaussianPrior::of(d, std::max(2.0 * d, d + 2.0));
    const auto world = LinearGaussianWorld::draw_pair(prior, 15, 0);
    const GaussianPair inverse = invert(world.forward());
    const std::vector<Module> modules = {
        {hypotheses.families[0], linear_gaussian(world.forward().marginal)},
        {hypotheses.families[1], linear_gaussian(world.forward().conditional)},
        {hypotheses.families[2], linear_gaussian(inverse.marginal)},
        {hypotheses.families[3], linear_gaussian(inverse.conditional)}};
    Dataset data = make_real_dataset(world.variables(), 20);
    sample_pair(world.shifted(ShiftKind::cause, prior, Stream(15, Purpose::shift, {})),
                Stream(15, Purpose::sample, {}), data, 0, 20);
    const Episode episode{0, 2, 10};
    const OptimizerSpec sgd{.learning_rate = 1e-3};
    const Scores scores = cpu_backend()->score(data, {&episode, 1}, modules, {sgd, true});
    const double forward = scores.log_lik(EpisodeId(0), hypotheses.forward, 0);
    finding.near(scores.log_lik(EpisodeId(0), hypotheses.backward, 0), forward,
                 1e-11 * std::max(1.0, std::abs(forward)), fmt::format("d = {}", d));
  }
  return finding;
}

LAW(LinearGaussianLaws, FirstBatchSaysNothing, first_batch_says_nothing,
    {{"bayes_inverse", bayes_inverse}}, {{"a marginal of its own", [](const GaussianPair& pair) {
                                            GaussianPair inverse = bayes_inverse(pair);
                                            for (double& x : inverse.marginal.factor.values)
                                              x *= 1.01;
                                            return inverse;
                                          }}});

/// Each kind of shift changes what it names and leaves the rest.
struct Changes {
  bool mean, slope, noise, cause_noise;
};
using Shifter = std::function<GaussianPair(const LinearGaussianWorld&, ShiftKind,
                                           const LinearGaussianPrior&, Stream)>;

GaussianPair shift_world(const LinearGaussianWorld& world, ShiftKind kind,
                         const LinearGaussianPrior& prior, Stream stream) {
  return world.shifted(kind, prior, stream);
}

Finding shifts_change_what_they_name(const Shifter& shift) {
  Finding finding;
  for (bool covariance : {false, true})
    for (const auto& [kind, expected] : std::vector<std::pair<ShiftKind, Changes>>{
             {ShiftKind::none, {false, false, false, false}},
             {ShiftKind::cause, {true, false, false, covariance}},
             {ShiftKind::effect, {false, true, true, false}},
             {ShiftKind::mechanism, {false, true, covariance, false}},
             {ShiftKind::both, {true, true, covariance, covariance}}}) {
      auto prior = LinearGaussianPrior::of(4, 8);
      prior.shift_covariance = covariance;
      const auto world = LinearGaussianWorld::draw_pair(prior, 16, 0);
      const GaussianPair &before = world.forward(),
                         after = shift(world, kind, prior, Stream(16, Purpose::shift, {}));
      const auto say = [&](bool changed, bool should, const char* what) {
        finding.require(changed == should, fmt::format("{}: {}", name_of(kind), what));
      };
      say(before.marginal.offset != after.marginal.offset, expected.mean, "mean of A");
      say(before.conditional.slope.values != after.conditional.slope.values, expected.slope,
          "slope");
      say(before.conditional.offset != after.conditional.offset, expected.slope, "offset");
      say(before.conditional.factor.values != after.conditional.factor.values, expected.noise,
          "noise of B");
      say(before.marginal.factor.values != after.marginal.factor.values, expected.cause_noise,
          "noise of A");
      if (kind == ShiftKind::effect)
        for (double x : after.conditional.slope.values)
          finding.require(x == 0, "a hard intervention cuts the slope");
    }
  return finding;
}

LAW(LinearGaussianLaws, ShiftsChangeWhatTheyName, shifts_change_what_they_name,
    {{"shifted", shift_world}},
    {{"both is only the cause",
      [](const LinearGaussianWorld& world, ShiftKind kind, const LinearGaussianPrior& prior,
         Stream stream) {
        return world.shifted(kind == ShiftKind::both ? ShiftKind::cause : kind, prior, stream);
      }},
     {"effect is soft", [](const LinearGaussianWorld& world, ShiftKind kind,
                           const LinearGaussianPrior& prior, Stream stream) {
        return world.shifted(kind == ShiftKind::effect ? ShiftKind::mechanism : kind, prior,
                             stream);
      }}});

}  // namespace
}  // namespace whence::laws
