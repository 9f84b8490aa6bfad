// Drawing graphs, and what happened to whole environments, from their joint posterior.
#pragma once

#include <atomic>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "whence/belief/each_of.hpp"
#include "whence/belief/edges.hpp"
#include "whence/belief/family_table.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// The parent sets each variable is redrawn from: all small sets of good candidates, and all sets
/// near those of some good graphs. Sets outside are reached by single edges. A variable that
/// `each_of` leaves out has no list, and no chain may ask for it.
class ParentLists {
 public:
  ParentLists(const FamilyTable& table, std::size_t regime, std::span<const Dag> good,
              const EachOf& each_of = one_by_one);
  /// The same from lists that `list` made.
  ParentLists(const FamilyTable& table, std::size_t regime, std::span<const Dag> good,
              std::vector<std::vector<VariableSet>> sets);
  static std::vector<VariableSet> list(const FamilyTable& table, std::size_t regime,
                                       std::span<const Dag> good, std::size_t child);

  const std::vector<VariableSet>& sets(std::size_t child) const { return sets_[child]; }

  /// Variables whose parents chains redraw. All of them, but where only some pairs are looked at:
  /// there, those whose parents are not settled in the best graph, and the ends of edges that may
  /// be turned. The others keep their parents, and are weighed given the rest.
  const std::vector<std::size_t>& movable() const { return movable_; }
  const VariableSet& are_movable() const { return is_movable_; }

 private:
  void find_movable(const FamilyTable& table, std::size_t regime, std::span<const Dag> good);

  std::vector<std::vector<VariableSet>> sets_;
  std::vector<std::size_t> movable_;
  VariableSet is_movable_;
};

/// One drawn graph and the regime it was drawn with.
struct GraphDraw {
  Dag dag;
  std::size_t regime = 0;
  double score = 0;
};

/// Directions that no change supports are shared out over graphs of the class that the same changes
/// allow; what changed, and the graphs, are drawn. `present` has P(edge), [cause][effect].
void share_out_directions(const FamilyTable& table, const GraphDraw& graph, Stream& stream,
                          EdgeMatrix& present);

/// A Markov chain. Its moves: redraw all parents of a variable given the rest; turn an edge round
/// and redraw the parents at both its ends (Grzegorczyk and Husmeier 2008); toggle, turn or swap
/// single edges; another graph of the same Markov class; redraw what happened to one environment;
/// quiet or not.
class GraphChain {
 public:
  GraphChain(const FamilyTable& table, const ParentLists& lists, const GraphDraw& start,
             Stream stream, double inverse_temperature = 1);

  /// As many moves as there are variables, some of each kind.
  void sweep();
  const GraphDraw& state() const { return state_; }
  double inverse_temperature() const { return heat_; }
  void exchange(GraphChain& other);

  /// P(edge | everything else) of the present state, [cause][effect]. A direction that none of its
  /// changes supports is shared out over the graphs that the same changes allow.
  EdgeMatrix edge_probabilities();

 private:
  struct Weighed {
    std::vector<std::size_t> allowed;  // positions in the list
    std::vector<double> weights;       // tempered, relative to `top`
    double log_sum = 0;
    bool has_current = false;
  };
  double score_of(std::size_t child, const VariableSet& parents) const;
  const std::vector<double>& listed_scores(std::size_t child);
  /// The listed sets of `child` that avoid `descendants` (and contain `must`, if it is a variable).
  Weighed weigh(std::size_t child, const VariableSet& descendants, std::size_t must);
  const VariableSet& draw(std::size_t child, const Weighed& weighed);

  std::size_t any_movable();
  std::size_t movable_edges(const Dag& dag) const;
  void redraw_parents();
  void turn_and_redraw();
  void toggle_edge();
  void turn_edge();
  void swap_parent();
  void redraw_within_class();
  bool surely_sparse(std::size_t environment) const;
  bool costly(const Dag& other) const;
  void redraw_environment();
  void redraw_quiet();
  bool accept(double log_ratio);
  void move_to(std::size_t regime);

  const FamilyTable& table_;
  const ParentLists& lists_;
  GraphDraw state_;
  Stream stream_;
  double heat_;
  // Scores of the lists under each regime that was visited.
  std::unordered_map<std::size_t, std::vector<std::vector<double>>> listed_;
};

}  // namespace whence
