#include "bench/quality/encoder_bench.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include <fmt/format.h>

#include "bench/quality/encoder_bench_rows.hpp"
#include "bench/quality/sensor_judge.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/encoder/find_encoder.hpp"
#include "whence/encoders/unsupervised.hpp"
#include "whence/judge/encoder_evaluation.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

constexpr double near = 0.05;  // radians

/// What one world gave.
struct Trial {
  bool reported = false, covered = false, direction = false, warned = false;
  double error = 0;                             // of the angle
  std::array<double, 2> others{};               // errors of FastICA and PCA
  std::size_t latents = 0, rows = 0, good = 0;  // rows with correlation over .95
  std::size_t noises = 0, good_noises = 0;      // rows called noise; near a noise or a latent
  std::size_t labels = 0, wrong_labels = 0;     // rows called latent; those that are not
  double correlation = 0;                       // mean over rows
  std::array<double, 3> rivals{};               // mean correlations: FastICA, PCA, random
  std::size_t targets = 0, right = 0;           // single targets
  std::size_t still = 0, still_found = 0, doubles = 0, doubles_found = 0;
  std::size_t effects = 0, wrong_effects = 0;  // of latents on each other
  double seconds = 0;
  SensorTrial sensors;
};

/// Some rows of all environments together, for methods that take no environments.
Matrix pooled_rows(const Dataset& data) {
  const std::size_t n = std::min<std::size_t>(data.rows(), 6000);
  Matrix rows(n, data.variables.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j)
      rows(i, j) = data.columns[j].values[i * data.rows() / n];
  return rows;
}

double quarter_error(double angle, double truth) {
  return std::abs(std::remainder(angle - truth, std::numbers::pi / 2));
}

Trial rotation_trial(const EncoderBenchRow& kind, std::uint64_t seed, std::uint32_t run) {
  const MixedWorld world = draw_mixed_world(kind.spec, seed, run);
  Trial trial;
  const double start = processor_seconds();
  const EncoderAnswer answer = find_encoder(world.data);
  trial.seconds = processor_seconds() - start;
  trial.reported = answer.verdict == EncoderVerdict::encoder;
  trial.warned = !answer.remarks.empty();
  const RotationAnswer& r = *answer.rotation;
  trial.error = quarter_error(r.angle, world.angle);
  const double off = std::remainder(world.angle - r.angle, std::numbers::pi / 2);
  trial.covered = off >= r.low - r.angle && off <= r.high - r.angle;
  trial.direction =
      std::abs(std::remainder(world.angle - r.angle, std::numbers::pi)) < std::numbers::pi / 4;
  const Matrix rows = pooled_rows(world.data);
  const Matrix ica = independent_components(rows), pca = principal_components(rows);
  trial.others = {quarter_error(std::atan2(ica(0, 1), ica(0, 0)), world.angle),
                  quarter_error(std::atan2(pca(0, 1), pca(0, 0)), world.angle)};
  return trial;
}

Matrix baseline_covariance(const Dataset& data) {
  const std::size_t d = data.variables.size();
  const Environment& base = data.environments[0];
  Matrix rows(base.rows(), d);
  std::vector<double> mean(d);
  for (std::size_t i = 0; i < base.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) {
      rows(i, j) = data.columns[j].values[base.begin + i];
      mean[j] += rows(i, j) / double(base.rows());
    }
  for (std::size_t i = 0; i < base.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) rows(i, j) -= mean[j];
  Matrix spread = product(transposed(rows), rows);
  for (double& x : spread.values) x /= double(base.rows());
  return spread;
}

/// Correlation of a row's values with given ones, in the baseline.
double correlation_with(const MixedWorld& world, std::span<const double> weights,
                        const Matrix& values, std::size_t k) {
  const std::size_t n = world.data.environments[0].rows();
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double y = 0;
    for (std::size_t j = 0; j < weights.size(); ++j)
      y += weights[j] * world.data.columns[j].values[i];
    const double z = values(i, k);
    a += y / double(n);
    b += z / double(n);
    aa += y * y / double(n);
    bb += z * z / double(n);
    ab += y * z / double(n);
  }
  return std::abs(ab - a * b) / std::sqrt(std::max(1e-300, (aa - a * a) * (bb - b * b)));
}

/// Single targets found, unchanged ones left alone, double ones not taken for single.
void judge_targets(const MixedWorld& world, const EncoderAnswer& answer, const RowMatch& match,
                   std::span<const std::size_t> row_of, Trial& trial) {
  for (std::size_t e = 1; e < world.targets.size(); ++e) {
    const auto& meant = world.targets[e];
    const EncoderEnvironment& found = answer.environments[e];
    if (meant.empty()) {
      ++trial.still;
      trial.still_found += found.kind == EnvironmentKind::unchanged ? 1 : 0;
    } else if (meant.size() == 2) {
      ++trial.doubles;
      trial.doubles_found += found.kind == EnvironmentKind::unresolved ? 1 : 0;
    } else {
      ++trial.targets;
      if (found.kind != EnvironmentKind::one_latent) continue;
      for (std::size_t k = 0; k < row_of.size(); ++k)
        if (found.changed[row_of[k]].value_or(0) > 0 && match.latent[k] == meant[0]) ++trial.right;
    }
  }
}

/// Whether a latent is among the causes of another, near or far: causes come first.
bool acts_on(const MixedWorld& world, std::size_t from, std::size_t to) {
  std::vector<bool> follows(world.parents.size(), false);
  follows[from] = true;
  for (std::size_t k = from + 1; k <= to; ++k)
    for (const std::size_t p : world.parents[k]) follows[k] = follows[k] || follows[p];
  return from != to && follows[to];
}

void judge_effects(const MixedWorld& world, const EncoderAnswer& answer, const RowMatch& match,
                   std::span<const std::size_t> row_of, Trial& trial) {
  const auto latent_of = [&](std::size_t row) {
    return match.latent[std::size_t(std::find(row_of.begin(), row_of.end(), row) - row_of.begin())];
  };
  for (const LatentEffect& one : answer.effects) {
    ++trial.effects;
    trial.wrong_effects += acts_on(world, latent_of(one.from), latent_of(one.to)) ? 0 : 1;
  }
}

Trial matrix_trial(const EncoderBenchRow& kind, std::uint64_t seed, std::uint32_t run) {
  const MixedWorld world = draw_mixed_world(kind.spec, seed, run);
  Trial trial;
  const double start = processor_seconds();
  const EncoderAnswer answer = find_encoder(world.data);
  trial.seconds = processor_seconds() - start;
  const Matrix spread = baseline_covariance(world.data);
  std::vector<std::size_t> row_of;
  Matrix found(0, kind.spec.latents);
  for (std::size_t k = 0; k < answer.latents.size(); ++k) {
    if (answer.latents[k].weights.empty()) continue;
    row_of.push_back(k);
    found.values.insert(found.values.end(), answer.latents[k].weights.begin(),
                        answer.latents[k].weights.end());
    ++found.rows;
  }
  const RowMatch match = match_rows(found, world.unmixing, spread);
  trial.reported = found.rows > 0;
  trial.latents = kind.spec.latents;
  trial.rows = found.rows;
  trial.good = match.above(0.95);
  trial.correlation = match.mean();
  for (std::size_t k = 0; k < row_of.size(); ++k) {
    const FoundLatent& latent = answer.latents[row_of[k]];
    double as_noise = 0, as_latent = 0;
    for (std::size_t s = 0; s < kind.spec.latents; ++s) {
      as_noise = std::max(as_noise, correlation_with(world, latent.weights, world.noises, s));
      as_latent = std::max(as_latent, correlation_with(world, latent.weights, world.latents, s));
    }
    if (latent.kind == LatentKind::latent) {
      ++trial.labels;
      trial.wrong_labels += as_latent < 0.95 ? 1 : 0;
    }
    if (latent.kind == LatentKind::noise) {
      ++trial.noises;
      trial.good_noises += std::max(as_noise, as_latent) > 0.95 ? 1 : 0;
    }
  }
  judge_targets(world, answer, match, row_of, trial);
  judge_effects(world, answer, match, row_of, trial);
  const Matrix rows = pooled_rows(world.data);
  trial.rivals = {match_rows(independent_components(rows), world.unmixing, spread).mean(),
                  match_rows(principal_components(rows), world.unmixing, spread).mean(),
                  random_floor(world.unmixing, spread)};
  return trial;
}

Trial sensor_trial(const EncoderBenchRow& kind, std::uint64_t seed, std::uint32_t run) {
  const MixedWorld world = draw_mixed_world(kind.spec, seed, run);
  Trial trial;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kind.spec.latents; ++k) names.push_back(fmt::format("Z{}", k + 1));
  trial.sensors =
      judge_sensors(world.data, world.latents, names, kind.say_latents ? kind.spec.latents : 0);
  trial.seconds = trial.sensors.seconds;
  trial.reported = trial.sensors.named > 0;
  return trial;
}

Trial trial_of(const EncoderBenchRow& kind, std::uint64_t seed, std::uint32_t run) {
  if (kind.sensors()) return sensor_trial(kind, seed, run);
  return kind.spec.mixing == Mixing::rotation ? rotation_trial(kind, seed, run)
                                              : matrix_trial(kind, seed, run);
}

// ---- tables -------------------------------------------------------------------------------------

template <class Get>
double sum_of(std::span<const Trial> trials, const Get& get) {
  double sum = 0;
  for (const Trial& trial : trials) sum += double(get(trial));
  return sum;
}

template <class Get>
double share_of(std::span<const Trial> trials, const Get& get) {
  return sum_of(trials, get) / std::max<double>(1, double(trials.size()));
}

std::string ratio(double part, double whole) { return whole > 0 ? show(part / whole, 3) : "–"; }

/// Rates of one kind of rotation; claims where so many worlds say something.
struct Judged {
  std::vector<std::string> row;
  std::vector<std::pair<std::string, bool>> claims;  // what was measured against its aim
};

Judged judge_rotation(const EncoderBenchRow& kind, std::span<const Trial> trials) {
  std::vector<Trial> told;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(told),
               [](const Trial& t) { return t.reported; });
  const auto within = [](const Trial& t) { return t.error < near; };
  const double all = share_of(trials, within), rate = share_of(told, within);
  const double covered = share_of(told, [](const Trial& t) { return t.covered; });
  const double abstained = 1 - double(told.size()) / double(trials.size());
  const double warned = share_of(trials, [](const Trial& t) { return t.warned; });
  Judged judged;
  judged.row = {
      kind.name,
      std::to_string(trials.size()),
      show(all, 3),
      told.empty() ? "–" : show(rate, 3),
      told.empty() ? "–" : show(covered, 3),
      told.empty() ? "–" : show(share_of(told, [](const Trial& t) { return t.direction; }), 3),
      show(abstained, 3),
      show(warned, 3),
      show(share_of(trials, [](const Trial& t) { return t.others[0] < near; }), 3),
      show(share_of(trials, [](const Trial& t) { return t.others[1] < near; }), 3),
      show(near / (std::numbers::pi / 4), 3)};
  const auto claim = [&](std::string text, bool holds) {
    judged.claims.emplace_back(std::move(text), holds);
  };
  if (kind.rate > 0)
    claim(fmt::format("{} of the reported within .05 rad{}", show(rate, 3),
                      kind.warned ? fmt::format(", {} warned of", show(warned, 3)) : ""),
          (!told.empty() && rate >= kind.rate) || (kind.warned && warned >= 0.95));
  if (kind.coverage)
    claim(fmt::format("{} of the 95 % ranges hold the truth", show(covered, 3)),
          covered >= 0.88 && covered <= 0.99);
  if (kind.abstain_most >= 0)
    claim(fmt::format("abstains in {}", show(abstained, 3)), abstained <= kind.abstain_most);
  if (kind.abstain_least >= 0)
    claim(fmt::format("abstains in {}", show(abstained, 3)), abstained >= kind.abstain_least);
  return judged;
}

Judged judge_matrix(const EncoderBenchRow& kind, std::span<const Trial> trials) {
  const auto total = [&](auto member) {
    return sum_of(trials, [&](const Trial& t) { return t.*member; });
  };
  const double latents = total(&Trial::latents), rows = total(&Trial::rows);
  const double good = total(&Trial::good), right = total(&Trial::right);
  const double targets = total(&Trial::targets), wrong = total(&Trial::wrong_labels);
  const double told = sum_of(trials, [](const Trial& t) { return t.correlation * double(t.rows); });
  const auto rival = [&](std::size_t k) {
    return show(share_of(trials, [&](const Trial& t) { return t.rivals[k]; }), 3);
  };
  Judged judged;
  judged.row = {kind.name,
                std::to_string(trials.size()),
                ratio(rows, latents),
                ratio(good, rows),
                ratio(told, rows),
                ratio(total(&Trial::good_noises), total(&Trial::noises)),
                fmt::format("{} of {}", wrong, total(&Trial::labels)),
                ratio(right, targets),
                ratio(total(&Trial::still_found), total(&Trial::still)),
                ratio(total(&Trial::doubles_found), total(&Trial::doubles)),
                fmt::format("{} of {}", total(&Trial::wrong_effects), total(&Trial::effects)),
                rival(0),
                rival(1),
                rival(2)};
  const auto claim = [&](std::string text, bool holds) {
    judged.claims.emplace_back(std::move(text), holds);
  };
  if (kind.rate > 0)
    claim(fmt::format("{} of {} latents have a row with correlation over .95", good, latents),
          good >= kind.rate * latents);
  if (kind.targets > 0)
    claim(fmt::format("{} of single targets told rightly", ratio(right, targets)),
          right >= kind.targets * targets);
  if (kind.abstain_least >= 0) claim(fmt::format("{} rows", rows), rows == 0);
  if (kind.honest)
    claim(fmt::format("{} rows wrongly called latent, of {} rows", wrong, rows),
          wrong <= 0.02 * rows);
  return judged;
}

Judged judge_sensor_kind(const EncoderBenchRow& kind, std::span<const Trial> trials) {
  const auto total = [&](auto get) {
    return sum_of(trials, [&](const Trial& t) { return get(t.sensors); });
  };
  using S = const SensorTrial&;
  const double hidden = total([](S t) { return t.hidden; }),
               named = total([](S t) { return t.named; });
  const double unresolved = total([](S t) { return t.unresolved; });
  const double wrong = total([](S t) { return t.wrong; });
  const double labels = total([](S t) { return t.labels; });
  const double wrong_labels = total([](S t) { return t.wrong_labels; });
  const double ours = total([](S t) { return t.correlation * double(t.named); });
  const double best = total([](S t) { return t.oracle * double(t.named); });
  const double every = total([](S t) { return t.every * double(t.rows.size()); });
  const auto mean = [&](auto get) { return show(total(get) / double(trials.size()), 3); };
  Judged judged;
  judged.row = {kind.name,
                std::to_string(trials.size()),
                ratio(named, hidden),
                ratio(ours, named),
                ratio(best, named),
                fmt::format("{} of {}", wrong, named),
                fmt::format("{} of {}", wrong_labels, labels),
                ratio(unresolved, hidden),
                ratio(every, named + unresolved),
                mean([](S t) { return t.oracle_mean; }),
                mean([](S t) { return t.rivals[0]; }),
                mean([](S t) { return t.rivals[1]; }),
                mean([](S t) { return t.rivals[2]; })};
  const auto claim = [&](std::string text, bool holds) {
    judged.claims.emplace_back(std::move(text), holds);
  };
  if (kind.abstain_least >= 0) {
    claim(fmt::format("{} rows", named + unresolved), named + unresolved == 0);
    return judged;
  }
  claim(named > 0 ? fmt::format("named rows reach {} of the best linear rows' {}",
                                ratio(ours, named), ratio(best, named))
                  : "abstains",
        ours >= 0.97 * best);
  claim(fmt::format("{} rows wrongly called latent, of {}", wrong_labels, labels),
        wrong_labels <= 0.02 * labels);
  return judged;
}

Judged judged_kind(const EncoderBenchRow& kind, std::span<const Trial> trials) {
  if (kind.sensors()) return judge_sensor_kind(kind, trials);
  return kind.spec.mixing == Mixing::rotation ? judge_rotation(kind, trials)
                                              : judge_matrix(kind, trials);
}

void add_kind(EncoderBenchmark& bench, const EncoderBenchRow& kind, std::span<const Trial> trials,
              bool judging) {
  const std::size_t table = kind.sensors() ? 2 : kind.spec.mixing == Mixing::rotation ? 0 : 1;
  Judged judged = judged_kind(kind, trials);
  bench.report.tables[table].rows.push_back(judged.row);
  double most = 0;
  for (const Trial& trial : trials) most = std::max(most, trial.seconds);
  const double mean = share_of(trials, [](const Trial& t) { return t.seconds; });
  bench.time.rows.push_back({kind.name, fmt::format("{:.3f}", mean), fmt::format("{:.3f}", most),
                             kind.seconds > 0 ? fmt::format("{:g}", kind.seconds) : "–"});
  bench.worlds += trials.size();
  if (!judging) return;
  for (std::size_t i = 0; i < judged.claims.size(); ++i)
    bench.report.claims.push_back({fmt::format("encoders/{}/{}", kind.name, i + 1), kind.name,
                                   judged.claims[i].first, judged.claims[i].second, "",
                                   ClaimKind::aim});
}

}  // namespace

EncoderBenchmark bench_encoders(const EncoderBenchPlan& plan, const RunOptions& options) {
  const std::string& scale = plan.scale;
  const std::size_t worlds = plan.worlds        ? plan.worlds
                             : scale == "smoke" ? 2
                             : scale == "quick" ? 20
                                                : 100;
  const std::vector<EncoderBenchRow> kinds = encoder_bench_rows(plan.only);
  EncoderBenchmark bench;
  bench.report.experiment = "bench-encoders";
  bench.report.title = "How often the variables behind mixed columns are found";
  bench.report.scale = scale;
  bench.report.seed = options.seed;
  bench.report.tables = {
      {"rotations",
       "Rotations: share within .05 rad of a valid angle",
       {"shifts", "worlds", "all", "reported", "ranges hold", "direction", "abstains", "warned",
        "FastICA", "PCA", "chance"},
       {}},
      {"matrices",
       "Matrices: rows with correlation over .95",
       {"shifts", "worlds", "rows per latent", "good rows", "mean correlation", "good noises",
        "wrong latents", "targets", "unchanged found", "doubles found", "wrong effects", "FastICA",
        "PCA", "random"},
       {}},
      {"sensors",
       "Five noisy sensors of three latents: mean correlation, beside the best linear rows'",
       {"sensors", "worlds", "named rows per latent", "named rows", "best there", "below .9 of it",
        "wrong latents", "unresolved per latent", "all rows", "best linear", "FastICA", "PCA",
        "random"},
       {}}};
  bench.time = {
      "time", "Processor time of one world, seconds", {"shifts", "mean", "most", "aim"}, {}};

  std::vector<std::vector<Trial>> trials;
  std::vector<std::pair<std::size_t, std::uint32_t>> jobs;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto n = std::max<std::size_t>(1, std::size_t(kinds[k].share * double(worlds)));
    trials.emplace_back(n);
    for (std::uint32_t run = 0; run < n; ++run) jobs.emplace_back(k, run);
  }
  parallel_for(
      jobs.size(), options.threads,
      [&](std::size_t job) {
        const auto [k, run] = jobs[job];
        trials[k][run] = trial_of(kinds[k], options.seed, run);
      },
      options.progress);
  for (std::size_t k = 0; k < kinds.size(); ++k) add_kind(bench, kinds[k], trials[k], worlds >= 20);
  bench.report.summary = fmt::format("{} worlds, seed {}.", bench.worlds, options.seed);
  bench.report.assumptions = {
      "Seeds 77, 99, 501, 601 and 1234 were used while the method was made.",
      "FastICA and PCA see the rows of all environments together, without labels (of sensors, "
      "those of the baseline where that does better); random is the mean of 200 random matrices."};
  return bench;
}

}  // namespace whence
