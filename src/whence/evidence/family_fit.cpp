#include "whence/evidence/family_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Dense>

namespace whence {
namespace {

constexpr std::size_t most_terms = 120, rows_per_term = 3, rows_per_level = 10;
constexpr double bends[] = {0.2, 0.4, 0.6, 0.8};  // quantiles
constexpr double ridge = 1e-6;        // of the diagonal: copies of a cause share its effect
constexpr double ridge_of_bends = 1;  // in rows: bends that no rows ask for stay out
constexpr double two_sided = 1.96;

std::string level_name(const Variable& variable, std::size_t level) {
  return level < variable.level_names.size() ? variable.level_names[level] : std::to_string(level);
}

double quantile(std::vector<double> values, double share) {
  const auto at = std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[std::size_t(at)];
}

}  // namespace

FamilyFit::FamilyFit(const Dataset& data, std::size_t effect, std::vector<std::size_t> causes,
                     std::vector<std::size_t> rows, std::vector<std::size_t> reference,
                     bool flexible)
    : data_(data),
      effect_(effect),
      causes_(std::move(causes)),
      rows_(std::move(rows)),
      reference_(reference.empty() ? rows_ : std::move(reference)),
      units_(data.variables.size()) {
  const Variable& variable = data.variables[effect];
  if (variable.kind == Variable::Kind::categorical)
    outputs_ = std::size_t(variable.levels);
  else if (variable.dimension != 1)
    return;
  if (rows_.empty()) return;
  add_terms(flexible);
  if (terms_.size() > most_terms || rows_.size() < rows_per_term * (terms_.size() + 1)) return;
  fit();
}

double FamilyFit::value_of(std::size_t variable, std::size_t row) const {
  return data_.columns[variable].values[row];
}

double FamilyFit::standard(std::size_t variable, std::size_t row) const {
  return (value_of(variable, row) - units_[variable].middle) / units_[variable].scale;
}

// ---- terms ----

/// The unit of a number: mean and standard deviation of the reference; of all rows where it is
/// constant there.
void FamilyFit::add_number(std::size_t cause, bool flexible) {
  for (const auto* rows : {&reference_, &rows_}) {
    double sum = 0, squares = 0;
    for (std::size_t row : *rows) sum += value_of(cause, row);
    const double mean = sum / double(rows->size());
    for (std::size_t row : *rows) squares += std::pow(value_of(cause, row) - mean, 2);
    units_[cause] = {mean, std::sqrt(squares / double(rows->size()))};
    if (units_[cause].scale > 1e-12 * std::abs(mean)) break;
  }
  if (!(units_[cause].scale > 1e-12 * std::abs(units_[cause].middle))) return;
  terms_.push_back({cause, cause, Term::Kind::line});
  if (!flexible) return;
  std::vector<double> values;
  for (std::size_t row : rows_) values.push_back(standard(cause, row));
  double last = -INFINITY;
  for (const double share : bends) {
    const double knot = quantile(values, share);
    if (knot > last) terms_.push_back({cause, cause, Term::Kind::bend, knot});
    last = knot;
  }
}

void FamilyFit::add_products() {
  std::vector<std::size_t> numbers;
  for (const Term& term : terms_)
    if (term.kind == Term::Kind::line) numbers.push_back(term.variable);
  for (std::size_t a = 0; a < numbers.size(); ++a)
    for (std::size_t b = a + 1; b < numbers.size(); ++b)
      terms_.push_back({numbers[a], numbers[b], Term::Kind::product});
}

void FamilyFit::add_terms(bool flexible) {
  for (std::size_t cause : causes_) {
    const Variable& variable = data_.variables[cause];
    if (variable.is_number()) {
      add_number(cause, flexible);
    } else if (variable.kind == Variable::Kind::categorical) {
      for (int level = 1; level < variable.levels; ++level)
        terms_.push_back({cause, cause, Term::Kind::level, 0, level});
    } else {
      for (int part = 0; part < variable.dimension; ++part)
        terms_.push_back({cause, cause, Term::Kind::part, 0, part});
    }
    if (terms_.size() > most_terms) return;
  }
  if (flexible) add_products();
}

double FamilyFit::term_at(const Term& term, std::size_t row) const {
  switch (term.kind) {
    case Term::Kind::line: return standard(term.variable, row);
    case Term::Kind::bend: return std::max(0.0, standard(term.variable, row) - term.knot);
    case Term::Kind::product: return standard(term.variable, row) * standard(term.other, row);
    case Term::Kind::level: return data_.columns[term.variable].levels[row] == term.level ? 1 : 0;
    case Term::Kind::part: break;
  }
  const auto dimension = std::size_t(data_.variables[term.variable].dimension);
  return data_.columns[term.variable].values[row * dimension + std::size_t(term.level)];
}

std::vector<double> FamilyFit::design_row(std::size_t row) const {
  std::vector<double> out = {1};
  for (const Term& term : terms_) out.push_back(term_at(term, row));
  return out;
}

std::vector<double> FamilyFit::moved(std::size_t cause, double to) const {
  std::vector<double> out = usual_;
  const double z = (to - units_[cause].middle) / units_[cause].scale;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Term& term = terms_[k];
    if (term.kind == Term::Kind::product && (term.variable == cause || term.other == cause)) {
      const std::size_t other = term.variable == cause ? term.other : term.variable;
      double mean = 0;
      for (std::size_t j = 0; j < terms_.size(); ++j)
        if (terms_[j].kind == Term::Kind::line && terms_[j].variable == other) mean = usual_[j + 1];
      out[k + 1] = z * mean;
    } else if (term.variable == cause && term.kind != Term::Kind::product) {
      out[k + 1] = term.kind == Term::Kind::line   ? z
                   : term.kind == Term::Kind::bend ? std::max(0.0, z - term.knot)
                                                   : (int(to) == term.level ? 1.0 : 0.0);
    }
  }
  return out;
}

// ---- the regression ----

double FamilyFit::target(std::size_t row, std::size_t output) const {
  const Column& column = data_.columns[effect_];
  if (column.values.empty()) return std::size_t(column.levels[row]) == output ? 1 : 0;
  return column.values[row];
}

void FamilyFit::fit() {
  const auto terms = Eigen::Index(terms_.size() + 1), n = Eigen::Index(rows_.size());
  Eigen::MatrixXd design(n, terms);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<double> row = design_row(rows_[std::size_t(i)]);
    design.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), terms);
  }
  usual_.assign(std::size_t(terms), 0.0);
  for (std::size_t row : reference_) {
    const std::vector<double> one = design_row(row);
    for (std::size_t k = 0; k < one.size(); ++k) usual_[k] += one[k] / double(reference_.size());
  }
  Eigen::MatrixXd gram = design.transpose() * design;
  for (Eigen::Index k = 0; k < terms; ++k) {
    gram(k, k) += ridge * gram(k, k) + 1e-9;
    const bool bent = k > 0 && terms_[std::size_t(k) - 1].kind == Term::Kind::bend;
    if (bent) gram(k, k) += ridge_of_bends;
  }
  const Eigen::MatrixXd inverse = gram.ldlt().solve(Eigen::MatrixXd::Identity(terms, terms));
  const double spare = double(n) / double(n - terms);
  for (std::size_t output = 0; output < outputs_; ++output) {
    Eigen::VectorXd y(n);
    for (Eigen::Index i = 0; i < n; ++i) y(i) = target(rows_[std::size_t(i)], output);
    const Eigen::VectorXd weights = inverse * (design.transpose() * y);
    const Eigen::VectorXd residual = y - design * weights;
    const Eigen::MatrixXd weighted = residual.asDiagonal() * design;
    const Eigen::MatrixXd covariance =
        spare * (inverse * (weighted.transpose() * weighted) * inverse);
    weights_.insert(weights_.end(), weights.data(), weights.data() + terms);
    covariance_.insert(covariance_.end(), covariance.data(), covariance.data() + terms * terms);
  }
  usable_ =
      std::all_of(weights_.begin(), weights_.end(), [](double w) { return std::isfinite(w); });
}

double FamilyFit::predicted(const std::vector<double>& terms, std::size_t output) const {
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k)
    sum += weights_[output * terms.size() + k] * terms[k];
  return sum;
}

double FamilyFit::standard_error(const std::vector<double>& terms, std::size_t output) const {
  const auto size = Eigen::Index(terms.size());
  const Eigen::Map<const Eigen::VectorXd> w(terms.data(), size);
  const Eigen::Map<const Eigen::MatrixXd> covariance(
      covariance_.data() + output * terms.size() * terms.size(), size, size);
  return std::sqrt(std::max(0.0, w.dot(covariance * w)));
}

// ---- the public functions ----

FittedPoint FamilyFit::at(std::size_t cause, double x) const {
  const std::vector<double> terms = moved(cause, x);
  const double y = predicted(terms, 0), error = two_sided * standard_error(terms, 0);
  return {x, y, y - error, y + error};
}

double FamilyFit::adjusted(std::size_t cause, std::size_t row) const {
  return target(row, 0) - predicted(design_row(row), 0) +
         predicted(moved(cause, value_of(cause, row)), 0);
}

/// Whether the two halves of twice the step go opposite ways, each by more than chance.
bool FamilyFit::turns(std::size_t cause, double start, double end, std::size_t output) const {
  constexpr double clear = 3;  // standard errors
  const double middle = (start + end) / 2, reach = end - start;
  const auto half = [&](double from, double to) {
    std::vector<double> difference = moved(cause, to);
    const std::vector<double> before = moved(cause, from);
    for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= before[k];
    const double error = standard_error(difference, output);
    return error > 0 ? predicted(difference, output) / error : 0;
  };
  const double left = half(middle - reach, middle), right = half(middle, middle + reach);
  return std::min(std::abs(left), std::abs(right)) > clear && (left > 0) != (right > 0);
}

EffectSize FamilyFit::step(std::size_t cause, double start, double end, std::size_t output) const {
  std::vector<double> difference = moved(cause, end);
  const std::vector<double> before = moved(cause, start);
  for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= before[k];
  EffectSize size{start, end, predicted(difference, output), 0, 0};
  const double error = two_sided * standard_error(difference, output);
  size.low = size.change - error;
  size.high = size.change + error;
  if (!data_.columns[effect_].levels.empty()) {
    size.level = level_name(data_.variables[effect_], output);
    size.change = std::clamp(size.change, -1.0, 1.0);
    size.low = std::clamp(size.low, -1.0, 1.0);
    size.high = std::clamp(size.high, -1.0, 1.0);
  }
  if (data_.variables[cause].kind == Variable::Kind::categorical) {
    size.start_level = level_name(data_.variables[cause], std::size_t(start));
    size.end_level = level_name(data_.variables[cause], std::size_t(end));
  }
  size.turns = data_.variables[cause].is_number() && turns(cause, start, end, output);
  size.rows = rows_.size();
  return size;
}

/// Of a categorical effect: the level whose probability changes most; of two, the second.
EffectSize FamilyFit::largest_step(std::size_t cause, double start, double end) const {
  if (outputs_ <= 2) return step(cause, start, end, outputs_ - 1);
  EffectSize best;
  for (std::size_t output = 0; output < outputs_; ++output) {
    const EffectSize size = step(cause, start, end, output);
    if (output == 0 || std::abs(size.change) > std::abs(best.change)) best = size;
  }
  return best;
}

std::optional<EffectSize> FamilyFit::effect_of(std::size_t cause) const {
  if (!usable_) return std::nullopt;
  const bool used = std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.variable == cause && term.kind != Term::Kind::part;
  });
  if (!used) return std::nullopt;
  const Variable& variable = data_.variables[cause];
  if (variable.is_number()) {
    const auto& [middle, scale] = units_[cause];
    return largest_step(cause, middle - scale / 2, middle + scale / 2);
  }
  const auto levels = std::size_t(variable.levels);
  std::vector<std::size_t> usual(levels), seen(levels);
  for (std::size_t row : reference_) ++usual[std::size_t(data_.columns[cause].levels[row])];
  for (std::size_t row : rows_) ++seen[std::size_t(data_.columns[cause].levels[row])];
  const std::size_t start =
      levels == 2 ? 0 : std::size_t(std::max_element(usual.begin(), usual.end()) - usual.begin());
  std::optional<EffectSize> best;
  for (std::size_t level = 0; level < levels; ++level) {
    if (level == start || seen[level] < rows_per_level) continue;
    const EffectSize size = largest_step(cause, double(start), double(level));
    if (!best || std::abs(size.change) > std::abs(best->change)) best = size;
  }
  return best;
}

}  // namespace whence
