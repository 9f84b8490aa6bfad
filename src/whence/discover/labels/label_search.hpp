// Search and Markov chains over graphs whose arcs are causes, hidden links or links seen in shifts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whence/belief/edges.hpp"
#include "whence/belief/graph_sampler.hpp"
#include "whence/core/report.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/discover/labels/label_score.hpp"

namespace whence {

/// What stands between variables a < b.
enum class Link : unsigned char {
  none,
  forward,         // a causes b
  backward,        // b causes a
  hidden_forward,  // dependent, not a cause; b is factorised after a
  hidden_backward,
  shift_forward,  // a causes b, seen only in shifts
  shift_backward,
};
inline constexpr int link_kinds = 7;

struct LabelGraph {
  std::vector<LabelFamily> families;

  explicit LabelGraph(std::size_t variables = 0) : families(variables) {}
  std::size_t variables() const { return families.size(); }
  bool operator==(const LabelGraph&) const = default;
  Link link(std::size_t a, std::size_t b) const;  // a < b
  void set(std::size_t a, std::size_t b, Link link);
  /// Whether there is a path of arcs from one variable to another.
  bool reaches(std::size_t from, std::size_t to) const;
  std::vector<std::size_t> order() const;  // arcs point forward
};

struct LabelSearchOptions {
  std::uint64_t seed = 0;
  int threads = 1;
  int starts = 3;
  std::size_t most_parents = 7;
  int chains = 4, steps = 4000;              // per chain
  const EdgeKnowledge* knowledge = nullptr;  // [cause][effect]
  const std::atomic<bool>* stop = nullptr;
  SharedWork* work = nullptr;  // evidence is shared with other processes, or kept
  std::string part = {};       // names this search among those of one answer
};

/// Graphs from Markov chains, equally weighted, and the standard errors over chains of how often
/// each cause was drawn, [cause][effect]; of one chain without variables.
struct LabelDraws {
  std::vector<LabelGraph> graphs;
  EdgeMatrix errors;
};

class LabelSearch {
 public:
  LabelSearch(LabelScore& score, const LabelSearchOptions& options);

  /// Climbs from the empty graph, then from orders; drift and environments that say nothing are
  /// estimated in between.
  void run(const Progress& progress);

  const LabelGraph& best() const { return best_; }
  double best_score() const { return total(best_); }
  double total(const LabelGraph& graph) const;

  /// Graphs of all chains, in order. Chains go on until they agree, for a limited time.
  LabelDraws draw(const Progress& progress);

  /// The best graph that a climb reaches when this link between two variables stays as it is,
  /// starting from the best graph; nothing where that link is not allowed.
  std::optional<LabelGraph> alternative(std::size_t from, std::size_t to, bool hidden) const;

  /// The best graph without the edge, the effect's family grown again from what stands next to the
  /// cause: whatever passes the cause on, or what the cause stands for. Nothing where the edge is
  /// known.
  std::optional<LabelGraph> bypassed(std::size_t from, std::size_t to) const;

  /// Three for each edge of the best graph: the edge turned round, something hidden, and a way
  /// round.
  struct Rivals {
    std::size_t from, to;
    std::optional<LabelGraph> reversed, hidden, bypassed;
  };
  const std::vector<Rivals>& rivals();

  /// Drift of environments and of mechanisms by empirical Bayes, given a graph. Mechanisms that
  /// drift may do so by any amount up to their scale, or in every second run only.
  LabelRegime estimated_regime(const LabelGraph& graph, bool at_times = false) const;

  /// Whether what is known leaves room for "from causes to", or for something hidden behind both.
  bool may_cause(std::size_t from, std::size_t to) const { return known(from, to, false); }
  bool may_be_hidden(std::size_t from, std::size_t to) const { return known(from, to, true); }

  bool candidate(std::size_t a, std::size_t b) const { return candidates_[a * m_ + b] != 0; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

 private:
  static constexpr double impossible = -1e9;  // nats
  static constexpr double improved = 1e-6;    // smaller gains are rounding
  static constexpr double clear_move = 5;     // nats: the variable's own law differs

  void share(const std::string& what, std::size_t units,
             const std::function<void(std::size_t)>& job) const;
  void find_candidates();
  void find_movers();
  void find_restless();
  bool allowed(std::size_t a, std::size_t b, Link link) const;
  double gain(const LabelGraph& graph, std::size_t a, std::size_t b, Link link, double floor) const;
  using Pair = std::pair<std::size_t, std::size_t>;  // the smaller first
  struct Move {
    double gain = improved;
    std::size_t b = 0;
    Link link = Link::none;
  };
  Move best_move(const LabelGraph& graph, std::size_t a, std::optional<Pair> kept) const;
  void climb(LabelGraph& graph, int threads, std::optional<Pair> kept = {}) const;
  LabelFamily best_family(std::size_t child, const VariableSet& before) const;
  LabelFamily grown(std::size_t child, const VariableSet& before, VariableSet start) const;
  double family_in_order(std::size_t child, const VariableSet& before, LabelFamily* found) const;
  double order_score(const std::vector<std::size_t>& order, LabelGraph* graph) const;
  struct Place {
    double gain;
    std::size_t at;
  };
  Place best_place(const std::vector<std::size_t>& order, std::size_t from) const;
  void improve_order(std::vector<std::size_t>& order) const;
  void from_orders(const std::vector<std::vector<std::size_t>>& starts);
  void add_candidates_of_changes();
  void refine(const Progress& progress);
  void try_alternatives();
  void try_drifting_effects();
  double total_with_drift() const;
  bool step(LabelGraph& graph, Stream& stream) const;
  EdgeMatrix errors_of(const std::vector<std::vector<LabelGraph>>& drawn) const;
  bool known(std::size_t from, std::size_t to, bool hidden) const;
  bool keeps_required(const LabelGraph& graph) const;
  bool allows_family(std::size_t child, const LabelFamily& family) const;

  struct BestKey {
    std::size_t child;
    VariableSet before;
    bool operator==(const BestKey&) const = default;
  };
  struct BestHash {
    std::size_t operator()(const BestKey& key) const {
      return key.child * 0x9E3779B97F4A7C15ULL ^ key.before.hash();
    }
  };

  LabelScore& score_;
  LabelSearchOptions options_;
  std::size_t m_;
  std::vector<char> candidates_;         // [a][b], symmetric
  std::vector<VariableSet> partners_;    // candidates of each variable
  std::vector<VariableSet> movers_;      // what moved most where the variable moved too
  std::vector<VariableSet> unmoved_by_;  // variables that move nearly everywhere, this one not
  LabelGraph best_;
  mutable std::size_t shared_ = 0;                                    // stages so far
  std::optional<std::pair<LabelGraph, std::vector<Rivals>>> rivals_;  // of which graph
  mutable SharedCache<BestKey, LabelFamily, BestHash> best_families_;
};

}  // namespace whence
