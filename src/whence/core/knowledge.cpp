#include "whence/core/knowledge.hpp"

#include <algorithm>

#include "whence/core/dag.hpp"
#include "whence/core/dataset.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

namespace {

using Word = EdgeKnowledge::Word;

[[noreturn]] void refuse_knowledge(const std::string& place, const std::string& problem,
                                   const std::string& hint = {}) {
  throw Error(ExitCode::usage, "E-KNOWLEDGE", place, problem, hint);
}

void mark(EdgeKnowledge& knowledge, const Dataset& data, std::string_view cause,
          std::string_view effect, Word word) {
  const std::size_t m = data.variables.size();
  const std::size_t from = data.variable(cause), to = data.variable(effect);
  if (knowledge.words.empty()) knowledge.words.assign(m * m, Word::open);
  if (knowledge.words.size() != m * m)
    refuse_knowledge("knowledge", "it was made for another number of variables");
  if (from == to) refuse_knowledge(excerpt(cause), "no variable causes itself");
  Word& present = knowledge.words[from * m + to];
  if (present != Word::open && present != word)
    refuse_knowledge(excerpt(cause) + " -> " + excerpt(effect),
                     "this edge is both required and forbidden");
  present = word;
}

void refuse_cycle(const Dataset& data, const EdgeKnowledge& edges) {
  const std::size_t m = data.variables.size();
  Dag dag(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (edges.of(m, i, j) != Word::required) continue;
      if (i == j || dag.closes_cycle(i, j))
        refuse_knowledge(excerpt(data.variables[i].name) + " -> " + excerpt(data.variables[j].name),
                         "the required edges close a cycle");
      dag.flip(i, j);
      dag.update();
    }
}

}  // namespace

void EdgeKnowledge::forbid(const Dataset& data, std::string_view cause, std::string_view effect) {
  mark(*this, data, cause, effect, Word::forbidden);
}

void EdgeKnowledge::require(const Dataset& data, std::string_view cause, std::string_view effect) {
  mark(*this, data, cause, effect, Word::required);
}

void set_targets(const Dataset& data, std::string_view environment,
                 std::span<const std::string_view> targets, std::vector<KnownChange>& known) {
  const std::size_t m = data.variables.size(), environments = data.environments.size();
  const std::size_t e = data.environment(environment);
  std::vector<bool> changed(m, false);
  for (const std::string_view target : targets) changed[data.variable(target)] = true;
  if (known.empty()) known.assign(m * environments, KnownChange::unknown);
  if (known.size() != m * environments)
    refuse_knowledge("targets", "they were made for other variables or environments");
  for (std::size_t v = 0; v < m; ++v)
    known[v * environments + e] = changed[v] ? KnownChange::changed : KnownChange::unchanged;
}

void require_fitting(const Dataset& data, const EdgeKnowledge& edges,
                     std::span<const KnownChange> known, const std::size_t* baseline) {
  const std::size_t m = data.variables.size(), environments = data.environments.size();
  if (!edges.words.empty()) {
    if (edges.words.size() != m * m)
      refuse_knowledge("knowledge", "there are " + std::to_string(m) +
                                        " variables, so what is known of edges needs " +
                                        std::to_string(m * m) + " words, not " +
                                        std::to_string(edges.words.size()));
    refuse_cycle(data, edges);
  }
  if (!known.empty() && known.size() != m * environments)
    refuse_knowledge("targets", "what is known of changes needs one word for each of " +
                                    std::to_string(m) + " variables in each of " +
                                    std::to_string(environments) + " environments, not " +
                                    std::to_string(known.size()) + " words");
  for (std::size_t v = 0; v < m && baseline != nullptr && !known.empty(); ++v)
    if (known[v * environments + *baseline] == KnownChange::changed)
      refuse_knowledge("targets",
                       "nothing can have changed in the baseline, \"" +
                           excerpt(data.environments[*baseline].name) + "\"",
                       "leave its targets out, or name no baseline");
}

}  // namespace whence
