// A smooth mechanism for many parents: an additive multinomial logit, its evidence by Laplace.
//
// The logits of the child's levels are an intercept plus one vector per parent, looked up by the
// parent's level. Coefficients are Gaussian a priori; those of a level that makes up the share f of
// all rows have precision ridge * f, so that the sum over levels, weighted by how often they occur,
// is shrunk alike for every parent. The posterior's mode is climbed to by quasi-Newton steps. Their
// curvature is exact within, and zero between, orthogonal directions of the child's levels: those
// in which its indicator is uncorrelated on the whole. It also gives Laplace's determinant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/evidence/categorical/additive_kernel.hpp"
#include "whence/evidence/categorical/categorical_rows.hpp"

namespace whence {

struct AdditivePrior {
  double ridge = 20;     // precision of a parent's coefficients
  double intercept = 1;  // precision of the intercept
};

/// One family and the environments that its mechanism is fitted to. A fit starts from nothing but
/// the counts: its result depends on the pool alone.
class AdditiveLogit {
 public:
  /// `present`: the environments that exist; their shares of levels make the prior. `members`:
  /// those of them that are looked at, and may be pooled.
  AdditiveLogit(const CategoricalRows& rows, std::size_t child,
                std::span<const std::size_t> parents, std::span<const std::size_t> present,
                std::span<const std::size_t> members, AdditivePrior prior);

  /// The coefficients of one level of the child: an intercept, and one for each level of a parent.
  static std::size_t coefficients(const CategoricalRows& rows,
                                  std::span<const std::size_t> parents);
  /// Whether so many rows of coefficients can be fitted in reasonable time and memory.
  static bool affordable(const CategoricalRows& rows, std::span<const std::size_t> parents);

  /// Starts again, with these environments pooled.
  void start(std::span<const std::size_t> pool);
  /// Goes on with another pool, from the coefficients found so far.
  void repool(std::span<const std::size_t> pool);
  /// Starts from coefficients found before.
  void resume(std::span<const std::size_t> pool, std::span<const float> coefficients);
  /// Climbs until the mode is at most `tolerance` nats higher.
  void climb(double tolerance);

  /// log P(these environments), by Laplace: a fit from the start.
  double log_evidence_of(std::span<const std::size_t> pool, double tolerance);
  /// log P(pooled environments), by Laplace at the point reached.
  double log_evidence() const { return objective_ + promised_ - 0.5 * log_determinant_; }
  /// log P(environment | pool) to first order: its log-likelihood at the mode, less the optimism of
  /// having been fitted to where it is pooled.
  double predictive(std::size_t environment) const;

  /// What toggling each variable as a parent would gain, to second order from the last bend; NaN
  /// for the child. For newcomers it errs towards too little where they are much like the parents.
  std::vector<double> gains(std::span<const std::size_t> present, AdditivePrior prior) const;

  /// log P(pooled rows | coefficients) - penalty, and its gradient, as of the last look.
  double objective() const { return objective_; }
  std::span<const double> gradient() const { return gradient_; }
  std::span<double> coefficients() { return theta_; }
  std::size_t width() const { return width_; }
  int looks() const { return looks_; }
  /// Looks at the data from the present coefficients.
  void look(bool with_outer = false, bool rough = false);
  /// Factors the curvature at the present coefficients.
  void bend();

 private:
  struct Share {
    std::uint32_t item, number;
  };
  using Vector = std::vector<double>;  // [row][class], as the coefficients are
  struct Move {
    Vector step, turn;  // the step, and how much less the gradient was after it
    double along;
  };
  void make_items(std::span<const std::size_t> members);
  Configurations name_items(std::span<const std::size_t> members) const;
  std::vector<double> level_precision(std::size_t variable, std::span<const std::size_t> present,
                                      double ridge) const;
  // Of a newcomer: [level][class], its gradient; what it gains with the other parents' coefficients
  // held, and with them following.
  Vector gradient_of(std::size_t candidate, std::span<const double> sums) const;
  double gain_of(std::span<const double> precision, const Vector& gradient,
                 std::span<const double> sums) const;
  double gain_beside(std::size_t candidate, std::span<const double> precision,
                     const Vector& gradient, std::span<const double> moments) const;
  std::vector<double> curvature_beside(std::size_t candidate, std::span<const double> precision,
                                       std::size_t group, std::span<const double> moments) const;
  std::vector<double> gains_without() const;
  double gain_without(std::size_t parent, std::size_t direction, std::size_t like,
                      const double* block) const;
  void make_prior(std::span<const std::size_t> present, AdditivePrior prior);
  void count_pool(std::span<const std::size_t> pool);
  void count_pairs();
  void count_rows(std::size_t environment, double sign);
  void first_guess();
  void choose_directions(const std::vector<double>& covariance);
  void factor_groups();
  Vector newton(const Vector& gradient) const;
  void turn(const Vector& gradient, std::size_t first, std::size_t lane,
            std::vector<double>& turned) const;
  void turn_back(const std::vector<double>& turned, std::size_t first, std::size_t lane,
                 Vector& step) const;
  Vector quasi_newton() const;
  bool advance(const Vector& direction);

  const CategoricalRows& rows_;
  std::size_t child_;
  std::vector<std::size_t> parents_, offset_;
  std::size_t classes_, width_, order_ = 1;
  AdditiveItems items_;
  std::vector<std::uint32_t> item_of_row_;
  std::vector<std::vector<Share>> shares_;  // of each environment
  std::vector<double> precision_;           // of each row of coefficients

  std::vector<char> pooled_;  // of each environment
  double pool_rows_ = 0;
  std::vector<double> weight_;  // of each item
  std::vector<double> cross_;   // [row][row], the lower half: X'X of the pool
  Vector observed_;             // X'Y of the pool
  Vector theta_, gradient_;
  double objective_ = 0, promised_ = 0;  // promised: how much higher the mode is
  AdditivePass pass_;
  int looks_ = 0;
  bool seen_ = false;  // whether the last look was at the present coefficients and pool

  std::vector<double> variances_;  // along each direction, on the whole
  AdditiveCurvature curvature_;
  std::vector<Move> moves_;
  double log_determinant_ = 0;  // of curvature over precision
  double freedom_ = 0;          // effective number of coefficients
};

}  // namespace whence
