#include "apps/whence/commands/bench_invariance.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/graph.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/io/json/json.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

/// Every probability of an answer, by what it is about in the names of the data as they were made.
using Answer = std::map<std::string, double>;
using Names = std::map<std::string, std::string>;  // back to those of the data as they were made

/// The same data in another form.
struct Sent {
  Dataset data;
  std::optional<std::size_t> baseline = 0;
  int threads = 1;
  Names names = {};

  const std::string& original(const std::string& name) const {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  }
};

// ---- what is asked ----

Answer ask_direction(const Sent& sent) {
  DirectionOptions options;
  options.baseline = sent.baseline;
  const DirectionResult found =
      find_direction(sent.data, options, {sent.threads, [](double) { stop_if_interrupted(); }});
  const std::string x = sent.original(found.variables[0]), y = sent.original(found.variables[1]);
  Answer answer = {
      {x + ">" + y, found.belief[0]}, {y + ">" + x, found.belief[1]}, {"none", found.belief[2]}};
  for (const EnvironmentFinding& e : found.environments) {
    answer[sent.original(e.name) + ":" + x] = e.changed[0];
    answer[sent.original(e.name) + ":" + y] = e.changed[1];
  }
  return answer;
}

Answer answer_of(const GraphResult& found, const Sent& sent) {
  Answer answer;
  const std::size_t m = found.variables.size();
  const auto name = [&](std::size_t v) { return sent.original(found.variables[v]); };
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (i != j && found.edges.variables == m)
        answer[name(i) + ">" + name(j)] = found.edges.at(i, j);
  for (const GraphEnvironment& e : found.environments)
    for (std::size_t v = 0; v < e.changed.size(); ++v)
      answer[sent.original(e.name) + ":" + name(v)] = e.changed[v];
  return answer;
}

GraphOptions graph_options(const Sent& sent) {
  GraphOptions options;
  options.baseline = sent.baseline;
  return options;
}

Answer ask_discover(const Sent& sent, GraphModel model) {
  GraphOptions options = graph_options(sent);
  options.model = model;
  return answer_of(find_graph(sent.data, options, {sent.threads}), sent);
}

/// The graph of the truth, whatever the order of the columns.
Answer ask_changes(const Sent& sent, const Graph& truth, const std::vector<std::string>& names) {
  const std::size_t m = names.size();
  std::vector<std::size_t> place(m);
  for (std::size_t v = 0; v < m; ++v)
    place[v] = std::size_t(
        std::find(names.begin(), names.end(), sent.original(sent.data.variables[v].name)) -
        names.begin());
  Graph graph(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      graph.set_edge(VariableId(i), VariableId(j),
                     truth.edge(VariableId(place[i]), VariableId(place[j])));
  return answer_of(find_changes(sent.data, graph, graph_options(sent), {sent.threads}), sent);
}

// ---- what must not matter, or hardly ----

/// These rows, in this order, cut into environments of the given sizes.
Dataset with_rows(const Dataset& data, const std::vector<std::vector<std::size_t>>& rows,
                  const std::vector<std::string>& names) {
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(data.columns.size());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const std::size_t begin = out.rows();
    for (std::size_t v = 0; v < data.columns.size(); ++v)
      for (const std::size_t r : rows[e]) {
        if (data.variables[v].kind == Variable::Kind::categorical)
          out.columns[v].levels.push_back(data.columns[v].levels[r]);
        else
          out.columns[v].values.push_back(data.columns[v].values[r]);
      }
    out.environments.push_back({names[e], begin, begin + rows[e].size()});
  }
  return out;
}

struct Parts {
  std::vector<std::vector<std::size_t>> rows;
  std::vector<std::string> names;
};

Parts parts_of(const Dataset& data) {
  Parts parts;
  for (const Environment& e : data.environments) {
    auto& rows = parts.rows.emplace_back();
    for (std::size_t r = e.begin; r < e.end; ++r) rows.push_back(r);
    parts.names.push_back(e.name);
  }
  return parts;
}

Sent with_parts(const Sent& sent, const std::function<void(Parts&)>& change,
                std::optional<std::size_t> baseline) {
  Parts parts = parts_of(sent.data);
  change(parts);
  Sent out = sent;
  out.data = with_rows(sent.data, parts.rows, parts.names);
  out.baseline = baseline;
  return out;
}

Sent columns_turned(Sent sent) {
  std::reverse(sent.data.variables.begin(), sent.data.variables.end());
  std::reverse(sent.data.columns.begin(), sent.data.columns.end());
  return sent;
}

/// Other names, in the opposite alphabetical order.
Sent renamed(Sent sent) {
  std::size_t next = 900;
  const auto rename = [&](std::string& name) {
    const std::string other = "n" + std::to_string(next--);
    sent.names[other] = name;
    name = other;
  };
  for (Variable& v : sent.data.variables) rename(v.name);
  for (Environment& e : sent.data.environments) rename(e.name);
  return sent;
}

Sent other_units(Sent sent) {
  double unit = 1000;
  for (std::size_t v = 0; v < sent.data.columns.size(); ++v, unit = 1 / unit)
    for (double& x : sent.data.columns[v].values) x = x * unit + 3 * unit;
  return sent;
}

/// A slip of the hand in the first row: another place of the point, or the next level.
Sent mistyped(Sent sent) {
  Column& column = sent.data.columns[0];
  if (column.levels.empty())
    column.values[0] *= 100;
  else
    column.levels[0] = (column.levels[0] + 1) % sent.data.variables[0].levels;
  return sent;
}

/// Every hundredth row holds cells of other rows, another one for each column.
Sent with_mixed_rows(Sent sent) {
  const std::size_t rows = sent.data.rows();
  const Dataset given = sent.data;
  for (std::size_t v = 0; v < given.columns.size(); ++v)
    for (std::size_t r = 50; r < rows; r += 100) {
      const std::size_t other = (r + 37 * (v + 1)) % rows;
      if (given.columns[v].levels.empty())
        sent.data.columns[v].values[r] = given.columns[v].values[other];
      else
        sent.data.columns[v].levels[r] = given.columns[v].levels[other];
    }
  return sent;
}

/// Numbers as another country writes them: nothing here may read the locale.
class OtherLocale {
 public:
  OtherLocale() {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
      if (std::setlocale(LC_ALL, name)) return;
  }
  ~OtherLocale() { std::setlocale(LC_ALL, "C"); }
};

struct Variation {
  const char* name;
  std::function<Sent(const Sent&)> change;
};

std::vector<Variation> variations() {
  const auto reversed_rows = [](Parts& p) {
    for (auto& rows : p.rows) std::reverse(rows.begin(), rows.end());
  };
  const auto reversed_environments = [](Parts& p) {
    std::reverse(p.rows.begin(), p.rows.end());
    std::reverse(p.names.begin(), p.names.end());
  };
  const auto copied = [](Parts& p) {
    p.rows.push_back(p.rows.back());
    p.names.push_back("a copy");
  };
  return {
      {"rows in another order", [=](const Sent& s) { return with_parts(s, reversed_rows, 0); }},
      {"columns in another order", columns_turned},
      {"environments in another order",
       [=](const Sent& s) {
         return with_parts(s, reversed_environments, s.data.environments.size() - 1);
       }},
      {"other names", renamed},
      {"other units", other_units},
      {"other threads",
       [](Sent s) {
         s.threads = 4;
         return s;
       }},
      {"another locale", [](const Sent& s) { return s; }},
      {"an environment twice", [=](const Sent& s) { return with_parts(s, copied, 0); }},
      {"one row more",
       [](const Sent& s) {
         return with_parts(
             s, [](Parts& p) { p.rows[0].push_back(p.rows[0][0]); }, 0);
       }},
      {"one row less",
       [](const Sent& s) {
         return with_parts(
             s, [](Parts& p) { p.rows[0].pop_back(); }, 0);
       }},
      {"one cell mistyped", mistyped},
      {"1 % of the rows mixed", with_mixed_rows},
  };
}

// ---- the data ----

struct Question {
  std::string command;
  std::vector<std::function<Answer(const Sent&)>> ask;  // of each data set
  std::vector<Sent> sent;
};

Question direction_question(std::size_t sets, std::uint64_t seed) {
  Question question{"direction", {}, {}};
  using Kind = PairSimulation::Kind;
  for (std::size_t i = 0; i < sets; ++i) {
    PairSimulation what;
    what.kind = i % 3 == 0 ? Kind::categorical : i % 3 == 1 ? Kind::linear_gaussian : Kind::spline;
    what.shift = i / 3 % 2 == 0 ? ShiftKind::cause : ShiftKind::mechanism;
    what.levels = 4;
    what.environments = 8;
    what.rows = 20;
    what.baseline_rows = 60;
    what.seed = seed * 1000 + i;
    question.sent.push_back({simulate_pair(what)});
    question.ask.emplace_back(ask_direction);
  }
  return question;
}

std::vector<Question> graph_questions(std::size_t sets, std::uint64_t seed) {
  Question discover{"discover", {}, {}}, labels{"by labels", {}, {}}, changes{"changes", {}, {}};
  for (std::size_t i = 0; i < sets; ++i) {
    GraphWorldSpec spec;
    spec.graph = read_graph("0->1->2,0->3,2->4,3->4,1->5");
    spec.mechanism = i % 2 == 0 ? GraphMechanism::linear_gaussian : GraphMechanism::categorical;
    spec.shift = i / 2 % 2 == 0 ? GraphShift::hard : GraphShift::soft;
    spec.levels = 3;
    spec.environments = 5;
    spec.rows = 20;
    spec.baseline_rows = 60;
    const GraphSimulation made = simulate_graph(spec, seed * 1000 + i);
    discover.sent.push_back({made.data});
    discover.ask.emplace_back([](const Sent& s) { return ask_discover(s, GraphModel::automatic); });
    labels.sent.push_back({made.data});
    labels.ask.emplace_back([](const Sent& s) { return ask_discover(s, GraphModel::labels); });
    changes.sent.push_back({made.data});
    changes.ask.emplace_back([graph = made.truth.graph, names = made.truth.names](const Sent& s) {
      return ask_changes(s, graph, names);
    });
  }
  return {discover, labels, changes};
}

/// The largest change of any probability, and where it was.
struct Largest {
  double change = 0;
  std::size_t set = 0;
  std::string what;

  void look(const Answer& a, const Answer& b, std::size_t number) {
    for (const auto& [name, p] : a) {
      const auto other = b.find(name);
      if (other == b.end() || std::abs(p - other->second) <= change) continue;
      change = std::abs(p - other->second);
      set = number, what = name;
    }
  }
  Json json() const {
    return Json::object({{"change", change},
                         {"data_set", change == 0 ? Json() : Json(set)},
                         {"of", change == 0 ? Json() : Json(what)}});
  }
};

/// Directions that were sure and are as sure the other way round.
std::size_t turned_round(const Answer& before, const Answer& after) {
  std::size_t count = 0;
  for (const auto& [name, p] : before) {
    const std::size_t arrow = name.find('>');
    if (arrow == std::string::npos || p <= decided_belief) continue;
    const auto other = after.find(name.substr(arrow + 1) + ">" + name.substr(0, arrow));
    count += std::size_t(other != after.end() && other->second > decided_belief);
  }
  return count;
}

std::string shown(double change) { return change == 0 ? "0" : fmt::format("{:.1e}", change); }

}  // namespace

void bench_invariance(const InvarianceOptions& options, const Globals& globals) {
  const std::size_t sets = options.scale == "smoke" ? 2 : 12;
  const std::uint64_t seed = seed_of(options.seed);
  std::vector<Question> questions = {direction_question(sets, seed)};
  for (Question& question : graph_questions(sets, seed)) questions.push_back(std::move(question));
  Table table{"invariance", "The largest change of any probability", {"what is different"}, {}};
  for (const Question& q : questions) table.columns.push_back(q.command);
  Json rows = Json::list();
  ProgressBar bar("bench invariance", ProgressBar::wanted(globals.quiet));
  std::vector<std::vector<Answer>> usual(questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q)
    for (std::size_t i = 0; i < sets; ++i) {
      stop_if_interrupted();
      usual[q].push_back(questions[q].ask[i](questions[q].sent[i]));
    }
  const std::vector<Variation> all = variations();
  std::size_t turned = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<std::string> cells = {all[k].name};
    Json row = Json::object({{"different", all[k].name}});
    std::optional<OtherLocale> locale;
    if (std::string_view(all[k].name) == "another locale") locale.emplace();
    for (std::size_t q = 0; q < questions.size(); ++q) {
      Largest largest;
      for (std::size_t i = 0; i < sets; ++i) {
        bar.show((double(k) + double(q) / double(questions.size())) / double(all.size()));
        const Sent sent = all[k].change(questions[q].sent[i]);
        const Answer answer = questions[q].ask[i](sent);
        largest.look(usual[q][i], answer, i);
        turned += turned_round(usual[q][i], answer);
      }
      cells.push_back(shown(largest.change));
      row.set(questions[q].command, largest.json());
    }
    table.rows.push_back(std::move(cells));
    rows.items.push_back(std::move(row));
  }
  if (options.json)
    return print(
        Json::object(
            {{"data_sets", sets}, {"seed", seed}, {"turned_round", turned}, {"changes", rows}})
            .dump(2) +
        "\n");
  print(for_locale(fmt::format("{}; {} data sets for each command\n\n", table.title, sets)) +
        text_table(table, 60) +
        fmt::format("\nsure directions that were as sure the other way round: {}\n", turned));
}

}  // namespace whence
