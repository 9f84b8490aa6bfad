#include "whence/discover/pair/direction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/check/counted_rows.hpp"
#include "whence/discover/check/once_each.hpp"
#include "whence/discover/check/safe_units.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/discover/limits/selection_doubt.hpp"
#include "whence/discover/pair/canonical_pair.hpp"
#include "whence/discover/pair/extreme_rows.hpp"
#include "whence/discover/pair/gaussian_check.hpp"
#include "whence/discover/pair/no_shift_control.hpp"
#include "whence/discover/pair/pair_beliefs.hpp"
#include "whence/discover/pair/pair_judge.hpp"
#include "whence/discover/pair/pair_models.hpp"
#include "whence/discover/pair/verdict.hpp"
#include "whence/evidence/effective_rows.hpp"
#include "whence/evidence/labels/label_evidence.hpp"
#include "whence/evidence/link_strength.hpp"

namespace whence {

std::string_view name_of(DirectionModel model) {
  constexpr std::array<std::string_view, 4> names = {"auto", "categorical", "gaussian", "labels"};
  return names[std::size_t(model)];
}

namespace {

using Kind = Variable::Kind;

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
  add("a link is nearly certain", [](ChangePrior& p) {
    const double linked = p.structure[0] + p.structure[1];
    if (linked == 0) return;  // neither direction is possible
    for (std::size_t s = 0; s < 2; ++s) p.structure[s] *= 0.9 / linked;
    p.structure[2] = 0.1;
  });
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
std::pair<DirectionModel, Remark> choose_model(const Dataset& data, DirectionModel wanted) {
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
  const auto because = [](RemarkCode why) { return Remark{why, {}, {}, {}}; };
  if (wanted != DirectionModel::automatic) return {wanted, because(RemarkCode::model_as_asked)};
  if (all_categorical)
    return {DirectionModel::categorical, because(RemarkCode::model_all_categorical)};
  if (!all_real) return {DirectionModel::labels, because(RemarkCode::model_several_kinds)};
  const GaussianCheck check = check_gaussian(data);
  return {check.passes ? DirectionModel::gaussian : DirectionModel::labels, check.reason};
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
    // A link tells cause from effect; without one the changes go by the order of the columns.
    if (result.belief[2] > std::max(result.belief[0], result.belief[1]))
      std::swap(e.kind[std::size_t(Change::cause)], e.kind[std::size_t(Change::mechanism)]);
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
                                         const Order& order, std::span<const double> share) {
  std::vector<EnvironmentFinding> found(data.environments.size());
  const auto best = std::size_t(std::max_element(belief.begin(), belief.end()) - belief.begin());
  for (std::size_t i = 0; i < order.environments.size(); ++i) {
    const std::size_t e = order.environments[i];
    EnvironmentFinding& f = found[e];
    f.name = data.environments[e].name;
    f.rows = data.environments[e].rows();
    f.baseline = order.baseline == e;
    f.effective_rows = double(f.rows) * (share.empty() ? 1 : share[e]);
    f.log_odds = scored.structure[0].steps[i] - scored.structure[1].steps[i];
    f.kind = scored.structure[best].changes[i];
    const auto first = [&](std::size_t s) {
      const auto& c = scored.structure[s].changes[i];
      return c[std::size_t(Change::cause)] + c[std::size_t(Change::both)];
    };
    const auto second = [&](std::size_t s) {
      const auto& c = scored.structure[s].changes[i];
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

/// Whether what is known leaves one direction at most.
bool one_way(const ChangePrior& prior) {
  return prior.structure[0] == 0 || prior.structure[1] == 0;
}

/// P(X -> Y) and P(Y -> X) over leaving out each environment but the baseline: smallest and
/// largest.
void leave_out(const PairJudge& judge_of, const DirectionTask& options,
               const NoShiftControl& control, DirectionResult& result) {
  const std::size_t n = result.environments.size();
  std::array<double, 2> low = {result.belief[0], result.belief[1]}, high = low;
  std::vector<std::array<double, structures>> beliefs(n, result.belief);
  if (can_leave_out(n)) {
    for (std::size_t e = 0; e < n; ++e) {
      if (options.baseline == e || n <= 2) continue;
      const Order order = order_of(n, options.baseline, e);
      const Scored scored = judge_of.scorer(order, {&options.prior, 1})[0];
      beliefs[e] = control.left_of(judge_of.belief(scored, options.prior).structure, options.prior);
    }
  } else {
    // Many environments: take each one's own contribution away instead of starting again.
    for (std::size_t e = 0; e < n; ++e)
      beliefs[e] =
          without_contribution(result.belief, result.environments[e].log_odds, result.hidden);
    result.remarks.push_back({RemarkCode::leave_out_approximate, {}, {}, {}});
  }
  for (const auto& belief : beliefs)
    for (std::size_t s = 0; s < 2; ++s) {
      low[s] = std::min(low[s], belief[s]);
      high[s] = std::max(high[s], belief[s]);
    }
  result.leave_one_out = {low[0], high[0]};
  result.leave_one_out_mirrored = {low[1], high[1]};
  if (!one_way(options.prior)) limit_turning(beliefs, result);
}

/// Tables with few rows for their size may prefer a direction although nothing shifts: what a new
/// table looks like is guessed, and the guess may suit one side. Where a direction is more probable
/// than the rest, the same rows without any shift are analysed, too.
NoShiftControl control_tables(const Dataset& data, const DirectionTask& options, const Order& order,
                              const DirectionResult& result) {
  constexpr double worth_asking = 0.6;
  if (std::max(result.belief[0], result.belief[1]) <= worth_asking) return {};
  if (one_way(options.prior)) return {};  // nothing to prefer
  const std::vector<FamilyCounts> tables = joint_counts(data);
  if (!few_rows(tables)) return {};
  ChangePrior prior = options.prior;
  prior.hidden = 0;  // the two directions alone are compared
  return deal_out(tables, result.shift_log_odds, [&](std::vector<FamilyCounts> dealt) {
    for (std::size_t e = 0; e < options.share.size(); ++e)
      for (double& cell : dealt[e].cells) cell *= options.share[e];
    return categorical_scorer(PairCounts::of(dealt), options)(order, {&prior, 1})[0].log_odds();
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
  if (left == 0)
    result.remarks.push_back(
        {RemarkCode::few_rows_not_counted, {}, {}, {std::abs(found), double(control.deals)}});
  else if (std::abs(found - left) >= 1)
    result.remarks.push_back({RemarkCode::few_rows_taken_off, {}, {}, {std::abs(found - left)}});
}

/// How the belief grew, environment by environment as they were given. Its end is the answer, which
/// does not depend on their order.
std::vector<std::array<double, structures>> path_in(const Order& given, const Order& taken,
                                                    const Scorer& scorer, const Scored& scored,
                                                    const DirectionTask& options,
                                                    const std::array<double, structures>& end) {
  const bool same = given.environments == taken.environments || !options.sensitivity;
  auto path = path_of(same ? scored : scorer(given, {&options.prior, 1})[0], options.prior);
  path.back() = end;
  return path;
}

/// The sum over what changed keeps the most probable ways only.
void warn_of_cut(DirectionResult& result) {
  if (result.log_dropped <= std::log(1e-3)) return;
  result.remarks.push_back(
      {RemarkCode::sum_cut_short, {}, {}, {std::exp(std::min(result.log_dropped, 0.0))}});
}

void add_sensitivity(const PairJudge& judge_of, const DirectionTask& options,
                     const std::vector<Scored>& by_prior, const NoShiftControl& control,
                     DirectionResult& result) {
  for (std::size_t i = 0; i < result.prior_sensitivity.size(); ++i) {
    PriorSensitivity& other = result.prior_sensitivity[i];
    other.belief =
        control.left_of(judge_of.belief(by_prior[i + 1], other.prior).structure, other.prior);
  }
  result.leave_one_out = {result.belief[0], result.belief[0]};
  result.leave_one_out_mirrored = {result.belief[1], result.belief[1]};
  if (options.sensitivity) leave_out(judge_of, options, control, result);
}

DirectionResult find_in_order(const Dataset& data, const DirectionTask& options,
                              const std::vector<std::size_t>& as_given) {
  DirectionResult result;
  result.variables = {data.variables[0].name, data.variables[1].name};
  std::tie(result.model, result.model_reason) = choose_model(data, options.model);
  const PairJudge judge_of = judge_for(data, options, result.model);
  result.visible_link = judge_of.link.visible;
  const Order order = order_of(data.environments.size(), options.baseline);
  if (options.sensitivity) result.prior_sensitivity = alternative_priors(options.prior);
  std::vector<ChangePrior> priors = {options.prior};
  for (const PriorSensitivity& s : result.prior_sensitivity) priors.push_back(s.prior);
  const std::vector<Scored> by_prior = judge_of.scorer(order, priors);
  const Scored& scored = by_prior[0];
  const PairBelief belief = judge_of.belief(scored, options.prior);
  result.belief = belief.structure;
  result.hidden = belief.hidden;
  result.path =
      path_in({as_given, options.baseline}, order, judge_of.scorer, scored, options, result.belief);
  result.environments = findings(data, scored, result.belief, order, options.share);
  result.shift_log_odds = scored.log_odds();
  const NoShiftControl control = result.model == DirectionModel::categorical
                                     ? control_tables(data, options, order, result)
                                     : NoShiftControl{};
  apply(control, options.prior, result);
  for (const StructureScore& s : scored.structure)
    result.log_dropped = std::max(result.log_dropped, s.log_dropped);
  warn_of_cut(result);
  add_sensitivity(judge_of, options, by_prior, control, result);
  result.verdict = judge(result);
  return result;
}

/// What a row of each environment is worth, as observed; returns why some count for less.
std::vector<Remark> weigh_rows(const Dataset& given, const CanonicalPair& pair,
                               DirectionTask& task) {
  if (!task.effective) return {};
  const EffectiveRows worth = effective_rows(given, task.entity);
  if (worth.all_count()) return {};
  for (const std::size_t e : pair.given_as) task.share.push_back(worth.share[e]);
  return worth.remarks;
}

/// What cannot be has no weight; the others share it.
ChangePrior with_knowledge(ChangePrior prior, const EdgeKnowledge& knowledge) {
  using Word = EdgeKnowledge::Word;
  auto& weight = prior.structure;
  const std::array<Word, 2> words = {knowledge.of(2, 0, 1), knowledge.of(2, 1, 0)};
  const bool required = words[0] == Word::required || words[1] == Word::required;
  for (std::size_t s = 0; s < 2; ++s)
    if (words[s] == Word::forbidden || (required && words[s] != Word::required)) weight[s] = 0;
  if (required) weight[2] = prior.hidden = 0;
  const double rest = (weight[0] + weight[1]) + weight[2];
  if (rest <= 0)
    throw Error(ExitCode::usage, "E-KNOWLEDGE", "", "what is known leaves no structure any weight",
                "forbid less, or give no link a weight");
  for (double& p : weight) p /= rest;
  return prior;
}

DirectionResult find_among_different(const Dataset& given, const DirectionOptions& options,
                                     const Control& control) {
  const std::optional<Dataset> scaled = in_safe_units(given);
  const Dataset& data = scaled ? *scaled : given;
  const CanonicalPair pair = canonical_pair(data, options.baseline);
  DirectionTask task(options, control);
  if (!options.knowledge.words.empty())
    task.prior = with_knowledge(options.prior, options.knowledge);
  if (options.sensitivity && can_leave_out(data.environments.size()))
    task.passes += data.environments.size();
  task.baseline = pair.baseline;
  if (pair.swapped) std::swap(task.prior.structure[0], task.prior.structure[1]);
  const std::vector<Remark> worth = weigh_rows(given, pair, task);
  DirectionResult result = find_in_order(pair.data, task, pair.as_given());
  if (pair.swapped) mirror(result);
  result.remarks.insert(result.remarks.begin(), worth.begin(), worth.end());
  std::vector<EnvironmentFinding> environments(result.environments.size());
  for (std::size_t e = 0; e < environments.size(); ++e)
    environments[pair.given_as[e]] = std::move(result.environments[e]);
  result.environments = std::move(environments);
  return result;
}

/// A direction that is decided by the few rows that lie furthest out is not stated as sure.
void doubt_few_rows(DirectionResult& result, const Dataset& data, const DirectionOptions& options,
                    Control control) {
  constexpr double lost = 0.5;
  if (result.verdict.kind != Verdict::Kind::direction) return;
  const std::vector<std::size_t> rows = extreme_rows(data);
  if (rows.empty()) return;
  control.progress = {};  // the answer is there: only its doubts are worked out
  DirectionOptions own = options;
  own.sensitivity = false;
  own.entity = without_entries(options.entity, rows);
  const DirectionResult other = find_among_different(without_rows(data, rows), own, control);
  if (other.belief[std::size_t(result.verdict.from)] > lost) return;
  for (std::size_t s = 0; s < structures; ++s)
    result.belief[s] = (result.belief[s] + other.belief[s]) / 2;
  result.hidden = (result.hidden + other.hidden) / 2;
  result.path.back() = result.belief;
  result.verdict = judge(result);
  for (const std::size_t row : rows)
    for (const Environment& e : data.environments)
      if (row >= e.begin && row < e.end)
        result.remarks.push_back(
            {RemarkCode::carrying_row, {}, {e.name}, {double(row - e.begin + 1)}});
}

/// Whether some environment that speaks for a direction cannot have been made by a choice of rows:
/// the effect changed there, and the cause stayed.
bool excludes_selection(const DirectionResult& result, const Dataset& data, std::size_t cause,
                        const DirectionOptions& options) {
  const std::size_t effect = 1 - cause, n = data.environments.size();
  const double sign = cause == 0 ? 1 : -1;
  for (std::size_t e = 0; e < n; ++e) {
    const EnvironmentFinding& found = result.environments[e];
    if (options.baseline == e || sign * found.log_odds < std::log(20.0) ||
        found.changed[effect] < likely_change)
      continue;
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < n; ++other)
      if (options.baseline ? *options.baseline == other : other != e) others.push_back(other);
    if (stayed_visibly(law_evidence(data, VariableId(cause), e, others),
                       law_evidence(data, VariableId(effect), e, others),
                       link_strength(data, cause, effect, others)))
      return true;
  }
  return false;
}

/// The same limit as for edges of a graph (selection_doubt.hpp).
void doubt_selection(DirectionResult& result, const Dataset& data,
                     const DirectionOptions& options) {
  const std::size_t cause = result.belief[0] >= result.belief[1] ? 0 : 1;
  double& p = result.belief[cause];
  if (!options.maybe_selected || p <= highest_if_selected || !options.knowledge.words.empty() ||
      excludes_selection(result, data, cause, options))
    return;
  result.belief[1 - cause] += p - highest_if_selected;
  p = highest_if_selected;
  result.path.back() = result.belief;
  result.verdict = judge(result);
  result.remarks.push_back({RemarkCode::maybe_selected,
                            {result.variables[cause], result.variables[1 - cause]},
                            {},
                            {highest_if_selected}});
}

/// What was found, what speaks against it, and what both mean.
DirectionResult find_with_doubts(const Dataset& data, const DirectionOptions& options,
                                 const Control& control) {
  DirectionResult result = find_among_different(data, options, control);
  doubt_few_rows(result, data, options, control);
  doubt_selection(result, data, options);
  for (Remark& remark : remarks_on(result)) result.remarks.push_back(std::move(remark));
  return result;
}

/// Rows with a cell that is plainly a mistake do not count, and are named; unless they are vouched
/// for.
DirectionResult find_without_mistakes(const Dataset& data, const DirectionOptions& options,
                                      const Control& control) {
  if (options.keep_odd_rows) return find_with_doubts(data, options, control);
  const std::vector<OddCell> odd = odd_cells(data);
  if (odd.empty()) return find_with_doubts(data, options, control);
  const std::vector<std::size_t> rows = rows_of(odd);
  DirectionOptions own = options;
  own.entity = without_entries(options.entity, rows);
  DirectionResult result = find_with_doubts(without_rows(data, rows), own, control);
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    result.environments[e].rows = data.environments[e].rows();
  const std::vector<Remark> remarks = remarks_on(odd, data);
  result.remarks.insert(result.remarks.begin(), remarks.begin(), remarks.end());
  return result;
}

/// The same for the data with each environment once.
DirectionOptions of_kept(const DirectionOptions& options, const OnceEach& once) {
  DirectionOptions own = options;
  if (options.baseline) own.baseline = once.told_by[*options.baseline];
  if (options.entity.empty()) return own;
  own.entity.clear();
  for (const std::size_t row : once.rows) own.entity.push_back(options.entity[row]);
  return own;
}

/// Tells of a copy what was found for the environment that it is a copy of; it adds nothing.
void tell_of_copies(DirectionResult& result, const OnceEach& once, const Dataset& given,
                    std::optional<std::size_t> baseline) {
  const std::vector<EnvironmentFinding> found = result.environments;
  const auto path = result.path;
  result.environments.clear();
  for (std::size_t e = 0; e < given.environments.size(); ++e) {
    EnvironmentFinding& own = result.environments.emplace_back(found[once.told_by[e]]);
    own.name = given.environments[e].name;
    if (!once.is_copy(e)) continue;
    own.baseline = false;
    own.log_odds = own.effective_rows = 0;
  }
  result.path = {path[0]};
  std::size_t told = 0;
  for (const std::size_t e : order_of(given.environments.size(), baseline).environments)
    result.path.push_back(path[once.is_copy(e) ? told : ++told]);
  result.remarks.insert(result.remarks.begin(), once.remarks.begin(), once.remarks.end());
}

}  // namespace

DirectionResult find_direction(const Dataset& given, const DirectionOptions& options,
                               const Control& control) {
  require_valid(given);
  require_environment(given, options.baseline);
  check_shape(given);
  require_fitting(given, options.knowledge, {});
  require_entities(given, options.entity);
  const OnceEach once = once_each(given, options.baseline);
  if (!once.data) return find_without_mistakes(given, options, control);
  DirectionResult result = find_without_mistakes(*once.data, of_kept(options, once), control);
  tell_of_copies(result, once, given, options.baseline);
  return result;
}

std::vector<std::array<double, structures>> beliefs_over(std::span<const FamilyCounts> joint,
                                                         const DirectionOptions& options) {
  const Scorer scorer = categorical_scorer(PairCounts::of(joint), DirectionTask(options, {}));
  const Order order = order_of(joint.size(), options.baseline);
  ChangePrior prior = options.prior;
  prior.hidden = 0;
  return path_of(scorer(order, {&prior, 1})[0], prior);
}

}  // namespace whence
