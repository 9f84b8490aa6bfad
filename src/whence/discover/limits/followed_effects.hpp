// Whether an effect was seen to follow its cause, where an exact model answers. Such models know no
// hidden common cause. It joins its effects by an edge, and any environment in which one of them
// changed seems to give that edge a direction. They differ in one thing: where the mechanism
// of one end changed, the effect of a cause moves with it, and a common effect does not.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Rows and an answer about them; refers to both.
class FollowedEffects {
 public:
  FollowedEffects(const GraphResult& result, const Dataset& data) : result_(result), data_(data) {}

  /// Nats for "acts on" against "something hidden, which stays as it is, acts on both", from all
  /// environments in which the mechanism of the cause changed and not everything did. There the
  /// effect should lie where its causes take it; or, if something is hidden, where the others alone
  /// would. Either may be false at the cost of one more change. An effect that went half as far
  /// again as it should have moved with what is hidden, and supports neither.
  double against_hidden(std::size_t cause, std::size_t effect) const;

 private:
  bool changed(std::size_t variable, std::size_t e) const;
  /// Environments in which both ends have their usual mechanism; where there is none, the baseline
  /// or the largest other environment.
  std::vector<std::size_t> usual(std::size_t cause, std::size_t effect, std::size_t e) const;

  const GraphResult& result_;
  const Dataset& data_;
};

}  // namespace whence
