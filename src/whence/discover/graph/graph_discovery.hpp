// What causes what among many variables, which mechanism changed in each environment, and how sure
// that is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whence/belief/equivalence_class.hpp"
#include "whence/belief/graph_belief.hpp"
#include "whence/core/control.hpp"
#include "whence/core/data_source.hpp"
#include "whence/core/dataset.hpp"
#include "whence/core/knowledge.hpp"
#include "whence/core/remark.hpp"
#include "whence/discover/check/model_check.hpp"
#include "whence/discover/graph/graph_models.hpp"
#include "whence/evidence/effect_size.hpp"

namespace whence {

struct GraphOptions {
  GraphModel model = GraphModel::automatic;
  const ModelEntry* own_model = nullptr;  // where given, instead of `model`
  std::uint64_t seed = 0;
  int restarts = 5;  // searches from different starts
  int rounds = 0;    // disturbances per search; 0: as many as the graph is large
  int chains = 4;
  int sweeps = 300;                     // per chain, after a quarter of them to forget the start
  std::optional<std::size_t> baseline;  // this environment is unchanged by definition
  EdgeKnowledge knowledge;              // [cause][effect], in the data's order
  std::vector<KnownChange> known;       // [variable][environment]; empty: nothing is known
  bool maybe_selected = false;          // environments may have been formed by what rows hold
  std::vector<std::int32_t> entity;     // of each row, where that is known: as for effective_rows
  bool keep_odd_rows = false;           // rows with cells that look mistyped count, too
  bool robust = true;                   // linear: noise may have heavy tails
  std::vector<double> scales = {3, 1, 0.1, 0.01};  // of the prior, tried in this order
};

/// One possible edge.
struct EdgeFinding {
  std::size_t from = 0, to = 0;
  double probability = 0, adjacent_probability = 0;
  double shift_log_odds = 0;    // for this direction against the other, from changes alone
  std::vector<double> support;  // [environment]: what is lost of it when that one is left out
  std::array<double, 2> leave_one_out = {0, 1};  // range of the probability over leaving out any
  // The most that the opposite direction gets when any one environment is left out, and which.
  double turned = 0;
  std::size_t turned_without = 0;
  std::optional<EffectSize> effect = {};  // of edges of the graph, where it is known
};

/// Points and fit of one edge between two numbers.
struct MechanismPicture {
  std::size_t from = 0, to = 0;
  struct Points {
    std::vector<std::size_t> environments;  // of the data
    std::vector<double> x, y;               // y: with the other causes as the baseline has them
  };
  std::vector<Points> points;  // the baseline first
  std::vector<FittedPoint> fit;
};

struct GraphEnvironment {
  std::string name;
  std::size_t rows = 0;
  bool baseline = false;
  std::vector<double> changed;  // [variable]
  double all_changed = 0, none_changed = 0;
  double drift =
      0;  // by labels: by how much all mechanisms drifted, in residual standard deviations
  std::optional<double> chain_error = {};  // the largest standard error of `changed`
};

/// What a search over many variables did not look at.
struct LeftOutOfSearch {
  std::size_t pairs = 0;     // of variables, in either direction
  double best_gain = 0;      // nats: the most that any of those edges would add, by estimate
  std::size_t gaussian = 0;  // variables whose noise was taken for Gaussian after a trial
  std::size_t settled = 0;   // variables whose parents no chain redrew
};

/// How the search went.
struct SearchRecord {
  std::vector<double> scores;  // of the best graph of each start
  double chain_spread = 0;     // largest difference of an edge's probability between chains
  std::size_t spread_from = 0, spread_to = 0;  // that edge
  // The largest standard error of a probability, by how much chains agree; none where there were no
  // two chains.
  std::optional<double> chain_error;
  std::size_t families_scored = 0;
  bool exact = false;   // all graphs were enumerated
  std::string stopped;  // empty, or why it ended early
  // It ended before any chain ran: probabilities compare the best graph with its neighbours.
  bool one_graph = false;
  std::size_t moved = 0;                    // variables whose parents chains redrew
  std::optional<LeftOutOfSearch> left_out;  // where there are too many variables to look at all
};

struct GraphResult {
  std::vector<std::string> variables;
  GraphModel model = GraphModel::linear;
  Remark model_reason;
  double scale = 0;        // of the prior, chosen by evidence
  EdgeMatrix edges;        // P(cause -> effect), [cause][effect]
  EdgeMatrix edge_errors;  // their standard errors over chains; without variables if not known
  std::vector<EdgeFinding> findings;  // edges worth showing, most probable first
  // By labels only (else without variables): dependence that is no cause of either, symmetric; and
  // what part of `edges` shows in shifts alone, [cause][effect].
  EdgeMatrix hidden, shift_only;
  std::vector<double> drift;      // [variable], by labels: how far its mechanism drifts everywhere
  std::vector<LineCheck> checks;  // [variable]: whether a line is enough; empty where not asked
  Graph graph;                    // edges more probable than not
  bool cycle_broken = false;      // the weakest edge of a cycle was left out of it
  EquivalenceClass essential;     // what these changes can say of the graph at best
  std::vector<GraphEnvironment> environments;
  double quiet = 0;          // P(nothing changed anywhere)
  std::vector<Graph> draws;  // from the posterior, equally weighted
  double best_score = 0;
  SearchRecord search;
  // Edges, cause first, whose effect changed wherever the cause did: a hidden cause of both looks
  // like that, since a change of the one cuts it off from the other.
  std::vector<std::pair<std::size_t, std::size_t>> maybe_confounded;
  std::vector<MechanismPicture> pictures;  // filled by mechanism_pictures() on request
  std::vector<Remark> remarks;             // warnings, and what would settle the rest
};

/// `data` has at least two variables and one environment; what is not a valid data set, and
/// knowledge that does not fit it, is an Error. The order of columns, environments and
/// rows does not matter, bit by bit; units do not up to rounding.
GraphResult find_graph(const Dataset& data, const GraphOptions& options = {},
                       const Control& control = {});
/// The same with less memory: rows that can be read again are let go of meanwhile.
GraphResult find_graph(DataSource& data, const GraphOptions& options = {},
                       const Control& control = {});

/// The graph is given: finds what changed in each environment.
GraphResult find_changes(const Dataset& data, const Graph& graph, GraphOptions options = {},
                         const Control& control = {});
GraphResult find_changes(DataSource& data, const Graph& graph, GraphOptions options = {},
                         const Control& control = {});

/// Edges that a result lists, most probable first, without their support.
std::vector<EdgeFinding> edges_worth_showing(const EdgeMatrix& edges);

/// Edges more probable than not. They may close a cycle: then the weakest of them stay out.
Graph likely_graph(const EdgeMatrix& edges, bool& cycle_broken);

}  // namespace whence
