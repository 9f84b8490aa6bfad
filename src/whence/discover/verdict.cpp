#include "whence/discover/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

/// The share of shifted environments of which `likely` is more probable than not.
template <class F>
double share_of(const DirectionResult& result, const F& likely) {
  double yes = 0, all = 0;
  for (const EnvironmentFinding& e : result.environments) {
    if (e.baseline) continue;
    all += 1;
    if (likely(e) > 0.5) yes += 1;
  }
  return all > 0 ? yes / all : 0;
}

double share_both(const DirectionResult& r) {
  return share_of(r, [](const EnvironmentFinding& e) { return at(e, Change::both); });
}
double share_nothing(const DirectionResult& r) {
  return share_of(r, [](const EnvironmentFinding& e) { return at(e, Change::nothing); });
}

}  // namespace

Verdict judge(const DirectionResult& result) {
  using Kind = Verdict::Kind;
  const double objection = std::log(100.0);  // an environment that says the opposite at 100 to 1
  const int leader = result.belief[0] >= result.belief[1] ? 0 : 1;
  if (result.belief[std::size_t(leader)] > decided_belief) {
    if (strongest_objection(result) > objection) return {Kind::conflicting, -1, -1};
    return {Kind::direction, leader, 1 - leader};
  }
  if (result.belief[2] > decided_belief) return {Kind::no_link, -1, -1};
  if (strongest_objection(result) > objection) return {Kind::conflicting, -1, -1};
  if (share_nothing(result) == 1) return {Kind::no_shift, -1, -1};
  if (share_both(result) == 1) return {Kind::all_changed, -1, -1};
  return {Kind::undecided, -1, -1};
}

std::array<double, structures> without_contribution(const std::array<double, structures>& belief,
                                                    double log_odds) {
  std::array<double, structures> rest = belief;
  // Half of it is taken from each side: the third structure keeps its weight.
  rest[0] *= std::exp(-0.5 * log_odds);
  rest[1] *= std::exp(0.5 * log_odds);
  const double total = (rest[0] + rest[1]) + rest[2];
  for (double& p : rest) p /= total;
  return rest;
}

namespace {

std::string percent(double p) {
  if (p > 0.999) return "over 99.9 %";
  if (p < 0.001) return "under 0.1 %";
  return fmt::format("{:.1f} %", 100 * p);
}

/// Rows that would make the present evidence decide, were more of the same to come.
std::string rows_needed(const DirectionResult& result) {
  const double needed = std::log(decided_belief / (1 - decided_belief)) + std::log(2.0);
  const double have = std::abs(result.shift_log_odds);
  std::size_t rows = 0;
  for (const EnvironmentFinding& e : result.environments)
    if (!e.baseline) rows += e.rows;
  if (have < 0.5 || have >= needed) return {};
  return fmt::format(
      "If more rows of the same kind spoke as these do, about {:.0f} shifted rows in all would "
      "decide it (now {}).",
      std::ceil(double(rows) * needed / have), rows);
}

}  // namespace

std::string in_words(const DirectionResult& r) {
  const auto& x = r.variables[0];
  const auto& y = r.variables[1];
  using Kind = Verdict::Kind;
  switch (r.verdict.kind) {
    case Kind::direction:
      return fmt::format("{} causes {} (belief {}).", r.variables[std::size_t(r.verdict.from)],
                         r.variables[std::size_t(r.verdict.to)],
                         percent(r.belief[std::size_t(r.verdict.from)]));
    case Kind::no_link:
      return fmt::format("{} and {} are not linked (belief {}).", x, y, percent(r.belief[2]));
    case Kind::no_shift:
      return fmt::format(
          "These data cannot tell: nothing seems to have shifted. Belief that {} "
          "causes {}: {}.",
          x, y, percent(r.belief[0]));
    case Kind::all_changed:
      return fmt::format(
          "These data cannot tell: both mechanisms seem to have changed in every "
          "shifted environment. Belief that {} causes {}: {}.",
          x, y, percent(r.belief[0]));
    case Kind::conflicting:
      return fmt::format(
          "The environments contradict each other. Belief that {} causes {}: {}, but "
          "at least one environment says the opposite at more than 100 to 1.",
          x, y, percent(r.belief[0]));
    case Kind::undecided: break;
  }
  return fmt::format("Undecided: {} causes {} with belief {}, the reverse {}, no link {}.", x, y,
                     percent(r.belief[0]), percent(r.belief[1]), percent(r.belief[2]));
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
                      percent(low)));
    return advice;
  }
  if (r.verdict.kind == Kind::no_link) return advice;
  if (r.verdict.kind == Kind::conflicting)
    advice.push_back(
        "Look at the environments with opposite log-odds: a hidden common cause, a "
        "mislabelled file or a wrong type of column are the usual reasons.");
  if (share_both(r) > 0.5)
    advice.push_back(
        fmt::format("{} and {} seem to move together: a hidden common cause looks like "
                    "this.",
                    x, y));
  if (const std::string rows = rows_needed(r); !rows.empty()) advice.push_back(rows);
  advice.push_back(
      fmt::format("What would settle it: an environment in which only {}'s own "
                  "distribution changes, or only {}'s, the other's mechanism being left "
                  "alone.",
                  x, y));
  return advice;
}

}  // namespace whence
