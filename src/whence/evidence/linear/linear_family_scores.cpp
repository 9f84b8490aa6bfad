#include "whence/evidence/linear/linear_family_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "whence/core/error.hpp"
#include "whence/evidence/linear/linear_family_parts.hpp"
#include "whence/math/elementary.hpp"

namespace whence {

using namespace linear_noise;

namespace {

/// The evidence of each environment on its own.
void evidence_alone(const FamilyGrams& grams, const RegressionPrior& prior,
                    std::span<double> evidence) {
  const std::vector<double> sign(grams.stride, 1.0);
  pool_evidences(grams, prior, {no_rows.data(), packed(grams.order, 0)}, 0, sign, evidence);
}

/// The same with Student noise, after some rounds of weighing.
void evidence_alone(StudentFamily& family, const RegressionPrior& prior, int rounds,
                    std::span<double> evidence) {
  using Pace = StudentFamily::Pace;
  const FamilyGrams& grams = family.grams();
  const std::vector<double> sign(grams.stride, 1.0);
  for (int k = 0; k < rounds; ++k)
    family.reweigh(prior, {no_rows.data(), packed(grams.order, 0)}, 0, sign,
                   k + 1 < rounds ? Pace::fast : Pace::steady);
  evidence_alone(grams, prior, evidence);
  for (std::size_t e = 0; e < evidence.size(); ++e) evidence[e] += family.offsets()[e];
}

/// The noise's variance in one environment, on its own.
double variance_in(const FamilyGrams& grams, const RegressionPrior& prior,
                   std::size_t environment) {
  RegressionTriangle own;
  for (std::size_t k = 0; k < packed(grams.order, 0); ++k) own[k] = grams.entries[k][environment];
  return residual_variance(grams.order, prior, {own.data(), packed(grams.order, 0)},
                           grams.counts[environment]);
}

/// into = log(e^into + share e^value), number by number; `into` is empty at first.
void mix(double share, std::span<const double> values, std::vector<double>& into) {
  const double log_share = portable_log(share);
  const bool first = into.empty();
  into.resize(values.size());
  for (std::size_t e = 0; e < values.size(); ++e)
    into[e] = first ? log_share + values[e] : log_add_exp(into[e], log_share + values[e]);
}

}  // namespace

LinearFamilyScorer::LinearFamilyScorer(const Dataset& data, LinearScoreOptions options)
    : LinearFamilyScorer(std::make_shared<const LinearColumns>(data, options.robust), options) {}

LinearFamilyScorer::LinearFamilyScorer(std::shared_ptr<const LinearColumns> columns,
                                       LinearScoreOptions options)
    : columns_(std::move(columns)),
      variables_(columns_->variables),
      environments_(columns_->environments),
      stride_(columns_->stride),
      reference_(columns_->reference),
      options_(std::move(options)) {
  if (options_.change_probability == 0)
    options_.change_probability = 1 / double(std::max<std::size_t>(2, variables_));
  tabulate_hard_changes();
}

LinearFamilyScorer::LinearFamilyScorer(const LinearFamilyScorer& other, double scale,
                                       std::vector<char> plain)
    : LinearFamilyScorer(other) {
  options_.scale = scale;
  options_.plain = std::move(plain);
}

void LinearFamilyScorer::tabulate_hard_changes() {
  // In the units of the whole column: how it spreads when it is cut off says nothing of the scale.
  const std::size_t kinds = options_.robust ? std::size(noises) : 1;
  constexpr int rounds = 6;
  hard_.resize(kinds * variables_ * stride_);
  hard_each_.clear();
  for (std::size_t v = 0; v < variables_; ++v) {
    const Family family(*this, v, {});
    const ColumnUnit& unit = columns_->units[v];
    const double spread = unit.spread / unit.unit;
    const RegressionPrior prior{options_.hard_mean_weight, 1, 1.5,
                                options_.hard_scale * spread * spread / 2};
    std::vector<double> each;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const std::span<double> own(&hard_[(kind * variables_ + v) * stride_], stride_);
      if (kind == gaussian) {
        evidence_alone(family.grams(), prior, own);
      } else {
        StudentFamily student(columns_->rows, family.columns(), family.grams());
        student.set_freedom(noises[kind].freedom);
        evidence_alone(student, prior, rounds, own);
      }
      mix(options_.robust ? noises[kind].share : 1, own, each);
    }
    hard_each_.insert(hard_each_.end(), each.begin(), each.end());
  }
}

RegressionPrior LinearFamilyScorer::equivalent_prior(std::size_t parents, double t) const {
  return {options_.mean_weight, t, (3 + double(parents)) / 2, t / 2};
}

RegressionPrior LinearFamilyScorer::equivalent_prior(std::size_t parents) const {
  return equivalent_prior(parents, options_.scale);
}

/// The noise of one changed mechanism is of the order of what it was elsewhere, not of the order of
/// the prior: ten rows could not distinguish the two. Where everything was redrawn, no graph of a
/// Markov class may gain by that: there the columns' units give the order of the noise.
LinearFamilyScorer::Priors LinearFamilyScorer::priors(std::size_t parents, double variance) const {
  const RegressionPrior equivalent = equivalent_prior(parents);
  RegressionPrior changed = equivalent;
  changed.shape = 2;
  changed.rate = 2 * variance;
  return {equivalent, changed, equivalent_prior(parents, options_.redrawn_scale)};
}

double LinearFamilyScorer::reference_variance(const Family& family) const {
  return variance_in(family.grams(), equivalent_prior(family.parents()), reference_);
}

/// The evidence of each environment for a mechanism of its own, where everything changed: each of
/// them has noise of its own kind.
std::vector<double> LinearFamilyScorer::redrawn(const Family& family, bool tails) const {
  const RegressionPrior prior = equivalent_prior(family.parents(), options_.redrawn_scale);
  std::vector<double> own(stride_), each;
  evidence_alone(family.grams(), prior, own);
  if (!robust_for(family.child()) || !tails) return own;
  mix(noises[gaussian].share, own, each);
  StudentFamily student(columns_->rows, family.columns(), family.grams());
  constexpr int rounds = 4;
  for (std::size_t kind = gaussian + 1; kind < std::size(noises); ++kind) {
    student.set_freedom(noises[kind].freedom);
    evidence_alone(student, prior, rounds, own);
    mix(noises[kind].share, own, each);
  }
  return each;
}

std::vector<PoolChoice> LinearFamilyScorer::choices(const Question& question, std::size_t kind,
                                                    std::span<const double> soft) const {
  using Freedom = PoolChoice::Freedom;
  const std::size_t child = question.family.child();
  const EnvironmentRegime& regime = question.regime;
  const double pi = options_.change_probability;
  const double log_hard = portable_log(pi * options_.hard_share);
  const double log_soft = portable_log(pi * (1 - options_.hard_share));
  std::vector<PoolChoice> choices(environments_);
  for (std::size_t e = 0; e < environments_; ++e) {
    PoolChoice& choice = choices[e];
    choice.log_pooled = regime.quiet ? 0 : std::log1p(-pi);
    choice.log_apart = log_add_exp(log_hard + hard(kind, child)[e], log_soft + soft[e]);
    const KnownChange known =
        options_.known.empty() ? KnownChange::unknown : options_.known[child * environments_ + e];
    if (regime.states[e] == EnvironmentState::all_soft) {
      choice = {Freedom::apart, 0, question.redrawn[e]};
    } else if (regime.states[e] == EnvironmentState::all_hard) {
      choice = {Freedom::apart, 0, hard_each_[child * stride_ + e]};
    } else if (regime.quiet) {
      choice.freedom = Freedom::pooled;
    } else if (known != KnownChange::unknown) {
      choice.freedom = known == KnownChange::changed ? Freedom::apart : Freedom::pooled;
      choice.log_pooled = 0;
      choice.log_apart -= portable_log(pi);
    }
    if (e == question.left_out) choice = {Freedom::apart, 0, 0};
  }
  return choices;
}

LinearFamilyScorer::Summed LinearFamilyScorer::gaussian_sum(const Question& question) const {
  const Family& family = question.family;
  const Priors prior = priors(family.parents(), reference_variance(family));
  std::vector<double> soft(stride_);
  if (!question.regime.quiet) evidence_alone(family.grams(), prior.changed, soft);
  Summed result;
  result.choices = choices(question, gaussian, soft);
  result.soft = soft;
  if (question.wants_changes) result.log_changed.resize(environments_);
  RegressionPool pool(family.grams(), environments_, prior.equivalent);
  PoolSum<RegressionPool> sum(pool, result.choices, reference_);
  result.log_sum = sum.log_sum(result.log_changed);
  result.unchanged = sum.likeliest();
  return result;
}

void weigh_rows(StudentFamily& family, RegressionPool& pool, const RegressionPrior& prior,
                const std::vector<bool>& unchanged, int times) {
  std::vector<double> sign(family.grams().stride, 0.0);
  for (std::size_t e = 0; e < unchanged.size(); ++e) sign[e] = unchanged[e] ? 0 : 1;
  for (int k = 0; k < times; ++k) {
    pool.fill(unchanged);
    family.reweigh(prior, pool.gram(), pool.count(), sign,
                   k + 1 < times ? StudentFamily::Pace::fast : StudentFamily::Pace::steady);
  }
  pool.fill(unchanged);
}

/// Sums over changes with Student noise, starting from the environments that Gaussian noise left
/// unchanged.
class LinearFamilyScorer::StudentSum {
 public:
  StudentSum(const LinearFamilyScorer& scorer, const Question& question)
      : scorer_(scorer),
        question_(question),
        prior_(scorer.equivalent_prior(question.family.parents())),
        shared_(scorer.columns_->rows, question.family.columns(), question.family.grams()),
        pool_(shared_.grams(), scorer.environments_, prior_, shared_.offsets()) {}

  /// The kinds of noise that explain about as much as any; none if a few rounds show that the
  /// Gaussian explains far more.
  std::vector<std::pair<std::size_t, Summed>> parts(const Summed& plain) {
    std::vector<std::pair<std::size_t, Summed>> result;
    unchanged_ = plain.unchanged;
    std::vector<double> promised = {plain.log_sum - hopeless};
    for (std::size_t kind = gaussian + 1; kind < std::size(noises); ++kind) {
      weigh(kind, kind == gaussian + 1 ? trial_rounds : 1);
      promised.push_back(promise(plain));
      if (promised[kind] < promised[kind - 1] - (kind == gaussian + 1 ? 0 : outclassed)) break;
    }
    if (promised[gaussian + 1] < promised[gaussian]) return result;
    const double best = *std::max_element(promised.begin() + 1, promised.end());
    for (std::size_t kind = promised.size() - 1; kind > gaussian; --kind)
      if (promised[kind] > best - outclassed) result.emplace_back(kind, with(kind));
    return result;
  }

 private:
  static constexpr int trial_rounds = 2, rounds = 4, own_rounds = 3, refits = 3;
  static constexpr double hopeless = 3, outclassed = 6;  // nats

  Summed with(std::size_t kind) {
    weigh(kind, rounds);
    const std::vector<double> soft = changed_evidence(kind);
    Summed best;
    for (int k = 0; k < refits; ++k) {
      Summed next = sum(kind, soft);
      const bool settled = next.unchanged == unchanged_;
      unchanged_ = next.unchanged;
      if (k == 0 || next.log_sum > best.log_sum) best = std::move(next);
      if (settled) break;
      if (k + 1 < refits) weigh(kind, trial_rounds);
    }
    return best;
  }

  void weigh(std::size_t kind, int times) {
    shared_.set_freedom(noises[kind].freedom);
    weigh_rows(shared_, pool_, prior_, unchanged_, times);
  }

  /// What the sum will be, roughly: environments outside the pool join it where that is better
  /// than what the noise before made of them on their own.
  double promise(const Summed& before) {
    std::vector<double> joined(scorer_.environments_);
    const double evidence = pool_.evidence(joined);
    double sum = evidence;
    for (std::size_t e = 0; e < scorer_.environments_; ++e) {
      const PoolChoice& choice = before.choices[e];
      if (pool_.holds(e))
        sum += choice.log_pooled;
      else if (choice.freedom == PoolChoice::Freedom::free)
        sum += std::max(choice.log_apart, choice.log_pooled + joined[e] - evidence);
      else
        sum += choice.log_apart;
    }
    return sum;
  }

  std::vector<double> changed_evidence(std::size_t kind) {
    std::vector<double> soft(scorer_.stride_);
    if (question_.regime.quiet) return soft;
    const Family& family = question_.family;
    StudentFamily own(scorer_.columns_->rows, family.columns(), family.grams());
    own.set_freedom(noises[kind].freedom);
    const double variance = pool_.noise_variance();
    evidence_alone(own, scorer_.priors(family.parents(), variance).changed, own_rounds, soft);
    return soft;
  }

  Summed sum(std::size_t kind, std::span<const double> soft) {
    Summed result;
    result.choices = scorer_.choices(question_, kind, soft);
    result.soft.assign(soft.begin(), soft.end());
    if (question_.wants_changes) result.log_changed.resize(scorer_.environments_);
    PoolSum<RegressionPool> sum(pool_, result.choices, scorer_.reference_);
    sum.start_from(unchanged_);
    result.log_sum = sum.log_sum(result.log_changed);
    result.unchanged = sum.likeliest();
    return result;
  }

  const LinearFamilyScorer& scorer_;
  const Question& question_;
  RegressionPrior prior_;
  StudentFamily shared_;
  RegressionPool pool_;
  std::vector<bool> unchanged_;
};

LinearFamilyScorer::Mixture LinearFamilyScorer::mixture(const Question& question) const {
  Mixture result;
  const auto add = [&](std::size_t kind, Summed summed) {
    const double share = options_.robust ? portable_log(noises[kind].share) : 0;
    const double log_weight = share + summed.log_sum;
    result.parts.push_back({kind, std::move(summed), log_weight});
  };
  Summed plain = gaussian_sum(question);
  if (robust_for(question.family.child()))
    for (auto& [kind, part] : StudentSum(*this, question).parts(plain)) add(kind, std::move(part));
  add(gaussian, std::move(plain));
  std::vector<double> weights;
  for (const Mixture::Part& part : result.parts) weights.push_back(part.log_weight);
  result.log_sum = log_sum_exp(weights);
  return result;
}

LinearFamilyScorer::Question LinearFamilyScorer::question(const Family& family,
                                                          const EnvironmentRegime& regime,
                                                          std::size_t left_out,
                                                          bool wants_changes) const {
  const bool any = std::any_of(regime.states.begin(), regime.states.end(),
                               [](auto state) { return state == EnvironmentState::all_soft; });
  return {family, regime, left_out, any ? redrawn(family) : std::vector<double>(), wants_changes};
}

double LinearFamilyScorer::summed(std::size_t child, std::span<const std::size_t> parents,
                                  const EnvironmentRegime& regime, std::size_t left_out,
                                  std::span<double> probability) const {
  const Family family(*this, child, parents);
  const Mixture mixed = mixture(question(family, regime, left_out, !probability.empty()));
  for (std::size_t e = 0; e < probability.size(); ++e)
    probability[e] = std::exp(mixed.log_mean([&](const Summed& s) { return s.log_changed[e]; }));
  return mixed.log_sum;
}

/// By Bayes: P(data, e changed) = P(other data) x prior of a change x P(e on its own), and all but
/// the first factor are known.
bool LinearFamilyScorer::estimate_redrawn(std::size_t child, std::span<const std::size_t> parents,
                                          const EnvironmentRegime& regime, std::span<double> soft,
                                          std::span<double> hard) const {
  const Family family(*this, child, parents);
  const Question question = this->question(family, regime, no_environment, true);
  const Mixture mixed = mixture(question);
  // Where no tail was seen in the whole, none is looked for in the parts.
  const bool tails = mixed.parts.size() > 1;
  const std::vector<double> own =
      question.redrawn.empty() ? redrawn(family, tails) : question.redrawn;
  for (std::size_t e = 0; e < environments_; ++e) {
    const double others =
        mixed.log_mean([&](const Summed& s) { return s.log_changed[e] - s.choices[e].log_apart; });
    const bool known = !std::isfinite(others) || regime.states[e] != EnvironmentState::sparse;
    soft[e] = known ? std::nan("") : others + own[e];
    hard[e] = known ? std::nan("") : others + hard_each_[child * stride_ + e];
  }
  return true;
}

bool LinearFamilyScorer::has_tails(std::size_t child, std::span<const std::size_t> parents,
                                   const EnvironmentRegime& regime) const {
  const Family family(*this, child, parents);
  return mixture(question(family, regime, no_environment, false)).parts.size() > 1;
}

double LinearFamilyScorer::log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                                       std::size_t environment, EnvironmentState state) const {
  if (state == EnvironmentState::all_hard) return hard_each_[child * stride_ + environment];
  return redrawn(Family(*this, child, parents))[environment];
}

double LinearFamilyScorer::log_score(std::size_t child, std::span<const std::size_t> parents,
                                     const EnvironmentRegime& regime) const {
  return summed(child, parents, regime, no_environment, {});
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
  summed(child, parents, regime, no_environment, probability);
}

}  // namespace whence
