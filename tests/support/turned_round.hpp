// The same data in another order.
#pragma once

#include "whence/core/dataset.hpp"

namespace whence::support {

/// Columns and environments turned round, rows of each environment backwards. Environments follow
/// one another without gaps, so that each column is simply read from its end.
inline Dataset turned_round(const Dataset& data) {
  Dataset out;
  for (std::size_t v = data.variables.size(); v-- > 0;) {
    const auto& [levels, values] = data.columns[v];
    out.variables.push_back(data.variables[v]);
    out.columns.push_back({{levels.rbegin(), levels.rend()}, {values.rbegin(), values.rend()}});
  }
  std::size_t row = 0;
  for (std::size_t e = data.environments.size(); e-- > 0;) {
    out.environments.push_back({data.environments[e].name, row, row + data.environments[e].rows()});
    row = out.environments.back().end;
  }
  return out;
}

}  // namespace whence::support
