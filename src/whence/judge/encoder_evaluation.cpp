#include "whence/judge/encoder_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/io/json/json_list.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Of the raw columns, in the baseline.
Matrix baseline_covariance(const MixedWorld& world) {
  const std::size_t d = world.data.variables.size();
  const Environment& base = world.data.environments[0];
  std::vector<double> mean(d);
  const auto n = double(base.rows());
  const auto at = [&](std::size_t j, std::size_t i) {
    return world.data.columns[j].values[base.begin + i];
  };
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < base.rows(); ++i) mean[j] += at(j, i) / n;
  Matrix covariance(d, d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < d; ++k)
      for (std::size_t i = 0; i < base.rows(); ++i)
        covariance(j, k) += (at(j, i) - mean[j]) * (at(k, i) - mean[k]) / n;
  return covariance;
}

Json matrix_json(const Matrix& matrix) {
  Json rows = Json::list();
  for (std::size_t i = 0; i < matrix.rows; ++i)
    rows.items.push_back(
        Json::list(std::span(matrix.values).subspan(i * matrix.columns, matrix.columns)));
  return rows;
}

std::string latent_name(std::size_t k) { return fmt::format("S{}", k + 1); }

}  // namespace

Json mixed_truth_json(const MixedSpec& spec, const MixedWorld& world, std::uint64_t seed) {
  Json environments = Json::list(), parents = Json::object(), columns = Json::list();
  for (std::size_t e = 0; e < world.targets.size(); ++e) {
    Json changed = Json::list();
    for (const std::size_t k : world.targets[e]) changed.items.emplace_back(latent_name(k));
    environments.items.push_back(Json::object({{"name", world.data.environments[e].name},
                                               {"rows", world.data.environments[e].rows()},
                                               {"baseline", e == 0},
                                               {"changed", std::move(changed)}}));
  }
  Json latents = Json::list();
  for (std::size_t k = 0; k < spec.latents; ++k) {
    latents.items.emplace_back(latent_name(k));
    Json list = Json::list();
    for (const std::size_t p : world.parents[k]) list.items.emplace_back(latent_name(p));
    parents.set(latent_name(k), std::move(list));
  }
  for (const Variable& v : world.data.variables) columns.items.emplace_back(v.name);
  return Json::object({{"format", 1},
                       {"simulation", "mixed"},
                       {"mixing", name_of(spec.mixing)},
                       {"shift", name_of(spec.shift)},
                       {"mechanism", spec.splines ? "spline" : "linear"},
                       {"law", name_of(spec.law)},
                       {"sensors", name_of(spec.sensors)},
                       {"seed", std::to_string(seed)},
                       {"columns", std::move(columns)},
                       {"latents", std::move(latents)},
                       {"angle", spec.mixing == Mixing::rotation ? Json(world.angle) : Json()},
                       {"unmixing", matrix_json(world.unmixing)},
                       {"parents", std::move(parents)},
                       {"environments", std::move(environments)},
                       {"covariance", matrix_json(baseline_covariance(world))}});
}

// ---- rows against rows --------------------------------------------------------------------------

double RowMatch::mean() const {
  return correlation.empty() ? 0
                             : std::accumulate(correlation.begin(), correlation.end(), 0.0) /
                                   double(correlation.size());
}

std::size_t RowMatch::above(double threshold) const {
  return std::size_t(std::count_if(correlation.begin(), correlation.end(),
                                   [&](double c) { return c > threshold; }));
}

RowMatch match_rows(const Matrix& found, const Matrix& truth, const Matrix& covariance) {
  const auto spread = [&](const Matrix& rows) {  // each row times the covariance
    Matrix out(rows.rows, covariance.rows);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < covariance.rows; ++k)
        for (std::size_t l = 0; l < covariance.rows; ++l)
          out(i, k) += covariance(k, l) * rows(i, l);
    return out;
  };
  const auto product = [&](const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < covariance.rows; ++k) sum += a(i, k) * b(j, k);
    return sum;
  };
  const Matrix spread_found = spread(found), spread_truth = spread(truth);
  Matrix agreement(found.rows, truth.rows);
  for (std::size_t i = 0; i < found.rows; ++i) {
    const double own = product(found, i, spread_found, i);
    for (std::size_t j = 0; j < truth.rows; ++j) {
      const double size = own * product(truth, j, spread_truth, j);
      const double c = std::abs(product(found, i, spread_truth, j)) / std::sqrt(size);
      agreement(i, j) = size > 0 && std::isfinite(c) ? c : 0.0;
    }
  }
  RowMatch match;
  match.correlation.assign(found.rows, 0);
  match.latent.assign(found.rows, truth.rows);
  std::vector<bool> taken(truth.rows, false);
  for (std::size_t round = 0; round < std::min(found.rows, truth.rows); ++round) {
    double best = -1;
    std::size_t row = 0, latent = 0;
    for (std::size_t i = 0; i < found.rows; ++i)
      for (std::size_t j = 0; j < truth.rows; ++j)
        if (match.latent[i] == truth.rows && !taken[j] && agreement(i, j) > best) {
          best = agreement(i, j);
          row = i;
          latent = j;
        }
    match.correlation[row] = best;
    match.latent[row] = latent;
    taken[latent] = true;
  }
  return match;
}

double random_floor(const Matrix& truth, const Matrix& covariance) {
  constexpr std::uint32_t draws = 200;
  double sum = 0;
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    Stream stream(0, Purpose::tests, {draw, 0, 0});
    Matrix random(truth.rows, truth.columns);
    for (double& x : random.values) x = sample_normal(stream);
    sum += match_rows(random, truth, covariance).mean();
  }
  return sum / draws;
}

// ---- from documents -----------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse_answer(const std::string& file, const std::string& problem) {
  throw Error(ExitCode::bad_data, "E-EVALUATE", file, problem,
              "give the result.json of whence disentangle and the truth.json of whence simulate "
              "mixed");
}

const Json& member(const Json& object, const char* key, const std::string& file) {
  const Json* value = object.is(Json::Kind::object) ? object.find(key) : nullptr;
  if (!value) refuse_answer(file, fmt::format("there is no \"{}\"", key));
  return *value;
}

double number(const Json& value, const std::string& file) {
  if (!value.is(Json::Kind::number)) refuse_answer(file, "a number was expected");
  return value.as_double();
}

double probability(const Json& value, const std::string& file) {
  const double p = number(value, file);
  if (!(p >= 0 && p <= 1)) refuse_answer(file, "a probability is not between 0 and 1");
  return p;
}

const Json& list_in(const Json& object, const char* key, const std::string& file) {
  const Json& value = member(object, key, file);
  if (!value.is(Json::Kind::list)) refuse_answer(file, fmt::format("\"{}\" is no list", key));
  return value;
}

/// No more rows than columns: more mixtures of them cannot be distinguished.
Matrix matrix_of(const Json& rows, std::size_t columns, const std::string& file) {
  if (rows.items.empty() || rows.items.size() > columns)
    refuse_answer(file, "matrices and columns do not fit together");
  Matrix matrix(rows.items.size(), columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    if (rows.items[i].items.size() != columns)
      refuse_answer(file, "matrices and columns do not fit together");
    for (std::size_t j = 0; j < matrix.columns; ++j)
      matrix(i, j) = number(rows.items[i].items[j], file);
  }
  return matrix;
}

/// The rows of weights, in the order of the truth's columns; names of their latents beside them.
struct FoundRows {
  Matrix weights;
  std::vector<std::string> names;
};

FoundRows found_rows(const Json& result, const std::string& file, const Json& columns) {
  const Json& list = list_in(result, "unmixing", file);
  if (list.items.size() > columns.items.size())
    refuse_answer(file, "there are more rows of weights than the truth has columns");
  FoundRows found{Matrix(list.items.size(), columns.items.size()), {}};
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    found.names.push_back(member(list.items[i], "latent", file).text);
    const Json& weights = member(list.items[i], "weights", file);
    for (std::size_t j = 0; j < columns.items.size(); ++j)
      found.weights(i, j) = number(member(weights, columns.items[j].text.c_str(), file), file);
  }
  return found;
}

void judge_angle(const Json& result, const std::string& file, double truth, EncoderEvaluation& e) {
  const Json& angle = member(result, "angle", file);
  if (!angle.is(Json::Kind::object)) return;
  constexpr double quarter = std::numbers::pi / 2;
  const double value = number(member(angle, "value", file), file);
  const Json& interval = list_in(angle, "interval", file);
  if (interval.items.size() != 2) refuse_answer(file, "an interval has two ends");
  const double off = std::remainder(truth - value, quarter);
  e.angle_error = std::abs(off);
  e.covered = off >= number(interval.items[0], file) - value &&
              off <= number(interval.items[1], file) - value;
  e.direction = std::abs(std::remainder(truth - value, 2 * quarter)) < quarter / 2;
}

/// An environment is judged right if exactly the latents that changed have a probability over
/// one half.
void judge_environments(const Json& result, const std::string& result_file, const Json& truth,
                        const std::string& truth_file, const FoundRows& found,
                        const RowMatch& match, EncoderEvaluation& e) {
  const Json& environments = member(result, "environments", result_file);
  for (const Json& true_one : member(truth, "environments", truth_file).items) {
    const Json* baseline = true_one.find("baseline");
    if (baseline && baseline->truth) continue;
    const std::string name = member(true_one, "name", truth_file).text;
    const auto same = std::find_if(
        environments.items.begin(), environments.items.end(),
        [&](const Json& one) { return member(one, "name", result_file).text == name; });
    if (same == environments.items.end()) continue;
    ++e.judged;
    std::vector<std::string> said, meant;
    const Json& changed = member(*same, "changed", result_file);
    for (std::size_t i = 0; i < found.names.size(); ++i) {
      const Json& p = member(changed, found.names[i].c_str(), result_file);
      if (!p.is(Json::Kind::null) && probability(p, result_file) >= 0.5)
        said.push_back(latent_name(match.latent[i]));
    }
    for (const Json& latent : member(true_one, "changed", truth_file).items)
      meant.push_back(latent.text);
    std::sort(said.begin(), said.end());
    std::sort(meant.begin(), meant.end());
    e.right += said == meant ? 1 : 0;
  }
}

/// Whether `from` is among the causes of `to`, near or far.
bool acts_on(const Json& parents, const std::string& from, const std::string& to,
             const std::string& file) {
  std::vector<std::string> seen = {to};
  for (std::size_t at = 0; at < seen.size(); ++at)
    for (const Json& parent : member(parents, seen[at].c_str(), file).items) {
      if (parent.text == from) return true;
      if (std::find(seen.begin(), seen.end(), parent.text) == seen.end())
        seen.push_back(parent.text);
    }
  return false;
}

void judge_effects(const Json& result, const std::string& result_file, const Json& truth,
                   const std::string& truth_file, const FoundRows& found, const RowMatch& match,
                   EncoderEvaluation& e) {
  const Json* effects = result.find("effects");
  if (!effects) return;
  const auto latent_of = [&](const Json& name) {
    const auto at = std::find(found.names.begin(), found.names.end(), name.text);
    if (at == found.names.end())
      refuse_answer(result_file, "an effect of a latent without weights");
    return latent_name(match.latent[std::size_t(at - found.names.begin())]);
  };
  for (const Json& one : effects->items) {
    ++e.effects;
    e.true_effects +=
        acts_on(member(truth, "parents", truth_file), latent_of(member(one, "from", result_file)),
                latent_of(member(one, "to", result_file)), truth_file)
            ? 1
            : 0;
  }
}

}  // namespace

EncoderEvaluation evaluate_encoder(const Json& result, const std::string& result_file,
                                   const Json& truth, const std::string& truth_file) {
  EncoderEvaluation e;
  e.verdict = member(member(result, "verdict", result_file), "kind", result_file).text;
  const Json& columns = list_in(truth, "columns", truth_file);
  const std::size_t d = columns.items.size();
  constexpr std::size_t most_columns = 1000;  // ten times what whence disentangle takes
  if (d > most_columns)
    throw Error(ExitCode::resource, "E-LIMIT-COLUMNS", truth_file,
                fmt::format("{} columns are more than the {} that can be judged", d, most_columns));
  const Matrix unmixing = matrix_of(list_in(truth, "unmixing", truth_file), d, truth_file);
  const Matrix covariance = matrix_of(list_in(truth, "covariance", truth_file), d, truth_file);
  if (covariance.rows != d) refuse_answer(truth_file, "matrices and columns do not fit together");
  const FoundRows found = found_rows(result, result_file, columns);
  const RowMatch match = match_rows(found.weights, unmixing, covariance);
  e.latents = unmixing.rows;
  e.rows = found.names.size();
  e.above = match.above(0.95);
  e.correlation = match.mean();
  e.floor = random_floor(unmixing, covariance);
  const Json& angle = member(truth, "angle", truth_file);
  if (angle.is(Json::Kind::number)) judge_angle(result, result_file, angle.as_double(), e);
  judge_environments(result, result_file, truth, truth_file, found, match, e);
  judge_effects(result, result_file, truth, truth_file, found, match, e);
  return e;
}

Json encoder_evaluation_json(const EncoderEvaluation& e) {
  const auto maybe = [](const auto& value) { return value ? Json(*value) : Json(); };
  return Json::object({{"verdict", e.verdict},
                       {"angle_error", maybe(e.angle_error)},
                       {"covered", maybe(e.covered)},
                       {"direction_right", maybe(e.direction)},
                       {"latents", e.latents},
                       {"rows", e.rows},
                       {"rows_above_95", e.above},
                       {"mean_correlation", e.correlation},
                       {"random_floor", e.floor},
                       {"environments", e.judged},
                       {"environments_right", e.right},
                       {"effects", e.effects},
                       {"effects_right", e.true_effects}});
}

}  // namespace whence
