// One mechanism of a simulated graph that is not a plain linear-Gaussian one or a table: random
// networks, squares, sines, noise that grows, counts and categories with numeric causes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/math/random.hpp"
#include "whence/worlds/graph_mechanism.hpp"

namespace whence {

/// Mean and standard deviation of a variable where nothing is changed.
struct BaselineScale {
  double mean = 0, deviation = 1;
};

/// P(variable | causes). Causes arrive as numbers: a real one in standard deviations from its mean
/// (in its own units for dense_network, in units of its mean for multiplicative), a categorical one
/// as an indicator per level.
///
///   linear           w.u + s e                           w +-U(.5, 1.5), s U(.4, .8)
///   network          sum of 5 sigmoids + s e             s U(.2, .5)
///   square           w.v^2 + s e, v = 3 tanh(u/3)        w +-U(.5, 1)
///   sine             w.sin(f u) + s e                    w +-U(.7, 1.5), f U(1.5, 2.5)
///   multiplicative   (w.u + .1) exp(s e)                 w U(.3, 1), s U(.1, .3)
///   heteroscedastic  w.u + s exp(q.tanh u) e             q +-U(.5, 1) / sqrt(causes)
///   count            Poisson(5 exp(2 tanh(w.u / 2)))     w +-U(.5, 1)
///   mixed            a network of 5 tanh units; a category is the largest logit + Gumbel noise
///   dense_network    BaCaDI's: b + v.sigmoid(W x + c) + s e, all N(0, 1), s^2 U(.05, .15)
///
/// `extra` is added to the noise e, in its standard deviations: drift and hidden causes.
class NodeMechanism {
 public:
  /// `levels`: 0 for a real variable. A redrawn root is moved as well, or nothing would change.
  static NodeMechanism draw(GraphMechanism kind, std::size_t inputs, int levels, bool redrawn,
                            Stream& stream);

  /// The value, or the level of a categorical variable.
  double sample(std::span<const double> inputs, double extra, Stream& stream) const;

 private:
  void draw_network(std::size_t outputs, double inner, double outer, Stream& stream);
  void draw_weights(double low, double high, bool signs, std::vector<double>& weights,
                    Stream& stream) const;
  void move_root(Stream& stream);
  double network(std::span<const double> inputs, std::size_t output) const;
  double centre(std::span<const double> inputs) const;
  double sample_category(std::span<const double> inputs, double extra, Stream& stream) const;

  GraphMechanism kind_ = GraphMechanism::linear;
  std::size_t inputs_ = 0;
  int levels_ = 0;
  double offset_ = 0, noise_ = 1;
  std::vector<double> weights_, second_;      // [input]
  std::vector<double> inner_, bias_, outer_;  // [unit][input], [unit], [output][unit]
  std::vector<double> logits_, direction_;    // [level]: without causes; what `extra` moves
};

/// What a variable that no longer listens follows.
class ForcedLaw {
 public:
  /// Far from the baseline: 2 to 4 standard deviations to one side, a third or the triple of a
  /// positive variable's mean, one level with probability .8.
  static ForcedLaw draw(GraphMechanism kind, int levels, const BaselineScale& scale,
                        Stream& stream);
  double sample(Stream& stream) const;

 private:
  GraphMechanism kind_ = GraphMechanism::linear;
  int levels_ = 0;
  double centre_ = 0, spread_ = 1;
};

/// How many of something happened at this rate: one uniform, read off the distribution.
int sample_poisson(Stream& stream, double rate);

}  // namespace whence
