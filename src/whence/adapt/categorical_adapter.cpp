#include "whence/adapt/categorical_adapter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "whence/math/elementary.hpp"
#include "whence/math/exponentials.hpp"
#include "whence/math/logspace.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/categorical_adapter.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"
#include "whence/math/optimizer_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

/// What one row needs for its step; pointers to its slices of the scratch.
struct RowStep {
  const double *log_p_in, *p_in;
  double *log_p, *p, *counts, *first, *second;
  std::size_t stride;
};

/// Does a row keep moving while its gradient is zero?
inline bool drifts(const OptimizerSpec& o) {
  return o.kind == OptimizerSpec::Kind::adam || o.momentum != 0;
}

/// n steps without a gradient leave RMSprop's parameters alone and fade its second moment.
HWY_INLINE void Fade(const OptimizerSpec& o, const RowStep& row, std::int32_t n) {
  const LanesTag d;
  double fade = 1;
  for (std::int32_t i = 0; i < n; ++i) fade *= o.alpha;
  for (std::size_t j = 0; j < row.stride; j += hn::Lanes(d))
    hn::StoreU(hn::Mul(hn::Set(d, fade), hn::LoadU(d, row.second + j)), d, row.second + j);
}

/// The pending gradient step of a row, then its zero-gradient steps up to `now`: logits into
/// row.log_p.
template <OptimizerSpec::Kind kind>
HWY_INLINE void StepLogits(const OptimizerSpec& o, const RowStep& row, std::int32_t seen, int batch,
                           std::int32_t pending, std::int32_t now) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d);
  const Lanes share = hn::Set(d, double(seen) / batch), each = hn::Set(d, 1.0 / batch);
  const LanesOptimizer first(o, pending + 1);  // steps are numbered from 0; it counts from 1
  for (std::size_t j = 0; j < row.stride; j += width) {
    const Lanes g = hn::Sub(hn::Mul(share, hn::LoadU(d, row.p_in + j)),
                            hn::Mul(each, hn::LoadU(d, row.counts + j)));
    const Lanes move = LanesMove<kind>(d, first, g, row.first + j, row.second + j);
    hn::StoreU(hn::Sub(hn::LoadU(d, row.log_p_in + j), move), d, row.log_p + j);
    hn::StoreU(hn::Zero(d), d, row.counts + j);
  }
  if (!drifts(o)) {
    if constexpr (kind == OptimizerSpec::Kind::rmsprop) Fade(o, row, now - pending - 1);
    return;
  }
  for (std::int32_t step = pending + 1; step < now; ++step) {
    const LanesOptimizer later(o, step + 1);
    for (std::size_t j = 0; j < row.stride; j += width) {
      const Lanes move = LanesMove<kind>(d, later, hn::Zero(d), row.first + j, row.second + j);
      hn::StoreU(hn::Sub(hn::LoadU(d, row.log_p + j), move), d, row.log_p + j);
    }
  }
}

/// Logits -> weights e^(logit - top) in row.p; returns top and the sum of the weights.
HWY_INLINE std::pair<double, double> Weigh(const RowStep& row) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d);
  Lanes top_lanes = hn::LoadU(d, row.log_p);
  for (std::size_t j = width; j < row.stride; j += width)
    top_lanes = hn::Max(top_lanes, hn::LoadU(d, row.log_p + j));
  const Lanes top = hn::MaxOfLanes(d, top_lanes);
  for (std::size_t j = 0; j < row.stride; j += width)
    hn::StoreU(LanesExp(d, hn::Sub(hn::LoadU(d, row.log_p + j), top)), d, row.p + j);
  return {hn::GetLane(top), LanesSum(d, row.p, row.stride)};
}

/// Weights -> probabilities and their logarithms. Shifting a row of logits by a constant changes no
/// probability and no gradient, so the normalised logarithms serve as the new logits.
HWY_INLINE void Normalise(double* log_p, double* p, std::size_t stride, double log_total,
                          double sum) {
  const LanesTag d;
  const Lanes shift = hn::Set(d, log_total), scale = hn::Set(d, 1 / sum);
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    hn::StoreU(hn::Sub(hn::LoadU(d, log_p + j), shift), d, log_p + j);
    hn::StoreU(hn::Mul(hn::LoadU(d, p + j), scale), d, p + j);
  }
}

/// sum of counts * log_p over the cells that occur; p serves as scratch for the products.
HWY_INLINE double RowTestLogLik(const double* HWY_RESTRICT counts, const double* HWY_RESTRICT log_p,
                                std::size_t stride, double* HWY_RESTRICT products) {
  const LanesTag d;
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    const Lanes c = hn::LoadU(d, counts + j);
    const Lanes product = hn::Mul(c, hn::LoadU(d, log_p + j));
    hn::StoreU(hn::IfThenElseZero(hn::Gt(c, hn::Zero(d)), product), d, products + j);
  }
  return LanesSum(d, products, stride);
}

template <OptimizerSpec::Kind kind>
class Adapter {
 public:
  Adapter(const TablePlan& plan, const OptimizerSpec& optimizer, int batch, TableScratch& scratch,
          const TestCounts* test)
      : plan_(plan), optimizer_(optimizer), batch_(batch), s_(scratch), test_(test) {}

  HWY_ATTR void Run(const std::int32_t* configuration, const std::int32_t* level,
                    std::span<double> scores, bool goes_on, std::span<double> test_log_lik) {
    if (test_) StartTest();
    for (std::size_t t = 0; t < scores.size(); ++t) {
      if (test_) test_log_lik[t] = TestMean();
      Prepare(configuration);
      scores[t] = Score(configuration, level);
      if (goes_on || t + 1 < scores.size()) Count(configuration, level);
      configuration += batch_;
      level += batch_;
      ++s_.step;
    }
  }

 private:
  /// Brings the rows of a mini-batch up to the current step.
  HWY_ATTR void Prepare(const std::int32_t* configuration) {
    for (int i = 0; i < batch_; ++i) {
      const TableScratch::Row& row = s_.rows[std::size_t(configuration[i])];
      if (row.epoch == s_.epoch && row.pending < s_.step) Step(std::size_t(configuration[i]));
    }
    NormaliseMoved();
  }

  HWY_ATTR double Score(const std::int32_t* configuration, const std::int32_t* level) const {
    double score = 0;
    for (int i = 0; i < batch_; ++i) {
      const auto r = std::size_t(configuration[i]);
      const bool own = s_.rows[r].epoch == s_.epoch && s_.rows[r].own;
      score += (own ? s_.log_p : plan_.log_p)[r * plan_.stride + std::size_t(level[i])];
    }
    return score;
  }

  /// Remembers what the gradient of this mini-batch needs.
  HWY_ATTR void Count(const std::int32_t* configuration, const std::int32_t* level) {
    for (int i = 0; i < batch_; ++i) {
      const auto r = std::size_t(configuration[i]);
      if (s_.rows[r].epoch != s_.epoch) Touch(r);
      s_.counts[r * plan_.stride + std::size_t(level[i])] += 1;
      ++s_.rows[r].seen;
    }
  }

  HWY_ATTR void Touch(std::size_t r) {
    s_.rows[r] = {s_.epoch, s_.step, 0, false};
    s_.touched.push_back(std::uint32_t(r));
    Clear(&s_.counts[r * plan_.stride]);
    if (kind == OptimizerSpec::Kind::adam || optimizer_.momentum != 0)
      Clear(&s_.first[r * plan_.stride]);
    if (kind != OptimizerSpec::Kind::sgd) Clear(&s_.second[r * plan_.stride]);
  }

  HWY_ATTR void Clear(double* row) {
    const LanesTag d;
    for (std::size_t j = 0; j < plan_.stride; j += hn::Lanes(d))
      hn::StoreU(hn::Zero(d), d, row + j);
  }

  /// Carries out everything that happened to row r before the current step, up to normalisation.
  HWY_ATTR void Step(std::size_t r) {
    TableScratch::Row& row = s_.rows[r];
    const std::size_t begin = r * plan_.stride;
    const RowStep slices = {
        row.own ? &s_.log_p[begin] : &plan_.log_p[begin],
        row.own ? &s_.p[begin] : &plan_.p[begin],
        &s_.log_p[begin],
        &s_.p[begin],
        &s_.counts[begin],
        &s_.first[begin],
        &s_.second[begin],
        plan_.stride,
    };
    const std::int32_t unread = std::exchange(row.pending, s_.step);
    if (row.seen == 0 && !drifts(optimizer_)) {  // nothing moved since the row was last read
      if (kind == OptimizerSpec::Kind::rmsprop) Fade(optimizer_, slices, s_.step - unread);
      return;
    }
    StepLogits<kind>(optimizer_, slices, row.seen, batch_, unread, s_.step);
    const auto [top, sum] = Weigh(slices);
    s_.moved.push_back({std::uint32_t(r), top, sum});
    row.own = true;
    row.seen = 0;
  }

  /// The logarithms of all moved rows' sums at once, then the rows.
  HWY_ATTR void NormaliseMoved() {
    const LanesTag d;
    HWY_ALIGN double sums[row_multiple], logs[row_multiple];
    for (std::size_t i = 0; i < s_.moved.size(); i += row_multiple) {
      const std::size_t n = std::min(row_multiple, s_.moved.size() - i);
      for (std::size_t j = 0; j < row_multiple; ++j) sums[j] = j < n ? s_.moved[i + j].sum : 1.0;
      for (std::size_t j = 0; j < row_multiple; j += hn::Lanes(d))
        hn::Store(LanesLog(d, hn::Load(d, sums + j)), d, logs + j);
      for (std::size_t j = 0; j < n; ++j) {
        const TableScratch::Moved& row = s_.moved[i + j];
        const std::size_t begin = row.row * plan_.stride;
        Normalise(&s_.log_p[begin], &s_.p[begin], plan_.stride, row.top + logs[j], row.sum);
      }
    }
    s_.moved.clear();
  }

  HWY_ATTR void StartTest() {
    s_.test_log_lik.resize(plan_.rows);
    for (std::size_t r = 0; r < plan_.rows; ++r) TestRow(r);
  }

  HWY_ATTR void TestRow(std::size_t r) {
    const std::size_t begin = r * plan_.stride;
    const bool own = s_.rows[r].epoch == s_.epoch && s_.rows[r].own;
    products_.resize(plan_.stride);
    s_.test_log_lik[r] =
        RowTestLogLik(&test_->counts[begin], own ? &s_.log_p[begin] : &plan_.log_p[begin],
                      plan_.stride, products_.data());
  }

  HWY_ATTR double TestMean() {
    for (std::uint32_t r : s_.touched)
      if (s_.rows[r].seen > 0 || drifts(optimizer_)) Step(r);
    const std::vector<TableScratch::Moved> moved = s_.moved;
    NormaliseMoved();
    for (const TableScratch::Moved& row : moved) TestRow(row.row);
    double sum = 0;
    for (double log_lik : s_.test_log_lik) sum += log_lik;
    return sum / double(test_->size);
  }

  const TablePlan& plan_;
  const OptimizerSpec& optimizer_;
  int batch_;
  TableScratch& s_;
  const TestCounts* test_;
  std::vector<double> products_;
};

void AdaptTable(const TablePlan& plan, const OptimizerSpec& optimizer, int batch,
                const std::int32_t* configuration, const std::int32_t* level, TableScratch& scratch,
                std::span<double> scores, bool goes_on, const TestCounts* test,
                std::span<double> test_log_lik) {
  using Kind = OptimizerSpec::Kind;
  const auto run = [&]<Kind kind>() {
    Adapter<kind>(plan, optimizer, batch, scratch, test)
        .Run(configuration, level, scores, goes_on, test_log_lik);
  };
  switch (optimizer.kind) {
    case Kind::sgd: return run.template operator()<Kind::sgd>();
    case Kind::rmsprop: return run.template operator()<Kind::rmsprop>();
    case Kind::adam: return run.template operator()<Kind::adam>();
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(AdaptTable);

TablePlan::TablePlan(const CategoricalTable<double>& table)
    : levels(std::size_t(table.levels())), rows(table.rows()), stride((levels + 7) / 8 * 8) {
  log_p.assign(rows * stride, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < rows; ++i) {
    const auto logits = table.row(i);
    const double normaliser = log_sum_exp(logits);
    for (std::size_t j = 0; j < levels; ++j) log_p[i * stride + j] = logits[j] - normaliser;
  }
  p = log_p;
  exponentials(p);
}

void TableScratch::restart(const TablePlan& plan) {
  ++epoch;
  step = 0;
  touched.clear();
  if (rows.size() == plan.rows && counts.size() == plan.log_p.size()) return;
  rows.assign(plan.rows, Row{});
  for (auto* table : {&log_p, &p, &counts, &first, &second}) table->resize(plan.log_p.size());
}

TestCounts::TestCounts(const TablePlan& plan, const Dataset& data, const Family& family,
                       std::size_t begin, std::size_t end)
    : size(end - begin), counts(plan.log_p.size(), 0.0) {
  const auto child = data.levels(family.child);
  for (std::size_t row = begin; row < end; ++row)
    counts[parent_configuration(data, family, row) * plan.stride + std::size_t(child[row])] += 1;
}

void adapt_table(const TablePlan& plan, const OptimizerSpec& optimizer, int batch,
                 const std::int32_t* configuration, const std::int32_t* level,
                 TableScratch& scratch, std::span<double> scores, bool goes_on,
                 const TestCounts* test, std::span<double> test_log_lik) {
  HWY_DYNAMIC_DISPATCH(AdaptTable)
  (plan, optimizer, batch, configuration, level, scratch, scores, goes_on, test, test_log_lik);
}

}  // namespace whence
#endif  // HWY_ONCE
