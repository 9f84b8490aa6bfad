#include "whence/evidence/link_evidence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "whence/math/logspace.hpp"
#include "whence/math/ranks.hpp"

namespace whence {
namespace {

using Eigen::MatrixXd;
using Size = Eigen::Index;

constexpr std::size_t most_levels = 30;  // rarer ones are one category

/// The numbers that levels are named by; empty where one is not: then they have no order.
std::vector<double> numbers_of(const Variable& variable) {
  std::vector<double> numbers;
  for (const std::string& name : variable.level_names) {
    double number = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return {};
    numbers.push_back(number);
  }
  return numbers.size() == std::size_t(variable.levels) ? numbers : std::vector<double>{};
}

/// The column of each level's indicator; -1: the commonest, whose column would be redundant.
std::vector<int> indicator_columns(const Dataset& data, std::size_t v) {
  std::vector<std::size_t> count(std::size_t(data.variables[v].levels), 0), order;
  for (const std::int32_t level : data.columns[v].levels) ++count[std::size_t(level)];
  for (std::size_t l = 0; l < count.size(); ++l)
    if (count[l] > 0) order.push_back(l);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
  std::vector<int> column(count.size(), -1);
  for (std::size_t i = 1; i < order.size(); ++i)
    column[order[i]] = int(std::min(i, most_levels) - 1);
  return column;
}

/// Features of one variable: trends, of values that have an order, and all that a link may show in.
struct Features {
  const Dataset& data;
  std::size_t v;
  Size trends = 0, all = 0;
  std::vector<int> indicators;
  std::vector<double> numbers;

  Features(const Dataset& of, std::size_t variable) : data(of), v(variable) {
    const Variable& own = data.variables[v];
    if (!own.is_categorical()) {
      trends = own.dimension, all = 2 * own.dimension;
      return;
    }
    indicators = indicator_columns(data, v);
    all = *std::max_element(indicators.begin(), indicators.end()) + 1;
    numbers = numbers_of(own);
    trends = numbers.empty() ? 0 : 1;
  }
  Size count() const { return trends + all; }

  /// Of each trend, for the rows of an environment.
  std::vector<std::vector<double>> ranks(const Environment& e) const {
    std::vector<std::vector<double>> each;
    for (Size k = 0; k < trends; ++k) each.push_back(unit_ranks(values(e, std::size_t(k))));
    return each;
  }

  /// Rows of the environment from its `first` on into columns from `at` on: trends first.
  void write(const Environment& e, std::size_t first, const std::vector<std::vector<double>>& ranks,
             Size at, Eigen::Ref<MatrixXd> out) const {
    for (Size i = 0; i < out.rows(); ++i) {
      const std::size_t row = first + std::size_t(i);
      for (Size k = 0; k < trends; ++k) {
        const double r = ranks[std::size_t(k)][row];
        out(i, at + k) = 2 * r - 1;
        if (!indicators.empty()) continue;
        out(i, at + trends + k) = 2 * r - 1;
        out(i, at + 2 * trends + k) = 6 * r * r - 6 * r + 1;
      }
      if (indicators.empty()) continue;
      const int column = indicators[std::size_t(data.columns[v].levels[e.begin + row])];
      if (column >= 0) out(i, at + trends + column) = 1;
    }
  }

 private:
  std::vector<double> values(const Environment& e, std::size_t k) const {
    const auto d = std::size_t(data.variables[v].dimension);
    std::vector<double> x;
    for (std::size_t r = e.begin; r < e.end; ++r)
      x.push_back(numbers.empty() ? data.columns[v].values[r * d + k]
                                  : numbers[std::size_t(data.columns[v].levels[r])]);
    return x;
  }
};

struct ChiSquare {
  double value = 0, freedom = 0;
};

/// Inner products of all features of both variables about their means, and their rows.
struct Products {
  MatrixXd sums;
  double rows = 0;

  void add(const Products& other, double weight) {
    sums += weight * other.sums;
    rows += weight * other.rows;
  }
};

/// Block by block: a long environment needs no more memory than its ranks.
Products products_of(const Environment& e, const Features& u, const Features& v) {
  constexpr std::size_t block = 4096;
  const Size columns = u.count() + v.count();
  const auto ranks_u = u.ranks(e), ranks_v = v.ranks(e);
  Products products{MatrixXd::Zero(columns, columns), double(e.rows()) - 1};
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(columns);
  for (std::size_t first = 0; first < e.rows(); first += block) {
    MatrixXd rows = MatrixXd::Zero(Size(std::min(block, e.rows() - first)), columns);
    u.write(e, first, ranks_u, 0, rows);
    v.write(e, first, ranks_v, u.count(), rows);
    products.sums += rows.transpose() * rows;
    sum += rows.colwise().sum().transpose();
  }
  products.sums -= sum * sum.transpose() / double(e.rows());
  return products;
}

/// Columns of Products.
struct Block {
  Size begin, size;
};

/// Rows times the sum of squared canonical correlations. Directions without variation count for
/// nothing.
ChiSquare chi_square(const Products& products, Block u, Block v) {
  if (u.size == 0 || v.size == 0) return {};  // a column with one level
  const auto inverse = [&](Block at, double& rank) {
    const MatrixXd m = products.sums.block(at.begin, at.begin, at.size, at.size);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(m);
    const double none = 1e-9 * std::max(1e-300, m.trace());
    Eigen::VectorXd scale = solver.eigenvalues();
    for (double& x : scale) rank += x > none, x = x > none ? 1 / x : 0;
    return MatrixXd(solver.eigenvectors() * scale.asDiagonal() * solver.eigenvectors().transpose());
  };
  double rank_u = 0, rank_v = 0;
  const MatrixXd left = inverse(u, rank_u), right = inverse(v, rank_v);
  const MatrixXd across = products.sums.block(u.begin, v.begin, u.size, v.size);
  return {products.rows * (left * across * right * across.transpose()).trace(), rank_u * rank_v};
}

/// An effect that adds k times the noise of a component, in each of them; how large is not known.
double evidence_of(const ChiSquare& found) {
  constexpr std::array sizes = {0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0};
  std::vector<double> each;
  for (const double k : sizes)
    each.push_back(0.5 * (found.value * k / (1 + k) - found.freedom * std::log1p(k)));
  return log_mean_exp(each);
}

/// The least argument above `low` that is enough.
template <class Enough>
double least(double low, const Enough& enough) {
  double high = low + 16;
  while (!enough(high)) high += high - low;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

/// What a link has to add to the statistic so that 19 of 20 samples show it clearly (20 to 1).
double excess_to_show(double freedom, std::size_t sets) {
  const double clear = std::log(20.0) + std::log(double(sets));  // nats
  const double needed = least(freedom, [&](double value) {
    return evidence_of({value, freedom}) >= clear;
  });
  return least(0, [&](double excess) {
    const double spread = std::sqrt(2 * (freedom + 2 * excess));  // of a noncentral chi-square
    return freedom + excess - 1.645 * spread >= needed;
  });
}

}  // namespace

LinkEvidence link_evidence(const Dataset& data, std::span<const double> share) {
  const Features u(data, 0), v(data, 1);
  const Block all_u{u.trends, u.all}, all_v{u.count() + v.trends, v.all};
  const Block trends_u{0, u.trends}, trends_v{u.count(), v.trends};
  Products together{MatrixXd::Zero(u.count() + v.count(), u.count() + v.count())};
  ChiSquare apart;  // each environment with a link of its own
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& here = data.environments[e];
    if (here.rows() < 2) continue;
    const double weight = share.empty() ? 1 : share[e];
    const Products own = products_of(here, u, v);
    together.add(own, weight);
    if (double(here.rows()) * weight < 3 * double(u.all + v.all)) continue;
    const ChiSquare link = chi_square(own, all_u, all_v);
    apart.value += weight * link.value, apart.freedom += link.freedom;
  }
  std::vector<ChiSquare> sets = {chi_square(together, all_u, all_v)};
  if (u.trends > 0 && v.trends > 0) sets.push_back(chi_square(together, trends_u, trends_v));
  if (u.trends > 0) sets.push_back(chi_square(together, trends_u, all_v));
  if (v.trends > 0) sets.push_back(chi_square(together, all_u, trends_v));
  if (apart.freedom > 0) sets.push_back(apart);
  LinkEvidence found;
  std::vector<double> each;
  for (const ChiSquare& set : sets) each.push_back(evidence_of(set));
  found.log_evidence = log_mean_exp(each);
  const double freedom = sets[0].freedom;
  if (freedom == 0 || together.rows <= 0) return {found.log_evidence, 1};
  // A table's chi-square is rows times V^2 times the lesser of its sides; a trend's has one side.
  const auto visible = [&](double freedom_of, Size sides) {
    return std::sqrt(excess_to_show(freedom_of, sets.size()) /
                     (together.rows * double(std::max<Size>(1, sides))));
  };
  found.visible = visible(freedom, std::min(u.all, v.all));
  if (u.trends > 0 && v.trends > 0)
    found.visible = std::max(found.visible, visible(sets[1].freedom, 1));
  found.visible = std::min(1.0, found.visible);
  return found;
}

}  // namespace whence
