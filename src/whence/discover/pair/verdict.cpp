#include "whence/discover/pair/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "whence/discover/limits/direction_limits.hpp"

namespace whence {

std::string_view name_of(Verdict::Kind kind) {
  constexpr std::array<std::string_view, 6> names = {"direction", "no-link",     "undecided",
                                                     "no-shift",  "all-changed", "conflicting"};
  return names[std::size_t(kind)];
}

namespace {

double at(const EnvironmentFinding& e, Change change) { return e.kind[std::size_t(change)]; }

/// The strongest environment against the leading direction, in nats.
double strongest_objection(const DirectionResult& result) {
  const double sign = result.belief[0] >= result.belief[1] ? 1 : -1;
  double worst = 0;
  for (const EnvironmentFinding& e : result.environments)
    worst = std::max(worst, -sign * e.log_odds);
  return worst;
}

std::size_t shifted_environments(const DirectionResult& result) {
  return std::size_t(std::count_if(result.environments.begin(), result.environments.end(),
                                   [](const EnvironmentFinding& e) { return !e.baseline; }));
}

/// The share of shifted environments of which `likely` is more probable than not.
template <class F>
double share_of(const DirectionResult& result, const F& likely) {
  double yes = 0;
  for (const EnvironmentFinding& e : result.environments)
    if (!e.baseline && likely(e) > 0.5) yes += 1;
  return yes / double(std::max<std::size_t>(1, shifted_environments(result)));
}

double share_both(const DirectionResult& r) {
  return share_of(r, [](const EnvironmentFinding& e) { return at(e, Change::both); });
}
double share_nothing(const DirectionResult& r) {
  return share_of(r, [](const EnvironmentFinding& e) { return at(e, Change::nothing); });
}

std::size_t environments_with_both(const DirectionResult& r) {
  return std::size_t(std::count_if(
      r.environments.begin(), r.environments.end(),
      [](const EnvironmentFinding& e) { return !e.baseline && at(e, Change::both) > 0.5; }));
}

/// Where something changed, both mechanisms did more often than not, and more than once. Either
/// direction needs that where a hidden cause of both shifts: nothing in the data distinguishes the
/// two. Columns that are not linked are left out.
bool move_together(const DirectionResult& r) {
  const double both = share_both(r), something = 1 - share_nothing(r);
  return r.belief[2] < std::max(r.belief[0], r.belief[1]) && environments_with_both(r) > 1 &&
         both > 0.5 * something;
}

Verdict without_confounding(const DirectionResult& result) {
  using Kind = Verdict::Kind;
  const double objection = std::log(100.0);  // an environment that says the opposite at 100 to 1
  const int leader = result.belief[0] >= result.belief[1] ? 0 : 1;
  if (result.belief[std::size_t(leader)] > decided_belief) {
    if (strongest_objection(result) > objection) return {Kind::conflicting, -1, -1};
    return {Kind::direction, leader, 1 - leader};
  }
  if (result.belief[2] > decided_belief) return {Kind::no_link, -1, -1};
  if (strongest_objection(result) > objection) return {Kind::conflicting, -1, -1};
  // All but one direction and something hidden is excluded.
  constexpr double worth_a_word = 0.04;
  if (result.hidden > worth_a_word && result.belief[std::size_t(leader)] > worth_a_word &&
      result.belief[std::size_t(leader)] + result.hidden > decided_belief) {
    Verdict open{Kind::undecided, leader, 1 - leader};
    open.maybe_hidden = true;
    return open;
  }
  if (share_nothing(result) == 1) return {Kind::no_shift, -1, -1};
  if (share_both(result) == 1) return {Kind::all_changed, -1, -1};
  return {Kind::undecided, -1, -1};
}

}  // namespace

Verdict judge(const DirectionResult& result) {
  Verdict verdict = without_confounding(result);
  const bool open =
      verdict.kind != Verdict::Kind::direction && verdict.kind != Verdict::Kind::no_link;
  verdict.confounded =
      open && (move_together(result) || result.hidden > decided_belief || verdict.maybe_hidden);
  return verdict;
}

void limit_turning(const std::vector<std::array<double, structures>>& beliefs,
                   DirectionResult& result) {
  constexpr double turned = 0.75;  // three to one for another answer: half would be merely open
  const std::size_t leader = result.belief[0] >= result.belief[1] ? 0 : 1;
  if (result.belief[leader] <= highest_if_unsure) return;
  double other = turned;
  std::size_t without = beliefs.size();
  for (std::size_t e = 0; e < beliefs.size(); ++e)
    if (const double p = std::max(beliefs[e][1 - leader], beliefs[e][2]); p > other)
      other = p, without = e;
  if (without == beliefs.size()) return;
  const std::size_t gains = beliefs[without][2] == other ? 2 : 1 - leader;
  result.belief[gains] += result.belief[leader] - highest_if_unsure;
  result.belief[leader] = highest_if_unsure;
  result.path.back() = result.belief;
  result.remarks.push_back({RemarkCode::turns_round,
                            {result.variables[leader], result.variables[1 - leader]},
                            {result.environments[without].name},
                            {highest_if_unsure}});
}

std::array<double, structures> without_contribution(const std::array<double, structures>& belief,
                                                    double log_odds, double hidden) {
  std::array<double, structures> rest = belief;
  // Half of it is taken from each side: the third structure keeps its weight.
  rest[0] *= std::exp(-0.5 * log_odds);
  rest[1] *= std::exp(0.5 * log_odds);
  const double total = (rest[0] + rest[1]) + rest[2] + hidden;
  for (double& p : rest) p /= total;
  return rest;
}

namespace {

const std::string& cause_of(const DirectionResult& r) {
  return r.variables[std::size_t(r.verdict.from)];
}
const std::string& effect_of(const DirectionResult& r) {
  return r.variables[std::size_t(r.verdict.to)];
}

/// In some environment, more probably than not.
bool cause_changed(const DirectionResult& r) {
  return std::any_of(r.environments.begin(), r.environments.end(), [&](const auto& e) {
    return !e.baseline && e.changed[std::size_t(r.verdict.from)] > 0.5;
  });
}

std::size_t shifted_rows(const DirectionResult& result) {
  std::size_t rows = 0;
  for (const EnvironmentFinding& e : result.environments)
    if (!e.baseline) rows += e.rows;
  return rows;
}

/// How many rows it would take: of the same kind where these say something, otherwise of a shift
/// that says more.
Remark rows_needed(const DirectionResult& result) {
  const double needed = std::log(decided_belief / (1 - decided_belief)) + std::log(2.0);
  const double have = std::abs(result.shift_log_odds);
  const auto rows = double(shifted_rows(result));
  if (have >= needed) return {RemarkCode::link_open, {}, {}, {}};
  if (have >= 0.5)
    return {RemarkCode::rows_would_decide, {}, {}, {std::ceil(rows * needed / have), rows}};
  return {RemarkCode::rows_say_little, {}, {}, {rows, have, needed}};
}

/// How a pair looks confounded.
Remark confounding(const DirectionResult& r, const std::vector<std::string>& both) {
  if (r.verdict.maybe_hidden)
    return {RemarkCode::pair_maybe_confounded, {cause_of(r), effect_of(r)}, {}, {}};
  if (!move_together(r)) return {RemarkCode::pair_not_passed_on, both, {}, {}};
  return {RemarkCode::pair_confounded,
          both,
          {},
          {double(environments_with_both(r)), double(shifted_environments(r))}};
}

/// The belief in the decided direction without the environment that says most for it.
double lowest_belief(const DirectionResult& r) {
  return r.verdict.from == 0 ? r.leave_one_out[0] : r.leave_one_out_mirrored[0];
}

}  // namespace

std::vector<Remark> remarks_on(const DirectionResult& r) {
  using Kind = Verdict::Kind;
  const std::vector<std::string> both = {r.variables[0], r.variables[1]};
  std::vector<Remark> list;
  if (r.verdict.confounded) list.push_back(confounding(r, both));
  if (r.verdict.kind == Kind::no_link) return list;
  if (r.verdict.kind == Kind::direction) {
    if (lowest_belief(r) <= decided_belief)
      list.push_back({RemarkCode::one_environment_carries, {}, {}, {lowest_belief(r)}});
    if (!cause_changed(r))
      list.push_back({RemarkCode::rests_on_effect, {cause_of(r), effect_of(r)}, {}, {}});
    return list;
  }
  if (r.verdict.kind == Kind::conflicting) list.push_back({RemarkCode::contradiction, {}, {}, {}});
  if (r.verdict.maybe_hidden) {
    list.push_back({RemarkCode::shift_of_cause, {cause_of(r), effect_of(r)}, {}, {}});
    return list;
  }
  list.push_back(r.verdict.confounded ? Remark{RemarkCode::hidden_or_two_changes, both, {}, {}}
                                      : rows_needed(r));
  list.push_back({RemarkCode::shift_of_one, both, {}, {}});
  return list;
}

}  // namespace whence
