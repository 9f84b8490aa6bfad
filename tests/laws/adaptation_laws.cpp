// Gradient adaptation: exact identities of online likelihoods, and the fast code against the
// reference.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/bits.hpp"
#include "support/effort.hpp"
#include "support/optimizers.hpp"
#include "support/simd.hpp"
#include "support/tables.hpp"
#include "whence/adapt/categorical_adapter.hpp"
#include "whence/backends/backend.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence::laws {
namespace {

using support::all_optimizers;
using support::Inputs;
using Table = CategoricalTable<double>;
using Levels = std::vector<std::int32_t>;

/// What one episode shows one family: `batch` examples per step, parents' configuration and child.
struct Examples {
  int batch = 1;
  Levels configuration, level;
  std::size_t steps() const { return level.size() / std::size_t(batch); }
};

/// Scores of an episode, one per step, starting from the table.
using Scorer =
    std::function<std::vector<double>(const Table&, const OptimizerSpec&, const Examples&)>;

/// The examples as a data set of a child and one parent.
Dataset as_dataset(const Table& table, const Examples& examples) {
  Dataset data;
  data.variables = support::categorical_variables({table.levels(), int(table.rows())});
  data.columns = {{examples.level, {}}, {examples.configuration, {}}};
  return data;
}

const Family child_given_parent = {VariableId(0), {VariableId(1)}};

std::vector<double> reference_scores(const Table& table, const OptimizerSpec& spec,
                                     const Examples& examples) {
  Table learner = table;
  Optimizer<double> optimizer(spec, learner.parameters().size());
  std::vector<double> scores(examples.steps());
  adapt(learner, optimizer, as_dataset(table, examples), child_given_parent,
        {0, int(examples.steps()), examples.batch}, std::span(scores));
  return scores;
}

std::vector<double> fast_scores(const Table& table, const OptimizerSpec& spec,
                                const Examples& examples) {
  const TablePlan plan(table);
  TableScratch scratch;
  scratch.restart(plan);
  std::vector<double> scores(examples.steps());
  adapt_table(plan, spec, examples.batch, examples.configuration.data(), examples.level.data(),
              scratch, scores);
  return scores;
}

/// The loop of adapt() with its mistakes as switches.
struct Mistakes {
  bool evaluate_after_update = false, mean_over_batch = false, never_learns = false;
  bool learns_each_example = false, reads_next_batch = false;
};

Scorer mistaken(const Mistakes& wrong) {
  return [wrong](const Table& table, const OptimizerSpec& spec, const Examples& examples) {
    Table learner = table;
    const Dataset data = as_dataset(table, examples);
    Optimizer<double> optimizer(spec, learner.parameters().size());
    std::vector<double> scores, gradient(learner.parameters().size());
    for (std::size_t t = 0; t < examples.steps(); ++t) {
      const std::size_t begin = t * std::size_t(examples.batch),
                        end = begin + std::size_t(examples.batch);
      const auto score = [&] {
        double sum = 0;
        for (std::size_t r = begin; r < end; ++r)
          sum += learner.log_prob(data, child_given_parent, r);
        return wrong.mean_over_batch ? sum / examples.batch : sum;
      };
      const double before = score();
      gradient.assign(gradient.size(), 0.0);
      const std::size_t peek = wrong.reads_next_batch && t + 1 < examples.steps() ? end - begin : 0;
      for (std::size_t r = begin; r < end; ++r) {
        if (wrong.learns_each_example) gradient.assign(gradient.size(), 0.0);
        learner.add_gradient(data, child_given_parent, r + peek, -1.0 / examples.batch,
                             std::span(gradient));
        if (wrong.learns_each_example)
          optimizer.step(learner.parameters(), std::span<const double>(gradient));
      }
      if (!wrong.never_learns && !wrong.learns_each_example)
        optimizer.step(learner.parameters(), std::span<const double>(gradient));
      scores.push_back(wrong.evaluate_after_update ? score() : before);
    }
    return scores;
  };
}

double total(const std::vector<double>& scores) {
  return std::accumulate(scores.begin(), scores.end(), 0.0);
}

/// Calls visit(x) for every x in {0, ..., levels - 1}^length.
template <class Visit>
void for_each_sequence(int levels, std::size_t length, const Visit& visit) {
  Levels x(length, 0);
  for (;;) {
    visit(x);
    std::size_t i = 0;
    while (i < length && ++x[i] == levels) x[i++] = 0;
    if (i == length) return;
  }
}

struct EpisodeShape {
  int levels, steps, batch;
};

/// The probabilities of all episodes add up to 1: online likelihoods are probabilities (errata E8).
Finding episodes_are_a_distribution(const Scorer& scorer) {
  Finding finding;
  Inputs inputs(41);
  const EpisodeShape shapes[] = {{2, 1, 1}, {2, 2, 1}, {2, 3, 1}, {2, 2, 2}, {2, 3, 2},
                                 {3, 2, 1}, {3, 3, 1}, {3, 2, 2}, {3, 3, 2}};
  for (const auto& optimizer : all_optimizers())
    for (const EpisodeShape& shape : shapes) {
      if (shape.levels == 3 && shape.steps * shape.batch == 6 && support::effort_divisor > 1)
        continue;
      const std::size_t length = std::size_t(shape.steps * shape.batch);
      // A marginal, and a conditional whose parents follow a fixed path.
      for (std::size_t rows : {1, 2}) {
        const Table table = support::random_table(inputs, shape.levels, rows);
        Examples examples = {shape.batch, inputs.levels(length, int(rows)), {}};
        long double sum = 0;
        for_each_sequence(shape.levels, length, [&](const Levels& level) {
          examples.level = level;
          sum += std::exp((long double)(total(scorer(table, optimizer.spec, examples))));
        });
        finding.near(double(sum), 1, 1e-12,
                     fmt::format("{}, N = {}, T = {}, batch {}", optimizer.name, shape.levels,
                                 shape.steps, shape.batch));
      }
    }
  return finding;
}

LAW(AdaptationLaws, EpisodesAreADistribution, episodes_are_a_distribution,
    {{"reference", reference_scores}, {"fast", fast_scores}},
    {{"evaluated after the update", mistaken({.evaluate_after_update = true})},
     {"mean over the batch", mistaken({.mean_over_batch = true})},
     {"learns from the next batch", mistaken({.reads_next_batch = true})}});

/// The same of a pair: sum over all (a, b) of P(a) P(b | a), both adapting.
Finding pair_episodes_are_a_distribution(const Scorer& scorer) {
  Finding finding;
  Inputs inputs(42);
  const EpisodeShape shapes[] = {{2, 3, 1}, {2, 2, 2}, {3, 2, 1}};
  for (const auto& optimizer : all_optimizers())
    for (const EpisodeShape& shape : shapes) {
      const Table p_a = support::random_table(inputs, shape.levels, 1);
      const Table p_b_a = support::random_table(inputs, shape.levels, std::size_t(shape.levels));
      const std::size_t length = std::size_t(shape.steps * shape.batch);
      long double sum = 0;
      for_each_sequence(shape.levels, 2 * length, [&](const Levels& both) {
        const Levels a(both.begin(), both.begin() + std::ptrdiff_t(length));
        const Levels b(both.begin() + std::ptrdiff_t(length), both.end());
        sum += std::exp(
            (long double)(total(scorer(p_a, optimizer.spec, {shape.batch, Levels(length, 0), a})) +
                          total(scorer(p_b_a, optimizer.spec, {shape.batch, a, b}))));
      });
      finding.near(double(sum), 1, 1e-12, optimizer.name);
    }
  return finding;
}

LAW(AdaptationLaws, PairEpisodesAreADistribution, pair_episodes_are_a_distribution,
    {{"reference", reference_scores}, {"fast", fast_scores}},
    {{"evaluated after the update", mistaken({.evaluate_after_update = true})},
     {"parents in the child's place",
      [](const Table& table, const OptimizerSpec& spec, const Examples& examples) {
        return fast_scores(table, spec,
                           {examples.batch, examples.configuration,
                            table.rows() > 1 ? examples.configuration : examples.level});
      }}});

/// Renaming the categories of a child changes no score.
Finding relabelling_changes_no_score(const Scorer& scorer) {
  Finding finding;
  Inputs inputs(43);
  const int levels = 5;
  const Levels name = {3, 0, 4, 2, 1};
  for (const auto& optimizer : all_optimizers())
    for (int trial = 0; trial < 5; ++trial) {
      const Table table = support::random_table(inputs, levels, 3);
      std::vector<double> logits(15);
      for (std::size_t i = 0; i < 15; ++i)
        logits[i / 5 * 5 + std::size_t(name[i % 5])] = table.parameters()[i];
      Examples examples = {2, inputs.levels(12, 3), inputs.levels(12, levels)};
      const auto before = scorer(table, optimizer.spec, examples);
      for (auto& level : examples.level) level = name[std::size_t(level)];
      const auto after = scorer(Table(levels, logits), optimizer.spec, examples);
      for (std::size_t t = 0; t < before.size(); ++t)
        finding.near(after[t], before[t], 1e-12, optimizer.name);
    }
  return finding;
}

LAW(AdaptationLaws, RelabellingCategoriesChangesNoScore, relabelling_changes_no_score,
    {{"reference", reference_scores}, {"fast", fast_scores}},
    {{"level 0 does not learn",
      [](const Table& table, const OptimizerSpec& spec, const Examples& examples) {
        auto scores = fast_scores(table, spec, examples);
        const auto still = mistaken({.never_learns = true})(table, spec, examples);
        for (std::size_t t = 0; t < scores.size(); ++t)
          if (examples.level[t * std::size_t(examples.batch)] == 0) scores[t] = still[t];
        return scores;
      }}});

/// The fast code computes what the readable code says.
Finding agrees_with_reference(const Scorer& scorer) {
  Finding finding;
  Inputs inputs(44);
  for (const auto& optimizer : all_optimizers())
    for (int levels : {2, 3, 7, 8, 9, 10, 16, 17, 100})
      for (std::size_t rows : {1, 3, 12})
        for (int batch : {1, 3, 10}) {
          const Table table = support::random_table(inputs, levels, rows);
          const std::size_t n = std::size_t(batch) * 6;
          const Examples examples = {batch, inputs.levels(n, int(rows)), inputs.levels(n, levels)};
          const auto expected = reference_scores(table, optimizer.spec, examples);
          const auto measured = scorer(table, optimizer.spec, examples);
          for (std::size_t t = 0; t < expected.size(); ++t)
            finding.near(measured[t], expected[t], 1e-12 * std::max(1.0, std::abs(expected[t])),
                         fmt::format("{}, {} levels, {} rows, batch {}, step {}", optimizer.name,
                                     levels, rows, batch, t));
        }
  return finding;
}

LAW(AdaptationLaws, FastAgreesWithReference, agrees_with_reference, {{"fast", fast_scores}},
    {{"evaluated after the update", mistaken({.evaluate_after_update = true})},
     {"learns from each example", mistaken({.learns_each_example = true})},
     {"never learns", mistaken({.never_learns = true})},
     {"rows not visited stand still",
      [](const Table& table, const OptimizerSpec& spec, const Examples& examples) {
        OptimizerSpec without = spec;  // momentum forgotten while a row is not visited
        without.momentum = 0;
        return fast_scores(table, without, examples);
      }}});

/// Long episodes: rows that rest for many steps catch up with their momentum.
Finding long_episodes_agree(const Scorer& scorer) {
  Finding finding;
  Inputs inputs(45);
  for (const auto& optimizer : all_optimizers()) {
    const Table table = support::random_table(inputs, 4, 30);
    const Examples examples = {2, inputs.levels(300, 30), inputs.levels(300, 4)};
    const auto expected = reference_scores(table, optimizer.spec, examples);
    const auto measured = scorer(table, optimizer.spec, examples);
    for (std::size_t t = 0; t < expected.size(); ++t)
      finding.near(measured[t], expected[t], 1e-11 * std::max(1.0, std::abs(expected[t])),
                   fmt::format("{}, step {}", optimizer.name, t));
  }
  return finding;
}

LAW(AdaptationLaws, RestingRowsCatchUp, long_episodes_agree, {{"fast", fast_scores}},
    {{"momentum rests too",
      [](const Table& table, const OptimizerSpec& spec, const Examples& examples) {
        // Each row gets an optimizer of its own, which steps only when the row is visited.
        std::vector<double> scores;
        std::vector<Table> learner;
        std::vector<Optimizer<double>> optimizer;
        const auto levels = std::size_t(table.levels());
        for (std::size_t i = 0; i < table.rows(); ++i) {
          learner.emplace_back(int(levels),
                               std::vector<double>(table.row(i).begin(), table.row(i).end()));
          optimizer.emplace_back(spec, levels);
        }
        for (std::size_t t = 0; t < examples.steps(); ++t) {
          std::vector<std::vector<double>> gradient(table.rows());
          double score = 0;
          for (std::size_t r = 2 * t; r < 2 * t + 2; ++r) {
            const auto c = std::size_t(examples.configuration[r]);
            const auto level = std::size_t(examples.level[r]);
            score += learner[c].log_prob(0, int(level));
            gradient[c].resize(levels);
            for (std::size_t j = 0; j < levels; ++j)
              gradient[c][j] += (std::exp(learner[c].log_prob(0, int(j))) - (j == level)) / 2;
          }
          for (std::size_t c = 0; c < table.rows(); ++c)
            if (!gradient[c].empty())
              optimizer[c].step(learner[c].parameters(), std::span<const double>(gradient[c]));
          scores.push_back(score);
        }
        return scores;
      }}});

/// Test-set log-likelihood before each update.
using TestCurve = std::function<std::vector<double>(const Table&, const OptimizerSpec&,
                                                    const Examples&, const Examples& test)>;

std::vector<double> fast_test_curve(const Table& table, const OptimizerSpec& spec,
                                    const Examples& examples, const Examples& test) {
  const TablePlan plan(table);
  TableScratch scratch;
  scratch.restart(plan);
  const TestCounts counts(plan, as_dataset(table, test), child_given_parent, 0, test.level.size());
  std::vector<double> scores(examples.steps()), curve(examples.steps());
  adapt_table(plan, spec, examples.batch, examples.configuration.data(), examples.level.data(),
              scratch, scores, false, &counts, curve);
  return curve;
}

/// Point by point, with the reference learner; `early` steps are counted before the evaluation.
std::vector<double> point_by_point(const Table& table, const OptimizerSpec& spec,
                                   const Examples& examples, const Examples& test, bool late) {
  Table learner = table;
  const Dataset data = as_dataset(table, examples), held_out = as_dataset(table, test);
  Optimizer<double> optimizer(spec, learner.parameters().size());
  std::vector<double> curve, score(1);
  for (std::size_t t = 0; t < examples.steps(); ++t) {
    const auto step = [&] {
      adapt(learner, optimizer, data, child_given_parent,
            {t * std::size_t(examples.batch), 1, examples.batch}, std::span(score));
    };
    if (late) step();
    double sum = 0;
    for (std::size_t r = 0; r < test.level.size(); ++r)
      sum += learner.log_prob(held_out, child_given_parent, r);
    curve.push_back(sum / double(test.level.size()));
    if (!late) step();
  }
  return curve;
}

Finding test_curve_is_point_by_point(const TestCurve& curve) {
  Finding finding;
  Inputs inputs(46);
  for (const auto& optimizer : all_optimizers())
    for (int levels : {2, 7, 8, 10, 17})
      for (std::size_t rows : {1, 4, 12})
        for (int batch : {1, 3}) {
          const Table table = support::random_table(inputs, levels, rows);
          const auto examples = [&](int each, std::size_t n) {
            return Examples{each, inputs.levels(n, int(rows)), inputs.levels(n, levels)};
          };
          const Examples train = examples(batch, 15 * std::size_t(batch)), test = examples(1, 50);
          const auto expected = point_by_point(table, optimizer.spec, train, test, false);
          const auto measured = curve(table, optimizer.spec, train, test);
          for (std::size_t t = 0; t < expected.size(); ++t)
            finding.near(measured[t], expected[t], 1e-12 * std::max(1.0, std::abs(expected[t])),
                         fmt::format("{}, {} levels, {} rows, batch {}, step {}", optimizer.name,
                                     levels, rows, batch, t));
        }
  return finding;
}

LAW(AdaptationLaws, TestCurveIsPointByPoint, test_curve_is_point_by_point,
    {{"counts", fast_test_curve}},
    {{"one step late",
      [](const Table& table, const OptimizerSpec& spec, const Examples& train,
         const Examples& test) { return point_by_point(table, spec, train, test, true); }},
     {"last point forgotten",
      [](const Table& table, const OptimizerSpec& spec, const Examples& train, Examples test) {
        test.level.pop_back();
        test.configuration.pop_back();
        return fast_test_curve(table, spec, train, test);
      }}});

/// Following a test set must not change what is learnt.
Finding watching_changes_nothing(const TestCurve& scores_while_watching) {
  Finding finding;
  Inputs inputs(47);
  for (const auto& optimizer : all_optimizers()) {
    const Table table = support::random_table(inputs, 9, 5);
    const Examples train = {2, inputs.levels(40, 5), inputs.levels(40, 9)};
    const Examples test = {1, inputs.levels(30, 5), inputs.levels(30, 9)};
    const auto expected = fast_scores(table, optimizer.spec, train);
    const auto measured = scores_while_watching(table, optimizer.spec, train, test);
    for (std::size_t t = 0; t < expected.size(); ++t)
      finding.near(measured[t], expected[t], 1e-13 * std::max(1.0, std::abs(expected[t])),
                   fmt::format("{}, step {}", optimizer.name, t));
  }
  return finding;
}

std::vector<double> scores_watched(const Table& table, const OptimizerSpec& spec,
                                   const Examples& examples, const Examples& test) {
  const TablePlan plan(table);
  TableScratch scratch;
  scratch.restart(plan);
  const TestCounts counts(plan, as_dataset(table, test), child_given_parent, 0, test.level.size());
  std::vector<double> scores(examples.steps()), curve(examples.steps());
  adapt_table(plan, spec, examples.batch, examples.configuration.data(), examples.level.data(),
              scratch, scores, false, &counts, curve);
  return scores;
}

LAW(AdaptationLaws, WatchingATestSetChangesNoScore, watching_changes_nothing,
    {{"adapt_table", scores_watched}},
    {{"learns from the test set", [](const Table& table, const OptimizerSpec& spec,
                                     const Examples& train, const Examples& test) {
        Examples both = test;
        both.batch = train.batch;
        both.level.insert(both.level.end(), train.level.begin(), train.level.end());
        both.configuration.insert(both.configuration.end(), train.configuration.begin(),
                                  train.configuration.end());
        auto scores = fast_scores(table, spec, both);
        scores.erase(scores.begin(), scores.end() - std::ptrdiff_t(train.steps()));
        return scores;
      }}});

// ---- backends ----

/// A pair with its four exact families, and shifted episodes.
struct Task {
  Dataset data;
  std::vector<Episode> episodes;
  std::vector<Module> modules;
};

Task pair_task(int levels, std::size_t episodes, int steps, int batch, bool exact = true) {
  const auto world = CategoricalWorld::draw_pair(levels, 1, 5, 0);
  const auto other = CategoricalWorld::draw_pair(levels, 1, 6, 0);
  Task task;
  for (const Family& family : pair_hypotheses().families) {
    const bool marginal_of_b = family == Family{VariableId(1), {}};
    task.modules.push_back({family, (exact || !marginal_of_b ? world : other).conditional(family)});
  }
  const std::size_t rows = std::size_t(steps) * std::size_t(batch);
  task.data = make_dataset(world.variables(), episodes * rows);
  ShiftedWorld shifted(world);
  for (std::size_t e = 0; e < episodes; ++e) {
    const Cell cell = {0, std::uint32_t(e)};
    shifted.shift({ShiftKind::cause}, 1, Stream(5, Purpose::shift, cell));
    shifted.sample(Stream(5, Purpose::sample, cell), task.data, e * rows, rows);
    task.episodes.push_back({e * rows, steps, batch});
  }
  return task;
}

/// How to score a task; `family_of_b` etc. are the modules of the task.
using TaskScorer = std::function<Scores(const Task&, const GradientAdaptation&)>;

Scores score_reference(const Task& task, const GradientAdaptation& adaptation) {
  return reference_backend()->score(task.data, task.episodes, task.modules, adaptation);
}
Scores score_cpu(const Task& task, const GradientAdaptation& adaptation) {
  return cpu_backend()->score(task.data, task.episodes, task.modules, adaptation);
}

/// Before anything has been learnt both factorisations of the same joint say the same (1e-11).
Finding first_batch_says_nothing(const TaskScorer& scorer) {
  Finding finding;
  const auto pair = pair_hypotheses();
  for (int levels : {2, 3, 10}) {
    const Task task = pair_task(levels, 50, 2, 10);
    const Scores scores = scorer(task, {{.learning_rate = 0.1}, true});
    for (std::size_t e = 0; e < scores.episodes(); ++e)
      finding.near(scores.log_lik(EpisodeId(e), pair.forward, 0) -
                       scores.log_lik(EpisodeId(e), pair.backward, 0),
                   0, 1e-11, "delta of the first batch");
  }
  return finding;
}

LAW(AdaptationLaws, FirstBatchSaysNothing, first_batch_says_nothing,
    {{"reference", score_reference}, {"cpu", score_cpu}},
    {{"a marginal trained elsewhere",
      [](const Task& task, const GradientAdaptation& adaptation) {
        Task other = task;
        const int levels = task.data.variables[0].levels;
        other.modules = pair_task(levels, 1, 1, 1, false).modules;
        return score_cpu(other, adaptation);
      }},
     {"parameters carried over", [](const Task& task, const GradientAdaptation& adaptation) {
        return score_cpu(task, {adaptation.optimizer, false});
      }}});

/// The two backends agree, with reset and without, whatever the number of parents.
Finding backends_agree(const TaskScorer& scorer) {
  Finding finding;
  Inputs inputs(48);
  for (const auto& optimizer : all_optimizers())
    for (int levels : {2, 8, 10, 17})
      for (bool reset : {true, false})
        for (int batch : {1, 10}) {
          Task task;
          task.data.variables = support::categorical_variables({levels, 3, 4});
          const std::size_t rows = 4 * 5 * std::size_t(batch);
          for (const Variable& v : task.data.variables)
            task.data.columns.push_back({inputs.levels(rows, v.levels), {}});
          for (std::size_t parents : {0, 1, 2}) {
            const Family family = support::first_given_rest(1 + parents);
            const std::size_t table_rows = configurations(task.data.variables, family);
            task.modules.push_back({family, support::random_table(inputs, levels, table_rows)});
          }
          // Out of order, to see that nothing depends on the place of an episode's rows.
          for (std::size_t e : {2, 0, 3, 1})
            task.episodes.push_back({e * 5 * std::size_t(batch), 5, batch});
          const GradientAdaptation adaptation = {optimizer.spec, reset};
          const Scores expected = score_reference(task, adaptation);
          const Scores measured = scorer(task, adaptation);
          for (std::size_t e = 0; e < 4; ++e)
            for (std::size_t f = 0; f < 3; ++f)
              for (std::size_t t = 0; t < 5; ++t) {
                const double x = expected.of(EpisodeId(e), FamilyId(f))[t];
                finding.near(measured.of(EpisodeId(e), FamilyId(f))[t], x,
                             1e-12 * std::max(1.0, std::abs(x)),
                             fmt::format("{}, {} levels, {} parents, batch {}, reset {}",
                                         optimizer.name, levels, f, batch, reset));
              }
        }
  return finding;
}

LAW(AdaptationLaws, BackendsAgree, backends_agree, {{"cpu", score_cpu}},
    {{"always resets",
      [](const Task& task, const GradientAdaptation& adaptation) {
        return score_cpu(task, {adaptation.optimizer, true});
      }},
     {"never resets",
      [](const Task& task, const GradientAdaptation& adaptation) {
        return score_cpu(task, {adaptation.optimizer, false});
      }},
     {"episodes in the order of their rows", [](Task task, const GradientAdaptation& adaptation) {
        std::sort(task.episodes.begin(), task.episodes.end(),
                  [](const Episode& a, const Episode& b) { return a.first_row < b.first_row; });
        return score_cpu(task, adaptation);
      }}});

/// How the same work is spread out.
struct Spread {
  int threads = 1;
  std::size_t chunk = 0;  // episodes per call; 0: all at once
  std::string simd;
};

using SpreadScorer =
    std::function<std::vector<double>(const Task&, const OptimizerSpec&, const Spread&)>;

std::vector<double> score_spread(const Task& task, const OptimizerSpec& optimizer,
                                 const Spread& spread) {
  const support::SimdTarget target(spread.simd);
  const std::size_t n = task.episodes.size(), chunk = spread.chunk ? spread.chunk : n;
  std::vector<double> all;
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const auto episodes = std::span(task.episodes).subspan(begin, std::min(chunk, n - begin));
    const Scores scores =
        cpu_backend()->score(task.data, episodes, task.modules, {optimizer, true}, spread.threads);
    for (std::size_t e = 0; e < scores.episodes(); ++e)
      for (std::size_t f = 0; f < scores.families(); ++f) {
        const auto row = scores.of(EpisodeId(e), FamilyId(f));
        all.insert(all.end(), row.begin(), row.end());
      }
  }
  return all;
}

/// One set of bits, whatever the threads, the chunks and the instruction set.
Finding spreading_changes_no_bit(const SpreadScorer& scorer) {
  Finding finding;
  std::vector<Spread> spreads;
  for (int threads : {2, 3, 7}) spreads.push_back({threads, 0, ""});
  for (std::size_t chunk : {1, 7, 64, 300}) spreads.push_back({1, chunk, ""});
  for (const std::string& target : simd_targets()) spreads.push_back({1, 0, target});
  spreads.push_back({3, 100, simd_targets().back()});
  for (int levels : {3, 10, 17}) {
    const Task task = pair_task(levels, support::effort(600) + 260, 3, 4);
    for (const auto& optimizer : all_optimizers()) {
      const auto expected = scorer(task, optimizer.spec, {});
      for (const Spread& spread : spreads) {
        if (!finding.holds()) return finding;
        const auto measured = scorer(task, optimizer.spec, spread);
        finding.require(support::same_bits(measured, expected),
                        fmt::format("{}, {} levels: {} threads, chunks of {}, {}", optimizer.name,
                                    levels, spread.threads, spread.chunk, spread.simd));
      }
    }
  }
  return finding;
}

LAW(AdaptationLaws, SpreadingChangesNoBit, spreading_changes_no_bit, {{"cpu", score_spread}},
    {{"rounding by thread",
      [](const Task& task, const OptimizerSpec& optimizer, const Spread& spread) {
        auto scores = score_spread(task, optimizer, spread);
        if (spread.threads > 1) scores[17] = std::nextafter(scores[17], 0);
        return scores;
      }},
     {"what a chunk learnt is kept for the next",
      [](const Task& task, const OptimizerSpec& optimizer, const Spread& spread) {
        auto scores = score_spread(task, optimizer, spread);
        if (spread.chunk == 7) scores.back() *= 1 + 1e-15;
        return scores;
      }},
     {"another order of summation on one instruction set",
      [](const Task& task, const OptimizerSpec& optimizer, const Spread& spread) {
        auto scores = score_spread(task, optimizer, spread);
        if (!spread.simd.empty() && spread.simd == simd_targets().back())
          scores[3] = std::nextafter(scores[3], 0);
        return scores;
      }}});

}  // namespace
}  // namespace whence::laws
