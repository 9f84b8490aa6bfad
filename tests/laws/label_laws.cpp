// Laws of evidence from labels: its sums, Laplace's approximation, and a base without direction.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "whence/discover/labels/label_score.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"
#include "whence/evidence/labels/joint_evidence.hpp"
#include "whence/evidence/labels/logistic_evidence.hpp"
#include "whence/evidence/labels/shift_evidence.hpp"
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

/// One coefficient: labels in these shares and no features, and the same integral on a grid.
Finding laplace_is_close_in_one_dimension(
    const std::function<double(const FeatureColumns&, std::span<const float>)>& evidence) {
  Finding finding;
  const FeatureColumns x = random_columns(120, 1, 4);
  for (std::size_t ones : {12, 60, 100}) {
    AlignedFloats labels(x.stride());
    std::fill_n(labels.begin(), ones, 1.0F);
    constexpr double step = 0.01;
    const double precision = LogisticPrior{}.intercept, n = double(x.rows());
    std::vector<double> terms;
    for (double a = -8; a < 8; a += step)
      terms.push_back(-0.5 * precision * a * a + double(ones) * log_sigmoid(a) +
                      (n - double(ones)) * log_sigmoid(-a));
    const double integral =
        log_sum_exp(terms) + std::log(step) + 0.5 * std::log(precision / (2 * 3.14159265358979));
    finding.near(evidence(x, labels), integral, 0.03, fmt::format("{} ones", ones));
  }
  return finding;
}

LAW(LabelLaws, LaplaceIsCloseInOneDimension, laplace_is_close_in_one_dimension,
    {{"fit_logistic",
      [](const FeatureColumns& x, std::span<const float> labels) {
        return fit_logistic(x, labels).log_evidence;
      }}},
    {{"a prior four times as narrow",
      [](const FeatureColumns& x, std::span<const float> labels) {
        return fit_logistic(x, labels, {0.25, 0.01, 0.04}).log_evidence;
      }},
     {"the highest likelihood", [](const FeatureColumns& x, std::span<const float> labels) {
        const double a = fit_logistic(x, labels).weights[0];
        double sum = 0;
        for (std::size_t r = 0; r < x.rows(); ++r) sum += log_sigmoid(labels[r] > 0.5F ? a : -a);
        return sum;
      }}});

/// Where Newton's method starts does not matter.
Finding a_fit_does_not_depend_on_its_start(
    const std::function<LogisticFit(const LabelledRows&, std::span<const double>)>& fit) {
  Finding finding;
  for (double slope : {0.0, 1.8}) {
    const LabelledRows rows = labelled(slope);
    const LogisticFit plain = fit_logistic(rows.x, rows.labels);
    for (const std::vector<double>& start : {std::vector<double>{-2.0}, {0.5, 2.0}, {-1.0, -1.0}}) {
      const LogisticFit found = fit(rows, start);
      finding.near(found.log_evidence, plain.log_evidence, 0.02, fmt::format("slope {}", slope));
      finding.near(found.weights[1], plain.weights[1], 0.05, fmt::format("slope {}", slope));
    }
  }
  return finding;
}

LAW(LabelLaws, AFitDoesNotDependOnItsStart, a_fit_does_not_depend_on_its_start,
    {{"fit_logistic",
      [](const LabelledRows& rows, std::span<const double> start) {
        return fit_logistic(rows.x, rows.labels, {}, start);
      }}},
    {{"stays where it starts", [](const LabelledRows& rows, std::span<const double> start) {
        LogisticFit fit = fit_logistic(rows.x, rows.labels);
        fit.weights.assign(start.begin(), start.end());
        fit.weights.resize(2);
        return fit;
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

/// F is no less than any order of conditionals makes it.
Finding joint_evidence_is_the_best_order(
    const std::function<double(const JointEvidence&, const VariableSet&)>& joint) {
  Finding finding;
  const Dataset data = curved_rows();
  const CodedColumns columns(data, 0);
  const JointEvidence evidence(columns, data, 0, 1, 300, 16);
  const std::size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  double best = -INFINITY;
  for (const auto& order : orders) {
    double sum = 0;
    VariableSet before;
    for (std::size_t v : order) {
      sum += evidence.conditional(v, before);
      before.insert(v);
    }
    best = std::max(best, sum);
  }
  finding.near(joint(evidence, VariableSet().with(0).with(1).with(2)), best, 1e-6, "three");
  return finding;
}

LAW(LabelLaws, JointEvidenceIsTheBestOrder, joint_evidence_is_the_best_order,
    {{"joint",
      [](const JointEvidence& evidence, const VariableSet& set) { return evidence.joint(set); }}},
    {{"one order",
      [](const JointEvidence& evidence, const VariableSet& set) {
        double sum = 0;
        VariableSet after = set;
        set.each([&](std::size_t v) {
          after.erase(v);
          sum += evidence.conditional(v, after);
        });
        return sum;
      }},
     {"independent", [](const JointEvidence& evidence, const VariableSet& set) {
        double sum = 0;
        set.each([&](std::size_t v) { sum += evidence.conditional(v, {}); });
        return sum;
      }}});

/// x causes y by a curve, y causes z; x moves in one environment, the mechanism of z in another.
Dataset shifted_rows(double scale, double offset) {
  Stream stream(24, Purpose::tests, {3, 0, 0});
  Dataset data;
  data.columns.resize(3);
  for (const char* name : {"x", "y", "z"})
    data.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  std::size_t at = 0;
  for (std::size_t e = 0; e < 3; ++e) {
    const std::size_t rows = e == 0 ? 400 : 150;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = (e == 1 ? 1.5 : 0) + sample_normal(stream);
      const double y = std::tanh(x) + 0.3 * sample_normal(stream);
      const double z = (e == 2 ? -1 : 1) * y + 0.5 * sample_normal(stream);
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(scale * y + offset);
      data.columns[2].values.push_back(z);
    }
    data.environments.push_back({fmt::format("e{}", e), at, at + rows});
    at += rows;
  }
  return data;
}

/// What an evidence says of a data set, in numbers.
using Readings = std::function<std::vector<double>(const Dataset&)>;

std::vector<double> shift_readings(const Dataset& data) {
  const CodedColumns columns(data, 0);
  const ShiftEvidence shift(columns, data, 0, 1);
  std::vector<double> list;
  for (std::size_t e = 0; e < 2; ++e) {
    list.push_back(shift.change(1, VariableSet().with(0), e));
    list.push_back(shift.change(2, VariableSet().with(1), e));
    list.push_back(shift.labels(VariableSet().with(0).with(1), e));
    list.push_back(shift.drifted(2, VariableSet().with(1), e).log_odds[3]);
  }
  return list;
}

std::vector<double> link_readings(const Dataset& data) {
  const CodedColumns columns(data, 0);
  const JointEvidence joint(columns, data, 0, 1, 400, 16);
  const auto x = VariableSet().with(0), y = VariableSet().with(1);
  return {joint.joint(x | y) - joint.joint(x) - joint.joint(y), joint.linear_gain(1, {}, 0),
          joint.joint(y.with(2)) - joint.joint(y)};
}

Finding units_do_not_matter(const Readings& readings) {
  Finding finding;
  const std::vector<double> plain = readings(shifted_rows(1, 0));
  for (const auto& [scale, offset] : {std::pair{1000.0, -5.0}, {0.01, 3.0}, {-2.0, 0.0}}) {
    const std::vector<double> other = readings(shifted_rows(scale, offset));
    // A mirror image has other random waves and other logarithms: about the same.
    const double tolerance = scale > 0 ? 0.05 : 10;
    for (std::size_t k = 0; k < plain.size(); ++k)
      finding.near(other[k], plain[k], tolerance, fmt::format("scale {}, number {}", scale, k));
  }
  return finding;
}

LAW(LabelLaws, UnitsDoNotMatter, units_do_not_matter,
    {{"shift evidence", shift_readings}, {"joint evidence", link_readings}},
    {{"the mean of a column", [](const Dataset& data) {
        double sum = 0;
        for (double y : data.columns[1].values) sum += y;
        return std::vector<double>{sum};
      }}});

/// Score of "0 causes 1", and of no link, under some prices.
struct ScoredFamilies {
  double caused, alone;     // scores
  double gained, per_link;  // what dependence adds untempered, and what a link costs besides
  double shifts_of_caused, shifts_of_alone;
  double rows;
};

ScoredFamilies scored(double counted_rows) {
  const Dataset data = shifted_rows(1, 0);
  const CodedColumns columns(data, 0);
  const ShiftEvidence shift(columns, data, 0, 1);
  const JointEvidence joint(columns, data, 0, 1, 400, 16);
  LabelPrices prices;
  prices.counted_rows = counted_rows;
  const LabelScore score(joint, shift, prices);
  const auto x = VariableSet().with(0);
  const LabelFamily caused{x, x};
  const auto sum = [&](const LabelFamily& family) {
    double all = 0;
    for (double term : score.by_environment(1, family)) all += term;
    return all;
  };
  return {
      score.family(1, caused),
      score.family(1, {}),
      score.link_gain(1, x) - score.link_gain(1, {}) - prices.link_per_row * double(joint.rows()),
      std::log(2.0),
      sum(caused),
      sum({}),
      double(joint.rows())};
}

/// What a link gains is what dependence gains at the weight of that many rows, and what shifts say.
Finding tempering_weighs_dependence_alone(const std::function<double(double, double)>& weight) {
  Finding finding;
  for (double counted : {1e-9, 100.0, 400.0, 1e9}) {
    const ScoredFamilies s = scored(counted);
    const double expected =
        weight(counted, s.rows) * s.gained - s.per_link + s.shifts_of_caused - s.shifts_of_alone;
    finding.near(s.caused - s.alone, expected, 1e-6, fmt::format("{} rows", counted));
  }
  return finding;
}

LAW(LabelLaws, TemperingWeighsDependenceAlone, tempering_weighs_dependence_alone,
    {{"the share of the rows that count",
      [](double counted, double rows) { return std::min(1.0, counted / rows); }}},
    {{"never tempered", [](double, double) { return 1.0; }},
     {"more than all rows", [](double counted, double rows) { return counted / rows; }}});

/// A floor saves work and changes nothing above it.
Finding floors_change_nothing_above_them(
    const std::function<double(const LabelScore&, double, std::size_t, const LabelFamily&)>&
        above) {
  Finding finding;
  const Dataset data = shifted_rows(1, 0);
  const CodedColumns columns(data, 0);
  const ShiftEvidence shift(columns, data, 0, 1);
  const JointEvidence joint(columns, data, 0, 1, 400, 16);
  const LabelScore exact(joint, shift);
  for (std::size_t child = 0; child < 3; ++child)
    for (std::size_t kind = 0; kind < 16; ++kind) {
      const std::size_t a = child == 0 ? 1 : 0, b = child == 2 ? 1 : 2;
      LabelFamily family;
      if (kind & 1) family.causes.insert(a);
      if (kind & 2) family.linked.insert(a);
      if (kind & 4) family.causes.insert(b);
      if (kind & 8) family.linked.insert(b);
      const double value = exact.family(child, family);
      finding.at_most(value, exact.family_at_most(child, family) + 1e-9, "shifts only take away");
      for (double distance : {-30.0, -3.0, -0.1, 0.1, 3.0, 30.0}) {
        const LabelScore fresh(joint, shift);  // nothing remembered
        const double found = above(fresh, value + distance, child, family);
        if (distance < 0)
          finding.near(found, value, 1e-9, fmt::format("child {} kind {}", child, kind));
        else
          finding.at_most(found, value + distance, fmt::format("child {} kind {}", child, kind));
      }
    }
  return finding;
}

LAW(LabelLaws, FloorsChangeNothingAboveThem, floors_change_nothing_above_them,
    {{"family_above",
      [](const LabelScore& score, double floor, std::size_t child, const LabelFamily& family) {
        return score.family_above(floor, child, family);
      }}},
    {{"without shifts",
      [](const LabelScore& score, double, std::size_t child, const LabelFamily& family) {
        return score.family_at_most(child, family);
      }},
     {"stops too early",
      [](const LabelScore& score, double floor, std::size_t child, const LabelFamily& family) {
        return score.family_above(floor + 2, child, family) <= floor + 2 ? floor : floor + 2;
      }}});

}  // namespace
}  // namespace whence::laws
