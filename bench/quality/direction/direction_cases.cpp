#include "bench/quality/direction/direction_cases.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/discover/pair/pair_models.hpp"

namespace whence {

std::string_view name_of(Situation situation) {
  constexpr std::array<std::string_view, 8> names = {"cause", "effect", "mechanism", "row",
                                                     "both",  "none",   "apart",     "confounded"};
  return names[std::size_t(situation)];
}

std::string_view name_of(Moved moved) {
  constexpr std::array<std::string_view, 3> names = {"mean", "variance", "mean and variance"};
  return names[std::size_t(moved)];
}

namespace {

ShiftKind shift_of(Situation situation) {
  switch (situation) {
    case Situation::effect: return ShiftKind::effect;
    case Situation::mechanism: return ShiftKind::mechanism;
    case Situation::row: return ShiftKind::row;
    case Situation::both: return ShiftKind::both;
    case Situation::none: return ShiftKind::none;
    case Situation::cause:
    case Situation::apart:
    case Situation::confounded: break;
  }
  return ShiftKind::cause;
}

std::vector<Environment> environments_of(std::size_t training, std::size_t rows, std::size_t n) {
  std::vector<Environment> list = {{"baseline", 0, training}};
  for (std::size_t e = 1; e <= n; ++e)
    list.push_back({fmt::format("shifted {}", e), list.back().end, list.back().end + rows});
  return list;
}

/// X -> Y; X and Y apart; or both listening to a third, hidden variable.
CategoricalWorld world_of(const DiscreteDesign& design, double concentration, RunKey key) {
  const Variable variable{"X", Variable::Kind::categorical, design.levels};
  const VariableId x(0), y(1), hidden(2);
  std::vector<Variable> variables(2, variable);
  std::vector<Family> families = {{x, {}}, {y, {x}}};
  if (design.situation == Situation::apart) families[1].parents.clear();
  if (design.situation == Situation::confounded) {
    variables.push_back(variable);
    families = {{x, {hidden}}, {y, {hidden}}, {hidden, {}}};
  }
  return CategoricalWorld::draw(variables, families, concentration, key.seed, key.run);
}

}  // namespace

Dataset draw_discrete(const DiscreteDesign& design, RunKey key) {
  const double concentration = design.sparse ? 1.0 / design.levels : 1.0;
  const CategoricalWorld world = world_of(design, concentration, key);
  const auto environments = environments_of(design.training, design.rows, design.environments);
  Dataset data = make_dataset(world.variables(), environments.back().end);
  Shift shift{shift_of(design.situation), VariableId(0), VariableId(1)};
  if (design.situation == Situation::confounded) shift.cause = VariableId(2);
  ShiftedWorld view(world);
  for (std::size_t e = 0; e < environments.size(); ++e) {
    const Cell cell{key.run, std::uint32_t(e), 0};
    if (e > 0) view.shift(shift, concentration, Stream(key.seed, Purpose::shift, cell));
    view.sample(Stream(key.seed, Purpose::sample, cell), data, environments[e].begin,
                environments[e].rows());
  }
  data.variables.resize(2);
  data.columns.resize(2);
  data.variables[1].name = "Y";
  data.environments = environments;
  return data;
}

namespace {

/// x_k = mean_k + deviation_k z_k, y = offset + slope x + noise_k e_k; z of unit variance from the
/// cause's law, e Gaussian.
struct LinearPair {
  std::size_t dimension;
  std::vector<double> mean, deviation, offset, slope, noise;

  LinearPair(std::size_t d, bool linked, Stream& stream)
      : dimension(d), mean(d), deviation(d), offset(d), slope(d * d, 0.0), noise(d) {
    move_cause(Moved::both, stream);
    move_effect(Moved::both, stream);
    if (linked) redraw_slope(stream);
  }

  void move_cause(Moved what, Stream& stream) { redraw(what, mean, deviation, stream); }
  void move_effect(Moved what, Stream& stream) { redraw(what, offset, noise, stream); }
  void redraw_slope(Stream& stream) {
    for (double& s : slope) {
      const double steep = (0.5 + 1.5 * stream.uniform()) / std::sqrt(double(dimension));
      s = stream.uniform() < 0.5 ? -steep : steep;
    }
  }

 private:
  static void redraw(Moved what, std::vector<double>& place, std::vector<double>& spread,
                     Stream& stream) {
    if (what != Moved::variance)
      for (double& x : place) x = 1.5 * sample_normal(stream);
    if (what != Moved::mean)
      for (double& x : spread) x = 0.5 + stream.uniform();
  }
};

LinearPair shifted(LinearPair pair, const RealDesign& design, Stream stream) {
  switch (design.situation) {
    case Situation::none: break;
    case Situation::cause:
    case Situation::apart:
    case Situation::confounded: pair.move_cause(design.moved, stream); break;
    case Situation::effect: pair.move_effect(design.moved, stream); break;
    case Situation::mechanism:
      pair.move_effect(design.moved, stream);
      pair.redraw_slope(stream);
      break;
    case Situation::both:
      pair.move_cause(design.moved, stream);
      pair.move_effect(design.moved, stream);
      break;
    case Situation::row:
      throw Error(ExitCode::internal, "E-BENCH-DESIGN", "", "a real mechanism has no rows");
  }
  return pair;
}

void sample_linear(const LinearPair& pair, CauseLaw::Kind law, bool hidden, Stream stream,
                   const Environment& rows, Dataset& data) {
  const std::size_t d = pair.dimension;
  const CauseLaw unit{law, 0, 1};
  std::vector<double> z(d);
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    double* x = &data.columns[0].values[r * d];
    double* y = &data.columns[1].values[r * d];
    for (std::size_t k = 0; k < d; ++k) {
      z[k] = unit.at(stream.uniform());
      x[k] = pair.mean[k] + pair.deviation[k] * z[k];
      // Of a hidden common cause X is a noisy picture.
      if (hidden) x[k] += sample_normal(stream);
    }
    for (std::size_t k = 0; k < d; ++k) {
      y[k] = pair.offset[k] + pair.noise[k] * sample_normal(stream);
      for (std::size_t j = 0; j < d; ++j)
        y[k] += pair.slope[k * d + j] * (pair.mean[j] + pair.deviation[j] * z[j]);
    }
  }
}

void draw_linear(const RealDesign& design, RunKey key, Dataset& data) {
  const bool hidden = design.situation == Situation::confounded;
  Stream world(key.seed, Purpose::world, {key.run, 0, 0});
  const LinearPair base(std::size_t(design.dimension), design.situation != Situation::apart, world);
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Cell cell{key.run, std::uint32_t(e), 0};
    const LinearPair pair =
        e == 0 ? base : shifted(base, design, Stream(key.seed, Purpose::shift, cell));
    sample_linear(pair, design.law, hidden, Stream(key.seed, Purpose::sample, cell),
                  data.environments[e], data);
  }
}

void draw_splines(const RealDesign& design, RunKey key, Dataset& data) {
  const CauseLaw law{design.law, 0, 2};
  SplineWorld base = SplineWorld::draw({}, law, key.seed, key.run);
  if (design.situation == Situation::apart)
    base = base.shifted(ShiftKind::effect, Stream(key.seed, Purpose::shift, {key.run, 0, 1}));
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& rows = data.environments[e];
    const Cell cell{key.run, std::uint32_t(e), 0};
    const SplineWorld world =
        e == 0 ? base
               : base.shifted(shift_of(design.situation), Stream(key.seed, Purpose::shift, cell));
    const auto column = [&](std::size_t v) {
      return std::span(data.columns[v].values).subspan(rows.begin, rows.rows());
    };
    world.sample(Stream(key.seed, Purpose::sample, cell), column(0), column(1));
    if (design.situation != Situation::confounded) continue;
    // A noisy picture of the hidden cause.
    Stream noise(key.seed, Purpose::sample, {key.run, std::uint32_t(e), 1});
    for (double& x : column(0)) x += sample_normal(noise);
  }
}

}  // namespace

Dataset draw_real(const RealDesign& design, RunKey key) {
  Dataset data;
  const Variable variable{"X", Variable::Kind::real, 0, design.dimension};
  data.variables = {variable, variable};
  data.variables[1].name = "Y";
  data.environments = environments_of(design.rows, design.rows, design.environments);
  data.columns.resize(2);
  for (Column& column : data.columns)
    column.values.resize(data.environments.back().end * std::size_t(design.dimension));
  if (design.spline)
    draw_splines(design, key, data);
  else
    draw_linear(design, key, data);
  return data;
}

void shuffle_second(Dataset& data, bool within_environments, RunKey key) {
  Stream stream(key.seed, Purpose::shift, {key.run, 0, 2});
  Column& column = data.columns[1];
  const auto width = std::size_t(data.variables[1].dimension);
  const auto exchange = [&](std::size_t a, std::size_t b) {
    if (!column.levels.empty()) std::swap(column.levels[a], column.levels[b]);
    for (std::size_t k = 0; k < width && !column.values.empty(); ++k)
      std::swap(column.values[a * width + k], column.values[b * width + k]);
  };
  const auto shuffle = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = end - 1; i > begin; --i)
      exchange(i, begin + std::size_t(sample_index(stream, int(i - begin + 1))));
  };
  if (!within_environments) return shuffle(0, data.rows());
  for (const Environment& e : data.environments) shuffle(e.begin, e.end);
}

void add_heavy_tails(Dataset& data, RunKey key) {
  Stream stream(key.seed, Purpose::shift, {key.run, 0, 3});
  for (Column& column : data.columns)
    for (double& x : column.values) {
      const double tail = std::tan(std::numbers::pi * (stream.uniform() - 0.5));
      if (stream.uniform() < 0.01) x += tail;
    }
}

namespace {

/// A row of cumulative probabilities from Dirichlet(concentration).
std::vector<double> draw_row(std::size_t levels, double concentration, Stream& stream) {
  std::vector<double> log_p(levels), cumulative(levels);
  sample_log_dirichlet(stream, concentration, log_p, cumulative);
  return cumulative;
}

using Rows = std::vector<std::vector<double>>;

Rows draw_rows_of(std::size_t rows, std::size_t levels, double concentration, Stream& stream) {
  Rows table;
  for (std::size_t r = 0; r < rows; ++r) table.push_back(draw_row(levels, concentration, stream));
  return table;
}

/// Concentration of a mechanism that is new: dense or sparse, by a coin.
double fresh_concentration(std::size_t levels, Stream& stream) {
  return stream.uniform() < 0.5 ? 1.0 : 1.0 / double(levels);
}

std::size_t draw_index(std::span<const double> weights, Stream& stream) {
  double u = stream.uniform();
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    if (u < weights[i]) return i;
    u -= weights[i];
  }
  return weights.size() - 1;
}

/// Both mechanisms of an environment, factorised with the first variable first; one row of the
/// second: it has no parent.
struct Mechanisms {
  std::vector<double> first;
  Rows second;
};

Mechanisms fresh_mechanisms(std::size_t levels, bool linked, Stream& stream) {
  Mechanisms m;
  m.first = draw_row(levels, fresh_concentration(levels, stream), stream);
  m.second = draw_rows_of(linked ? levels : 1, levels, fresh_concentration(levels, stream), stream);
  return m;
}

/// What the environment's mechanisms are, all but "row".
Mechanisms after_change(Mechanisms m, Change change, std::size_t levels, Stream& stream) {
  const bool linked = m.second.size() > 1;
  if (change == Change::cause)
    m.first = draw_row(levels, fresh_concentration(levels, stream), stream);
  if (change == Change::mechanism)
    m.second =
        draw_rows_of(linked ? levels : 1, levels, fresh_concentration(levels, stream), stream);
  if (change == Change::hard)
    m.second = draw_rows_of(1, levels, fresh_concentration(levels, stream), stream);
  if (change == Change::both) m = fresh_mechanisms(levels, linked, stream);
  return m;
}

FamilyCounts sample_table(Mechanisms m, bool new_row, std::size_t levels, std::size_t rows,
                          Stream& stream) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < rows; ++i)
    first.push_back(std::size_t(sample_level(m.first, stream.uniform())));
  if (new_row) {  // the row of a random example
    const std::size_t r = first[std::size_t(sample_index(stream, int(rows)))];
    m.second[r] = draw_row(levels, fresh_concentration(levels, stream), stream);
  }
  FamilyCounts counts(levels, levels);
  for (const std::size_t f : first) {
    const auto& row = m.second.size() == 1 ? m.second[0] : m.second[f];
    counts.cells[f * levels + std::size_t(sample_level(row, stream.uniform()))] += 1;
  }
  return counts;
}

}  // namespace

PriorDraw draw_from_prior(const ChangePrior& prior, std::size_t levels,
                          std::span<const std::size_t> rows, RunKey key) {
  Stream stream(key.seed, Purpose::world, {key.run, 0, 4});
  PriorDraw draw;
  draw.structure = Structure(draw_index(prior.structure, stream));
  const bool linked = draw.structure != Structure::no_link;
  const auto weights = cell_weights(levels, levels);
  const double cell = weights[std::size_t(sample_index(stream, int(weights.size())))];
  const double wide = cell * double(levels);
  Mechanisms pooled;
  pooled.first = draw_row(levels, wide, stream);
  pooled.second = draw_rows_of(linked ? levels : 1, levels, linked ? cell : wide, stream);
  const auto regimes = prior.regimes(draw.structure);
  const std::array<double, 3> shares = {regimes[0].weight, regimes[1].weight, regimes[2].weight};
  const ChangeRegime& regime = regimes[draw_index(shares, stream)];
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const Change change = e == 0 ? Change::nothing : Change(draw_index(regime.change, stream));
    // When everything is new, either variable may be the one whose table comes first.
    const bool other_first = linked && change == Change::both && stream.uniform() < 0.5;
    const FamilyCounts table = sample_table(after_change(pooled, change, levels, stream),
                                            change == Change::row, levels, rows[e], stream);
    const bool backward = (draw.structure == Structure::backward) != other_first;
    draw.joint.push_back(backward ? transposed(table) : table);
  }
  return draw;
}

}  // namespace whence
