// Golden answers: what direction, discover and changes find on small simulated data sets of every
// kind, as result.json says it, without what differs between builds.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/golden/golden_file.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/graph_report.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/random_graph.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

/// Differences of scores of a thousand nats: the last digits are rounding.
constexpr double score_noise = 1e-8;

/// One line per edge, and only edges worth a line: the others add up to nothing anybody reads.
Json edge_lines(const Json& edges) {
  Json lines = Json::object();
  for (const Json& edge : edges.items) {
    if (edge.find("probability")->as_double() < 1e-3) continue;
    Json line = Json::list();
    for (const char* key : {"probability", "adjacent_probability", "shift_log_odds"})
      line.items.push_back(*edge.find(key));
    for (const char* key : {"leave_one_out", "support"})
      for (const JsonMember& member : edge.find(key)->members) line.items.push_back(member.value);
    if (const Json* effect = edge.find("effect"); effect->is(Json::Kind::object))
      for (const char* key : {"change", "low", "high"}) line.items.push_back(*effect->find(key));
    lines.set(edge.find("from")->text + " -> " + edge.find("to")->text, std::move(line));
  }
  return lines;
}

/// One line per environment: rows and log-odds, where there are any, then all probabilities.
Json environment_lines(const Json& environments) {
  Json lines = Json::object();
  for (const Json& environment : environments.items) {
    Json line = Json::list();
    for (const char* key : {"rows", "log_odds", "all_changed", "none_changed"})
      if (const Json* value = environment.find(key)) line.items.push_back(*value);
    for (const char* key : {"changed", "kind"})
      if (const Json* object = environment.find(key))
        for (const JsonMember& member : object->members) line.items.push_back(member.value);
    lines.set(environment.find("name")->text, std::move(line));
  }
  return lines;
}

/// How often the five most frequent graphs were drawn, and how many there were.
Json draw_counts(const Json& draws) {
  Json counts = Json::list();
  for (std::size_t k = 0; k < std::min<std::size_t>(5, draws.items.size()); ++k)
    counts.items.push_back(*draws.items[k].find("count"));
  counts.items.push_back(Json(draws.items.size()));
  return counts;
}

/// P(X -> Y), P(Y -> X), P(no link) under each of the other priors.
Json prior_lines(const Json& priors) {
  Json lines = Json::object();
  for (const Json& prior : priors.items) {
    Json line = Json::list();
    for (const Json& direction : prior.find("beliefs")->items)
      line.items.push_back(*direction.find("probability"));
    line.items.push_back(*prior.find("no_link"));
    lines.set(prior.find("name")->text, std::move(line));
  }
  return lines;
}

/// All numbers with the digits that a golden file keeps.
void shorten(Json& value) {
  if (value.is(Json::Kind::number)) value = golden_number(value.as_double(), score_noise);
  for (Json& item : value.items) shorten(item);
  for (JsonMember& member : value.members) shorten(member.value);
}

Json summary(const Json& result) {
  Json kept = Json::object();
  for (const JsonMember& member : result.members) {
    const std::string& key = member.key;
    if (key == "provenance") continue;
    kept.set(key, key == "edges"               ? edge_lines(member.value)
                  : key == "environments"      ? environment_lines(member.value)
                  : key == "draws"             ? draw_counts(member.value)
                  : key == "prior_sensitivity" ? prior_lines(member.value)
                                               : member.value);
  }
  kept.find("model")->set("variables", {});  // the simulator's
  shorten(kept);
  return kept;
}

// ---- data ----

PairSimulation pair(PairSimulation::Kind kind, PairSimulation::Truth truth, ShiftKind shift) {
  PairSimulation what;
  what.kind = kind;
  what.truth = truth;
  what.shift = shift;
  what.levels = 3;
  what.environments = 4;
  what.rows = 60;
  what.baseline_rows = 150;
  return what;
}

Json direction_of(const Dataset& data, DirectionOptions options) {
  return direction_json(find_direction(data, options), {data.variables, {}, {}});
}

Json with_baseline(const PairSimulation& what, DirectionModel model = DirectionModel::automatic) {
  DirectionOptions options;
  options.model = model;
  options.baseline = 0;
  return direction_of(simulate_pair(what), options);
}

/// X is only seen as low or high.
Json of_mixed_columns(const PairSimulation& what) {
  Dataset data = simulate_pair(what);
  for (const double x : data.columns[0].values) data.columns[0].levels.push_back(x > 0 ? 1 : 0);
  data.columns[0].values.clear();
  data.variables[0] = {"X", Variable::Kind::categorical, 2, 1, {"low", "high"}};
  return direction_of(data, {});
}

GraphWorldSpec graph(const char* text, GraphMechanism mechanism, GraphShift shift) {
  GraphWorldSpec spec{draw_named_graph(text, Stream(3, Purpose::world, {2, 0, 0}))};
  spec.mechanism = mechanism;
  spec.shift = shift;
  spec.levels = 3;
  spec.environments = 4;
  const bool linear = mechanism == GraphMechanism::linear_gaussian;
  spec.rows = linear ? 12 : 60;
  spec.baseline_rows = linear ? 60 : 300;
  return spec;
}

GraphOptions quick() {
  GraphOptions options;
  options.baseline = 0;
  options.restarts = 2;
  options.sweeps = 40;
  options.chains = 2;
  return options;
}

Json graph_of(const GraphWorldSpec& spec, const GraphOptions& options = quick()) {
  const GraphSimulation simulation = simulate_graph(spec, 1);
  return graph_result_json(find_graph(simulation.data, options),
                           {simulation.data.variables, {}, {}});
}

Json changes_of(const GraphWorldSpec& spec, const GraphOptions& options = quick()) {
  const GraphSimulation simulation = simulate_graph(spec, 1);
  return graph_result_json(find_changes(simulation.data, simulation.truth.graph, options),
                           {simulation.data.variables, {}, {}});
}

GraphWorldSpec with_noise(GraphWorldSpec spec, NoiseFamily noise) {
  spec.noise = noise;
  return spec;
}

GraphWorldSpec alone(GraphWorldSpec spec) {
  spec.environments = 0;
  return spec;
}

GraphWorldSpec with_hidden(GraphWorldSpec spec) {
  spec.hidden = 1;
  return spec;
}

GraphOptions gaussian_noise() {
  GraphOptions options = quick();
  options.robust = false;
  return options;
}

/// No baseline; an edge forbidden, another required, the targets of one environment known.
GraphOptions with_knowledge(std::size_t variables) {
  GraphOptions options = quick();
  options.baseline.reset();
  options.knowledge.words.assign(variables * variables, EdgeKnowledge::Word::open);
  options.knowledge.words[1] = EdgeKnowledge::Word::forbidden;
  options.knowledge.words[2 * variables + 3] = EdgeKnowledge::Word::required;
  options.known.assign(variables * 5, KnownChange::unknown);
  for (std::size_t v = 0; v < variables; ++v)
    options.known[v * 5 + 1] = v == 0 ? KnownChange::changed : KnownChange::unchanged;
  return options;
}

struct Case {
  const char* name;
  std::function<Json()> answer;
};

PairSimulation few_rows() {
  PairSimulation what =
      pair(PairSimulation::Kind::categorical, PairSimulation::Truth::forward, ShiftKind::cause);
  what.levels = 6;
  what.rows = 20;
  what.baseline_rows = 30;
  return what;
}

std::vector<Case> pair_cases() {
  using Kind = PairSimulation::Kind;
  using Truth = PairSimulation::Truth;
  const auto known = [](Kind kind, Truth truth, ShiftKind shift) {
    return [=] { return with_baseline(pair(kind, truth, shift)); };
  };
  return {
      {"pair-categorical-cause", known(Kind::categorical, Truth::forward, ShiftKind::cause)},
      {"pair-categorical-mechanism",
       known(Kind::categorical, Truth::backward, ShiftKind::mechanism)},
      {"pair-categorical-effect", known(Kind::categorical, Truth::forward, ShiftKind::effect)},
      {"pair-categorical-row", known(Kind::categorical, Truth::forward, ShiftKind::row)},
      {"pair-categorical-none", known(Kind::categorical, Truth::backward, ShiftKind::none)},
      {"pair-categorical-no-link", known(Kind::categorical, Truth::no_link, ShiftKind::cause)},
      {"pair-categorical-few-rows", [] { return with_baseline(few_rows()); }},
      {"pair-categorical-labels",
       [] {
         return with_baseline(pair(Kind::categorical, Truth::forward, ShiftKind::cause),
                              DirectionModel::labels);
       }},
      {"pair-linear-cause", known(Kind::linear_gaussian, Truth::forward, ShiftKind::cause)},
      {"pair-linear-both-no-baseline",
       [] {
         return direction_of(
             simulate_pair(pair(Kind::linear_gaussian, Truth::backward, ShiftKind::both)), {});
       }},
      {"pair-spline-cause", known(Kind::spline, Truth::forward, ShiftKind::cause)},
      {"pair-mixed-columns",
       [] {
         return of_mixed_columns(pair(Kind::linear_gaussian, Truth::forward, ShiftKind::mechanism));
       }},
  };
}

std::vector<Case> graph_cases() {
  using Mechanism = GraphMechanism;
  using Shift = GraphShift;
  const auto linear = [](const char* text, Shift shift) {
    return graph(text, Mechanism::linear_gaussian, shift);
  };
  const auto categorical = [](const char* text, Shift shift) {
    return graph(text, Mechanism::categorical, shift);
  };
  return {
      {"graph-linear-hard", [=] { return graph_of(linear("er:8:10", Shift::hard)); }},
      {"graph-linear-soft-exact", [=] { return graph_of(linear("er:4:4", Shift::soft)); }},
      {"graph-linear-heavy-tails",
       [=] { return graph_of(with_noise(linear("er:6:6", Shift::two_hard), NoiseFamily::t2_5)); }},
      {"graph-linear-gaussian-noise",
       [=] { return graph_of(linear("sf:7:2", Shift::weak), gaussian_noise()); }},
      {"graph-linear-all-changed", [=] { return graph_of(linear("er:6:7", Shift::all_soft)); }},
      {"graph-linear-one-environment",
       [=] { return graph_of(alone(linear("er:6:6", Shift::none))); }},
      {"graph-linear-hidden-cause",
       [=] { return graph_of(with_hidden(linear("er:6:5", Shift::hard))); }},
      {"graph-linear-knowledge",
       [=] { return graph_of(linear("er:6:6", Shift::zero_mean), with_knowledge(6)); }},
      {"graph-categorical-hard", [=] { return graph_of(categorical("er:6:6", Shift::hard)); }},
      {"graph-categorical-soft-exact",
       [=] { return graph_of(categorical("er:4:4", Shift::soft)); }},
      {"graph-categorical-none", [=] { return graph_of(categorical("er:5:5", Shift::none)); }},
      {"graph-categorical-all-changed",
       [=] { return graph_of(categorical("er:5:5", Shift::all_hard)); }},
      {"changes-linear", [=] { return changes_of(linear("er:8:10", Shift::two_hard)); }},
      {"changes-categorical", [=] { return changes_of(categorical("er:6:6", Shift::soft)); }},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = pair_cases();
  for (Case& one : graph_cases()) all.push_back(std::move(one));
  return all;
}

std::filesystem::path answer_file(const std::string& name) {
  return golden_folder() / "answers" / (name + ".json");
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class GoldenAnswer : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Files, GoldenAnswer, testing::ValuesIn(cases()), test_name);

TEST_P(GoldenAnswer, IsWhatTheCommandFinds) {
  compare_with_golden(answer_file(GetParam().name), summary(GetParam().answer()), score_noise);
}

TEST(GoldenAnswers, BelongToCases) {
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder() / "answers")) {
    const auto all = cases();
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return c.name == name; }))
        << entry.path().filename();
  }
}

}  // namespace
}  // namespace whence
