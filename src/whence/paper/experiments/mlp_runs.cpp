#include "whence/paper/experiments/mlp_runs.hpp"

#include <algorithm>
#include <cmath>

#include "whence/belief/change_belief.hpp"
#include "whence/paper/meta_learn.hpp"

namespace whence {

namespace {

/// Randomness of a learner: parameters in the cells of episode 0, sampled graphs in the others.
Stream learner_stream(RunKey key, std::size_t episode, std::size_t number) {
  return {key.seed, Purpose::initialise, {key.run, std::uint32_t(episode), std::uint32_t(number)}};
}

/// A network of a variable over all the others, drawn as the released code does.
CategoricalMlp<double> fresh_learner(const MlpSetup& setup, std::size_t child, int hidden,
                                     RunKey key) {
  const Family family =
      all_families(setup.variables)[(child + 1) * parent_sets(setup.variables) - 1];
  CategoricalMlp<double> mlp(mlp_shape(setup.list, family, hidden));
  Stream stream = learner_stream(key, 0, child);
  initialise(mlp, MlpInitialisation::kaiming(setup.input_units(), hidden, 0.1), stream);
  return mlp;
}

std::vector<bool> mask_of(ParentSet set, std::size_t variables) {
  std::vector<bool> mask;
  for (std::size_t bit = 0; bit + 1 < variables; ++bit) mask.push_back(set >> bit & 1);
  return mask;
}

// ---- as printed ----

/// One network per variable, trained on a few examples with all edges, then masked.
std::vector<Module> printed_modules(const Settings& settings, const MlpSetup& setup,
                                    const MlpWorld& world, RunKey key) {
  const auto rows = std::size_t(settings.integer("printed.training_rows"));
  const Dataset data = draw_rows(world, rows, Purpose::training, key);
  const std::size_t sets = parent_sets(setup.variables);
  const std::vector<Family> families = all_families(setup.variables);
  std::vector<Module> modules;
  for (std::size_t child = 0; child < setup.variables; ++child) {
    const Family& family = families[(child + 1) * sets - 1];  // all the others
    CategoricalMlp<double> mlp =
        train_mlp(fresh_learner(setup, child, settings.integer("printed.hidden"), key), data,
                  family, {settings.optimizer("printed.adaptation"), int(rows), 1, false});
    for (std::size_t set = 0; set < sets; ++set) {
      mlp.set_mask(mask_of(ParentSet(set), setup.variables));
      modules.push_back({family, mlp});
    }
  }
  return modules;
}

MlpPath printed_run(const Settings& settings, const MlpSetup& setup, RunKey key) {
  const MlpDraw how{.hidden = settings.integer("printed.hidden"),
                    .spread = settings.number("printed.spread")};
  const MlpWorld world = MlpWorld::draw(setup.list, setup.truth, how, key.seed, key.run);
  EdgeMetaLearning meta;
  meta.modules = printed_modules(settings, setup, world, key);
  meta.episodes = setup.episodes;
  meta.steps = settings.integer("printed.steps");
  meta.batch = settings.integer("printed.batch");
  meta.adaptation = {settings.optimizer("printed.adaptation"), true};
  meta.belief = {.optimizer = settings.optimizer("printed.belief"),
                 .samples = settings.integer("printed.samples")};
  meta.key = key;
  const EdgeMetaResult learnt =
      meta_learn(episodes_of(world, EpisodeShift::Kind::cause, how, key), meta);
  MlpPath path;
  for (const EdgeMatrix& odds : learnt.log_odds) path.add(odds, setup.truth);
  path.clamped = learnt.clamped;
  path.rejected = learnt.rejected;
  path.effective_samples = learnt.effective_samples;
  return path;
}

// ---- as the released code does it ----

/// A learner whose momentum is never put back, and one mini-batch seen under every parent set.
struct ReleasedNode {
  CategoricalMlp<double> start;
  MlpPlan plan;
  MlpScratch scratch;

  explicit ReleasedNode(const CategoricalMlp<double>& mlp) : start(mlp), plan(mlp) {
    scratch.restart(plan);
  }
};

class ReleasedRun {
 public:
  ReleasedRun(const Settings& settings, const MlpSetup& setup, RunKey key)
      : setup_(setup),
        key_(key),
        adaptation_(settings.optimizer("released.adaptation")),
        steps_(settings.integer("released.steps")),
        batch_(settings.integer("released.batch")),
        samples_(settings.integer("released.samples")),
        hidden_(settings.integer("released.hidden_factor") *
                std::max(int(setup.variables), setup.levels)),
        families_(all_families(setup.variables)),
        world_(MlpWorld::draw(setup.list, setup.truth, {.hidden = hidden_, .kaiming = true},
                              key.seed, key.run)) {
    train(settings.integer("released.training_steps"));
  }

  MlpPath run(const EdgeLearning& learning) {
    EdgeMatrix gamma0(setup_.variables);
    Stream stream = learner_stream(key_, 0, setup_.variables);
    for (double& g : gamma0.values) g = 0.1 * (2 * stream.uniform() - 1);
    EdgeBelief belief(gamma0, learning);
    const EpisodeSet set =
        draw_episodes(world_, EpisodeShift::Kind::forced, {}, key_, setup_.episodes, 1, batch_);
    MlpPath path;
    for (std::size_t e = 0; e < setup_.episodes; ++e) {
      episode(set.data, set.episodes[e].first_row, e, belief, path);
      path.add(belief.log_odds(), setup_.truth);
    }
    path.clamped = belief.clamped();
    return path;
  }

 private:
  const Family& all_others(std::size_t child) const {
    return families_[(child + 1) * parent_sets(setup_.variables) - 1];
  }

  void train(int steps) {
    const auto rows = std::size_t(steps) * std::size_t(batch_);
    const Dataset data = draw_rows(world_, rows, Purpose::training, key_);
    for (std::size_t child = 0; child < setup_.variables; ++child)
      nodes_.emplace_back(train_mlp(fresh_learner(setup_, child, hidden_, key_), data,
                                    all_others(child), {adaptation_, steps, batch_, false}));
  }

  /// K graphs, each adapted for T steps on the same mini-batch; T times the estimator.
  void episode(const Dataset& data, std::size_t first, std::size_t e, EdgeBelief& belief,
               MlpPath& path) {
    const std::size_t m = setup_.variables, sets = parent_sets(m);
    std::vector<MlpBatch> batches;
    for (std::size_t f = 0; f < m * sets; ++f)
      batches.push_back(group_rows(nodes_[f / sets].plan, mask_of(ParentSet(f % sets), m), data,
                                   all_others(f / sets), first, std::size_t(batch_)));
    const std::vector<ParentSet> draws =
        draw_parent_sets(belief.gamma(), samples_, learner_stream(key_, e + 1, 0));
    std::vector<double> log_lik(draws.size(), 0.0);
    for (std::size_t d = 0; d < draws.size(); ++d) {
      ReleasedNode& node = nodes_[d % m];
      node.scratch.restore_parameters(node.plan);
      for (int t = 0; t < steps_; ++t)
        log_lik[d] += score_mlp(node.plan, batches[d % m * sets + draws[d]], adaptation_,
                                node.scratch, true) /
                      batch_;
    }
    SampledGradient sampled = sampled_edge_gradient(belief.gamma(), draws, log_lik);
    for (double& g : sampled.gradient.values) g *= steps_;
    path.rejected += sampled.rejected;
    path.effective_samples.push_back(std::move(sampled.effective_samples));
    if (!sampled.rejected) belief.step(sampled.gradient);
  }

  const MlpSetup& setup_;
  RunKey key_;
  OptimizerSpec adaptation_;
  int steps_, batch_, samples_, hidden_;
  std::vector<Family> families_;
  MlpWorld world_;
  std::vector<ReleasedNode> nodes_;
};

// ---- corrected ----

/// The same episodes, read in several ways.
struct Corrected {
  MlpPath gamma;        // gamma descends the regret of all episodes so far
  MlpPath per_episode;  // gamma descends the regret of each episode for itself, as the paper does
  MlpPath bayes;        // the exact posterior
  MlpPath changes;      // of two variables: only what changed is scored (ChangeBelief)
  MlpPath ideal;        // the same by an observer who knows the training distribution
};

/// Log-probabilities of a network for every level of its parent, if it has one.
Matrix table_of(const CategoricalMlp<double>& mlp, const Family& family, const MlpSetup& setup) {
  const auto levels = std::size_t(setup.levels);
  Dataset data;
  data.variables = setup.list;
  data.columns.resize(setup.variables);
  for (Column& column : data.columns)
    for (int k = 0; k < setup.levels; ++k) column.levels.push_back(k);
  Matrix table(family.parents.empty() ? 1 : levels, levels);
  for (std::size_t i = 0; i < table.rows; ++i) {
    const std::vector<double> row = mlp.log_probs(data, family, i);
    std::copy(row.begin(), row.end(), table.values.begin() + std::ptrdiff_t(i * levels));
  }
  return table;
}

PairModules pair_modules(std::span<const Module> modules, const MlpSetup& setup) {
  // In the order of all_families(): A, A given B, B, B given A.
  const auto table = [&](std::size_t k) {
    return table_of(std::get<CategoricalMlp<double>>(modules[k].mechanism), modules[k].family,
                    setup);
  };
  return {table(0), table(2), table(3), table(1)};
}

PairModules true_modules(const MlpWorld& world, const MlpSetup& setup) {
  const std::size_t cause = world.order()[0].value, effect = world.order()[1].value;
  const auto table = [&](std::size_t v) {
    return table_of(world.mechanism(VariableId(std::uint32_t(v))), world.families()[v], setup);
  };
  const Matrix alone = table(cause), given = table(effect);
  Matrix joint(alone.columns, alone.columns);
  for (std::size_t i = 0; i < joint.rows; ++i)
    for (std::size_t j = 0; j < joint.columns; ++j)
      joint(i, j) = std::exp(alone(0, i) + given(given.rows > 1 ? i : 0, j));
  return modules_of(cause == 0 ? joint : transposed(joint));
}

/// Two variables, episode after episode: what changed, and which graph needs fewest changes.
MlpPath learn_changes(const EpisodeSource& source, const PairModules& modules,
                      const MlpSetup& setup, std::size_t rows) {
  ChangeBelief belief(modules);
  Dataset data;
  data.variables = setup.list;
  data.columns.resize(2);
  for (Column& column : data.columns) column.levels.assign(rows, 0);
  MlpPath path;
  for (std::size_t e = 0; e < setup.episodes; ++e) {
    source.draw(e, data, 0, rows);
    belief.see(data.columns[0].levels, data.columns[1].levels);
    const auto p = belief.graphs();
    EdgeMatrix odds(2);
    constexpr double least = 1e-12;  // of a probability, so that odds stay finite
    odds.at(0, 1) = std::log(std::max(p[0], least) / std::max(p[1] + p[2], least));
    odds.at(1, 0) = std::log(std::max(p[1], least) / std::max(p[0] + p[2], least));
    path.add(odds, setup.truth);
  }
  return path;
}

/// Algorithm 1, its belief moved by all episodes so far; an observer reads the same scores again,
/// each episode for itself.
Corrected learn_corrected(const EpisodeSource& source, const EdgeMetaLearning& how,
                          const Graph& truth) {
  Corrected result;
  EdgeBelief alone(EdgeMatrix(truth.variables()), how.belief);
  const EdgeMetaResult learnt = meta_learn(source, how, [&](const EdgeMetaStep& step) {
    alone.update(step.log_lik, learner_stream(how.key, step.episode + 1, 0));
    result.gamma.add(step.log_odds, truth);
    result.per_episode.add(alone.log_odds(), truth);
    result.bayes.add(step.bayes_log_odds, truth);
    return true;
  });
  result.gamma.clamped = learnt.clamped;
  result.per_episode.clamped = alone.clamped();
  return result;
}

/// [length][shift]
std::vector<Corrected> corrected_run(const Settings& settings, const MlpSetup& setup, RunKey key) {
  const MlpDraw how{.hidden = settings.integer("corrected.hidden"),
                    .spread = settings.number("corrected.spread")};
  const MlpWorld world = MlpWorld::draw(setup.list, setup.truth, how, key.seed, key.run);
  EdgeMetaLearning meta;
  // Every family has a network of its own, trained until it knows the training distribution.
  meta.modules = trained_networks(
      world, settings.integer("corrected.module_hidden"),
      std::size_t(settings.integer("corrected.training_rows")),
      {settings.optimizer("corrected.training"), settings.integer("corrected.training_steps")},
      key);
  meta.episodes = setup.episodes;
  meta.adaptation = {settings.optimizer("corrected.adaptation"), true};
  meta.belief = {.optimizer = settings.optimizer("corrected.belief"),
                 .acyclicity = Acyclicity::exact};
  meta.frozen_or_adapting = meta.all_so_far = true;
  meta.key = key;
  std::vector<Corrected> results;
  for (const MlpEpisodeLength& length : mlp_episode_lengths)
    for (const MlpShift& shift : mlp_shifts) {
      meta.steps = settings.integer(length.steps);
      meta.batch = settings.integer(length.batch);
      const EpisodeSource source = episodes_of(world, shift.kind, how, key);
      results.push_back(learn_corrected(source, meta, setup.truth));
      if (setup.variables != 2) continue;
      const std::size_t rows = std::size_t(meta.steps) * std::size_t(meta.batch);
      results.back().changes =
          learn_changes(source, pair_modules(meta.modules, setup), setup, rows);
      results.back().ideal = learn_changes(source, true_modules(world, setup), setup, rows);
    }
  return results;
}

}  // namespace

std::vector<MlpPath> run_mlp_row(const Settings& settings, const MlpSetup& setup, MlpRow row,
                                 RunKey key) {
  std::vector<MlpPath> paths;
  switch (row) {
    case MlpRow::printed: paths = {printed_run(settings, setup, key)}; break;
    case MlpRow::released:
      paths = {ReleasedRun(settings, setup, key)
                   .run({.optimizer = settings.optimizer("released.belief"), .limit = 5})};
      break;
    case MlpRow::corrected:
      for (Corrected& c : corrected_run(settings, setup, key))
        for (MlpPath* path : {&c.gamma, &c.per_episode, &c.bayes, &c.changes, &c.ideal})
          if (!path->bits.empty()) paths.push_back(std::move(*path));
      break;
  }
  return paths;
}

}  // namespace whence
