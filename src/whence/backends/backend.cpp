#include "whence/backends/backend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "whence/adapt/categorical_adapter.hpp"
#include "whence/adapt/linear_gaussian_adapter.hpp"
#include "whence/adapt/mixture_density_adapter.hpp"
#include "whence/adapt/mlp_adapter.hpp"
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
    if (adaptation.must_stay_finite) check_finite(scores);
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

/// What every job of a call shares.
struct Call {
  const Dataset& data;
  std::span<const Episode> episodes;
  const GradientAdaptation& adaptation;
  Scores& scores;
};

/// Episodes [begin, end) of one family: one job.
using Job = std::function<void(std::size_t begin, std::size_t end)>;

/// Any mechanism without a kernel of its own: the reference.
template <class M>
Job job_of(const M& trained, const Family& family, FamilyId f, const Call& call) {
  return [=, &trained](std::size_t begin, std::size_t end) {
    M learner = trained;
    Optimizer<double> optimizer(call.adaptation.optimizer, learner.parameters().size());
    for (std::size_t e = begin; e < end; ++e) {
      if (call.adaptation.reset) {
        learner = trained;
        optimizer.reset();
      }
      adapt(learner, optimizer, call.data, family, call.episodes[e],
            call.scores.of(EpisodeId(e), f));
    }
  };
}

/// One for all jobs of a thread: with 100 levels fresh memory for each costs more than a quarter of
/// the time.
TableScratch& scratch_of_thread() {
  thread_local TableScratch scratch;
  return scratch;
}

Job job_of(const CategoricalTable<double>& table, const Family& family, FamilyId f,
           const Call& call) {
  return [=, plan = TablePlan(table), configuration = configurations_of(call.data, family)](
             std::size_t begin, std::size_t end) {
    const auto level = call.data.levels(family.child);
    TableScratch& scratch = scratch_of_thread();
    scratch.restart(plan);
    for (std::size_t e = begin; e < end; ++e) {
      if (call.adaptation.reset) scratch.restart(plan);
      const std::size_t first = call.episodes[e].first_row;
      adapt_table(plan, call.adaptation.optimizer, call.episodes[e].batch,
                  configuration.data() + first, level.data() + first, scratch,
                  call.scores.of(EpisodeId(e), f), !call.adaptation.reset);
    }
  };
}

/// Parents' values of all rows, side by side.
std::vector<double> inputs_of(const Dataset& data, const Family& family) {
  std::vector<double> x;
  if (family.parents.size() == 1) return data.columns[family.parents[0].value].values;
  if (family.parents.empty()) return x;
  for (std::size_t r = 0; r < data.rows(); ++r)
    for (VariableId parent : family.parents) {
      const auto size = std::size_t(data.variables[parent.value].dimension);
      const double* values = &data.columns[parent.value].values[r * size];
      x.insert(x.end(), values, values + size);
    }
  return x;
}

Job job_of(const LinearGaussian<double>& module, const Family& family, FamilyId f,
           const Call& call) {
  return [=, plan = GaussianPlan(module), x = inputs_of(call.data, family)](std::size_t begin,
                                                                            std::size_t end) {
    const double* y = call.data.columns[family.child.value].values.data();
    GaussianScratch scratch;
    scratch.restart(plan, call.adaptation.optimizer);
    for (std::size_t e = begin; e < end; ++e) {
      if (call.adaptation.reset) scratch.restart(plan, call.adaptation.optimizer);
      const std::size_t first = call.episodes[e].first_row;
      adapt_gaussian(plan, call.adaptation.optimizer, call.episodes[e].batch,
                     x.data() + first * plan.inputs, y + first * plan.dimension, scratch,
                     call.scores.of(EpisodeId(e), f), !call.adaptation.reset);
    }
  };
}

Job job_of(const MixtureDensity<double>& trained, const Family& family, FamilyId f,
           const Call& call) {
  return [=, &trained](std::size_t begin, std::size_t end) {
    const DensityPoints all{call.data.columns[family.parents[0].value].values,
                            call.data.columns[family.child.value].values};
    DensityLearner learner(trained, call.adaptation.optimizer);
    for (std::size_t e = begin; e < end; ++e) {
      if (call.adaptation.reset) learner.restart(trained);
      const Episode& episode = call.episodes[e];
      const auto batch = std::size_t(episode.batch);
      const auto scores = call.scores.of(EpisodeId(e), f);
      for (std::size_t t = 0; t < scores.size(); ++t) {
        const DensityPoints points = all.part(episode.first_row + t * batch, batch);
        const bool unread = call.adaptation.reset && t + 1 == scores.size();
        scores[t] = (unread ? learner.log_lik(points) : learner.learn(points)).value;
      }
    }
  };
}

Job job_of(const CategoricalMlp<double>& module, const Family& family, FamilyId f,
           const Call& call) {
  return [=, plan = MlpPlan(module), mask = module.mask()](std::size_t begin, std::size_t end) {
    MlpScratch scratch;
    scratch.restart(plan);
    for (std::size_t e = begin; e < end; ++e) {
      if (call.adaptation.reset) scratch.restart(plan);
      adapt_mlp(plan, mask, call.adaptation.optimizer, call.data, family, call.episodes[e], scratch,
                call.scores.of(EpisodeId(e), f), !call.adaptation.reset);
    }
  };
}

class CpuBackend final : public Backend {
 public:
  Scores score(const Dataset& data, std::span<const Episode> episodes,
               std::span<const Module> modules, const GradientAdaptation& adaptation,
               int threads) const override {
    Scores scores(episodes.size(), modules.size(), std::size_t(episodes[0].steps));
    const Call call{data, episodes, adaptation, scores};
    std::vector<Job> jobs;
    for (std::size_t f = 0; f < modules.size(); ++f)
      jobs.push_back(
          std::visit([&](const auto& m) { return job_of(m, modules[f].family, FamilyId(f), call); },
                     modules[f].mechanism));
    // Chunks of episodes are jobs; without a reset a family is one job.
    const std::size_t chunk = adaptation.reset ? 256 : episodes.size();
    const std::size_t chunks = (episodes.size() + chunk - 1) / chunk;
    parallel_for(modules.size() * chunks, threads, [&](std::size_t job) {
      const std::size_t begin = job % chunks * chunk;
      jobs[job / chunks](begin, std::min(begin + chunk, episodes.size()));
    });
    if (adaptation.must_stay_finite) check_finite(scores);
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
