#include "whence/worlds/node_mechanism.hpp"

#include <cmath>
#include <numbers>

#include "whence/math/dense.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

constexpr std::size_t units = 5;
constexpr double usual_rate = 5, rate_noise = 0.45;  // 1/sqrt(5), about, of a logarithm
constexpr double gumbel_deviation = std::numbers::pi / 2.449489742783178;  // pi / sqrt(6)

double sign_of(Stream& stream) { return stream.uniform() < 0.5 ? -1 : 1; }

double portable_sigmoid(double x) { return 1 / (1 + portable_exp(-x)); }

/// sin x for moderate x, from additions and multiplications: the same bits on every machine.
double sine(double x) {
  const double turns = std::nearbyint(x / std::numbers::pi);
  const double r = x - turns * std::numbers::pi, r2 = r * r;
  double sum = 0;
  for (int k = 21; k > 1; k -= 2) sum = (1 + sum) * (-r2 / double(k * (k - 1)));
  return (std::fmod(turns, 2) == 0 ? r : -r) * (1 + sum);
}

double saturated(double u) { return 3 * portable_tanh(u / 3); }

double noise_of(GraphMechanism kind, Stream& stream) {
  switch (kind) {
    case GraphMechanism::network: return between(stream, 0.2, 0.5);
    case GraphMechanism::sine: return between(stream, 0.2, 0.5);
    case GraphMechanism::multiplicative: return between(stream, 0.1, 0.3);
    case GraphMechanism::mixed: return between(stream, 0.3, 0.6);
    case GraphMechanism::count: return rate_noise;
    case GraphMechanism::dense_network: return std::sqrt(between(stream, 0.05, 0.15));
    default: return between(stream, 0.4, 0.8);
  }
}

}  // namespace

int sample_poisson(Stream& stream, double rate) {
  const double u = stream.uniform();
  double p = portable_exp(-rate), below = p;
  int k = 0;
  while (below <= u && p > 0) {
    p *= rate / ++k;
    if (below + p == below && double(k) > rate) break;  // the tail that no double can show
    below += p;
  }
  return k;
}

void NodeMechanism::draw_network(std::size_t outputs, double inner, double outer, Stream& stream) {
  inner_.resize(units * inputs_);
  bias_.resize(units);
  outer_.resize(outputs * units);
  for (double& w : inner_) w = inner * sample_normal(stream);
  for (double& w : bias_) w = sample_normal(stream);
  for (double& w : outer_) w = outer * sample_normal(stream);
}

void NodeMechanism::draw_weights(double low, double high, bool signs, std::vector<double>& weights,
                                 Stream& stream) const {
  for (std::size_t i = 0; i < inputs_; ++i)
    weights.push_back((signs ? sign_of(stream) : 1) * between(stream, low, high));
}

void NodeMechanism::move_root(Stream& stream) {
  const double side = sign_of(stream);
  if (kind_ == GraphMechanism::multiplicative) {
    offset_ = 0.7 * side;
  } else if (kind_ == GraphMechanism::count) {
    offset_ += 0.8 * side;
  } else {
    offset_ = 1.5 * side * (kind_ == GraphMechanism::dense_network ? noise_ : 1);
    noise_ *= 1.5;
  }
}

NodeMechanism NodeMechanism::draw(GraphMechanism kind, std::size_t inputs, int levels, bool redrawn,
                                  Stream& stream) {
  NodeMechanism m;
  m.kind_ = kind;
  m.inputs_ = inputs;
  m.levels_ = levels;
  const bool root = inputs == 0;
  for (int k = 0; k < levels; ++k) {
    m.logits_.push_back((root && redrawn ? 2 : 0.3) * sample_normal(stream));
    m.direction_.push_back(sample_normal(stream));
  }
  m.noise_ = noise_of(kind, stream);
  if (root && kind != GraphMechanism::dense_network && kind != GraphMechanism::count)
    m.noise_ = kind == GraphMechanism::multiplicative ? 0.5 : 1;
  if (root && kind == GraphMechanism::count)
    m.offset_ = portable_log(between(stream, 3, 10) / usual_rate);
  switch (kind) {
    case GraphMechanism::network: m.draw_network(1, 1.5, 1.5, stream); break;
    case GraphMechanism::dense_network:
      m.draw_network(1, 1, 1, stream);
      if (!root) m.offset_ = sample_normal(stream);
      break;
    case GraphMechanism::mixed:
      m.draw_network(std::size_t(std::max(levels, 1)), 1.2, levels > 0 ? 3 : 1.2, stream);
      break;
    case GraphMechanism::sine:
      m.draw_weights(0.7, 1.5, true, m.weights_, stream);
      m.draw_weights(1.5, 2.5, false, m.second_, stream);
      break;
    case GraphMechanism::multiplicative: m.draw_weights(0.3, 1, false, m.weights_, stream); break;
    case GraphMechanism::square:
    case GraphMechanism::count: m.draw_weights(0.5, 1, true, m.weights_, stream); break;
    case GraphMechanism::heteroscedastic:
      m.draw_weights(0.5, 1.5, true, m.weights_, stream);
      m.draw_weights(0.5, 1, true, m.second_, stream);
      for (double& q : m.second_) q /= std::sqrt(double(inputs));
      break;
    default: m.draw_weights(0.5, 1.5, true, m.weights_, stream);
  }
  if (root && redrawn && levels == 0) m.move_root(stream);
  return m;
}

double NodeMechanism::network(std::span<const double> inputs, std::size_t output) const {
  double sum = 0;
  for (std::size_t h = 0; h < units; ++h) {
    const double at = bias_[h] + dot(inputs, {inner_.data() + h * inputs_, inputs_});
    const double unit = kind_ == GraphMechanism::mixed           ? portable_tanh(at)
                        : kind_ == GraphMechanism::dense_network ? portable_sigmoid(at)
                                                                 : 2 * portable_sigmoid(at) - 1;
    sum += outer_[output * units + h] * unit;
  }
  return sum;
}

double NodeMechanism::centre(std::span<const double> inputs) const {
  if (inputs_ == 0) return 0;
  double sum = 0;
  switch (kind_) {
    case GraphMechanism::network:
    case GraphMechanism::mixed:
    case GraphMechanism::dense_network: return network(inputs, 0);
    case GraphMechanism::square:
      for (std::size_t i = 0; i < inputs_; ++i)
        sum += weights_[i] * saturated(inputs[i]) * saturated(inputs[i]);
      return sum;
    case GraphMechanism::sine:
      for (std::size_t i = 0; i < inputs_; ++i) sum += weights_[i] * sine(second_[i] * inputs[i]);
      return sum;
    default: return dot(inputs, weights_);
  }
}

double NodeMechanism::sample_category(std::span<const double> inputs, double extra,
                                      Stream& stream) const {
  int best = 0;
  double most = 0;
  for (int k = 0; k < levels_; ++k) {
    const auto level = std::size_t(k);
    const double gumbel = -portable_log(-portable_log(stream.uniform()));
    const double logit = logits_[level] + (inputs_ > 0 ? network(inputs, level) : 0) +
                         gumbel_deviation * direction_[level] * extra + gumbel;
    if (k == 0 || logit > most) {
      best = k;
      most = logit;
    }
  }
  return best;
}

double NodeMechanism::sample(std::span<const double> inputs, double extra, Stream& stream) const {
  if (levels_ > 0) return sample_category(inputs, extra, stream);
  const double middle = centre(inputs);
  if (kind_ == GraphMechanism::count) {
    const double log_rate = offset_ + 2 * portable_tanh(middle / 2) + noise_ * extra;
    return sample_poisson(stream, usual_rate * portable_exp(std::min(log_rate, 2.5)));
  }
  const double noise = noise_ * (sample_normal(stream) + extra);
  if (kind_ == GraphMechanism::multiplicative)
    return (inputs_ == 0 ? 1 : middle + 0.1) * portable_exp(offset_ + noise);
  if (kind_ != GraphMechanism::heteroscedastic) return middle + offset_ + noise;
  double log_scale = 0;
  for (std::size_t i = 0; i < inputs_; ++i) log_scale += second_[i] * portable_tanh(inputs[i]);
  return middle + offset_ + portable_exp(log_scale) * noise;
}

ForcedLaw ForcedLaw::draw(GraphMechanism kind, int levels, const BaselineScale& scale,
                          Stream& stream) {
  ForcedLaw law;
  law.kind_ = kind;
  law.levels_ = levels;
  const double side = sign_of(stream);
  if (levels > 0) {
    law.centre_ = sample_index(stream, levels);
  } else if (kind == GraphMechanism::multiplicative) {
    law.centre_ = scale.mean * (side < 0 ? between(stream, 0.1, 0.4) : between(stream, 2, 4));
    law.spread_ = 0.2;
  } else if (kind == GraphMechanism::count) {
    law.centre_ = side < 0 ? between(stream, 0.5, 1.5) : between(stream, 12, 25);
  } else if (kind == GraphMechanism::dense_network) {  // as BaCaDI's linear protocol
    const double z = 2 * sample_normal(stream);
    law.centre_ = z + (z < 0 ? -5 : 5);
    law.spread_ = std::sqrt(0.5);
  } else {
    law.centre_ = scale.mean + side * between(stream, 2, 4) * scale.deviation;
    law.spread_ = 0.7 * scale.deviation;
  }
  return law;
}

double ForcedLaw::sample(Stream& stream) const {
  if (levels_ > 0) {
    constexpr double sure = 0.8;
    const double u = stream.uniform();
    if (u < sure) return centre_;
    const auto step = 1 + int((u - sure) / (1 - sure) * (levels_ - 1));
    return (int(centre_) + std::min(step, levels_ - 1)) % levels_;
  }
  if (kind_ == GraphMechanism::count) return sample_poisson(stream, centre_);
  const double noise = spread_ * sample_normal(stream);
  return kind_ == GraphMechanism::multiplicative ? centre_ * portable_exp(noise) : centre_ + noise;
}

}  // namespace whence
