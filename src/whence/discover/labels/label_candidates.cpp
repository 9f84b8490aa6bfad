// Which pairs a search by labels looks at.
#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/discover/labels/label_search.hpp"

namespace whence {

/// Pairs that depend on each other, alone or beside others, or that move together.
void LabelSearch::find_candidates() {
  const JointEvidence& joint = score_.joint();
  const double rows = double(joint.rows()), price = 0.01 * rows;
  constexpr std::size_t most_partners = 20, most_blanket = 8;
  std::vector<double> marginal(m_ * m_, -INFINITY);
  const auto fill_marginal = [&](std::size_t a) {
    if (stopped()) return;
    for (std::size_t b = 0; b < a; ++b) {
      const auto one = VariableSet().with(a), other = VariableSet().with(b);
      marginal[a * m_ + b] =
          joint.joint(one | other) - joint.joint(one) - joint.joint(other) - price;
    }
  };
  parallel_for(m_, options_.threads, fill_marginal);
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = 0; b < a; ++b) marginal[b * m_ + a] = marginal[a * m_ + b];
  std::vector<VariableSet> blanket(m_);
  const auto find_blanket = [&](std::size_t i) {
    if (stopped()) return;
    // In large tables only the strongest partners are tried beside others.
    std::vector<std::size_t> tried;
    for (std::size_t v = 0; v < m_; ++v)
      if (v != i) tried.push_back(v);
    if (tried.size() > most_partners) {
      std::stable_sort(tried.begin(), tried.end(), [&](std::size_t a, std::size_t b) {
        return marginal[i * m_ + a] > marginal[i * m_ + b];
      });
      tried.resize(most_partners);
    }
    VariableSet given;
    double reached = joint.conditional(i, given);
    for (std::size_t step = 0; step < most_blanket; ++step) {
      double best = reached + price + 3;
      VariableSet better = given;
      for (std::size_t v : tried) {
        if (given.has(v)) continue;
        const double next = joint.conditional(i, given.with(v));
        if (next <= best) continue;
        best = next;
        better = given.with(v);
      }
      if (better == given) break;
      given = better;
      reached = best;
    }
    blanket[i] = given;
  };
  share("blankets", m_, find_blanket);
  parallel_for(m_, options_.threads, find_blanket);
  const ShiftEvidence& shift = score_.shift();
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = a + 1; b < m_; ++b) {
      bool found = marginal[a * m_ + b] > 0 || blanket[a].has(b) || blanket[b].has(a);
      for (std::size_t e = 0; e < shift.environments() && !found; ++e)
        found = shift.moved(a, e) > clear_move && shift.moved(b, e) > clear_move;
      if (options_.knowledge != nullptr && !options_.knowledge->words.empty())
        found = found || !allowed(a, b, Link::none);
      candidates_[a * m_ + b] = candidates_[b * m_ + a] = found ? 1 : 0;
    }
  for (std::size_t a = 0; a < m_; ++a)
    for (std::size_t b = 0; b < m_; ++b)
      if (candidate(a, b)) partners_[a] = partners_[a].with(b);
}

/// For each variable, what moved most in the environments where it moved.
void LabelSearch::find_movers() {
  constexpr double far = 10;
  const ShiftEvidence& shift = score_.shift();
  for (std::size_t e = 0; e < shift.environments(); ++e) {
    std::size_t top = m_;
    double most = far;
    for (std::size_t v = 0; v < m_; ++v)
      if (shift.moved(v, e) > most) {
        most = shift.moved(v, e);
        top = v;
      }
    for (std::size_t v = 0; v < m_ && top < m_; ++v)
      if (v != top && shift.moved(v, e) > far) movers_[v] = movers_[v].with(top);
  }
}

/// A cause that moves in most environments moves its effects there. What moves nearly everywhere
/// could otherwise pass for the cause of every change.
void LabelSearch::find_restless() {
  constexpr std::size_t fewest = 4;
  // How much of the labels a cause gives away, and in which share of such environments an effect
  // may stay where it is: the further the cause moves, the fewer.
  constexpr std::pair<double, double> limits[] = {{0.2, 0.5}, {0.5, 0.25}};
  const ShiftEvidence& shift = score_.shift();
  const std::size_t environments = shift.environments();
  for (const auto& [far, share] : limits)
    for (std::size_t a = 0; a < m_; ++a) {
      std::vector<std::size_t> moves;
      for (std::size_t e = 0; e < environments; ++e)
        if (shift.given_away(VariableSet().with(a), e) > far) moves.push_back(e);
      if (moves.size() < fewest || 2 * moves.size() <= environments) continue;
      for (std::size_t b = 0; b < m_; ++b) {
        const auto still = std::count_if(moves.begin(), moves.end(), [&](std::size_t e) {
          return shift.moved(b, e) <= std::log(double(m_));
        });
        if (b != a && double(still) > share * double(moves.size()))
          unmoved_by_[b] = unmoved_by_[b].with(a);
      }
    }
}

/// What moved in an environment may explain a change that is still unexplained there.
void LabelSearch::add_candidates_of_changes() {
  const ShiftEvidence& shift = score_.shift();
  for (int round = 0; round < 2 && !stopped(); ++round) {
    bool added = false;
    for (std::size_t e = 0; e < shift.environments(); ++e)
      for (std::size_t i = 0; i < m_; ++i) {
        if (shift.change(i, best_.families[i].causes, e) <= 0) continue;
        for (std::size_t v = 0; v < m_; ++v) {
          if (v == i || candidate(v, i) || shift.moved(v, e) <= clear_move) continue;
          candidates_[v * m_ + i] = candidates_[i * m_ + v] = 1;
          partners_[v] = partners_[v].with(i);
          partners_[i] = partners_[i].with(v);
          added = true;
        }
      }
    if (!added) return;
    climb(best_, options_.threads);
  }
}

}  // namespace whence
