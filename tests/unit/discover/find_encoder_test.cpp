#include "whence/discover/encoder/find_encoder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/encoder_evaluation.hpp"
#include "whence/math/random.hpp"
#include "whence/report/encoder_report.hpp"

namespace whence {
namespace {

MixedSpec small_rotation(MixedShift shift = MixedShift::mixed) {
  MixedSpec spec;
  spec.shift = shift;
  spec.environments = 8;
  spec.rows = 400;
  spec.baseline_rows = 2000;
  return spec;
}

MixedSpec small_matrix(MixedShift shift = MixedShift::hard) {
  MixedSpec spec{.mixing = Mixing::linear, .shift = shift, .latents = 3};
  spec.splines = false;
  spec.rows = 500;
  spec.baseline_rows = 1000;
  spec.most = 2;
  spec.unchanged = 1;
  spec.double_targets = 0;
  return spec;
}

std::string id_of(const Dataset& data, const EncoderOptions& options = {}) {
  try {
    find_encoder(data, options);
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

EncoderEvaluation judged(const MixedSpec& spec, const MixedWorld& world,
                         const EncoderAnswer& answer) {
  return evaluate_encoder(encoder_json(answer, {world.data.variables, {}, Json::object()}),
                          "result", mixed_truth_json(spec, world, 5), "truth");
}

TEST(FindEncoder, MoreThanCanBeUnmixedIsRefusedAtOnce) {
  Dataset data;
  Stream stream(71, Purpose::tests, {0, 0, 0});
  for (std::size_t v = 0; v < 101; ++v) {
    data.variables.push_back({"x" + std::to_string(v), Variable::Kind::real, 0, 1, {}});
    Column& column = data.columns.emplace_back();
    for (std::size_t r = 0; r < 450; ++r) column.values.push_back(sample_normal(stream));
  }
  data.environments = {{"a", 0, 150}, {"b", 150, 300}, {"c", 300, 450}};
  EXPECT_EQ(id_of(data), "E-LIMIT-VARIABLES");
  data.variables.resize(60), data.columns.resize(60);
  EncoderOptions options;
  options.max_memory = std::size_t(10) << 20;  // 1,890 products
  EXPECT_EQ(id_of(data, options), "E-LIMIT-MEMORY");
}

TEST(FindEncoder, UndoesARotation) {
  const MixedSpec spec = small_rotation();
  const MixedWorld world = draw_mixed_world(spec, 5, 0);
  const EncoderAnswer answer = find_encoder(world.data);
  EXPECT_EQ(answer.verdict, EncoderVerdict::encoder);
  const EncoderEvaluation e = judged(spec, world, answer);
  EXPECT_LT(*e.angle_error, 0.05);
  EXPECT_TRUE(*e.direction);
  EXPECT_EQ(e.above, 2u);
  EXPECT_GE(e.right, 6u);
  EXPECT_LT(e.floor, e.correlation);
}

TEST(FindEncoder, UndoesAMatrix) {
  const MixedSpec spec = small_matrix();
  const MixedWorld world = draw_mixed_world(spec, 5, 1);
  const EncoderAnswer answer = find_encoder(world.data);
  const EncoderEvaluation e = judged(spec, world, answer);
  EXPECT_EQ(e.rows, 3u);
  EXPECT_EQ(e.above, 3u) << e.correlation;
}

// ---- sensors ------------------------------------------------------------------------------------

MixedSpec five_sensors(SensorKind kind) {
  MixedSpec spec{.mixing = Mixing::linear, .shift = MixedShift::hard, .latents = 3};
  spec.splines = false;
  spec.links = 0;
  spec.columns = 5;
  spec.sensors = kind;
  spec.least = spec.most = 1;
  spec.unchanged = spec.double_targets = 0;
  spec.baseline_rows = 2000;
  return spec;
}

TEST(FindEncoder, RowsOfNoisySensorsComeNearTheBestLinearOnes) {
  for (const SensorKind kind : {SensorKind::additive, SensorKind::multiplicative}) {
    const MixedSpec spec = five_sensors(kind);
    const MixedWorld world = draw_mixed_world(spec, 5, 0);
    EncoderOptions options;
    options.latents = 3;
    const EncoderAnswer answer = find_encoder(world.data, options);
    const EncoderEvaluation e = judged(spec, world, answer);
    EXPECT_EQ(e.rows, 3u);
    EXPECT_GT(e.correlation, 0.97) << name_of(kind);  // with the nearest rows, not the latents
    EXPECT_EQ(std::count_if(answer.latents.begin(), answer.latents.end(),
                            [](const FoundLatent& l) { return l.kind == LatentKind::latent; }),
              0);
  }
}

/// Three latents that all sensors show through two sums: u = a + c / 2 and v = b + c / 2.
Dataset two_channels(std::size_t rows) {
  Dataset data;
  Stream stream(7, Purpose::tests, {0, 0, 0});
  for (const char* name : {"s1", "s2", "s3", "s4"})
    data.variables.push_back({name, Variable::Kind::real});
  data.columns.resize(4);
  for (std::size_t e = 0; e < 4; ++e) {
    data.environments.push_back(
        {e == 0 ? "baseline" : "shift" + std::to_string(e), e * rows, (e + 1) * rows});
    for (std::size_t i = 0; i < rows; ++i) {
      std::array<double, 3> latent{};
      for (std::size_t k = 0; k < 3; ++k)
        latent[k] = 2 * stream.uniform() - 1 + (e == k + 1 ? 4 : 0);
      const double u = latent[0] + latent[2] / 2, v = latent[1] + latent[2] / 2;
      const std::array<double, 4> signal = {2 * u + v, u + 2 * v, u, v};
      for (std::size_t j = 0; j < 4; ++j)
        data.columns[j].values.push_back((10 + signal[j]) * (1 + 0.01 * sample_normal(stream)));
    }
  }
  return data;
}

TEST(FindEncoder, ALatentThatSensorsCannotTellFromTheOthersIsNotNamed) {
  for (const std::size_t rows : {100u, 1000u}) {
    const Dataset data = two_channels(rows);
    EncoderOptions options;
    options.mixing = Mixing::linear;
    const EncoderAnswer unasked = find_encoder(data, options);
    options.latents = 3;
    const EncoderAnswer asked = find_encoder(data, options);
    const auto count = [](const EncoderAnswer& answer, LatentKind kind) {
      return std::count_if(answer.latents.begin(), answer.latents.end(), [&](const FoundLatent& l) {
        return l.kind == kind && !l.weights.empty();
      });
    };
    EXPECT_EQ(count(unasked, LatentKind::noise), 2) << rows;
    EXPECT_EQ(count(unasked, LatentKind::unresolved), 0) << rows;
    EXPECT_EQ(count(asked, LatentKind::noise), 2) << rows;
    EXPECT_EQ(count(asked, LatentKind::unresolved), 1) << rows;  // its direction is offered
    EXPECT_EQ(asked.environments[3].kind, EnvironmentKind::unresolved);
    EXPECT_FALSE(asked.environments[3].changed[2].has_value());
  }
}

/// Three latents, one shift each, told apart mostly by their means: means that moved two ways are
/// two latents, although one index tells any two of the environments apart. And where columns are
/// clipped no row is surely anything.
TEST(FindEncoder, OneShiftOfEachLatentIsNeverCalledTwoOfOne) {
  for (std::uint32_t run = 0; run < 2; ++run) {
    MixedSpec spec = five_sensors(SensorKind::additive);
    spec.rows = 500;
    MixedWorld world = draw_mixed_world(spec, 9, run);
    for (std::size_t j = 0; j < 5; ++j) {
      Stream stream(9, Purpose::tests, {run, std::uint32_t(j), 0});
      for (double& x : world.data.columns[j].values) x += 0.5 * sample_normal(stream);
    }
    for (const bool clipped : {false, true}) {
      if (clipped)
        for (Column& column : world.data.columns)
          for (double& x : column.values) x = std::min(x, 3.5);
      const EncoderAnswer answer = find_encoder(world.data);
      for (const FoundLatent& latent : answer.latents)
        EXPECT_NE(latent.kind, LatentKind::latent) << run << clipped;
    }
  }
}

/// With few rows chance alone turns a row away from its latent: it is there, and not sure to be
/// one. With ten times as many rows of the same worlds all three are named.
TEST(FindEncoder, RowsThatChanceMayHaveTurnedAreNotNamed) {
  MixedSpec spec = small_matrix();
  spec.unchanged = 0;
  const auto named = [&](std::size_t rows, std::uint32_t run) {
    spec.rows = rows;
    spec.baseline_rows = 2 * rows;
    std::size_t count = 0;
    for (const FoundLatent& latent : find_encoder(draw_mixed_world(spec, 77, run).data).latents)
      count += latent.kind != LatentKind::unresolved;
    return count;
  };
  EXPECT_EQ(named(40, 1), 1u);  // without the rule one more
  EXPECT_EQ(named(40, 29), 2u);
  EXPECT_EQ(named(400, 1), 3u);
  EXPECT_EQ(named(400, 29), 3u);
}

/// Three sensors of three latents, each changed once: two of them look like one latent where little
/// overlaps, but means moved along two lines.
TEST(FindEncoder, MeansOnTwoLinesAreNotOneLatent) {
  int latents = 0;
  for (const std::uint32_t run : {20u, 42u, 59u, 63u}) {  // in all of these one was seen
    Stream stream(11, Purpose::tests, {run, 0, 0});
    std::array<std::array<double, 3>, 3> mixing{};
    for (auto& row : mixing)
      for (double& x : row) x = std::abs(sample_normal(stream)) + 0.5;
    Dataset data;
    data.columns.resize(3);
    for (const char* name : {"s1", "s2", "s3"})
      data.variables.push_back({name, Variable::Kind::real});
    for (std::size_t e = 0, rows = 0; e < 4; ++e) {
      const std::size_t n = e == 0 ? 1500 : 400;
      data.environments.push_back({"e" + std::to_string(e), rows, rows + n});
      rows += n;
      for (std::size_t i = 0; i < n; ++i) {
        std::array<double, 3> z{};
        for (std::size_t k = 0; k < 3; ++k)
          z[k] = e == k + 1 ? 2 + 2 * stream.uniform() : 2 * stream.uniform() - 1;
        for (std::size_t j = 0; j < 3; ++j) {
          const double signal = 6 + mixing[j][0] * z[0] + mixing[j][1] * z[1] + mixing[j][2] * z[2];
          data.columns[j].values.push_back(signal * (1 + 0.02 * sample_normal(stream)));
        }
      }
    }
    for (const FoundLatent& latent : find_encoder(data).latents)
      latents += latent.kind == LatentKind::latent ? 1 : 0;
  }
  EXPECT_EQ(latents, 0);
}

/// Weights lie as far from the truth as their deviations say, and effects are those of the world.
TEST(FindEncoder, RowsHaveRangesAndEffectsAreThere) {
  const MixedSpec spec = small_matrix();
  std::size_t effects = 0, right = 0;
  for (std::uint32_t run = 0; run < 3; ++run) {
    const MixedWorld world = draw_mixed_world(spec, 5, run);
    const EncoderAnswer answer = find_encoder(world.data);
    for (const FoundLatent& latent : answer.latents) {
      ASSERT_EQ(latent.sd.size(), latent.weights.size());
      for (const double sd : latent.sd) EXPECT_GT(sd, 0);
    }
    const EncoderEvaluation e = judged(spec, world, answer);
    effects += e.effects;
    right += e.true_effects;
  }
  EXPECT_GT(effects, 0u);
  EXPECT_EQ(right, effects);
}

/// Functions of a fixed number cannot follow everything: beyond so many rows a range stops
/// narrowing.
TEST(FindEncoder, RangesOfVeryManyRowsAreNoNarrowerThanTheMethodIsGood) {
  MixedSpec spec = small_rotation();
  spec.environments = 4;
  spec.rows = 400;
  spec.baseline_rows = 1400;
  const MixedWorld world = draw_mixed_world(spec, 5, 0);
  Dataset many = world.data;
  constexpr std::size_t times = 60;  // 180,000 rows
  for (std::size_t j = 0; j < 2; ++j) many.columns[j].values.clear();
  std::size_t end = 0;
  for (Environment& e : many.environments) {
    const Environment from = e;
    for (std::size_t j = 0; j < 2; ++j) {
      const auto& values = world.data.columns[j].values;
      for (std::size_t k = 0; k < times; ++k)
        many.columns[j].values.insert(many.columns[j].values.end(),
                                      values.begin() + std::ptrdiff_t(from.begin),
                                      values.begin() + std::ptrdiff_t(from.end));
    }
    e.begin = end;
    e.end = end += times * from.rows();
  }
  const double once = find_encoder(world.data).rotation->sd;
  const double often = find_encoder(many).rotation->sd;
  EXPECT_GT(often, once / 6);  // 60 times as many rows would make it an eighth
}

/// Environments that have no values in common are matched by lines.
TEST(FindEncoder, ShiftsThatAreFarApartStillFindTheirPartner) {
  MixedSpec spec = small_matrix();
  spec.latents = 6;
  spec.unchanged = 0;
  spec.rows = 1000;
  spec.baseline_rows = 2000;
  std::size_t above = 0, right = 0, judged_environments = 0;
  for (std::uint32_t run = 0; run < 2; ++run) {
    const MixedWorld world = draw_mixed_world(spec, 6, run);
    const EncoderEvaluation e = judged(spec, world, find_encoder(world.data));
    above += e.above;
    right += e.right;
    judged_environments += e.judged;
  }
  EXPECT_GE(above, 10u);  // of 12
  EXPECT_GE(right, judged_environments - 2);
}

TEST(MixedWorld, SensorsShowNoisyMixturesAndTheNearestRowsAreKnown) {
  for (const SensorKind kind : all_sensor_kinds) {
    if (kind == SensorKind::exact) continue;
    const MixedWorld world = draw_mixed_world(five_sensors(kind), 5, 1);
    ASSERT_EQ(world.data.columns.size(), 5u);
    ASSERT_EQ(world.unmixing.rows, 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      double y = 0, z = 0, yy = 0, zz = 0, yz = 0;
      constexpr double n = 2000;
      for (std::size_t i = 0; i < 2000; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 5; ++j)
          sum += world.unmixing(k, j) * world.data.columns[j].values[i];
        const double latent = world.latents(i, k);
        y += sum / n, z += latent / n, yy += sum * sum / n, zz += latent * latent / n;
        yz += sum * latent / n;
      }
      const double correlation = (yz - y * z) / std::sqrt((yy - y * y) * (zz - z * z));
      EXPECT_GT(correlation, 0.7) << name_of(kind);
      EXPECT_LT(correlation, 0.99999) << name_of(kind);
    }
  }
  MixedSpec exact = five_sensors(SensorKind::exact);
  EXPECT_THROW(draw_mixed_world(exact, 5, 1), Error);
}

TEST(FindEncoder, AbstainsWhereNothingShifts) {
  const EncoderAnswer turned =
      find_encoder(draw_mixed_world(small_rotation(MixedShift::none), 5, 0).data);
  EXPECT_EQ(turned.verdict, EncoderVerdict::no_shift);
  EXPECT_TRUE(turned.latents[0].weights.empty());
  const EncoderAnswer mixed =
      find_encoder(draw_mixed_world(small_matrix(MixedShift::none), 5, 0).data);
  EXPECT_EQ(mixed.verdict, EncoderVerdict::no_shift);
}

TEST(FindEncoder, WhereTheBaselineStandsDoesNotMatter) {
  const MixedWorld world = draw_mixed_world(small_rotation(), 5, 0);
  Dataset moved = world.data;
  std::rotate(moved.environments.begin(), moved.environments.begin() + 1, moved.environments.end());
  EncoderOptions options;
  options.baseline = moved.environments.size() - 1;
  EXPECT_EQ(find_encoder(moved, options).rotation->angle, find_encoder(world.data).rotation->angle);
}

TEST(FindEncoder, AnswersAreTheSameForAnyNumberOfThreads) {
  EncoderOptions three;
  three.threads = 3;
  for (const MixedSpec& spec : {small_rotation(), small_matrix()}) {
    const MixedWorld world = draw_mixed_world(spec, 5, 2);
    const auto text = [&](const EncoderOptions& options) {
      return encoder_json(find_encoder(world.data, options),
                          {world.data.variables, {}, Json::object()})
          .dump();
    };
    EXPECT_EQ(text({}), text(three));
  }
}

TEST(FindEncoder, ColumnsThatAreFunctionsOfEachOtherAreRefused) {
  Dataset data = draw_mixed_world(small_matrix(), 5, 0).data;
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.columns[2].values[i] = data.columns[0].values[i] - 2 * data.columns[1].values[i];
  EXPECT_EQ(id_of(data), "E-DATA-SINGULAR");
}

TEST(FindEncoder, ConstantColumnsAreRefused) {
  Dataset data = draw_mixed_world(small_matrix(), 5, 0).data;
  std::fill(data.columns[1].values.begin(), data.columns[1].values.end(), 3.0);
  EXPECT_EQ(id_of(data), "E-DATA-CONSTANT");
}

TEST(FindEncoder, CategoricalColumnsAreRefused) {
  Dataset data = draw_mixed_world(small_matrix(), 5, 0).data;
  data.variables[1] = {"c", Variable::Kind::categorical, 2};
  data.columns[1].levels.assign(data.rows(), 0);
  EXPECT_EQ(id_of(data), "E-DATA-KIND");
}

TEST(FindEncoder, MoreLatentsThanColumnsAreRefused) {
  EncoderOptions options;
  options.latents = 4;
  EXPECT_EQ(id_of(draw_mixed_world(small_matrix(), 5, 0).data, options), "E-USAGE-VALUE");
}

TEST(FindEncoder, ARotationOfThreeColumnsIsRefused) {
  EncoderOptions options;
  options.mixing = Mixing::rotation;
  EXPECT_EQ(id_of(draw_mixed_world(small_matrix(), 5, 0).data, options), "E-USAGE-OPTION");
}

TEST(FindEncoder, TooFewEnvironmentsOrRowsAreRefused) {
  MixedSpec spec = small_rotation();
  spec.environments = 1;
  EXPECT_EQ(id_of(draw_mixed_world(spec, 5, 0).data), "E-DATA-ENVIRONMENTS");
  spec.environments = 3;
  spec.rows = 2;
  EXPECT_EQ(id_of(draw_mixed_world(spec, 5, 0).data), "E-DATA-ROWS");
}

TEST(FindEncoder, FewRowsAreWarnedOf) {
  MixedSpec spec = small_rotation(MixedShift::cause);
  spec.rows = 100;
  EXPECT_FALSE(find_encoder(draw_mixed_world(spec, 5, 0).data).remarks.empty());
  spec.rows = 400;
  spec.baseline_rows = 4000;
  EXPECT_TRUE(find_encoder(draw_mixed_world(spec, 5, 0).data).remarks.empty());
}

TEST(MatchRows, FindsEachRowOnceWhateverItsSignAndUnit) {
  Matrix truth(2, 2), found(2, 2), covariance(2, 2);
  truth.values = {1, 0, 0, 1};
  found.values = {0, -3, 2, 0};
  covariance.values = {1, 0.5, 0.5, 1};
  const RowMatch match = match_rows(found, truth, covariance);
  EXPECT_EQ(match.latent, (std::vector<std::size_t>{1, 0}));
  EXPECT_NEAR(match.mean(), 1, 1e-12);
  found.values = {1, 0, 1, 0};  // the same twice: one is matched with what it is not
  EXPECT_NEAR(match_rows(found, truth, covariance).mean(), 0.75, 1e-12);
}

TEST(MixedWorld, LatentsAreTheUnmixedColumns) {
  const MixedWorld world = draw_mixed_world(small_matrix(), 5, 3);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j)
        sum += world.unmixing(k, j) * world.data.columns[j].values[i];
      EXPECT_NEAR(sum, world.latents(i, k), 1e-9);
    }
}

TEST(MixedWorld, EachLatentIsHitAsOftenAsAsked) {
  const MixedWorld world = draw_mixed_world(small_matrix(), 5, 4);
  std::vector<int> hits(3, 0);
  for (const auto& targets : world.targets)
    for (const std::size_t target : targets) ++hits[target];
  EXPECT_EQ(hits, (std::vector<int>{2, 2, 2}));
  EXPECT_TRUE(world.targets[0].empty());
}

}  // namespace
}  // namespace whence
