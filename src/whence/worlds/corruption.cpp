#include "whence/worlds/corruption.hpp"

#include <algorithm>
#include <cmath>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {

namespace {

// Cells of Purpose::sample {run, environment, variable}; other runs belong to the worlds.
constexpr std::uint32_t typo_run = 2, which_row_run = 3, noise_run = 6;

/// The law of the noise that a column's cells are replaced by.
struct CellNoise {
  double mean = 0, deviation = 0;
  bool counts = false;
};

CellNoise noise_of(const std::vector<double>& values, const Environment& baseline) {
  CellNoise noise{0, 0, true};
  const auto n = double(baseline.rows());
  for (std::size_t r = baseline.begin; r < baseline.end; ++r) {
    noise.mean += values[r] / n;
    noise.counts = noise.counts && values[r] >= 0 && values[r] == std::floor(values[r]);
  }
  for (std::size_t r = baseline.begin; r < baseline.end; ++r)
    noise.deviation += (values[r] - noise.mean) * (values[r] - noise.mean) / n;
  noise.deviation = 3 * std::sqrt(noise.deviation);
  return noise;
}

double draw(const CellNoise& noise, Stream& stream) {
  const double x = noise.mean + noise.deviation * sample_normal(stream);
  return noise.counts ? std::max(0.0, std::round(x)) : x;
}

}  // namespace

void mistype_cells(Dataset& data, std::size_t cells, std::uint64_t seed) {
  std::vector<std::size_t> real;
  for (std::size_t v = 0; v < data.columns.size(); ++v)
    if (data.variables[v].kind == Variable::Kind::real) real.push_back(v);
  if (cells > real.size() * data.rows())
    throw Error(ExitCode::bad_config, "E-WORLD-SHAPE", "typos",
                "there are fewer cells with numbers than that", "ask for fewer mistyped cells");
  Stream stream(seed, Purpose::sample, {typo_run, 0, 0});
  std::vector<std::pair<std::size_t, std::size_t>> done;  // column, row
  while (done.size() < cells) {
    const std::size_t v = real[std::size_t(sample_index(stream, int(real.size())))];
    const auto r = std::size_t(sample_index(stream, int(data.rows())));
    const double factor = portable_exp(portable_log(10) * (1 + stream.uniform()));
    if (std::find(done.begin(), done.end(), std::pair(v, r)) != done.end()) continue;
    done.emplace_back(v, r);
    data.columns[v].values[r] *= factor;
  }
}

void replace_rows_by_noise(Dataset& data, double share, std::uint64_t seed) {
  for (std::size_t v = 0; v < data.columns.size(); ++v) {
    const bool categorical = data.variables[v].kind == Variable::Kind::categorical;
    Column& column = data.columns[v];
    const CellNoise noise =
        categorical ? CellNoise{} : noise_of(column.values, data.environments.front());
    for (std::size_t e = 0; e < data.environments.size(); ++e) {
      const Environment& rows = data.environments[e];
      Stream which(seed, Purpose::sample, {which_row_run, std::uint32_t(e), 0});
      Stream stream(seed, Purpose::sample, {noise_run, std::uint32_t(e), std::uint32_t(v)});
      const auto order = random_order(rows.rows(), which);
      const auto count = std::size_t(std::lround(share * double(rows.rows())));
      for (std::size_t k = 0; k < std::min(count, order.size()); ++k) {
        const std::size_t r = rows.begin + order[k];
        if (categorical)
          column.levels[r] = sample_index(stream, data.variables[v].levels);
        else
          column.values[r] = draw(noise, stream);
      }
    }
  }
}

}  // namespace whence
