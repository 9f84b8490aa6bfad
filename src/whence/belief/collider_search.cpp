#include "whence/belief/collider_search.hpp"

#include "whence/belief/equivalence_class.hpp"

namespace whence {

namespace {

/// Whether the effect has another cause that is not joined with this one.
bool collides(const Dag& dag, std::size_t cause, std::size_t effect) {
  bool found = false;
  dag.parents(effect).each(
      [&](std::size_t v) { found = found || (v != cause && !dag.adjacent(v, cause)); });
  return found;
}

}  // namespace

bool open_colliders(const FamilyTable& table, GraphClimber& climber,
                    const std::atomic<bool>* stop) {
  constexpr double reach = -100, least_gain = 1e-9;  // nats
  bool any = false;
  for (std::size_t effect = 0; effect < table.variables(); ++effect)
    for (const std::size_t cause : climber.dag().parents(effect).members()) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) return any;
      const Dag before = climber.dag();
      if (!before.edge(cause, effect) || !collides(before, cause, effect)) continue;
      Dag next = member_from(equivalence_class(before.graph()), cause);
      next.flip(cause, effect);
      next.flip(effect, cause);
      const double old = climber.score();
      if (!next.update() || table.total(climber.regime(), next) < old + reach) continue;
      climber.set_dag(next);
      climber.climb(stop);
      if (climber.score() > old + least_gain)
        any = true;
      else
        climber.set_dag(before);
    }
  return any;
}

}  // namespace whence
