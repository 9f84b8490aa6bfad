#include "whence/worlds/embedded_network.hpp"

#include <algorithm>
#include <cmath>

#include "whence/math/dense.hpp"

namespace whence {

namespace {

constexpr std::size_t embedding = 4, hidden = 48;
constexpr double gain = 2.5, largest_bias = 0.5, leak = 0.1;

/// Makes the vector orthogonal to the earlier ones; twice, because once leaves rounding errors.
void project_out(std::span<const std::vector<double>> earlier, std::vector<double>& vector) {
  for (int pass = 0; pass < 2; ++pass)
    for (const auto& other : earlier) {
      const double along = dot(other, vector);
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= along * other[i];
    }
}

}  // namespace

std::vector<double> draw_orthogonal(std::size_t rows, std::size_t columns, double length,
                                    Stream& stream) {
  const std::size_t count = std::min(rows, columns), size = std::max(rows, columns);
  std::vector<std::vector<double>> basis(count, std::vector<double>(size));
  for (std::size_t k = 0; k < count; ++k) {
    for (double& x : basis[k]) x = sample_normal(stream);
    project_out({basis.data(), k}, basis[k]);
    const double norm = std::sqrt(dot(basis[k], basis[k]));
    for (double& x : basis[k]) x /= norm;
  }
  std::vector<double> matrix(rows * columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      matrix[r * columns + c] = length * (rows >= columns ? basis[c][r] : basis[r][c]);
  return matrix;
}

EmbeddedNetwork EmbeddedNetwork::draw(std::span<const int> parent_levels, int levels,
                                      Stream& stream) {
  EmbeddedNetwork net;
  net.levels_ = levels;
  if (parent_levels.empty()) {
    for (int k = 0; k < levels; ++k) net.outputs_.push_back(sample_normal(stream));
    return net;
  }
  const std::size_t units = embedding * parent_levels.size();
  const auto first = draw_orthogonal(hidden, units, gain, stream);
  for (std::size_t h = 0; h < hidden; ++h)
    net.bias_.push_back(largest_bias * (2 * stream.uniform() - 1));
  net.outputs_ = draw_orthogonal(std::size_t(levels), hidden, gain, stream);
  for (std::size_t p = 0; p < parent_levels.size(); ++p) {
    auto& table = net.inputs_.emplace_back();
    for (int level = 0; level < parent_levels[p]; ++level) {
      double code[embedding];
      for (double& x : code) x = sample_normal(stream);
      for (std::size_t h = 0; h < hidden; ++h)
        table.push_back(dot({&first[h * units + p * embedding], embedding}, code));
    }
  }
  return net;
}

void EmbeddedNetwork::cumulative(std::span<const std::int32_t> parents,
                                 std::span<double> out) const {
  if (inputs_.empty()) {
    std::copy(outputs_.begin(), outputs_.end(), out.begin());
  } else {
    double unit[hidden];
    std::copy(bias_.begin(), bias_.end(), unit);
    for (std::size_t p = 0; p < inputs_.size(); ++p) {
      const double* row = &inputs_[p][std::size_t(parents[p]) * hidden];
      for (std::size_t h = 0; h < hidden; ++h) unit[h] += row[h];
    }
    for (double& u : unit) u = u < 0 ? leak * u : u;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = dot({&outputs_[k * hidden], hidden}, unit);
  }
  const double highest = *std::max_element(out.begin(), out.end());
  double total = 0;
  for (double& x : out) x = total += portable_exp(x - highest);
  for (double& x : out) x /= total;
}

}  // namespace whence
