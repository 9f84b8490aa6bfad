// The variables of a simulated graph whose mechanisms are those of node_mechanism.hpp, with hidden
// common causes and with drift from run to run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/family.hpp"
#include "whence/worlds/node_mechanism.hpp"

namespace whence {

struct MechanismNodesSpec {
  GraphMechanism mechanism = GraphMechanism::linear;
  std::vector<Variable> variables;  // real, or categorical in a mixed world
  std::vector<Family> families;     // [variable]
  std::vector<VariableId> order;    // parents first
  std::vector<std::pair<std::size_t, std::size_t>> confounded;  // a hidden cause for each
  double drift = 0;  // of every mechanism in every shifted environment, in residual deviations
};

class MechanismNodes {
 public:
  /// Mechanisms are drawn, and 1000 unused rows give each variable's mean and deviation:
  /// causes enter, and forced values are chosen, in those units.
  MechanismNodes(MechanismNodesSpec spec, std::uint64_t seed);

  /// Fills these rows of column v; `how` is the stream of what changes. Rows from 0 on are the
  /// baseline, which does not drift. The causes' columns are filled already.
  void sample(VariableId v, NodeShift shift, Stream how, Stream stream, const Environment& rows,
              Dataset& data) const;

  const BaselineScale& scale(VariableId v) const { return scales_[v.value]; }

  static constexpr double hidden_weight = 1.5;  // in residual deviations, per hidden deviation
  static constexpr double slope_drift = 0.3;    // of the drift, per deviation of a cause

 private:
  struct Drift {
    double offset = 0;
    std::vector<double> slopes;  // [input]
  };

  std::size_t inputs_of(const Family& family) const;
  int levels_of(VariableId v) const;
  void read_inputs(const Family& family, const Dataset& data, std::size_t row,
                   std::vector<double>& inputs) const;
  void sample_rows(VariableId v, const NodeMechanism& mechanism, const Drift& drift,
                   const std::vector<Stream>& hidden, Stream stream, const Environment& rows,
                   Dataset& data) const;
  Drift draw_drift(std::size_t inputs, Stream& how) const;
  std::vector<Stream> hidden_streams(VariableId v, std::uint32_t run) const;
  void measure_scales();

  MechanismNodesSpec spec_;
  std::uint64_t seed_;
  std::vector<NodeMechanism> base_;
  std::vector<BaselineScale> scales_;
};

}  // namespace whence
