#include "whence/discover/limits/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "whence/math/dense.hpp"

namespace whence {

namespace {

constexpr double half = 0.5;
constexpr double unconfirmed = 0.9;  // the most that one of two answers can state alone

constexpr std::size_t most_for_labels = 40;  // labels take minutes with more

/// Rows of the largest environment, and of the one in the middle.
struct UsualRows {
  std::size_t largest = 0, middle = 0;

  explicit UsualRows(const GraphResult& result) {
    std::vector<std::size_t> rows;
    for (const GraphEnvironment& environment : result.environments)
      rows.push_back(environment.rows);
    std::sort(rows.begin(), rows.end());
    largest = rows.back();
    middle = rows[rows.size() / 2];
  }
};

bool rows_enough(const Dataset& data, const GraphResult& result) {
  constexpr std::size_t of_baseline = 200, of_environment = 50;
  if (data.variables.size() > most_for_labels) return false;
  const UsualRows rows(result);
  return rows.largest >= of_baseline && rows.middle >= of_environment;
}

/// What stands between two variables: three probabilities.
struct PairAnswer {
  double forward, backward, hidden;

  PairAnswer(const GraphResult& result, std::size_t a, std::size_t b)
      : forward(result.edges.at(a, b)),
        backward(result.edges.at(b, a)),
        hidden(result.hidden.variables == 0 ? 0 : result.hidden.at(a, b)) {}

  /// Linked, and hardly anything says how.
  bool is_open() const {
    constexpr double hardly = 0.6;
    return std::max({forward, backward, hidden}) < hardly && forward + backward + hidden > half;
  }
  /// The one that is more likely than not, if any.
  int kind() const { return forward > half ? 1 : backward > half ? 2 : is_hidden() ? 3 : 0; }
  bool is_hidden() const { return hidden > half; }
};

/// The rows of an environment as a regression on causes has them: one, the causes, the effect.
Matrix regression_rows(const Dataset& data, const Environment& here, const Graph& graph,
                       std::size_t effect) {
  std::vector<std::size_t> columns;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    if (graph.edge(VariableId(v), VariableId(effect))) columns.push_back(v);
  columns.push_back(effect);
  Matrix rows(here.rows(), columns.size() + 1);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    rows(r, 0) = 1;
    for (std::size_t c = 0; c < columns.size(); ++c)
      rows(r, c + 1) = data.columns[columns[c]].values[here.begin + r];
  }
  return rows;
}

/// How far the line of some rows is from that of the reference.
struct LineMove {
  double gain = INFINITY;  // nats per row that it gains over the reference's, for Gaussian noise
  double spread = 0;       // log of how many times as large its noise is
  double offset = 0;       // nats per row of the gain that another intercept alone gives

  /// Whether it is the noise that changed.
  bool is_of_noise() const {
    constexpr double other_noise = 0.4, part = 0.5;
    return std::abs(spread) > other_noise && offset < part * gain;
  }
};

LineMove move_of_line(const Matrix& reference, const Matrix& rows) {
  const std::size_t last = rows.columns - 1;
  if (std::min(reference.rows, rows.rows) <= rows.columns) return {};
  const Matrix usual = factor_of_gram(reference), own = factor_of_gram(rows);
  Matrix causes(last, last), weights(last, 1);
  for (std::size_t i = 0; i < last; ++i) {
    for (std::size_t j = 0; j <= i; ++j) causes(i, j) = usual(i, j);
    weights(i, 0) = usual(last, i);
  }
  weights = lower_transposed_solve(causes, weights);
  double square = 0, mean = 0;  // of what the reference's line leaves over
  for (std::size_t r = 0; r < rows.rows; ++r) {
    double left = rows(r, last);
    for (std::size_t i = 0; i < last; ++i) left -= weights(i, 0) * rows(r, i);
    square += left * left / double(rows.rows);
    mean += left / double(rows.rows);
  }
  const auto variance = [&](const Matrix& factor, std::size_t n) {
    return factor(last, last) * factor(last, last) / double(n);
  };
  const double before = variance(usual, reference.rows), here = variance(own, rows.rows);
  constexpr double tiny = 1e-12;
  const double spread = 0.5 * std::log(here / before);
  const double offset = 0.5 * std::log(square / std::max(square - mean * mean, tiny * square));
  return {0.5 * (square / before - 1) - spread, spread, offset};
}

std::size_t reference_of(const GraphResult& result) {
  std::size_t found = 0;
  for (std::size_t e = 0; e < result.environments.size(); ++e) {
    if (result.environments[e].baseline) return e;
    if (result.environments[e].rows > result.environments[found].rows) found = e;
  }
  return found;
}

/// How far the mechanism of a variable moved in an environment.
LineMove move_of(const GraphResult& linear, const Dataset& data, std::size_t v, std::size_t e) {
  const auto rows = [&](std::size_t which) {
    return regression_rows(data, data.environments[which], linear.graph, v);
  };
  return move_of_line(rows(reference_of(linear)), rows(e));
}

/// Whether one mechanism changed in every second environment: it may drift.
bool one_changes_often(const GraphResult& linear) {
  constexpr std::size_t fewest = 3;
  for (std::size_t v = 0; v < linear.variables.size(); ++v) {
    std::size_t changed = 0;
    for (const GraphEnvironment& e : linear.environments)
      changed += !e.baseline && e.changed[v] > half;
    if (changed >= fewest && 2 * changed >= linear.environments.size() - 1) return true;
  }
  return false;
}

/// Whether lines, too, have a sign of something hidden behind two variables: where one changed, the
/// other's mechanism seems to have changed every time. Labels find such links also where only the
/// noise of a cause changed, which they hardly see its effect follow.
bool seems_hidden(const std::vector<GraphEnvironment>& linear, std::size_t a, std::size_t b) {
  bool together = false;
  for (const GraphEnvironment& environment : linear) {
    if (environment.all_changed > half || environment.changed[a] <= half) continue;
    if (environment.changed[b] <= half) return false;
    together = true;
  }
  return together;
}

}  // namespace

bool small_changes_abound(const GraphResult& linear, const Dataset& data) {
  constexpr double small = 0.1;  // nats per row: a move of .45 noise deviations
  const std::size_t reference = reference_of(linear);
  std::size_t with_small = 0, judged = 0;
  for (std::size_t e = 0; e < linear.environments.size(); ++e) {
    const GraphEnvironment& environment = linear.environments[e];
    if (e == reference || environment.all_changed > half) continue;
    ++judged;
    for (std::size_t v = 0; v < linear.variables.size(); ++v) {
      if (environment.changed[v] <= half || !(move_of(linear, data, v, e).gain < small)) continue;
      ++with_small;
      break;
    }
  }
  return with_small > 0 && 4 * with_small >= judged;
}

bool calls_for_second_opinion(const GraphResult& linear, const Dataset& data) {
  if (!rows_enough(data, linear)) return false;
  if (!linear.maybe_confounded.empty()) return true;
  // Everything changed in a few environments only: as likely they are what the model cannot
  // fit.
  const auto all_changed = std::count_if(
      linear.environments.begin(), linear.environments.end(),
      [](const GraphEnvironment& environment) { return environment.all_changed > half; });
  if (all_changed > 0 && 4 * std::size_t(all_changed) < linear.environments.size()) return true;
  if (one_changes_often(linear)) return true;
  const double many = std::max(2.0, double(linear.variables.size()) / 3);
  return std::any_of(
      linear.environments.begin(), linear.environments.end(),
      [&](const GraphEnvironment& environment) {
        const auto changed = std::count_if(environment.changed.begin(), environment.changed.end(),
                                           [](double p) { return p > half; });
        return !environment.baseline && environment.all_changed < half && double(changed) >= many;
      });
}

bool finds_drift(const GraphResult& labels) {
  const auto drifts = [](double scale) { return scale > 0; };
  return std::any_of(labels.drift.begin(), labels.drift.end(), drifts) ||
         std::any_of(labels.environments.begin(), labels.environments.end(),
                     [&](const GraphEnvironment& e) { return drifts(e.drift); });
}

bool denies_much(const GraphResult& labels, const GraphResult& linear, bool drifting) {
  std::size_t edges = 0, denied = 0;
  for (std::size_t k = 0; k < linear.edges.values.size(); ++k) {
    if (linear.edges.values[k] <= half) continue;
    ++edges;
    const std::size_t a = k / linear.edges.variables, b = k % linear.edges.variables;
    const bool otherwise = labels.hidden.at(a, b) > half || labels.edges.at(b, a) > half;
    denied += drifting ? labels.edges.at(a, b) <= half
                       : otherwise && seems_hidden(linear.environments, a, b);
  }
  return 3 * denied > edges;
}

namespace {

/// Changes as far as labels confirm them. Labels hardly see noise that became larger or smaller, so
/// there lines may be right; any other move that labels do not see is drift. Whether there is much.
bool temper_changes(GraphResult& linear, const GraphResult& labels, const Dataset& data) {
  constexpr double room = 0.05;  // what labels hold likelier comes first
  std::size_t drifting = 0;
  for (std::size_t e = 0; e < linear.environments.size(); ++e) {
    GraphEnvironment& here = linear.environments[e];
    bool drifts = false;
    double none = 1;
    for (std::size_t v = 0; v < linear.variables.size(); ++v) {
      double& p = here.changed[v];
      const double other = labels.environments[e].changed[v];
      if (p > half && other < p) {
        const bool noise = move_of(linear, data, v, e).is_of_noise();
        if (!noise) p = other;
        if (noise && other <= half) p = std::min(p, unconfirmed - room * (1 - other));
        drifts |= !noise && other < half;
      }
      none *= 1 - p;
    }
    if (!drifts) continue;
    here.none_changed = std::max(here.none_changed, none * (1 - here.all_changed));
    ++drifting;
  }
  return drifting > 0 && 4 * drifting >= linear.environments.size() - 1;
}

/// Where something drifts and labels have another link between two variables, or none, neither
/// answer is sure.
void weigh_links(GraphResult& linear, const GraphResult& labels) {
  constexpr double lines = 0.55;
  for (std::size_t a = 0; a < linear.variables.size(); ++a)
    for (std::size_t b = a + 1; b < linear.variables.size(); ++b) {
      const PairAnswer here(linear, a, b), other(labels, a, b);
      if (here.kind() == other.kind() || other.is_hidden() || other.is_open()) continue;
      linear.edges.at(a, b) = lines * here.forward + (1 - lines) * other.forward;
      linear.edges.at(b, a) = lines * here.backward + (1 - lines) * other.backward;
    }
}

}  // namespace

void temper(GraphResult& linear, const GraphResult& labels, const Dataset& data) {
  const std::size_t m = linear.variables.size();
  const std::vector<GraphEnvironment> by_lines = linear.environments;
  const bool drifts = temper_changes(linear, labels, data);
  const double confirmed = drifts ? unconfirmed : half;
  linear.hidden = linear.shift_only = EdgeMatrix(m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      double& p = linear.edges.at(a, b);
      if (a == b || labels.edges.at(a, b) >= confirmed) continue;
      const double left = std::max(0.0, p - unconfirmed);
      p -= left;
      if (labels.hidden.at(a, b) <= half || !seems_hidden(by_lines, a, b)) continue;
      // Something hidden, as labels have it, or a cause, as lines have it: as likely either
      // way.
      const double hidden = std::min(p, 0.5) * labels.hidden.at(a, b) + left;
      p -= hidden - left;
      linear.hidden.at(a, b) = linear.hidden.at(b, a) = std::max(linear.hidden.at(a, b), hidden);
    }
  for (const auto& [a, b] : linear.maybe_confounded) {
    double& p = linear.edges.at(a, b);
    const double left = std::max(0.0, p - unconfirmed);
    p -= left;
    linear.hidden.at(a, b) = linear.hidden.at(b, a) = linear.hidden.at(a, b) + left;
  }
  if (drifts) weigh_links(linear, labels);
  list_findings_again(linear);
}

bool lines_are_unchecked(const GraphResult& linear, std::size_t variables) {
  constexpr std::size_t fewest = 60, of_environment = 50, environments = 2;
  if (variables > most_for_labels) return false;
  const std::size_t reference = reference_of(linear);
  std::vector<std::size_t> rows;
  for (std::size_t e = 0; e < linear.environments.size(); ++e)
    if (e != reference) rows.push_back(linear.environments[e].rows);
  if (rows.size() < environments) return false;  // too few for labels to find directions
  std::sort(rows.begin(), rows.end());
  const std::size_t of_baseline = linear.environments[reference].rows;
  return of_baseline >= fewest && of_baseline < rows_that_check &&
         rows[rows.size() / 2] >= of_environment;
}

void join(GraphResult& linear, const GraphResult& labels) {
  const std::size_t m = linear.variables.size();
  if (linear.hidden.variables == 0) linear.hidden = EdgeMatrix(m);
  linear.shift_only = labels.shift_only;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      const PairAnswer other(labels, a, b);
      if (PairAnswer(linear, a, b).kind() == other.kind()) continue;
      if (other.is_open()) {  // that is no denial
        for (double* p : {&linear.edges.at(a, b), &linear.edges.at(b, a)})
          *p = std::min(*p, unconfirmed);
        continue;
      }
      linear.edges.at(a, b) = std::min(other.forward, unconfirmed);
      linear.edges.at(b, a) = std::min(other.backward, unconfirmed);
      linear.hidden.at(a, b) = linear.hidden.at(b, a) = std::min(other.hidden, unconfirmed);
    }
  for (std::size_t e = 0; e < linear.environments.size(); ++e) {
    GraphEnvironment& here = linear.environments[e];
    const GraphEnvironment& other = labels.environments[e];
    const auto one_of = [](double& p, double q) {
      if ((p > half) != (q > half)) p = std::min(q, unconfirmed);
    };
    one_of(here.all_changed, other.all_changed);
    for (std::size_t v = 0; v < m; ++v) one_of(here.changed[v], other.changed[v]);
  }
  list_findings_again(linear);
}

void list_findings_again(GraphResult& result) {
  std::vector<EdgeFinding> findings = edges_worth_showing(result.edges);
  for (EdgeFinding& finding : findings)
    for (const EdgeFinding& edge : result.findings)
      if (edge.from == finding.from && edge.to == finding.to) {
        const double probability = finding.probability, adjacent = finding.adjacent_probability;
        finding = edge;
        finding.probability = probability;
        finding.adjacent_probability = adjacent;
        if (probability == edge.probability) continue;
        for (double& p : finding.leave_one_out) p = std::min(p, probability);
      }
  result.findings = std::move(findings);
}

}  // namespace whence
