// Worlds: what they sample is what they say, and each kind of shift changes exactly what it says.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/bits.hpp"
#include "support/effort.hpp"
#include "support/statistics.hpp"
#include "support/tables.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence::laws {
namespace {

using support::Inputs;

Family family(std::size_t child, std::vector<std::size_t> parents) {
  Family f{VariableId(child), {}};
  for (std::size_t p : parents) f.parents.push_back(VariableId(p));
  return f;
}

CategoricalWorld pair_world(std::uint64_t seed = 1) {
  return CategoricalWorld::draw_pair(4, 1, seed, 0);
}
CategoricalWorld chain_world() {
  return CategoricalWorld::draw(support::categorical_variables({3, 2, 4}),
                                {family(0, {}), family(1, {0}), family(2, {1})}, 1, 2, 0);
}
CategoricalWorld collider_world() {
  return CategoricalWorld::draw(support::categorical_variables({3, 2, 4}),
                                {family(0, {}), family(1, {}), family(2, {0, 1})}, 1, 3, 0);
}
/// 3 -> 1, 3 -> 2, (1, 2) -> 0: parents do not come first, and the tables differ in shape.
CategoricalWorld diamond_world(std::uint64_t seed = 4) {
  return CategoricalWorld::draw(support::categorical_variables({3, 2, 4, 3}),
                                {family(0, {1, 2}), family(1, {3}), family(2, {3}), family(3, {})},
                                1, seed, 0);
}

/// The number of the joint state in a row: mixed radix, the first variable most significant.
std::size_t state_of(const Dataset& data, std::size_t row) {
  std::size_t s = 0;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    s = s * std::size_t(data.variables[v].levels) + std::size_t(data.columns[v].levels[row]);
  return s;
}

/// The joint by multiplying table entries, in long double.
std::vector<long double> joint_by_hand(const CategoricalWorld& world) {
  const Dataset states = support::all_states(world.variables());
  std::vector<long double> joint(states.rows(), 1);
  for (std::size_t s = 0; s < joint.size(); ++s)
    for (std::size_t v = 0; v < states.variables.size(); ++v) {
      std::size_t c = 0;
      for (VariableId p : world.families()[v].parents)
        c = c * std::size_t(states.variables[p.value].levels) +
            std::size_t(states.columns[p.value].levels[s]);
      const auto row = world.table(VariableId(v)).row(c);
      joint[s] *= std::exp((long double)(row[std::size_t(states.columns[v].levels[s])]));
    }
  return joint;
}

// ---- sampling ----

/// Fills all rows of the data from the world.
using WorldSampler = std::function<void(const CategoricalWorld&, Stream, Dataset&)>;

void sample_world(const CategoricalWorld& world, Stream stream, Dataset& data) {
  ShiftedWorld(world).sample(stream, data, 0, data.rows());
}

/// Ancestral sampling, written out, with its mistakes.
WorldSampler mistaken_sampler(bool parents_reversed, bool one_uniform, bool stale_parents) {
  return [=](const CategoricalWorld& world, Stream stream, Dataset& data) {
    for (std::size_t r = 0; r < data.rows(); ++r) {
      const double shared = stream.uniform();
      for (VariableId v : world.order()) {
        Family f = world.families()[v.value];
        const auto levels = std::size_t(world.variables()[v.value].levels);
        std::size_t c = parent_configuration(data, f, stale_parents && r > 0 ? r - 1 : r);
        if (parents_reversed && f.parents.size() == 2) {
          std::swap(f.parents[0], f.parents[1]);
          c = parent_configuration(data, f, r);
        }
        std::vector<double> cumulative(levels);
        cumulate(world.table(v).row(c), cumulative);
        data.columns[v.value].levels[r] =
            sample_level(cumulative, one_uniform ? shared : stream.uniform());
      }
    }
  };
}

Finding samples_follow_joint(const WorldSampler& sampler) {
  Finding finding;
  std::uint32_t run = 0;
  for (const CategoricalWorld& world :
       {pair_world(), chain_world(), collider_world(), diamond_world()}) {
    Dataset data = make_dataset(world.variables(), support::effort(200000));
    sampler(world, Stream(9, Purpose::tests, {run}), data);
    const auto joint = joint_by_hand(world);
    std::vector<std::size_t> counts(joint.size());
    for (std::size_t r = 0; r < data.rows(); ++r) ++counts[state_of(data, r)];
    const std::vector<double> p(joint.begin(), joint.end());
    finding.likely(support::counts_p_value(counts, p), fmt::format("world {}", run++));
  }
  return finding;
}

LAW(WorldLaws, SamplesFollowTheJoint, samples_follow_joint,
    {{"ShiftedWorld without a shift", sample_world},
     {"ancestral sampling written out", mistaken_sampler(false, false, false)}},
    {{"parents in the other order", mistaken_sampler(true, false, false)},
     {"one uniform for all variables", mistaken_sampler(false, true, false)},
     {"parents of the row before", mistaken_sampler(false, false, true)}});

/// Sampling through a shift follows the joint of the shifted world.
using ShiftedSampler = std::function<void(const CategoricalWorld&, const Shift&, Stream shift,
                                          Stream sample, Dataset&)>;

void sample_shifted(const CategoricalWorld& world, const Shift& shift, Stream how, Stream stream,
                    Dataset& data) {
  ShiftedWorld shifted(world);
  shifted.shift(shift, 1, how);
  shifted.sample(stream, data, 0, data.rows());
}

Finding shifted_samples_follow_joint(const ShiftedSampler& sampler) {
  Finding finding;
  const auto check = [&](const CategoricalWorld& world, const Shift& shift) {
    const Stream how(7, Purpose::shift, {1});
    ShiftedWorld shifted(world);
    shifted.shift(shift, 1, how);
    const auto joint = joint_by_hand(shifted.materialise());
    Dataset data = make_dataset(world.variables(), support::effort(100000));
    sampler(world, shift, how, Stream(7, Purpose::sample, {1}), data);
    std::vector<std::size_t> counts(joint.size());
    for (std::size_t r = 0; r < data.rows(); ++r) ++counts[state_of(data, r)];
    const std::vector<double> p(joint.begin(), joint.end());
    finding.likely(support::counts_p_value(counts, p), std::string(name_of(shift.kind)));
  };
  for (ShiftKind kind : all_shift_kinds) {
    check(pair_world(), {kind});
    check(diamond_world(), {kind, VariableId(1), VariableId(0)});
  }
  return finding;
}

LAW(WorldLaws, ShiftedSamplesFollowTheShiftedJoint, shifted_samples_follow_joint,
    {{"ShiftedWorld", sample_shifted}},
    {{"shift forgotten", [](const CategoricalWorld& world, const Shift&, Stream, Stream stream,
                            Dataset& data) { sample_world(world, stream, data); }},
     {"row shift for a mechanism shift",
      [](const CategoricalWorld& world, Shift shift, Stream how, Stream stream, Dataset& data) {
        if (shift.kind == ShiftKind::mechanism) shift.kind = ShiftKind::row;
        sample_shifted(world, shift, how, stream, data);
      }}});

// ---- shifts ----

/// The world after a shift.
using Shifter = std::function<CategoricalWorld(const CategoricalWorld&, const Shift&, Stream)>;

CategoricalWorld shift_world(const CategoricalWorld& world, const Shift& shift, Stream stream) {
  ShiftedWorld shifted(world);
  shifted.shift(shift, 1, stream);
  return shifted.materialise();
}

/// How many rows of a variable's table differ in some bit.
std::size_t changed_rows(const CategoricalWorld& before, const CategoricalWorld& after,
                         VariableId v) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.table(v).rows(); ++i)
    changed += !support::same_bits(before.table(v).row(i), after.table(v).row(i));
  return changed;
}

bool rows_all_equal(const CategoricalTable<double>& table) {
  for (std::size_t i = 1; i < table.rows(); ++i)
    if (!support::same_bits(table.row(0), table.row(i))) return false;
  return true;
}

void check_shift(Finding& finding, const Shifter& shifter, const CategoricalWorld& world,
                 const Shift& shift, std::uint32_t episode) {
  const auto after = shifter(world, shift, Stream(3, Purpose::shift, {0, episode}));
  const std::string name(name_of(shift.kind));
  const auto kind = shift.kind;
  const std::size_t cause = changed_rows(world, after, shift.cause);
  const std::size_t effect = changed_rows(world, after, shift.effect);
  const std::size_t cause_rows = world.table(shift.cause).rows();
  const std::size_t effect_rows = world.table(shift.effect).rows();
  const bool cause_shifts = kind == ShiftKind::cause || kind == ShiftKind::both;
  finding.near(double(cause), cause_shifts ? double(cause_rows) : 0, 0,
               name + ": rows of the cause");
  const double expected = kind == ShiftKind::row ? 1
                          : kind == ShiftKind::none || kind == ShiftKind::cause
                              ? 0
                              : double(effect_rows);
  finding.near(double(effect), expected, 0, name + ": rows of the effect");
  finding.require(rows_all_equal(after.table(shift.effect)) == (kind == ShiftKind::effect),
                  name + ": does the effect listen to its parents?");
  for (std::size_t v = 0; v < world.variables().size(); ++v)
    if (VariableId(v) != shift.cause && VariableId(v) != shift.effect)
      finding.near(double(changed_rows(world, after, VariableId(v))), 0, 0, name + ": bystanders");
}

Finding shift_changes_what_it_says(const Shifter& shifter) {
  Finding finding;
  for (ShiftKind kind : all_shift_kinds)
    for (std::uint32_t episode = 0; episode < 20; ++episode) {
      check_shift(finding, shifter, pair_world(episode), {kind}, episode);
      check_shift(finding, shifter, diamond_world(episode), {kind, VariableId(2), VariableId(0)},
                  episode);
      check_shift(finding, shifter, diamond_world(episode), {kind, VariableId(3), VariableId(1)},
                  episode);
    }
  return finding;
}

/// The engine's shift, of another kind where the given kind is asked for.
Shifter confused(ShiftKind asked, ShiftKind done) {
  return [=](const CategoricalWorld& world, Shift shift, Stream stream) {
    if (shift.kind == asked) shift.kind = done;
    return shift_world(world, shift, stream);
  };
}

LAW(WorldLaws, EachKindOfShiftChangesExactlyWhatItSays, shift_changes_what_it_says,
    {{"ShiftedWorld", shift_world}},
    {{"cause shift moves the effect too", confused(ShiftKind::cause, ShiftKind::both)},
     {"effect shift keeps listening", confused(ShiftKind::effect, ShiftKind::mechanism)},
     {"mechanism shift is hard", confused(ShiftKind::mechanism, ShiftKind::effect)},
     {"row shift redraws all rows", confused(ShiftKind::row, ShiftKind::mechanism)},
     {"both leaves the cause", confused(ShiftKind::both, ShiftKind::mechanism)},
     {"none changes something", confused(ShiftKind::none, ShiftKind::row)},
     {"cause and effect exchanged", [](const CategoricalWorld& world, Shift shift, Stream stream) {
        std::swap(shift.cause, shift.effect);
        return shift_world(world, shift, stream);
      }}});

/// The same, seen from outside, by Bayes' rule on the joint.
Finding conditionals_after_a_shift(const Shifter& shifter) {
  Finding finding;
  const Family p_a = family(0, {}), p_b_a = family(1, {0});
  const auto distance = [](const CategoricalTable<double>& x, const CategoricalTable<double>& y) {
    double worst = 0;
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (int j = 0; j < x.levels(); ++j)
        worst = std::max(worst, std::abs(std::exp(x.log_prob(i, j)) - std::exp(y.log_prob(i, j))));
    return worst;
  };
  for (std::uint32_t episode = 0; episode < 10; ++episode) {
    const auto world = pair_world(episode);
    const auto moved = [&](ShiftKind kind, const Family& f) {
      const auto after = shifter(world, {kind}, Stream(3, Purpose::shift, {0, episode}));
      return distance(world.conditional(f), after.conditional(f));
    };
    for (ShiftKind kind : {ShiftKind::cause, ShiftKind::both})
      finding.require(moved(kind, p_a) > 1e-3, "P(A) moves");
    for (ShiftKind kind :
         {ShiftKind::effect, ShiftKind::mechanism, ShiftKind::row, ShiftKind::none})
      finding.at_most(moved(kind, p_a), 1e-13, "P(A) stays");
    for (ShiftKind kind : {ShiftKind::cause, ShiftKind::none})
      finding.at_most(moved(kind, p_b_a), 1e-13, "P(B|A) stays");
    for (ShiftKind kind :
         {ShiftKind::effect, ShiftKind::mechanism, ShiftKind::row, ShiftKind::both})
      finding.require(moved(kind, p_b_a) > 1e-3, "P(B|A) moves");
  }
  return finding;
}

LAW(WorldLaws, ConditionalsMoveOnlyWhereTheShiftActs, conditionals_after_a_shift,
    {{"ShiftedWorld", shift_world}},
    {{"cause shift moves the effect too", confused(ShiftKind::cause, ShiftKind::both)},
     {"mechanism shift moves the cause too", confused(ShiftKind::mechanism, ShiftKind::both)},
     {"effect shift does nothing", confused(ShiftKind::effect, ShiftKind::none)}});

/// A shift forgets the one before it, and sampling does not depend on what was sampled before.
using Sequence =
    std::function<Dataset(const CategoricalWorld&, const std::vector<std::uint32_t>& order)>;

/// Episodes of ten rows, each in its own place, drawn in the given order by one object.
Dataset draw_episodes(const CategoricalWorld& world, const std::vector<std::uint32_t>& order) {
  Dataset data = make_dataset(world.variables(), 10 * order.size());
  ShiftedWorld shifted(world);
  for (std::uint32_t e : order) {
    const ShiftKind kind = all_shift_kinds[e % all_shift_kinds.size()];
    shifted.shift({kind}, 1, Stream(2, Purpose::shift, {0, e}));
    shifted.sample(Stream(2, Purpose::sample, {0, e}), data, 10 * e, 10);
  }
  return data;
}

Finding order_of_episodes(const Sequence& draw) {
  Finding finding;
  const auto world = pair_world();
  std::vector<std::uint32_t> order(30);
  for (std::uint32_t e = 0; e < order.size(); ++e) order[e] = e;
  const Dataset expected = draw(world, order);
  Inputs inputs(51);
  for (int shuffle = 0; shuffle < 10; ++shuffle) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[std::size_t(inputs.whole(int(i) + 1))]);
    const Dataset drawn = draw(world, order);
    for (std::size_t v = 0; v < 2; ++v)
      finding.require(drawn.columns[v].levels == expected.columns[v].levels, "another order");
  }
  return finding;
}

LAW(WorldLaws, OrderOfEpisodesDoesNotMatter, order_of_episodes, {{"ShiftedWorld", draw_episodes}},
    {{"one stream for all episodes",
      [](const CategoricalWorld& world, const std::vector<std::uint32_t>& order) {
        Dataset data = make_dataset(world.variables(), 10 * order.size());
        ShiftedWorld shifted(world);
        for (std::uint32_t place = 0; place < order.size(); ++place) {
          const Cell cell = {0, place};
          shifted.shift({ShiftKind::cause}, 1, Stream(2, Purpose::shift, cell));
          shifted.sample(Stream(2, Purpose::sample, cell), data, 10 * order[place], 10);
        }
        return data;
      }},
     {"shifts pile up", [](const CategoricalWorld& world, const std::vector<std::uint32_t>& order) {
        Dataset data = make_dataset(world.variables(), 10 * order.size());
        CategoricalWorld now = world;
        for (std::uint32_t e : order) {
          const ShiftKind kind = all_shift_kinds[e % all_shift_kinds.size()];
          now = shift_world(now, {kind}, Stream(2, Purpose::shift, {0, e}));
          ShiftedWorld(now).sample(Stream(2, Purpose::sample, {0, e}), data, 10 * e, 10);
        }
        return data;
      }}});

/// Shifts and samples of different runs, episodes and purposes are different and independent draws.
using CellDraw = std::function<std::vector<double>(std::uint64_t seed, Cell)>;

/// P(A) after a cause shift.
std::vector<double> shifted_marginal(std::uint64_t seed, Cell cell) {
  static const CategoricalWorld world = pair_world();
  const auto after = shift_world(world, {ShiftKind::cause}, Stream(seed, Purpose::shift, cell));
  const auto row = after.table(VariableId(0)).row(0);
  return {row.begin(), row.end()};
}

Finding cells_are_distinct(const CellDraw& draw) {
  Finding finding;
  std::set<std::vector<double>> seen;
  std::size_t cells = 0;
  for (std::uint64_t seed : {0, 1})
    for (std::uint32_t run : {0, 1, 2})
      for (std::uint32_t episode : {0, 1, 2, 1000}) {
        seen.insert(draw(seed, {run, episode}));
        ++cells;
      }
  finding.near(double(seen.size()), double(cells), 0, "different draws");
  return finding;
}

LAW(WorldLaws, EveryCellHasItsOwnShift, cells_are_distinct, {{"ShiftedWorld", shifted_marginal}},
    {{"episode ignored",
      [](std::uint64_t seed, Cell cell) { return shifted_marginal(seed, {cell.run}); }},
     {"run ignored",
      [](std::uint64_t seed, Cell cell) {
        return shifted_marginal(seed, {0, cell.episode});
      }},
     {"run and episode added", [](std::uint64_t seed, Cell cell) {
        return shifted_marginal(seed, {cell.run + cell.episode});
      }}});

// ---- exact conditionals ----

using Conditional = std::function<CategoricalTable<double>(const CategoricalWorld&, const Family&)>;

CategoricalTable<double> engine_conditional(const CategoricalWorld& world, const Family& f) {
  return world.conditional(f);
}

Finding conditional_is_bayes(const Conditional& conditional) {
  Finding finding;
  const auto check = [&](const CategoricalWorld& world, const Family& f) {
    const auto joint = joint_by_hand(world);
    const Dataset states = support::all_states(world.variables());
    const auto levels = std::size_t(world.variables()[f.child.value].levels);
    const std::size_t rows = configurations(world.variables(), f);
    std::vector<long double> cell(rows * levels, 0), parents(rows, 0);
    for (std::size_t s = 0; s < joint.size(); ++s) {
      const std::size_t c = parent_configuration(states, f, s);
      cell[c * levels + std::size_t(states.columns[f.child.value].levels[s])] += joint[s];
      parents[c] += joint[s];
    }
    const auto table = conditional(world, f);
    finding.require(table.rows() == rows && std::size_t(table.levels()) == levels, "shape");
    if (!finding.holds()) return;
    for (std::size_t c = 0; c < rows; ++c)
      for (std::size_t j = 0; j < levels; ++j)
        finding.near(table.row(c)[j], double(std::log(cell[c * levels + j] / parents[c])), 1e-13,
                     "log-probability");
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const Family& f : pair_hypotheses().families) check(pair_world(seed), f);
    for (const Family& f : {family(0, {}), family(3, {0}), family(3, {1, 2}), family(1, {0, 2, 3}),
                            family(2, {1}), family(0, {3, 1})})
      check(diamond_world(seed), f);
  }
  check(chain_world(), family(0, {2}));
  check(collider_world(), family(0, {1, 2}));
  return finding;
}

LAW(WorldLaws, ConditionalIsBayesRule, conditional_is_bayes, {{"conditional", engine_conditional}},
    {{"prior forgotten",
      [](const CategoricalWorld& world, const Family& f) {
        // As if every configuration of every other variable were equally likely.
        std::vector<CategoricalTable<double>> tables;
        for (std::size_t v = 0; v < world.variables().size(); ++v) {
          const auto& table = world.table(VariableId(v));
          tables.push_back(
              world.families()[v].parents.empty()
                  ? CategoricalTable<double>(
                        table.levels(),
                        std::vector<double>(std::size_t(table.levels()), -std::log(table.levels())))
                  : table);
        }
        return CategoricalWorld(world.variables(), world.families(), tables).conditional(f);
      }},
     {"parents in the other order",
      [](const CategoricalWorld& world, Family f) {
        std::reverse(f.parents.begin(), f.parents.end());
        return world.conditional(f);
      }},
     {"joint for conditional", [](const CategoricalWorld& world, const Family& f) {
        auto table = world.conditional(f);
        for (double& lp : table.parameters()) lp -= std::log(double(table.rows()));
        return table;
      }}});

/// log_joint against the product of the tables.
using LogJoint = std::function<std::vector<double>(const CategoricalWorld&)>;

Finding joint_is_product(const LogJoint& log_joint) {
  Finding finding;
  for (const CategoricalWorld& world :
       {pair_world(), chain_world(), collider_world(), diamond_world()}) {
    const auto expected = joint_by_hand(world);
    const auto measured = log_joint(world);
    finding.require(measured.size() == expected.size(), "one number per state");
    if (!finding.holds()) return finding;
    double sum = 0;
    for (std::size_t s = 0; s < expected.size(); ++s) {
      finding.near(measured[s], double(std::log(expected[s])), 1e-13, "state");
      sum += std::exp(measured[s]);
    }
    finding.near(sum, 1, 1e-14, "sum");
  }
  return finding;
}

LAW(WorldLaws, JointIsTheProductOfTheTables, joint_is_product,
    {{"log_joint", [](const CategoricalWorld& world) { return world.log_joint(); }}},
    {{"last variable most significant", [](const CategoricalWorld& world) {
        const auto joint = world.log_joint();
        const Dataset states = support::all_states(world.variables());
        std::vector<double> turned(joint.size());
        for (std::size_t s = 0; s < joint.size(); ++s) {
          std::size_t other = 0;
          for (std::size_t v = states.variables.size(); v-- > 0;)
            other = other * std::size_t(states.variables[v].levels) +
                    std::size_t(states.columns[v].levels[s]);
          turned[other] = joint[s];
        }
        return turned;
      }}});

// ---- extreme worlds ----

/// Draws a pair of 10 levels from Dirichlet(concentration).
using PairDraw = std::function<CategoricalWorld(double concentration, std::uint32_t run)>;

CategoricalWorld draw_ten(double concentration, std::uint32_t run) {
  return CategoricalWorld::draw_pair(10, concentration, 8, run);
}

Finding sparse_worlds_work(const PairDraw& draw) {
  Finding finding;
  for (double concentration : {0.01, 0.1})
    for (std::uint32_t run = 0; run < 30; ++run) {
      const CategoricalWorld world = draw(concentration, run);
      const auto check_rows = [&](const CategoricalTable<double>& table, const std::string& what) {
        for (std::size_t i = 0; i < table.rows(); ++i) {
          long double sum = 0;
          for (double lp : table.row(i)) {
            finding.require(std::isfinite(lp), what + ": logarithms are finite");
            sum += std::exp((long double)(lp));
          }
          finding.near(double(sum), 1, 1e-12, what + ": rows sum to 1");
        }
      };
      check_rows(world.table(VariableId(0)), "P(A)");
      check_rows(world.table(VariableId(1)), "P(B|A)");
      for (const Family& f : pair_hypotheses().families) check_rows(world.conditional(f), "Bayes");
      Dataset data = make_dataset(world.variables(), 100);
      sample_world(world, Stream(8, Purpose::sample, {run}), data);
      for (std::size_t r = 0; r < 100; ++r)
        finding.require(world.log_joint()[state_of(data, r)] > -40, "what is seen is possible");
    }
  return finding;
}

LAW(WorldLaws, SparseWorldsWork, sparse_worlds_work, {{"draw_pair", draw_ten}},
    {{"probabilities, not their logarithms", [](double concentration, std::uint32_t run) {
        const CategoricalWorld world = draw_ten(concentration, run);
        std::vector<CategoricalTable<double>> tables;
        for (std::size_t v = 0; v < 2; ++v) {
          auto table = world.table(VariableId(v));
          for (double& lp : table.parameters()) lp = std::log(std::exp(lp));
          tables.push_back(table);
        }
        return CategoricalWorld(world.variables(), world.families(), tables);
      }}});

}  // namespace
}  // namespace whence::laws
