// What a step of one cause does to its effect: a regression of the effect on its causes, from rows
// in which the mechanism of the effect is the same.
//
// A number enters by itself (linear), or by itself, by bends at its quantiles and by its products
// with the other numbers (flexible); a category by its levels. Ranges are 1.96 standard errors that
// allow for unequal noise, and take rows for independent.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/evidence/effect_size.hpp"

namespace whence {

class FamilyFit {
 public:
  /// `rows`: of the data, those to learn from; `reference`: those whose cause sets the step, and
  /// whose other causes are kept. Vectors take part as causes, but have no effect size.
  FamilyFit(const Dataset& data, std::size_t effect, std::vector<std::size_t> causes,
            std::vector<std::size_t> rows, std::vector<std::size_t> reference, bool flexible);

  /// False where rows are too few for so many terms, or the effect is a vector.
  bool usable() const { return usable_; }

  /// A number steps by one standard deviation of the reference, centred at its mean. A category
  /// steps from its most frequent level there to the one that changes the effect most.
  std::optional<EffectSize> effect_of(std::size_t cause) const;

  /// The mean of an effect that is a number along a cause that is one.
  FittedPoint at(std::size_t cause, double x) const;
  /// The effect in one row, with the other causes moved to where the reference has them.
  double adjusted(std::size_t cause, std::size_t row) const;
  /// A number's value in a row.
  double value_of(std::size_t variable, std::size_t row) const;

 private:
  struct Term {                           // one column of the regression
    std::size_t variable = 0, other = 0;  // other: a product of two numbers
    enum class Kind { line, bend, product, level, part } kind = Kind::line;
    double knot = 0;  // of a bend, in standard units
    int level = 0;    // of a category; of a vector, which of its numbers
  };
  struct Unit {
    double middle = 0, scale = 1;
  };

  void add_terms(bool flexible);
  void add_number(std::size_t cause, bool flexible);
  void add_products();
  void fit();
  double standard(std::size_t variable, std::size_t row) const;
  double term_at(const Term& term, std::size_t row) const;
  std::vector<double> design_row(std::size_t row) const;
  /// The terms of the reference, those of one cause moved.
  std::vector<double> moved(std::size_t cause, double to) const;
  double target(std::size_t row, std::size_t output) const;
  double predicted(const std::vector<double>& terms, std::size_t output) const;
  double standard_error(const std::vector<double>& terms, std::size_t output) const;
  EffectSize step(std::size_t cause, double start, double end, std::size_t output) const;
  EffectSize largest_step(std::size_t cause, double start, double end) const;
  bool turns(std::size_t cause, double start, double end, std::size_t output) const;

  const Dataset& data_;
  std::size_t effect_, outputs_ = 1;
  std::vector<std::size_t> causes_, rows_, reference_;
  std::vector<Unit> units_;         // [variable], of numbers
  std::vector<Term> terms_;         // after the constant
  std::vector<double> usual_;       // mean of each term over the reference, the constant first
  std::vector<double> weights_;     // [output][term]
  std::vector<double> covariance_;  // [output][term][term]
  bool usable_ = false;
};

}  // namespace whence
