// Ways to fill Scores: the two that are right, and the mistakes that the exact identities must
// catch.
#pragma once

#include <functional>
#include <vector>

#include "whence/adapt/gradient.hpp"
#include "whence/backends/backend.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence::test {

using Scorer =
    std::function<Scores(const EpisodeSet&, std::span<const Module>, const OptimizerSpec&)>;

inline const Scorer reference_scorer = [](const EpisodeSet& set, std::span<const Module> modules,
                                          const OptimizerSpec& optimizer) {
  return reference_backend()->score(set.data, set.episodes, modules, {optimizer, true});
};
inline const Scorer fast_scorer = [](const EpisodeSet& set, std::span<const Module> modules,
                                     const OptimizerSpec& optimizer) {
  return cpu_backend()->score(set.data, set.episodes, modules, {optimizer, true});
};

/// Planted: what one episode taught is kept for the next.
inline const Scorer leaked_update = [](const EpisodeSet& set, std::span<const Module> modules,
                                       const OptimizerSpec& optimizer) {
  return reference_backend()->score(set.data, set.episodes, modules, {optimizer, false});
};
inline const Scorer fast_leaked_update = [](const EpisodeSet& set, std::span<const Module> modules,
                                            const OptimizerSpec& optimizer) {
  return cpu_backend()->score(set.data, set.episodes, modules, {optimizer, false});
};

/// Calls episode(table, optimizer, family, episode, scores) for every job of the set.
template <class EpisodeFunction>
Scores score_each(const EpisodeSet& set, std::span<const Module> modules, const OptimizerSpec& spec,
                  bool keep_optimizer, const EpisodeFunction& episode) {
  Scores scores(set.episodes.size(), modules.size(), std::size_t(set.episodes[0].steps));
  for (std::size_t f = 0; f < modules.size(); ++f) {
    const auto& trained = std::get<CategoricalTable<double>>(modules[f].mechanism);
    Optimizer<double> optimizer(spec, trained.parameters().size());
    for (std::size_t e = 0; e < set.episodes.size(); ++e) {
      if (!keep_optimizer) optimizer.reset();
      CategoricalTable<double> table = trained;
      episode(table, optimizer, modules[f].family, set.episodes[e],
              scores.of(EpisodeId(e), FamilyId(f)));
    }
  }
  return scores;
}

/// Planted: each mini-batch is scored after the update it caused (errata E8).
inline const Scorer after_update = [](const EpisodeSet& set, std::span<const Module> modules,
                                      const OptimizerSpec& spec) {
  return score_each(
      set, modules, spec, false,
      [&](auto& table, auto& optimizer, const Family& family, const Episode& episode,
          std::span<double> scores) {
        for (int t = 0; t < episode.steps; ++t) {
          const auto batch = std::size_t(episode.batch);
          const std::size_t first = episode.first_row + std::size_t(t) * batch;
          double& score = scores[std::size_t(t)];
          adapt(table, optimizer, set.data, family, {first, 1, episode.batch}, {&score, 1});
          score = 0;
          for (std::size_t row = first; row < first + batch; ++row)
            score += table.log_prob(set.data, family, row);
        }
      });
};

/// Planted: every step scores and learns the first mini-batch again.
inline const Scorer reused_batch = [](const EpisodeSet& set, std::span<const Module> modules,
                                      const OptimizerSpec& spec) {
  return score_each(set, modules, spec, false,
                    [&](auto& table, auto& optimizer, const Family& family, const Episode& episode,
                        std::span<double> scores) {
                      for (double& score : scores)
                        adapt(table, optimizer, set.data, family,
                              {episode.first_row, 1, episode.batch}, {&score, 1});
                    });
};

/// Planted: parameters are reset between episodes, the optimizer's moments are not.
inline const Scorer leaked_optimizer = [](const EpisodeSet& set, std::span<const Module> modules,
                                          const OptimizerSpec& spec) {
  return score_each(set, modules, spec, true,
                    [&](auto& table, auto& optimizer, const Family& family, const Episode& episode,
                        std::span<double> scores) {
                      adapt(table, optimizer, set.data, family, episode, scores);
                    });
};

}  // namespace whence::test
