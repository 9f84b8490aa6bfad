#include "whence/discover/encoder/find_encoder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "whence/core/error.hpp"

namespace whence {

std::string_view name_of(EncoderVerdict verdict) {
  constexpr std::string_view names[] = {"encoder",  "noises-only",    "one-per-latent",
                                        "no-shift", "too-few-shifts", "all-changed",
                                        "undecided"};
  return names[std::size_t(verdict)];
}

std::string_view name_of(LatentKind kind) {
  constexpr std::string_view names[] = {"latent", "noise", "unresolved"};
  return names[std::size_t(kind)];
}

namespace {

constexpr std::size_t fewest_rows = 20;  // of an environment
constexpr double widest = 0.4;           // radians that 95 % of the posterior may take
constexpr std::size_t trusted_rows = 400, trusted_baseline = 4000;

[[noreturn]] void refuse(const std::string& id, const std::string& problem,
                         const std::string& hint) {
  throw Error(ExitCode::bad_data, id, "", problem, hint);
}

void require_real_columns(const Dataset& data) {
  if (data.variables.size() < 2)
    refuse("E-DATA-COLUMNS", "one column cannot be a mixture", "give two or more columns");
  constexpr std::size_t most_columns = 100;  // 5,150 products, and a fit takes the cube of that
  if (data.variables.size() > most_columns)
    throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
                fmt::format("{} columns are more than the {} that can be unmixed",
                            data.variables.size(), most_columns),
                "choose some with --columns, or leave some out with --exclude");
  for (const Variable& v : data.variables) {
    if (v.kind == Variable::Kind::categorical)
      refuse("E-DATA-KIND",
             fmt::format("column '{}' is categorical: a mixture adds up numbers", v.name),
             "leave it out with --columns, or call it real with --types NAME=real if it holds "
             "numbers");
    if (v.dimension != 1)
      refuse("E-DATA-KIND", fmt::format("variable '{}' is a vector", v.name),
             "give its columns one by one");
  }
}

void require_environments(const Dataset& data) {
  if (data.environments.size() < 3)
    refuse("E-DATA-ENVIRONMENTS",
           fmt::format("{} shifted environment{} cannot tell one mixture from another",
                       data.environments.size() - 1, data.environments.size() == 2 ? "" : "s"),
           "give a baseline and at least two shifted files; two for each latent are best");
  for (const Environment& e : data.environments)
    if (e.rows() < fewest_rows)
      refuse("E-DATA-ROWS", fmt::format("environment '{}' has {} rows", e.name, e.rows()),
             fmt::format("at least {} are needed, {} or more are good", fewest_rows, trusted_rows));
}

/// Constant columns, and columns that the others make up.
void require_invertible(const Dataset& data) {
  const std::size_t d = data.variables.size();
  const auto n = double(data.rows());
  std::vector<double> mean(d), scale(d);
  for (std::size_t j = 0; j < d; ++j) {
    for (double x : data.columns[j].values) mean[j] += x / n;
    for (double x : data.columns[j].values) scale[j] += (x - mean[j]) * (x - mean[j]) / n;
    scale[j] = std::sqrt(scale[j]);
    if (!(scale[j] > 1e-12 * std::max(1.0, std::abs(mean[j]))))
      refuse("E-DATA-CONSTANT", fmt::format("column '{}' is constant", data.variables[j].name),
             "leave it out with --columns");
  }
  Matrix correlation(d, d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < data.columns[j].values.size(); ++i)
        sum += (data.columns[j].values[i] - mean[j]) * (data.columns[k].values[i] - mean[k]);
      correlation(j, k) = correlation(k, j) = sum / (n * scale[j] * scale[k]);
    }
  const SymmetricEigen axes = symmetric_eigen(correlation);
  if (axes.values.back() > 1e-8) return;
  std::vector<std::string> involved;
  for (std::size_t j = 0; j < d; ++j)
    if (std::abs(axes.vectors(j, d - 1)) > 0.1) involved.push_back(data.variables[j].name);
  refuse("E-DATA-SINGULAR",
         fmt::format("columns {} are functions of each other: the mixture has no inverse",
                     fmt::join(involved, ", ")),
         "leave one of them out with --columns");
}

/// Environments in the data's order, the baseline moved to the front.
std::vector<std::size_t> baseline_first(const Dataset& data, std::size_t baseline) {
  std::vector<std::size_t> order = {baseline};
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    if (e != baseline) order.push_back(e);
  return order;
}

EncoderAnswer empty_answer(const Dataset& data, const EncoderOptions& options, Mixing mixing) {
  EncoderAnswer answer;
  answer.mixing = mixing;
  for (const Variable& v : data.variables) answer.columns.push_back(v.name);
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    answer.environments.push_back({data.environments[e].name,
                                   data.environments[e].rows(),
                                   e == options.baseline,
                                   EnvironmentKind::unchanged,
                                   {}});
  return answer;
}

std::string latent_name(std::size_t k) { return fmt::format("Z{}", k + 1); }

// ---- a rotation ---------------------------------------------------------------------------------

EncoderVerdict rotation_verdict(const RotationAnswer& found) {
  if (found.shifted() == 0) return EncoderVerdict::no_shift;
  if (found.shifted() == 1) return EncoderVerdict::too_few_shifts;
  if (found.shares[3] > 0.5) return EncoderVerdict::all_changed;
  return found.width > widest ? EncoderVerdict::undecided : EncoderVerdict::encoder;
}

void tell_rotation(EncoderAnswer& answer, const std::vector<std::size_t>& order) {
  const RotationAnswer& found = *answer.rotation;
  answer.verdict = rotation_verdict(found);
  const bool good = answer.verdict == EncoderVerdict::encoder;
  answer.direction = good ? found.direction : 0.5;
  const double c = std::cos(found.angle), s = std::sin(found.angle);
  for (std::size_t k = 0; k < 2; ++k) {
    FoundLatent latent{.name = latent_name(k)};
    if (good) {
      latent.kind = LatentKind::latent;
      latent.probability = 0.95;
      latent.weights = k == 0 ? std::vector{c, s} : std::vector{-s, c};
      for (const double w : {latent.weights[1], latent.weights[0]})
        latent.sd.push_back(std::abs(w) * found.sd);
    }
    answer.latents.push_back(std::move(latent));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    EncoderEnvironment& e = answer.environments[order[i]];
    if (i == 0) {
      e.changed = {0.0, 0.0};
      continue;
    }
    const auto& p = found.changes[i - 1];
    const bool nothing = !found.counted[i - 1];
    e.kind = nothing                             ? EnvironmentKind::unchanged
             : good && p[1] + p[2] > p[0] + p[3] ? EnvironmentKind::one_latent
                                                 : EnvironmentKind::unresolved;
    if (nothing)
      e.changed = {0.0, 0.0};
    else if (good)
      e.changed = {std::min(1.0, p[1] + p[3]), std::min(1.0, p[2] + p[3])};
    else
      e.changed = {std::nullopt, std::nullopt};
  }
}

void warn_of_rows(EncoderAnswer& answer, const Dataset& data, const EncoderOptions& options) {
  std::size_t fewest = data.rows();
  for (std::size_t e = 0; e < data.environments.size(); ++e)
    if (e != options.baseline) fewest = std::min(fewest, data.environments[e].rows());
  const std::size_t baseline = data.environments[options.baseline].rows();
  if (fewest < trusted_rows || baseline < trusted_baseline)
    answer.remarks.push_back(
        {RemarkCode::few_rows_for_angle,
         {},
         {},
         {double(baseline), double(fewest), double(trusted_baseline), double(trusted_rows)}});
}

EncoderAnswer undo_rotation(const Dataset& data, const EncoderOptions& options) {
  if (data.variables.size() != 2)
    throw Error(ExitCode::usage, "E-USAGE-OPTION", "mixing",
                fmt::format("a rotation has two columns, not {}", data.variables.size()),
                "take a linear mixture, or choose two columns");
  const std::vector<std::size_t> order = baseline_first(data, options.baseline);
  std::vector<PlanePoints> points;
  for (const std::size_t e : order) {
    const Environment& place = data.environments[e];
    const auto column = [&](std::size_t j) {
      const auto& values = data.columns[j].values;
      return std::vector(values.begin() + std::ptrdiff_t(place.begin),
                         values.begin() + std::ptrdiff_t(place.end));
    };
    points.push_back({column(0), column(1)});
  }
  RotationSearch how;
  how.threads = options.threads;
  how.pulse = options.pulse;
  EncoderAnswer answer = empty_answer(data, options, Mixing::rotation);
  answer.rotation = find_rotation(points, how);
  tell_rotation(answer, order);
  warn_of_rows(answer, data, options);
  return answer;
}

// ---- a matrix -----------------------------------------------------------------------------------

EncoderVerdict unmixing_verdict(const UnmixingAnswer& found) {
  const auto changed =
      std::count_if(found.environments.begin(), found.environments.end(),
                    [](EnvironmentKind kind) { return kind != EnvironmentKind::unchanged; });
  if (changed == 0) return EncoderVerdict::no_shift;
  std::vector<LatentRow> rows = found.rows;  // that stand for something
  std::erase_if(rows, [](const LatentRow& row) { return row.mixture; });
  if (rows.empty())
    return changed == 1 ? EncoderVerdict::too_few_shifts : EncoderVerdict::one_per_latent;
  const bool latents = std::any_of(rows.begin(), rows.end(), [](const LatentRow& row) {
    return row.kind == LatentKind::latent;
  });
  if (latents) return EncoderVerdict::encoder;
  const bool open =
      std::any_of(found.environments.begin(), found.environments.end(),
                  [](EnvironmentKind kind) { return kind == EnvironmentKind::unresolved; });
  const bool once = std::all_of(rows.begin(), rows.end(),
                                [](const LatentRow& row) { return row.environments.size() == 1; });
  return open && once ? EncoderVerdict::one_per_latent : EncoderVerdict::noises_only;
}

void tell_unmixing(EncoderAnswer& answer, const UnmixingAnswer& found,
                   const std::vector<std::size_t>& order, std::size_t latents) {
  answer.verdict = unmixing_verdict(found);
  for (std::size_t k = 0; k < latents; ++k) {
    FoundLatent latent{.name = latent_name(k)};
    if (k < found.rows.size()) {
      const LatentRow& row = found.rows[k];
      latent = {latent.name, row.kind, row.probability, row.weights, {}, row.saturated};
      for (std::size_t j = 0; j < row.weights.size(); ++j)
        latent.sd.push_back(std::sqrt(std::max(0.0, row.chance(j, j))));
    }
    answer.latents.push_back(std::move(latent));
  }
  answer.environments[order[0]].changed.assign(latents, 0.0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    EncoderEnvironment& e = answer.environments[order[i]];
    e.kind = found.environments[i - 1];
    if (e.kind == EnvironmentKind::unresolved)
      e.changed.assign(latents, std::nullopt);
    else
      e.changed.assign(latents, 0.0);
    for (std::size_t k = 0; k < found.rows.size(); ++k) {
      const auto& hit = found.rows[k].environments;
      if (!found.rows[k].mixture && std::find(hit.begin(), hit.end(), i - 1) != hit.end())
        e.changed[k] = found.rows[k].probability;
    }
  }
  for (const FoundLatent& latent : answer.latents)
    if (latent.saturated)
      answer.remarks.push_back({RemarkCode::latent_saturated, {latent.name}, {}, {}});
}

/// How many environments may be compared with the baseline at a time. Each is by all products of
/// two columns: their values, and three matrices of their covariances.
int threads_in_memory(const Dataset& data, const EncoderOptions& options) {
  constexpr std::size_t most_rows = 40000;
  const std::size_t d = data.variables.size(), products = d + d * (d + 1) / 2;
  const std::size_t bytes =
      sizeof(double) * products * (std::min(data.rows(), most_rows) + 3 * products);
  if (bytes > options.max_memory)
    throw Error(
        ExitCode::resource, "E-LIMIT-MEMORY", "columns",
        fmt::format("the products of {} columns take {:.0f} MB, more than --max-memory allows", d,
                    std::ceil(double(bytes) / 1e6)),
        "choose some with --columns, or a larger --max-memory");
  return std::min(options.threads, int(std::min<std::size_t>(options.max_memory / bytes, 1024)));
}

EncoderAnswer undo_matrix(const Dataset& data, const EncoderOptions& options) {
  const int threads = threads_in_memory(data, options);
  const std::size_t d = data.variables.size();
  const std::vector<std::size_t> order = baseline_first(data, options.baseline);
  std::vector<Matrix> rows;
  for (const std::size_t e : order) {
    const Environment& place = data.environments[e];
    Matrix here(place.rows(), d);
    for (std::size_t i = 0; i < place.rows(); ++i)
      for (std::size_t j = 0; j < d; ++j) here(i, j) = data.columns[j].values[place.begin + i];
    rows.push_back(std::move(here));
  }
  UnmixingSearch how;
  how.latents = options.latents;
  how.threads = threads;
  how.pulse = options.pulse;
  EncoderAnswer answer = empty_answer(data, options, Mixing::linear);
  const UnmixingAnswer found = find_unmixing(rows, how);
  tell_unmixing(answer, found, order, options.latents ? options.latents : d);
  answer.effects = find_latent_effects(rows, found);
  return answer;
}

}  // namespace

EncoderAnswer find_encoder(const Dataset& data, const EncoderOptions& options) {
  require_real_columns(data);
  if (options.latents > data.variables.size())
    throw Error(ExitCode::usage, "E-USAGE-VALUE", "latents",
                fmt::format("{} latents cannot be told from {} columns", options.latents,
                            data.variables.size()),
                "as many as columns at most");
  require_environments(data);
  require_invertible(data);
  const Mixing mixing = options.mixing.value_or(
      data.variables.size() == 2 && options.latents != 1 ? Mixing::rotation : Mixing::linear);
  EncoderAnswer answer =
      mixing == Mixing::rotation ? undo_rotation(data, options) : undo_matrix(data, options);
  return answer;
}

Matrix encode(const EncoderAnswer& answer, const Dataset& data) {
  std::vector<const FoundLatent*> known;
  for (const FoundLatent& latent : answer.latents)
    if (!latent.weights.empty()) known.push_back(&latent);
  Matrix latents(data.rows(), known.size());
  for (std::size_t k = 0; k < known.size(); ++k)
    for (std::size_t j = 0; j < data.variables.size(); ++j)
      for (std::size_t i = 0; i < latents.rows; ++i)
        latents(i, k) += known[k]->weights[j] * data.columns[j].values[i];
  return latents;
}

}  // namespace whence
