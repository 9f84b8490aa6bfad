// Small tables, data sets and worlds to try laws on.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "whence/mechanisms/categorical_table.hpp"

namespace whence::support {

/// Numbers for test inputs from the standard's own generator, so that no sampler tests itself.
class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : generator_(seed) {}

  /// Uniform in [low, high).
  double real(double low, double high) {
    return low + (high - low) * (double(generator_() >> 11) * 0x1p-53);
  }
  int whole(int n) { return int(generator_() % std::uint64_t(n)); }
  std::uint64_t bits() { return generator_(); }
  std::vector<double> reals(std::size_t n, double low, double high) {
    std::vector<double> x(n);
    for (double& v : x) v = real(low, high);
    return x;
  }
  std::vector<std::int32_t> levels(std::size_t n, int levels) {
    std::vector<std::int32_t> x(n);
    for (std::int32_t& v : x) v = whole(levels);
    return x;
  }

 private:
  std::mt19937_64 generator_;
};

inline std::vector<Variable> categorical_variables(const std::vector<int>& levels) {
  std::vector<Variable> variables;
  for (std::size_t v = 0; v < levels.size(); ++v)
    variables.push_back({"V" + std::to_string(v), Variable::Kind::categorical, levels[v]});
  return variables;
}

/// Variable 0 with all the others as its parents.
inline Family first_given_rest(std::size_t variables) {
  Family family{VariableId(0), {}};
  for (std::size_t v = 1; v < variables; ++v) family.parents.push_back(VariableId(v));
  return family;
}

inline CategoricalTable<double> random_table(Inputs& inputs, int levels, std::size_t rows,
                                             double spread = 2) {
  return {levels, inputs.reals(rows * std::size_t(levels), -spread, spread)};
}

/// Every joint state once; the first variable changes slowest.
inline Dataset all_states(const std::vector<Variable>& variables) {
  std::size_t states = 1;
  for (const Variable& v : variables) states *= std::size_t(v.levels);
  Dataset data;
  data.variables = variables;
  data.columns.resize(variables.size());
  for (Column& column : data.columns) column.levels.resize(states);
  for (std::size_t s = 0; s < states; ++s) {
    std::size_t rest = s;
    for (std::size_t v = variables.size(); v-- > 0;) {
      data.columns[v].levels[s] = std::int32_t(rest % std::size_t(variables[v].levels));
      rest /= std::size_t(variables[v].levels);
    }
  }
  return data;
}

}  // namespace whence::support
