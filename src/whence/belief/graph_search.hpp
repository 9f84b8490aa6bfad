// Looking for the most probable graph: climbing by single edges, turning stars round, and starting
// again from disturbed copies of the best graph so far.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "whence/belief/family_table.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// A graph with its families' scores and, row by row, what toggling each possible parent would
/// change.
class GraphClimber {
 public:
  GraphClimber(const FamilyTable& table, std::size_t regime, const Dag& start);

  const Dag& dag() const { return dag_; }
  std::size_t regime() const { return regime_; }
  double score() const;  // with the regime's prior

  void set_dag(const Dag& dag);
  void set_regime(std::size_t regime);

  /// Adds, deletes or turns the best edge until nothing improves. Estimates may leave additions
  /// unscored that would.
  void climb(const std::atomic<bool>* stop = nullptr);
  /// The same with every addition scored.
  void climb_by_scores(const std::atomic<bool>* stop = nullptr);
  /// Makes all neighbours of each variable its causes, then its effects; keeps what is better after
  /// climbing.
  bool turn_stars(const std::atomic<bool>* stop = nullptr);
  /// Turns each edge round and exchanges the parents of its ends; keeps what is better after
  /// climbing. Of two variables that are nearly copies, one may stand where the other should: no
  /// single edge gets out of that.
  bool exchange_parents(const std::atomic<bool>* stop = nullptr);
  /// Takes over what another graph has better: of families that differ, those that hang together
  /// by edges that differ, together. Then climbs. True if anything was better.
  bool take_over(const Dag& other, const std::atomic<bool>* stop = nullptr);
  /// Disturbs, climbs, keeps what is better; `rounds` times.
  void iterate(int rounds, Stream& stream, const std::atomic<bool>* stop = nullptr);

 private:
  void refresh(std::size_t child);                                 // its score and its row of gains
  void score_gain(std::size_t child, std::size_t parent);          // instead of an estimate
  double optimistic(std::size_t child, std::size_t parent) const;  // the most toggling may gain
  bool score_doubtful();
  bool out_of_reach(const Dag& next) const;
  bool step();
  void apply(const Dag& next);
  /// Climbs from another graph, and comes back unless that ended higher.
  bool climb_from(const Dag& next, const std::atomic<bool>* stop);
  Dag disturbed(Stream& stream) const;
  /// A child's row as it was before it was first touched since `climb_from` began.
  struct Row {
    std::size_t child;
    double score;
    std::vector<double> gains;
    std::vector<char> estimated;
  };
  void keep_row(std::size_t child);

  const FamilyTable& table_;
  std::size_t regime_;
  Dag dag_;
  std::vector<double> scores_;   // [child]
  std::vector<double> gains_;    // [child][parent]: of toggling
  std::vector<char> estimated_;  // [child][parent]: whether that gain is an estimate
  bool keeping_ = false;
  std::vector<Row> kept_;
  std::vector<char> is_kept_;  // [child]
};

/// The empty graph, or what is known of it.
Dag required_graph(const FamilyTable& table);

/// All environments sparse.
EnvironmentRegime sparse_regime(std::size_t environments);
EnvironmentRegime quiet_regime(std::size_t environments);

/// For the climber's graph: sets each environment's state to the most probable one, in turn, until
/// nothing changes or it is stopped; the graph stays. True if anything changed.
bool settle_regime(const FamilyTable& table, GraphClimber& climber,
                   const std::atomic<bool>* stop = nullptr);

}  // namespace whence
