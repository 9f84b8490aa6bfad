// Every mechanism: a row per kind and shape, and mistakes that a mechanism can make.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/effort.hpp"
#include "support/statistics.hpp"
#include "support/tables.hpp"
#include "whence/adapt/gradient.hpp"
#include "whence/math/dual.hpp"
#include "whence/mechanisms/all.hpp"

namespace whence::laws {
namespace {

using support::Inputs;

/// A mechanism of one shape, its type forgotten. Parameters come from outside; `states` holds every
/// joint state of child and parents in one row each.
struct MechanismUnderTest {
  Dataset states;
  Family family;
  std::size_t parameters = 0;
  std::function<double(const std::vector<double>&, std::size_t row)> log_prob;
  std::function<long double(const std::vector<long double>&, std::size_t row)> wide_log_prob;
  /// The derivative of log_prob along one parameter, by dual numbers.
  std::function<double(const std::vector<double>&, std::size_t row, std::size_t parameter)> slope;
  std::function<std::vector<double>(const std::vector<double>&, std::size_t row, double weight)>
      gradient;
  /// A draw of the child, its parents as in that row.
  std::function<int(const std::vector<double>&, std::size_t row, Stream&)> sample;
  /// What is left of the parameters after a copy has been adapted.
  std::function<std::vector<double>(const std::vector<double>&)> after_adapting_a_copy;
};

/// `make` builds the mechanism for a child of `levels` levels from parameters of any scalar type.
template <class Make>
MechanismUnderTest mechanism(const std::vector<int>& levels, const Make& make,
                             std::size_t parameters = 0) {
  MechanismUnderTest m;
  const auto variables = support::categorical_variables(levels);
  m.states = support::all_states(variables);
  m.family = support::first_given_rest(levels.size());
  m.parameters = parameters > 0 ? parameters : m.states.rows();
  const int n = levels[0];
  const auto shared = std::make_shared<MechanismUnderTest>(m);
  m.log_prob = [=](const std::vector<double>& p, std::size_t row) {
    return make(n, p).log_prob(shared->states, shared->family, row);
  };
  m.wide_log_prob = [=](const std::vector<long double>& p, std::size_t row) {
    return make(n, p).log_prob(shared->states, shared->family, row);
  };
  m.slope = [=](const std::vector<double>& p, std::size_t row, std::size_t parameter) {
    std::vector<Dual<double>> duals(p.begin(), p.end());
    duals[parameter].slope = 1;
    return make(n, duals).log_prob(shared->states, shared->family, row).slope;
  };
  m.gradient = [=](const std::vector<double>& p, std::size_t row, double weight) {
    std::vector<double> g(p.size(), 0.0);
    make(n, p).add_gradient(shared->states, shared->family, row, weight, std::span(g));
    return g;
  };
  const auto drawn = std::make_shared<Dataset>(m.states);  // sampling writes the child
  m.sample = [=](const std::vector<double>& p, std::size_t row, Stream& stream) {
    make(n, p).sample(stream, *drawn, shared->family, row);
    return int(drawn->columns[0].levels[row]);
  };
  m.after_adapting_a_copy = [=](const std::vector<double>& p) {
    auto original = make(n, p);
    auto copy = original;
    Optimizer<double> optimizer({.learning_rate = 1}, p.size());
    std::vector<double> scores(1);
    adapt(copy, optimizer, shared->states, shared->family, {0, 1, int(shared->states.rows())},
          std::span(scores));
    return std::vector<double>(original.parameters().begin(), original.parameters().end());
  };
  return m;
}

// ---- the rows ----

struct MakeTable {
  template <class T>
  CategoricalTable<T> operator()(int levels, std::vector<T> logits) const {
    return {levels, std::move(logits)};
  }
};

struct MakeMlp {
  MlpShape shape;
  template <class T>
  CategoricalMlp<T> operator()(int, const std::vector<T>& theta) const {
    CategoricalMlp<T> mlp(shape);
    std::copy(theta.begin(), theta.end(), mlp.parameters().begin());
    return mlp;
  }
};

MechanismUnderTest network(const std::vector<int>& levels, int hidden, Activation activation) {
  const MlpShape shape = mlp_shape(support::categorical_variables(levels),
                                   support::first_given_rest(levels.size()), hidden, activation);
  return mechanism(levels, MakeMlp{shape}, shape.parameters());
}

/// One logit per joint state: some laws are about that.
const std::vector<Named<MechanismUnderTest>>& tables() {
  static const std::vector<Named<MechanismUnderTest>> rows = {
      {"table P(V), 2 levels", mechanism({2}, MakeTable())},
      {"table P(V), 10 levels", mechanism({10}, MakeTable())},
      {"table P(V | one parent)", mechanism({3, 4}, MakeTable())},
      {"table P(V | one parent), 2 levels", mechanism({2, 2}, MakeTable())},
      {"table P(V | two parents)", mechanism({3, 2, 4}, MakeTable())},
      {"table P(V | three parents)", mechanism({2, 3, 2, 2}, MakeTable())},
  };
  return rows;
}

const std::vector<Named<MechanismUnderTest>>& mechanisms() {
  static const std::vector<Named<MechanismUnderTest>> rows = [] {
    std::vector<Named<MechanismUnderTest>> all = tables();
    all.push_back({"network P(V)", network({4}, 5, Activation::relu)});
    all.push_back({"network P(V | one parent)", network({3, 4}, 6, Activation::tanh)});
    all.push_back({"network P(V | two parents)", network({3, 2, 4}, 6, Activation::leaky_relu)});
    return all;
  }();
  return rows;
}

// ---- the mistakes ----

/// A table with one function replaced; `Mistake` derives from it and hides what it gets wrong.
template <template <class> class Mistake>
struct Make {
  template <class T>
  Mistake<T> operator()(int levels, std::vector<T> logits) const {
    return {{levels, std::move(logits)}};
  }
};

template <template <class> class Mistake>
MechanismUnderTest mistaken() {
  return mechanism({3, 4}, Make<Mistake>());
}

template <class T>
struct Unnormalised : CategoricalTable<T> {
  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    return this->row(
        parent_configuration(data, family, row))[std::size_t(data.levels(family.child)[row])];
  }
};

/// The softmax of the softmax.
template <class T>
CategoricalTable<T> squashed(const CategoricalTable<T>& table) {
  using std::exp;
  std::vector<T> p;
  for (std::size_t i = 0; i < table.rows(); ++i)
    for (int j = 0; j < table.levels(); ++j) p.push_back(exp(table.log_prob(i, j)));
  return {table.levels(), p};
}

template <class T>
struct DoubleSoftmax : CategoricalTable<T> {
  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    return squashed<T>(*this).log_prob(data, family, row);
  }
};

template <class T>
struct DoubleSoftmaxSample : CategoricalTable<T> {
  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    squashed<T>(*this).sample(stream, data, family, row);
  }
};

template <class T>
struct OffByOneSample : CategoricalTable<T> {
  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    CategoricalTable<T>::sample(stream, data, family, row);
    auto& level = data.columns[family.child.value].levels[row];
    level = (level + 1) % this->levels();
  }
};

template <class T>
struct WrongRowSample : CategoricalTable<T> {
  void sample(Stream& stream, Dataset& data, const Family& family, std::size_t row) const {
    std::vector<T> turned(this->parameters().begin(), this->parameters().end());
    std::rotate(turned.begin(), turned.begin() + this->levels(), turned.end());
    CategoricalTable<T>(this->levels(), turned).sample(stream, data, family, row);
  }
};

template <class T>
struct GradientWithoutNormaliser : CategoricalTable<T> {
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    const auto cell = parent_configuration(data, family, row) * std::size_t(this->levels()) +
                      std::size_t(data.levels(family.child)[row]);
    gradient[cell] += weight;
  }
};

template <class T>
struct GradientOfLoss : CategoricalTable<T> {
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    CategoricalTable<T>::add_gradient(data, family, row, -weight, gradient);
  }
};

template <class T>
struct GradientIgnoresWeight : CategoricalTable<T> {
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T,
                    std::span<T> gradient) const {
    CategoricalTable<T>::add_gradient(data, family, row, T(1), gradient);
  }
};

template <class T>
struct GradientOverwrites : CategoricalTable<T> {
  void add_gradient(const Dataset& data, const Family& family, std::size_t row, T weight,
                    std::span<T> gradient) const {
    CategoricalTable<T>::add_gradient(data, family, row, weight, gradient);
    for (T& g : gradient) g += T(1e-6);
  }
};

/// The first logit of a row is held at 0: identifiable, and not what the paper does.
template <class T>
struct FirstLogitPinned : CategoricalTable<T> {
  T log_prob(const Dataset& data, const Family& family, std::size_t row) const {
    std::vector<T> logits(this->parameters().begin(), this->parameters().end());
    for (std::size_t i = 0; i < this->rows(); ++i) logits[i * std::size_t(this->levels())] = T(0);
    return CategoricalTable<T>(this->levels(), logits).log_prob(data, family, row);
  }
};

/// Copies share their parameters.
template <class T>
struct SharedParameters : CategoricalTable<T> {
  SharedParameters(CategoricalTable<T> table)
      : CategoricalTable<T>(table), shared(std::make_shared<CategoricalTable<T>>(table)) {}
  std::span<T> parameters() { return shared->parameters(); }
  std::shared_ptr<CategoricalTable<T>> shared;
};

struct MakeShared {
  template <class T>
  SharedParameters<T> operator()(int levels, std::vector<T> logits) const {
    return SharedParameters<T>(CategoricalTable<T>(levels, std::move(logits)));
  }
};

// ---- the laws ----

std::vector<double> some_parameters(const MechanismUnderTest& m, Inputs& inputs) {
  return inputs.reals(m.parameters, -2, 2);
}

/// Rows of `states` with the parents of row r and the child at each of its levels.
std::vector<std::size_t> child_states(const MechanismUnderTest& m, std::size_t configuration) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < m.states.rows(); ++r)
    if (parent_configuration(m.states, m.family, r) == configuration) rows.push_back(r);
  return rows;
}

std::size_t configurations_of(const MechanismUnderTest& m) {
  return configurations(m.states.variables, m.family);
}

Finding log_prob_normalises(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(31);
  for (int trial = 0; trial < 20; ++trial) {
    const auto p = some_parameters(m, inputs);
    for (std::size_t c = 0; c < configurations_of(m); ++c) {
      double sum = 0;
      for (std::size_t r : child_states(m, c)) sum += std::exp(m.log_prob(p, r));
      finding.near(sum, 1, 1e-14, "sum over the child");
    }
  }
  return finding;
}

LAW(MechanismLaws, LogProbNormalises, log_prob_normalises, mechanisms(),
    {{"not normalised", mistaken<Unnormalised>()}});

/// log_prob is what the definition says, in long double.
Finding log_prob_is_softmax(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(32);
  const auto p = some_parameters(m, inputs);
  const auto levels = std::size_t(m.states.variables[0].levels);
  for (std::size_t r = 0; r < m.states.rows(); ++r) {
    // Mixed radix by hand, the first parent most significant.
    std::size_t c = 0;
    for (std::size_t v = 1; v < m.states.variables.size(); ++v)
      c = c * std::size_t(m.states.variables[v].levels) +
          std::size_t(m.states.columns[v].levels[r]);
    long double sum = 0;
    for (std::size_t j = 0; j < levels; ++j) sum += std::exp((long double)(p[c * levels + j]));
    const auto j = std::size_t(m.states.columns[0].levels[r]);
    finding.near(m.log_prob(p, r), double(p[c * levels + j] - std::log(sum)), 1e-14, "softmax");
  }
  return finding;
}

LAW(MechanismLaws, TableIsTheSoftmaxOfItsRow, log_prob_is_softmax, tables(),
    {{"double softmax", mistaken<DoubleSoftmax>()},
     {"first logit pinned", mistaken<FirstLogitPinned>()},
     {"parents in the other order", mechanism({3, 2, 4}, []<class T>(int n, std::vector<T> logits) {
        std::vector<T> turned(logits.size());  // [second][first] for [first][second]
        const auto levels = std::size_t(n);
        for (std::size_t a = 0; a < 2; ++a)
          for (std::size_t b = 0; b < 4; ++b)
            for (std::size_t j = 0; j < levels; ++j)
              turned[(a * 4 + b) * levels + j] = logits[(b * 2 + a) * levels + j];
        return CategoricalTable<T>(n, turned);
      })}});

/// Three derivatives agree: the gradient, dual numbers, central differences in long double.
Finding gradient_is_the_derivative(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(33);
  const auto p = some_parameters(m, inputs);
  const double weight = -0.7;
  for (std::size_t r = 0; r < m.states.rows(); ++r) {
    const auto gradient = m.gradient(p, r, weight);
    for (std::size_t i = 0; i < p.size(); ++i) {
      finding.near(gradient[i], weight * m.slope(p, r, i), 1e-14, "against dual numbers");
      const long double h = 1e-6L;
      std::vector<long double> high(p.begin(), p.end()), low = high;
      high[i] += h;
      low[i] -= h;
      const long double slope = (m.wide_log_prob(high, r) - m.wide_log_prob(low, r)) / (2 * h);
      finding.near(gradient[i], weight * double(slope), 1e-11, "against differences");
    }
  }
  return finding;
}

LAW(MechanismLaws, GradientIsTheDerivative, gradient_is_the_derivative, mechanisms(),
    {{"without the normaliser", mistaken<GradientWithoutNormaliser>()},
     {"of the loss", mistaken<GradientOfLoss>()},
     {"weight ignored", mistaken<GradientIgnoresWeight>()},
     {"off by 1e-6", mistaken<GradientOverwrites>()},
     {"of another softmax", mistaken<DoubleSoftmax>()}});

Finding gradient_rows_sum_to_zero(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(34);
  const auto levels = std::size_t(m.states.variables[0].levels);
  for (double spread : {1.0, 30.0, 1e6, 8e307}) {
    const auto p = inputs.reals(m.parameters, -spread, spread);
    for (std::size_t r = 0; r < m.states.rows(); ++r) {
      const auto gradient = m.gradient(p, r, 1);
      for (std::size_t begin = 0; begin < gradient.size(); begin += levels) {
        double sum = 0;
        for (std::size_t j = 0; j < levels; ++j) sum += gradient[begin + j];
        finding.near(sum, 0, 1e-15 * double(levels) * 4, fmt::format("spread {}", spread));
      }
    }
  }
  return finding;
}

LAW(MechanismLaws, GradientRowsSumToZero, gradient_rows_sum_to_zero, tables(),
    {{"without the normaliser", mistaken<GradientWithoutNormaliser>()},
     {"off by 1e-6", mistaken<GradientOverwrites>()}});

Finding shifting_logits_changes_nothing(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(35);
  const auto p = some_parameters(m, inputs);
  const auto levels = std::size_t(m.states.variables[0].levels);
  for (double shift : {-1000.0, -3.0, 0.5, 1000.0}) {
    auto shifted = p;  // each row by another amount
    for (std::size_t i = 0; i < p.size(); ++i) shifted[i] += shift * double(1 + i / levels);
    for (std::size_t r = 0; r < m.states.rows(); ++r)
      finding.near(m.log_prob(shifted, r), m.log_prob(p, r), 1e-15 * std::abs(shift) * 20 + 1e-14,
                   "shifted");
  }
  return finding;
}

LAW(MechanismLaws, ShiftingARowOfLogitsChangesNothing, shifting_logits_changes_nothing, tables(),
    {{"not normalised", mistaken<Unnormalised>()},
     {"first logit pinned", mistaken<FirstLogitPinned>()}});

Finding samples_follow_log_prob(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(36);
  const auto p = some_parameters(m, inputs);
  for (std::size_t c = 0; c < configurations_of(m); ++c) {
    const auto rows = child_states(m, c);
    std::vector<std::size_t> counts(rows.size());
    std::vector<double> probabilities;
    for (std::size_t r : rows) probabilities.push_back(std::exp(m.log_prob(p, r)));
    Stream stream(1, Purpose::tests, {std::uint32_t(c)});
    for (std::size_t i = 0; i < support::effort(20000); ++i)
      ++counts[std::size_t(m.sample(p, rows[0], stream))];
    finding.likely(support::counts_p_value(counts, probabilities), fmt::format("row {}", c));
  }
  return finding;
}

LAW(MechanismLaws, SamplesFollowLogProb, samples_follow_log_prob, mechanisms(),
    {{"off by one category", mistaken<OffByOneSample>()},
     {"double softmax", mistaken<DoubleSoftmaxSample>()},
     {"wrong row", mistaken<WrongRowSample>()}});

Finding relabelling_levels(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(37);
  const auto p = some_parameters(m, inputs);
  const auto levels = std::size_t(m.states.variables[0].levels);
  // Level j is called levels - 1 - j.
  auto renamed = p;
  for (std::size_t begin = 0; begin < p.size(); begin += levels)
    std::reverse(renamed.begin() + std::ptrdiff_t(begin),
                 renamed.begin() + std::ptrdiff_t(begin + levels));
  for (std::size_t c = 0; c < configurations_of(m); ++c) {
    const auto rows = child_states(m, c);
    for (std::size_t j = 0; j < levels; ++j)
      finding.near(m.log_prob(renamed, rows[levels - 1 - j]), m.log_prob(p, rows[j]), 1e-14,
                   "renamed");
  }
  return finding;
}

LAW(MechanismLaws, RelabellingLevelsRelabelsProbabilities, relabelling_levels, tables(),
    {{"first logit pinned", mistaken<FirstLogitPinned>()}});

Finding copy_is_a_value(const MechanismUnderTest& m) {
  Finding finding;
  Inputs inputs(38);
  const auto p = some_parameters(m, inputs);
  finding.require(m.after_adapting_a_copy(p) == p, "adapting a copy changed the original");
  return finding;
}

LAW(MechanismLaws, CopyIsAValue, copy_is_a_value, mechanisms(),
    {{"parameters behind a pointer", mechanism({3, 4}, MakeShared())}});

// ---- counts ----

using CountFit = std::function<CategoricalTable<double>(
    const Dataset&, std::size_t begin, std::size_t end, const Family&, double equivalent_rows)>;

CategoricalTable<double> engine_counts(const Dataset& data, std::size_t begin, std::size_t end,
                                       const Family& family, double rows) {
  return fit_counts(data, begin, end, family, rows);
}

/// Laplace: the same pseudo-count in every cell of every table.
CategoricalTable<double> laplace_counts(const Dataset& data, std::size_t begin, std::size_t end,
                                        const Family& family, double rows) {
  const auto levels = std::size_t(data.variables[family.child.value].levels);
  const std::size_t cells = configurations(data.variables, family) * levels;
  return fit_counts(data, begin, end, family, rows > 0 ? double(cells) : 0);
}

Dataset random_data(Inputs& inputs, const std::vector<int>& levels, std::size_t rows) {
  Dataset data;
  data.variables = support::categorical_variables(levels);
  for (int n : levels) data.columns.push_back({inputs.levels(rows, n), {}});
  return data;
}

/// Both factorisations of a pair, from counts, give the same joint.
Finding factorisations_agree(const CountFit& fit) {
  Finding finding;
  Inputs inputs(39);
  const VariableId a(0), b(1);
  for (std::size_t rows : {5, 40, 1000})
    for (double equivalent : {0.0, 0.5, 1.0, 10.0}) {
      const Dataset data = random_data(inputs, {3, 5}, rows);
      const auto p_a = fit(data, 0, rows, {a, {}}, equivalent);
      const auto p_b = fit(data, 0, rows, {b, {}}, equivalent);
      const auto p_b_a = fit(data, 0, rows, {b, {a}}, equivalent);
      const auto p_a_b = fit(data, 0, rows, {a, {b}}, equivalent);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j)
          finding.near(std::exp(p_a.log_prob(0, i) + p_b_a.log_prob(std::size_t(i), j)),
                       std::exp(p_b.log_prob(0, j) + p_a_b.log_prob(std::size_t(j), i)), 1e-15,
                       fmt::format("{} rows, {} imaginary", rows, equivalent));
    }
  return finding;
}

LAW(MechanismLaws, CountsGiveBothFactorisationsTheSameJoint, factorisations_agree,
    {{"fit_counts", engine_counts}}, {{"Laplace smoothing", laplace_counts}});

/// (count + imaginary share) / total, on rows [begin, end) only; rows never seen are uniform.
Finding counts_are_frequencies(const CountFit& fit) {
  Finding finding;
  Inputs inputs(40);
  const Dataset data = random_data(inputs, {3, 2, 4}, 60);
  const Family family = {VariableId(0), {VariableId(1), VariableId(2)}};
  for (double equivalent : {0.0, 2.0}) {
    for (auto [begin, end] : {std::pair<std::size_t, std::size_t>{0, 60}, {7, 12}, {3, 3}}) {
      const auto table = fit(data, begin, end, family, equivalent);
      for (std::size_t c = 0; c < 8; ++c) {
        double counts[3] = {}, total = 0;
        for (double& count : counts) total += count = equivalent / 24;
        for (std::size_t r = begin; r < end; ++r)
          if (parent_configuration(data, family, r) == c) {
            counts[data.columns[0].levels[r]] += 1;
            total += 1;
          }
        for (int j = 0; j < 3; ++j)
          finding.near(std::exp(table.log_prob(c, j)), total == 0 ? 1.0 / 3 : counts[j] / total,
                       1e-15, "frequency");
      }
    }
  }
  return finding;
}

LAW(MechanismLaws, CountsAreSmoothedFrequencies, counts_are_frequencies,
    {{"fit_counts", engine_counts}},
    {{"Laplace smoothing", laplace_counts},
     {"all rows of the data",
      [](const Dataset& data, std::size_t, std::size_t, const Family& family, double rows) {
        return fit_counts(data, 0, data.rows(), family, rows);
      }},
     {"last row left out", [](const Dataset& data, std::size_t begin, std::size_t end,
                              const Family& family, double rows) {
        return fit_counts(data, begin, end > begin ? end - 1 : end, family, rows);
      }}});

}  // namespace
}  // namespace whence::laws
