#include "whence/discover/check/derived_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace whence {
namespace {

using Numbers = std::vector<double>;

/// Centred, of length one; empty for a constant.
Numbers standardized(Numbers x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
  for (double& value : x) value -= mean;
  const double size = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  if (!(size > 0)) return {};
  for (double& value : x) value /= size;
  return x;
}

Numbers in_logarithms(Numbers x) {
  if (!std::all_of(x.begin(), x.end(), [](double value) { return value > 0; })) return {};
  for (double& value : x) value = std::log(value);
  return standardized(std::move(x));
}

/// Correlations of those columns that can be compared, [variable][variable].
class Correlations {
 public:
  explicit Correlations(const std::vector<Numbers>& columns)
      : n_(columns.size()), usable_(n_), values_(n_ * n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      usable_[i] = !columns[i].empty();
      for (std::size_t j = 0; j < i && usable_[i]; ++j)
        if (usable_[j])
          values_[i * n_ + j] = values_[j * n_ + i] =
              std::inner_product(columns[i].begin(), columns[i].end(), columns[j].begin(), 0.0);
    }
  }

  /// Whether i and j together leave nothing of k, each alone leaves much, and they are no copies.
  bool follows(std::size_t k, std::size_t i, std::size_t j) const {
    constexpr double nothing = 1e-7, much = 1e-2;
    if (!usable_[i] || !usable_[j] || !usable_[k]) return false;
    const double ik = at(i, k), jk = at(j, k), ij = at(i, j), alone = 1 - ij * ij;
    if (alone < much || 1 - ik * ik < much || 1 - jk * jk < much) return false;
    return 1 - (ik * ik + jk * jk - 2 * ik * jk * ij) / alone < nothing;
  }

 private:
  double at(std::size_t i, std::size_t j) const { return values_[i * n_ + j]; }

  std::size_t n_;
  std::vector<bool> usable_;
  Numbers values_;
};

}  // namespace

std::vector<DerivedColumns> derived_columns(const Dataset& data) {
  constexpr std::size_t most = 60, fewest_rows = 10;  // triples of more columns take too long
  const std::size_t m = data.variables.size();
  if (m < 3 || m > most || data.rows() < fewest_rows) return {};
  std::vector<Numbers> plain(m), logs(m);
  for (std::size_t v = 0; v < m; ++v) {
    if (data.variables[v].kind != Variable::Kind::real || data.variables[v].dimension != 1)
      continue;
    plain[v] = standardized(data.columns[v].values);
    logs[v] = in_logarithms(data.columns[v].values);
  }
  const Correlations sums(plain), products(logs);
  std::vector<DerivedColumns> found;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i + 1; j < m; ++j)
      for (std::size_t k = j + 1; k < m; ++k)
        if (sums.follows(k, i, j) || products.follows(k, i, j)) found.push_back({i, j, k});
  return found;
}

}  // namespace whence
