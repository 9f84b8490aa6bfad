#include "whence/discover/encoder/find_rotation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whence/backends/threads.hpp"
#include "whence/evidence/encoder/plane_evidence.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

using Shares = std::array<double, plane_changes>;

constexpr Shares first_shares = {0.15, 0.35, 0.35, 0.15};

/// log of share times likelihood ratio, for each change.
Shares log_terms(double along, double anywhere, const Shares& shares) {
  return {std::log(shares[0]), std::log(shares[1]) + along, std::log(shares[2]) + anywhere - along,
          std::log(shares[3]) + anywhere};
}

/// J at one angle, with the shares that fit it best (a Dirichlet prior of two of each).
struct Objective {
  double value = 0;
  Shares shares = first_shares;
};

Objective objective(std::span<const double> along, std::span<const double> anywhere,
                    const std::vector<bool>& counted) {
  Objective found;
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    Shares next = {1, 1, 1, 1};
    double value = 0;
    for (std::size_t e = 0; e < along.size(); ++e) {
      if (!counted[e]) continue;
      value += change_objective(along[e], anywhere[e], found.shares);
      const Shares p = change_posterior(along[e], anywhere[e], found.shares);
      for (std::size_t k = 0; k < plane_changes; ++k) next[k] += p[k];
    }
    double all = 0;
    for (std::size_t k = 0; k < plane_changes; ++k) {
      value += std::log(found.shares[k]);
      all += next[k];
    }
    found.value = value;
    if (round + 1 < rounds)
      for (std::size_t k = 0; k < plane_changes; ++k) found.shares[k] = next[k] / all;
  }
  return found;
}

double turned(double angle) { return std::remainder(angle, half_turn); }

/// Least squares: value = a + b z + c z^2.
struct Parabola {
  double slope = 0, bend = 0;
};

Parabola fit_parabola(std::span<const double> z, std::span<const double> value) {
  // Orthogonal polynomials of the given places.
  const auto n = double(z.size());
  double mean = 0, top = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    mean += z[i] / n;
    top += value[i] / n;
  }
  double s2 = 0, s3 = 0;
  for (double x : z) {
    s2 += (x - mean) * (x - mean);
    s3 += (x - mean) * (x - mean) * (x - mean);
  }
  const double lean = s2 > 0 ? s3 / s2 : 0;
  double linear = 0, square = 0, size = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double x = z[i] - mean, q = x * x - lean * x - s2 / n;
    linear += x * (value[i] - top);
    square += q * (value[i] - top);
    size += q * q;
  }
  const double c = size > 0 ? square / size : 0, b = s2 > 0 ? linear / s2 : 0;
  return {b - c * lean - 2 * c * mean, c};
}

/// How much wider a 95 % range is where its deviation was estimated with so few degrees of freedom:
/// Student's quantile over the normal one (Cornish and Fisher's series).
double few_more(double freedom) {
  constexpr double z = 1.96, z2 = z * z;
  const double f = 1 / freedom;
  return 1 + f * ((z2 + 1) / 4 + f * (((5 * z2 + 16) * z2 + 3) / 96 +
                                      f * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384));
}

/// A maximum of J, looked at closely by the evidence of all labels at once.
struct Basin {
  double angle = 0, sd = 0;
  double coarse = 0;                              // J of the first look
  std::vector<std::pair<double, double>> points;  // angle and pooled evidence
  double best = 0;                                // of the pooled evidence
  double stretch = 1;  // how much wider the basin is than the evidence has it
  double relative(double pooled) const { return (pooled - best) / (stretch * stretch) + coarse; }
};

/// A piece of the posterior: log density, width and angle.
struct Piece {
  double log_density = 0, width = 0, angle = 0;
};

class RotationFinder {
 public:
  RotationFinder(std::span<const PlanePoints> environments, const RotationSearch& how)
      : how_(how), plane_(environments) {
    for (const PlanePoints& p : environments) rows_ += double(p.x.size());
  }

  RotationAnswer run() {
    look();
    if (answer_.shifted() == 0) return nothing_found();
    for (const std::size_t at : maxima()) basins_.push_back(refined(at));
    const auto best =
        std::max_element(basins_.begin(), basins_.end(),
                         [](const Basin& a, const Basin& b) { return a.coarse < b.coarse; });
    answer_.angle = best->angle;
    answer_.sd = best->sd;
    spread_posterior();
    tell_changes();
    answer_.angle -= half_turn * std::floor(answer_.angle / half_turn);
    return std::move(answer_);
  }

 private:
  /// J at evenly spaced angles, and which environments changed at all.
  void look() {
    const auto n = std::size_t(how_.angles);
    along_.resize(n);
    parallel_for(n + 1, how_.threads, [&](std::size_t i) {
      if (how_.pulse) how_.pulse();
      if (i == 0)
        answer_.evidence = plane_.anywhere();
      else
        along_[i - 1] = plane_.along(half_turn * double(i - 1) / double(n));
    });
    const std::size_t shifted = plane_.environments() - 1;
    answer_.counted.assign(shifted, false);
    for (std::size_t e = 0; e < shifted; ++e) {
      double most = answer_.evidence[e];
      for (const auto& at : along_) most = std::max(most, at[e]);
      answer_.counted[e] = most > how_.gate;
    }
    for (std::size_t i = 0; i < n; ++i) {
      answer_.angles.push_back(half_turn * double(i) / double(n));
      answer_.objective.push_back(objective(along_[i], answer_.evidence, answer_.counted).value);
    }
  }

  RotationAnswer nothing_found() {
    answer_.width = 0.95 * half_turn;
    answer_.low = 0;
    answer_.high = half_turn;
    answer_.sd = half_turn / std::sqrt(12.0);
    answer_.direction = 0.5;
    answer_.shares = {1, 0, 0, 0};
    answer_.changes.assign(plane_.environments() - 1, {1, 0, 0, 0});
    return std::move(answer_);
  }

  /// The highest local maxima, those within 8 nats of the best.
  std::vector<std::size_t> maxima() const {
    const std::vector<double>& j = answer_.objective;
    const std::size_t n = j.size();
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < n; ++i)
      if (j[i] >= j[(i + n - 1) % n] && j[i] >= j[(i + 1) % n]) found.push_back(i);
    std::sort(found.begin(), found.end(),
              [&](std::size_t a, std::size_t b) { return j[a] > j[b]; });
    while (found.size() > std::size_t(how_.most_candidates) || j[found.back()] < j[found[0]] - 8)
      found.pop_back();
    return found;
  }

  /// What each environment changed at an angle of the first look, where that is beyond doubt.
  std::vector<PlaneChange> clear_changes(std::size_t at) const {
    const Shares shares = objective(along_[at], answer_.evidence, answer_.counted).shares;
    std::vector<PlaneChange> changes(along_[at].size(), PlaneChange::both);
    for (std::size_t e = 0; e < changes.size(); ++e) {
      if (!answer_.counted[e]) continue;
      const Shares terms = log_terms(along_[at][e], answer_.evidence[e], shares);
      const double other = std::max(terms[0], terms[3]);
      constexpr double clear = 1.5;
      if (terms[1] > std::max(terms[2], other) + clear) changes[e] = PlaneChange::cause;
      if (terms[2] > std::max(terms[1], other) + clear) changes[e] = PlaneChange::effect;
    }
    return changes;
  }

  Basin refined(std::size_t at) {
    const std::vector<PlaneChange> changes = clear_changes(at);
    const double spacing = half_turn / how_.angles;
    Basin basin{answer_.angles[at], spacing, answer_.objective[at], {}, 0, 1};
    double step = spacing / 2;
    for (int round = 0; round < 3; ++round) {
      const int reach = round == 0 ? 4 : 3;
      std::vector<double> value(std::size_t(2 * reach + 1));
      parallel_for(value.size(), how_.threads, [&](std::size_t i) {
        if (how_.pulse) how_.pulse();
        const double angle = basin.angle + (int(i) - reach) * step;
        value[i] = pooled_evidence(plane_.counts(angle), changes);
      });
      for (std::size_t i = 0; i < value.size(); ++i)
        basin.points.emplace_back(basin.angle + (int(i) - reach) * step, value[i]);
      const int top = int(std::max_element(value.begin(), value.end()) - value.begin());
      basin.best = value[std::size_t(top)];
      const int from = std::max(0, top - 2), to = std::min(2 * reach, top + 2);
      std::vector<double> z;
      for (int i = from; i <= to; ++i) z.push_back(i - top);
      const Parabola fit = fit_parabola(z, std::span(value).subspan(std::size_t(from), z.size()));
      const double beyond = fit.bend < 0 ? std::clamp(-fit.slope / (2 * fit.bend), -1.5, 1.5) : 0;
      basin.sd = fit.bend < 0 ? step / std::sqrt(-2 * fit.bend) : step;
      basin.angle += (top - reach + beyond) * step;
      step = std::min(0.6 * step, std::max(0.7 * basin.sd, step / 6));
    }
    // What the functions cannot follow moves the angle however many rows there are: no range is
    // narrower than so many rows would make it.
    constexpr double trusted_rows = 50000;
    basin.stretch = stretch_of(basin, changes) * std::sqrt(std::max(1.0, rows_ / trusted_rows));
    basin.sd *= basin.stretch;
    return basin;
  }

  /// The evidence knows nothing of wiggles finer than its functions. Where these matter, as for
  /// laws with several humps, environments disagree about the angle by more than its curvature
  /// says: their slopes at the best angle show by how much (a sandwich estimate of the variance).
  double stretch_of(const Basin& basin, const std::vector<PlaneChange>& changes) const {
    const double reach = std::max(basin.sd, 1e-4);
    std::vector<double> before(changes.size() + 1), after = before;
    pooled_evidence(plane_.counts(basin.angle - reach), changes, before);
    pooled_evidence(plane_.counts(basin.angle + reach), changes, after);
    double mean = 0, squares = 0, n = 0;
    for (std::size_t e = 0; e < before.size(); ++e) {
      if (before[e] == 0 && after[e] == 0) continue;
      const double slope = (after[e] - before[e]) / (2 * reach);
      mean += slope;
      squares += slope * slope;
      ++n;
    }
    if (n < 3) return 1;
    squares -= mean * mean / n;
    // Slopes have the variance 1 / sd^2 where the evidence is right; few of them show it badly.
    return std::max(1.0, few_more(n - 1) * std::sqrt(squares * n / (n - 1)) * basin.sd);
  }

  /// Basins weigh as the first look says; their shape is that of the pooled evidence. Elsewhere
  /// the first look stands.
  std::vector<Piece> posterior() {
    std::vector<Piece> pieces;
    constexpr int cuts = 6;
    for (Basin& basin : basins_) {
      std::sort(basin.points.begin(), basin.points.end());
      for (std::size_t i = 0; i + 1 < basin.points.size(); ++i) {
        const auto& [a, low] = basin.points[i];
        const auto& [b, high] = basin.points[i + 1];
        for (int cut = 0; cut < cuts; ++cut) {
          const double share = (cut + 0.5) / cuts;
          pieces.push_back(
              {basin.relative(low + share * (high - low)), (b - a) / cuts, a + share * (b - a)});
        }
      }
    }
    const double spacing = half_turn / how_.angles;
    for (std::size_t i = 0; i < answer_.angles.size(); ++i) {
      const bool refined = std::any_of(basins_.begin(), basins_.end(), [&](const Basin& basin) {
        const double first = basin.points.front().first, last = basin.points.back().first;
        return std::abs(turned(answer_.angles[i] - (first + last) / 2)) <
               (last - first + spacing) / 2;
      });
      if (!refined) pieces.push_back({answer_.objective[i], spacing, answer_.angles[i]});
    }
    return pieces;
  }

  void spread_posterior() {
    std::vector<Piece> pieces = posterior();
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.log_density > b.log_density; });
    const double top = pieces[0].log_density;
    double all = 0, here = 0, held = 0;
    const auto mass = [&](const Piece& p) { return p.width * std::exp(p.log_density - top); };
    const auto near = [&](const Piece& p) {
      return std::abs(turned(p.angle - answer_.angle)) < half_turn / 4;
    };
    for (const Piece& p : pieces) {
      all += mass(p);
      here += near(p) ? mass(p) : 0;
    }
    answer_.direction = here / all;
    answer_.low = answer_.high = 0;
    for (const Piece& p : pieces) {
      held += mass(p);
      answer_.width += p.width;
      if (near(p)) {
        const double d = turned(p.angle - answer_.angle);
        answer_.low = std::min(answer_.low, d - p.width / 2);
        answer_.high = std::max(answer_.high, d + p.width / 2);
      }
      if (held > 0.95 * all) break;
    }
    answer_.depth = INFINITY;
    double elsewhere = -INFINITY;
    for (std::size_t i = 0; i < answer_.angles.size(); ++i)
      if (std::abs(turned(answer_.angles[i] - answer_.angle)) > 0.2)
        elsewhere = std::max(elsewhere, answer_.objective[i]);
    answer_.depth =
        *std::max_element(answer_.objective.begin(), answer_.objective.end()) - elsewhere;
  }

  void tell_changes() {
    const double base = half_turn * std::floor(answer_.angle / half_turn);
    answer_.low += answer_.angle - base;
    answer_.high += answer_.angle - base;
    const std::vector<double> along = plane_.along(answer_.angle);
    answer_.shares = objective(along, answer_.evidence, answer_.counted).shares;
    for (std::size_t e = 0; e < along.size(); ++e)
      answer_.changes.push_back(
          answer_.counted[e] ? change_posterior(along[e], answer_.evidence[e], answer_.shares)
                             : Shares{1, 0, 0, 0});
  }

  const RotationSearch& how_;
  PlaneEvidence plane_;
  double rows_ = 0;
  std::vector<std::vector<double>> along_;  // [angle][environment]
  std::vector<Basin> basins_;
  RotationAnswer answer_;
};

}  // namespace

std::size_t RotationAnswer::shifted() const {
  return std::size_t(std::count(counted.begin(), counted.end(), true));
}

double change_objective(double along, double anywhere, const Shares& shares) {
  return log_sum_exp(log_terms(along, anywhere, shares));
}

Shares change_posterior(double along, double anywhere, const Shares& shares) {
  Shares terms = log_terms(along, anywhere, shares);
  const double all = log_sum_exp(terms);
  for (double& term : terms) term = std::exp(term - all);
  return terms;
}

RotationAnswer find_rotation(std::span<const PlanePoints> environments, const RotationSearch& how) {
  return RotationFinder(environments, how).run();
}

}  // namespace whence
