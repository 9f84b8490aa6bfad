#include "whence/discover/encoder/find_unmixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/backends/threads.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

using Cluster = std::vector<std::size_t>;  // numbers of changed environments

Matrix covariance(const Matrix& rows) {
  const std::size_t d = rows.columns;
  std::vector<double> mean(d, 0.0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < d; ++j) mean[j] += rows(i, j) / double(rows.rows);
  Matrix spread(d, d);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        spread(j, k) += (rows(i, j) - mean[j]) * (rows(i, k) - mean[k]) / double(rows.rows);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < j; ++k) spread(k, j) = spread(j, k);
  return spread;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Matrix joined(const Matrix& a, std::span<const Matrix* const> more) {
  Matrix all = a;
  for (const Matrix* rows : more) {
    all.values.insert(all.values.end(), rows->values.begin(), rows->values.end());
    all.rows += rows->rows;
  }
  return all;
}

class UnmixingFinder {
 public:
  UnmixingFinder(std::span<const Matrix> environments, const UnmixingSearch& how)
      : environments_(environments), how_(how) {}

  UnmixingAnswer run() {
    find_changed();
    answer_.environments.assign(environments_.size() - 1, EnvironmentKind::unchanged);
    for (const std::size_t e : changed_) answer_.environments[e] = EnvironmentKind::unresolved;
    if (changed_.empty()) return std::move(answer_);
    compare();
    for (const Cluster& cluster : linked()) add_row(cluster);
    merge_equal();
    doubt_dependent_noises();
    keep_independent();
    for (const LatentRow& row : answer_.rows)
      for (const std::size_t e : row.environments)
        answer_.environments[e] = EnvironmentKind::one_latent;
    if (how_.latents > 0) fill_up();
    return std::move(answer_);
  }

 private:
  const Matrix& rows_of(std::size_t changed) const { return environments_[changed_[changed] + 1]; }

  /// Environments that differ from the baseline at all; the others join it.
  void find_changed() {
    const std::size_t m = environments_.size() - 1;
    std::vector<double> p(m);
    parallel_for(m, how_.threads, [&](std::size_t e) {
      if (how_.pulse) how_.pulse();
      p[e] = same_law_probability(environments_[e + 1], environments_[0]);
    });
    std::vector<const Matrix*> same;
    for (std::size_t e = 0; e < m; ++e)
      if (p[e] > 0.01 / double(m))
        same.push_back(&environments_[e + 1]);
      else
        changed_.push_back(e);
    baseline_ = joined(environments_[0], same);
    spread_ = covariance(baseline_);
  }

  /// Every changed environment against the baseline, and against every other.
  void compare() {
    const std::size_t m = changed_.size();
    against_.resize(m);
    between_.assign(m, std::vector<IndexFit>(m));
    std::vector<std::pair<std::size_t, std::size_t>> jobs;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = i; j < m; ++j) jobs.emplace_back(i, j);
    parallel_for(jobs.size(), how_.threads, [&](std::size_t job) {
      if (how_.pulse) how_.pulse();
      const auto [i, j] = jobs[job];
      if (i == j)
        against_[i] = fit_index(rows_of(i), baseline_, how_.index);
      else
        between_[i][j] = between_[j][i] = fit_index(rows_of(i), rows_of(j), how_.index);
    });
    answer_.pairs = jobs.size();
  }

  double size_of(std::span<const double> w) const {
    return std::sqrt(std::max(dot(w, product(spread_, w)), 1e-300));
  }
  double agreement(std::span<const double> a, std::span<const double> b) const {
    return std::abs(dot(a, product(spread_, b))) / (size_of(a) * size_of(b));
  }

  /// Whether two environments may have changed the same latent.
  bool compatible(std::size_t i, std::size_t j) const {
    const IndexFit &a = against_[i], &b = against_[j];
    if (between_[i][j].p < how_.level) return false;
    if (a.p > how_.level && b.p > how_.level && agreement(a.weights, b.weights) < 0.9) return false;
    // Where the two differ too much for any test, they must at least look alike from the baseline.
    if (between_[i][j].saturated() && (a.p > how_.level) != (b.p > how_.level)) return false;
    // One changed the noise alone and the other cut its causes off: not the same kind of change.
    constexpr double sure = 1e-2, surely_not = 1e-6;
    return !(a.p > sure && b.p < surely_not) && !(a.p < surely_not && b.p > sure);
  }

  /// All pairs within must point the same way, as far as they can be told apart.
  bool one_direction(const Cluster& cluster) const {
    const IndexFit* strongest = nullptr;
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster)
        if (i < j && (!strongest || between_[i][j].gain > strongest->gain))
          strongest = &between_[i][j];
    constexpr double clear = 15;  // nats
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster)
        if (i < j && between_[i][j].gain > clear &&
            agreement(strongest->weights, between_[i][j].weights) < 0.85)
          return false;
    return true;
  }

  /// How far a pair is from needing one direction only, in standard deviations.
  double strain(std::size_t i, std::size_t j) const {
    const IndexFit& fit = between_[i][j];
    return fit.freedom > 0 ? (fit.lack - fit.freedom) / std::sqrt(2 * fit.freedom) : 0;
  }

  /// Complete linkage: clusters grow while every pair within is compatible.
  std::vector<Cluster> linked() const {
    std::vector<Cluster> clusters;
    for (std::size_t i = 0; i < changed_.size(); ++i) clusters.push_back({i});
    while (true) {
      double least = INFINITY;
      std::size_t first = 0, second = 0;
      for (std::size_t a = 0; a < clusters.size(); ++a)
        for (std::size_t b = a + 1; b < clusters.size(); ++b) {
          const double worst = joint_strain(clusters[a], clusters[b]);
          if (worst < least) {
            least = worst;
            first = a;
            second = b;
          }
        }
      if (!std::isfinite(least)) return clusters;
      clusters[first].insert(clusters[first].end(), clusters[second].begin(),
                             clusters[second].end());
      clusters.erase(clusters.begin() + std::ptrdiff_t(second));
    }
  }

  /// The worst strain between two clusters; infinite where they may not become one.
  double joint_strain(const Cluster& a, const Cluster& b) const {
    double worst = -INFINITY;
    for (const std::size_t i : a)
      for (const std::size_t j : b) {
        if (!compatible(i, j)) return INFINITY;
        worst = std::max(worst, strain(i, j));
      }
    if (a.size() + b.size() == 2) return worst;
    Cluster all = a;
    all.insert(all.end(), b.begin(), b.end());
    return one_direction(all) ? worst : INFINITY;
  }

  /// The direction that all comparisons within a cluster share, each with the weight of its gain.
  void add_row(const Cluster& cluster) {
    const auto alone = [&](std::size_t i) {
      return against_[i].p > how_.level / double(cluster.size());
    };
    const bool noise = std::all_of(cluster.begin(), cluster.end(), alone);
    const bool cut = std::none_of(cluster.begin(), cluster.end(), alone);
    if (!noise && cluster.size() < 2) return;
    LatentRow row;
    const std::size_t d = spread_.rows;
    Matrix directions(d, d);
    double log_odds = INFINITY;
    std::vector<bool> tested(cluster.size(), false);  // by a comparison that could have failed
    const auto add = [&](const IndexFit& fit, std::size_t a, std::size_t b) {
      const double size = size_of(fit.weights);
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t k = 0; k < d; ++k)
          directions(j, k) += fit.gain * fit.weights[j] * fit.weights[k] / (size * size);
      row.gain += fit.gain;
      row.p = std::min(row.p, fit.p);
      log_odds = std::min(log_odds, fit.log_odds());
      if (!fit.saturated()) tested[a] = tested[b] = true;
    };
    for (std::size_t a = 0; a < cluster.size(); ++a) {
      if (noise) add(against_[cluster[a]], a, a);
      for (std::size_t b = a + 1; b < cluster.size(); ++b)
        add(between_[cluster[a]][cluster[b]], a, b);
    }
    constexpr double enough = 6;  // nats
    if (row.gain <= enough) return;
    for (const std::size_t i : cluster) row.environments.push_back(changed_[i]);
    std::sort(row.environments.begin(), row.environments.end());
    row.saturated = std::find(tested.begin(), tested.end(), false) != tested.end();
    row.probability = std::min(sigmoid(log_odds), row.saturated ? 0.5 : 1.0);
    row.kind = noise                   ? LatentKind::noise
               : cut && !row.saturated ? LatentKind::latent
                                       : LatentKind::unresolved;
    row.weights = leading_direction(directions);
    answer_.rows.push_back(std::move(row));
  }

  /// The direction w of variance one with the largest w' (spread A spread) w.
  std::vector<double> leading_direction(const Matrix& a) const {
    const SymmetricEigen axes = symmetric_eigen(spread_);
    const std::size_t d = spread_.rows;
    Matrix root(d, d), inverse(d, d);  // symmetric square roots of the spread
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t l = 0; l < d; ++l) {
          const double size = std::sqrt(std::max(axes.values[l], 1e-300));
          root(j, k) += size * axes.vectors(j, l) * axes.vectors(k, l);
          inverse(j, k) += axes.vectors(j, l) * axes.vectors(k, l) / size;
        }
    Matrix white = product(root, product(a, root));
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < j; ++k)
        white(j, k) = white(k, j) = (white(j, k) + white(k, j)) / 2;
    const SymmetricEigen found = symmetric_eigen(white);
    std::vector<double> leading(d);
    for (std::size_t j = 0; j < d; ++j) leading[j] = found.vectors(j, 0);
    std::vector<double> w = product(inverse, leading);
    const auto largest = std::max_element(
        w.begin(), w.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
    const double sign = *largest < 0 ? -1 : 1;  // signs are free: the largest weight is positive
    for (double& x : w) x *= sign;
    return w;
  }

  /// Two clusters with the same direction are one.
  void merge_equal() {
    std::vector<LatentRow>& rows = answer_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size();) {
        if (agreement(rows[i].weights, rows[j].weights) <= 0.97) {
          ++j;
          continue;
        }
        if (rows[j].kind == LatentKind::latent && rows[i].kind != LatentKind::latent)
          std::swap(rows[i], rows[j]);
        rows[i].environments.insert(rows[i].environments.end(), rows[j].environments.begin(),
                                    rows[j].environments.end());
        std::sort(rows[i].environments.begin(), rows[i].environments.end());
        rows[i].gain += rows[j].gain;
        rows[i].p = std::min(rows[i].p, rows[j].p);
        rows.erase(rows.begin() + std::ptrdiff_t(j));
      }
  }

  /// Noises do not depend on each other in the baseline. Rows that do are mixtures of several, or
  /// stand for more latents than the columns can tell apart: the one that depends most on the
  /// others is no noise, until the others are as good as independent.
  void doubt_dependent_noises() {
    constexpr double dependent = 0.4;  // correlation: sensors are never quite clean
    std::vector<LatentRow>& rows = answer_.rows;
    while (true) {
      double most = 0;
      LatentRow* worst = nullptr;
      for (LatentRow& row : rows) {
        double sum = 0, largest = 0;
        for (const LatentRow& other : rows) {
          if (&other == &row || !is_noise(row) || !is_noise(other)) continue;
          const double c = agreement(row.weights, other.weights);
          sum += c * c;
          largest = std::max(largest, c);
        }
        if (largest > dependent && sum > most) {
          most = sum;
          worst = &row;
        }
      }
      if (!worst) return;
      worst->kind = LatentKind::unresolved;
      worst->mixture = true;
      worst->probability = 0;
    }
  }
  static bool is_noise(const LatentRow& row) { return row.kind == LatentKind::noise; }

  /// Whoever says how many latents there are gets that many rows, if as many environments differ
  /// from the baseline mostly along one direction. Such rows are unresolved: an oracle's best row
  /// for a latent that the columns hardly show is among them, and so are mixtures.
  void fill_up() {
    constexpr double mostly = 0.03;  // of the gain is what one direction leaves unexplained
    constexpr double enough = 20;    // nats
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < changed_.size(); ++i)
      if (answer_.environments[changed_[i]] == EnvironmentKind::unresolved &&
          against_[i].gain > enough && against_[i].unexplained() < mostly * against_[i].gain)
        order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return against_[a].gain > against_[b].gain;
    });
    for (const std::size_t i : order) {
      if (answer_.rows.size() >= how_.latents) return;
      LatentRow row;
      row.weights = leading_direction(outer(against_[i].weights));
      row.environments = {changed_[i]};
      row.gain = against_[i].gain;
      row.p = against_[i].p;
      row.mixture = true;
      constexpr double same = 0.97;
      if (std::none_of(answer_.rows.begin(), answer_.rows.end(), [&](const LatentRow& r) {
            return agreement(r.weights, row.weights) > same;
          }))
        answer_.rows.push_back(std::move(row));
    }
  }

  static Matrix outer(std::span<const double> w) {
    Matrix a(w.size(), w.size());
    for (std::size_t j = 0; j < w.size(); ++j)
      for (std::size_t k = 0; k < w.size(); ++k) a(j, k) = w[j] * w[k];
    return a;
  }

  /// No more rows than latents, and none that the others together make up: the best supported stay.
  void keep_independent() {
    std::vector<LatentRow>& rows = answer_.rows;
    std::erase_if(rows, [](const LatentRow& row) { return row.mixture; });
    std::stable_sort(rows.begin(), rows.end(), [](const LatentRow& a, const LatentRow& b) {
      const bool several_a = a.environments.size() > 1, several_b = b.environments.size() > 1;
      if (several_a != several_b) return several_a;
      constexpr double doubtful = 0.02;
      const bool good_a = a.p > doubtful && !a.saturated, good_b = b.p > doubtful && !b.saturated;
      return good_a != good_b ? good_a : a.gain > b.gain;
    });
    const std::size_t most = how_.latents > 0 ? how_.latents : spread_.rows;
    std::vector<std::vector<double>> span;  // orthonormal under the spread
    std::vector<LatentRow> kept;
    for (LatentRow& row : rows) {
      std::vector<double> rest = row.weights;
      const double size = size_of(rest);
      for (const auto& base : span) {
        const double share = dot(base, product(spread_, rest));
        for (std::size_t j = 0; j < rest.size(); ++j) rest[j] -= share * base[j];
      }
      const double left = size_of(rest);
      if (kept.size() >= most || left < 0.1 * size) continue;
      for (double& x : rest) x /= left;
      span.push_back(std::move(rest));
      kept.push_back(std::move(row));
    }
    rows = std::move(kept);
  }

  std::span<const Matrix> environments_;
  const UnmixingSearch& how_;
  std::vector<std::size_t> changed_;
  Matrix baseline_, spread_;
  std::vector<IndexFit> against_;               // each changed environment and the baseline
  std::vector<std::vector<IndexFit>> between_;  // two changed environments
  UnmixingAnswer answer_;
};

}  // namespace

UnmixingAnswer find_unmixing(std::span<const Matrix> environments, const UnmixingSearch& how) {
  return UnmixingFinder(environments, how).run();
}

}  // namespace whence
