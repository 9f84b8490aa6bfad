#include "whence/discover/encoder/find_unmixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/backends/threads.hpp"
#include "whence/math/dense.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

using Cluster = std::vector<std::size_t>;  // numbers of changed environments

std::vector<double> mean_of(const Matrix& rows) {
  std::vector<double> mean(rows.columns, 0.0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) mean[j] += rows(i, j) / double(rows.rows);
  return mean;
}

Matrix covariance(const Matrix& rows) {
  const std::size_t d = rows.columns;
  const std::vector<double> mean = mean_of(rows);
  Matrix spread(d, d);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        spread(j, k) += (rows(i, j) - mean[j]) * (rows(i, k) - mean[k]) / double(rows.rows);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < j; ++k) spread(k, j) = spread(j, k);
  return spread;
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
    compare_means();
    lines_hold_ = do_lines_hold();
  }

  /// How parallel the means of two environments moved away from the baseline, up to sign, in units
  /// of their spreads. A latent moves all that follows from it along one line, whatever its causes:
  /// means in two directions are two latents, unless mechanisms bend much.
  void compare_means() {
    const std::size_t m = changed_.size(), d = spread_.rows;
    const std::vector<double> start = mean_of(baseline_);
    std::vector<Matrix> spreads;
    std::vector<std::vector<double>> moved;
    for (std::size_t i = 0; i < m; ++i) {
      spreads.push_back(covariance(rows_of(i)));
      moved.push_back(mean_of(rows_of(i)));
      for (std::size_t k = 0; k < d; ++k) moved[i][k] -= start[k];
    }
    parallel_ = crossing_ = Matrix(m, m);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        Matrix within = spread_;
        for (std::size_t k = 0; k < within.values.size(); ++k)
          within.values[k] = (within.values[k] + spreads[i].values[k] + spreads[j].values[k]) / 3;
        const SymmetricEigen axes = symmetric_eigen(within);
        double ii = 0, jj = 0, ij = 0;
        for (std::size_t l = 0; l < d; ++l) {
          double a = 0, b = 0;
          for (std::size_t k = 0; k < d; ++k) {
            a += axes.vectors(k, l) * moved[i][k];
            b += axes.vectors(k, l) * moved[j][k];
          }
          const double size = std::max(axes.values[l], 1e-300);
          ii += a * a / size;
          jj += b * b / size;
          ij += a * b / size;
        }
        const double told = 4 * double(d);  // of squares that chance makes about d
        const bool both = ii > told * chance_of(i) && jj > told * chance_of(j);
        parallel_(i, j) = parallel_(j, i) = both ? std::abs(ij) / std::sqrt(ii * jj) : 1;
        crossing_(i, j) = crossing_(j, i) =
            i == j ? 1
                   : one_line_probability(ii / chance_of(i), jj / chance_of(j),
                                          ij / std::sqrt(chance_of(i) * chance_of(j)), d);
      }
  }
  /// The probability that two movements are as far from one line as these, were they on one; each
  /// is in units of its chance. What is left beside the best line is the smaller eigenvalue of
  /// their products.
  static double one_line_probability(double ii, double jj, double ij, std::size_t d) {
    const double half = (ii + jj) / 2;
    const double left = half - std::sqrt(std::max(0.0, half * half - (ii * jj - ij * ij)));
    return chi_square_tail(left, double(d) - 1);
  }

  /// The variance of a difference of means, in units of the spread.
  double chance_of(std::size_t i) const {
    return 1 / double(rows_of(i).rows) + 1 / double(baseline_.rows);
  }

  double size_of(std::span<const double> w) const {
    return std::sqrt(std::max(dot(w, product(spread_, w)), 1e-300));
  }
  double agreement(std::span<const double> a, std::span<const double> b) const {
    return std::abs(dot(a, product(spread_, b))) / (size_of(a) * size_of(b));
  }

  bool on_one_line(const IndexFit& fit) const { return fit.apart() && fit.lines.p > how_.level; }

  /// Whether linear mechanisms explain what far apart environments differ by: most of those that
  /// may have a partner differ from some other one, or from the baseline, along one line. What
  /// lines deny then counts as denied.
  bool do_lines_hold() const {
    constexpr double most = 0.65;  // double targets fit no line; with curves half the latents do
    std::size_t far = 0, explained = 0;
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      bool any = false, line = false;
      for (std::size_t j = 0; j < changed_.size(); ++j) {
        const IndexFit& fit = i == j ? against_[i] : between_[i][j];
        if (!fit.apart() || fit.p < how_.level) continue;
        any = any || i == j || compatible(i, j);
        line = line || on_one_line(fit);
      }
      far += any ? 1 : 0;
      explained += any && line ? 1 : 0;
    }
    return explained >= 2 && double(explained) >= most * double(far);
  }

  /// Whether one index is all that an environment and the baseline differ by.
  bool alone(std::size_t i, double level) const {
    const IndexFit& fit = against_[i];
    return fit.p > level && !(lines_hold_ && fit.apart() && !on_one_line(fit));
  }

  /// Whether two environments may have changed the same latent.
  bool compatible(std::size_t i, std::size_t j) const {
    const IndexFit &a = against_[i], &b = against_[j], &between = between_[i][j];
    if (between.p < how_.level) return false;
    if (lines_hold_ && between.apart() && !on_one_line(between)) return false;
    constexpr double straight = 0.8, bent = 0.35;  // of means that one latent moved
    if (parallel_(i, j) < (lines_hold_ ? straight : bent)) return false;
    constexpr double alike =
        0.75;  // of environments that cut causes off unnoticed; noises: near one
    if (alone(i, how_.level) && alone(j, how_.level) && agreement(a.weights, b.weights) < alike)
      return false;
    if (!between.apart() || on_one_line(between)) return true;
    // Where the two differ too much for any test, they must at least look alike from the baseline.
    if (between.saturated() && (a.p > how_.level) != (b.p > how_.level)) return false;
    // One changed the noise alone and the other cut its causes off: not the same kind of change.
    constexpr double sure = 1e-2, surely_not = 1e-6;
    return !(a.p > sure && b.p < surely_not) && !(a.p < surely_not && b.p > sure);
  }

  /// All pairs within must point the same way, up to their errors.
  bool one_direction(const Cluster& cluster) const {
    const IndexFit* strongest = nullptr;
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster)
        if (i < j && (!strongest || between_[i][j].gain > strongest->gain))
          strongest = &between_[i][j];
    constexpr double clear = 15, certain = 100;  // nats
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster) {
        const double gain = between_[i][j].gain;
        if (i < j && gain > clear &&
            agreement(strongest->weights, between_[i][j].weights) < (gain > certain ? 0.93 : 0.85))
          return false;
      }
    return true;
  }

  /// How far a pair is from needing one direction only, in standard deviations. Far apart, lines
  /// decide; what they do not explain comes after everything else.
  double strain(std::size_t i, std::size_t j) const {
    const IndexFit& fit = between_[i][j];
    const auto deviations = [](double lack, double freedom) {
      return freedom > 0 ? (lack - freedom) / std::sqrt(2 * freedom) : 0;
    };
    const double by_labels = deviations(fit.lack, fit.freedom);
    if (!fit.apart()) return by_labels;
    constexpr double last = 1000;
    return on_one_line(fit) ? std::max(by_labels, deviations(fit.lines.lack, fit.lines.freedom))
                            : last + by_labels;
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
    const auto single = [&](std::size_t i) {
      return alone(i, how_.level / double(cluster.size()));
    };
    const bool noise = std::all_of(cluster.begin(), cluster.end(), single);
    const bool cut = std::none_of(cluster.begin(), cluster.end(), single);
    if (!noise && cluster.size() < 2) return;
    LatentRow row;
    const std::size_t d = spread_.rows;
    Matrix directions(d, d), chance(d, d);
    double log_odds = INFINITY, counted = 0;
    std::vector<bool> tested(cluster.size(), false);  // by a comparison that could have failed
    const auto add = [&](const IndexFit& fit, std::size_t a, std::size_t b) {
      const double size = size_of(fit.weights);
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t k = 0; k < d; ++k)
          directions(j, k) += fit.gain * fit.weights[j] * fit.weights[k] / (size * size);
      add_chance(fit, chance, counted);
      row.gain += fit.gain;
      row.p = std::min(row.p, fit.p);
      log_odds = std::min(log_odds, fit.log_odds());
      if (!fit.saturated() || on_one_line(fit)) tested[a] = tested[b] = true;
    };
    for (std::size_t a = 0; a < cluster.size(); ++a)
      for (std::size_t b = a + 1; b < cluster.size(); ++b)
        add(between_[cluster[a]][cluster[b]], a, b);
    // Environments that cut causes off unnoticed differ from the baseline along a mixture of latent
    // and noise, but from each other along the latent: the baseline speaks where they hardly
    // differ.
    constexpr double telling = 20;  // nats
    if (noise && row.gain < telling)
      for (std::size_t a = 0; a < cluster.size(); ++a) add(against_[cluster[a]], a, a);
    constexpr double enough = 6;  // nats
    if (row.gain <= enough) return;
    for (const std::size_t i : cluster) row.environments.push_back(changed_[i]);
    std::sort(row.environments.begin(), row.environments.end());
    row.saturated = std::find(tested.begin(), tested.end(), false) != tested.end();
    row.weights = leading_direction(directions);
    row.chance = kept_at_one(row.weights, chance, counted);
    const bool doubtful =
        bends_much(cluster) || (counted > 1e-6 * row.gain && blurred(row.chance)) ||
        (!noise && (row.gain < telling || !moves_one_way(cluster) || !on_one_way(cluster)));
    row.probability = std::min(sigmoid(log_odds), row.saturated || doubtful ? 0.5 : 1.0);
    if (noise && !doubtful) row.kind = LatentKind::noise;
    if (cut && !doubtful && !row.saturated) row.kind = LatentKind::latent;
    answer_.rows.push_back(std::move(row));
  }

  /// What chance does to the weights of one comparison, in units in which they have variance one.
  /// Comparisons share rows, so several are taken to say the same: their mean, by gain.
  void add_chance(const IndexFit& fit, Matrix& chance, double& counted) const {
    if (fit.chance.values.empty()) return;
    // Nearly separated sets hardly constrain it: they count only where there are no others.
    const double weight = fit.gain * (fit.saturated() ? 1e-9 : 1), size = size_of(fit.weights);
    for (std::size_t k = 0; k < chance.values.size(); ++k)
      chance.values[k] += weight * fit.chance.values[k] / (size * size);
    counted += weight;
  }

  /// Their covariance where the weights are kept at variance one.
  Matrix kept_at_one(std::span<const double> w, const Matrix& chance, double counted) const {
    const std::size_t d = w.size();
    const std::vector<double> along = product(spread_, w);
    Matrix keep(d, d);
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < d; ++k) keep(j, k) = (j == k ? 1 : 0) - w[j] * along[k];
    Matrix turned = product(keep, product(chance, transposed(keep)));
    for (double& x : turned.values) x /= std::max(counted, 1e-300);
    return turned;
  }

  /// Columns that clip, saturate or take logarithms bend what a latent does: environments far from
  /// the baseline then differ from it in ways that no linear row can follow. Cutting causes off
  /// does less.
  bool bends_much(const Cluster& cluster) const {
    const double much =
        cluster.size() > 1 ? 4 : 3;  // one environment alone has no other to agree with
    return std::any_of(cluster.begin(), cluster.end(), [&](std::size_t i) {
      return against_[i].apart() && against_[i].lines.misfit() > much;
    });
  }

  /// Whether chance may have turned the row so far that it is something else: environments that
  /// set a latent to nearly the same value hardly differ, and then any direction is as good.
  bool blurred(const Matrix& chance) const {
    constexpr double least = 0.95;  // correlation with the row that more data would give
    double square = 0;
    for (std::size_t k = 0; k < chance.values.size(); ++k)
      square += chance.values[k] * spread_.values[k];
    return 1 / std::sqrt(1 + square) < least;
  }

  /// Whether no two of the means are, beyond chance, on two lines through the baseline's.
  bool on_one_way(const Cluster& cluster) const {
    constexpr double hardly = 1e-4;
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster)
        if (crossing_(i, j) < hardly) return false;
    return true;
  }

  bool moves_one_way(const Cluster& cluster) const {
    constexpr double one_way = 0.8;
    for (const std::size_t i : cluster)
      for (const std::size_t j : cluster)
        if (parallel_(i, j) < one_way) return false;
    return true;
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
        const bool latent_i = rows[i].kind == LatentKind::latent,
                   latent_j = rows[j].kind == LatentKind::latent;
        if (latent_i != latent_j) {
          // One direction cannot be both what is new in a latent and the latent with its causes.
          if (is_noise(rows[i]) || is_noise(rows[j]))
            rows[i].kind = rows[j].kind = LatentKind::unresolved;
          else if (latent_j)
            std::swap(rows[i], rows[j]);
        }
        rows[i].environments.insert(rows[i].environments.end(), rows[j].environments.begin(),
                                    rows[j].environments.end());
        std::sort(rows[i].environments.begin(), rows[i].environments.end());
        rows[i].gain += rows[j].gain;
        rows[i].p = std::min(rows[i].p, rows[j].p);
        rows.erase(rows.begin() + std::ptrdiff_t(j));
      }
  }

  /// Noises do not depend on each other in the baseline. Rows that do are mixtures of several, or
  /// stand for more latents than the columns can separate: the one that depends most on the
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

  /// If the number of latents is given, there are that many rows, if as many environments differ
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
      Matrix chance(spread_.rows, spread_.rows);
      double counted = 0;
      add_chance(against_[i], chance, counted);
      row.chance = kept_at_one(row.weights, chance, counted);
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
  Matrix crossing_;                             // P(means as far from one line), of the same
  Matrix parallel_;                             // how parallel means moved, of changed environments
  bool lines_hold_ = false;
  UnmixingAnswer answer_;
};

}  // namespace

UnmixingAnswer find_unmixing(std::span<const Matrix> environments, const UnmixingSearch& how) {
  return UnmixingFinder(environments, how).run();
}

}  // namespace whence
