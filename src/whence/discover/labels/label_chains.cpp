// Chains over graphs by labels.
#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/belief/chain_error.hpp"
#include "whence/discover/labels/label_search.hpp"

namespace whence {

/// One proposal: another link between a pair of candidates, or one parent for another.
bool LabelSearch::step(LabelGraph& graph, Stream& stream) const {
  if (stream.uniform() < 1.0 / 3) {
    const auto child = std::size_t(sample_index(stream, int(m_)));
    const LabelFamily& family = graph.families[child];
    const std::vector<std::size_t> in = family.all().members();
    std::vector<std::size_t> out;
    partners_[child].each([&](std::size_t v) {
      if (!family.all().has(v) && !graph.families[v].all().has(child)) out.push_back(v);
    });
    if (in.empty() || out.empty()) return false;
    const std::size_t old = in[std::size_t(sample_index(stream, int(in.size())))];
    const std::size_t fresh = out[std::size_t(sample_index(stream, int(out.size())))];
    LabelGraph other = graph;
    LabelFamily& next = other.families[child];
    next = {next.causes.without(old), next.linked.without(old)};
    if (other.reaches(child, fresh)) return false;
    if (family.causes.has(old)) next.causes = next.causes.with(fresh);
    if (family.linked.has(old)) next.linked = next.linked.with(fresh);
    if (!allows_family(child, next)) return false;
    const double needed = std::log(stream.uniform()) + score_.family(child, family);
    if (score_.family_above(needed, child, next) <= needed) return false;
    graph = other;
    return true;
  }
  const auto a = std::size_t(sample_index(stream, int(m_)));
  const std::vector<std::size_t> partners = partners_[a].members();
  if (partners.empty()) return false;
  const std::size_t b = partners[std::size_t(sample_index(stream, int(partners.size())))];
  const auto link = Link(sample_index(stream, link_kinds));
  const std::size_t low = std::min(a, b), high = std::max(a, b);
  if (link == graph.link(low, high)) return false;
  const double needed = std::log(stream.uniform());
  if (gain(graph, low, high, link, needed) <= needed) return false;
  graph.set(low, high, link);
  return true;
}

/// How much chains agree about each cause, [cause][effect].
EdgeMatrix LabelSearch::errors_of(const std::vector<std::vector<LabelGraph>>& drawn) const {
  std::vector<std::vector<double>> shares(drawn.size(), std::vector<double>(m_ * m_, 0.0));
  std::vector<const std::vector<double>*> of_chain;
  for (std::size_t c = 0; c < drawn.size(); ++c) {
    const double each = 1 / double(std::max<std::size_t>(1, drawn[c].size()));
    for (const LabelGraph& graph : drawn[c])
      for (std::size_t v = 0; v < m_; ++v)
        graph.families[v].causes.each([&](std::size_t u) { shares[c][u * m_ + v] += each; });
    of_chain.push_back(&shares[c]);
  }
  EdgeMatrix errors(drawn.size() > 1 ? m_ : 0);
  errors.values = chain_errors(of_chain);
  return errors;
}

LabelDraws LabelSearch::draw(const Progress& progress) {
  constexpr int usual_distance = 10, most_rounds = 3;
  const auto chains = std::size_t(options_.chains);
  std::vector<Stream> streams;
  for (std::size_t c = 0; c < chains; ++c)
    streams.emplace_back(options_.seed, Purpose::search, Cell{8, std::uint32_t(c), 0});
  std::vector<LabelGraph> states(chains, best_);
  LabelDraws result;
  for (int round = 0; round < most_rounds && !stopped(); ++round) {
    // Each round is twice as long as the one before, which it makes the chains forget.
    const int steps = options_.steps << round, every = usual_distance << round;
    std::vector<std::vector<LabelGraph>> drawn(chains);
    parallel_for(
        chains, options_.threads,
        [&](std::size_t c) {
          for (int s = 0; s < steps && !stopped(); ++s) {
            step(states[c], streams[c]);
            if (s % every == every - 1 && s >= steps / 10) drawn[c].push_back(states[c]);
          }
        },
        [&](double share) {
          if (progress) progress(1 - 0.25 * std::pow(0.5, round) * (1 - share / 2));
        });
    if (round > 0 && stopped()) break;
    result = {{}, errors_of(drawn)};
    for (const auto& list : drawn)
      result.graphs.insert(result.graphs.end(), list.begin(), list.end());
    const auto& errors = result.errors.values;
    if (errors.empty() || *std::max_element(errors.begin(), errors.end()) <= good_chain_error)
      break;
  }
  if (result.graphs.empty()) result.graphs.push_back(best_);
  return result;
}

}  // namespace whence
