// Laws of evidence from labels: its sums, Laplace's approximation, and a base without direction.
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"
#include "whence/evidence/labels/joint_evidence.hpp"
#include "whence/evidence/labels/logistic_evidence.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence::laws {
namespace {

FeatureColumns random_columns(std::size_t rows, std::size_t columns, std::uint32_t run) {
  Stream stream(21, Purpose::tests, {run, 0, 0});
  FeatureColumns x(rows, columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t r = 0; r < rows; ++r)
      x.column(j)[r] = j == 0 ? 1.0F : float(sample_normal(stream));
  return x;
}

using Gram = std::function<void(const FeatureColumns&, const float*, std::span<double>)>;

/// Sums in double, row by row.
Finding gram_is_the_sum_of_products(const Gram& gram) {
  Finding finding;
  for (std::size_t rows : {7, 64, 133}) {
    const FeatureColumns x = random_columns(rows, 5, std::uint32_t(rows));
    AlignedFloats weight(x.stride());
    for (std::size_t r = 0; r < rows; ++r) weight[r] = 0.1F + float(r % 3);
    std::vector<double> found(25);
    gram(x, weight.data(), found);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        double sum = 0;
        for (std::size_t r = 0; r < rows; ++r)
          sum += double(x.column(i)[r]) * double(x.column(j)[r]) * double(weight[r]);
        finding.near(found[i * 5 + j], sum, 1e-4 * double(rows), fmt::format("{} {}", i, j));
      }
  }
  return finding;
}

LAW(LabelLaws, GramIsTheSumOfProducts, gram_is_the_sum_of_products,
    {{"gram_matrix", [](const FeatureColumns& x, const float* w,
                        std::span<double> out) { gram_matrix(x, w, out); }}},
    {{"without weights", [](const FeatureColumns& x, const float*,
                            std::span<double> out) { gram_matrix(x, nullptr, out); }},
     {"one row short", [](const FeatureColumns& x, const float* w, std::span<double> out) {
        AlignedFloats fewer(w, w + x.stride());
        fewer[x.rows() - 1] = 0;
        gram_matrix(x, fewer.data(), out);
      }}});

struct LabelledRows {
  FeatureColumns x;
  AlignedFloats labels;
};

LabelledRows labelled(double slope) {
  LabelledRows rows{random_columns(160, 2, 3), {}};
  rows.labels.resize(rows.x.stride());
  Stream stream(22, Purpose::tests, {1, 0, 0});
  for (std::size_t r = 0; r < rows.x.rows(); ++r)
    rows.labels[r] =
        stream.uniform() < sigmoid(slope * double(rows.x.column(1)[r]) - 0.4) ? 1.0F : 0.0F;
  return rows;
}

/// The same integral on a fine grid, with the prior that the header states.
double by_quadrature(const LabelledRows& rows, const LogisticPrior& prior) {
  const std::size_t n = rows.x.rows();
  double mean = 0, square = 0;
  for (std::size_t r = 0; r < n; ++r) {
    mean += rows.x.column(1)[r];
    square += double(rows.x.column(1)[r]) * double(rows.x.column(1)[r]);
  }
  mean /= double(n);
  const double variance = square / double(n) - mean * mean;
  const double precision[] = {prior.intercept,
                              prior.strength * variance * (1 + prior.ridge) + 1e-4};
  constexpr double step = 0.08;
  std::vector<double> terms;
  for (double a = -3; a < 3; a += step)
    for (double b = -3; b < 5; b += step) {
      double sum = -0.5 * (precision[0] * a * a + precision[1] * b * b);
      for (std::size_t r = 0; r < n; ++r) {
        const double z = a + b * double(rows.x.column(1)[r]);
        sum += log_sigmoid(rows.labels[r] > 0.5F ? z : -z);
      }
      terms.push_back(sum);
    }
  return log_sum_exp(terms) + 2 * std::log(step) - std::log(2 * 3.14159265358979) +
         0.5 * std::log(precision[0] * precision[1]);
}

using Evidence = std::function<double(const LabelledRows&)>;

Finding laplace_is_close_to_the_integral(const Evidence& evidence) {
  Finding finding;
  for (double slope : {0.0, 0.7, 1.8}) {
    const LabelledRows rows = labelled(slope);
    finding.near(evidence(rows), by_quadrature(rows, {}), 0.05, fmt::format("slope {}", slope));
  }
  return finding;
}

LAW(LabelLaws, LaplaceIsCloseToTheIntegral, laplace_is_close_to_the_integral,
    {{"fit_logistic",
      [](const LabelledRows& rows) { return fit_logistic(rows.x, rows.labels).log_evidence; }}},
    {{"a prior four times as narrow",
      [](const LabelledRows& rows) {
        return fit_logistic(rows.x, rows.labels, {1.0, 0.01, 0.01}).log_evidence;
      }},
     {"the curvature forgotten", [](const LabelledRows& rows) {
        return fit_logistic(rows.x, rows.labels).log_evidence + 0.5 * std::log(double(160));
      }}});

/// A step from the smaller fit, where the new feature matters little.
Finding one_step_is_close_where_gains_are_small(
    const std::function<double(const FeatureColumns&, const LogisticFit&, std::span<const float>)>&
        gain) {
  Finding finding;
  for (double slope : {0.0, 0.3}) {
    const LabelledRows rows = labelled(slope);
    FeatureColumns constant(rows.x.rows(), 1);
    std::fill_n(constant.column(0), rows.x.rows(), 1.0F);
    const LogisticFit small = fit_logistic(constant, rows.labels);
    const double full = fit_logistic(rows.x, rows.labels).log_evidence;
    finding.near(gain(rows.x, small, rows.labels), full - small.log_evidence, 0.4,
                 fmt::format("slope {}", slope));
  }
  return finding;
}

LAW(LabelLaws, OneStepIsCloseWhereGainsAreSmall, one_step_is_close_where_gains_are_small,
    {{"gain_of_more", [](const FeatureColumns& x, const LogisticFit& fit,
                         std::span<const float> labels) { return gain_of_more(x, fit, labels); }}},
    {{"a prior four times as narrow",
      [](const FeatureColumns& x, const LogisticFit& fit, std::span<const float> labels) {
        return gain_of_more(x, fit, labels, {1.0, 0.01, 0.01});
      }},
     {"no price for a feature",
      [](const FeatureColumns& x, const LogisticFit& fit, std::span<const float> labels) {
        return gain_of_more(x, fit, labels) + 0.5 * std::log(double(x.rows()) / 4);
      }}});

/// y is a square of x, z a noisy copy of y: a family that flatters one direction would show here.
Dataset curved_rows() {
  Stream stream(23, Purpose::tests, {2, 0, 0});
  Dataset data;
  data.columns.resize(3);
  for (const char* name : {"x", "y", "z"})
    data.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  constexpr std::size_t rows = 300;
  for (std::size_t r = 0; r < rows; ++r) {
    const double x = sample_normal(stream), y = x * x + 0.3 * sample_normal(stream);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back(y);
    data.columns[2].values.push_back(y + 0.5 * sample_normal(stream));
  }
  data.environments.push_back({"baseline", 0, rows});
  return data;
}

using FamilyEvidence = std::function<double(const JointEvidence&, std::size_t, const VariableSet&)>;

/// Turning a covered edge round leaves the score of a graph as it was.
Finding markov_equivalent_graphs_score_alike(const FamilyEvidence& evidence) {
  Finding finding;
  const Dataset data = curved_rows();
  const CodedColumns columns(data, 0);
  const JointEvidence joint(columns, data, 0, 1, 300, 16);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (bool third : {false, true}) {
        VariableSet common;
        if (third) common.insert(3 - a - b);
        const double forward = evidence(joint, a, common) + evidence(joint, b, common.with(a));
        const double backward = evidence(joint, b, common) + evidence(joint, a, common.with(b));
        finding.near(forward, backward, 1e-6, fmt::format("{} {} {}", a, b, third));
      }
  return finding;
}

LAW(LabelLaws, MarkovEquivalentGraphsScoreAlike, markov_equivalent_graphs_score_alike,
    {{"joint evidence",
      [](const JointEvidence& joint, std::size_t i, const VariableSet& given) {
        return joint.joint(given.with(i)) - joint.joint(given);
      }}},
    {{"conditional evidence",
      [](const JointEvidence& joint, std::size_t i, const VariableSet& given) {
        return joint.conditional(i, given);
      }}});

}  // namespace
}  // namespace whence::laws
