#include "whence/adapt/mlp_adapter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "whence/math/elementary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/mlp_adapter.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"
#include "whence/math/optimizer_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

HWY_INLINE Lanes Activate(LanesTag d, Activation activation, Lanes x) {
  switch (activation) {
    case Activation::relu: return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
    case Activation::leaky_relu:
      return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(hn::Set(d, leaky_slope), x));
    case Activation::tanh: return LanesTanh(d, x);
  }
  return x;
}

/// The slope of the activation, from its value alone.
HWY_INLINE Lanes ActivationSlope(LanesTag d, Activation activation, Lanes active) {
  const Lanes one = hn::Set(d, 1.0);
  const auto positive = hn::Gt(active, hn::Zero(d));
  switch (activation) {
    case Activation::relu: return hn::IfThenElseZero(positive, one);
    case Activation::leaky_relu: return hn::IfThenElse(positive, one, hn::Set(d, leaky_slope));
    case Activation::tanh: return hn::Sub(one, hn::Mul(active, active));
  }
  return one;
}

/// Rows and how much of each: the one primitive that all layers are made of.
struct WeightedRows {
  const double* rows;
  std::size_t stride;
  const std::uint32_t* index;
  const double* coefficient;
  std::size_t count;
};

/// into += the weighted sum of the rows, in their order; `width` is a multiple of eight.
HWY_INLINE void AddRows(const WeightedRows& w, double* HWY_RESTRICT into, std::size_t width) {
  const LanesTag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + 4 * lanes <= width; j += 4 * lanes) {  // four vectors stay in registers
    Lanes s0 = hn::LoadU(d, into + j), s1 = hn::LoadU(d, into + j + lanes);
    Lanes s2 = hn::LoadU(d, into + j + 2 * lanes), s3 = hn::LoadU(d, into + j + 3 * lanes);
    for (std::size_t i = 0; i < w.count; ++i) {
      const double* HWY_RESTRICT row = w.rows + w.index[i] * w.stride + j;
      const Lanes c = hn::Set(d, w.coefficient[i]);
      s0 = hn::Add(s0, hn::Mul(c, hn::LoadU(d, row)));
      s1 = hn::Add(s1, hn::Mul(c, hn::LoadU(d, row + lanes)));
      s2 = hn::Add(s2, hn::Mul(c, hn::LoadU(d, row + 2 * lanes)));
      s3 = hn::Add(s3, hn::Mul(c, hn::LoadU(d, row + 3 * lanes)));
    }
    hn::StoreU(s0, d, into + j);
    hn::StoreU(s1, d, into + j + lanes);
    hn::StoreU(s2, d, into + j + 2 * lanes);
    hn::StoreU(s3, d, into + j + 3 * lanes);
  }
  for (; j < width; j += lanes) {
    Lanes s = hn::LoadU(d, into + j);
    for (std::size_t i = 0; i < w.count; ++i)
      s = hn::Add(s, hn::Mul(hn::Set(d, w.coefficient[i]),
                             hn::LoadU(d, w.rows + w.index[i] * w.stride + j)));
    hn::StoreU(s, d, into + j);
  }
}

template <OptimizerSpec::Kind kind>
class MlpLearner {
 public:
  MlpLearner(const MlpPlan& plan, const MlpBatch& batch, const OptimizerSpec& optimizer,
             MlpScratch& scratch)
      : plan_(plan), batch_(batch), optimizer_(optimizer), s_(scratch) {
    const std::size_t groups = batch.groups();
    s_.active.resize(groups * plan.hidden_stride);
    s_.back.resize(groups * plan.hidden_stride);
    s_.slope.resize(groups * plan.levels_stride);
    s_.row.resize(std::max(plan.levels_stride, plan.hidden_stride));
    const std::size_t longest = std::max({groups, plan.hidden, plan.levels});
    s_.coefficients.resize(longest);
    s_.indices.resize(longest);
  }

  /// Leaves the hidden units in s_.active and the slopes of the mean loss in s_.slope.
  HWY_ATTR double Score() {
    double sum = 0;
    for (std::size_t g = 0; g < batch_.groups(); ++g) {
      Hidden(g);
      Logits(g);
      sum += Softmax(g);
    }
    return sum;
  }

  HWY_ATTR void Learn() {
    ++s_.step;
    const LanesOptimizer step(optimizer_, s_.step);
    BackToHidden();
    StepWeight2(step);
    StepBias(s_.slope.data(), plan_.levels_stride, s_.bias2, step);
    StepBias(s_.back.data(), plan_.hidden_stride, s_.bias1, step);
    StepWeight1(step);
  }

 private:
  HWY_ATTR void Hidden(std::size_t g) {
    const LanesTag d;
    const std::uint32_t* units = batch_.units.data() + g * batch_.listened;
    double* active = &s_.active[g * plan_.hidden_stride];
    for (std::size_t h = 0; h < plan_.hidden_stride; h += hn::Lanes(d)) {
      Lanes sum = hn::LoadU(d, &s_.bias1.theta[h]);
      for (std::size_t k = 0; k < batch_.listened; ++k)
        sum = hn::Add(sum, hn::LoadU(d, &s_.weight1.theta[units[k] * plan_.hidden_stride + h]));
      hn::StoreU(Activate(d, plan_.activation, sum), d, active + h);
    }
  }

  /// b2 + W2 active; units that are off add nothing.
  HWY_ATTR void Logits(std::size_t g) {
    const double* active = &s_.active[g * plan_.hidden_stride];
    const std::size_t on = Compress(active, 1, plan_.hidden);
    double* logits = &s_.slope[g * plan_.levels_stride];
    std::copy(s_.bias2.theta.begin(), s_.bias2.theta.end(), logits);
    AddRows({s_.weight2.theta.data(), plan_.levels_stride, s_.indices.data(),
             s_.coefficients.data(), on},
            logits, plan_.levels_stride);
  }

  /// The numbers that are not zero, with their places, into s_.coefficients and s_.indices.
  HWY_ATTR std::size_t Compress(const double* x, std::size_t stride, std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      s_.coefficients[kept] = x[i * stride];
      s_.indices[kept] = std::uint32_t(i);
      kept += x[i * stride] != 0;
    }
    return kept;
  }

  /// Logits -> log P of the group's examples, and (total P - counts) / size in place of the logits.
  HWY_ATTR double Softmax(std::size_t g) {
    const LanesTag d;
    const std::size_t width = hn::Lanes(d), n = plan_.levels_stride;
    double* logits = &s_.slope[g * n];
    const double* counts = &batch_.counts[g * n];
    Lanes top_lanes = hn::LoadU(d, logits);
    for (std::size_t j = width; j < n; j += width)
      top_lanes = hn::Max(top_lanes, hn::LoadU(d, logits + j));
    const Lanes top = hn::MaxOfLanes(d, top_lanes);
    double* weights = s_.row.data();
    for (std::size_t j = 0; j < n; j += width)
      hn::StoreU(LanesExp(d, hn::Sub(hn::LoadU(d, logits + j), top)), d, weights + j);
    const double sum = LanesSum(d, weights, n);
    const Lanes shift = hn::Set(d, hn::GetLane(top) + portable_log(sum));
    const Lanes scale = hn::Set(d, batch_.totals[g] / (sum * batch_.size));
    const Lanes each = hn::Set(d, 1 / batch_.size);
    for (std::size_t j = 0; j < n; j += width) {
      const Lanes c = hn::LoadU(d, counts + j);
      const Lanes log_p = hn::Sub(hn::LoadU(d, logits + j), shift);
      const Lanes slope = hn::Sub(hn::Mul(scale, hn::LoadU(d, weights + j)), hn::Mul(each, c));
      hn::StoreU(slope, d, logits + j);
      hn::StoreU(hn::IfThenElseZero(hn::Gt(c, hn::Zero(d)), hn::Mul(c, log_p)), d, weights + j);
    }
    return LanesSum(d, weights, n);
  }

  /// back = W2 slope, times the slope of the activation; W2 turned round, so that vectors lie along
  /// the hidden units.
  HWY_ATTR void BackToHidden() {
    const LanesTag d;
    const std::size_t width = plan_.hidden_stride;
    s_.transposed.resize(plan_.levels * width);
    for (std::size_t h = 0; h < plan_.hidden; ++h)
      for (std::size_t j = 0; j < plan_.levels; ++j)
        s_.transposed[j * width + h] = s_.weight2.theta[h * plan_.levels_stride + j];
    for (std::size_t j = 0; j < plan_.levels; ++j) s_.indices[j] = std::uint32_t(j);
    for (std::size_t g = 0; g < batch_.groups(); ++g) {
      double* back = &s_.back[g * width];
      std::fill(back, back + width, 0.0);
      AddRows({s_.transposed.data(), width, s_.indices.data(), &s_.slope[g * plan_.levels_stride],
               plan_.levels},
              back, width);
      for (std::size_t h = 0; h < width; h += hn::Lanes(d)) {
        const Lanes slope =
            ActivationSlope(d, plan_.activation, hn::LoadU(d, &s_.active[g * width + h]));
        hn::StoreU(hn::Mul(hn::LoadU(d, back + h), slope), d, back + h);
      }
    }
  }

  HWY_ATTR void StepWeight2(const LanesOptimizer& step) {
    const std::size_t n = plan_.levels_stride;
    for (std::size_t h = 0; h < plan_.hidden; ++h) {
      const std::size_t on = Compress(&s_.active[h], plan_.hidden_stride, batch_.groups());
      if (on == 0 && !keeps_moving()) continue;
      std::fill(s_.row.begin(), s_.row.end(), 0.0);
      AddRows({s_.slope.data(), n, s_.indices.data(), s_.coefficients.data(), on}, s_.row.data(),
              n);
      Step(s_.row.data(), n, h * n, s_.weight2, step);
    }
  }

  /// The gradient of a bias is the sum over the groups.
  HWY_ATTR void StepBias(const double* slopes, std::size_t width, MlpScratch::Layer& layer,
                         const LanesOptimizer& step) {
    for (std::size_t g = 0; g < batch_.groups(); ++g) {
      s_.indices[g] = std::uint32_t(g);
      s_.coefficients[g] = 1;
    }
    std::fill(s_.row.begin(), s_.row.end(), 0.0);
    AddRows({slopes, width, s_.indices.data(), s_.coefficients.data(), batch_.groups()},
            s_.row.data(), width);
    Step(s_.row.data(), width, 0, layer, step);
  }

  /// Rows of W1 that the batch gathers; with a memory in the optimizer, all rows it ever gathered.
  HWY_ATTR void StepWeight1(const LanesOptimizer& step) {
    const LanesTag d;
    const std::size_t width = plan_.hidden_stride;
    s_.in_batch.clear();
    for (std::size_t g = 0; g < batch_.groups(); ++g)
      for (std::size_t k = 0; k < batch_.listened; ++k) {
        const std::uint32_t unit = batch_.units[g * batch_.listened + k];
        double* into = &s_.weight1_gradient[unit * width];
        for (std::size_t h = 0; h < width; h += hn::Lanes(d))
          hn::StoreU(hn::Add(hn::LoadU(d, into + h), hn::LoadU(d, &s_.back[g * width + h])), d,
                     into + h);
        s_.in_batch.push_back(unit);
        if (std::exchange(s_.is_touched[unit], std::uint8_t(1)) == 0) s_.touched.push_back(unit);
      }
    const bool all = kind != OptimizerSpec::Kind::sgd || optimizer_.momentum != 0;
    if (!all) {
      std::sort(s_.in_batch.begin(), s_.in_batch.end());
      s_.in_batch.erase(std::unique(s_.in_batch.begin(), s_.in_batch.end()), s_.in_batch.end());
    }
    for (std::uint32_t unit : all ? s_.touched : s_.in_batch) {
      double* gradient = &s_.weight1_gradient[unit * width];
      Step(gradient, width, unit * width, s_.weight1, step);
      std::fill(gradient, gradient + width, 0.0);
    }
  }

  HWY_ATTR void Step(const double* gradient, std::size_t width, std::size_t begin,
                     MlpScratch::Layer& layer, const LanesOptimizer& step) {
    const LanesTag d;
    for (std::size_t j = 0; j < width; j += hn::Lanes(d)) {
      const std::size_t at = begin + j;
      const Lanes move = LanesMove<kind>(d, step, hn::LoadU(d, gradient + j),
                                         layer.first.data() + at, layer.second.data() + at);
      hn::StoreU(hn::Sub(hn::LoadU(d, &layer.theta[at]), move), d, &layer.theta[at]);
    }
  }

  bool keeps_moving() const { return kind != OptimizerSpec::Kind::sgd || optimizer_.momentum != 0; }

  const MlpPlan& plan_;
  const MlpBatch& batch_;
  const OptimizerSpec& optimizer_;
  MlpScratch& s_;
};

double ScoreMlp(const MlpPlan& plan, const MlpBatch& batch, const OptimizerSpec& optimizer,
                MlpScratch& scratch, bool learn) {
  using Kind = OptimizerSpec::Kind;
  const auto run = [&]<Kind kind>() {
    MlpLearner<kind> learner(plan, batch, optimizer, scratch);
    const double score = learner.Score();
    if (learn) learner.Learn();
    return score;
  };
  switch (optimizer.kind) {
    case Kind::sgd: return run.template operator()<Kind::sgd>();
    case Kind::rmsprop: return run.template operator()<Kind::rmsprop>();
    case Kind::adam: return run.template operator()<Kind::adam>();
  }
  return 0;
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(ScoreMlp);

namespace {

std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

/// `rows` rows of `width` numbers, each padded to `stride` with `padding`.
std::vector<double> padded_rows(std::span<const double> x, std::size_t width, std::size_t stride,
                                double padding) {
  const std::size_t rows = x.size() / width;
  std::vector<double> result(rows * stride, padding);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(&x[r * width], width, result.begin() + std::ptrdiff_t(r * stride));
  return result;
}

}  // namespace

MlpPlan::MlpPlan(const CategoricalMlp<double>& mlp)
    : activation(mlp.shape().activation),
      inputs(mlp.shape().input_units()),
      hidden(mlp.hidden()),
      levels(std::size_t(mlp.levels())),
      hidden_stride(padded(hidden)),
      levels_stride(padded(levels)) {
  for (std::size_t k = 0; k < mlp.shape().inputs.size(); ++k)
    first_unit.push_back(mlp.first_unit(k));
  const auto theta = mlp.parameters();
  const std::size_t b1 = mlp.bias1_begin(), w2 = mlp.weight2_begin(), b2 = mlp.bias2_begin();
  weight1 = padded_rows(theta.first(b1), hidden, hidden_stride, 0);
  bias1 = padded_rows(theta.subspan(b1, hidden), hidden, hidden_stride, 0);
  weight2 = padded_rows(theta.subspan(w2, b2 - w2), levels, levels_stride, 0);
  bias2 = padded_rows(theta.subspan(b2), levels, levels_stride,
                      -std::numeric_limits<double>::infinity());
}

MlpBatch group_rows(const MlpPlan& plan, const std::vector<bool>& mask, const Dataset& data,
                    const Family& family, std::size_t first, std::size_t rows) {
  MlpBatch batch;
  std::vector<std::span<const std::int32_t>> columns;
  std::vector<std::size_t> first_unit;
  for (std::size_t k = 0; k < mask.size(); ++k) {
    if (!mask[k]) continue;
    columns.push_back(data.levels(family.parents[k]).subspan(first, rows));
    first_unit.push_back(plan.first_unit[k]);
  }
  batch.listened = columns.size();
  batch.size = double(rows);
  std::vector<std::uint32_t> order(rows);
  for (std::size_t r = 0; r < rows; ++r) order[r] = std::uint32_t(r);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& column : columns)
      if (column[a] != column[b]) return column[a] < column[b];
    return false;
  };
  if (!columns.empty()) std::sort(order.begin(), order.end(), before);
  const auto child = data.levels(family.child).subspan(first, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == 0 || before(order[i - 1], order[i])) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        batch.units.push_back(std::uint32_t(first_unit[k] + std::size_t(columns[k][order[i]])));
      batch.totals.push_back(0);
      batch.counts.resize(batch.counts.size() + plan.levels_stride, 0.0);
    }
    batch.totals.back() += 1;
    batch.counts[batch.counts.size() - plan.levels_stride + std::size_t(child[order[i]])] += 1;
  }
  return batch;
}

void MlpScratch::restore_parameters(const MlpPlan& plan) {
  weight1.theta = plan.weight1;
  bias1.theta = plan.bias1;
  weight2.theta = plan.weight2;
  bias2.theta = plan.bias2;
}

void MlpScratch::restart(const MlpPlan& plan) {
  restore_parameters(plan);
  step = 0;
  for (Layer* layer : {&weight1, &bias1, &weight2, &bias2}) {
    layer->first.assign(layer->theta.size(), 0.0);
    layer->second.assign(layer->theta.size(), 0.0);
  }
  weight1_gradient.assign(weight1.theta.size(), 0.0);
  is_touched.assign(plan.inputs, 0);
  touched.clear();
}

double score_mlp(const MlpPlan& plan, const MlpBatch& batch, const OptimizerSpec& optimizer,
                 MlpScratch& scratch, bool learn) {
  return HWY_DYNAMIC_DISPATCH(ScoreMlp)(plan, batch, optimizer, scratch, learn);
}

void adapt_mlp(const MlpPlan& plan, const std::vector<bool>& mask, const OptimizerSpec& optimizer,
               const Dataset& data, const Family& family, const Episode& episode,
               MlpScratch& scratch, std::span<double> scores, bool goes_on) {
  const auto rows = std::size_t(episode.batch);
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const MlpBatch batch = group_rows(plan, mask, data, family, episode.first_row + t * rows, rows);
    scores[t] = score_mlp(plan, batch, optimizer, scratch, goes_on || t + 1 < scores.size());
  }
}

CategoricalMlp<double> learnt(const CategoricalMlp<double>& start, const MlpScratch& scratch) {
  CategoricalMlp<double> result = start;
  const auto theta = result.parameters();
  std::size_t at = 0;
  const auto take = [&](const std::vector<double>& rows, std::size_t count, std::size_t width) {
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t j = 0; j < width; ++j) theta[at++] = rows[r * padded(width) + j];
  };
  take(scratch.weight1.theta, start.shape().input_units(), start.hidden());
  take(scratch.bias1.theta, 1, start.hidden());
  take(scratch.weight2.theta, start.hidden(), std::size_t(start.levels()));
  take(scratch.bias2.theta, 1, std::size_t(start.levels()));
  return result;
}

}  // namespace whence
#endif  // HWY_ONCE
