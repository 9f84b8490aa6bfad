// Laws of Student noise: the bound on the evidence, and the kernel that climbs it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/bits.hpp"
#include "support/simd.hpp"
#include "whence/evidence/linear/student_family.hpp"
#include "whence/math/random.hpp"
#include "whence/math/special.hpp"

namespace whence::laws {
namespace {

using Pace = StudentFamily::Pace;

/// Rows of one family in some environments: z = (1, parents, child).
struct Rows {
  std::size_t order = 0;
  std::vector<std::vector<std::vector<double>>> z;  // [environment][row][column]
  std::size_t environments() const { return z.size(); }
};

/// The child is a sum of its parents with heavy-tailed noise, more so in later environments.
Rows heavy_rows(std::size_t parents, const std::vector<std::size_t>& counts, std::uint32_t run) {
  Stream stream(11, Purpose::tests, {run});
  Rows rows{parents + 2, {}};
  for (std::size_t e = 0; e < counts.size(); ++e) {
    rows.z.emplace_back();
    for (std::size_t n = 0; n < counts[e]; ++n) {
      std::vector<double> z = {1};
      double child = 0.3;
      for (std::size_t p = 0; p < parents; ++p) {
        z.push_back(sample_normal(stream));
        child += z.back() * (p % 2 == 0 ? 1 : -0.5);
      }
      const double noise = sample_normal(stream);
      z.push_back(child + noise * (1 + double(e) * noise * noise));
      rows.z.back().push_back(z);
    }
  }
  return rows;
}

/// What a fit knows of each environment.
struct Weighted {
  std::vector<std::vector<double>> grams;  // [environment][packed]
  std::vector<double> offsets;             // [environment]
};

/// One way to weigh rows again and again, each environment by the fit of base + sign * its own.
struct Setting {
  RegressionPrior prior;
  double freedom = 4;
  std::vector<double> sign;  // per environment
  int rounds = 1;
  Pace pace = Pace::steady;
};
using Weigher = std::function<Weighted(const Rows&, const Setting&)>;

std::vector<double> plain_gram(const Rows& rows, std::size_t e) {
  std::vector<double> gram(packed(rows.order, 0), 0.0);
  for (const std::vector<double>& z : rows.z[e])
    for (std::size_t r = 0; r < rows.order; ++r)
      for (std::size_t c = 0; c <= r; ++c) gram[packed(r, c)] += z[r] * z[c];
  return gram;
}

/// The base of all tests: everything with sign 0, at the weights of the moment.
std::vector<double> base_of(const std::vector<std::vector<double>>& grams, const Rows& rows,
                            const Setting& setting, double& count) {
  std::vector<double> base(packed(rows.order, 0), 0.0);
  count = 0;
  for (std::size_t e = 0; e < rows.environments(); ++e) {
    if (setting.sign[e] != 0) continue;
    for (std::size_t k = 0; k < base.size(); ++k) base[k] += grams[e][k];
    count += double(rows.z[e].size());
  }
  return base;
}

Weighted weigh_fast(const Rows& rows, const Setting& setting) {
  const std::size_t environments = rows.environments(), stride = padded_environments(environments);
  std::vector<std::size_t> sizes, columns;
  for (const auto& environment : rows.z) sizes.push_back(environment.size());
  RowPieces pieces(sizes);
  for (std::size_t c = 0; c < rows.order; ++c) pieces.add_column();
  std::vector<double> entries(packed(rows.order, 0) * stride, 0.0), counts(stride, 0.0);
  for (std::size_t e = 0; e < environments; ++e) {
    counts[e] = double(sizes[e]);
    const std::vector<double> gram = plain_gram(rows, e);
    for (std::size_t k = 0; k < gram.size(); ++k) entries[k * stride + e] = gram[k];
    for (std::size_t n = 0; n < sizes[e]; ++n)
      for (std::size_t c = 0; c < rows.order; ++c) pieces.set(e, n, c, rows.z[e][n][c]);
  }
  std::vector<const double*> pointers;
  for (std::size_t k = 0; k < packed(rows.order, 0); ++k) pointers.push_back(&entries[k * stride]);
  for (std::size_t c = 0; c < rows.order; ++c) columns.push_back(c);
  const FamilyGrams plain{rows.order, stride, pointers, counts};
  StudentFamily family(pieces, columns, plain);
  family.set_freedom(setting.freedom);
  std::vector<double> sign = setting.sign;
  sign.resize(stride, 0.0);
  Weighted result;
  const auto read = [&] {
    result = {{}, {}};
    for (std::size_t e = 0; e < environments; ++e) {
      result.grams.emplace_back();
      for (std::size_t k = 0; k < pointers.size(); ++k)
        result.grams[e].push_back(family.grams().entries[k][e]);
      result.offsets.push_back(family.offsets()[e]);
    }
  };
  read();
  for (int k = 0; k < setting.rounds; ++k) {
    double count = 0;
    const std::vector<double> base = base_of(result.grams, rows, setting, count);
    family.reweigh(setting.prior, base, count, sign, setting.pace);
    read();
  }
  return result;
}

/// The formulas as they stand, row by row: `Mistake` is what a planted bug does wrong.
enum class Mistake {
  none,
  no_leverage,
  weight_of_another_freedom,
  rate_without_half,
  no_weight_term
};

std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t r = j + 1; r < n; ++r) {
      const double factor = a[r][j] / a[j][j];
      for (std::size_t c = j; c < n; ++c) a[r][c] -= factor * a[j][c];
      b[r] -= factor * b[j];
    }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t c = j + 1; c < n; ++c) b[j] -= a[j][c] * b[c];
    b[j] /= a[j][j];
  }
  return b;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// A pool's regression: precision matrix, coefficients, precision of the noise.
struct Fit {
  std::vector<std::vector<double>> precision;
  std::vector<double> coefficients;
  double noise = 0;

  Fit(const Rows& rows, const Setting& setting, const std::vector<double>& gram, double count) {
    const std::size_t p = rows.order - 1;
    std::vector<double> cross(p);
    precision.assign(p, std::vector<double>(p));
    for (std::size_t r = 0; r < p; ++r) {
      for (std::size_t c = 0; c < p; ++c)
        precision[r][c] = gram[packed(std::max(r, c), std::min(r, c))];
      precision[r][r] += r == 0 ? setting.prior.intercept : setting.prior.slope;
      cross[r] = gram[packed(p, r)];
    }
    coefficients = solved(precision, cross);
    const double residual = gram[packed(p, p)] - dot(coefficients, cross);
    const double rows_or_weights = setting.pace == Pace::fast ? gram[0] : count;
    noise = (setting.prior.shape + rows_or_weights / 2) / (setting.prior.rate + residual / 2);
  }
};

Weighted weigh_plainly(const Rows& rows, const Setting& setting, Mistake mistake) {
  const double nu = setting.freedom, a = (nu + 1) / 2;
  Weighted state;
  for (std::size_t e = 0; e < rows.environments(); ++e) state.grams.push_back(plain_gram(rows, e));
  state.offsets.assign(rows.environments(), 0.0);
  for (int round = 0; round < setting.rounds; ++round) {
    double base_count = 0;
    const std::vector<double> base = base_of(state.grams, rows, setting, base_count);
    Weighted next;
    for (std::size_t e = 0; e < rows.environments(); ++e) {
      std::vector<double> pool = base, gram(base.size(), 0.0);
      for (std::size_t k = 0; k < pool.size(); ++k) pool[k] += setting.sign[e] * state.grams[e][k];
      const Fit fit(rows, setting, pool, base_count + setting.sign[e] * double(rows.z[e].size()));
      double offset = 0;
      for (const std::vector<double>& row : rows.z[e]) {
        const std::vector<double> z(row.begin(), row.end() - 1);
        const double residual = row.back() - dot(z, fit.coefficients);
        double distance = residual * residual * fit.noise;
        if (mistake != Mistake::no_leverage) distance += dot(z, solved(fit.precision, z));
        const double b = (nu + distance) / (mistake == Mistake::rate_without_half ? 1 : 2);
        const double top = mistake == Mistake::weight_of_another_freedom ? a + 0.5 : a;
        const double weight = top / ((nu + distance) / 2);
        offset +=
            nu / 2 * std::log(nu / 2) - log_gamma(nu / 2) + log_gamma(a) - a * std::log(b) + a;
        if (mistake != Mistake::no_weight_term) offset -= nu / 2 * weight;
        for (std::size_t r = 0; r < rows.order; ++r)
          for (std::size_t c = 0; c <= r; ++c) gram[packed(r, c)] += weight * row[r] * row[c];
      }
      next.grams.push_back(gram);
      next.offsets.push_back(offset);
    }
    state = next;
  }
  return state;
}

Weigher with(Mistake mistake) {
  return [mistake](const Rows& rows, const Setting& setting) {
    return weigh_plainly(rows, setting, mistake);
  };
}

// ---- The kernel ----

const std::vector<std::size_t> uneven = {23, 10, 10, 1, 9, 10, 10, 12, 64, 10};

std::vector<Setting> some_settings() {
  std::vector<Setting> settings;
  for (const double freedom : {4.0, 1.5})
    for (const Pace pace : {Pace::steady, Pace::fast})
      settings.push_back({{0.1, 0.03, 2, 0.4}, freedom, {0, 1, 0, 1, 0, 0, 0, 1, 0, 0}, 3, pace});
  return settings;
}

/// Vectors compute what the formulas say.
Finding kernel_agrees(const Weigher& weigh) {
  Finding finding;
  for (const std::size_t parents : {0, 1, 3, 5, 6, 11})
    for (const Setting& setting : some_settings()) {
      const Rows rows = heavy_rows(parents, uneven, std::uint32_t(parents));
      const Weighted expected = weigh_plainly(rows, setting, Mistake::none);
      const Weighted found = weigh(rows, setting);
      for (std::size_t e = 0; e < rows.environments(); ++e) {
        const std::string where = fmt::format("{} parents, environment {}", parents, e);
        finding.near(found.offsets[e], expected.offsets[e],
                     1e-12 * (1 + std::abs(expected.offsets[e])), where);
        for (std::size_t k = 0; k < expected.grams[e].size(); ++k)
          finding.near(found.grams[e][k], expected.grams[e][k], 1e-12 * (1 + expected.grams[e][0]),
                       where);
      }
    }
  return finding;
}

LAW(StudentLaws, KernelAgreesWithTheFormulas, kernel_agrees, {{"lanes", weigh_fast}},
    {{"the fit's own uncertainty forgotten", with(Mistake::no_leverage)},
     {"weights of another freedom", with(Mistake::weight_of_another_freedom)},
     {"b twice as large", with(Mistake::rate_without_half)},
     {"the weights' own term forgotten", with(Mistake::no_weight_term)}});

/// One set of bits on every instruction set.
Finding one_set_of_bits(const Weigher& weigh) {
  Finding finding;
  for (const std::size_t parents : {0, 3, 6, 11})
    for (const Setting& setting : some_settings()) {
      const Rows rows = heavy_rows(parents, uneven, std::uint32_t(parents));
      const Weighted expected = weigh_fast(rows, setting);
      support::for_each_simd_target([&](const std::string& target) {
        const Weighted found = weigh(rows, setting);
        finding.require(support::same_bits(found.offsets, expected.offsets), target);
        for (std::size_t e = 0; e < rows.environments(); ++e)
          finding.require(support::same_bits(found.grams[e], expected.grams[e]), target);
      });
    }
  return finding;
}

LAW(StudentLaws, KernelHasOneSetOfBits, one_set_of_bits, {{"lanes", weigh_fast}},
    {{"another order of summation", [](const Rows& rows, const Setting& setting) {
        Weighted result = weigh_fast(rows, setting);
        result.offsets[0] = std::nextafter(result.offsets[0], 0);
        return result;
      }}});

// ---- The bound ----

/// log P(child | parents) of all environments in one pool, as bounded by these weights.
double bound(const Rows& rows, const Setting& setting, const Weighted& weighted) {
  double count = 0, sum = 0;
  const std::vector<double> base = base_of(weighted.grams, rows, setting, count);
  const std::vector<double> counts(environment_multiple, 0.0), zeros(environment_multiple, 0.0);
  const std::vector<const double*> nothing(base.size(), zeros.data());
  const FamilyGrams grams{rows.order, environment_multiple, nothing, counts};
  std::vector<double> evidence(environment_multiple);
  pool_evidences(grams, setting.prior, base, count, zeros, evidence);
  for (double offset : weighted.offsets) sum += offset;
  return evidence[0] + sum;
}

/// Weighing again by the rows' own fit never lowers the bound; the other pace gets near its end
/// in a few rounds.
Finding bound_climbs(const Weigher& weigh) {
  Finding finding;
  for (const double freedom : {4.0, 1.5})
    for (std::uint32_t run = 0; run < 10; ++run) {
      const Rows rows = heavy_rows(run % 4, {40, 10, 10}, 100 + run);
      Setting setting{{0.1, 0.05, 1.5, 0.05}, freedom, {0, 0, 0}, 1, Pace::steady};
      double last = -1e300;
      for (setting.rounds = 1; setting.rounds <= 40; ++setting.rounds) {
        const double next = bound(rows, setting, weigh(rows, setting));
        finding.at_most(last, next + 1e-9, fmt::format("run {}, round {}", run, setting.rounds));
        last = next;
      }
      setting.rounds = 6;
      setting.pace = Pace::fast;
      finding.near(bound(rows, setting, weigh(rows, setting)), last, 0.3,
                   fmt::format("six fast rounds, run {}", run));
    }
  return finding;
}

LAW(StudentLaws, TheBoundClimbs, bound_climbs, {{"lanes", weigh_fast}},
    {{"weights of another freedom", with(Mistake::weight_of_another_freedom)}});

/// The evidence of a mean and a variance under Student noise, by the sum over a grid.
double evidence_by_grid(const Rows& rows, const Setting& setting) {
  const double nu = setting.freedom, pi = 3.14159265358979323846;
  const double constant = log_gamma((nu + 1) / 2) - log_gamma(nu / 2) - std::log(nu * pi) / 2;
  const double step_mean = 0.02, step_log = 0.02;
  double sum = 0;
  for (double log_variance = -8; log_variance < 8; log_variance += step_log) {
    const double variance = std::exp(log_variance), a = setting.prior.shape, b = setting.prior.rate;
    const double prior_of_variance =
        a * std::log(b) - log_gamma(a) - a * log_variance - b / variance;
    for (double u = -8; u < 8; u += step_mean) {  // the mean in units of its prior's sigma
      const double mean = u * std::sqrt(variance / setting.prior.intercept);
      double log_joint = prior_of_variance - u * u / 2 - std::log(2 * pi) / 2;
      for (const auto& environment : rows.z)
        for (const std::vector<double>& z : environment) {
          const double r = z.back() - mean;
          log_joint +=
              constant - log_variance / 2 - (nu + 1) / 2 * std::log1p(r * r / (nu * variance));
        }
      sum += std::exp(log_joint) * step_mean * step_log;
    }
  }
  return std::log(sum);
}

/// The bound is one, and as close as it should be: what is lost by taking weights and parameters
/// for independent is half the logarithm of what the weights hide of the information, that is
/// (nu + 3) / (nu + 1) for a mean and (nu + 3) / nu for a variance.
Finding bound_is_close(const Weigher& weigh) {
  Finding finding;
  for (const double freedom : {4.0, 1.5})
    for (std::uint32_t run = 0; run < 3; ++run) {
      const Rows rows = heavy_rows(0, {12}, 200 + run);
      const Setting setting{{0.5, 0.1, 2, 0.5}, freedom, {0}, 40, Pace::steady};
      const double exact = evidence_by_grid(rows, setting);
      const double found = bound(rows, setting, weigh(rows, setting));
      finding.at_most(found, exact + 1e-6, fmt::format("nu {}, run {}: above", freedom, run));
      const double nu = freedom, lost = std::log((nu + 3) / (nu + 1) * (nu + 3) / nu) / 2;
      finding.near(exact - found, lost, 0.2, fmt::format("nu {}, run {}: gap", freedom, run));
    }
  return finding;
}

LAW(StudentLaws, TheBoundIsClose, bound_is_close, {{"lanes", weigh_fast}},
    {{"b twice as large", with(Mistake::rate_without_half)},
     {"the weights' own term forgotten", with(Mistake::no_weight_term)}});

}  // namespace
}  // namespace whence::laws
