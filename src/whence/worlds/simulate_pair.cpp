#include "whence/worlds/simulate_pair.hpp"

#include <utility>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/categorical_world.hpp"
#include "whence/worlds/environment_names.hpp"
#include "whence/worlds/spline_world.hpp"

namespace whence {
namespace {

using Kind = PairSimulation::Kind;
using Truth = PairSimulation::Truth;

constexpr VariableId cause(0), effect(1);

Stream stream_of(const PairSimulation& what, Purpose purpose, std::size_t environment) {
  return Stream(what.seed, purpose, {0, std::uint32_t(environment), 0});
}

/// "x0", "x1": names, so that no reader takes them for numbers.
Variable categorical_variable(const char* name, char letter, int levels) {
  Variable variable{name, Variable::Kind::categorical, levels};
  for (int level = 0; level < levels; ++level)
    variable.level_names.push_back(fmt::format("{}{}", letter, level));
  return variable;
}

Dataset draw_categorical(const PairSimulation& what) {
  const auto categorical = Variable::Kind::categorical;
  std::vector<VariableId> parents;
  if (what.truth != Truth::no_link) parents.push_back(cause);
  const auto world =
      CategoricalWorld::draw({{"X", categorical, what.levels}, {"Y", categorical, what.levels}},
                             {{cause, {}}, {effect, parents}}, 1.0, what.seed, 0);
  const auto environments = pair_environments(what);
  Dataset data = make_dataset(world.variables(), environments.back().end);
  ShiftedWorld shifted(world);
  for (std::size_t e = 0; e < environments.size(); ++e) {
    const ShiftKind shift = e == 0 ? ShiftKind::none : what.shift;
    shifted.shift({shift, cause, effect}, 1.0, stream_of(what, Purpose::shift, e));
    shifted.sample(stream_of(what, Purpose::sample, e), data, environments[e].begin,
                   environments[e].rows());
  }
  data.variables = {categorical_variable("X", 'x', what.levels),
                    categorical_variable("Y", 'y', what.levels)};
  return data;
}

[[noreturn]] void refuse_row() {
  throw Error(ExitCode::usage, "E-WORLD-SHIFT", "shift",
              "a real mechanism has no rows of which one could change",
              "let the whole mechanism change, or choose categorical variables");
}

/// cause ~ N(mean, deviation^2), effect = offset + slope cause + N(0, noise^2)
struct Line {
  double mean = 0, deviation = 1, offset = 0, slope = 1, noise = 1;

  void redraw_cause(Stream& stream) {
    mean = 1.5 * sample_normal(stream);
    deviation = 0.5 + stream.uniform();
  }
  void redraw_effect(Stream& stream, bool linked) {
    offset = 1.5 * sample_normal(stream);
    noise = 0.5 + stream.uniform();
    const double steep = 0.5 + 1.5 * stream.uniform();
    slope = !linked ? 0 : stream.uniform() < 0.5 ? -steep : steep;
  }
};

Line shifted_line(Line line, ShiftKind shift, Stream stream, bool linked) {
  switch (shift) {
    case ShiftKind::none: break;
    case ShiftKind::cause: line.redraw_cause(stream); break;
    case ShiftKind::effect: line.redraw_effect(stream, false); break;
    case ShiftKind::mechanism: line.redraw_effect(stream, linked); break;
    case ShiftKind::both:
      line.redraw_cause(stream);
      line.redraw_effect(stream, linked);
      break;
    case ShiftKind::row: refuse_row();
  }
  return line;
}

Dataset real_columns() {
  Dataset data;
  data.variables = {{"X", Variable::Kind::real}, {"Y", Variable::Kind::real}};
  data.columns.resize(2);
  return data;
}

Dataset draw_linear(const PairSimulation& what) {
  const bool linked = what.truth != Truth::no_link;
  Line base;
  Stream world = stream_of(what, Purpose::world, 0);
  base.redraw_cause(world);
  base.redraw_effect(world, linked);
  Dataset data = real_columns();
  const auto environments = pair_environments(what);
  for (std::size_t e = 0; e < environments.size(); ++e) {
    const Line line = shifted_line(base, e == 0 ? ShiftKind::none : what.shift,
                                   stream_of(what, Purpose::shift, e), linked);
    Stream stream = stream_of(what, Purpose::sample, e);
    for (std::size_t row = 0; row < environments[e].rows(); ++row) {
      const double x = line.mean + line.deviation * sample_normal(stream);
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(line.offset + line.slope * x +
                                       line.noise * sample_normal(stream));
    }
  }
  return data;
}

/// The paper's continuous pair: a random curve and noise of deviation 1.
Dataset draw_spline_pair(const PairSimulation& what) {
  if (what.shift == ShiftKind::row) refuse_row();
  SplineWorld base = SplineWorld::draw({}, {}, what.seed, 0);
  if (what.truth == Truth::no_link)
    base = base.shifted(ShiftKind::effect, stream_of(what, Purpose::shift, 0));
  Dataset data = real_columns();
  const auto environments = pair_environments(what);
  for (Column& column : data.columns) column.values.resize(environments.back().end);
  for (std::size_t e = 0; e < environments.size(); ++e) {
    const SplineWorld world =
        e == 0 ? base : base.shifted(what.shift, stream_of(what, Purpose::shift, e));
    const auto rows = [&](std::size_t v) {
      return std::span(data.columns[v].values)
          .subspan(environments[e].begin, environments[e].rows());
    };
    world.sample(stream_of(what, Purpose::sample, e), rows(0), rows(1));
  }
  return data;
}

}  // namespace

std::vector<Environment> pair_environments(const PairSimulation& what) {
  std::vector<Environment> list = {{"baseline", 0, what.baseline_rows}};
  for (std::size_t e = 1; e <= what.environments; ++e)
    list.push_back(
        {shifted_name(e, what.environments), list.back().end, list.back().end + what.rows});
  return list;
}

Dataset simulate_pair(const PairSimulation& what) {
  Dataset data = what.kind == Kind::categorical       ? draw_categorical(what)
                 : what.kind == Kind::linear_gaussian ? draw_linear(what)
                                                      : draw_spline_pair(what);
  data.environments = pair_environments(what);
  // Drawn from the cause to the effect; where Y is the cause the columns change places.
  if (what.truth == Truth::backward) std::swap(data.columns[0], data.columns[1]);
  return data;
}

}  // namespace whence
