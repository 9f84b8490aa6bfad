// A stranger's program: includes the installed header, links the installed library, puts in numbers
// of its own, and sees that what cannot be a data set is refused.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <whence/whence.hpp>

namespace {

using namespace whence;

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

template <class Call>
void expect_refused(const char* id, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.id() == id) {
      const std::string said = error.hint() + error.what() + error.place();
      expect(said.find("--") == std::string::npos, "an error of the library names no option");
      return;
    }
    std::printf("%s instead of ", error.id().c_str());
  }
  std::printf("%s: not refused\n", id);
  ++failures;
}

/// Two columns, four rows in each of three environments.
const std::vector<double> sun = {2, 5, 3, 6, 9, 12, 10, 13, 4, 8, 6, 9};
const std::vector<std::string> ice = {"no",  "yes", "no", "yes", "yes", "yes",
                                      "yes", "yes", "no", "yes", "no",  "yes"};
const std::vector<std::string> month = {"May",  "May",  "May",  "May",  "July", "July",
                                        "July", "July", "June", "June", "June", "June"};

Dataset small() { return Dataset::from_columns({{"sun", sun}, {"ice", ice}}, month); }

void answers() {
  const Dataset data = small();
  expect(data.variables[1].levels == 2 && data.environments.size() == 3, "texts become levels");
  const DirectionResult found = find_direction(data);
  double sum = found.hidden;
  for (double share : found.belief) sum += share;
  expect(std::abs(sum - 1) < 1e-9, "a belief");
  const Dataset again = Dataset::from_environments(
      {{"May", {{"sun", {2.0, 5, 3, 6}}, {"ice", {"no", "yes", "no", "yes"}}}},
       {"July", {{"ice", {"yes", "yes", "yes", "yes"}}, {"sun", {9.0, 12, 10, 13}}}},
       {"June", {{"sun", {4.0, 8, 6, 9}}, {"ice", {"no", "yes", "no", "yes"}}}}});
  expect(find_direction(again).belief == found.belief, "environment by environment is the same");

  GraphWorldSpec spec{draw_named_graph("0->1->2", Stream(1, Purpose::world, {2, 0, 0}))};
  const GraphSimulation world = simulate_graph(spec, 1);
  GraphOptions options;
  options.baseline = 0;
  options.sweeps = 20;
  options.knowledge.forbid(world.data, "X2", "X0");
  double share = 0;
  const Control control{.threads = 2, .progress = [&](double done) { share = done; }};
  const GraphResult graph = find_graph(world.data, options, control);
  expect(graph.edges.at(2, 0) == 0 && share > 0, "what is known, and how far it is");
  expect(evaluate(graph, world).edges == 2, "an answer is judged");
  const GraphResult changes = find_changes(world.data, world.truth.graph, options);
  expect(changes.graph == world.truth.graph, "the graph is taken as given");

  PairSimulation pair;
  expect(evaluate(find_direction(simulate_pair(pair)), pair).outcome == "right", "a pair");
}

void bad_data() {
  const std::vector<double> short_column = {1, 2, 3};
  std::vector<double> endless = sun;
  endless[4] = INFINITY;
  const std::vector<int> codes = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 7};
  expect_refused("E-DATA-LENGTH", [&] {
    Dataset::from_columns({{"sun", sun}, {"ice", short_column}}, month);
  });
  expect_refused("E-DATA-NAME", [&] {
    Dataset::from_columns({{"sun", sun}, {"sun", ice}}, month);
  });
  expect_refused("E-DATA-NONFINITE", [&] {
    Dataset::from_columns({{"sun", endless}, {"ice", ice}}, month);
  });
  expect_refused("E-DATA-LEVELS", [&] {
    Dataset::from_columns({{"sun", sun}, DataColumn::categories("ice", codes, {"a", "b", "c"})},
                          month);
  });
  DataColumn holes("sun", endless);
  std::vector<bool> where(12, false);
  where[4] = true;
  holes.missing_at(where);
  expect_refused("E-DATA-MISSING", [&] { Dataset::from_columns({holes, {"ice", ice}}, month); });
  expect(Dataset::from_columns({holes, {"ice", ice}}, month, MissingRows::drop).rows() == 11,
         "rows without a value are dropped where that is wanted");
  Dataset damaged = small();
  damaged.columns[1].levels[3] = 9;
  expect_refused("E-DATA-LEVELS", [&] { find_direction(damaged); });
  damaged = small();
  damaged.columns[0].values.pop_back();
  expect_refused("E-DATA-LENGTH", [&] { find_direction(damaged); });
}

void bad_options() {
  DirectionOptions no_such_baseline;
  no_such_baseline.baseline = 3;
  expect_refused("E-DATA-BASELINE", [&] { find_direction(small(), no_such_baseline); });
  const Dataset numbers =
      simulate_graph({draw_named_graph("0->1->2", Stream(1, Purpose::world, {2, 0, 0}))}, 1).data;
  GraphOptions options;
  options.baseline = 99;
  expect_refused("E-DATA-BASELINE", [&] { find_graph(numbers, options); });
  options.baseline = 0;
  options.knowledge.words.assign(4, EdgeKnowledge::Word::open);
  expect_refused("E-KNOWLEDGE", [&] { find_graph(numbers, options); });
  options.knowledge = {};
  options.known.assign(5, KnownChange::unknown);
  expect_refused("E-KNOWLEDGE", [&] { find_graph(numbers, options); });
  options.known.clear();
  options.knowledge.require(numbers, "X0", "X1");
  options.knowledge.require(numbers, "X1", "X0");
  expect_refused("E-KNOWLEDGE", [&] { find_graph(numbers, options); });
  options.knowledge = {};
  options.model = GraphModel::categorical;
  expect_refused("E-USAGE-MODEL", [&] { find_graph(numbers, options); });
  expect_refused("E-GRAPH-NAME", [&] { find_changes(numbers, Graph(2)); });
  const std::atomic<bool> stop = true;
  expect_refused("E-STOPPED", [&] { find_direction(small(), {}, {.stop = &stop}); });
}

}  // namespace

int main() {
  expect(std::string(version()).size() > 0 && std::string(revision()).size() > 0, "a version");
  expect(experiments().size() > 0, "the paper's experiments");
  answers();
  bad_data();
  bad_options();
  return failures == 0 ? 0 : 1;
}
