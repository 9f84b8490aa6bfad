#include "whence/worlds/categorical_world.hpp"

#include <limits>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/math/exponentials.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

std::vector<VariableId> topological_order(std::span<const Family> families) {
  std::vector<VariableId> order;
  std::vector<bool> placed(families.size(), false);
  while (order.size() < families.size()) {
    const std::size_t before = order.size();
    for (std::size_t v = 0; v < families.size(); ++v) {
      bool ready = !placed[v];
      for (VariableId parent : families[v].parents) ready = ready && placed[parent.value];
      if (!ready) continue;
      placed[v] = true;
      order.push_back(VariableId(v));
    }
    if (order.size() == before)
      throw Error(ExitCode::bad_config, "E-WORLD-CYCLE", "", "the graph of the world has a cycle",
                  "remove one of the edges that close it");
  }
  return order;
}

void check_shape(std::span<const Variable> variables, std::span<const Family> families,
                 std::span<const CategoricalTable<double>> tables) {
  bool fits = families.size() == variables.size() && tables.size() == variables.size();
  for (std::size_t v = 0; fits && v < variables.size(); ++v)
    fits = families[v].child == VariableId(v) && tables[v].levels() == variables[v].levels &&
           tables[v].rows() == configurations(variables, families[v]);
  if (!fits)
    throw Error(ExitCode::bad_config, "E-WORLD-SHAPE", "",
                "tables and families do not fit the variables",
                "give one family and one table per variable, with a row per parent configuration");
}

std::vector<double> cumulate_rows(std::span<const double> log_p, std::size_t levels) {
  std::vector<double> cumulative(log_p.size());
  for (std::size_t i = 0; i < log_p.size(); i += levels)
    cumulate(log_p.subspan(i, levels), std::span(cumulative).subspan(i, levels));
  return cumulative;
}

/// All joint states in order, the last variable running fastest: calls visit(levels of all
/// variables).
template <class Visit>
void each_state(std::span<const Variable> variables, const Visit& visit) {
  std::vector<std::size_t> state(variables.size(), 0);
  for (;;) {
    visit(state);
    std::size_t v = variables.size();
    while (v > 0 && ++state[v - 1] == std::size_t(variables[v - 1].levels)) state[--v] = 0;
    if (v == 0) return;
  }
}

/// The number of the parents' configuration, as parent_configuration() counts it.
std::size_t configuration_in(const std::vector<std::size_t>& state, const Family& family,
                             std::span<const Variable> variables) {
  std::size_t index = 0;
  for (VariableId parent : family.parents)
    index = index * std::size_t(variables[parent.value].levels) + state[parent.value];
  return index;
}

/// log of the sums of e^log_p over the states that share a cell.
std::vector<double> log_marginalise(std::span<const double> log_p,
                                    std::span<const std::size_t> cell, std::size_t cells) {
  std::vector<double> top(cells, minus_infinity), sum(cells, 0.0);
  for (std::size_t s = 0; s < log_p.size(); ++s) top[cell[s]] = std::max(top[cell[s]], log_p[s]);
  std::vector<double> share(log_p.begin(), log_p.end());  // of the likeliest state of its cell
  for (std::size_t s = 0; s < log_p.size(); ++s)
    if (log_p[s] > minus_infinity) share[s] -= top[cell[s]];
  exponentials(share);
  for (std::size_t s = 0; s < log_p.size(); ++s) sum[cell[s]] += share[s];
  for (std::size_t c = 0; c < cells; ++c)
    if (top[c] > minus_infinity) top[c] += portable_log(sum[c]);
  return top;
}

}  // namespace

CategoricalWorld::CategoricalWorld(std::vector<Variable> variables, std::vector<Family> families,
                                   std::vector<CategoricalTable<double>> tables)
    : variables_(std::move(variables)), families_(std::move(families)), tables_(std::move(tables)) {
  check_shape(variables_, families_, tables_);
  order_ = topological_order(families_);
  for (const auto& table : tables_)
    cumulative_.push_back(cumulate_rows(table.parameters(), std::size_t(table.levels())));
}

CategoricalWorld CategoricalWorld::draw(std::vector<Variable> variables,
                                        std::vector<Family> families, double concentration,
                                        std::uint64_t seed, std::uint32_t run) {
  std::vector<CategoricalTable<double>> tables;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    Stream stream(seed, Purpose::world, {run, 0, std::uint32_t(v)});
    CategoricalTable<double> table(variables[v].levels, configurations(variables, families[v]));
    const auto levels = std::size_t(table.levels());
    for (std::size_t i = 0; i < table.rows(); ++i)
      sample_log_dirichlet(stream, concentration, table.parameters().subspan(i * levels, levels));
    tables.push_back(std::move(table));
  }
  return {std::move(variables), std::move(families), std::move(tables)};
}

CategoricalWorld CategoricalWorld::draw_pair(int levels, double concentration, std::uint64_t seed,
                                             std::uint32_t run) {
  const auto categorical = Variable::Kind::categorical;
  return draw({{"A", categorical, levels}, {"B", categorical, levels}},
              {{VariableId(0), {}}, {VariableId(1), {VariableId(0)}}}, concentration, seed, run);
}

std::vector<double> CategoricalWorld::log_joint() const {
  std::size_t states = 1;
  for (const Variable& v : variables_) states *= std::size_t(v.levels);
  std::vector<double> log_p;
  log_p.reserve(states);
  each_state(variables_, [&](const std::vector<std::size_t>& state) {
    double sum = 0;
    for (std::size_t v = 0; v < variables_.size(); ++v)
      sum += tables_[v].row(configuration_in(state, families_[v], variables_))[state[v]];
    log_p.push_back(sum);
  });
  return log_p;
}

CategoricalTable<double> CategoricalWorld::conditional(const Family& family) const {
  return conditional(family, log_joint());
}

CategoricalTable<double> CategoricalWorld::conditional(const Family& family,
                                                       std::span<const double> joint) const {
  const auto levels = std::size_t(variables_[family.child.value].levels);
  const std::size_t rows = configurations(variables_, family);
  // Which cell of the family's table each joint state falls into.
  std::vector<std::size_t> cell, configuration;
  cell.reserve(joint.size());
  configuration.reserve(joint.size());
  each_state(variables_, [&](const std::vector<std::size_t>& state) {
    configuration.push_back(configuration_in(state, family, variables_));
    cell.push_back(configuration.back() * levels + state[family.child.value]);
  });
  std::vector<double> log_p = log_marginalise(joint, cell, rows * levels);
  const std::vector<double> log_parents = log_marginalise(joint, configuration, rows);
  for (std::size_t c = 0; c < log_p.size(); ++c)
    log_p[c] = log_parents[c / levels] > minus_infinity ? log_p[c] - log_parents[c / levels]
                                                        : -portable_log(double(levels));
  return {int(levels), std::move(log_p)};
}

ShiftedWorld::ShiftedWorld(const CategoricalWorld& base)
    : base_(&base), redrawn_(base.variables().size()) {
  shift({}, 1.0, Stream(0, Purpose::shift, {}));
}

void ShiftedWorld::shift(const Shift& what, double concentration, Stream stream) {
  views_.clear();
  for (std::size_t v = 0; v < base_->tables_.size(); ++v)
    views_.push_back({base_->tables_[v].parameters().data(), base_->cumulative_[v].data(),
                      std::size_t(base_->tables_[v].levels())});
  const auto all_rows = [&](VariableId v) { return base_->tables_[v.value].rows(); };
  switch (what.kind) {
    case ShiftKind::none: break;
    case ShiftKind::cause: redraw(what.cause, all_rows(what.cause), concentration, stream); break;
    case ShiftKind::effect: redraw(what.effect, 1, concentration, stream); break;
    case ShiftKind::mechanism:
      redraw(what.effect, all_rows(what.effect), concentration, stream);
      break;
    case ShiftKind::row: redraw_row(what.effect, concentration, stream); break;
    case ShiftKind::both:
      redraw(what.cause, all_rows(what.cause), concentration, stream);
      redraw(what.effect, all_rows(what.effect), concentration, stream);
      break;
  }
}

void ShiftedWorld::redraw(VariableId v, std::size_t rows, double concentration, Stream& stream) {
  const auto levels = std::size_t(base_->tables_[v.value].levels());
  Redrawn& fresh = redrawn_[v.value];
  fresh.log_p.resize(rows * levels);
  fresh.cumulative.resize(rows * levels);
  for (std::size_t i = 0; i < fresh.log_p.size(); i += levels) {
    sample_log_dirichlet(stream, concentration, std::span(fresh.log_p).subspan(i, levels),
                         std::span(fresh.cumulative).subspan(i, levels));
  }
  const bool ignores_parents = rows < base_->tables_[v.value].rows();
  views_[v.value] = {fresh.log_p.data(), fresh.cumulative.data(), ignores_parents ? 0 : levels};
}

void ShiftedWorld::redraw_row(VariableId v, double concentration, Stream& stream) {
  const auto& table = base_->tables_[v.value];
  const auto levels = std::size_t(table.levels());
  Redrawn& fresh = redrawn_[v.value];
  fresh.log_p.assign(table.parameters().begin(), table.parameters().end());
  fresh.cumulative = base_->cumulative_[v.value];
  const auto i = std::size_t(sample_index(stream, int(table.rows()))) * levels;
  sample_log_dirichlet(stream, concentration, std::span(fresh.log_p).subspan(i, levels),
                       std::span(fresh.cumulative).subspan(i, levels));
  views_[v.value] = {fresh.log_p.data(), fresh.cumulative.data(), levels};
}

void ShiftedWorld::sample(Stream stream, Dataset& data, std::size_t first, std::size_t rows) {
  uniforms_.resize(rows * views_.size());
  stream.fill(uniforms_);
  for (VariableId v : base_->order_) sample_column(v, data, first, rows);
}

void ShiftedWorld::sample_column(VariableId v, Dataset& data, std::size_t first, std::size_t rows) {
  const View& view = views_[v.value];
  const Family& family = base_->families_[v.value];
  const auto levels = std::size_t(base_->variables_[v.value].levels);
  const std::int32_t* configuration = nullptr;
  if (view.row_stride != 0 && family.parents.size() == 1) {
    configuration = &data.columns[family.parents[0].value].levels[first];
  } else if (view.row_stride != 0 && !family.parents.empty()) {
    configurations_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r)
      configurations_[r] = std::int32_t(parent_configuration(data, family, first + r));
    configuration = configurations_.data();
  }
  const std::size_t table_rows = view.row_stride == 0 ? 1 : base_->tables_[v.value].rows();
  sample_levels({view.cumulative, table_rows * levels}, levels, configuration, &uniforms_[v.value],
                views_.size(), std::span(data.columns[v.value].levels).subspan(first, rows));
}

CategoricalWorld ShiftedWorld::materialise() const {
  std::vector<CategoricalTable<double>> tables;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const auto& before = base_->tables_[v];
    const auto levels = std::size_t(before.levels());
    std::vector<double> log_p;
    for (std::size_t i = 0; i < before.rows(); ++i) {
      const double* row = views_[v].log_p + i * views_[v].row_stride;
      log_p.insert(log_p.end(), row, row + levels);
    }
    tables.emplace_back(int(levels), std::move(log_p));
  }
  return {base_->variables_, base_->families_, std::move(tables)};
}

Dataset make_dataset(std::span<const Variable> variables, std::size_t rows) {
  Dataset data;
  data.variables.assign(variables.begin(), variables.end());
  data.columns.resize(variables.size());
  for (Column& column : data.columns) column.levels.resize(rows);
  return data;
}

}  // namespace whence
