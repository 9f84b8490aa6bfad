#include "whence/evidence/link_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

namespace whence {

namespace {

constexpr double clear_of_chance = 5;       // standard errors
constexpr std::size_t most_columns = 100;   // of more, each is taken as it is
constexpr std::size_t rows_per_column = 5;  // that a regression on the others needs

using Columns = Eigen::MatrixXd;  // [row][coordinate]

/// The variable of each coordinate. Levels count by their number.
std::vector<std::size_t> owners(const Dataset& data) {
  std::vector<std::size_t> list;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    const bool categorical = data.variables[v].kind == Variable::Kind::categorical;
    list.insert(list.end(), categorical ? 1 : std::size_t(data.variables[v].dimension), v);
  }
  return list;
}

/// Ranks of one environment, each column centred with variance 1 or 0.
Columns ranked(const Dataset& data, const std::vector<std::size_t>& owner,
               const std::vector<std::size_t>& rows) {
  Columns columns(Eigen::Index(rows.size()), Eigen::Index(owner.size()));
  for (std::size_t c = 0, first = 0; c < owner.size(); ++c) {
    const std::size_t v = owner[c];
    if (c == 0 || owner[c - 1] != v) first = c;
    const auto width = std::size_t(data.variables[v].dimension);
    std::vector<double> x;
    for (const std::size_t row : rows)
      x.push_back(data.variables[v].kind == Variable::Kind::categorical
                      ? double(data.columns[v].levels[row])
                      : data.columns[v].values[row * width + (c - first)]);
    x = centred_ranks(x);
    auto column = columns.col(Eigen::Index(c));
    column = Eigen::Map<const Eigen::VectorXd>(x.data(), column.size());
    const double norm = column.norm() / std::sqrt(double(rows.size()));
    if (norm > 0) column /= norm;
  }
  return columns;
}

/// What the other columns leave of each, by one inverse: the remainder of column v is X C^-1 e_v up
/// to a factor.
Columns remainders(const Columns& x) {
  const auto n = std::size_t(x.rows()), width = std::size_t(x.cols());
  if (width < 2 || width > most_columns || n < rows_per_column * width) return x;
  constexpr double ridge = 1e-6;
  const Eigen::MatrixXd gram =
      x.transpose() * x / double(n) + ridge * Eigen::MatrixXd::Identity(x.cols(), x.cols());
  Columns left = x * gram.llt().solve(Eigen::MatrixXd::Identity(x.cols(), x.cols()));
  for (Eigen::Index c = 0; c < left.cols(); ++c) {
    const double norm = left.col(c).norm() / std::sqrt(double(n));
    if (norm > 0) left.col(c) /= norm;
  }
  return left;
}

/// Correlations of a coordinate with itself some rows later, over all environments.
class Lags {
 public:
  explicit Lags(const std::vector<Columns>& environments) : environments_(environments) {}

  double rows(std::size_t lag) const {
    double sum = 0;
    for (const Columns& x : environments_)
      if (counts(x, lag)) sum += double(x.rows());
    return sum;
  }
  double at(Eigen::Index c, std::size_t lag) const {
    double sum = 0;
    for (const Columns& x : environments_) {
      if (!counts(x, lag)) continue;
      const auto n = x.rows() - Eigen::Index(lag);
      const double r = x.col(c).head(n).dot(x.col(c).tail(n)) / double(n);
      sum += double(x.rows()) * r;
    }
    const double all = rows(lag);
    return all > 0 ? sum / all : 0;
  }
  /// From lag 1 to the last that is clear; empty where the first is not.
  std::vector<double> clear_ones(Eigen::Index c) const {
    std::vector<double> list;
    for (std::size_t lag = 1; lag <= most_lags; ++lag) {
      const double n = rows(lag), r = n > 0 ? at(c, lag) : 0;
      if (n <= 0 || r * std::sqrt(n) < (lag == 1 ? clear_of_chance : 2)) break;
      list.push_back(r);
    }
    return list;
  }

 private:
  static bool counts(const Columns& x, std::size_t lag) {
    return std::size_t(x.rows()) >= std::max(fewest_in_order, 3 * lag);
  }
  const std::vector<Columns>& environments_;
};

}  // namespace

std::vector<double> centred_ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  const double middle = double(x.size()) / 2;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && x[order[j]] == x[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) ranks[order[k]] = (double(i) + double(j)) / 2 - middle;
    i = j;
  }
  return ranks;
}

LinkOrder link_order(const Dataset& data, const std::vector<std::vector<std::size_t>>& rows) {
  const std::vector<std::size_t> owner = owners(data);
  std::vector<Columns> environments;
  for (const auto& own : rows) environments.push_back(remainders(ranked(data, owner, own)));
  const Lags lags(environments);
  std::vector<std::vector<double>> slow;
  for (std::size_t c = 0; c < owner.size(); ++c) slow.push_back(lags.clear_ones(Eigen::Index(c)));
  LinkOrder out;
  for (std::size_t a = 0; a < owner.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (owner[a] == owner[b]) continue;
      double sum = 1;
      for (std::size_t k = 0; k < std::min(slow[a].size(), slow[b].size()); ++k)
        sum += 2 * slow[a][k] * slow[b][k];
      if (1 / sum >= out.share) continue;
      const std::size_t slower = slow[a][0] > slow[b][0] ? a : b;
      out = {1 / sum, owner[slower], slow[slower][0]};
    }
  return out;
}

}  // namespace whence
