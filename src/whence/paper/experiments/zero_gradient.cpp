// Proposition 1, seen: the expected gradient of every module, step by step, by exact enumeration.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/judge/summary.hpp"
#include "whence/paper/experiments/all.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence {

namespace {

constexpr std::array module_names = {"P(A), changed", "P(B|A), unchanged", "P(B)", "P(A|B)"};

/// E over all episodes of the gradient at each step, for one module adapting by SGD one example at
/// a time. Walks the tree of histories: `weight` is the probability of the one that led here.
class ExpectedGradient {
 public:
  ExpectedGradient(const Family& family, std::span<const double> joint, const Dataset& states,
                   double learning_rate, std::size_t steps, std::size_t size)
      : family_(family),
        joint_(joint),
        states_(states),
        learning_rate_(learning_rate),
        expected_(steps, std::vector<double>(size, 0.0)) {}

  void walk(const CategoricalTable<double>& module, double weight, std::size_t step) {
    std::vector<double> gradient(module.parameters().size());
    for (std::size_t s = 0; s < joint_.size(); ++s) {
      const double p = weight * joint_[s];
      gradient.assign(gradient.size(), 0.0);
      module.add_gradient(states_, family_, s, 1.0, gradient);
      for (std::size_t i = 0; i < gradient.size(); ++i) expected_[step][i] += p * gradient[i];
      if (step + 1 == expected_.size()) continue;
      CategoricalTable<double> next = module;
      for (std::size_t i = 0; i < gradient.size(); ++i)
        next.parameters()[i] += learning_rate_ * gradient[i];
      walk(next, p, step + 1);
    }
  }

  /// The largest entry, per step.
  std::vector<double> norms() const {
    std::vector<double> largest;
    for (const auto& gradient : expected_) {
      double top = 0;
      for (double g : gradient) top = std::max(top, std::abs(g));
      largest.push_back(top);
    }
    return largest;
  }

 private:
  const Family& family_;
  std::span<const double> joint_;
  const Dataset& states_;
  double learning_rate_;
  std::vector<std::vector<double>> expected_;
};

/// Every joint state as one row.
Dataset all_states(const CategoricalWorld& world) {
  const int n = world.variables()[0].levels, m = world.variables()[1].levels;
  Dataset states = make_dataset(world.variables(), std::size_t(n * m));
  for (int s = 0; s < n * m; ++s) {
    states.columns[0].levels[std::size_t(s)] = s / m;
    states.columns[1].levels[std::size_t(s)] = s % m;
  }
  return states;
}

/// norms[module][step] for one training distribution and one shift of its cause.
std::vector<std::vector<double>> gradient_norms(const Settings& settings, double learning_rate,
                                                RunKey key) {
  const double concentration = settings.number("concentration");
  const PairTask task = PairTask::exact(
      CategoricalWorld::draw_pair(settings.integer("levels"), concentration, key.seed, key.run));
  ShiftedWorld shifted(task.world);
  shifted.shift({ShiftKind::cause}, concentration,
                Stream(key.seed, Purpose::shift, {key.run, 0, 0}));
  std::vector<double> joint = shifted.materialise().log_joint();
  for (double& p : joint) p = portable_exp(p);
  const Dataset states = all_states(task.world);
  std::vector<std::vector<double>> norms;
  for (const Module& module : task.modules) {
    const auto& table = std::get<CategoricalTable<double>>(module.mechanism);
    ExpectedGradient expected(module.family, joint, states, learning_rate,
                              std::size_t(settings.integer("steps")), table.parameters().size());
    expected.walk(table, 1.0, 0);
    norms.push_back(expected.norms());
  }
  return norms;
}

/// Every episode is enumerated: N^2 examples at each of T steps.
void check_enumerable(int levels, int steps) {
  const double episodes = std::pow(double(levels), 2.0 * steps);
  if (episodes > 1e7)
    throw Error(ExitCode::resource, "E-LIMIT-ENUMERATION", "",
                fmt::format("{} levels and {} steps make {:.0e} episodes to enumerate", levels,
                            steps, episodes),
                "choose levels and steps with levels^(2 steps) below 1e7");
}

void add_claims(std::span<const double> rates, std::span<const Curve> curves, Report& report) {
  double first = 0, wrong = 1e300;
  std::vector<double> second;
  for (std::size_t r = 0; r < rates.size(); ++r) {
    const Curve* at = &curves[r * module_names.size()];
    first = std::max(first, at[1].q75[0]);
    wrong = std::min({wrong, at[2].median[0], at[3].median[0]});
    if (at[1].median.size() > 1) second.push_back(at[1].median[1]);
  }
  report.claims.push_back(
      {"zero-gradient/step-1", "The expected gradient of the unchanged module is zero",
       fmt::format("largest entry at step 1: {} (third quartile over runs); "
                   "both modules of the wrong direction: at least {}",
                   show(first), show(wrong)),
       first <= 1e-14 && wrong > 1e-3, "exact enumeration over all episodes", ClaimKind::paper});
  if (second.empty()) return;  // episodes of one step have no later ones
  const std::size_t last = rates.size() - 1;
  // The slope between the two smallest rates: larger ones leave the quadratic regime.
  const double slope =
      rates.size() < 2 ? 0 : std::log(second[1] / second[0]) / std::log(rates[1] / rates[0]);
  report.claims.push_back(
      {"zero-gradient/later-steps", "The same for the regret accumulated over the whole episode",
       fmt::format("at step 2 it is {} at learning rate {} and {} at {}: it grows like the rate to "
                   "the power {}",
                   show(second[0]), show(rates[0], 2), show(second[last]), show(rates[last], 2),
                   show(slope, 2)),
       second[0] <= 1e-14,
       second[0] <= 1e-14 ? ""
                          : "exact at the first step only: noise in the first update leaves a pull "
                            "of second order "
                            "in the learning rate",
       ClaimKind::paper});
  report.numbers.push_back({"zero-gradient/slope", slope});
}

}  // namespace

Report zero_gradient(const Settings& settings, const RunOptions& options) {
  check_enumerable(settings.integer("levels"), settings.integer("steps"));
  std::vector<double> rates = settings.numbers("learning_rates");
  std::sort(rates.begin(), rates.end());
  const auto count = std::size_t(settings.integer("runs"));
  std::vector<std::vector<std::vector<double>>> norms(rates.size() * count);
  parallel_for(
      norms.size(), options.threads,
      [&](std::size_t job) {
        norms[job] = gradient_norms(settings, rates[job / count],
                                    {options.seed, std::uint32_t(job % count)});
      },
      options.progress);

  std::vector<double> x;
  for (int t = 1; t <= settings.integer("steps"); ++t) x.push_back(t);
  Report report;
  for (std::size_t r = 0; r < rates.size(); ++r) {
    Figure figure{fmt::format("zero-gradient-lr={}", rates[r]),
                  fmt::format("Expected gradient after a shift of A, learning rate {}", rates[r]),
                  "adaptation step",
                  "largest entry of |E gradient|",
                  {},
                  "Zero for the unchanged module of the right structure at step 1; not for the "
                  "others.",
                  false,
                  true,
                  0,
                  0};
    for (std::size_t f = 0; f < module_names.size(); ++f) {
      std::vector<std::vector<double>> runs;
      for (std::size_t run = 0; run < count; ++run) runs.push_back(norms[r * count + run][f]);
      const std::string id = fmt::format(
          "zero-gradient/lr={}/{}", rates[r],
          std::string_view(module_names[f]).substr(0, std::string_view(module_names[f]).find(',')));
      report.curves.push_back(summarise(id, module_names[f], x, runs));
      figure.curves.push_back(id);
    }
    report.figures.push_back(std::move(figure));
  }
  add_claims(rates, report.curves, report);
  report.summary =
      "A module that is right and has not changed feels no expected pull at the first step of "
      "adaptation; later steps feel one of second order in the learning rate.";
  report.assumptions = {
      "SGD, one example per step, N = " + std::to_string(settings.integer("levels")) +
      ": small enough to enumerate every episode."};
  return report;
}

}  // namespace whence
