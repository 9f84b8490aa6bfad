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

  void refuse_newer() const {
    constexpr std::uint64_t known = 1;
    const Json* format = json_.find("format");
    if (format && format->is(Json::Kind::number) && format->as_uint64().value_or(known + 1) > known)
      refuse(format->place, "a newer whence wrote this");
  }

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

double probability_in(const Document& document, const Json& object, const char* key) {
  const Json& value = document.member(object, key, Kind::number);
  const double p = value.as_double();
  if (!(p >= 0 && p <= 1))
    document.refuse(value.place, std::string("'") + key + "' is not a probability");
  return p;
}

/// P(first -> second), P(second -> first), P(no link): each once, and 1 together with the
/// probability of something hidden, where there is one.
std::array<double, 3> beliefs_of(const Document& result, const Json& object, const Names& names) {
  std::array<double, 3> belief = {-1, -1, probability_in(result, object, "no_link")};
  const Json& list = result.member("beliefs", Kind::list);
  for (const Json& one : list.items) {
    const std::string& from = result.member(one, "from", Kind::text).text;
    const std::size_t way = from == names[0] ? 0 : 1;
    if (from != names[way] || belief[way] >= 0)
      result.refuse(one.place, "a belief is in no direction, or is there twice");
    belief[way] = probability_in(result, one, "probability");
  }
  constexpr double rounding = 1e-6;
  const double hidden = object.find("hidden") ? probability_in(result, object, "hidden") : 0;
  const double total = belief[0] + belief[1] + belief[2] + hidden;
  if (belief[0] < 0 || belief[1] < 0 || std::abs(total - 1) > rounding)
    result.refuse(list.place,
                  "the beliefs in both directions, in no link and in something hidden do not sum "
                  "to 1");
  return belief;
}

std::string outcome_of(const Document& result, const Names& names, std::size_t structure) {
  const Json& verdict = result.member("verdict", Kind::object);
  const std::string& kind = result.member(verdict, "kind", Kind::text).text;
  if (kind == "no-link") return structure == 2 ? "right" : "wrong";
  if (kind != "direction") return "undecided";
  const std::string& from = result.member(verdict, "from", Kind::text).text;
  if (from != names[0] && from != names[1])
    result.refuse(verdict.place, "the verdict is about another variable");
  return structure < 2 && from == names[structure] ? "right" : "wrong";
}

const Json* environment_named(const Document& document, const std::string& name) {
  for (const Json& one : document.member("environments", Kind::list).items)
    if (document.member(one, "name", Kind::text).text == name) return &one;
  return nullptr;
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
      const double p = probability_in(result, beliefs, name.c_str());
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
  result.refuse_newer();
  truth.refuse_newer();
  const Names names = names_of(result);
  const Names true_names = names_of(truth);
  const bool same = names == true_names || names == Names{true_names[1], true_names[0]};
  if (!same) truth.refuse({}, "the truth is about other variables than the result");
  const std::size_t structure = true_structure(truth, names);
  const auto belief = beliefs_of(result, result_object, names);

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

bool is_baseline(const Json& environment) {
  const Json* baseline = environment.find("baseline");
  return baseline && baseline->truth;
}

}  // namespace whence
