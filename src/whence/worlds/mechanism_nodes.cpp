#include "whence/worlds/mechanism_nodes.hpp"

#include <cmath>

namespace whence {

namespace {

// Cells of Purpose::sample {run, environment, variable}: 0 holds the noise of variables, 1
// shuffles.
constexpr std::uint32_t hidden_run = 4, hidden_pilot_run = 5;
constexpr std::size_t pilot_rows = 1000;

void set_value(Column& column, bool categorical, std::size_t row, double value) {
  if (categorical)
    column.levels[row] = std::int32_t(value);
  else
    column.values[row] = value;
}

BaselineScale scale_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (double x : values) mean += x / double(values.size());
  for (double x : values) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / double(values.size()))};
}

}  // namespace

MechanismNodes::MechanismNodes(MechanismNodesSpec spec, std::uint64_t seed)
    : spec_(std::move(spec)), seed_(seed), scales_(spec_.variables.size()) {
  for (const Family& family : spec_.families) {
    Stream stream(seed, Purpose::world, {0, 0, std::uint32_t(family.child.value)});
    base_.push_back(NodeMechanism::draw(spec_.mechanism, inputs_of(family), levels_of(family.child),
                                        false, stream));
  }
  measure_scales();
}

void MechanismNodes::measure_scales() {
  Dataset pilot;
  pilot.variables = spec_.variables;
  pilot.columns.resize(spec_.variables.size());
  const Environment rows{"pilot", 0, pilot_rows};
  for (VariableId v : spec_.order) {
    Column& column = pilot.columns[v.value];
    levels_of(v) > 0 ? column.levels.resize(pilot_rows) : column.values.resize(pilot_rows);
    sample_rows(v, base_[v.value], {}, hidden_streams(v, hidden_pilot_run),
                Stream(seed_, Purpose::test_set, {2, 0, std::uint32_t(v.value)}), rows, pilot);
    if (levels_of(v) == 0) scales_[v.value] = scale_of(column.values);
  }
}

int MechanismNodes::levels_of(VariableId v) const {
  const Variable& variable = spec_.variables[v.value];
  return variable.kind == Variable::Kind::categorical ? variable.levels : 0;
}

std::size_t MechanismNodes::inputs_of(const Family& family) const {
  std::size_t inputs = 0;
  for (VariableId p : family.parents) inputs += std::size_t(std::max(1, levels_of(p)));
  return inputs;
}

void MechanismNodes::read_inputs(const Family& family, const Dataset& data, std::size_t row,
                                 std::vector<double>& inputs) const {
  inputs.clear();
  for (VariableId p : family.parents) {
    const Column& column = data.columns[p.value];
    const BaselineScale& scale = scales_[p.value];
    if (const int levels = levels_of(p); levels > 0) {
      for (int k = 0; k < levels; ++k) inputs.push_back(column.levels[row] == k ? 1 : 0);
    } else if (spec_.mechanism == GraphMechanism::dense_network) {
      inputs.push_back(column.values[row]);
    } else if (spec_.mechanism == GraphMechanism::multiplicative) {
      inputs.push_back(column.values[row] / scale.mean);
    } else {
      inputs.push_back((column.values[row] - scale.mean) / scale.deviation);
    }
  }
}

std::vector<Stream> MechanismNodes::hidden_streams(VariableId v, std::uint32_t run) const {
  std::vector<Stream> streams;
  for (std::size_t k = 0; k < spec_.confounded.size(); ++k)
    if (spec_.confounded[k].first == v.value || spec_.confounded[k].second == v.value)
      streams.emplace_back(seed_, Purpose::sample, Cell{run, 0, std::uint32_t(k)});
  return streams;
}

MechanismNodes::Drift MechanismNodes::draw_drift(std::size_t inputs, Stream& how) const {
  Drift drift{spec_.drift * sample_normal(how), {}};
  for (std::size_t i = 0; i < inputs; ++i)
    drift.slopes.push_back(slope_drift * spec_.drift * sample_normal(how));
  return drift;
}

void MechanismNodes::sample_rows(VariableId v, const NodeMechanism& mechanism, const Drift& drift,
                                 const std::vector<Stream>& hidden, Stream stream,
                                 const Environment& rows, Dataset& data) const {
  const Family& family = spec_.families[v.value];
  const bool categorical = levels_of(v) > 0;
  std::vector<double> inputs;
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    read_inputs(family, data, r, inputs);
    double extra = drift.offset;
    for (std::size_t i = 0; i < drift.slopes.size(); ++i) extra += drift.slopes[i] * inputs[i];
    // Both effects of a hidden cause read the same number for a row.
    for (const Stream& cause : hidden)
      extra += hidden_weight * normal_quantile(cause.uniform_at(std::uint32_t(r)));
    set_value(data.columns[v.value], categorical, r, mechanism.sample(inputs, extra, stream));
  }
}

void MechanismNodes::sample(VariableId v, NodeShift shift, Stream how, Stream stream,
                            const Environment& rows, Dataset& data) const {
  const std::size_t inputs = inputs_of(spec_.families[v.value]);
  if (shift == NodeShift::hard) {
    const ForcedLaw law = ForcedLaw::draw(spec_.mechanism, levels_of(v), scales_[v.value], how);
    for (std::size_t r = rows.begin; r < rows.end; ++r)
      set_value(data.columns[v.value], levels_of(v) > 0, r, law.sample(stream));
    return;
  }
  const bool drifts = spec_.drift > 0 && rows.begin > 0 && shift == NodeShift::none;
  const Drift drift = drifts ? draw_drift(inputs, how) : Drift{};
  if (shift == NodeShift::soft) {
    const auto mechanism = NodeMechanism::draw(spec_.mechanism, inputs, levels_of(v), true, how);
    return sample_rows(v, mechanism, drift, hidden_streams(v, hidden_run), stream, rows, data);
  }
  sample_rows(v, base_[v.value], drift, hidden_streams(v, hidden_run), stream, rows, data);
}

}  // namespace whence
