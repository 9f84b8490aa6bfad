#include "whence/discover/direction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/canonical_pair.hpp"
#include "whence/discover/gaussian_check.hpp"
#include "whence/discover/no_shift_control.hpp"
#include "whence/discover/pair_beliefs.hpp"
#include "whence/discover/pair_models.hpp"
#include "whence/discover/safe_units.hpp"
#include "whence/discover/verdict.hpp"
#include "whence/evidence/label_evidence.hpp"

namespace whence {

std::string_view name_of(DirectionModel model) {
  constexpr std::array<std::string_view, 4> names = {"auto", "categorical", "gaussian", "labels"};
  return names[std::size_t(model)];
}

namespace {

using Kind = Variable::Kind;

/// What one structure makes of all environments.
struct StructureScore {
  double log_evidence = 0;
  std::vector<double> steps;  // what each environment adds; their sum is all the evidence
  std::vector<double> after;  // log-evidence of the environments up to and with each
  std::vector<ChangeProbabilities> changes;
  double log_dropped = -INFINITY;
};
using Scored = std::array<StructureScore, structures>;

/// After each environment, averaged over hyper-parameters.
std::vector<double> evidence_after(std::span<const PoolingResult> each) {
  std::vector<double> sums(each.size(), 0.0), after;
  for (std::size_t e = 0; e < each[0].steps.size(); ++e) {
    for (std::size_t h = 0; h < each.size(); ++h) sums[h] += each[h].steps[e];
    after.push_back(log_mean_exp(sums));
  }
  return after;
}

/// Averages over hyper-parameters by their evidence, the same ones for every structure.
StructureScore averaged(std::span<const PoolingResult> each) {
  std::vector<double> evidence;
  for (const PoolingResult& r : each) evidence.push_back(r.log_evidence);
  const double total = log_sum_exp(evidence);
  StructureScore score;
  score.log_evidence = total - std::log(double(each.size()));
  score.after = evidence_after(each);
  for (std::size_t e = 0; e < score.after.size(); ++e)
    score.steps.push_back(score.after[e] - (e > 0 ? score.after[e - 1] : 0));
  score.changes.assign(each[0].changes.size(), ChangeProbabilities{});
  for (std::size_t h = 0; h < each.size(); ++h) {
    const double weight = std::exp(evidence[h] - total);
    score.log_dropped = std::max(score.log_dropped, each[h].log_dropped);
    for (std::size_t e = 0; e < score.steps.size(); ++e)
      for (std::size_t k = 0; k < change_kinds; ++k)
        score.changes[e][k] += weight * each[h].changes[e][k];
  }
  return score;
}

/// Environments in the order in which they are taken: a named baseline first.
struct Order {
  std::vector<std::size_t> environments;
  std::optional<std::size_t> baseline;
};

/// Scores of the three structures over a choice of environments, for every one of some priors.
using Scorer = std::function<std::vector<Scored>(const Order&, std::span<const ChangePrior>)>;

/// What was asked for, how the work is watched, and how far it is.
struct Task : DirectionOptions {
  Task(const DirectionOptions& options, const Control& how)
      : DirectionOptions(options), control(how) {
    if (control.threads == 0) control.threads = available_threads();
  }
  Control control;
  std::size_t passes = 1;  // over all environments
  std::shared_ptr<std::size_t> passed = std::make_shared<std::size_t>(0);
};

/// Reports the share of all passes; ends the work where that is wanted.
Progress pulse_of(const Task& task) {
  return [control = task.control, passes = task.passes, passed = task.passed](double share) {
    if (control.stopped())
      throw Error(ExitCode::interrupted, "E-STOPPED", "", "stopped before there was an answer");
    if (control.progress)
      control.progress(std::min(1.0, (double(*passed) + share) / double(passes)));
    if (share >= 1) ++*passed;
  };
}

/// Poolings of one model under each prior, in step, so that they share their pools.
template <class Model>
std::vector<PoolingResult> pool_priors(const Model& model, Structure structure, const Order& order,
                                       std::span<const ChangePrior> priors,
                                       const PoolingLimits& limits) {
  const typename Pooling<Model>::Roots roots(model);
  std::vector<std::array<ChangeRegime, 3>> regimes;
  std::vector<std::size_t> pooling_of;  // priors that differ in their structures alone share one
  for (const ChangePrior& prior : priors) {
    const auto own = prior.regimes(structure);
    const auto known = std::find(regimes.begin(), regimes.end(), own);
    pooling_of.push_back(std::size_t(known - regimes.begin()));
    if (known == regimes.end()) regimes.push_back(own);
  }
  std::vector<Pooling<Model>> poolings;
  for (const auto& own : regimes) poolings.emplace_back(model, own, limits, roots);
  for (std::size_t e : order.environments)
    for (auto& pooling : poolings) pooling.add(e, order.baseline == e);
  std::vector<PoolingResult> results;
  for (std::size_t p : pooling_of) results.push_back(poolings[p].result());
  return results;
}

template <class MakeModel>
std::vector<Scored> pool_structures(const MakeModel& make, std::span<const double> hyper,
                                    const Order& order, std::span<const ChangePrior> priors,
                                    const Task& options) {
  // [structure][hyper-parameter][prior]
  std::vector<std::vector<PoolingResult>> each(structures * hyper.size());
  const auto pool = [&](std::size_t i) {
    const auto structure = Structure(i / hyper.size());
    const auto model = make(structure, hyper[i % hyper.size()]);
    each[i] = pool_priors(model, structure, order, priors, options.limits);
  };
  parallel_for(each.size(), options.control.threads, pool, pulse_of(options));
  std::vector<Scored> scored(priors.size());
  for (std::size_t p = 0; p < priors.size(); ++p)
    for (std::size_t s = 0; s < structures; ++s) {
      std::vector<PoolingResult> of_prior;
      for (std::size_t h = 0; h < hyper.size(); ++h)
        of_prior.push_back(std::move(each[s * hyper.size() + h][p]));
      scored[p][s] = averaged(of_prior);
    }
  return scored;
}

Scorer categorical_scorer(PairCounts tables, const Task& options) {
  auto counts = std::make_shared<PairCounts>(std::move(tables));
  const FamilyCounts& shape = counts->told[0][0].second;
  const auto cell = cell_weights(shape.rows, shape.levels);
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    const auto make = [&](Structure s, double c) { return CategoricalPair(*counts, s, c); };
    return pool_structures(make, cell, order, priors, options);
  };
}

/// Only tables have rows: elsewhere that weight goes to the other changes of the mechanism.
ChangePrior without_rows(ChangePrior prior) {
  const double row = std::exchange(prior.change[std::size_t(Change::row)], 0.0);
  prior.change[std::size_t(Change::mechanism)] += row / 2;
  prior.change[std::size_t(Change::hard)] += row / 2;
  return prior;
}

Scorer gaussian_scorer(const Dataset& data, const Task& options) {
  auto moments = std::make_shared<PairMoments>(PairMoments::of(data));
  const std::vector<double> scales = {0.01, 0.1, 1.0};
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    const auto make = [&](Structure s, double t) { return GaussianPairModel(*moments, s, t); };
    std::vector<ChangePrior> own;
    for (const ChangePrior& prior : priors) own.push_back(without_rows(prior));
    return pool_structures(make, scales, order, own, options);
  };
}

/// One environment's log-likelihoods under a structure, relative to "nothing changed".
std::array<double, change_kinds> label_terms(const LabelEvidence& d, Structure structure) {
  const double first = structure == Structure::backward ? d.v : d.u;
  const double second = structure == Structure::backward ? d.u : d.v;
  std::array<double, change_kinds> terms;
  terms.fill(-INFINITY);
  const bool link = structure != Structure::no_link;
  terms[std::size_t(Change::nothing)] = 0;
  terms[std::size_t(Change::cause)] = first;
  terms[std::size_t(Change::mechanism)] = link ? d.both - first : second;
  terms[std::size_t(Change::both)] = link ? d.both : d.apart;
  return terms;
}

/// A structure over all environments in label evidence: regimes compete, as in Pooling.
StructureScore score_labels(std::span<const LabelEvidence> evidence, Structure structure,
                            const Order& order, const ChangePrior& prior) {
  const auto regimes = prior.regimes(structure);
  std::vector<double> log_weight;
  for (const ChangeRegime& r : regimes) log_weight.push_back(std::log(r.weight));
  // [regime][environment]
  std::vector<std::vector<ChangeProbabilities>> changes(regimes.size());
  StructureScore score;
  double before = log_sum_exp(log_weight);
  for (std::size_t e : order.environments) {
    const auto terms = label_terms(evidence[e], structure);
    for (std::size_t r = 0; r < regimes.size(); ++r) {
      ChangeProbabilities p{};
      p[std::size_t(Change::nothing)] = 1;
      if (order.baseline != e) {
        // Labels cannot tell how a mechanism changed: all its kinds weigh together.
        ChangeProbabilities w = regimes[r].change;
        w[std::size_t(Change::mechanism)] +=
            w[std::size_t(Change::hard)] + w[std::size_t(Change::row)];
        for (std::size_t k = 0; k < change_kinds; ++k) p[k] = std::log(w[k]) + terms[k];
        const double total = log_sum_exp(p);
        for (double& x : p) x = std::exp(x - total);
        log_weight[r] += total;
      }
      changes[r].push_back(p);
    }
    const double after = log_sum_exp(log_weight);
    score.steps.push_back(after - before);
    score.after.push_back(after);
    before = after;
  }
  score.log_evidence = before;
  score.changes.assign(order.environments.size(), ChangeProbabilities{});
  for (std::size_t r = 0; r < regimes.size(); ++r)
    for (std::size_t i = 0; i < score.changes.size(); ++i)
      for (std::size_t k = 0; k < change_kinds; ++k)
        score.changes[i][k] += std::exp(log_weight[r] - before) * changes[r][i][k];
  return score;
}

Scorer label_scorer(const Dataset& data, const Task& options) {
  const auto baseline = options.baseline;
  const std::size_t n = data.environments.size();
  const std::size_t memory = options.max_memory / std::size_t(std::max(options.control.threads, 1));
  auto evidence = std::make_shared<std::vector<LabelEvidence>>(n);
  const auto weigh = [&](std::size_t e) {
    if (baseline == e) return;
    std::vector<std::size_t> reference;
    for (std::size_t other = 0; other < n; ++other)
      if (baseline ? *baseline == other : other != e) reference.push_back(other);
    (*evidence)[e] = label_evidence(data, e, reference, memory);
  };
  parallel_for(n, options.control.threads, weigh, pulse_of(options));
  const double dependence = dependence_evidence(data);
  return [=](const Order& order, std::span<const ChangePrior> priors) {
    std::vector<Scored> scored(priors.size());
    for (std::size_t p = 0; p < priors.size(); ++p)
      for (std::size_t s = 0; s < structures; ++s) {
        scored[p][s] = score_labels(*evidence, Structure(s), order, priors[p]);
        if (Structure(s) == Structure::no_link) continue;
        scored[p][s].log_evidence += dependence;
        for (double& after : scored[p][s].after) after += dependence;
      }
    return scored;
  };
}

std::array<double, structures> posterior(const std::array<double, structures>& log_evidence,
                                         const ChangePrior& prior) {
  std::array<double, structures> log_p;
  for (std::size_t s = 0; s < structures; ++s)
    log_p[s] = std::log(prior.structure[s]) + log_evidence[s];
  const double total = log_sum_exp(log_p);
  for (double& p : log_p) p = std::exp(p - total);
  return log_p;
}

std::array<double, structures> posterior(const Scored& scored, const ChangePrior& prior) {
  return posterior({scored[0].log_evidence, scored[1].log_evidence, scored[2].log_evidence}, prior);
}

/// The belief before any environment, and after each.
std::vector<std::array<double, structures>> path_of(const Scored& scored,
                                                    const ChangePrior& prior) {
  std::vector<std::array<double, structures>> path = {prior.structure};
  for (std::size_t e = 0; e < scored[0].after.size(); ++e)
    path.push_back(posterior({scored[0].after[e], scored[1].after[e], scored[2].after[e]}, prior));
  return path;
}

/// The documented alternatives that a belief is tried under.
std::vector<PriorSensitivity> alternative_priors(const ChangePrior& base) {
  std::vector<PriorSensitivity> list;
  const auto add = [&](const char* name, const auto& change) {
    PriorSensitivity s{name, base, {}};
    change(s.prior);
    list.push_back(std::move(s));
  };
  add("single changes are the rule", [](ChangePrior& p) { p.quiet = p.turbulent = 0.05; });
  add("most environments are alike", [](ChangePrior& p) { p.quiet = 0.6; });
  add("most environments change altogether", [](ChangePrior& p) { p.turbulent = 0.6; });
  add("a link is nearly certain", [](ChangePrior& p) { p.structure = {0.45, 0.45, 0.1}; });
  return list;
}

void check_shape(const Dataset& data) {
  if (data.variables.size() != 2)
    throw Error(ExitCode::usage, "E-DATA-COLUMNS", "", "a direction needs exactly two variables",
                "choose two of its columns");
  if (data.environments.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "",
                "there is only one environment: without a shift no direction can be found",
                "give at least one shifted data set, or a column that tells environments apart");
}

/// The model that fits the columns, and why.
std::pair<DirectionModel, std::string> choose_model(const Dataset& data, DirectionModel wanted) {
  const bool all_categorical =
      std::all_of(data.variables.begin(), data.variables.end(),
                  [](const Variable& v) { return v.kind == Kind::categorical; });
  const bool all_real = std::all_of(data.variables.begin(), data.variables.end(),
                                    [](const Variable& v) { return v.kind == Kind::real; });
  const auto refuse = [](const char* model, const char* need) {
    throw Error(ExitCode::bad_config, "E-MODEL-KIND", "",
                fmt::format("the model '{}' needs {} columns", model, need),
                "let the model be chosen, or change the kinds of the columns");
  };
  if (wanted == DirectionModel::categorical && !all_categorical)
    refuse("categorical", "categorical");
  if (wanted == DirectionModel::gaussian && !all_real) refuse("gaussian", "real");
  if (wanted != DirectionModel::automatic) return {wanted, "as asked"};
  if (all_categorical)
    return {DirectionModel::categorical, "both columns are categorical: Dirichlet tables"};
  if (!all_real)
    return {DirectionModel::labels,
            "one column is categorical, the other real: evidence from environment labels"};
  const GaussianCheck check = check_gaussian(data);
  if (check.passes)
    return {DirectionModel::gaussian, "both columns look linear and Gaussian within environments"};
  return {DirectionModel::labels, check.reason +
                                      ": evidence from environment labels, which assumes "
                                      "no density"};
}

void mirror(DirectionResult& result) {
  std::swap(result.variables[0], result.variables[1]);
  std::swap(result.belief[0], result.belief[1]);
  std::swap(result.verdict.from, result.verdict.to);
  // Nothing less something: there is no zero with a sign.
  result.shift_log_odds = 0 - result.shift_log_odds;
  for (EnvironmentFinding& e : result.environments) {
    e.log_odds = 0 - e.log_odds;
    std::swap(e.changed[0], e.changed[1]);
  }
  std::swap(result.leave_one_out, result.leave_one_out_mirrored);
  for (auto& belief : result.path) std::swap(belief[0], belief[1]);
  for (PriorSensitivity& s : result.prior_sensitivity) {
    std::swap(s.belief[0], s.belief[1]);
    std::swap(s.prior.structure[0], s.prior.structure[1]);
  }
}

Order order_of(std::size_t environments, std::optional<std::size_t> baseline,
               std::optional<std::size_t> without = {}) {
  Order order;
  order.baseline = baseline;
  if (baseline) order.environments.push_back(*baseline);
  for (std::size_t e = 0; e < environments; ++e)
    if (baseline != e && without != e) order.environments.push_back(e);
  return order;
}

std::vector<EnvironmentFinding> findings(const Dataset& data, const Scored& scored,
                                         const std::array<double, structures>& belief,
                                         const Order& order) {
  std::vector<EnvironmentFinding> found(data.environments.size());
  const auto best = std::size_t(std::max_element(belief.begin(), belief.end()) - belief.begin());
  for (std::size_t i = 0; i < order.environments.size(); ++i) {
    const std::size_t e = order.environments[i];
    EnvironmentFinding& f = found[e];
    f.name = data.environments[e].name;
    f.rows = data.environments[e].rows();
    f.baseline = order.baseline == e;
    f.log_odds = scored[0].steps[i] - scored[1].steps[i];
    f.kind = scored[best].changes[i];
    const auto first = [&](std::size_t s) {
      const auto& c = scored[s].changes[i];
      return c[std::size_t(Change::cause)] + c[std::size_t(Change::both)];
    };
    const auto second = [&](std::size_t s) {
      const auto& c = scored[s].changes[i];
      return c[std::size_t(Change::mechanism)] + c[std::size_t(Change::hard)] +
             c[std::size_t(Change::row)] + c[std::size_t(Change::both)];
    };
    f.changed = {(belief[0] * first(0) + belief[1] * second(1)) + belief[2] * first(2),
                 (belief[1] * first(1) + belief[0] * second(0)) + belief[2] * second(2)};
  }
  return found;
}

/// Whether everything is worked out again without each environment.
bool can_leave_out(std::size_t environments) {
  constexpr std::size_t affordable = 24;
  return environments <= affordable;
}

/// P(X -> Y) and P(Y -> X) over leaving out each environment but the baseline: smallest and
/// largest.
void leave_out(const Scorer& scorer, const Task& options, const NoShiftControl& control,
               DirectionResult& result) {
  const std::size_t n = result.environments.size();
  std::array<double, 2> low = {result.belief[0], result.belief[1]}, high = low;
  std::vector<std::array<double, structures>> beliefs(n, result.belief);
  if (can_leave_out(n)) {
    for (std::size_t e = 0; e < n; ++e) {
      if (options.baseline == e || n <= 2) continue;
      const Order order = order_of(n, options.baseline, e);
      beliefs[e] = control.left_of(posterior(scorer(order, {&options.prior, 1})[0], options.prior),
                                   options.prior);
    }
  } else {
    // Many environments: take each one's own contribution away instead of starting again.
    for (std::size_t e = 0; e < n; ++e)
      beliefs[e] = without_contribution(result.belief, result.environments[e].log_odds);
    result.warnings.push_back(
        "many environments: the range over leaving one out is approximate (contributions are "
        "subtracted instead of starting again)");
  }
  for (const auto& belief : beliefs)
    for (std::size_t s = 0; s < 2; ++s) {
      low[s] = std::min(low[s], belief[s]);
      high[s] = std::max(high[s], belief[s]);
    }
  result.leave_one_out = {low[0], high[0]};
  result.leave_one_out_mirrored = {low[1], high[1]};
}

/// Tables with few rows for their size may prefer a direction although nothing shifts: what a new
/// table looks like is guessed, and the guess may suit one side. Where a direction would be
/// decided, the same rows without any shift are asked, too.
NoShiftControl control_tables(const Dataset& data, const Task& options, const Order& order,
                              const DirectionResult& result) {
  if (std::max(result.belief[0], result.belief[1]) <= decided_belief) return {};
  const std::vector<FamilyCounts> tables = joint_counts(data);
  if (!few_rows(tables)) return {};
  return deal_out(tables, result.shift_log_odds, [&](const std::vector<FamilyCounts>& dealt) {
    const Scorer scorer = categorical_scorer(PairCounts::of(dealt), options);
    const Scored scored = scorer(order, {&options.prior, 1})[0];
    return scored[0].log_evidence - scored[1].log_evidence;
  });
}

/// Evidence that exists without a shift is taken off everything that was said with it.
void apply(const NoShiftControl& control, const ChangePrior& prior, DirectionResult& result) {
  if (control.deals == 0) return;
  const double found = result.shift_log_odds, left = control.left_of(found);
  result.shift_log_odds = left + 0.0;
  result.belief = control.left_of(result.belief, prior);
  for (auto& belief : result.path) belief = control.left_of(belief, prior);
  for (EnvironmentFinding& e : result.environments) e.log_odds = e.log_odds * (left / found) + 0.0;
  if (!control.counts)
    result.warnings.push_back(fmt::format(
        "few rows for tables of this size: the same rows, dealt out to the environments at random, "
        "prefer a direction by as much ({:.1f} nats; {} deals); this evidence was not counted",
        std::abs(found), control.deals));
  else if (std::abs(found - left) >= 1)
    result.warnings.push_back(
        fmt::format("few rows for tables of this size: the same rows, dealt out to the "
                    "environments at random, prefer a direction by {:.1f} nats; that was taken off",
                    std::abs(found - left)));
}

/// How the belief grew, environment by environment as they were given. Its end is the answer, which
/// does not depend on their order.
std::vector<std::array<double, structures>> path_in(const Order& given, const Order& taken,
                                                    const Scorer& scorer, const Scored& scored,
                                                    const Task& options,
                                                    const std::array<double, structures>& end) {
  const bool same = given.environments == taken.environments || !options.sensitivity;
  auto path = path_of(same ? scored : scorer(given, {&options.prior, 1})[0], options.prior);
  path.back() = end;
  return path;
}

DirectionResult find_in_order(const Dataset& data, const Task& options,
                              const std::vector<std::size_t>& as_given) {
  DirectionResult result;
  result.variables = {data.variables[0].name, data.variables[1].name};
  std::tie(result.model, result.model_reason) = choose_model(data, options.model);
  const Scorer scorer =
      result.model == DirectionModel::categorical
          ? categorical_scorer(PairCounts::of(data, options.control.threads), options)
      : result.model == DirectionModel::gaussian ? gaussian_scorer(data, options)
                                                 : label_scorer(data, options);
  const Order order = order_of(data.environments.size(), options.baseline);
  if (options.sensitivity) result.prior_sensitivity = alternative_priors(options.prior);
  std::vector<ChangePrior> priors = {options.prior};
  for (const PriorSensitivity& s : result.prior_sensitivity) priors.push_back(s.prior);
  const std::vector<Scored> by_prior = scorer(order, priors);
  const Scored& scored = by_prior[0];
  result.belief = posterior(scored, options.prior);
  result.path =
      path_in({as_given, options.baseline}, order, scorer, scored, options, result.belief);
  result.environments = findings(data, scored, result.belief, order);
  result.shift_log_odds = scored[0].log_evidence - scored[1].log_evidence;
  const NoShiftControl control = result.model == DirectionModel::categorical
                                     ? control_tables(data, options, order, result)
                                     : NoShiftControl{};
  apply(control, options.prior, result);
  for (const StructureScore& s : scored)
    result.log_dropped = std::max(result.log_dropped, s.log_dropped);
  if (result.log_dropped > std::log(1e-3))
    result.warnings.push_back(
        fmt::format("the sum over what changed was cut short: a share of about {:.1e} was left out",
                    std::exp(std::min(result.log_dropped, 0.0))));
  result.leave_one_out = {result.belief[0], result.belief[0]};
  result.leave_one_out_mirrored = {result.belief[1], result.belief[1]};
  for (std::size_t i = 0; i < result.prior_sensitivity.size(); ++i)
    result.prior_sensitivity[i].belief =
        control.left_of(posterior(by_prior[i + 1], priors[i + 1]), priors[i + 1]);
  if (options.sensitivity) leave_out(scorer, options, control, result);
  result.verdict = judge(result);
  return result;
}

}  // namespace

DirectionResult find_direction(const Dataset& given, const DirectionOptions& options,
                               const Control& control) {
  require_valid(given);
  require_environment(given, options.baseline);
  check_shape(given);
  const std::optional<Dataset> scaled = in_safe_units(given);
  const Dataset& data = scaled ? *scaled : given;
  const CanonicalPair pair = canonical_pair(data, options.baseline);
  Task task(options, control);
  if (options.sensitivity && can_leave_out(data.environments.size()))
    task.passes += data.environments.size();
  task.baseline = pair.baseline;
  if (pair.swapped) std::swap(task.prior.structure[0], task.prior.structure[1]);
  DirectionResult result = find_in_order(pair.data, task, pair.as_given());
  if (pair.swapped) mirror(result);
  std::vector<EnvironmentFinding> environments(result.environments.size());
  for (std::size_t e = 0; e < environments.size(); ++e)
    environments[pair.given_as[e]] = std::move(result.environments[e]);
  result.environments = std::move(environments);
  if (result.verdict.confounded) result.warnings.push_back(confounding_in_words(result));
  result.advice = advise(result);
  return result;
}

std::vector<std::array<double, structures>> beliefs_over(std::span<const FamilyCounts> joint,
                                                         const DirectionOptions& options) {
  const Scorer scorer = categorical_scorer(PairCounts::of(joint), Task(options, {}));
  const Order order = order_of(joint.size(), options.baseline);
  return path_of(scorer(order, {&options.prior, 1})[0], options.prior);
}

}  // namespace whence
