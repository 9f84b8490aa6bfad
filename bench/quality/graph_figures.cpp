#include "bench/quality/graph_figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/judge/summary.hpp"

namespace whence {

namespace {

ConfidentEdges stated_edges(const GraphBenchResult& result) {
  ConfidentEdges all;
  for (const GraphOutcome& outcome : result.outcomes) all.add(outcome.above_95);
  return all;
}

/// "12 of 15 (.80)", or nothing where there is nothing to count.
std::string part_of(std::size_t part, std::size_t whole) {
  if (whole == 0) return "";
  return fmt::format("{} of {} ({:.2f})", part, whole, double(part) / double(whole));
}

/// Counts of a row's data sets together.
class Totals {
 public:
  explicit Totals(const GraphBenchResult& result) : result_(result) {}
  std::size_t operator()(std::size_t GraphOutcome::*value) const {
    return total_of(result_, value);
  }
  std::size_t sets() const { return result_.outcomes.size(); }
  std::size_t flagged_falsely() const {
    return (*this)(&GraphOutcome::flagged) - (*this)(&GraphOutcome::flagged_rightly);
  }

 private:
  const GraphBenchResult& result_;
};

/// Appends claims about one row.
class FigureClaims {
 public:
  FigureClaims(const GraphBenchResult& result, std::vector<Claim>& claims)
      : result_(result), total_(result), claims_(claims) {}

  void few_wrong(double limit) {
    const ConfidentEdges edges = stated_edges(result_);
    const std::size_t stated = edges.right + edges.wrong();
    add("wrong-edges", fmt::format("wrong edges at most {:.0f} % of those above .95", 100 * limit),
        fmt::format("{} of {}", edges.wrong(), stated),
        double(edges.wrong()) <= limit * double(stated));
  }

  void share(const char* id, const char* what, std::size_t GraphOutcome::*part,
             std::size_t GraphOutcome::*whole, double limit) {
    const std::size_t n = total_(part), all = total_(whole);
    add(id, fmt::format("{} at least {:.3g} %", what, 100 * limit), part_of(n, all),
        double(n) >= limit * double(all) - 1e-9);
  }

  void few_false_changes() {
    const std::size_t n = total_(&GraphOutcome::false_changes_95);
    add("false-changes", "false changes above .95 at most 1 per data set",
        fmt::format("{} in {}", n, total_.sets()), n <= total_.sets());
  }

  void nothing_stated(bool changes) {
    const ConfidentEdges edges = stated_edges(result_);
    add("no-direction", "no direction above .95", std::to_string(edges.right + edges.wrong()),
        edges.right + edges.wrong() == 0);
    if (!changes) return;
    const std::size_t n = total_(&GraphOutcome::false_changes_95);
    add("no-change", "no change above .95", std::to_string(n), n == 0);
  }

  void none(const char* id, const char* what, std::size_t n) {
    add(id, what, std::to_string(n), n == 0);
  }

  void median(const char* id, const char* what, double GraphOutcome::*value, double limit,
              bool at_least) {
    const double measured = median_of(result_, value);
    add(id, fmt::format("median {} at {} {}", what, at_least ? "least" : "most", limit),
        show(measured, 4), at_least ? measured >= limit : measured <= limit);
  }

  const Totals& total() const { return total_; }

 private:
  void add(const std::string& id, const std::string& text, std::string measured, bool holds) {
    claims_.push_back({result_.row.name + "/" + id,
                       fmt::format("{} ({}): {}", result_.row.name, result_.row.title, text),
                       std::move(measured), holds, ""});
  }

  const GraphBenchResult& result_;
  Totals total_;
  std::vector<Claim>& claims_;
};

void claim_accuracy(FigureClaims& row, double recall) {
  row.few_wrong(0.02);
  row.share("recall", "edges found above .5", &GraphOutcome::likely_right, &GraphOutcome::edges,
            recall);
  row.share("targets", "targets on top", &GraphOutcome::targets_on_top,
            &GraphOutcome::ranked_targets, 0.95);
  row.few_false_changes();
}

void claim_protocol(FigureClaims& row) {
  row.median("shd", "expected SHD", &GraphOutcome::expected_shd, 17, false);
  row.median("edges", "average precision of edges", &GraphOutcome::edge_precision, 0.82, true);
  row.median("targets", "average precision of targets", &GraphOutcome::target_precision, 0.99,
             true);
  row.none("false-targets", "no false change above .99",
           row.total()(&GraphOutcome::false_changes_99));
}

void claim_row(GraphFigure figure, FigureClaims& row) {
  switch (figure) {
    case GraphFigure::none: return;
    case GraphFigure::accuracy: claim_accuracy(row, 0.8); break;
    case GraphFigure::mixed_accuracy: claim_accuracy(row, 0.7); break;
    case GraphFigure::hidden:
      row.few_wrong(0.03);
      row.share("hidden", "hidden pairs named", &GraphOutcome::confounded_named,
                &GraphOutcome::confounded, 2.0 / 3);
      break;
    case GraphFigure::quiet: row.nothing_stated(true); break;
    case GraphFigure::all_changed:
      row.nothing_stated(false);
      row.share("all-changed", "environments named as all changed", &GraphOutcome::flagged_rightly,
                &GraphOutcome::all_changed, 0.95);
      break;
    case GraphFigure::drift:
      row.share("targets", "targets on top", &GraphOutcome::targets_on_top,
                &GraphOutcome::ranked_targets, 0.9);
      row.few_false_changes();
      break;
    case GraphFigure::drift_only:
      row.nothing_stated(false);
      row.few_false_changes();
      break;
    case GraphFigure::damage:
      row.none("turned", "no direction turned round", row.total()(&GraphOutcome::turned_round));
      break;
    case GraphFigure::protocol: claim_protocol(row); break;
  }
  row.none("falsely-all-changed", "no environment falsely named as all changed",
           row.total().flagged_falsely());
}

/// Stated and observed over all rows.
Claim calibration_claim(const char* what, Reliability GraphOutcome::*bins,
                        const std::vector<GraphBenchResult>& results) {
  constexpr std::size_t enough = 200;
  constexpr double limit = 0.05;
  Reliability all(Reliability::narrow_ends);
  for (const GraphBenchResult& result : results) all.add(bins_of(result, bins));
  const double gap = all.worst(enough, true);
  return {fmt::format("all-figures/calibration-{}", what),
          fmt::format("all figures (the rows of the first table): stated and observed "
                      "probabilities of {} differ by at most {} in bins of at least {} cases",
                      what, limit, enough),
          fmt::format("at most {}", show(gap)), gap <= limit, ""};
}

std::vector<std::string> table_row(const GraphBenchResult& r) {
  const Totals total(r);
  const ConfidentEdges edges = stated_edges(r);
  const std::size_t right = total(&GraphOutcome::likely_right),
                    wrong = total(&GraphOutcome::likely_wrong);
  const bool damage = r.row.figure == GraphFigure::damage;
  return {r.row.name,
          r.row.title,
          std::to_string(r.outcomes.size()),
          fmt::format("{} / {}", edges.right, edges.wrong()),
          part_of(right, total(&GraphOutcome::edges)),
          part_of(right, right + wrong),
          part_of(total(&GraphOutcome::targets_on_top), total(&GraphOutcome::ranked_targets)),
          fmt::format("{:.2f}", double(total(&GraphOutcome::false_changes_95)) /
                                    double(std::max<std::size_t>(1, r.outcomes.size()))),
          fmt::format("{} of {} / {}", total(&GraphOutcome::confounded_named),
                      total(&GraphOutcome::confounded), total(&GraphOutcome::named_wrongly)),
          fmt::format("{} of {} / {}", total(&GraphOutcome::flagged_rightly),
                      total(&GraphOutcome::all_changed), total.flagged_falsely()),
          damage ? std::to_string(total(&GraphOutcome::turned_round)) : ""};
}

}  // namespace

Table graph_figures_table(const std::vector<GraphBenchResult>& results) {
  Table table{"figures",
              "Mechanisms of many kinds: what was stated, in all data sets of a row together",
              {"row", "data", "sets", "edges > .95: right / wrong", "recall at .5",
               "precision at .5", "targets on top", "false changes > .95 per set",
               "hidden pairs: named / wrongly", "all changed: named / falsely", "turned round"},
              {}};
  for (const GraphBenchResult& r : results) table.rows.push_back(table_row(r));
  return table;
}

std::vector<Claim> graph_figure_claims(const std::vector<GraphBenchResult>& results) {
  std::vector<Claim> claims;
  for (const GraphBenchResult& result : results) {
    FigureClaims row(result, claims);
    claim_row(result.row.figure, row);
  }
  claims.push_back(calibration_claim("edges", &GraphOutcome::edge_bins, results));
  claims.push_back(calibration_claim("changes", &GraphOutcome::target_bins, results));
  return claims;
}

}  // namespace whence
