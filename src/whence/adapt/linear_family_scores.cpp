#include "whence/adapt/linear_family_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "whence/core/error.hpp"
#include "whence/math/elementary.hpp"

namespace whence {

namespace {

constexpr std::size_t nobody = std::size_t(-1);

/// The median, the lower one of two.
double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Where a column lies and how far it spreads: the median of the reference environment, and the
/// median distance from each environment's own median (1.4826 of it is a Gaussian's sigma).
struct Place {
  double centre = 0, spread = 1;
};

Place place_of(const Dataset& data, std::size_t variable, std::size_t reference) {
  const std::vector<double>& values = data.columns[variable].values;
  Place place;
  std::vector<double> distances, squares;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    const Environment& environment = data.environments[e];
    const auto begin = values.begin() + std::ptrdiff_t(environment.begin);
    const auto end = values.begin() + std::ptrdiff_t(environment.end);
    const double middle = median_of({begin, end});
    if (e == reference) place.centre = middle;
    for (auto x = begin; x != end; ++x) distances.push_back(std::abs(*x - middle));
  }
  place.spread = 1.4826 * median_of(distances);
  if (!(place.spread > 0)) {  // more than half of the column sits on its medians
    double sum = 0;
    for (double distance : distances) sum += distance * distance;
    place.spread = std::sqrt(sum / double(std::max<std::size_t>(1, distances.size())));
  }
  if (!(place.spread > 0)) {  // constant within every environment
    double sum = 0;
    for (double x : values) sum += (x - place.centre) * (x - place.centre);
    place.spread = std::sqrt(sum / double(std::max<std::size_t>(1, values.size())));
  }
  if (!(place.spread > 0) || !std::isfinite(place.spread))
    throw Error(ExitCode::bad_data, "E-DATA-CONSTANT", data.variables[variable].name,
                "the column has the same value in every row",
                "leave it out: nothing can be learnt about it");
  return place;
}

std::size_t largest_environment(const Dataset& data) {
  std::size_t best = 0;
  for (std::size_t e = 1; e < data.environments.size(); ++e)
    if (data.environments[e].rows() > data.environments[best].rows()) best = e;
  return best;
}

}  // namespace

/// One family's Gram matrices, and a pool of environments among them.
class LinearFamilyScorer::Family {
 public:
  Family(const LinearFamilyScorer& scorer, std::size_t child, std::span<const std::size_t> parents)
      : scorer_(scorer), order_(parents.size() + 2) {
    const auto index = [&](std::size_t k) {
      return k == 0 ? 0 : 1 + (k + 1 < order_ ? parents[k - 1] : child);
    };
    for (std::size_t r = 0; r < order_; ++r)
      for (std::size_t c = 0; c <= r; ++c) entries_[packed(r, c)] = scorer.gram(index(r), index(c));
    grams_ = {order_, scorer.stride_, {entries_, packed(order_, 0)}, scorer.counts_};
    sign_.assign(scorer.stride_, 0.0);
    evidence_.resize(scorer.stride_);
  }

  const FamilyGrams& grams() const { return grams_; }
  std::size_t triangle() const { return packed(order_, 0); }

  /// What is pooled from here on is scored by this prior.
  void set_prior(const RegressionPrior& prior) { prior_ = prior; }

  /// The evidence of each environment on its own.
  void alone(const RegressionPrior& prior, std::span<double> evidence) {
    std::fill(sign_.begin(), sign_.end(), 1.0);
    const std::vector<double> nothing(triangle(), 0.0);
    pool_evidences(grams_, prior, nothing, 0, sign_, evidence);
  }

  double residual_variance_of(std::size_t environment, const RegressionPrior& prior) const {
    std::vector<double> base(triangle());
    for (std::size_t k = 0; k < base.size(); ++k) base[k] = entries_[k][environment];
    return residual_variance(order_, prior, base, scorer_.counts_[environment]);
  }

  // A pool, as PoolSum wants it.
  void clear() {
    std::fill(base_, base_ + triangle(), 0.0);
    count_ = 0;
    inside_.assign(scorer_.environments_, false);
  }
  bool holds(std::size_t e) const { return inside_[e]; }
  void toggle(std::size_t e) {
    const double sign = inside_[e] ? -1 : 1;
    for (std::size_t k = 0; k < triangle(); ++k) base_[k] += sign * entries_[k][e];
    count_ += sign * scorer_.counts_[e];
    inside_[e] = !inside_[e];
  }
  double evidence(std::span<double> toggled) {
    for (std::size_t e = 0; e < scorer_.environments_; ++e) sign_[e] = inside_[e] ? -1 : 1;
    std::fill(sign_.begin() + std::ptrdiff_t(scorer_.environments_), sign_.end(), 0.0);
    pool_evidences(grams_, prior_, {base_, triangle()}, count_, sign_, evidence_);
    std::copy_n(evidence_.begin(), toggled.size(), toggled.begin());
    return evidence_[scorer_.environments_];
  }

 private:
  const LinearFamilyScorer& scorer_;
  std::size_t order_;
  FamilyGrams grams_;
  RegressionPrior prior_;
  const double* entries_[packed(largest_order, 0)];
  double base_[packed(largest_order, 0)];
  double count_ = 0;
  std::vector<bool> inside_;
  std::vector<double> sign_, evidence_;
};

LinearFamilyScorer::LinearFamilyScorer(const Dataset& data, LinearScoreOptions options)
    : variables_(data.variables.size()),
      environments_(data.environments.size()),
      stride_(padded_environments(environments_)),
      reference_(largest_environment(data)),
      options_(std::move(options)) {
  if (options_.change_probability == 0)
    options_.change_probability = 1 / double(std::max<std::size_t>(2, variables_));
  counts_.assign(stride_, 0.0);
  for (std::size_t e = 0; e < environments_; ++e) counts_[e] = double(data.environments[e].rows());

  std::vector<Place> places;
  for (std::size_t v = 0; v < variables_; ++v) places.push_back(place_of(data, v, reference_));
  grams_.assign(packed(variables_ + 1, 0) * stride_, 0.0);
  std::vector<double> z(variables_ + 1, 1.0);
  for (std::size_t e = 0; e < environments_; ++e)
    for (std::size_t n = data.environments[e].begin; n < data.environments[e].end; ++n) {
      for (std::size_t v = 0; v < variables_; ++v)
        z[v + 1] = (data.columns[v].values[n] - places[v].centre) / places[v].spread;
      for (std::size_t r = 0; r <= variables_; ++r)
        for (std::size_t c = 0; c <= r; ++c) grams_[packed(r, c) * stride_ + e] += z[r] * z[c];
    }
  tabulate_hard_changes();
}

LinearFamilyScorer LinearFamilyScorer::with_scale(double scale) const {
  LinearFamilyScorer other = *this;
  other.options_.scale = scale;
  other.tabulate_hard_changes();
  return other;
}

void LinearFamilyScorer::tabulate_hard_changes() {
  // In the units of the whole column: how it spreads when it is cut off says nothing of the scale.
  const RegressionPrior prior{options_.hard_mean_weight, 1, 1.5, options_.hard_scale / 2};
  hard_.resize(variables_ * stride_);
  for (std::size_t v = 0; v < variables_; ++v)
    Family(*this, v, {}).alone(prior, {&hard_[v * stride_], stride_});
}

/// The noise of a changed mechanism is of the order of what it was in the reference environment,
/// not of the order of the prior: ten rows could not tell the two apart.
LinearFamilyScorer::Priors LinearFamilyScorer::priors(const Family& family,
                                                      std::size_t parents) const {
  const double t = options_.scale, weight = options_.mean_weight, p = double(parents);
  const RegressionPrior equivalent{weight, t, (3 + p) / 2, t / 2};
  const double variance = family.residual_variance_of(reference_, equivalent);
  return {equivalent, {weight, t, 2, 2 * variance}, {weight, t, (3 + p) / 2, 1.5 * variance}};
}

double LinearFamilyScorer::summed(std::size_t child, std::span<const std::size_t> parents,
                                  const EnvironmentRegime& regime, std::size_t left_out,
                                  std::span<double> probability) const {
  using Freedom = PoolChoice::Freedom;
  Family family(*this, child, parents);
  const Priors prior = priors(family, parents.size());
  const double pi = options_.change_probability;
  const double log_hard = portable_log(pi * options_.hard_share);
  const double log_soft = portable_log(pi * (1 - options_.hard_share));
  const bool any_all = std::any_of(regime.states.begin(), regime.states.end(),
                                   [](auto state) { return state == EnvironmentState::all_soft; });
  std::vector<double> soft(stride_), redrawn(stride_);
  if (!regime.quiet) family.alone(prior.changed, soft);
  if (any_all) family.alone(prior.redrawn, redrawn);
  std::vector<PoolChoice> choices(environments_);
  for (std::size_t e = 0; e < environments_; ++e) {
    PoolChoice& choice = choices[e];
    const double hard = hard_[child * stride_ + e];
    choice.log_pooled = regime.quiet ? 0 : std::log1p(-pi);
    choice.log_apart = log_add_exp(log_hard + hard, log_soft + soft[e]);
    const KnownChange known =
        options_.known.empty() ? KnownChange::unknown : options_.known[child * environments_ + e];
    if (regime.quiet) {
      choice.freedom = Freedom::pooled;
    } else if (regime.states[e] == EnvironmentState::all_soft) {
      choice = {Freedom::apart, 0, redrawn[e]};
    } else if (regime.states[e] == EnvironmentState::all_hard) {
      choice = {Freedom::apart, 0, hard};
    } else if (known != KnownChange::unknown) {
      choice.freedom = known == KnownChange::changed ? Freedom::apart : Freedom::pooled;
      choice.log_pooled = 0;
      choice.log_apart -= portable_log(pi);
    }
    if (e == left_out) choice = {Freedom::apart, 0, 0};
  }
  family.set_prior(prior.equivalent);
  family.clear();
  return PoolSum<Family>(family, choices, reference_).log_sum(probability);
}

double LinearFamilyScorer::log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                                       std::size_t environment, EnvironmentState state) const {
  if (state == EnvironmentState::all_hard) return hard_[child * stride_ + environment];
  Family family(*this, child, parents);
  std::vector<double> evidence(stride_);
  family.alone(priors(family, parents.size()).redrawn, evidence);
  return evidence[environment];
}

double LinearFamilyScorer::log_score(std::size_t child, std::span<const std::size_t> parents,
                                     const EnvironmentRegime& regime) const {
  return summed(child, parents, regime, nobody, {});
}

double LinearFamilyScorer::log_score_without(std::size_t child,
                                             std::span<const std::size_t> parents,
                                             const EnvironmentRegime& regime,
                                             std::size_t left_out) const {
  return summed(child, parents, regime, left_out, {});
}

void LinearFamilyScorer::changed(std::size_t child, std::span<const std::size_t> parents,
                                 const EnvironmentRegime& regime,
                                 std::span<double> probability) const {
  summed(child, parents, regime, nobody, probability);
}

}  // namespace whence
