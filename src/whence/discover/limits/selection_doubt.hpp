// Groups of one table may have been formed by what their rows hold. Choosing rows by a variable
// looks exactly like a change of that variable, whatever causes it: an arrow that rests on such
// changes alone may be turned round.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// The most that a direction may have which a choice of rows would explain as well.
inline constexpr double highest_if_selected = 0.75;

/// From here on a mechanism counts as changed for the sake of directions: two groups without a
/// baseline share a change between them, so that each has about half of it.
inline constexpr double likely_change = 0.4;

/// From the evidence, in nats, that a cause and its effect have another law in an environment, and
/// how strongly they are linked: whether the cause stayed as it was although, were it the effect,
/// it would have moved by the share of the other's move that their link explains. Rows chosen by
/// either would have moved both.
bool stayed_visibly(double cause_moved, double effect_moved, double link);

/// What rows say of how environments came about. Refers to what it is given.
class ChosenRows {
 public:
  ChosenRows(const GraphResult& result, const Dataset& data, const GraphOptions& options)
      : result_(result), data_(data), options_(options) {}

  /// Whether some environment that supports the edge cannot have been made by a choice of rows:
  /// its target is known; or the effect changed there and its cause stayed as it was; or the cause
  /// changed against a cause of its own that stayed.
  bool exclude(const EdgeFinding& edge);

 private:
  bool speaks(const EdgeFinding& edge, std::size_t e) const;
  bool has_known_target(std::size_t e) const;
  bool changed_alone(const EdgeFinding& edge, std::size_t e);
  bool is_real(std::size_t variable, std::size_t e);
  double moved(std::size_t variable, std::size_t e);
  std::vector<std::size_t> compared_with(std::size_t e) const;

  const GraphResult& result_;
  const Dataset& data_;
  const GraphOptions& options_;
  std::map<std::pair<std::size_t, std::size_t>, double> evidence_;  // of another law, nats
};

}  // namespace whence
