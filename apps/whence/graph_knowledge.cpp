#include "apps/whence/graph_knowledge.hpp"

#include <algorithm>
#include <optional>

#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/table/formats/number_parser.hpp"

namespace whence {
namespace {

[[noreturn]] void refuse_words(const std::string& place, const std::string& problem,
                               const std::string& hint = {}) {
  throw Error(ExitCode::usage, "E-USAGE-KNOWLEDGE", place, problem, hint);
}

std::optional<std::size_t> find(const std::vector<std::string>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return std::size_t(at - names.begin());
}

std::size_t variable_of(std::string_view name, const std::vector<std::string>& names,
                        const std::string& place) {
  if (const auto found = find(names, name)) return *found;
  const std::string plain = unquoted(name);
  if (const auto found = find(names, plain)) return *found;
  for (const std::string& whole : names)
    if (!plain.empty() && whole.starts_with(plain) &&
        whole.find_first_of(",+:", plain.size()) == plain.size())
      refuse_words(place, "there is no variable " + in_quotes(plain),
                   "a name with a comma, a colon or a plus stands in double quotes: '" +
                       excerpt(list_name(whole)) + "'");
  refuse_words(place, "there is no variable " + in_quotes(plain),
               printable(did_you_mean(plain, names)));
}

void mark(std::size_t cause, std::size_t effect, EdgeKnowledge::Word word,
          const std::vector<std::string>& names, const std::string& place,
          EdgeKnowledge& knowledge) {
  using Word = EdgeKnowledge::Word;
  knowledge.words.resize(names.size() * names.size(), Word::open);
  Word& known = knowledge.words[cause * names.size() + effect];
  if (known != Word::open && known != word)
    refuse_words(place, "the edge from " + in_quotes(names[cause]) + " to " +
                            in_quotes(names[effect]) + " is required and forbidden");
  known = word;
}

void check_required(const EdgeKnowledge& knowledge, const std::vector<std::string>& names,
                    const std::string& place) {
  Graph graph(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (knowledge.of(names.size(), i, j) == EdgeKnowledge::Word::required)
        graph.set_edge(VariableId(i), VariableId(j));
  if (!graph.is_acyclic()) refuse_words(place, "the required edges close a cycle");
}

[[noreturn]] void refuse_tiers(const std::string& file) {
  refuse_words(file, "the groups are not lists of names", R"([["first", "second"], ["third"]])");
}

std::vector<std::vector<std::string>> tiers_of(std::string_view text, const std::string& file) {
  std::vector<std::vector<std::string>> tiers;
  if (trimmed(text).substr(0, 1) == "[") {
    for (const Json& group : read_json(text, file).items) {
      if (!group.is(Json::Kind::list)) refuse_tiers(file);
      auto& tier = tiers.emplace_back();
      for (const Json& name : group.items) {
        if (!name.is(Json::Kind::text)) refuse_tiers(file);
        tier.push_back(name.text);
      }
    }
    return tiers;
  }
  for (std::string line : split(text, '\n')) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (trimmed(line).empty()) continue;
    auto& tier = tiers.emplace_back();
    for (const std::string& name : split_outside_quotes(line, ','))
      tier.emplace_back(trimmed(name));
  }
  return tiers;
}

}  // namespace

std::pair<std::size_t, std::size_t> parse_edge(std::string_view text,
                                               const std::vector<std::string>& names,
                                               const std::string& option) {
  std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos)
    refuse_words(option, in_quotes(text) + " is not an edge", "write CAUSE->EFFECT");
  for (std::size_t at = arrow; at != std::string_view::npos; at = text.find("->", at + 1)) {
    const auto cause = find(names, trimmed(text.substr(0, at)));
    const auto effect = find(names, trimmed(text.substr(at + 2)));
    if (cause && effect && cause != effect) return {*cause, *effect};
  }
  const std::size_t cause = variable_of(trimmed(text.substr(0, arrow)), names, option);
  const std::size_t effect = variable_of(trimmed(text.substr(arrow + 2)), names, option);
  if (cause == effect) refuse_words(option, in_quotes(names[cause]) + " cannot cause itself");
  return {cause, effect};
}

void add_edges(const std::vector<std::string>& edges, EdgeKnowledge::Word word,
               const std::vector<std::string>& names, const std::string& option,
               EdgeKnowledge& knowledge) {
  for (const std::string& text : edges) {
    const auto [cause, effect] = parse_edge(text, names, option);
    mark(cause, effect, word, names, option, knowledge);
  }
  check_required(knowledge, names, option);
}

void add_tiers(std::string_view text, const std::string& file,
               const std::vector<std::string>& names, EdgeKnowledge& knowledge) {
  constexpr std::size_t none = ~std::size_t(0);
  const auto tiers = tiers_of(text, file);
  std::vector<std::size_t> tier_of(names.size(), none);
  for (std::size_t t = 0; t < tiers.size(); ++t)
    for (const std::string& name : tiers[t]) {
      const std::size_t v = variable_of(name, names, file);
      if (tier_of[v] != none) refuse_words(file, in_quotes(name) + " is in two groups");
      tier_of[v] = t;
    }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (tier_of[i] != none && tier_of[j] != none && tier_of[i] > tier_of[j])
        mark(i, j, EdgeKnowledge::Word::forbidden, names, file, knowledge);
}

void set_targets(std::size_t environment, std::span<const std::size_t> targets,
                 std::size_t variables, std::size_t environments, std::vector<KnownChange>& known) {
  known.resize(variables * environments, KnownChange::unknown);
  for (std::size_t v = 0; v < variables; ++v)
    known[v * environments + environment] =
        std::find(targets.begin(), targets.end(), v) != targets.end() ? KnownChange::changed
                                                                      : KnownChange::unchanged;
}

void add_targets(std::string_view text, const std::vector<std::string>& names,
                 const std::vector<Environment>& environments, std::vector<KnownChange>& known) {
  const std::string option = "--targets";
  std::vector<std::string> environment_names;
  for (const Environment& e : environments) environment_names.push_back(e.name);
  for (const std::string& part : split_outside_quotes(text, ',')) {
    const std::size_t colon = rfind_outside_quotes(part, ':');
    if (colon == std::string::npos)
      refuse_words(option, in_quotes(part) + " is not ENVIRONMENT:VARIABLE", "a:price,b:,c:x+y");
    const std::string name = unquoted(trimmed(std::string_view(part).substr(0, colon)));
    const auto e = find(environment_names, name);
    if (!e)
      refuse_words(option, "there is no environment " + in_quotes(name),
                   printable(did_you_mean(name, environment_names)));
    std::vector<std::size_t> targets;
    const std::string_view list = trimmed(std::string_view(part).substr(colon + 1));
    if (!list.empty())
      for (const std::string& variable : split_outside_quotes(list, '+'))
        targets.push_back(variable_of(trimmed(variable), names, option));
    set_targets(*e, targets, names.size(), environments.size(), known);
  }
}

}  // namespace whence
