#include "whence/adapt/encoder_regret.hpp"

#include <utility>

namespace whence {

namespace {

std::vector<Dual<double>> duals(const std::vector<double>& x, const std::vector<double>& slope) {
  std::vector<Dual<double>> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = {x[i], slope[i]};
  return result;
}

}  // namespace

EncoderRegret::EncoderRegret(const RegretRecipe& recipe, DensityShape shape)
    : recipe_(recipe), learner_(MixtureDensity<double>(shape), recipe.adaptation, recipe.exact) {
  learner_.want_inputs = !recipe.exact;
}

DensityPoints EncoderRegret::Side::points(const Encoded& batch, bool slopes) const {
  const DensityPoints forward{batch.u, batch.v, slopes ? batch.u_slope : std::span<const double>(),
                              slopes ? batch.v_slope : std::span<const double>()};
  if (!swapped) return forward;
  return {forward.y, forward.x, forward.y_slope, forward.x_slope};
}

void EncoderRegret::count(const EmOutcome& fit) {
  fits_.floored += fit.floored;
  fits_.reseeded += fit.reseeded;
}

/// Log-likelihood before the step, with its slope; then the step, unless it is the last.
Dual<double> EncoderRegret::step_log_lik(const DensityPoints& points, bool last) {
  if (recipe_.exact) return last ? learner_.log_lik(points) : learner_.learn(points);
  const DensityPoints plain{points.x, points.y};
  Dual<double> log_lik = last ? learner_.gradient(plain) : learner_.learn(plain);
  log_lik.slope = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i)
    log_lik.slope +=
        learner_.x_gradient()[i] * points.x_slope[i] + learner_.y_gradient()[i] * points.y_slope[i];
  return log_lik;
}

Dual<double> EncoderRegret::conditional(const MixtureDensity<double>& start,
                                        std::span<const Encoded> batches, Side side) {
  learner_.restart(start);
  Dual<double> log_lik(0.0);
  for (std::size_t t = 0; t < batches.size(); ++t)
    log_lik += step_log_lik(side.points(batches[t], true), t + 1 == batches.size());
  return log_lik;
}

Dual<double> EncoderRegret::repeated(const MixtureDensity<double>& start, const Encoded& batch,
                                     int steps, Side side) {
  learner_.restart(start);
  Dual<double> log_lik(0.0);
  for (int t = 0; t < steps; ++t) log_lik += step_log_lik(side.points(batch, true), t + 1 == steps);
  return log_lik;
}

Dual<double> EncoderRegret::marginal(std::span<const Encoded> batches, const Encoded& held_out,
                                     bool of_v) {
  const auto column = [of_v](const Encoded& e) {
    return of_v ? duals(e.v, e.v_slope) : duals(e.u, e.u_slope);
  };
  const std::vector<Dual<double>> fitted = column(held_out);
  auto mixture =
      spread_mixture(learner_.density().shape().components, std::span(std::as_const(fitted)));
  count(fit_mixture_fast(mixture, fitted, recipe_.em, scratch_));
  if (!recipe_.exact)
    for (Dual<double>& p : mixture.parameters()) p.slope = 0;
  Dual<double> log_lik(0.0);
  for (const Encoded& batch : batches) log_lik += mixture_log_lik(mixture, column(batch), scratch_);
  return log_lik;
}

PairRegret EncoderRegret::online(const MixtureDensity<double>& forward,
                                 const MixtureDensity<double>& backward,
                                 std::span<const Encoded> batches, const Encoded& held_out) {
  Dual<double> volume(0.0);  // what the change of variables adds to both
  for (const Encoded& batch : batches) volume += batch.log_det;
  return {-(conditional(forward, batches, {false}) + marginal(batches, held_out, false) + volume),
          -(conditional(backward, batches, {true}) + marginal(batches, held_out, true) + volume)};
}

double EncoderRegret::hindsight(const std::vector<double>& x, const GaussianMixture<double>& start,
                                bool softmax_weights) {
  GaussianMixture<double> mixture = start;
  count(fit_mixture_fast(mixture, x, recipe_.em, scratch_));
  return mixture_log_lik(softmax_weights ? doubly_softmaxed(mixture) : mixture, x, scratch_);
}

PairRegret EncoderRegret::printed(const MixtureDensity<double>& forward,
                                  const MixtureDensity<double>& backward, const Encoded& batch,
                                  int steps, const GaussianMixture<double>& start,
                                  bool softmax_weights) {
  const Dual<double> times{double(steps)};
  const Dual<double> volume = times * batch.log_det;
  const Dual<double> u(hindsight(batch.u, start, softmax_weights));
  const Dual<double> v(hindsight(batch.v, start, softmax_weights));
  return {-(repeated(forward, batch, steps, {false}) + times * u + volume),
          -(repeated(backward, batch, steps, {true}) + times * v + volume)};
}

}  // namespace whence
