#include "whence/discover/graph/equal_columns.hpp"

#include <algorithm>

namespace whence {

namespace {

using Group = std::vector<std::size_t>;

bool are_equal(const Dataset& data, std::size_t a, std::size_t b) {
  return data.variables[a].kind == data.variables[b].kind &&
         data.variables[a].dimension == data.variables[b].dimension &&
         data.columns[a].levels == data.columns[b].levels &&
         data.columns[a].values == data.columns[b].values;
}

/// The mean of all values that `at` gives for members of the group, put in the place of each.
template <class At>
void level_out(const Group& group, const At& at) {
  double sum = 0;
  for (const std::size_t v : group) sum += at(v);
  for (const std::size_t v : group) at(v) = sum / double(group.size());
}

void level_out(const Group& group, EdgeMatrix& matrix) {
  if (matrix.variables == 0) return;
  for (std::size_t other = 0; other < matrix.variables; ++other) {
    if (std::find(group.begin(), group.end(), other) != group.end()) continue;
    level_out(group, [&](std::size_t v) -> double& { return matrix.at(v, other); });
    level_out(group, [&](std::size_t v) -> double& { return matrix.at(other, v); });
  }
  double sum = 0;
  for (const std::size_t a : group)
    for (const std::size_t b : group) sum += a == b ? 0 : matrix.at(a, b);
  const double mean = sum / double(group.size() * (group.size() - 1));
  for (const std::size_t a : group)
    for (const std::size_t b : group)
      if (a != b) matrix.at(a, b) = mean;
}

}  // namespace

std::vector<Group> equal_columns(const Dataset& data) {
  std::vector<Group> groups;
  std::vector<char> told(data.variables.size(), 0);
  for (std::size_t a = 0; a < data.variables.size(); ++a) {
    if (told[a]) continue;
    Group group = {a};
    for (std::size_t b = a + 1; b < data.variables.size(); ++b)
      if (!told[b] && are_equal(data, a, b)) {
        group.push_back(b);
        told[b] = 1;
      }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

bool share_among_equal_columns(GraphResult& result, const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    for (EdgeMatrix* matrix :
         {&result.edges, &result.edge_errors, &result.hidden, &result.shift_only})
      level_out(group, *matrix);
    for (GraphEnvironment& e : result.environments)
      if (!e.changed.empty())
        level_out(group, [&](std::size_t v) -> double& { return e.changed[v]; });
  }
  return !groups.empty();
}

}  // namespace whence
