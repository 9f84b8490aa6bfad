#include "whence/discover/pair/adaptation_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace whence {
namespace {

constexpr std::size_t places = 12, fewest = 4, most_rows = 100'000;

/// By a constant factor from the fewest to all.
std::vector<std::size_t> stops(std::size_t rows) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < places; ++i) {
    const double ratio = double(rows) / double(fewest);
    const auto seen =
        std::size_t(std::lround(double(fewest) * std::pow(ratio, double(i) / double(places - 1))));
    if (list.empty() || seen > list.back()) list.push_back(seen);
  }
  return list;
}

}  // namespace

std::vector<std::size_t> loudest_environments(const DirectionResult& result) {
  std::vector<std::size_t> order(result.environments.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t e) { return result.environments[e].baseline; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(result.environments[a].log_odds) > std::abs(result.environments[b].log_odds);
  });
  return order;
}

std::optional<std::size_t> reference_of(const DirectionResult& result) {
  for (std::size_t e = 0; e < result.environments.size(); ++e)
    if (result.environments[e].baseline) return e;
  const std::vector<std::size_t> order = loudest_environments(result);
  return order.size() < 2 ? std::nullopt : std::optional(order.back());
}

std::optional<AdaptationPath> adaptation_path(const Dataset& data, const DirectionOptions& options,
                                              const DirectionResult& result,
                                              const Control& control) {
  const std::vector<std::size_t> order = loudest_environments(result);
  const std::optional<std::size_t> reference = reference_of(result);
  if (order.empty() || !reference) return std::nullopt;
  const std::size_t rows = data.environments[order[0]].rows();
  if (rows < 2 * fewest || data.rows() > most_rows) return std::nullopt;
  DirectionOptions quick = options;
  quick.entity.clear();  // of all rows
  quick.sensitivity = false;
  quick.model = result.model;
  quick.baseline = 0;
  AdaptationPath path{order[0], *reference, stops(rows), {}};
  Dataset part = data;  // the reference, and the first rows of the environment
  part.environments = {data.environments[*reference], data.environments[order[0]]};
  for (const std::size_t seen : path.rows) {
    part.environments[1].end = part.environments[1].begin + seen;
    path.belief.push_back(find_direction(part, quick, control).belief);
  }
  return path;
}

}  // namespace whence
