#include "whence/worlds/mixed_world.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/environment_names.hpp"

namespace whence {

namespace {

/// Where the random numbers of one world come from.
struct Key {
  std::uint64_t seed;
  std::uint32_t run;
  Stream stream(Purpose purpose, std::size_t episode, std::uint32_t step = 0) const {
    return {seed, purpose, {run, std::uint32_t(episode), step}};
  }
};

/// Places for all rows, environments named as simulations name them.
MixedWorld empty_world(const MixedSpec& spec, std::size_t environments) {
  MixedWorld world;
  std::size_t rows = 0;
  for (std::size_t e = 0; e <= environments; ++e) {
    const std::size_t n = e == 0 ? spec.baseline_rows : spec.rows;
    world.data.environments.push_back(
        {e == 0 ? "baseline" : shifted_name(e, environments), rows, rows + n});
    rows += n;
  }
  for (std::size_t j = 0; j < std::max(spec.columns, spec.latents); ++j) {
    world.data.variables.push_back({"x" + std::to_string(j + 1), Variable::Kind::real});
    world.data.columns.emplace_back().values.resize(rows);
  }
  world.latents = Matrix(rows, spec.latents);
  world.noises = Matrix(rows, spec.latents);
  world.targets.resize(environments + 1);
  world.parents.resize(spec.latents);
  return world;
}

/// raw = mixing * latents, for all rows.
void mix(MixedWorld& world, const Matrix& mixing) {
  for (std::size_t i = 0; i < world.latents.rows; ++i)
    for (std::size_t j = 0; j < mixing.rows; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < mixing.columns; ++k) sum += mixing(j, k) * world.latents(i, k);
      world.data.columns[j].values[i] = sum;
    }
}

// ---- a rotation
// -----------------------------------------------------------------------------------

/// What one environment of a rotation changes.
MixedShift drawn_shift(MixedShift shift, Stream& stream) {
  const double u = stream.uniform();
  if (shift == MixedShift::mixed) return u < 0.5 ? MixedShift::cause : MixedShift::effect;
  if (shift != MixedShift::some) return shift;
  return u < 0.3    ? MixedShift::none
         : u < 0.55 ? MixedShift::cause
         : u < 0.8  ? MixedShift::effect
                    : MixedShift::both;
}

SplineWorld shifted_world(const SplineWorld& world, MixedShift shift, const Key& key,
                          std::size_t e) {
  const Stream stream = key.stream(Purpose::shift, e);
  switch (shift) {
    case MixedShift::cause: return world.shifted(ShiftKind::cause, stream);
    case MixedShift::effect: return world.shifted(ShiftKind::effect, stream);
    case MixedShift::both: {
      Stream other = key.stream(Purpose::shift, e, 2);
      return world.shifted(ShiftKind::effect, stream).with_mean(between(other, -4, 4));
    }
    default: return world;
  }
}

MixedWorld draw_rotation(const MixedSpec& spec, const Key& key) {
  MixedWorld world = empty_world(spec, spec.environments);
  world.parents = {{}, {0}};
  CauseLaw law;
  law.kind = spec.law;
  SplineWorld truth = SplineWorld::draw({}, law, key.seed, key.run);
  Stream drawn = key.stream(Purpose::world, 1);
  world.angle = std::numbers::pi * drawn.uniform();
  if (!spec.splines) {  // a line through the same square
    const std::vector<double> x = even_points(8, 8);
    std::vector<double> y;
    const double slope = between(drawn, 0.5, 1.5) * (drawn.uniform() < 0.5 ? -1 : 1);
    for (double at : x) y.push_back(slope * at);
    truth = SplineWorld({}, law, Spline(2, x, y));
  }
  for (std::size_t e = 0; e <= spec.environments; ++e) {
    MixedShift shift = MixedShift::none;
    if (e > 0) {
      Stream choice = key.stream(Purpose::shift, e, 1);
      shift = drawn_shift(spec.shift, choice);
    }
    const bool both = shift == MixedShift::both;
    if (both || shift == MixedShift::cause) world.targets[e].push_back(0);
    if (both || shift == MixedShift::effect) world.targets[e].push_back(1);
    const Environment& place = world.data.environments[e];
    std::vector<double> a(place.rows()), b(place.rows());
    shifted_world(truth, shift, key, e).sample(key.stream(Purpose::sample, e), a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      world.latents(place.begin + i, 0) = world.noises(place.begin + i, 0) = a[i];
      world.latents(place.begin + i, 1) = b[i];
      world.noises(place.begin + i, 1) = b[i] - truth.mechanism()(a[i]);
    }
  }
  const double c = std::cos(world.angle), s = std::sin(world.angle);
  Matrix mixing(2, 2);
  mixing.values = {c, -s, s, c};
  world.unmixing = transposed(mixing);
  mix(world, mixing);
  return world;
}

// ---- a matrix
// -------------------------------------------------------------------------------------

/// S_i = sum over parents of f(parent) / sqrt(number) + noise.
struct LatentModel {
  std::vector<std::vector<std::size_t>> parents;
  std::vector<std::vector<Spline>> curves;  // [latent][parent]
  std::vector<std::vector<double>> slopes;  // of lines instead
  std::vector<double> scale;                // of the noises
};

LatentModel draw_model(const MixedSpec& spec, const Key& key) {
  Stream stream = key.stream(Purpose::world, 2);
  LatentModel model;
  const SplineKind kind{.half_width = 4};
  for (std::size_t i = 0; i < spec.latents; ++i) {
    model.parents.emplace_back();
    model.curves.emplace_back();
    model.slopes.emplace_back();
    for (std::size_t p = 0; p < i; ++p) {
      if (stream.uniform() < 1 - spec.links) continue;
      model.parents[i].push_back(p);
      if (spec.splines)
        model.curves[i].push_back(draw_spline(kind, stream));
      else
        model.slopes[i].push_back(between(stream, 0.5, 1.5) * (stream.uniform() < 0.5 ? -1 : 1));
    }
    model.scale.push_back(between(stream, 0.6, 1.2));
  }
  return model;
}

/// How one environment changes one latent.
struct LatentChange {
  bool cut = false;  // it no longer listens to its causes
  double mean = 0, scale = 1;
};

LatentChange draw_change(MixedShift shift, Stream& stream) {
  LatentChange change;
  change.cut = shift == MixedShift::hard;
  const double reach = change.cut ? 3 : 2;
  change.mean = between(stream, -reach, reach);
  change.scale = std::exp(between(stream, std::log(0.4), std::log(2.0)));
  return change;
}

/// What is hit where: each latent a few times, then nothing, then two at once.
std::vector<std::vector<std::size_t>> draw_targets(const MixedSpec& spec, const Key& key) {
  Stream stream = key.stream(Purpose::shift, 0, 3);
  std::vector<std::vector<std::size_t>> targets = {{}};
  if (spec.shift == MixedShift::none) {
    targets.resize(spec.latents * spec.least + spec.unchanged + 1);
    return targets;
  }
  for (std::size_t i = 0; i < spec.latents; ++i) {
    const std::size_t times =
        spec.least + std::size_t(sample_index(stream, int(spec.most - spec.least + 1)));
    targets.insert(targets.end(), times, {i});
  }
  targets.insert(targets.end(), spec.unchanged, {});
  for (std::size_t k = 0; k < spec.double_targets && spec.latents > 1; ++k) {
    const auto first = std::size_t(sample_index(stream, int(spec.latents)));
    const auto other = std::size_t(sample_index(stream, int(spec.latents) - 1));
    const std::size_t second = other + (other >= first ? 1 : 0);
    targets.push_back({std::min(first, second), std::max(first, second)});
  }
  for (std::size_t k = targets.size() - 1; k > 1; --k)  // in no order; the baseline stays first
    std::swap(targets[k], targets[1 + std::size_t(sample_index(stream, int(k)))]);
  return targets;
}

/// Sensors answer to nothing negatively: their mixtures have no negative weights.
Matrix draw_mixing(const MixedSpec& spec, const Key& key) {
  constexpr double worst = 15;  // condition number
  Stream stream = key.stream(Purpose::world, 3);
  while (true) {
    Matrix mixing(std::max(spec.columns, spec.latents), spec.latents);
    for (double& x : mixing.values) {
      x = sample_normal(stream);
      if (spec.sensors != SensorKind::exact) x = std::abs(x);
    }
    if (condition_number(mixing) <= worst) return mixing;
  }
}

Matrix inverse(const Matrix& a) {
  // (A'A)^-1 A' by the factor of the Gram matrix.
  const Matrix lower = factor_of_gram(a);
  return lower_transposed_solve(lower, lower_solve(lower, transposed(a)));
}

// ---- sensors
// --------------------------------------------------------------------------------------

/// Mean and spread of a column in the baseline.
std::pair<double, double> level_of(const MixedWorld& world, std::size_t column) {
  const std::vector<double>& values = world.data.columns[column].values;
  const auto n = double(world.data.environments[0].rows());
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < world.data.environments[0].rows(); ++i) mean += values[i] / n;
  for (std::size_t i = 0; i < world.data.environments[0].rows(); ++i)
    square += (values[i] - mean) * (values[i] - mean) / n;
  return {mean, std::sqrt(square)};
}

/// One reading: `signal` has mean 3 and deviation 1 in the baseline, `noise` is normal, as is
/// `shared`, the noise of the neighbour.
double reading(SensorKind kind, double signal, double noise, double shared, double tail) {
  constexpr double small = 0.05, usual = 0.15;
  switch (kind) {
    case SensorKind::exact: return signal;
    case SensorKind::additive: return signal + usual * noise;
    case SensorKind::multiplicative: return signal * (1 + small * noise);
    case SensorKind::saturating: {
      constexpr double top = 8;
      return top * (1 - std::exp(-signal / top)) + small * noise;
    }
    case SensorKind::quantised: {
      constexpr double step = 0.25;
      return step * std::round((signal + small * noise) / step);
    }
    case SensorKind::heavy_tailed: return signal + 0.1 * noise / std::sqrt(tail);
    case SensorKind::crosstalk: return signal + 0.1 * (noise + shared);
  }
  return signal;
}

/// Columns as the sensors show them, in place of the mixture.
void read_sensors(MixedWorld& world, SensorKind kind, const Key& key) {
  const std::size_t m = world.data.columns.size();
  std::vector<std::pair<double, double>> levels;
  for (std::size_t j = 0; j < m; ++j) levels.push_back(level_of(world, j));
  Stream stream = key.stream(Purpose::sample, 0, 1);
  std::vector<double> noise(m + 1);
  for (std::size_t i = 0; i < world.latents.rows; ++i) {
    for (double& x : noise) x = sample_normal(stream);
    for (std::size_t j = 0; j < m; ++j) {
      double& value = world.data.columns[j].values[i];
      const double signal = 3 + (value - levels[j].first) / levels[j].second;
      double tail = 0;  // a chi-square of three over three: noise / sqrt(tail) has Student's law
      for (int k = 0; k < 3; ++k) {
        const double z = sample_normal(stream);
        tail += z * z / 3;
      }
      value = reading(kind, signal, noise[j], noise[j + 1], tail);
    }
  }
}

/// The rows whose values come nearest to the latents in the baseline (least squares).
Matrix nearest_rows(const MixedWorld& world) {
  const std::size_t n = world.data.environments[0].rows(), m = world.data.columns.size();
  Matrix rows(n, m + 1), latents(n, world.latents.columns);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) rows(i, j) = world.data.columns[j].values[i];
    rows(i, m) = 1;
    for (std::size_t k = 0; k < latents.columns; ++k) latents(i, k) = world.latents(i, k);
  }
  const Matrix lower = factor_of_gram(rows);
  const Matrix fit =
      lower_transposed_solve(lower, lower_solve(lower, product(transposed(rows), latents)));
  Matrix nearest(latents.columns, m);
  for (std::size_t k = 0; k < latents.columns; ++k)
    for (std::size_t j = 0; j < m; ++j) nearest(k, j) = fit(j, k);
  return nearest;
}

void sample_environment(const LatentModel& model, const MixedSpec& spec, const Key& key,
                        std::size_t e, MixedWorld& world) {
  std::vector<std::optional<LatentChange>> changes(spec.latents);
  Stream drawn = key.stream(Purpose::shift, e, 4);
  for (const std::size_t target : world.targets[e])
    changes[target] = draw_change(spec.shift, drawn);
  Stream stream = key.stream(Purpose::sample, e);
  const CauseLaw law{spec.law, 0, 1};
  const Environment& place = world.data.environments[e];
  for (std::size_t row = place.begin; row < place.end; ++row)
    for (std::size_t i = 0; i < spec.latents; ++i) {
      double noise = model.scale[i] * law.at(stream.uniform());
      if (changes[i]) noise = changes[i]->mean + changes[i]->scale * noise;
      double sum = 0;
      const std::size_t causes = model.parents[i].size();
      if (!changes[i] || !changes[i]->cut)
        for (std::size_t k = 0; k < causes; ++k) {
          const double cause = world.latents(row, model.parents[i][k]);
          sum += spec.splines ? model.curves[i][k](cause) : model.slopes[i][k] * cause;
        }
      world.noises(row, i) = noise;
      world.latents(row, i) = sum / std::sqrt(std::max(1.0, double(causes))) + noise;
    }
}

MixedWorld draw_linear(const MixedSpec& spec, const Key& key) {
  const LatentModel model = draw_model(spec, key);
  std::vector<std::vector<std::size_t>> targets = draw_targets(spec, key);
  MixedWorld world = empty_world(spec, targets.size() - 1);
  world.targets = std::move(targets);
  world.parents = model.parents;
  for (std::size_t e = 0; e < world.targets.size(); ++e)
    sample_environment(model, spec, key, e, world);
  const Matrix mixing = draw_mixing(spec, key);
  mix(world, mixing);
  if (spec.sensors == SensorKind::exact) {
    world.unmixing = inverse(mixing);
  } else {
    read_sensors(world, spec.sensors, key);
    world.unmixing = nearest_rows(world);
  }
  return world;
}

}  // namespace

MixedWorld draw_mixed_world(const MixedSpec& spec, std::uint64_t seed, std::uint32_t run) {
  const Key key{seed, run};
  const bool many = spec.shift == MixedShift::hard || spec.shift == MixedShift::soft;
  if (spec.mixing == Mixing::rotation && (many || spec.latents != 2))
    throw Error(ExitCode::usage, "E-WORLD-SHIFT", "",
                "a rotation mixes two latents: a cause and its effect",
                "use a linear mixture, or shifts cause, effect, mixed, some, both or none");
  if (spec.mixing == Mixing::linear && !many && spec.shift != MixedShift::none)
    throw Error(ExitCode::usage, "E-WORLD-SHIFT", "",
                "latents behind a matrix are shifted hard, soft or not at all",
                "use hard, soft or none");
  if (spec.mixing == Mixing::linear && spec.columns > spec.latents &&
      spec.sensors == SensorKind::exact)
    throw Error(ExitCode::usage, "E-WORLD-SENSORS", "",
                "more exact columns than latents are functions of each other",
                "use sensors with noise, such as additive");
  return spec.mixing == Mixing::rotation ? draw_rotation(spec, key) : draw_linear(spec, key);
}

}  // namespace whence
