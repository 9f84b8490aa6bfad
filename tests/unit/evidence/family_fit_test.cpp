// What a step of a cause does: the fitted change against the truth it was simulated from.
#include "whence/evidence/family_fit.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// x and z are correlated; y = f(x, z) + noise that grows with |x|.
Dataset simulated(std::size_t rows, std::uint32_t run,
                  const std::function<double(double, double)>& f) {
  Dataset data;
  for (const char* name : {"x", "z", "y"}) data.variables.push_back({name, Variable::Kind::real});
  data.columns.resize(3);
  Stream stream(7, Purpose::tests, {run});
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = sample_normal(stream), z = 0.7 * x + 0.7 * sample_normal(stream);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back(z);
    data.columns[2].values.push_back(f(x, z) + (0.5 + 0.5 * std::abs(x)) * sample_normal(stream));
  }
  data.environments = {{"all", 0, rows}};
  return data;
}

std::vector<std::size_t> all_rows(const Dataset& data) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), std::size_t(0));
  return rows;
}

EffectSize effect(const Dataset& data, std::vector<std::size_t> causes, bool flexible,
                  std::size_t cause = 0) {
  const FamilyFit fit(data, 2, std::move(causes), all_rows(data), {}, flexible);
  return fit.effect_of(cause).value();
}

double line(double x, double z) { return 2 * x - 3 * z; }

/// How often the range holds the true change, over repeated data.
double coverage(const std::vector<std::size_t>& causes, bool flexible) {
  constexpr int runs = 200;
  int held = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const EffectSize size = effect(simulated(200, run, line), causes, flexible);
    const double truth = 2 * (size.end - size.start);
    held += size.low < truth && truth < size.high;
  }
  return double(held) / runs;
}

TEST(FamilyFit, RangesHoldTheTruthAsOftenAsTheySay) {
  EXPECT_GT(coverage({0, 1}, false), 0.90);
  EXPECT_LT(coverage({0, 1}, false), 0.99);
  EXPECT_GT(coverage({0, 1}, true), 0.85);
  // A cause that is left out must show: the law notices a fit that forgets the other causes.
  EXPECT_LT(coverage({0}, false), 0.2);
}

TEST(FamilyFit, AStepIsOneStandardDeviationWhateverTheUnit) {
  Dataset data = simulated(2000, 1, line);
  const EffectSize size = effect(data, {0, 1}, false);
  EXPECT_NEAR(size.end - size.start, 1, 0.1);
  EXPECT_NEAR(size.change, 2, 0.2);
  for (double& x : data.columns[0].values) x = 1000 * x + 7;
  const EffectSize other = effect(data, {0, 1}, false);
  EXPECT_NEAR(other.change, size.change, 1e-6);
  EXPECT_NEAR(other.end - other.start, 1000 * (size.end - size.start), 1e-6);
}

TEST(FamilyFit, AFlexibleFitFollowsABend) {
  const auto bend = [](double x, double z) { return 3 * std::max(0.0, x) + z; };
  const EffectSize size = effect(simulated(4000, 2, bend), {0, 1}, true);
  EXPECT_NEAR(size.change, 1.5, 0.35) << "half of the step lies where nothing happens";
  EXPECT_FALSE(size.turns);
  const auto bowl = [](double x, double z) { return x * x + z; };
  EXPECT_TRUE(effect(simulated(4000, 3, bowl), {0, 1}, true).turns);
  EXPECT_NEAR(effect(simulated(4000, 3, bowl), {0, 1}, true).change, 0, 0.2);
}

TEST(FamilyFit, AProductIsAveragedOverTheOtherCause) {
  const auto product = [](double x, double z) { return x * (5 + z); };
  EXPECT_NEAR(effect(simulated(4000, 4, product), {0, 1}, true).change, 5, 0.4);
}

TEST(FamilyFit, LevelsStepFromTheUsualOne) {
  Dataset data = simulated(3000, 5, line);
  data.variables[0] = {"x", Variable::Kind::categorical, 3, 1, {"calm", "windy", "storm"}};
  data.variables[2] = {"y", Variable::Kind::categorical, 2, 1, {"shut", "open"}};
  Stream stream(8, Purpose::tests, {0});
  for (std::size_t i = 0; i < 3000; ++i) {
    const double u = data.columns[0].values[i];
    const int wind = u < 0.5 ? 0 : u < 1.2 ? 1 : 2;
    data.columns[0].levels.push_back(wind);
    data.columns[2].levels.push_back(stream.uniform() < 0.8 - 0.3 * wind ? 1 : 0);
  }
  data.columns[0].values.clear();
  data.columns[2].values.clear();
  const EffectSize size = effect(data, {0, 1}, true);
  EXPECT_EQ(size.start_level, "calm");
  EXPECT_EQ(size.end_level, "storm");
  EXPECT_EQ(size.level, "open");
  EXPECT_NEAR(size.change, -0.6, 0.1);
  EXPECT_LT(size.low, size.change);
  EXPECT_GT(size.high, size.change);
}

TEST(FamilyFit, SaysNothingWhereNothingCanBeSaid) {
  Dataset data = simulated(6, 6, line);
  EXPECT_FALSE(FamilyFit(data, 2, {0, 1}, all_rows(data), {}, true).usable()) << "too few rows";
  EXPECT_FALSE(FamilyFit(data, 2, {0, 1}, {}, {}, false).usable());
  data = simulated(100, 7, line);
  data.columns[0].values.assign(100, 4.0);
  const FamilyFit fit(data, 2, {0, 1}, all_rows(data), {}, false);
  EXPECT_FALSE(fit.effect_of(0).has_value()) << "a constant does not step";
  EXPECT_TRUE(fit.effect_of(1).has_value());
}

TEST(FamilyFit, PointsOfThePictureLieAroundTheFit) {
  const Dataset data = simulated(1000, 8, line);
  const FamilyFit fit(data, 2, {0, 1}, all_rows(data), {}, false);
  double sum = 0;
  for (std::size_t row = 0; row < 1000; ++row)
    sum += fit.adjusted(0, row) - fit.at(0, fit.value_of(0, row)).y;
  EXPECT_NEAR(sum / 1000, 0, 1e-6);
  EXPECT_NEAR(fit.at(0, 2).y - fit.at(0, 0).y, 4, 0.4) << "the other cause stays where it is";
}

}  // namespace
}  // namespace whence
