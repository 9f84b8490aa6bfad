#include "whence/discover/graph/large_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "whence/backends/threads.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/discover/graph/search_steps.hpp"
#include "whence/discover/graph/shared_search.hpp"

namespace whence {

namespace {

constexpr std::size_t first_candidates = 24;  // of each variable, alone
constexpr std::size_t next_candidates = 6;    // beside each variable that explains it best
constexpr int most_explaining = 16;           // variables that are taken together
constexpr std::size_t more_candidates = 12;   // on each graph that was found
constexpr int most_screenings = 6;
constexpr std::size_t fewest_starts = 2, quickly_searched = 256;

/// Makes the lists symmetric and sorts them.
CandidateParents both_ways(CandidateParents lists) {
  const CandidateParents given = lists;
  for (std::size_t child = 0; child < given.size(); ++child)
    for (std::size_t v : given[child]) lists[v].push_back(child);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return lists;
}

/// Some edges are taken out, some are turned round, wherever they are: what comes back is no
/// accident of the way the graph was found.
Dag shaken(Dag dag, double strength, Stream& stream) {
  const double taken_out = strength, turned = strength;
  for (std::size_t to = 0; to < dag.variables(); ++to)
    for (const std::size_t from : dag.parents(to).members()) {
      const double u = stream.uniform();
      if (u > taken_out + turned) continue;
      if (u > taken_out && dag.turning_closes_cycle(from, to)) continue;
      dag.flip(from, to);
      if (u > taken_out) dag.flip(to, from);
      dag.update();
    }
  return dag;
}

/// One look at all pairs from one graph.
struct Screening {
  CandidateParents candidates;
  std::size_t added = 0;  // pairs that were no candidates before
  double best_gain = 0;   // of what stays outside
};

class LargeSearch {
 public:
  LargeSearch(const Dataset& data, const GraphTask& options)
      : data_(data),
        options_(options),
        prior_(regime_prior(data, options)),
        rows_(linear_scorer(data, options, options.scales[0])) {
    refuse_large_families(data, *rows_, options.knowledge);
  }

  LargeGraph run() {
    const Progress& progress = options_.control.progress;
    const auto at = [&](double share) {
      if (progress) progress(share);
    };
    take_scorer(options_.scales[0], all_plain());
    screen_empty_graph();
    at(0.1);
    choose_scale();
    at(0.2);
    screen_again();
    try_tails();
    at(0.3);
    std::vector<KnownRegime> found;
    std::vector<double> scores;
    for (const GraphDraw& one : search_from_several()) {
      found.push_back({one.dag, now_.table->regime(one.regime)});
      scores.push_back(one.score);
    }
    at(0.5);
    screen_again();
    LargeGraph result;
    result.found =
        weigh_graphs(*now_.table, options_, starts_of_chains(found), part_of(progress, 0.6, 1));
    result.found.record.scores = scores;
    result.found.record.families_scored = now_.table->scored();
    if (stopped(options_)) result.found.record.stopped = "stopped";
    report(result.found.record);
    result.scored = {std::move(now_.scorer), std::move(now_.table), now_.scale};
    return result;
  }

 private:
  std::size_t variables() const { return data_.variables.size(); }

  /// Heavy tails are tried where a graph is known: on the empty one everything has them.
  std::vector<char> all_plain() const { return std::vector<char>(variables(), options_.robust); }

  /// Scores of one prior, with the tables that go with them.
  struct Scores {
    double scale = 0;
    std::vector<char> plain;
    std::unique_ptr<LinearFamilyScorer> scorer;
    std::unique_ptr<FamilyTable> table;
  };
  /// A graph with its regime, for whatever table comes.
  struct KnownRegime {
    Dag dag;
    EnvironmentRegime regime;
  };

  EnvironmentRegime present_regime() const {
    return now_.table ? now_.table->regime(best_.regime) : sparse_regime(data_.environments.size());
  }
  void take_scorer(double scale, std::vector<char> plain) {
    const EnvironmentRegime regime = present_regime();
    auto scorer = std::make_unique<LinearFamilyScorer>(*rows_, scale, plain);
    now_ = {scale, std::move(plain), std::move(scorer), nullptr};
    take_table(regime);
  }
  void take_table(const EnvironmentRegime& regime) {
    now_.table =
        std::make_unique<FamilyTable>(*now_.scorer, options_.knowledge, prior_, candidates_);
    best_.regime = now_.table->number_of(regime);
  }

  /// Hill climbing from the best graph so far, under the present scores.
  void climb() {
    estimate_first_steps(*now_.table, options_, best_);
    GraphClimber climber(*now_.table, best_.regime, best_.dag);
    climber.climb(options_.control.stop);
    for (int k = 0; k < 3 && !stopped(options_); ++k) {
      if (!settle_regime(*now_.table, climber, options_.control.stop)) break;
      climber.climb(options_.control.stop);
    }
    best_ = {climber.dag(), climber.regime(), climber.score()};
    tell(options_, best_.score);
  }

  /// What each variable would gain by each other one. Those that would close a cycle are left out.
  Screening screen(std::size_t most) const {
    Screening result{CandidateParents(variables())};
    const double hopeless = now_.scorer->estimate_quality().hopeless;
    std::vector<double> outside(variables(), -std::numeric_limits<double>::infinity());
    parallel_for(variables(), options_.control.threads, [&](std::size_t child) {
      const VariableSet& parents = best_.dag.parents(child);
      const std::vector<double> gains =
          now_.table->all_estimated_gains(best_.regime, child, parents);
      std::vector<std::pair<double, std::size_t>> ranked;
      for (std::size_t k = 0; k < gains.size(); ++k) {
        const std::size_t v = k < child ? k : k + 1;
        if (best_.dag.adjacent(v, child) || best_.dag.closes_cycle(v, child)) continue;
        if (!candidates_.empty() && now_.table->is_candidate(child, v)) continue;
        ranked.emplace_back(-gains[k], v);
      }
      std::sort(ranked.begin(), ranked.end());
      for (const auto& [cost, v] : ranked) {
        if (result.candidates[child].size() == most || !(-cost > hopeless)) {
          outside[child] = -cost;
          break;
        }
        result.candidates[child].push_back(v);
      }
    });
    for (const auto& list : result.candidates) result.added += list.size();
    result.best_gain = *std::max_element(outside.begin(), outside.end());
    return result;
  }

  /// What explains a variable, taken one by one, the best first, whether cause or effect: what only
  /// shows beside others shows here. With each go those that came next.
  std::vector<std::size_t> explaining(std::size_t child) const {
    std::vector<std::size_t> list;
    VariableSet taken = best_.dag.parents(child);
    for (int k = 0; k < most_explaining; ++k) {
      const std::vector<double> gains = now_.table->all_estimated_gains(best_.regime, child, taken);
      std::vector<std::pair<double, std::size_t>> ranked;
      for (std::size_t i = 0; i < gains.size(); ++i)
        if (!std::isnan(gains[i])) ranked.emplace_back(-gains[i], i < child ? i : i + 1);
      const std::size_t most = std::min(ranked.size(), k == 0 ? first_candidates : next_candidates);
      std::partial_sort(ranked.begin(), ranked.begin() + std::ptrdiff_t(most), ranked.end());
      for (std::size_t i = 0; i < most; ++i) list.push_back(ranked[i].second);
      if (most == 0 || !(-ranked[0].first > 0)) break;
      taken.insert(ranked[0].second);
    }
    return list;
  }

  void screen_empty_graph() {
    best_.dag = required_graph(*now_.table);
    candidates_.resize(variables());
    parallel_for(variables(), options_.control.threads, [&](std::size_t child) {
      candidates_[child] = explaining(child);
      best_.dag.parents(child).each([&](std::size_t v) { candidates_[child].push_back(v); });
    });
    candidates_ = both_ways(std::move(candidates_));
    take_table(present_regime());
  }

  /// Again from the best graph, until it gains nothing by what was outside.
  void screen_again() {
    for (int k = 0; k < most_screenings && !stopped(options_); ++k) {
      Screening next = screen(more_candidates);
      best_outside_ = next.best_gain;
      if (next.added == 0) return;
      for (std::size_t child = 0; child < variables(); ++child) {
        auto& list = next.candidates[child];
        list.insert(list.end(), candidates_[child].begin(), candidates_[child].end());
      }
      candidates_ = both_ways(std::move(next.candidates));
      take_table(present_regime());
      const Dag before = best_.dag;
      climb();
      if (best_.dag == before) {
        best_outside_ = screen(0).best_gain;
        return;
      }
    }
  }

  /// Along the list of scales as long as the best graph gains.
  void choose_scale() {
    climb();
    for (std::size_t k = 1; k < options_.scales.size() && !stopped(options_); ++k) {
      const GraphDraw before = best_;
      const EnvironmentRegime regime = present_regime();
      Scores old = std::move(now_);
      now_ = {};
      take_scorer(options_.scales[k], old.plain);
      best_.regime = now_.table->number_of(regime);
      climb();
      if (best_.score > before.score) continue;
      now_ = std::move(old);
      best_ = before;
      break;
    }
  }

  /// Which variables need noise with heavy tails, given their parents in the best graph; with those
  /// scores the graph may change, so twice.
  void try_tails() {
    for (int k = 0; k < 2 && options_.robust && !stopped(options_); ++k) {
      const EnvironmentRegime regime = present_regime();
      std::vector<char> plain = now_.plain;
      parallel_for(variables(), options_.control.threads, [&](std::size_t v) {
        if (plain[v] && rows_->has_tails(v, best_.dag.parents(v).members(), regime)) plain[v] = 0;
      });
      if (plain == now_.plain) return;
      take_scorer(now_.scale, std::move(plain));
      climb();
      screen_again();
    }
  }

  /// From the best graph and from shaken ones; then the best one takes over what others have
  /// better.
  std::vector<GraphDraw> search_from_several() {
    const std::size_t wanted = std::size_t(std::max(1, options_.restarts));
    // As many as wanted while that takes about a minute; a few for a thousand variables.
    const std::size_t starts =
        std::min(wanted, std::max(fewest_starts, wanted * quickly_searched / variables()));
    std::vector<GraphDraw> found(starts, best_);
    parallel_for(starts, options_.control.threads, [&](std::size_t k) {
      if (stopped(options_)) return;
      Stream stream = stream_of(options_, 1, k);
      GraphDraw start = best_;
      if (k > 0) start.dag = shaken(best_.dag, k % 2 == 1 ? 0.15 : 0.3, stream);
      found[k] =
          search_from(*now_.table, options_, start, rounds_of(options_, *now_.table), stream);
    });
    best_ = best_of(found);
    GraphClimber climber(*now_.table, best_.regime, best_.dag);
    for (const GraphDraw& one : found)
      if (one.regime == best_.regime && !stopped(options_))
        climber.take_over(one.dag, options_.control.stop);
    best_ = {climber.dag(), climber.regime(), climber.score()};
    return found;
  }

  std::vector<GraphDraw> starts_of_chains(const std::vector<KnownRegime>& found) const {
    std::vector<GraphDraw> list = {best_};
    for (const KnownRegime& one : found) {
      const std::size_t regime = now_.table->number_of(one.regime);
      list.push_back({one.dag, regime, now_.table->total(regime, one.dag)});
    }
    return list;
  }

  void report(SearchRecord& record) const {
    LeftOutOfSearch out;
    std::size_t looked_at = 0;
    for (const auto& list : candidates_) looked_at += list.size();
    out.pairs = (variables() * (variables() - 1) - looked_at) / 2;
    out.best_gain = best_outside_;
    for (char plain : now_.plain) out.gaussian += plain ? 1 : 0;
    out.settled = variables() - record.moved;
    record.left_out = out;
  }

  const Dataset& data_;
  const GraphTask& options_;
  RegimePrior prior_;
  std::unique_ptr<LinearFamilyScorer> rows_;  // what all scorers share, and what tries tails
  CandidateParents candidates_;
  Scores now_;
  GraphDraw best_;
  double best_outside_ = 0;
};

}  // namespace

LargeGraph find_large_graph(const Dataset& data, const GraphTask& options) {
  return LargeSearch(data, options).run();
}

}  // namespace whence
