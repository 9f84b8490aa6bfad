#include "whence/discover/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/text.hpp"

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
/// direction needs that where a hidden cause of both shifts: nothing in the data tells the two
/// apart. Of columns that are not linked it says nothing.
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

std::string confounding_in_words(const DirectionResult& result) {
  if (result.verdict.maybe_hidden) {
    const auto& cause = result.variables[std::size_t(result.verdict.from)];
    const auto& effect = result.variables[std::size_t(result.verdict.to)];
    return fmt::format(
        "the pair may be confounded: {} changed where {} did not, and they depend on each other. "
        "That is so where {} causes {}, and as well where a hidden common cause moves both",
        effect, cause, cause, effect);
  }
  if (!move_together(result))
    return fmt::format(
        "the pair looks confounded: neither of {} and {} passes its changes on to "
        "the other, and yet they depend on each other",
        result.variables[0], result.variables[1]);
  return fmt::format(
      "the pair looks confounded: the mechanisms of {} and {} seem to move together, in {} of {} "
      "shifted environments. A hidden common cause that shifts looks like this; so do two changes "
      "at once",
      result.variables[0], result.variables[1], environments_with_both(result),
      shifted_environments(result));
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

std::string in_percent(double p) { return percent(p, PercentStyle::sentence); }

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
std::string rows_needed(const DirectionResult& result) {
  const double needed = std::log(decided_belief / (1 - decided_belief)) + std::log(2.0);
  const double have = std::abs(result.shift_log_odds);
  const auto rows = double(shifted_rows(result));
  if (have >= needed)
    return "Whether the two are linked at all, or the environments agree, is open: more rows of "
           "the same environments would tell.";
  if (have >= 0.5)
    return fmt::format(
        "If more rows of the same kind spoke as these do, about {:.0f} shifted rows in all would "
        "decide it (now {:.0f}).",
        std::ceil(rows * needed / have), rows);
  return fmt::format(
      "These {:.0f} shifted rows say next to nothing about the direction ({:.2f} of about {:.1f} "
      "nats). They would decide it under a shift of one mechanism worth {:.2g} nats a row; a tenth "
      "of that takes {:.0f} rows.",
      rows, have, needed, needed / rows, 10 * rows);
}

std::string answer_in_words(const DirectionResult& r) {
  const auto& x = r.variables[0];
  const auto& y = r.variables[1];
  using Kind = Verdict::Kind;
  switch (r.verdict.kind) {
    case Kind::direction:
      return fmt::format("{} causes {} (belief {}).", r.variables[std::size_t(r.verdict.from)],
                         r.variables[std::size_t(r.verdict.to)],
                         in_percent(r.belief[std::size_t(r.verdict.from)]));
    case Kind::no_link:
      return fmt::format(
          "{} and {} are not linked (belief {}): a correlation of {:.2f} or more would have shown.",
          x, y, in_percent(r.belief[2]), r.visible_link);
    case Kind::no_shift:
      return fmt::format(
          "These data cannot tell: nothing seems to have shifted. Belief that {} "
          "causes {}: {}.",
          x, y, in_percent(r.belief[0]));
    case Kind::all_changed:
      return fmt::format(
          "These data cannot tell: both mechanisms seem to have changed in every "
          "shifted environment. Belief that {} causes {}: {}.",
          x, y, in_percent(r.belief[0]));
    case Kind::conflicting:
      return fmt::format(
          "The environments contradict each other. Belief that {} causes {}: {}, but "
          "at least one environment says the opposite at more than 100 to 1.",
          x, y, in_percent(r.belief[0]));
    case Kind::undecided: break;
  }
  if (r.verdict.maybe_hidden)
    return fmt::format(
        "{} does not cause {}. These data cannot tell whether {} causes {} (belief {}) or the pair "
        "is confounded, something hidden moving both ({}).",
        effect_of(r), cause_of(r), cause_of(r), effect_of(r),
        in_percent(r.belief[std::size_t(r.verdict.from)]), in_percent(r.hidden));
  if (r.hidden > decided_belief)
    return fmt::format(
        "Neither of {} and {} causes the other: the pair is confounded, something hidden moves "
        "both (belief {}).",
        x, y, in_percent(r.hidden));
  const std::string hidden =
      r.hidden > 0 ? fmt::format(", something hidden moves both {}", in_percent(r.hidden)) : "";
  return fmt::format("Undecided: {} causes {} with belief {}, the reverse {}, no link {}{}.", x, y,
                     in_percent(r.belief[0]), in_percent(r.belief[1]), in_percent(r.belief[2]),
                     hidden);
}

}  // namespace

std::string in_words(const DirectionResult& r) {
  return answer_in_words(r) +
         (r.verdict.confounded && !r.verdict.maybe_hidden && r.hidden <= decided_belief
              ? " The pair looks confounded: both mechanisms seem to move together."
              : "");
}

std::vector<std::string> advise(const DirectionResult& r) {
  std::vector<std::string> advice;
  using Kind = Verdict::Kind;
  const auto& x = r.variables[0];
  const auto& y = r.variables[1];
  if (r.verdict.kind == Kind::direction) {
    const double low = r.verdict.from == 0 ? r.leave_one_out[0] : r.leave_one_out_mirrored[0];
    if (low <= decided_belief)
      advice.push_back(
          fmt::format("One environment carries the answer: without it the belief falls "
                      "to {}. A second shift of its kind would make it safe.",
                      in_percent(low)));
    if (!cause_changed(r))
      advice.push_back(fmt::format(
          "It rests on changes of {} that did not reach {}. Where something hidden moves both and "
          "its hold on {} changes, that looks the same; an environment in which the distribution "
          "of "
          "{} itself changes would exclude it.",
          effect_of(r), cause_of(r), effect_of(r), cause_of(r)));
    return advice;
  }
  if (r.verdict.kind == Kind::no_link) return advice;
  if (r.verdict.kind == Kind::conflicting)
    advice.push_back(
        "Look at the environments with opposite log-odds: a hidden common cause, a "
        "mislabelled file or a wrong type of column are the usual reasons.");
  if (r.verdict.maybe_hidden)
    return {fmt::format(
        "What would settle it: an environment in which {}'s own distribution changes. If it causes "
        "{}, {} follows it; if something hidden moves both, it does not. Where a hidden common "
        "cause is impossible, give hidden the weight 0 in the prior.",
        cause_of(r), effect_of(r), effect_of(r))};
  if (r.verdict.confounded)
    advice.push_back(
        fmt::format("A hidden common cause of {} and {} that shifts looks like this. More rows of "
                    "these environments cannot tell it from two changes at once.",
                    x, y));
  else
    advice.push_back(rows_needed(r));
  advice.push_back(
      fmt::format("What would settle it: an environment in which only {}'s own "
                  "distribution changes, or only {}'s, the other's mechanism being left "
                  "alone.",
                  x, y));
  return advice;
}

}  // namespace whence
