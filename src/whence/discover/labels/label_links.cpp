// What stands between two variables of a graph by labels.
#include "whence/discover/labels/label_search.hpp"

namespace whence {

Link LabelGraph::link(std::size_t a, std::size_t b) const {
  const LabelFamily &of_a = families[a], &of_b = families[b];
  if (of_b.linked.has(a)) return of_b.causes.has(a) ? Link::forward : Link::hidden_forward;
  if (of_a.linked.has(b)) return of_a.causes.has(b) ? Link::backward : Link::hidden_backward;
  if (of_b.causes.has(a)) return Link::shift_forward;
  return of_a.causes.has(b) ? Link::shift_backward : Link::none;
}

void LabelGraph::set(std::size_t a, std::size_t b, Link link) {
  LabelFamily &of_a = families[a], &of_b = families[b];
  of_a = {of_a.causes.without(b), of_a.linked.without(b)};
  of_b = {of_b.causes.without(a), of_b.linked.without(a)};
  switch (link) {
    case Link::none: break;
    case Link::forward: of_b = {of_b.causes.with(a), of_b.linked.with(a)}; break;
    case Link::backward: of_a = {of_a.causes.with(b), of_a.linked.with(b)}; break;
    case Link::hidden_forward: of_b.linked = of_b.linked.with(a); break;
    case Link::hidden_backward: of_a.linked = of_a.linked.with(b); break;
    case Link::shift_forward: of_b.causes = of_b.causes.with(a); break;
    case Link::shift_backward: of_a.causes = of_a.causes.with(b); break;
  }
}

bool LabelGraph::reaches(std::size_t from, std::size_t to) const {
  std::vector<std::size_t> open = {to};
  VariableSet seen = VariableSet().with(to);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == from) return true;
    const VariableSet fresh = families[at].all().minus(seen);
    seen = seen | fresh;
    fresh.each([&](std::size_t v) { open.push_back(v); });
  }
  return false;
}

std::vector<std::size_t> LabelGraph::order() const {
  std::vector<std::size_t> list;
  VariableSet placed;
  while (list.size() < variables())
    for (std::size_t v = 0; v < variables(); ++v)
      if (!placed.has(v) && families[v].all().minus(placed).empty()) {
        list.push_back(v);
        placed = placed.with(v);
      }
  return list;
}

}  // namespace whence
