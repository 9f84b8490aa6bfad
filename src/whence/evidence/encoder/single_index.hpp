// Two environments that differ along one direction only.
//
// Where two environments differ in one mechanism, the odds of the label depend on one linear
// index of a row: log odds = g(w . x). The index is fitted together with a smooth g; a score test
// of everything quadratic beside it says whether one index is enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "whence/math/dense.hpp"

namespace whence {

/// Whether two sets of rows differ along one line only: x = a s + r, where the law of s alone
/// differs. Means must then differ along a, and second moments by a multiple of a a'. That asks for
/// no overlap, but linear mechanisms: where they bend, rows of one index fail it too.
struct LineTest {
  double lack = 0;     // chi-square of what differs beside the line of the means ...
  double freedom = 0;  // ... with so many degrees of freedom; 0: not looked at
  double p = 0;        // of a lack as large as that, were one line enough
  double rows = 0;     // that the comparison is worth

  /// Of each row: how far from lines the sets are, whatever their numbers of rows.
  double misfit() const { return rows > 0 ? std::max(0.0, lack - freedom) / rows : 0; }
};
LineTest check_line(const Matrix& rows, const Matrix& others, std::size_t most_rows = 3000);

/// The best index between two sets of rows, and how well it does.
struct IndexFit {
  std::vector<double> weights;  // of the raw columns; of any length
  Matrix chance;                // covariance of these weights, as far as chance goes
  double gain = 0;              // log-likelihood of the labels beyond guessing, nats
  double entropy = 0;           // the most that gain can be
  double lack = 0;              // chi-square of what one index leaves unexplained ...
  double freedom = 0;           // ... with so many degrees of freedom
  double p = 1;                 // of a lack as large as that, were one index enough
  double rows = 0;
  LineTest lines;  // only of sets that are far apart

  /// The sets overlap so little that the lack of fit has little to go by.
  bool apart() const { return gain > 0.5 * entropy; }
  /// The index separates the two sets so well that a lack of fit could hardly show.
  bool saturated() const { return gain > 0.75 * entropy; }
  /// Nats that a second index might add.
  double unexplained() const { return 0.5 * (lack - freedom); }
  /// log-odds that one index is enough, by Schwarz's criterion.
  double log_odds() const;
};

/// Rows are [row][column]. At most `most_rows` of each set are used, evenly picked; `quick_rows` of
/// them first, and the rest only where those do not rule out one index.
struct IndexSearch {
  std::size_t quick_rows = 500, most_rows = 3000;
  double hopeless = 1e-8;  // p of the first look below which there is no second
};
IndexFit fit_index(const Matrix& rows, const Matrix& others, const IndexSearch& how = {});

/// The probability of a difference in means and second moments as large as that between the two
/// sets of rows, if both follow one law.
double same_law_probability(const Matrix& rows, const Matrix& others);

/// P(a chi-square of so many degrees of freedom exceeds x) (Wilson and Hilferty).
double chi_square_tail(double x, double freedom);

}  // namespace whence
