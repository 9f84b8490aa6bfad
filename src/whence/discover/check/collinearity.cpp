#include "whence/discover/check/collinearity.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "whence/core/text.hpp"
#include "whence/discover/check/safe_units.hpp"
#include "whence/math/dense.hpp"

namespace whence {
namespace {

/// Centred and scaled to length 1; empty where it does not vary or is no plain column of numbers.
std::vector<double> standardised(const Dataset& data, std::size_t v) {
  if (data.variables[v].kind != Variable::Kind::real || data.variables[v].dimension != 1) return {};
  std::vector<double> z = data.columns[v].values;
  double mean = 0, squares = 0;
  for (const double x : z) mean += x / double(z.size());
  for (double& x : z) {
    x -= mean;
    squares += x * x;
  }
  if (!(squares > 0)) return {};
  for (double& x : z) x /= std::sqrt(squares);
  return z;
}

/// A Cholesky factor that grows column by column, of those that say something new.
class Independent {
 public:
  /// The coefficients of the columns so far where they give the new one exactly; else it is added.
  std::vector<double> add(std::vector<double> column) {
    constexpr double exact = 1e-12;  // of the variance: a few hundred times rounding
    std::vector<double> row;
    double rest = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      double value = dot(column, columns_[i]);
      for (std::size_t k = 0; k < i; ++k) value -= row[k] * factor_[i][k];
      row.push_back(value / factor_[i][i]);
      rest -= row.back() * row.back();
    }
    if (rest > exact || columns_.empty()) {
      row.push_back(std::sqrt(std::max(rest, exact)));
      factor_.push_back(std::move(row));
      columns_.push_back(std::move(column));
      return {};
    }
    for (std::size_t i = row.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < row.size(); ++k) row[i] -= factor_[k][i] * row[k];
      row[i] /= factor_[i][i];
    }
    return row;
  }

 private:
  std::vector<std::vector<double>> columns_, factor_;  // factor: lower triangle
};

}  // namespace

std::vector<std::string> collinear_columns(const Dataset& given) {
  // Of a look that takes a second and a few copies of small data.
  constexpr double most_values = 1e7, most_products = 1e9, counts = 1e-5;
  const double rows = double(given.rows()), width = double(given.variables.size());
  if (rows * width > most_values || rows * width * width / 2 > most_products) return {};
  const std::optional<Dataset> scaled = in_safe_units(given);
  const Dataset& data = scaled ? *scaled : given;
  std::vector<std::string> found;
  std::vector<std::size_t> kept;
  Independent independent;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    std::vector<double> column = standardised(data, v);
    if (column.size() < 3) continue;
    const std::vector<double> coefficients = independent.add(std::move(column));
    if (coefficients.empty()) {
      kept.push_back(v);
      continue;
    }
    std::string others;
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      if (std::abs(coefficients[i]) > counts)
        others += (others.empty() ? "" : ", ") + excerpt(data.variables[kept[i]].name, 60);
    found.push_back(excerpt(data.variables[v].name, 60) + " is an exact linear function of " +
                    others + ": no data can tell which of them is a cause; leave one out");
  }
  return found;
}

}  // namespace whence
