#include "whence/backends/backend.hpp"

#include <cmath>
#include <string>

#include "whence/adapt/categorical_adapter.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"

namespace whence {

namespace {

class ReferenceBackend final : public Backend {
 public:
  Scores score(const Dataset& data, std::span<const Episode> episodes,
               std::span<const Module> modules, const GradientAdaptation& adaptation,
               int threads) const override {
    Scores scores(episodes.size(), modules.size(), std::size_t(episodes[0].steps));
    parallel_for(modules.size(), threads, [&](std::size_t f) {
      const Module& module = modules[f];
      std::visit(
          [&](const auto& trained) {
            auto learner = trained;
            Optimizer<double> optimizer(adaptation.optimizer, learner.parameters().size());
            for (std::size_t e = 0; e < episodes.size(); ++e) {
              if (adaptation.reset) {
                learner = trained;
                optimizer.reset();
              }
              adapt(learner, optimizer, data, module.family, episodes[e],
                    scores.of(EpisodeId(e), FamilyId(f)));
            }
          },
          module.mechanism);
    });
    check_finite(scores);
    return scores;
  }
};

/// Parents' configurations of all rows: the parent's own column when there is one.
std::vector<std::int32_t> configurations_of(const Dataset& data, const Family& family) {
  std::vector<std::int32_t> rows(data.rows(), 0);
  if (family.parents.size() == 1) return data.columns[family.parents[0].value].levels;
  if (!family.parents.empty())
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r] = std::int32_t(parent_configuration(data, family, r));
  return rows;
}

class CpuBackend final : public Backend {
 public:
  Scores score(const Dataset& data, std::span<const Episode> episodes,
               std::span<const Module> modules, const GradientAdaptation& adaptation,
               int threads) const override {
    Scores scores(episodes.size(), modules.size(), std::size_t(episodes[0].steps));
    // Chunks of episodes are jobs; without a reset a family is one job.
    const std::size_t chunk = adaptation.reset ? 256 : episodes.size();
    const std::size_t chunks = (episodes.size() + chunk - 1) / chunk;
    std::vector<TablePlan> plans;
    std::vector<std::vector<std::int32_t>> configuration;
    for (const Module& module : modules) {
      plans.emplace_back(std::get<CategoricalTable<double>>(module.mechanism));
      configuration.push_back(configurations_of(data, module.family));
    }
    parallel_for(modules.size() * chunks, threads, [&](std::size_t job) {
      const std::size_t f = job / chunks, begin = job % chunks * chunk;
      const auto level = data.levels(modules[f].family.child);
      TableScratch scratch;
      scratch.restart(plans[f]);
      for (std::size_t e = begin; e < std::min(begin + chunk, episodes.size()); ++e) {
        if (adaptation.reset) scratch.restart(plans[f]);
        const std::size_t first = episodes[e].first_row;
        adapt_table(plans[f], adaptation.optimizer, episodes[e].batch,
                    configuration[f].data() + first, level.data() + first, scratch,
                    scores.of(EpisodeId(e), FamilyId(f)), !adaptation.reset);
      }
    });
    check_finite(scores);
    return scores;
  }
};

}  // namespace

std::unique_ptr<Backend> reference_backend() { return std::make_unique<ReferenceBackend>(); }
std::unique_ptr<Backend> cpu_backend() { return std::make_unique<CpuBackend>(); }

void check_finite(const Scores& scores) {
  for (std::size_t e = 0; e < scores.episodes(); ++e)
    for (std::size_t f = 0; f < scores.families(); ++f)
      for (std::size_t t = 0; t < scores.steps(); ++t)
        if (!std::isfinite(scores.of(EpisodeId(e), FamilyId(f))[t]))
          throw Error(ExitCode::numerical, "E-NUM-DIVERGED",
                      "episode " + std::to_string(e + 1) + ", step " + std::to_string(t + 1),
                      "adaptation left the finite numbers", "lower the adaptation's learning rate");
}

}  // namespace whence
