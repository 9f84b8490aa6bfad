#include "whence/discover/limits/direction_limits.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "whence/discover/check/derived_columns.hpp"
#include "whence/discover/limits/followed_effects.hpp"
#include "whence/discover/limits/second_opinion.hpp"
#include "whence/discover/limits/selection_doubt.hpp"
#include "whence/evidence/labels/shift_evidence.hpp"

namespace whence {

namespace {

bool is_known(const EdgeKnowledge& knowledge, std::size_t m, const EdgeFinding& edge) {
  return knowledge.of(m, edge.from, edge.to) == EdgeKnowledge::Word::required ||
         knowledge.of(m, edge.to, edge.from) == EdgeKnowledge::Word::forbidden;
}

/// The highest probability stated of an edge. A missing shift needs no remark: the advice for open
/// directions says which shift would help.
struct Limit {
  double highest = 1;
  std::optional<Remark> why = {};
  bool wants_shift = false;
  bool maybe_hidden = false;  // then something hidden gets the rest, not the opposite direction
};

class Limits {
 public:
  Limits(const GraphResult& result, const Dataset* rows, const GraphOptions& options)
      : result_(result),
        options_(options),
        derived_(rows ? derived_columns(*rows) : std::vector<DerivedColumns>()) {
    if (rows && options.maybe_selected) chosen_.emplace(result, *rows, options);
    // By tables where tables answer, else by lines, which need numbers.
    const bool judged = rows && !options.own_model &&
                        (result.model == GraphModel::categorical || all_numbers(*rows));
    if (judged) effects_.emplace(result, *rows);
  }

  /// One for each three columns that compute each other.
  std::vector<Remark> on_derived() const {
    std::vector<Remark> remarks;
    for (const DerivedColumns& three : derived_) {
      Remark& remark = remarks.emplace_back(Remark{RemarkCode::derived_columns, {}, {}, {}});
      for (const std::size_t v : three) remark.variables.push_back(result_.variables[v]);
    }
    return remarks;
  }

  Limit of(const EdgeFinding& edge) const {
    if (is_known(options_.knowledge, result_.variables.size(), edge)) return {};
    Limit limit = of_direction(edge);
    if (edge.probability > highest_if_hidden && limit.highest > highest_if_unsure &&
        !followed(edge))
      limit = {highest_if_hidden, remark(RemarkCode::not_followed, edge, highest_if_hidden), false,
               true};
    return limit;
  }

  /// Whether environments support the edge, at 20 to 1, against something hidden behind both.
  /// Where labels answer, they have tested that with curves: lines need only not contradict it.
  bool followed(const EdgeFinding& edge) const {
    const double clear = std::log(20.0);
    return !effects_ || effects_->against_hidden(edge.from, edge.to) >=
                            (result_.model == GraphModel::labels ? -clear : clear);
  }

 private:
  static constexpr double even = 0.5;

  Limit of_direction(const EdgeFinding& edge) const {
    constexpr double turned = 0.75;  // three to one for the opposite: half would be merely open
    if (is_derived(edge)) return {even};
    if (!shift_supports(result_, edge))
      return {options_.maybe_selected ? highest_if_selected : highest_if_unsure, {}, true};
    if (options_.maybe_selected && edge.probability > highest_if_selected &&
        !(chosen_ && chosen_->exclude(edge)))
      return {highest_if_selected, remark(RemarkCode::maybe_selected, edge, highest_if_selected)};
    if (edge.turned > turned) {
      Remark why = remark(RemarkCode::turns_round, edge, highest_if_unsure);
      why.environments = {result_.environments[edge.turned_without].name};
      return {highest_if_unsure, std::move(why)};
    }
    return {};
  }

  static bool all_numbers(const Dataset& data) {
    return std::all_of(data.variables.begin(), data.variables.end(), [](const Variable& v) {
      return v.kind == Variable::Kind::real && v.dimension == 1;
    });
  }
  bool is_derived(const EdgeFinding& edge) const {
    const auto in = [](const DerivedColumns& three, std::size_t v) {
      return std::find(three.begin(), three.end(), v) != three.end();
    };
    return std::any_of(derived_.begin(), derived_.end(), [&](const DerivedColumns& three) {
      return in(three, edge.from) && in(three, edge.to);
    });
  }

  Remark remark(RemarkCode code, const EdgeFinding& edge, double highest) const {
    return {code, {result_.variables[edge.from], result_.variables[edge.to]}, {}, {highest}};
  }

  const GraphResult& result_;
  const GraphOptions& options_;
  std::vector<DerivedColumns> derived_;
  mutable std::optional<ChosenRows> chosen_;
  std::optional<FollowedEffects> effects_;
};

/// Edges that are sure after their limits.
class SureEdges {
 public:
  explicit SureEdges(std::size_t variables) : effects_(variables) {}

  void add(std::size_t from, std::size_t to, double probability) {
    if (probability > highest_if_unsure) effects_[from].emplace_back(to, 1 - probability);
  }
  /// How sure it is that one variable acts on another through others; 0 where no path is sure. No
  /// edge can point against a path.
  double path(std::size_t from, std::size_t to) const {
    constexpr double unseen = 2;
    std::vector<double> doubt(effects_.size(), unseen);
    std::vector<std::size_t> next = {from};
    doubt[from] = 0;
    for (std::size_t k = 0; k < next.size() && doubt[to] == unseen; ++k)
      for (const auto& [effect, own] : effects_[next[k]])
        if (doubt[effect] == unseen) {
          doubt[effect] = doubt[next[k]] + own;
          next.push_back(effect);
        }
    return std::max(0.0, 1 - doubt[to]);
  }

 private:
  std::vector<std::vector<std::pair<std::size_t, double>>> effects_;  // [cause], with doubts
};

bool changes_somewhere(const GraphResult& result, std::size_t variable) {
  return std::any_of(
      result.environments.begin(), result.environments.end(),
      [&](const GraphEnvironment& e) { return e.changed[variable] >= likely_change; });
}

/// The remark on a pair keeps step with its probability.
void tell(GraphResult& result, std::size_t a, std::size_t b, double probability) {
  const std::vector<std::string> pair = {result.variables[a], result.variables[b]};
  for (Remark& remark : result.remarks)
    if (remark.code == RemarkCode::hidden_pair && remark.variables == pair)
      remark.numbers = {probability};
}

/// What an edge has beyond its limit goes to something hidden behind both ends.
void leave_to_hidden(GraphResult& result, std::size_t a, std::size_t b, double rest) {
  if (result.hidden.variables == 0) result.hidden = EdgeMatrix(result.variables.size());
  result.hidden.at(a, b) = result.hidden.at(b, a) = result.hidden.at(a, b) + rest;
}

/// What a hidden link has beyond its limit goes to the two directions alike. True where any had.
bool limit_hidden(GraphResult& result) {
  bool limited = false;
  for (std::size_t b = 0; b < result.hidden.variables; ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const double rest = result.hidden.at(a, b) - highest_if_unsure;
      if (rest <= 0 || (changes_somewhere(result, a) && changes_somewhere(result, b))) continue;
      result.hidden.at(a, b) = result.hidden.at(b, a) = highest_if_unsure;
      result.edges.at(a, b) += rest / 2;
      result.edges.at(b, a) += rest / 2;
      tell(result, a, b, highest_if_unsure);
      limited = true;
    }
  return limited;
}

}  // namespace

bool shift_supports(const GraphResult& result, const EdgeFinding& edge) {
  const double clear = std::log(20.0);
  if (edge.shift_log_odds < clear) return false;
  // Two ends that differ nearly everywhere are as if everything had changed.
  const auto is_restless = [&](std::size_t v) {
    return v < result.drift.size() && result.drift[v] >= drift_scales.back();
  };
  if (is_restless(edge.from) && is_restless(edge.to)) return false;
  for (std::size_t e = 0; e < edge.support.size(); ++e) {
    const GraphEnvironment& here = result.environments[e];
    const std::vector<double>& changed = here.changed;
    if (here.all_changed > 0.5) continue;  // where everything changed no direction shows
    if (edge.support[e] >= clear && std::max(changed[edge.from], changed[edge.to]) >= likely_change)
      return true;
  }
  return false;
}

void limit_directions(GraphResult& result, const Dataset* rows, const GraphOptions& options) {
  std::vector<std::pair<const EdgeFinding*, Limit>> limited;
  Limits limits(result, rows, options);
  SureEdges sure(result.variables.size());
  for (const EdgeFinding& edge : result.findings) {
    Limit limit = limits.of(edge);
    sure.add(edge.from, edge.to, std::min(edge.probability, limit.highest));
    if (edge.probability > limit.highest) limited.emplace_back(&edge, std::move(limit));
  }
  // Something hidden looks like an edge beside a path: then the path implies none.
  for (auto& [edge, limit] : limited)
    if (limit.wants_shift && result.model == GraphModel::linear &&
        result.maybe_confounded.empty() && limits.followed(*edge))
      limit.highest = std::max(limit.highest, sure.path(edge->from, edge->to));
  std::erase_if(limited,
                [](const auto& one) { return one.first->probability <= one.second.highest; });
  std::vector<Remark> remarks = limits.on_derived();
  for (auto& [edge, limit] : limited) {
    double& p = result.edges.at(edge->from, edge->to);
    if (limit.maybe_hidden)
      leave_to_hidden(result, edge->from, edge->to, p - limit.highest);
    else
      result.edges.at(edge->to, edge->from) += p - limit.highest;
    p = limit.highest;
    if (limit.why) remarks.push_back(*std::move(limit.why));
  }
  const bool hidden = limit_hidden(result);
  if (hidden || !limited.empty()) list_findings_again(result);
  result.remarks.insert(result.remarks.end(), remarks.begin(), remarks.end());
}

}  // namespace whence
