#include "whence/evidence/linear/column_units.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "whence/core/error.hpp"
#include "whence/evidence/linear/column_products.hpp"
#include "whence/math/dense.hpp"

namespace whence {

namespace {

constexpr double sigma_per_median_distance = 1.4826;  // of a Gaussian

/// The median, the lower one of two.
double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  for (double x : values) sum += x * x;
  return std::sqrt(sum / double(std::max<std::size_t>(1, values.size())));
}

/// A Gaussian's sigma by the median distance from 0; by squares where more than half are 0.
double spread_of(std::vector<double> distances) {
  for (double& distance : distances) distance = std::abs(distance);
  const double spread = sigma_per_median_distance * median_of(distances);
  return spread > 0 ? spread : root_mean_square(distances);
}

using Environments = std::vector<Environment>;

/// A column's rows in some environments, one after the other.
std::vector<double> rows_in(std::span<const double> values, const Environments& environments) {
  std::vector<double> all;
  for (const Environment& environment : environments) {
    const auto own = values.subspan(environment.begin, environment.rows());
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (double x : values) sum += x;
  return sum / double(std::max<std::size_t>(1, values.size()));
}

/// Takes from each environment's rows their own centre.
template <class Centre>
void centre_each(const Environments& environments, std::vector<double>& rows,
                 const Centre& centre_of) {
  std::size_t begin = 0;
  for (const Environment& environment : environments) {
    const std::span<double> own(rows.data() + begin, environment.rows());
    const double centre = centre_of(own);
    for (double& x : own) x -= centre;
    begin += own.size();
  }
}

std::vector<double> about_medians(std::vector<double> rows, const Environments& environments) {
  centre_each(environments, rows, [](std::span<const double> own) {
    return median_of({own.begin(), own.end()});
  });
  return rows;
}

ColumnUnit whole_column(const Dataset& data, std::size_t variable, std::size_t reference) {
  const std::vector<double>& values = data.columns[variable].values;
  const Environment& at = data.environments[reference];
  ColumnUnit column;
  column.centre = median_of(
      {values.begin() + std::ptrdiff_t(at.begin), values.begin() + std::ptrdiff_t(at.end)});
  column.spread = spread_of(about_medians(rows_in(values, data.environments), data.environments));
  if (!(column.spread > 0)) {  // constant within every environment
    std::vector<double> distances = values;
    for (double& x : distances) x -= column.centre;
    column.spread = root_mean_square(distances);
  }
  if (!(column.spread > 0) || !std::isfinite(column.spread))
    throw Error(ExitCode::bad_data, "E-DATA-CONSTANT", data.variables[variable].name,
                "the column has the same value in every row",
                "leave it out: nothing can be learnt about it");
  column.unit = column.spread;
  return column;
}

/// Columns in their spreads, each environment about its own mean. Worked out where they are needed:
/// kept, they would be as large as the data.
class CentredColumns {
 public:
  CentredColumns(const Dataset& data, Environments environments,
                 std::span<const ColumnUnit> columns)
      : data_(data),
        environments_(std::move(environments)),
        columns_(columns.begin(), columns.end()) {
    for (const Environment& environment : environments_) rows_ += environment.rows();
    for (std::size_t v = 0; v < columns.size(); ++v)
      for (const Environment& environment : environments_) {
        std::vector<double> own;
        for (std::size_t n = environment.begin; n < environment.end; ++n)
          own.push_back(in_spreads(v, n));
        means_.push_back(mean_of(own));
      }
  }

  std::size_t size() const { return columns_.size(); }
  std::size_t rows() const { return rows_; }
  const Environments& environments() const { return environments_; }

  /// use(row, value) for each row of a column, from one on to before another. Rows of the
  /// environments follow each other.
  template <class Use>
  void each(std::size_t column, std::size_t first, std::size_t last, const Use& use) const {
    std::size_t row = 0;
    for (std::size_t e = 0; e < environments_.size(); ++e) {
      const Environment& own = environments_[e];
      const double mean = means_[column * environments_.size() + e];
      const std::size_t begin = std::max(first, row), end = std::min(last, row + own.rows());
      for (std::size_t n = begin; n < end; ++n)
        use(n, in_spreads(column, own.begin + n - row) - mean);
      row += own.rows();
    }
  }

  std::vector<double> column(std::size_t v) const {
    std::vector<double> values(rows_);
    each(v, 0, rows_, [&](std::size_t row, double value) { values[row] = value; });
    return values;
  }

 private:
  double in_spreads(std::size_t v, std::size_t row) const {
    return (data_.columns[v].values[row] - columns_[v].centre) / columns_[v].spread;
  }

  const Dataset& data_;
  Environments environments_;
  std::vector<ColumnUnit> columns_;
  std::vector<double> means_;  // [column][environment]
  std::size_t rows_ = 0;
};

/// Regressions of each column on all others; where rows are few, on those that are found one by one
/// as long as each explains more than chance would (Chen and Chen's extended BIC).
class Regressions {
 public:
  Regressions(const Dataset& data, const Environments& environments,
              std::span<const ColumnUnit> columns)
      : rows_(data, environments, columns), columns_(columns.size()) {
    for (std::size_t v = 0; v < columns.size(); ++v)
      silent_.push_back(spread_of(about_medians(rows_.column(v), environments)) < silence);
    freedom_ = double(rows_.rows()) - double(environments.size());
    gram_ = Matrix(columns_, columns_);
    multiply_columns();
    if (freedom_ >= 2 * double(columns_)) invert();
  }

  /// The spread of what is left of a column, as a share of the column's; 1 where it hardly moves.
  double left_of(std::size_t child) const {
    if (silent_[child]) return 1;
    std::vector<double> slopes(columns_, 0.0);
    double used = double(columns_ - 1);
    if (!inverse_.values.empty()) {
      for (std::size_t v = 0; v < columns_; ++v)
        slopes[v] = -inverse_(v, child) / inverse_(child, child);
    } else {
      const Chosen chosen = choose(child);
      const std::vector<double> found = slopes_of(chosen);
      for (std::size_t s = 0; s < found.size(); ++s) slopes[chosen.members[s]] = found[s];
      used = double(found.size());
    }
    if (used == 0) return 1;
    std::vector<double> rest = rows_.column(child);
    for (std::size_t v = 0; v < columns_; ++v) {
      if (v == child || slopes[v] == 0) continue;
      rows_.each(v, 0, rest.size(),
                 [&](std::size_t n, double value) { rest[n] -= slopes[v] * value; });
    }
    return spread_of(about_medians(std::move(rest), rows_.environments())) *
           std::sqrt(freedom_ / (freedom_ - used));
  }

 private:
  void multiply_columns() {
    const std::size_t rows = rows_.rows(), step = rows_at_once(columns_);
    std::vector<double> table;  // [row][column], some rows at a time
    for (std::size_t first = 0; first < rows; first += step) {
      const std::size_t last = std::min(rows, first + step);
      table.resize((last - first) * columns_);
      for (std::size_t v = 0; v < columns_; ++v)
        rows_.each(v, first, last,
                   [&](std::size_t n, double value) { table[(n - first) * columns_ + v] = value; });
      add_column_products(table, columns_,
                          [&](std::size_t a, std::size_t b) -> double& { return gram_(a, b); });
    }
    for (std::size_t a = 0; a < columns_; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        if (silent_[a] || silent_[b]) gram_(a, b) = a == b ? 1 : 0;  // explains nothing
        gram_(b, a) = gram_(a, b);
      }
  }

  /// Of the Gram matrix: row v holds the regression of column v on all others. Columns that follow
  /// from others are kept apart by a trace of noise.
  void invert() {
    constexpr double trace = 1e-10;
    Matrix lower(columns_, columns_);  // Cholesky's factor
    for (std::size_t i = 0; i < columns_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = gram_(i, j) * (i == j ? 1 + trace : 1);
        for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
        lower(i, j) = i == j ? std::sqrt(std::max(sum, trace * gram_(i, i))) : sum / lower(j, j);
      }
    const Matrix half = lower_inverse(lower);
    inverse_ = product(transposed(half), half);
  }

  /// Columns taken in turn, each rid of those before: factors(v, s) = <v, direction s>.
  struct Chosen {
    std::vector<std::size_t> members;
    std::vector<std::vector<double>> factors;  // [step][column]
    std::vector<double> with_child;            // [step]
  };

  Chosen choose(std::size_t child) const {
    constexpr double collinear = 1e-9;
    const std::size_t most = std::min(columns_ - 1, std::size_t(std::max(0.0, freedom_ / 3)));
    Chosen chosen;
    std::vector<double> cross(columns_), norm(columns_);  // of what the chosen ones leave over
    for (std::size_t v = 0; v < columns_; ++v) {
      cross[v] = gram_(v, child);
      norm[v] = gram_(v, v);
    }
    while (chosen.members.size() < most && norm[child] > collinear * gram_(child, child)) {
      std::size_t best = child;
      double gain = 0;
      for (std::size_t v = 0; v < columns_; ++v) {
        if (v == child || norm[v] <= collinear * gram_(v, v)) continue;
        const double explained = cross[v] * cross[v] / norm[v];
        if (explained > gain) gain = explained, best = v;
      }
      const double left = std::max(norm[child] - gain, 0.0);
      const double price = std::log(freedom_) + 2 * std::log(double(columns_));
      if (best == child || freedom_ * std::log(norm[child] / left) < price) break;
      take(best, child, chosen, cross, norm);
    }
    return chosen;
  }

  void take(std::size_t v, std::size_t child, Chosen& chosen, std::vector<double>& cross,
            std::vector<double>& norm) const {
    const double length = std::sqrt(norm[v]);
    std::vector<double> factors(columns_);
    for (std::size_t w = 0; w < columns_; ++w) {
      double product = gram_(w, v);
      for (const std::vector<double>& before : chosen.factors) product -= before[w] * before[v];
      factors[w] = product / length;
    }
    for (std::size_t w = 0; w < columns_; ++w) {
      cross[w] -= factors[w] * factors[child];
      norm[w] = std::max(norm[w] - factors[w] * factors[w], 0.0);
    }
    norm[v] = 0;
    chosen.members.push_back(v);
    chosen.with_child.push_back(factors[child]);
    chosen.factors.push_back(std::move(factors));
  }

  /// Back substitution: the factors of the chosen columns are triangular.
  static std::vector<double> slopes_of(const Chosen& chosen) {
    const std::size_t k = chosen.members.size();
    std::vector<double> slopes(k);
    for (std::size_t s = k; s-- > 0;) {
      double sum = chosen.with_child[s];
      for (std::size_t later = s + 1; later < k; ++later)
        sum -= slopes[later] * chosen.factors[s][chosen.members[later]];
      slopes[s] = sum / chosen.factors[s][chosen.members[s]];
    }
    return slopes;
  }

  // Of the column's spread. A column that is constant in the baseline says nothing about its noise.
  static constexpr double silence = 1e-2;

  CentredColumns rows_;
  std::size_t columns_;
  std::vector<bool> silent_;  // [column]: hardly moves in these environments
  double freedom_ = 0;
  Matrix gram_, inverse_;  // the latter empty where rows are few
};

}  // namespace

std::size_t largest_environment(const Dataset& data) {
  std::size_t best = 0;
  for (std::size_t e = 1; e < data.environments.size(); ++e)
    if (data.environments[e].rows() > data.environments[best].rows()) best = e;
  return best;
}

std::vector<ColumnUnit> column_units(const Dataset& data, std::size_t reference) {
  // A column that others explain altogether: its rows do not show its noise.
  constexpr double least = 1e-3;
  std::vector<ColumnUnit> columns;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    columns.push_back(whole_column(data, v, reference));
  // All environments have most rows; in the largest one nothing changed in between. Either may
  // overlook something, so the smaller rest counts.
  const Regressions everywhere(data, data.environments, columns);
  const Regressions in_reference(data, {data.environments[reference]}, columns);
  for (std::size_t v = 0; v < columns.size(); ++v)
    columns[v].unit =
        columns[v].spread *
        std::clamp(std::min(everywhere.left_of(v), in_reference.left_of(v)), least, 1.0);
  return columns;
}

}  // namespace whence
