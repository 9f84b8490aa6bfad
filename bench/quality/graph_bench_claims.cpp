// The figures that graphs from shifts must reach, each as a claim about one row.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "bench/quality/graph_bench.hpp"
#include "whence/judge/summary.hpp"

namespace whence {

namespace {

/// Claims about one row; does nothing where the row did not run.
class RowClaims {
 public:
  RowClaims(const std::vector<GraphBenchResult>& results, const std::string& name,
            std::vector<Claim>& claims)
      : claims_(claims) {
    for (const GraphBenchResult& result : results)
      if (result.row.name == name) result_ = &result;
  }

  void median_at_most(const char* what, double GraphOutcome::*value, double limit) {
    if (result_) at_most("median", what, median_of(*result_, value), limit);
  }
  void mean_at_most(const char* what, double GraphOutcome::*value, double limit) {
    if (result_) at_most("mean", what, mean_of(*result_, value), limit);
  }
  void median_at_least(const char* what, double GraphOutcome::*value, double limit) {
    if (!result_) return;
    const double measured = median_of(*result_, value);
    add(what, fmt::format("median {} at least {}", what, limit), show(measured, 4),
        measured >= limit);
  }

  /// The share of data sets of which `good` is true.
  void share_at_least(const char* what, const std::function<bool(const GraphOutcome&)>& good,
                      double limit) {
    if (!result_) return;
    const auto& outcomes = result_->outcomes;
    const auto n = std::count_if(outcomes.begin(), outcomes.end(), good);
    add(what, fmt::format("{} in at least {:.0f} % of data sets", what, 100 * limit),
        fmt::format("in {} of {}{}", n, outcomes.size(), score_elsewhere(good)),
        double(n) >= limit * double(outcomes.size()) - 1e-9);
  }

  /// The ratio of two totals.
  void total_ratio(const char* what, std::size_t GraphOutcome::*part,
                   std::size_t GraphOutcome::*whole, double limit, bool at_least) {
    if (!result_) return;
    const std::size_t n = total_of(*result_, part), all = total_of(*result_, whole);
    const double share = double(n) / double(std::max<std::size_t>(1, all));
    add(what, fmt::format("{} {} {:.3g} %", what, at_least ? "at least" : "at most", 100 * limit),
        fmt::format("{} of {}", n, all), at_least ? share >= limit : share <= limit);
  }

  void calibrated(const char* what, Reliability GraphOutcome::*bins) {
    if (!result_) return;
    constexpr std::size_t enough = 400;
    constexpr double limit = 0.1;
    const double gap = bins_of(*result_, bins).worst(enough, true);
    add(what,
        fmt::format("{}: stated and observed differ by at most {} in bins of at least {} cases",
                    what, limit, enough),
        fmt::format("at most {}", show(gap)), gap <= limit);
  }

 private:
  /// Where data sets are not good: how far the best graph scores above the truth. If it does, a
  /// longer search would not help; where it is below, one would.
  std::string score_elsewhere(const std::function<bool(const GraphOutcome&)>& good) const {
    std::vector<double> gaps;
    for (const GraphOutcome& outcome : result_->outcomes)
      if (!good(outcome)) gaps.push_back(outcome.score_gap);
    if (gaps.empty()) return "";
    const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
    constexpr double rounding = 0.05;  // nats
    const auto below =
        std::count_if(gaps.begin(), gaps.end(), [](double gap) { return gap < -rounding; });
    return fmt::format("; elsewhere the best graph scores {:.1f} to {:.1f} nats above the truth{}",
                       *least, *most,
                       below > 0 ? fmt::format(" (below it in {} of {})", below, gaps.size()) : "");
  }

  /// Why a claim about this row need not hold.
  std::string reason() const {
    if (result_->row.world.shift == GraphShift::none && !result_->row.shuffle)
      return "paths that nearly cancel look like no edge, and turn others round: where the best "
             "graph scores above the truth, no longer search would tell";
    if (result_->row.shuffle != Shuffle::within_environments) return "";
    if (result_->row.world.shift == GraphShift::zero_mean) return "";
    return "each column keeps its shifts of the mean, in proportion to those of others as if by an "
           "edge; shuffled-within-zero-mean has none";
  }

  void at_most(const char* how, const char* what, double measured, double limit) {
    add(what, fmt::format("{} {} at most {}", how, what, limit), show(measured, 4),
        measured <= limit);
  }

  void add(std::string what, const std::string& text, std::string measured, bool holds) {
    std::replace(what.begin(), what.end(), ' ', '-');
    claims_.push_back({result_->row.name + "/" + what,
                       fmt::format("{} ({}): {}", result_->row.name, result_->row.title, text),
                       std::move(measured), holds, holds ? "" : reason()});
  }

  const GraphBenchResult* result_ = nullptr;
  std::vector<Claim>& claims_;
};

/// Of an expected SID that should be 0: what other graphs of small probability may add.
constexpr double nearly_nothing = 0.05;
/// Rounding of sums in another order.
constexpr double same_score = 1e-6;

bool search_reached_truth(const GraphOutcome& o) { return o.score_gap >= -same_score; }
bool no_wrong_direction(const GraphOutcome& o) { return o.directed_wrong == 0; }
bool no_wrong_edge(const GraphOutcome& o) { return o.above_95.wrong() == o.reversed_in_class; }
bool no_sure_edge(const GraphOutcome& o) { return o.above_99.wrong() == 0; }
bool no_sure_change(const GraphOutcome& o) { return o.false_changes_99 == 0; }

}  // namespace

std::vector<Claim> graph_bench_claims(const std::vector<GraphBenchResult>& results) {
  std::vector<Claim> claims;
  const auto of = [&](const std::string& row) { return RowClaims(results, row, claims); };
  for (const char* row : {"er20", "sf20"}) {
    of(row).median_at_most("expected SHD", &GraphOutcome::expected_shd, 1.5);
    of(row).median_at_most("expected SID", &GraphOutcome::expected_sid, nearly_nothing);
    of(row).median_at_least("average precision of edges", &GraphOutcome::edge_precision, 0.99);
    of(row).median_at_least("average precision of targets", &GraphOutcome::target_precision, 0.99);
  }
  for (const char* row : {"er50", "sf50"})
    of(row).mean_at_most("expected SHD", &GraphOutcome::expected_shd, 2.5);
  of("er100").share_at_least(
      "best graph at most 1 edge wrong", [](const GraphOutcome& o) { return o.best_shd <= 1; },
      0.9);
  of("er100").share_at_least("best score not below the truth's", search_reached_truth, 1);
  for (const char* family : {"chain", "bidiag", "collider", "jungle", "random", "full"}) {
    const std::string row = fmt::format("enco-{}", family);
    of(row).mean_at_most("SHD", &GraphOutcome::best_shd, 0.5);
    of(row).total_ratio("targets found", &GraphOutcome::targets_found, &GraphOutcome::targets, 1,
                        true);
  }
  for (const char* row : {"no-shift-100", "no-shift-1000", "enco-none"}) {
    of(row).share_at_least("no undirected edge confidently directed wrongly", no_wrong_direction,
                           row == std::string("no-shift-100") ? 0.9 : 0.95);
    of(row).total_ratio("claims of change", &GraphOutcome::false_changes_95, &GraphOutcome::pairs,
                        0.001, false);
  }
  for (const char* row : {"all-soft", "all-hard", "enco-all-soft"})
    of(row).total_ratio("environments flagged", &GraphOutcome::flagged, &GraphOutcome::shifted,
                        0.95, true);
  for (const char* row : {"all-soft", "enco-all-soft"})
    of(row).share_at_least("no confidently wrong edge", no_wrong_edge, 0.9);
  for (const GraphBenchResult& result : results) {
    if (!result.row.shuffle || result.row.figure != GraphFigure::none) continue;
    of(result.row.name).share_at_least("no edge above .99", no_sure_edge, 0.95);
    // Shuffled within environments, this is about variables whose law there is the baseline's.
    of(result.row.name).share_at_least("no false change above .99", no_sure_change, 0.95);
  }
  for (const char* row : {"er20", "sf20", "soft"}) {
    of(row).calibrated("edges", &GraphOutcome::edge_bins);
    of(row).calibrated("changes", &GraphOutcome::target_bins);
  }
  return claims;
}

std::vector<Claim> graph_speed_claims(const std::vector<GraphBenchResult>& results) {
  std::vector<Claim> claims;
  const std::pair<const char*, double> limits[] = {
      {"time-20", 1},           {"time-heavy-20", 3},       {"time-50", 10},
      {"time-100", 60},         {"time-200", 300},          {"time-single-20", 0.2},
      {"time-single-50", 3},    {"time-single-100", 20},    {"time-enco-chain", 10},
      {"time-enco-bidiag", 10}, {"time-enco-collider", 10}, {"time-enco-jungle", 10},
      {"time-enco-random", 10}, {"time-enco-full", 90},     {"bacadi-nonlinear", 2}};
  for (const auto& [row, limit] : limits)
    RowClaims(results, row, claims).median_at_most("seconds", &GraphOutcome::seconds, limit);
  return claims;
}

}  // namespace whence
