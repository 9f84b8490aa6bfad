#include "whence/discover/labels/label_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/evidence/labels/new_evidence.hpp"

namespace whence {

LabelSearch::LabelSearch(LabelScore& score, const LabelSearchOptions& options)
    : score_(score),
      options_(options),
      m_(score.variables()),
      candidates_(m_ * m_),
      partners_(m_),
      movers_(m_),
      unmoved_by_(m_),
      best_(m_) {}

/// The evidence that jobs ask for is worked out by all processes together, and kept; then whoever
/// asks for it finds it. Answers are the same without: evidence depends on the data alone.
void LabelSearch::share(const std::string& what, std::size_t units,
                        const std::function<void(std::size_t)>& job) const {
  if (options_.work == nullptr || stopped()) return;
  constexpr std::size_t most_parts = 16;  // neighbours ask for much the same
  const std::size_t parts = std::min(units, most_parts);
  const std::string stage = options_.part + "labels " + std::to_string(shared_++) + " " + what;
  const auto work_out = [&](std::size_t part) {
    NewEvidence fresh;
    for (std::size_t i = part * units / parts; i < (part + 1) * units / parts; ++i) job(i);
    return fresh.take();
  };
  for (const std::string& bytes : options_.work->results(stage, parts, options_.threads, work_out))
    if (!learn_evidence(bytes, score_.joint(), score_.shift()))
      throw Error(ExitCode::checkpoint, "E-CHECKPOINT-DAMAGED", stage,
                  "a kept part of the search does not hold what it should",
                  "delete the checkpoint and start again");
}

double LabelSearch::total(const LabelGraph& graph) const {
  double sum = 0;
  for (std::size_t v = 0; v < m_; ++v) sum += score_.family(v, graph.families[v]);
  return sum;
}

bool LabelSearch::allowed(std::size_t a, std::size_t b, Link link) const {
  const bool goes_forward = link == Link::forward || link == Link::shift_forward;
  const bool goes_backward = link == Link::backward || link == Link::shift_backward;
  using Word = EdgeKnowledge::Word;
  const bool known = options_.knowledge != nullptr && !options_.knowledge->words.empty();
  const Word forward = known ? options_.knowledge->of(m_, a, b) : Word::open,
             backward = known ? options_.knowledge->of(m_, b, a) : Word::open;
  if (goes_forward && forward != Word::required && unmoved_by_[b].has(a)) return false;
  if (goes_backward && backward != Word::required && unmoved_by_[a].has(b)) return false;
  if (forward == Word::required) return goes_forward;
  if (backward == Word::required) return goes_backward;
  return !(goes_forward && forward == Word::forbidden) &&
         !(goes_backward && backward == Word::forbidden);
}

bool LabelSearch::allows_family(std::size_t child, const LabelFamily& family) const {
  if (family.all().size() > options_.most_parents) return false;
  if (options_.knowledge == nullptr || options_.knowledge->words.empty())
    return (family.causes & unmoved_by_[child]).empty();
  bool fine = true;
  for (std::size_t v = 0; v < m_; ++v) {
    const auto word = options_.knowledge->of(m_, v, child);
    const bool barred = word == EdgeKnowledge::Word::forbidden ||
                        (word != EdgeKnowledge::Word::required && unmoved_by_[child].has(v));
    if (barred && family.causes.has(v)) fine = false;
    if (word == EdgeKnowledge::Word::required && !family.causes.has(v)) fine = false;
    if (options_.knowledge->of(m_, child, v) == EdgeKnowledge::Word::required &&
        family.all().has(v))
      fine = false;
  }
  return fine;
}

/// Of putting another link between two variables, where that is above `floor`; `impossible` where
/// it closes a cycle.
double LabelSearch::gain(const LabelGraph& graph, std::size_t a, std::size_t b, Link link,
                         double floor) const {
  if (!allowed(a, b, link)) return impossible;
  LabelGraph other = graph;
  other.set(a, b, Link::none);
  const bool forward =
      link == Link::forward || link == Link::hidden_forward || link == Link::shift_forward;
  if (link != Link::none && (forward ? other.reaches(b, a) : other.reaches(a, b)))
    return impossible;
  other.set(a, b, link);
  if (other.families[a].all().size() > options_.most_parents ||
      other.families[b].all().size() > options_.most_parents)
    return impossible;
  std::array<std::size_t, 2> changed{};
  std::size_t count = 0;
  double before = 0;
  for (std::size_t v : {a, b})
    if (!(other.families[v] == graph.families[v])) {
      changed[count++] = v;
      before += score_.family(v, graph.families[v]);
    }
  if (count == 1)
    return score_.family_above(floor + before, changed[0], other.families[changed[0]]) - before;
  const LabelFamily &first = other.families[a], &second = other.families[b];
  const double needed = floor + before;
  const double of_first = score_.family_above(needed - score_.family_at_most(b, second), a, first);
  const double of_second = score_.family_above(needed - of_first, b, second);
  return of_first + of_second - before;
}

/// Of all links between a variable and those after it.
LabelSearch::Move LabelSearch::best_move(const LabelGraph& graph, std::size_t a,
                                         std::optional<Pair> kept) const {
  Move best;
  for (std::size_t b = a + 1; b < m_; ++b) {
    if (!candidate(a, b) || kept == Pair(a, b)) continue;
    for (int k = 0; k < link_kinds; ++k) {
      if (Link(k) == graph.link(a, b)) continue;
      const double found = gain(graph, a, b, Link(k), best.gain);
      if (found > best.gain) best = {found, b, Link(k)};
    }
  }
  return best;
}

void LabelSearch::climb(LabelGraph& graph, int threads, std::optional<Pair> kept) const {
  for (std::vector<Move> best(m_); !stopped();) {
    parallel_for(m_, threads, [&](std::size_t a) { best[a] = best_move(graph, a, kept); });
    std::size_t top = 0;
    for (std::size_t a = 1; a < m_; ++a)
      if (best[a].gain > best[top].gain) top = a;
    if (best[top].gain <= improved) return;
    graph.set(top, best[top].b, best[top].link);
  }
}

/// Whether every edge that must be there is there.
bool LabelSearch::keeps_required(const LabelGraph& graph) const {
  if (options_.knowledge == nullptr || options_.knowledge->words.empty()) return true;
  for (std::size_t cause = 0; cause < m_; ++cause)
    for (std::size_t v = 0; v < m_; ++v)
      if (options_.knowledge->of(m_, cause, v) == EdgeKnowledge::Word::required &&
          !graph.families[v].causes.has(cause))
        return false;
  return true;
}

bool LabelSearch::known(std::size_t from, std::size_t to, bool hidden) const {
  if (options_.knowledge == nullptr || options_.knowledge->words.empty()) return true;
  using Word = EdgeKnowledge::Word;
  const Word forward = options_.knowledge->of(m_, from, to),
             backward = options_.knowledge->of(m_, to, from);
  if (hidden) return forward != Word::required && backward != Word::required;
  return forward != Word::forbidden && backward != Word::required;
}

std::optional<LabelGraph> LabelSearch::alternative(std::size_t from, std::size_t to,
                                                   bool hidden) const {
  const Pair pair(std::min(from, to), std::max(from, to));
  const Link link = hidden ? (from < to ? Link::hidden_forward : Link::hidden_backward)
                           : (from < to ? Link::forward : Link::backward);
  if (!allowed(pair.first, pair.second, link)) return {};
  // The cause is moved just before its effect in the order; what then points backwards is dropped.
  std::vector<std::size_t> order = best_.order();
  order.erase(std::find(order.begin(), order.end(), from));
  order.insert(std::find(order.begin(), order.end(), to), from);
  LabelGraph graph(m_);
  VariableSet before;
  for (std::size_t v : order) {
    const LabelFamily& family = best_.families[v];
    graph.families[v] = {family.causes & before, family.linked & before};
    before = before.with(v);
  }
  graph.set(pair.first, pair.second, link);
  if (graph.families[to].all().size() > options_.most_parents || !keeps_required(graph)) return {};
  LabelGraph other = graph;
  climb(graph, 1, pair);
  // What acts on the one may act on the other by itself, which links one at a time would not show
  // where several act only together.
  LabelFamily& family = other.families[to];
  const VariableSet inherited = other.families[from].causes & partners_[to];
  family = {family.causes | inherited, family.linked | inherited};
  if (!hidden || !allows_family(to, family) || other.families[to] == graph.families[to])
    return graph;
  climb(other, 1, pair);
  return total(other) > total(graph) ? other : graph;
}

const std::vector<LabelSearch::Rivals>& LabelSearch::rivals() {
  if (rivals_ && rivals_->first == best_) return rivals_->second;
  std::vector<Rivals> list;
  for (std::size_t to = 0; to < m_; ++to)
    best_.families[to].causes.each([&](std::size_t from) {
      list.push_back({from, to, {}, {}, {}});
    });
  const auto fit = [&](std::size_t k) {
    Rivals& edge = list[k / 3];
    if (stopped()) return;
    if (k % 3 == 0)
      edge.reversed = alternative(edge.to, edge.from, false);
    else if (k % 3 == 1)
      edge.hidden = alternative(edge.from, edge.to, true);
    else
      edge.bypassed = bypassed(edge.from, edge.to);
  };
  share("rivals", 3 * list.size(), fit);
  parallel_for(3 * list.size(), options_.threads, fit);
  rivals_.emplace(best_, std::move(list));
  return rivals_->second;
}

/// Turns each edge of the best graph round, or makes it hidden, and fits all else to that; or
/// leaves it out for what stands next to the cause; until nothing gains by it.
void LabelSearch::try_alternatives() {
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds && !stopped(); ++round) {
    LabelGraph better = best_;
    for (const Rivals& edge : rivals())
      for (const auto* found : {&edge.reversed, &edge.hidden, &edge.bypassed})
        if (*found && total(**found) > total(better) + improved) better = **found;
    if (better == best_) return;
    climb(better, options_.threads);
    best_ = better;
  }
}

void LabelSearch::run(const Progress& progress) {
  for (std::size_t e = 0; e < score_.environments(); ++e)  // once, before threads ask for them
    for (std::size_t v = 0; v < m_; ++v) score_.shift().moved(v, e);
  find_candidates();
  if (progress) progress(0.15);
  find_movers();
  find_restless();
  for (std::size_t v = 0; v < m_ && options_.knowledge != nullptr; ++v)
    for (std::size_t cause = 0; cause < m_; ++cause)
      if (options_.knowledge->of(m_, cause, v) == EdgeKnowledge::Word::required)
        best_.set(std::min(cause, v), std::max(cause, v),
                  cause < v ? Link::forward : Link::backward);
  share("links", m_, [&](std::size_t a) { best_move(best_, a, {}); });
  climb(best_, options_.threads);
  if (progress) progress(0.3);
  // Orders to start from: what moves rarely first; that of the climbed graph; random ones.
  std::vector<std::size_t> rare(m_);
  std::iota(rare.begin(), rare.end(), 0);
  std::vector<std::size_t> moves(m_);
  for (std::size_t v = 0; v < m_; ++v)
    for (std::size_t e = 0; e < score_.environments(); ++e)
      moves[v] += score_.shift().moved(v, e) > 2 * clear_move ? 1 : 0;
  std::stable_sort(rare.begin(), rare.end(),
                   [&](std::size_t a, std::size_t b) { return moves[a] < moves[b]; });
  std::vector<std::vector<std::size_t>> starts = {rare, best_.order()};
  Stream stream(options_.seed, Purpose::search, {7, 0, 0});
  while (int(starts.size()) < options_.starts) {
    std::vector<std::size_t> order = rare;
    for (std::size_t i = m_; i > 1; --i)
      std::swap(order[i - 1], order[std::size_t(sample_index(stream, int(i)))]);
    starts.push_back(order);
  }
  from_orders(starts);
  add_candidates_of_changes();
  if (progress) progress(0.6);
  refine(progress);
  const LabelGraph refined = best_;
  try_alternatives();
  // Another graph may drift otherwise.
  if (best_ == refined || stopped()) return;
  LabelRegime regime = estimated_regime(best_);
  regime.counts = score_.regime().counts;
  if (regime == score_.regime()) return;
  score_.set_regime(regime);
  best_families_.clear();
  rivals_.reset();
  climb(best_, options_.threads);
}

}  // namespace whence
