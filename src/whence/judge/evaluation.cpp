#include "whence/judge/evaluation.hpp"

#include <array>
#include <cmath>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json_reader.hpp"

namespace whence {
namespace {

/// A document with its name; members are required, and of the kind that is expected.
class Document {
 public:
  Document(const Json& json, const std::string& file, const char* what)
      : json_(json), file_(file), what_(what) {}

  const Json& member(const Json& object, const char* key, Json::Kind kind) const {
    const Json* found = object.find(key);
    if (!found || !found->is(kind))
      refuse(object.place, std::string("there is no usable '") + key + "'");
    return *found;
  }
  const Json& member(const char* key, Json::Kind kind) const { return member(json_, key, kind); }

  [[noreturn]] void refuse(TextPlace place, const std::string& problem) const {
    throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", place_in(file_, place), problem,
                std::string("give ") + what_);
  }

 private:
  const Json& json_;
  const std::string& file_;
  const char* what_;
};

using Names = std::array<std::string, 2>;
using Kind = Json::Kind;

Names names_of(const Document& document) {
  const Json& list = document.member("variables", Kind::list);
  if (list.items.size() != 2) document.refuse(list.place, "there are not two variables");
  for (const Json& item : list.items)
    if (!item.is(Kind::text)) document.refuse(item.place, "a variable has no name");
  return {list.items[0].text, list.items[1].text};
}

/// 0: first -> second, 1: second -> first, 2: no link.
std::size_t true_structure(const Document& truth, const Names& names) {
  const Json& edges = truth.member("edges", Kind::list);
  if (edges.items.empty()) return 2;
  const std::string& from = truth.member(edges.items[0], "from", Kind::text).text;
  for (std::size_t v = 0; v < 2; ++v)
    if (names[v] == from) return v;
  truth.refuse(edges.items[0].place, "'" + excerpt(from) + "' is not a variable of the result");
}

/// P(first -> second), P(second -> first), P(no link).
std::array<double, 3> beliefs_of(const Document& result, const Names& names) {
  std::array<double, 3> belief = {0, 0, result.member("no_link", Kind::number).as_double()};
  for (const Json& one : result.member("beliefs", Kind::list).items)
    belief[result.member(one, "from", Kind::text).text == names[0] ? 0 : 1] =
        result.member(one, "probability", Kind::number).as_double();
  return belief;
}

std::string outcome_of(const Document& result, const Names& names, std::size_t structure) {
  const Json& verdict = result.member("verdict", Kind::object);
  const std::string& kind = result.member(verdict, "kind", Kind::text).text;
  if (kind == "no-link") return structure == 2 ? "right" : "wrong";
  if (kind != "direction") return "undecided";
  const std::string& from = result.member(verdict, "from", Kind::text).text;
  return structure < 2 && from == names[structure] ? "right" : "wrong";
}

const Json* environment_named(const Document& document, const std::string& name) {
  for (const Json& one : document.member("environments", Kind::list).items)
    if (document.member(one, "name", Kind::text).text == name) return &one;
  return nullptr;
}

bool is_baseline(const Json& environment) {
  const Json* baseline = environment.find("baseline");
  return baseline && baseline->truth;
}

void count_changes(const Document& result, const Document& truth, const Names& names,
                   Evaluation& evaluation) {
  for (const Json& one : truth.member("environments", Kind::list).items) {
    const Json* said = environment_named(result, truth.member(one, "name", Kind::text).text);
    if (!said || is_baseline(*said)) continue;
    for (const std::string& name : names) {
      const Json& changed = truth.member(one, "changed", Kind::object);
      const bool really = truth.member(changed, name.c_str(), Kind::boolean).truth;
      const Json& beliefs = result.member(*said, "changed", Kind::object);
      const double p = result.member(beliefs, name.c_str(), Kind::number).as_double();
      ++evaluation.judged;
      evaluation.found += (p > 0.5) == really;
    }
  }
  if (evaluation.judged == 0) truth.refuse({}, "no environment of the truth is in the result");
}

}  // namespace

Evaluation evaluate(const Json& result_object, const std::string& result_file,
                    const Json& truth_object, const std::string& truth_file) {
  const Document result(result_object, result_file, "a result.json of whence direction");
  const Document truth(truth_object, truth_file, "a truth.json of whence simulate");
  const Names names = names_of(result);
  const Names true_names = names_of(truth);
  const bool same = names == true_names || names == Names{true_names[1], true_names[0]};
  if (!same) truth.refuse({}, "the truth is about other variables than the result");
  const std::size_t structure = true_structure(truth, names);
  const auto belief = beliefs_of(result, names);

  Evaluation evaluation;
  evaluation.truth = structure == 2 ? names[0] + " and " + names[1] + " are not linked"
                                    : names[structure] + " causes " + names[1 - structure];
  evaluation.verdict =
      result.member(result.member("verdict", Kind::object), "kind", Kind::text).text;
  evaluation.outcome = outcome_of(result, names, structure);
  evaluation.belief = belief[structure];
  evaluation.log_loss = -std::log(belief[structure]);
  for (std::size_t s = 0; s < belief.size(); ++s) {
    const double miss = belief[s] - (s == structure ? 1.0 : 0.0);
    evaluation.brier += miss * miss;
  }
  count_changes(result, truth, names, evaluation);
  return evaluation;
}

Json evaluation_json(const Evaluation& e) {
  return Json::object({{"truth", e.truth},
                       {"verdict", e.verdict},
                       {"outcome", e.outcome},
                       {"belief", e.belief},
                       {"log_loss", e.log_loss},
                       {"brier", e.brier},
                       {"changes", Json::object({{"judged", e.judged}, {"right", e.found}})},
                       {"format", 1}});
}

}  // namespace whence
