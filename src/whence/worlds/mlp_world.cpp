#include "whence/worlds/mlp_world.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

/// P(child | parents in row r of the data), cumulated.
void cumulate_row(const CategoricalMlp<double>& mlp, const Dataset& data, const Family& family,
                  std::size_t r, std::span<double> cumulative) {
  cumulate(mlp.log_probs(data, family, r), cumulative);
}

}  // namespace

std::vector<VariableId> parents_first(std::span<const Family> families) {
  std::vector<VariableId> order;
  std::vector<bool> placed(families.size(), false);
  while (order.size() < families.size())
    for (std::size_t v = 0; v < families.size(); ++v) {
      bool ready = !placed[v];
      for (VariableId parent : families[v].parents) ready = ready && placed[parent.value];
      if (!ready) continue;
      placed[v] = true;
      order.emplace_back(v);
    }
  return order;
}

MlpWorld::MlpWorld(std::vector<Variable> variables, const Graph& graph,
                   std::vector<CategoricalMlp<double>> mechanisms)
    : variables_(std::move(variables)),
      graph_(graph),
      families_(graph.families()),
      mechanisms_(std::move(mechanisms)) {
  if (!graph.is_acyclic())
    throw Error(ExitCode::bad_config, "E-WORLD-CYCLE", "", "the graph of the world has a cycle",
                "remove one of the edges that close it");
  bool fits = families_.size() == variables_.size() && mechanisms_.size() == variables_.size();
  for (std::size_t v = 0; fits && v < variables_.size(); ++v) {
    const MlpShape& shape = mechanisms_[v].shape();
    fits = shape == mlp_shape(variables_, families_[v], shape.hidden, shape.activation);
  }
  if (!fits)
    throw Error(ExitCode::bad_config, "E-WORLD-SHAPE", "",
                "networks and graph do not fit the variables",
                "give one network per variable, with an input per parent");
  order_ = parents_first(families_);
}

CategoricalMlp<double> draw_mlp(std::span<const Variable> variables, const Family& family,
                                const MlpDraw& how, Stream& stream) {
  CategoricalMlp<double> mlp(mlp_shape(variables, family, how.hidden, how.activation));
  std::size_t units = 0;
  for (const Variable& v : variables) units += std::size_t(v.levels);
  initialise(mlp,
             how.kaiming
                 ? MlpInitialisation::kaiming(units, how.hidden, how.bias)
                 : MlpInitialisation::one_hot(family.parents.size(), how.hidden, how.spread),
             stream);
  return mlp;
}

MlpWorld MlpWorld::draw(std::vector<Variable> variables, const Graph& graph, const MlpDraw& how,
                        std::uint64_t seed, std::uint32_t run) {
  std::vector<CategoricalMlp<double>> mechanisms;
  for (const Family& family : graph.families()) {
    Stream stream(seed, Purpose::world, {run, 0, std::uint32_t(family.child.value)});
    mechanisms.push_back(draw_mlp(variables, family, how, stream));
  }
  return {std::move(variables), graph, std::move(mechanisms)};
}

CategoricalWorld MlpWorld::tabulate() const {
  std::vector<CategoricalTable<double>> tables;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Family& family = families_[v];
    Dataset row = make_dataset(variables_, 1);
    std::vector<double> logits;
    for (std::size_t i = 0; i < configurations(variables_, family); ++i) {
      std::size_t rest = i;  // mixed radix, the first parent most significant
      for (std::size_t k = family.parents.size(); k-- > 0;) {
        const std::size_t parent = family.parents[k].value;
        const auto levels = std::size_t(variables_[parent].levels);
        row.columns[parent].levels[0] = std::int32_t(rest % levels);
        rest /= levels;
      }
      const std::vector<double> log_p = mechanisms_[v].log_probs(row, family, 0);
      logits.insert(logits.end(), log_p.begin(), log_p.end());
    }
    tables.emplace_back(variables_[v].levels, std::move(logits));
  }
  return {variables_, families_, std::move(tables)};
}

std::vector<Variable> letter_variables(std::size_t variables, int levels) {
  std::vector<Variable> list;
  for (std::size_t v = 0; v < variables; ++v)
    list.push_back({v < 26 ? std::string(1, char('A' + v)) : "V" + std::to_string(v),
                    Variable::Kind::categorical, levels});
  return list;
}

Graph draw_graph(std::size_t variables, double p, Stream stream) {
  Graph graph(variables);
  for (std::size_t i = 0; i < variables; ++i)
    for (std::size_t j = i + 1; j < variables; ++j)
      graph.set_edge(VariableId(i), VariableId(j), stream.uniform() < p);
  return graph;
}

ShiftedMlpWorld::ShiftedMlpWorld(const MlpWorld& base)
    : base_(&base),
      rows_(base.variables().size()),
      changed_(base.variables().size()),
      is_changed_(base.variables().size(), false) {}

void ShiftedMlpWorld::shift(const Shift& what, const MlpDraw& how, Stream stream) {
  is_changed_.assign(is_changed_.size(), false);
  const auto& variables = base_->variables();
  const auto redraw = [&](VariableId v, bool hard) {
    const Family& family = base_->families()[v.value];
    const Family alone{v, {}};
    Changed fresh;
    fresh.mechanism = draw_mlp(variables, hard ? alone : family, how, stream);
    fresh.ignores_parents = hard;
    changed_[v.value] = std::move(fresh);
    is_changed_[v.value] = true;
  };
  switch (what.kind) {
    case ShiftKind::none: break;
    case ShiftKind::cause: redraw(what.cause, false); break;
    case ShiftKind::effect: redraw(what.effect, true); break;
    case ShiftKind::mechanism: redraw(what.effect, false); break;
    case ShiftKind::row: {
      const Family& family = base_->families()[what.effect.value];
      const std::size_t rows = configurations(variables, family);
      Changed fresh;
      fresh.row = std::size_t(sample_index(stream, int(rows)));
      fresh.row_cumulative.resize(std::size_t(variables[what.effect.value].levels));
      const Family alone{what.effect, {}};
      const Dataset empty = make_dataset(variables, 1);
      cumulate_row(draw_mlp(variables, alone, how, stream), empty, alone, 0, fresh.row_cumulative);
      changed_[what.effect.value] = std::move(fresh);
      is_changed_[what.effect.value] = true;
      break;
    }
    case ShiftKind::both:
      redraw(what.cause, false);
      redraw(what.effect, false);
      break;
  }
}

void ShiftedMlpWorld::force(VariableId v, Stream stream) {
  is_changed_.assign(is_changed_.size(), false);
  const int levels = base_->variables()[v.value].levels;
  CategoricalMlp<double> mlp(mlp_shape(base_->variables(), Family{v, {}}, 1, Activation::relu));
  mlp.parameters()[mlp.bias2_begin() + std::size_t(sample_index(stream, levels))] = 1000;
  Changed fresh;
  fresh.mechanism = std::move(mlp);
  fresh.ignores_parents = true;
  changed_[v.value] = std::move(fresh);
  is_changed_[v.value] = true;
}

const double* ShiftedMlpWorld::row_of(VariableId v, const Dataset& data, std::size_t r) {
  const bool changed = is_changed_[v.value];
  Changed& change = changed_[v.value];
  const Family& family = base_->families()[v.value];
  const bool alone = changed && change.ignores_parents;
  const std::size_t i = alone ? 0 : parent_configuration(data, family, r);
  if (changed && change.row && *change.row == i) return change.row_cumulative.data();
  const bool own = changed && change.mechanism.has_value();
  Rows& rows = own ? change.rows : rows_[v.value];
  const CategoricalMlp<double>& mlp = own ? *change.mechanism : base_->mechanism(v);
  const auto levels = std::size_t(mlp.levels());
  if (rows.known.empty()) {
    const std::size_t count = alone ? 1 : configurations(base_->variables(), family);
    rows.known.assign(count, 0);
    rows.cumulative.resize(count * levels);
  }
  double* cumulative = &rows.cumulative[i * levels];
  if (rows.known[i] == 0) {
    cumulate_row(mlp, data, alone ? Family{v, {}} : family, r, {cumulative, levels});
    rows.known[i] = 1;
  }
  return cumulative;
}

void ShiftedMlpWorld::sample(Stream stream, Dataset& data, std::size_t first, std::size_t rows) {
  const std::size_t variables = base_->variables().size();
  uniforms_.resize(rows * variables);
  stream.fill(uniforms_);
  for (VariableId v : base_->order()) {
    const auto levels = std::size_t(base_->variables()[v.value].levels);
    for (std::size_t r = 0; r < rows; ++r)
      data.columns[v.value].levels[first + r] =
          sample_level({row_of(v, data, first + r), levels}, uniforms_[r * variables + v.value]);
  }
}

}  // namespace whence
