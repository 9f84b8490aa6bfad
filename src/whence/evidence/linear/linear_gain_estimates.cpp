// What each variable would add as a parent of a linear family, from one look at all of them.
//
// The family's own sum shows which environments are pooled and which rows weigh little. With that
// kept, a candidate is one more column of a factorisation that is already there: its evidence for
// the pool, for the pool with each environment in or out, and for each environment alone.
#include <algorithm>
#include <cmath>
#include <memory>

#include "whence/evidence/linear/linear_family_parts.hpp"
#include "whence/math/elementary.hpp"

namespace whence {

using namespace linear_noise;

/// Estimates with noise of one kind.
class LinearFamilyScorer::GainEstimates {
 public:
  GainEstimates(const LinearFamilyScorer& scorer, const Question& question,
                std::span<const std::size_t> candidates, const Mixture::Part& part)
      : scorer_(scorer),
        question_(question),
        part_(part),
        order_(question.family.grams().order),
        stride_(scorer.stride_),
        prior_(scorer.equivalent_prior(question.family.parents())),
        larger_prior_(scorer.equivalent_prior(question.family.parents() + 1)),
        candidates_(candidates.size()),
        sign_(scorer.stride_, 0.0) {
    part.kind == gaussian ? take_plain(candidates) : take_weighted(candidates);
    pool_ = std::make_unique<RegressionPool>(*grams_, scorer.environments_, prior_);
    pool_->fill(part.summed.unchanged);
    describe_environments();
  }

  /// Of each candidate.
  std::vector<double> gains() const {
    std::vector<double> toggled(stride_), result(candidates_);
    pool_evidences(*grams_, prior_, pool_->gram(), pool_->count(), sign_, toggled);
    const double before = mass(toggled, own_evidence());

    const std::vector<double> bases = sums_over_pool();
    const std::vector<CandidateGrams> larger = with_bases(bases);
    toggled.resize(candidates_ * stride_);
    candidate_evidences(*grams_, larger_prior_, larger, pool_->gram(), pool_->count(), sign_,
                        toggled);
    const std::vector<double> alone = own_evidence_with(larger);
    for (std::size_t k = 0; k < candidates_; ++k)
      result[k] = mass({&toggled[k * stride_], stride_}, {&alone[k * stride_], stride_}) - before;
    return result;
  }

 private:
  void take_plain(std::span<const std::size_t> candidates) {
    grams_ = &question_.family.grams();
    for (std::size_t v : candidates) {
      for (std::size_t column : question_.family.columns())
        entries_.push_back(scorer_.gram(1 + v, column));
      entries_.push_back(scorer_.gram(1 + v, 1 + v));
    }
  }

  /// The same with rows weighed as the family has them without any candidate.
  void take_weighted(std::span<const std::size_t> candidates) {
    constexpr int rounds = 4;
    student_ = std::make_unique<StudentFamily>(scorer_.columns_->rows, question_.family.columns(),
                                               question_.family.grams());
    student_->set_freedom(noises[part_.kind].freedom);
    grams_ = &student_->grams();
    RegressionPool pool(*grams_, scorer_.environments_, prior_);
    weigh_rows(*student_, pool, prior_, part_.summed.unchanged, rounds);
    const std::size_t size = (order_ + 1) * stride_;
    weighted_.resize(candidates.size() * size);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      student_->column_products(1 + candidates[k], {&weighted_[k * size], size});
      for (std::size_t c = 0; c <= order_; ++c)
        entries_.push_back(&weighted_[k * size + c * stride_]);
    }
  }

  /// The choices of the family's own sum, as look_terms takes them.
  void describe_environments() {
    constexpr double never = -1e30;
    using Freedom = PoolChoice::Freedom;
    const LinearScoreOptions& options = scorer_.options_;
    const double pi = options.change_probability;
    const double log_hard = portable_log(pi * options.hard_share);
    const double log_soft = portable_log(pi * (1 - options.hard_share));
    for (auto* list :
         {&look_.log_pooled, &look_.log_soft, &look_.inside, &look_.free, &look_.apart})
      list->assign(stride_, 0.0);
    look_.log_hard.assign(stride_, never);
    const double* hard = scorer_.hard(part_.kind, question_.family.child());
    for (std::size_t e = 0; e < scorer_.environments_; ++e) {
      const PoolChoice& choice = part_.summed.choices[e];
      const EnvironmentState state = question_.regime.states[e];
      look_.inside[e] = pool_->holds(e) ? 1 : 0;
      sign_[e] = pool_->holds(e) ? -1 : 1;
      look_.free[e] = choice.freedom == Freedom::free ? 1 : 0;
      look_.apart[e] =
          choice.freedom == Freedom::apart && state != EnvironmentState::all_hard ? 1 : 0;
      look_.log_pooled[e] = choice.log_pooled + (student_ ? student_->offsets()[e] : 0);
      if (state != EnvironmentState::sparse) continue;
      look_.log_hard[e] = log_hard + hard[e];
      look_.log_soft[e] = log_soft;
    }
  }

  /// The family's sum if its environments toggle one by one.
  double mass(std::span<const double> toggled, std::span<const double> alone) const {
    std::vector<double> terms(stride_);
    look_terms(look_, toggled, scorer_.environments_, alone, terms);
    double sum = toggled[scorer_.environments_];
    for (std::size_t e = 0; e < scorer_.environments_; ++e) sum += terms[e];
    return sum;
  }

  bool redrawn(std::size_t e) const {
    return question_.regime.states[e] == EnvironmentState::all_soft;
  }

  /// The evidence of each environment for a mechanism of its own.
  std::vector<double> own_evidence() const {
    std::vector<double> own = part_.summed.soft;
    for (std::size_t e = 0; e < scorer_.environments_; ++e)
      if (redrawn(e)) own[e] = question_.redrawn[e];
    return own;
  }

  std::vector<double> sums_over_pool() const {
    std::vector<double> sums;
    for (const double* entry : entries_) {
      double sum = 0;
      for (std::size_t e = 0; e < stride_; ++e) sum += look_.inside[e] * entry[e];
      sums.push_back(sum);
    }
    return sums;
  }

  std::vector<CandidateGrams> with_bases(const std::vector<double>& bases) const {
    std::vector<CandidateGrams> result;
    for (std::size_t k = 0; k < entries_.size(); k += order_ + 1)
      result.push_back({std::span(entries_).subspan(k, order_ + 1),
                        std::span(bases).subspan(k, order_ + 1), larger_prior_.rate});
    return result;
  }

  /// The same with each candidate: what it gains where weights stay as they are.
  std::vector<double> own_evidence_with(std::vector<CandidateGrams> larger) const {
    std::vector<double> result(candidates_ * stride_, 0.0);
    if (question_.regime.quiet) return result;
    const std::vector<double> own = own_evidence();
    const double variance =
        student_ ? pool_->noise_variance() : scorer_.reference_variance(question_.family);
    std::vector<double> variances;
    for (const CandidateGrams& one : larger) variances.push_back(variance_with(one));
    const auto fill = [&](RegressionPrior Priors::*law, const auto& wanted) {
      const std::size_t parents = question_.family.parents();
      const std::vector<double> ones(stride_, 1.0), nothing(order_ + 1, 0.0);
      std::vector<double> before(stride_), after(result.size());
      const RegressionTriangle& no_base = no_rows;
      const std::span<const double> base(no_base.data(), packed(order_, 0));
      pool_evidences(*grams_, scorer_.priors(parents, variance).*law, base, 0, ones, before);
      for (std::size_t k = 0; k < larger.size(); ++k) {
        larger[k].base = nothing;
        larger[k].rate = (scorer_.priors(parents + 1, variances[k]).*law).rate;
      }
      candidate_evidences(*grams_, scorer_.priors(parents + 1, variance).*law, larger, base, 0,
                          ones, after);
      for (std::size_t k = 0; k < larger.size(); ++k)
        for (std::size_t e = 0; e < scorer_.environments_; ++e)
          if (wanted(e)) result[k * stride_ + e] = own[e] + after[k * stride_ + e] - before[e];
    };
    fill(&Priors::changed, [&](std::size_t e) { return !redrawn(e); });
    if (!question_.redrawn.empty())
      fill(&Priors::redrawn, [&](std::size_t e) { return redrawn(e); });
    return result;
  }

  /// The noise's variance with one candidate: in the reference where noise is Gaussian, else in the
  /// pool, as the exact sums have it.
  double variance_with(const CandidateGrams& candidate) const {
    const std::size_t last = order_ - 1, at = scorer_.reference_;
    const auto of_family = [&](std::size_t k) {
      return student_ ? pool_->gram()[k] : grams_->entries[k][at];
    };
    const auto of_candidate = [&](std::size_t c) {
      return student_ ? candidate.base[c] : candidate.entries[c][at];
    };
    RegressionTriangle all;
    for (std::size_t k = 0; k < packed(last, 0); ++k) all[k] = of_family(k);
    for (std::size_t c = 0; c < last; ++c) {
      all[packed(last, c)] = of_candidate(c);
      all[packed(last + 1, c)] = of_family(packed(last, c));
    }
    all[packed(last, last)] = of_candidate(order_);
    all[packed(last + 1, last)] = of_candidate(last);
    all[packed(last + 1, last + 1)] = of_family(packed(last, last));
    return residual_variance(order_ + 1, larger_prior_, {all.data(), packed(order_ + 1, 0)},
                             student_ ? pool_->count() : scorer_.columns_->counts[at]);
  }

  const LinearFamilyScorer& scorer_;
  const Question& question_;
  const Mixture::Part& part_;
  std::size_t order_, stride_;
  RegressionPrior prior_, larger_prior_;
  std::size_t candidates_;
  std::unique_ptr<StudentFamily> student_;  // unless noise is Gaussian
  std::vector<double> weighted_;            // [candidate][order + 1][stride]
  const FamilyGrams* grams_ = nullptr;
  std::vector<const double*> entries_;  // [candidate][order + 1]
  std::unique_ptr<RegressionPool> pool_;
  LookTerms look_;
  std::vector<double> sign_;  // joins or leaves, per environment
};

void LinearFamilyScorer::estimate_gains(std::size_t child, std::span<const std::size_t> parents,
                                        const EnvironmentRegime& regime,
                                        std::span<double> gains) const {
  std::vector<std::size_t> others;
  for (std::size_t v = 0; v < variables_; ++v)
    if (v != child) others.push_back(v);
  std::vector<double> found(others.size());
  estimate_gains_of(child, parents, regime, others, found);
  gains[child] = std::nan("");
  for (std::size_t k = 0; k < others.size(); ++k) gains[others[k]] = found[k];
}

void LinearFamilyScorer::estimate_gains_of(std::size_t child, std::span<const std::size_t> parents,
                                           const EnvironmentRegime& regime,
                                           std::span<const std::size_t> asked,
                                           std::span<double> gains) const {
  std::fill(gains.begin(), gains.end(), std::nan(""));
  std::vector<std::size_t> candidates, places;
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (asked[k] != child && std::find(parents.begin(), parents.end(), asked[k]) == parents.end()) {
      candidates.push_back(asked[k]);
      places.push_back(k);
    }
  if (candidates.empty() || parents.size() == most_parents) return;
  const Family family(*this, child, parents);
  const Question question = this->question(family, regime, no_environment, false);
  const Mixture mixed = mixture(question);
  const Mixture::Part& plain = mixed.parts.back();
  const Mixture::Part& best =
      *std::max_element(mixed.parts.begin(), mixed.parts.end(),
                        [](const auto& a, const auto& b) { return a.log_weight < b.log_weight; });
  const bool tails = best.kind != gaussian;
  if (tails && !question.redrawn.empty()) return;  // what was redrawn would need weights of its own
  const std::vector<double> of_plain = GainEstimates(*this, question, candidates, plain).gains();
  const std::vector<double> of_best =
      tails ? GainEstimates(*this, question, candidates, best).gains() : of_plain;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    double& gain = gains[places[k]];
    gain = of_plain[k];
    if (!tails) continue;
    gain = log_add_exp(plain.log_weight + of_plain[k], best.log_weight + of_best[k]) -
           log_add_exp(plain.log_weight, best.log_weight);
  }
}

}  // namespace whence
