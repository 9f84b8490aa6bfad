// Laws of encoders: evidence that is a probability, answers that turn with the data, and none where
// nothing changed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "whence/discover/encoder/find_rotation.hpp"
#include "whence/discover/encoder/find_unmixing.hpp"
#include "whence/math/logspace.hpp"
#include "whence/worlds/mixed_world.hpp"

namespace whence::laws {
namespace {

constexpr double pi = std::numbers::pi;

// ---- Laplace's approximation against an integral ------------------------------------------------

struct LabelProblem {
  ScoreCounts environment{}, reference{};
  double variance = 1;
  std::size_t function = 0;  // the only one whose coefficient may differ from 0
};
using Evidence = std::function<double(const LabelProblem&)>;

LabelProblem label_problem(double shift, double rows, double variance, std::size_t function) {
  LabelProblem problem{{}, {}, variance, function};
  for (std::size_t k = 0; k < score_cells; ++k) {
    const double x = score_limit * (2.0 * double(k) / double(score_cells - 1) - 1);
    problem.reference[k] = rows * 0.05 * std::exp(-0.5 * x * x);
    problem.environment[k] = rows * 0.05 * std::exp(-0.5 * (x - shift) * (x - shift));
  }
  return problem;
}

double total(const ScoreCounts& counts) {
  double sum = 0;
  for (double n : counts) sum += n;
  return sum;
}

/// log P(labels | coefficient), the intercept at its best, against labels that depend on nothing.
double profiled(const LabelProblem& p, double w) {
  const double n = total(p.environment), m = total(p.reference), offset = std::log(n / m);
  const auto value = [&](double intercept) {
    double sum = 0, slope = 0, bend = 0;
    for (std::size_t k = 0; k < score_cells; ++k) {
      const double s = offset + intercept + w * score_basis()[k][p.function];
      const double all = p.environment[k] + p.reference[k], q = sigmoid(s);
      sum += p.environment[k] * s - all * (std::max(s, 0.0) + std::log1p(std::exp(-std::abs(s))));
      slope += p.environment[k] - all * q;
      bend += all * q * (1 - q);
    }
    return std::array{sum, slope, bend};
  };
  double b = 0;
  for (int i = 0; i < 15; ++i) {
    const auto [sum, slope, bend] = value(b);
    b += std::clamp(slope / bend, -1.0, 1.0);
  }
  return value(b)[0] - (n * offset - (n + m) * std::log1p(std::exp(offset)));
}

/// The integral over the coefficient, by a fine sum.
double integrated(const LabelProblem& p) {
  constexpr int steps = 400;
  std::vector<double> terms;
  const double reach = 8 * std::sqrt(p.variance), step = 2 * reach / steps;
  for (int i = 0; i <= steps; ++i) {
    const double w = -reach + step * i;
    terms.push_back(profiled(p, w) - 0.5 * w * w / p.variance -
                    0.5 * std::log(2 * pi * p.variance) + std::log(step));
  }
  return log_sum_exp(terms);
}

ScoreFit fit_of(const LabelProblem& p, double variance) {
  ScoreWeights variances;
  variances.fill(1e-12);
  variances[p.function] = variance;
  return fit_scores(p.environment, p.reference, variances);
}

Finding laplace_is_near_the_integral(const Evidence& evidence) {
  Finding finding;
  for (const double shift : {0.0, 0.15, 0.6})
    for (const std::size_t function : {std::size_t(0), std::size_t(2)}) {
      const LabelProblem p = label_problem(shift, 400, 1, function);
      finding.near(evidence(p), integrated(p), 0.05,
                   fmt::format("shift {}, function {}", shift, function));
    }
  return finding;
}

LAW(EncoderLaws, LaplaceIsNearTheIntegral, laplace_is_near_the_integral,
    {{"fit_scores", [](const LabelProblem& p) { return fit_of(p, p.variance).log_evidence; }}},
    {{"the height alone, without the width",
      [](const LabelProblem& p) {
        const ScoreFit fit = fit_of(p, p.variance);
        const double w = fit.coefficients[p.function];
        return profiled(p, w) - 0.5 * w * w / p.variance;
      }},
     {"another prior",
      [](const LabelProblem& p) { return fit_of(p, 25 * p.variance).log_evidence; }}});

// ---- rotations ----------------------------------------------------------------------------------

using Points = std::vector<PlanePoints>;
using Finder = std::function<RotationAnswer(const Points&)>;

Points points_of(MixedShift shift, std::uint32_t run, std::size_t environments = 8) {
  MixedSpec spec;
  spec.shift = shift;
  spec.environments = environments;
  spec.rows = 400;
  spec.baseline_rows = 1500;
  const MixedWorld world = draw_mixed_world(spec, 31, run);
  Points points;
  for (const Environment& e : world.data.environments) {
    PlanePoints& here = points.emplace_back();
    for (std::size_t i = e.begin; i < e.end; ++i) {
      here.x.push_back(world.data.columns[0].values[i]);
      here.y.push_back(world.data.columns[1].values[i]);
    }
  }
  return points;
}

Points turned(Points points, double by) {
  const double c = std::cos(by), s = std::sin(by);
  for (PlanePoints& p : points)
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      const double x = p.x[i], y = p.y[i];
      p.x[i] = c * x - s * y;
      p.y[i] = s * x + c * y;
    }
  return points;
}

double apart(double a, double b) { return std::abs(std::remainder(a - b, pi)); }

RotationAnswer plain(const Points& points) { return find_rotation(points); }

Finding turns_with_the_data(const Finder& find) {
  Finding finding;
  for (const MixedShift shift : {MixedShift::cause, MixedShift::mixed}) {
    const Points points = points_of(shift, 1);
    const double angle = find(points).angle;
    for (const double by : {0.7, 2.1})
      finding.at_most(apart(find(turned(points, by)).angle, angle + by), 0.01,
                      fmt::format("{} shifts, turned by {}", name_of(shift), by));
  }
  return finding;
}

LAW(EncoderLaws, TheAngleTurnsWithTheData, turns_with_the_data, {{"find_rotation", plain}},
    {{"one answer for all",
      [](const Points& points) {
        RotationAnswer answer = plain(points);
        answer.angle = 0.4;
        return answer;
      }},
     {"cause and effect confused", [](const Points& points) {
        RotationAnswer answer = plain(points);
        answer.angle = std::fmod(answer.angle, pi / 2);
        return answer;
      }}});

Finding order_does_not_matter(const Finder& find) {
  Finding finding;
  const Points points = points_of(MixedShift::some, 2, 10);
  const RotationAnswer answer = find(points);
  Points reversed = points;
  std::reverse(reversed.begin() + 1, reversed.end());
  RotationAnswer back = find(reversed);
  finding.at_most(apart(back.angle, answer.angle), 1e-6, "environments reversed: the angle");
  std::reverse(back.changes.begin(), back.changes.end());
  finding.require(back.changes.size() == answer.changes.size(), "environments reversed: how many");
  for (std::size_t e = 0; finding.holds() && e < back.changes.size(); ++e)
    for (std::size_t k = 0; k < plane_changes; ++k)
      finding.near(back.changes[e][k], answer.changes[e][k], 1e-6,
                   "environments reversed: changes");
  Points swapped = points;
  for (PlanePoints& p : swapped) std::swap(p.x, p.y);
  finding.at_most(apart(find(swapped).angle, pi / 2 - answer.angle), 0.01, "columns exchanged");
  return finding;
}

LAW(EncoderLaws, TheOrderDoesNotMatter, order_does_not_matter, {{"find_rotation", plain}},
    {{"only the first environments count",
      [](const Points& points) { return plain(Points(points.begin(), points.begin() + 4)); }},
     {"always a little further to the left", [](const Points& points) {
        RotationAnswer answer = plain(points);
        answer.angle += 0.1;
        return answer;
      }}});

Finding nothing_is_found_in_nothing(const Finder& find) {
  Finding finding;
  for (std::uint32_t run = 0; run < 6; ++run) {
    const RotationAnswer answer = find(points_of(MixedShift::none, run));
    finding.require(answer.shifted() == 0 && answer.width > 1 && answer.direction == 0.5,
                    fmt::format("world {} without a shift", run));
  }
  return finding;
}

LAW(EncoderLaws, NothingIsFoundWhereNothingChanged, nothing_is_found_in_nothing,
    {{"find_rotation", plain}}, {{"no gate", [](const Points& points) {
                                    RotationSearch how;
                                    how.gate = -1e9;
                                    return find_rotation(points, how);
                                  }}});

// ---- matrices -----------------------------------------------------------------------------------

using Unmixer = std::function<UnmixingAnswer(const std::vector<Matrix>&)>;

std::vector<Matrix> rows_of(const MixedSpec& spec, std::uint32_t run) {
  const MixedWorld world = draw_mixed_world(spec, 32, run);
  std::vector<Matrix> rows;
  for (const Environment& e : world.data.environments) {
    Matrix& here = rows.emplace_back(e.rows(), spec.latents);
    for (std::size_t i = 0; i < e.rows(); ++i)
      for (std::size_t j = 0; j < spec.latents; ++j)
        here(i, j) = world.data.columns[j].values[e.begin + i];
  }
  return rows;
}

UnmixingAnswer unmix(const std::vector<Matrix>& rows) { return find_unmixing(rows); }

Finding weights_go_with_their_columns(const Unmixer& find) {
  Finding finding;
  MixedSpec spec{.mixing = Mixing::linear, .shift = MixedShift::hard, .latents = 3};
  spec.rows = 400;
  spec.baseline_rows = 800;
  spec.unchanged = spec.double_targets = 0;
  spec.most = 2;
  const std::vector<Matrix> rows = rows_of(spec, 3);
  std::vector<Matrix> other = rows;
  for (std::size_t e = 0; e < rows.size(); ++e)
    for (std::size_t i = 0; i < rows[e].rows; ++i)
      for (std::size_t j = 0; j < 3; ++j) other[e](i, (j + 1) % 3) = 10 * rows[e](i, j);
  const UnmixingAnswer straight = find(rows), moved = find(other);
  finding.require(!straight.rows.empty() && straight.rows.size() == moved.rows.size(),
                  "as many rows");
  for (std::size_t k = 0; finding.holds() && k < straight.rows.size(); ++k) {
    const auto &a = straight.rows[k].weights, &b = moved.rows[k].weights;
    const double sign = a[0] * b[1] < 0 ? -1 : 1;
    for (std::size_t j = 0; j < 3; ++j)
      finding.near(10 * sign * b[(j + 1) % 3], a[j], 0.03 * (1 + std::abs(a[j])),
                   fmt::format("row {}, column {}", k, j));
  }
  return finding;
}

LAW(EncoderLaws, WeightsGoWithTheirColumns, weights_go_with_their_columns,
    {{"find_unmixing", unmix}}, {{"weights sorted", [](const std::vector<Matrix>& rows) {
                                    UnmixingAnswer answer = unmix(rows);
                                    for (LatentRow& row : answer.rows)
                                      std::sort(row.weights.begin(), row.weights.end());
                                    return answer;
                                  }}});

Finding no_rows_without_a_change(const Unmixer& find) {
  Finding finding;
  MixedSpec spec{.mixing = Mixing::linear, .shift = MixedShift::none, .latents = 4};
  spec.rows = 300;
  spec.baseline_rows = 800;
  for (std::uint32_t run = 0; run < 5; ++run)
    finding.require(find(rows_of(spec, run)).rows.empty(), fmt::format("world {}", run));
  return finding;
}

LAW(EncoderLaws, NoRowsWithoutAChange, no_rows_without_a_change, {{"find_unmixing", unmix}},
    {{"the columns themselves", [](const std::vector<Matrix>& rows) {
        UnmixingAnswer answer = unmix(rows);
        answer.rows.emplace_back().weights.assign(rows[0].columns, 1.0);
        return answer;
      }}});

}  // namespace
}  // namespace whence::laws
