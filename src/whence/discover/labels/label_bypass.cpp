// An edge from a cause to what it reaches through others: the rival that has no such edge.
#include "whence/discover/labels/label_search.hpp"

namespace whence {

/// Whatever is linked with a variable.
static VariableSet neighbours(const LabelGraph& graph, std::size_t v) {
  VariableSet near = graph.families[v].all();
  for (std::size_t other = 0; other < graph.variables(); ++other)
    if (graph.families[other].all().has(v)) near = near.with(other);
  return near;
}

std::optional<LabelGraph> LabelSearch::bypassed(std::size_t from, std::size_t to) const {
  if (!allowed(std::min(from, to), std::max(from, to), Link::none)) return {};
  LabelGraph graph = best_;
  graph.set(std::min(from, to), std::max(from, to), Link::none);
  const VariableSet near = neighbours(best_, from).without(to);
  LabelFamily& family = graph.families[to];
  for (bool moved = true; moved && !stopped();) {
    moved = false;
    LabelFamily better = family;
    double best = score_.family(to, family) + improved;
    const auto consider = [&](const LabelFamily& next) {
      if (!allows_family(to, next)) return;
      const double value = score_.family(to, next);
      if (value <= best) return;
      best = value;
      better = next;
      moved = true;
    };
    near.each([&](std::size_t v) {
      if (!candidate(v, to) || family.all().has(v) || graph.reaches(to, v)) return;
      consider({family.causes.with(v), family.linked.with(v)});
    });
    family.all().each([&](std::size_t v) {
      consider({family.causes.without(v), family.linked.without(v)});
    });
    family = better;
  }
  return graph;
}

}  // namespace whence
