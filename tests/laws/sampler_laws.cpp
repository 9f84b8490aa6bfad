// Random numbers: Philox against its authors' code, samplers against their distribution functions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Random123/philox.h>

#include "laws/law.hpp"
#include "support/bits.hpp"
#include "support/effort.hpp"
#include "support/simd.hpp"
#include "support/statistics.hpp"
#include "support/tables.hpp"
#include "whence/math/random.hpp"

namespace whence::laws {
namespace {

using support::effort;
using support::Inputs;

Stream test_stream(std::uint32_t run, std::uint32_t episode = 0, std::uint32_t step = 0) {
  return {42, Purpose::tests, {run, episode, step}};
}

// ---- Philox ----

using Cipher = std::function<PhiloxBlock(PhiloxBlock, std::uint64_t)>;

PhiloxBlock philox_with(PhiloxBlock c, std::uint64_t key, int rounds, bool swap_multipliers,
                        bool bump_late) {
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t m0 = swap_multipliers ? 0xCD9E8D57 : 0xD2511F53;
    const std::uint64_t m1 = swap_multipliers ? 0xD2511F53 : 0xCD9E8D57;
    const std::uint64_t a = m0 * c[0], b = m1 * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ k0, std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ k1,
         std::uint32_t(a)};
    if (bump_late && round == 0) continue;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

Finding philox_matches_random123(const Cipher& cipher) {
  Finding finding;
  Inputs inputs(21);
  for (std::size_t i = 0; i < effort(100000); ++i) {
    const std::uint64_t low = inputs.bits(), high = inputs.bits(), key = inputs.bits();
    const PhiloxBlock counter = {std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high),
                                 std::uint32_t(high >> 32)};
    const r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
    const r123::Philox4x32::key_type k = {{std::uint32_t(key), std::uint32_t(key >> 32)}};
    const auto expected = r123::Philox4x32()(c, k);
    const PhiloxBlock measured = cipher(counter, key);
    finding.require(std::equal(measured.begin(), measured.end(), expected.begin()),
                    "differs from Random123");
  }
  return finding;
}

LAW(SamplerLaws, PhiloxMatchesRandom123, philox_matches_random123,
    {{"philox", philox},
     {"the reference of this file",
      [](PhiloxBlock c, std::uint64_t k) { return philox_with(c, k, 10, false, false); }}},
    {{"nine rounds",
      [](PhiloxBlock c, std::uint64_t k) { return philox_with(c, k, 9, false, false); }},
     {"multipliers swapped",
      [](PhiloxBlock c, std::uint64_t k) { return philox_with(c, k, 10, true, false); }},
     {"key bumped late",
      [](PhiloxBlock c, std::uint64_t k) { return philox_with(c, k, 10, false, true); }},
     {"key words swapped",
      [](PhiloxBlock c, std::uint64_t k) { return philox(c, k << 32 | k >> 32); }}});

// ---- uniforms ----

/// n numbers of the stream of a cell, starting after `skip` single draws.
using Filler = std::function<std::vector<double>(Cell, std::uint32_t skip, std::size_t n)>;

std::vector<double> fill_stream(Cell cell, std::uint32_t skip, std::size_t n) {
  Stream stream(42, Purpose::tests, cell);
  for (std::uint32_t i = 0; i < skip; ++i) stream.uniform();
  std::vector<double> u(n);
  stream.fill(u);
  return u;
}

/// The numbers that fill() promises: those from the next fresh block on.
std::vector<double> numbers_at(Cell cell, std::uint32_t first, std::size_t n) {
  const Stream stream(42, Purpose::tests, cell);
  std::vector<double> u(n);
  for (std::size_t i = 0; i < n; ++i) u[i] = stream.uniform_at(first + std::uint32_t(i));
  return u;
}

Finding fill_is_the_stream(const Filler& fill) {
  Finding finding;
  support::for_each_simd_target([&](const std::string& target) {
    for (std::size_t n = 0; n <= 40; ++n)
      for (std::uint32_t skip : {0u, 1u, 2u, 5u})
        for (Cell cell : {Cell{0, 0, 0}, Cell{7, 123456, 0xFFFFFFFF}})
          finding.require(
              support::same_bits(fill(cell, skip, n), numbers_at(cell, (skip + 1) / 2 * 2, n)),
              target + ": " + std::to_string(n) + " numbers after " + std::to_string(skip));
    finding.require(support::same_bits(fill({1, 2, 3}, 0, 1003), numbers_at({1, 2, 3}, 0, 1003)),
                    target + ": a long one");
  });
  return finding;
}

LAW(SamplerLaws, FillIsTheStreamOnEveryInstructionSet, fill_is_the_stream, {{"fill", fill_stream}},
    {{"continues inside a block",
      [](Cell cell, std::uint32_t skip, std::size_t n) { return numbers_at(cell, skip, n); }},
     {"one block late", [](Cell cell, std::uint32_t skip,
                           std::size_t n) { return numbers_at(cell, (skip + 1) / 2 * 2 + 2, n); }},
     {"last number of an odd count forgotten",
      [](Cell cell, std::uint32_t skip, std::size_t n) {
        auto u = numbers_at(cell, (skip + 1) / 2 * 2, n);
        if (n % 2) u.back() = 0;
        return u;
      }},
     {"one instruction set rounds differently", [](Cell cell, std::uint32_t skip, std::size_t n) {
        auto u = numbers_at(cell, (skip + 1) / 2 * 2, n);
        if (simd_target() == simd_targets().front() && n == 1003) u[500] += 0x1p-53;
        return u;
      }}});

using Sampler = std::function<double(Stream&)>;

std::vector<double> draws(const Sampler& sampler, std::size_t n, std::uint32_t run) {
  Stream stream = test_stream(run);
  std::vector<double> x(n);
  for (double& v : x) v = sampler(stream);
  return x;
}

double draw_uniform(Stream& s) { return s.uniform(); }

Finding uniform_is_uniform(const Sampler& sampler) {
  Finding finding;
  const auto u = draws(sampler, effort(1000000), 1);
  for (double v : u) finding.require(v > 0 && v < 1, "inside the open interval");
  finding.likely(support::ks_p_value(u, [](double x) { return x; }), "Kolmogorov-Smirnov");
  // The lowest bits as well: each of the last 20 is fair.
  std::vector<std::size_t> ones(20);
  for (double v : u)
    for (std::size_t b = 0; b < ones.size(); ++b) ones[b] += std::uint64_t(v * 0x1p52) >> b & 1;
  const double n = double(u.size());
  for (std::size_t b = 0; b < ones.size(); ++b)
    finding.likely(support::z_p_value((double(ones[b]) - n / 2) / std::sqrt(n / 4)),
                   "bit " + std::to_string(b));
  return finding;
}

LAW(SamplerLaws, UniformIsUniform, uniform_is_uniform, {{"uniform", draw_uniform}},
    {{"squeezed", [](Stream& s) { return 0.03 + 0.97 * s.uniform(); }},
     {"32 bits", [](Stream& s) { return (std::floor(s.uniform() * 0x1p32) + 0.5) * 0x1p-32; }},
     {"closed interval", [](Stream& s) { return std::floor(s.uniform() * 1000) / 1000; }}});

Finding neighbours_are_independent(const Sampler& sampler) {
  Finding finding;
  const auto u = draws(sampler, effort(1000000), 2);
  for (std::size_t lag = 1; lag <= 16; ++lag)
    finding.likely(support::z_p_value(support::correlation_z(std::span(u).first(u.size() - lag),
                                                             std::span(u).subspan(lag))),
                   "lag " + std::to_string(lag));
  return finding;
}

LAW(SamplerLaws, NeighboursAreIndependent, neighbours_are_independent, {{"uniform", draw_uniform}},
    {{"each number twice",
      [turn = 0, last = 0.0](Stream& s) mutable {
        if (turn++ % 2 == 0) last = s.uniform();
        return last;
      }},
     {"every second one mirrored", [turn = 0, last = 0.0](Stream& s) mutable {
        last = turn++ % 2 == 0 ? s.uniform() : 1 - last;
        return last;
      }}});

/// Number i of a stream.
using StreamFamily = std::function<double(std::uint64_t seed, Purpose, Cell, std::uint32_t i)>;

double number_of(std::uint64_t seed, Purpose purpose, Cell cell, std::uint32_t i) {
  return Stream(seed, purpose, cell).uniform_at(i);
}

Finding streams_are_independent(const StreamFamily& family) {
  Finding finding;
  const std::uint32_t n = 500;
  const auto numbers = [&](std::uint64_t seed, Purpose purpose, Cell cell) {
    std::vector<double> u(n);
    for (std::uint32_t i = 0; i < n; ++i) u[i] = family(seed, purpose, cell, i);
    return u;
  };
  for (std::uint32_t k = 0; k < effort(200) + 20; ++k) {
    const Cell here = {k, 2 * k, 3 * k};
    const auto base = numbers(k, Purpose::sample, here);
    const auto compare = [&](const std::vector<double>& other, const std::string& what) {
      finding.likely(support::z_p_value(support::correlation_z(base, other)), what, 1e-12);
    };
    compare(numbers(k + 1, Purpose::sample, here), "seed");
    compare(numbers(k, Purpose::shift, here), "purpose");
    compare(numbers(k, Purpose::sample, {here.run + 1, here.episode, here.step}), "run");
    compare(numbers(k, Purpose::sample, {here.run, here.episode + 1, here.step}), "episode");
    compare(numbers(k, Purpose::sample, {here.run, here.episode, here.step + 1}), "step");
    compare(numbers(k - 1, Purpose::sample, {here.run + 1, here.episode, here.step}), "seed, run");
  }
  return finding;
}

LAW(SamplerLaws, StreamsAreIndependent, streams_are_independent, {{"Stream", number_of}},
    {{"seed ignored",
      [](std::uint64_t, Purpose p, Cell c, std::uint32_t i) { return number_of(0, p, c, i); }},
     {"purpose ignored", [](std::uint64_t s, Purpose, Cell c,
                            std::uint32_t i) { return number_of(s, Purpose::tests, c, i); }},
     {"run ignored",
      [](std::uint64_t s, Purpose p, Cell c, std::uint32_t i) {
        return number_of(s, p, {0, c.episode, c.step}, i);
      }},
     {"episode ignored",
      [](std::uint64_t s, Purpose p, Cell c, std::uint32_t i) {
        return number_of(s, p, {c.run, 0, c.step}, i);
      }},
     {"step ignored",
      [](std::uint64_t s, Purpose p, Cell c, std::uint32_t i) {
        return number_of(s, p, {c.run, c.episode, 0}, i);
      }},
     {"run added to seed", [](std::uint64_t s, Purpose p, Cell c, std::uint32_t i) {
        return number_of(s + c.run, p, {0, c.episode, c.step}, i);
      }}});

/// Draws from several streams, interleaved in the given order.
using Interleaver =
    std::function<std::vector<double>(std::span<const std::uint32_t> order, std::size_t streams)>;

Finding order_does_not_matter(const Interleaver& draw) {
  Finding finding;
  std::vector<std::uint32_t> order(60);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i % 3;
  const auto expected = draw(order, 3);
  Inputs inputs(22);
  for (int shuffle = 0; shuffle < 20; ++shuffle) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[std::size_t(inputs.whole(int(i) + 1))]);
    finding.require(support::same_bits(draw(order, 3), expected), "another order, other numbers");
  }
  return finding;
}

/// All numbers of stream 0, then of stream 1, ...
std::vector<double> draw_interleaved(std::span<const std::uint32_t> order, std::size_t streams,
                                     bool one_stream) {
  std::vector<Stream> stream;
  std::vector<std::vector<double>> drawn(streams);
  for (std::uint32_t s = 0; s < streams; ++s) stream.push_back(test_stream(s));
  for (std::uint32_t s : order) drawn[s].push_back(stream[one_stream ? 0 : s].uniform());
  std::vector<double> all;
  for (const auto& d : drawn) all.insert(all.end(), d.begin(), d.end());
  return all;
}

LAW(SamplerLaws, OrderOfDrawingDoesNotMatter, order_does_not_matter,
    {{"one stream per cell", [](std::span<const std::uint32_t> order,
                                std::size_t n) { return draw_interleaved(order, n, false); }}},
    {{"one stream for all", [](std::span<const std::uint32_t> order, std::size_t n) {
        return draw_interleaved(order, n, true);
      }}});

// ---- normal ----

using Quantile = std::function<double(double)>;

/// One Newton step in long double from x: the exact quantile, when x is near it.
long double refined_quantile(double p, double x) {
  const long double root2 = std::sqrt(2.0L), pi = std::acos(-1.0L);
  const long double density = std::exp(-(long double)(x)*x / 2) / std::sqrt(2 * pi);
  const long double centre = p - 0.5L;
  long double excess;  // cdf(x) - p, without cancellation
  if (std::abs(centre) < 0.4L)
    excess = std::erf(x / root2) / 2 - centre;
  else if (p < 0.5)
    excess = std::erfc(-x / root2) / 2 - p;
  else
    excess = (1 - (long double)(p)) - std::erfc(x / root2) / 2;
  return x - excess / density;
}

Finding quantile_is_exact(const Quantile& quantile) {
  Finding finding;
  Inputs inputs(23);
  double worst = 0;
  for (std::size_t i = 0; i < effort(200000); ++i) {
    const double tail = std::pow(10, -inputs.real(0.31, i % 2 ? 300 : 17));
    const double choices[] = {inputs.real(0, 1),
                              0.5 + std::ldexp(inputs.real(-1, 1), -inputs.whole(40)), tail,
                              1 - std::max(tail, 0x1p-53)};
    const double p = choices[i % 4];
    if (p <= 0 || p >= 1 || p == 0.5) continue;
    const double x = quantile(p);
    const long double exact = refined_quantile(p, x);
    const double error = double(std::abs((x - exact) / exact));
    worst = error <= worst ? worst : error;
    if (!(error <= 2e-15)) finding.at_most(error, 2e-15, "relative error at " + std::to_string(p));
  }
  finding.near(quantile(0.5), 0, 0, "the middle");
  finding.near(quantile(0.975), 1.959963984540054235524594, 1e-15, "the famous one");
  for (int k = 1; k < 52; ++k)
    finding.require(quantile(std::ldexp(1, -k)) == -quantile(1 - std::ldexp(1, -k)), "symmetry");
  return finding;
}

LAW(SamplerLaws, NormalQuantileIsExact, quantile_is_exact, {{"normal_quantile", normal_quantile}},
    {{"scaled by 1 + 1e-13", [](double p) { return normal_quantile(p) * (1 + 1e-13); }},
     {"far tail missing",
      [](double p) { return normal_quantile(std::clamp(p, 1e-12, 1 - 1e-12)); }},
     {"one-sided tail",
      [](double p) { return p > 0.9 ? normal_quantile(p + 1e-16) : normal_quantile(p); }}});

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

Finding normal_is_normal(const Sampler& sampler) {
  Finding finding;
  const auto x = draws(sampler, 1000000, 3);
  finding.likely(support::ks_p_value(x, normal_cdf), "Kolmogorov-Smirnov");
  for (double limit : {3.0, 4.0, 5.0}) {
    const auto beyond = std::count_if(x.begin(), x.end(), [&](double v) { return v > limit; });
    const auto below = std::count_if(x.begin(), x.end(), [&](double v) { return v < -limit; });
    const double expected = double(x.size()) * normal_cdf(-limit);
    finding.likely(support::poisson_p_value(std::size_t(beyond), expected), "right tail");
    finding.likely(support::poisson_p_value(std::size_t(below), expected), "left tail");
  }
  return finding;
}

LAW(SamplerLaws, NormalIsNormalInTheTailsToo, normal_is_normal, {{"sample_normal", sample_normal}},
    {{"variance for deviation", [](Stream& s) { return 1.02 * 1.02 * sample_normal(s); }},
     {"shifted", [](Stream& s) { return sample_normal(s) + 0.01; }},
     {"sum of twelve uniforms",
      [](Stream& s) {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += s.uniform();
        return sum;
      }},
     {"tails cut at 3.5", [](Stream& s) {
        double x;
        do x = sample_normal(s);
        while (std::abs(x) > 3.5);
        return x;
      }}});

// ---- gamma, Dirichlet ----

/// log G with G ~ Gamma(shape).
using LogGamma = std::function<double(Stream&, double shape)>;

Finding gamma_is_gamma(const LogGamma& sampler) {
  Finding finding;
  std::uint32_t run = 10;
  for (double shape : {0.01, 0.1, 0.5, 1.0, 2.0, 10.0}) {
    const auto log_g = draws([&](Stream& s) { return sampler(s, shape); }, effort(50000), run++);
    for (double v : log_g) finding.require(std::isfinite(v), "finite logarithms");
    const double p = support::ks_p_value(log_g, [shape](double v) {
      return double(support::gamma_p(shape, std::exp((long double)(v))));
    });
    finding.likely(p, "shape " + std::to_string(shape));
  }
  return finding;
}

LAW(SamplerLaws, GammaIsGamma, gamma_is_gamma, {{"sample_log_gamma", sample_log_gamma}},
    {{"no boost below 1",
      [](Stream& s, double shape) { return sample_log_gamma(s, shape < 1 ? shape + 1 : shape); }},
     {"underflow to 0",
      [](Stream& s, double shape) { return std::log(std::exp(sample_log_gamma(s, shape))); }},
     {"boost u^a for u^(1/a)",
      [](Stream& s, double shape) {
        if (shape >= 1) return sample_log_gamma(s, shape);
        const double boost = std::log(s.uniform()) * shape;
        return sample_log_gamma(s, shape + 1) + boost;
      }},
     {"wrong shape above 1", [](Stream& s, double shape) {
        return sample_log_gamma(s, shape > 1 ? shape + 1.0 / 3 : shape);
      }}});

using LogDirichlet = std::function<void(Stream&, double concentration, std::span<double> log_p)>;

void draw_dirichlet(Stream& s, double concentration, std::span<double> log_p) {
  sample_log_dirichlet(s, concentration, log_p);
}

Finding dirichlet_is_normalised(const LogDirichlet& sampler) {
  Finding finding;
  Stream stream = test_stream(20);
  for (double concentration : {0.01, 0.1, 0.5, 1.0, 2.5})
    for (std::size_t n : {1, 2, 3, 7, 8, 9, 10, 100})
      for (std::size_t i = 0; i < effort(100); ++i) {
        std::vector<double> log_p(n);
        sampler(stream, concentration, log_p);
        long double sum = 0;
        for (double lp : log_p) {
          finding.require(std::isfinite(lp) && lp <= 1e-15, "logarithms of probabilities");
          sum += std::exp((long double)(lp));
        }
        finding.near(double(sum), 1, 1e-14, "sum");
      }
  return finding;
}

LAW(SamplerLaws, DirichletSumsToOne, dirichlet_is_normalised,
    {{"sample_log_dirichlet", draw_dirichlet}},
    {{"not normalised",
      [](Stream& s, double c, std::span<double> log_p) {
        for (double& lp : log_p) lp = sample_log_gamma(s, c);
      }},
     {"probabilities for logarithms",
      [](Stream& s, double c, std::span<double> log_p) {
        draw_dirichlet(s, c, log_p);
        for (double& lp : log_p) lp = std::exp(lp);
      }},
     {"normalised outside the log domain", [](Stream& s, double c, std::span<double> log_p) {
        double sum = 0;
        for (double& lp : log_p) sum += lp = std::exp(sample_log_gamma(s, c));
        for (double& lp : log_p) lp = std::log(lp / sum);
      }}});

/// Dirichlet(1): each share is Beta(1, N - 1). Dirichlet(c) in two parts, c = 1/2: the arcsine law.
Finding dirichlet_marginals(const LogDirichlet& sampler) {
  Finding finding;
  std::uint32_t run = 30;
  const auto shares = [&](double concentration, std::size_t n) {
    std::vector<std::vector<double>> share(n);
    Stream stream = test_stream(run++);
    std::vector<double> log_p(n);
    for (std::size_t i = 0; i < effort(20000); ++i) {
      sampler(stream, concentration, log_p);
      for (std::size_t j = 0; j < n; ++j) share[j].push_back(std::exp(log_p[j]));
    }
    return share;
  };
  for (std::size_t n : {2, 3, 10})
    for (const auto& share : shares(1, n))
      finding.likely(
          support::ks_p_value(
              share, [n](double x) { return -std::expm1(double(n - 1) * std::log1p(-x)); }),
          "Beta(1, " + std::to_string(n - 1) + ")");
  for (const auto& share : shares(0.5, 2))
    finding.likely(
        support::ks_p_value(
            share,
            [](double x) { return 2 / std::acos(-1.0) * std::asin(std::sqrt(std::min(x, 1.0))); }),
        "arcsine");
  return finding;
}

LAW(SamplerLaws, DirichletMarginalsAreBeta, dirichlet_marginals,
    {{"sample_log_dirichlet", draw_dirichlet}},
    {{"normalised uniforms",
      [](Stream& s, double, std::span<double> log_p) {
        double sum = 0;
        for (double& lp : log_p) sum += lp = s.uniform();
        for (double& lp : log_p) lp = std::log(lp / sum);
      }},
     {"concentration 1 + 1/N",
      [](Stream& s, double c, std::span<double> log_p) {
        draw_dirichlet(s, c + 1.0 / double(log_p.size()), log_p);
      }},
     {"sorted", [](Stream& s, double c, std::span<double> log_p) {
        draw_dirichlet(s, c, log_p);
        std::sort(log_p.begin(), log_p.end());
      }}});

// ---- categorical ----

using LevelSampler = std::function<int(std::span<const double> cumulative, double u)>;

Finding levels_follow_probabilities(const LevelSampler& sampler) {
  Finding finding;
  Stream stream = test_stream(40);
  for (std::size_t n : {2, 10, 100}) {
    std::vector<double> log_p(n), cumulative(n), p(n);
    sample_log_dirichlet(stream, 1, log_p, cumulative);
    for (std::size_t j = 0; j < n; ++j) p[j] = std::exp(log_p[j]);
    std::vector<std::size_t> counts(n);
    for (std::size_t i = 0; i < effort(300000); ++i) {
      const int level = sampler(cumulative, stream.uniform());
      finding.require(level >= 0 && std::size_t(level) < n, "a level");
      ++counts[std::size_t(std::clamp(level, 0, int(n) - 1))];
    }
    finding.likely(support::counts_p_value(counts, p), "N = " + std::to_string(n));
  }
  return finding;
}

int off_by_one_level(std::span<const double> cumulative, double u) {
  return (sample_level(cumulative, u) + 1) % int(cumulative.size());
}

LAW(SamplerLaws, LevelsFollowTheirProbabilities, levels_follow_probabilities,
    {{"sample_level", sample_level}},
    {{"off by one", off_by_one_level},
     {"uniform whatever the table",
      [](std::span<const double> c, double u) { return int(u * double(c.size())); }},
     {"last level never", [](std::span<const double> c, double u) {
        return std::min(sample_level(c, u), int(c.size()) - 2);
      }}});

/// Steps at exactly representable places: u on a step belongs to the level above it.
Finding levels_change_at_steps(const LevelSampler& sampler) {
  Finding finding;
  for (int n = 1; n <= 33; ++n) {
    std::vector<double> cumulative;
    for (int i = 1; i <= n; ++i) cumulative.push_back(i == n ? 1.0 : i / 64.0);
    for (int i = 0; i < n; ++i) {
      const double low = i / 64.0, high = cumulative[std::size_t(i)];
      finding.near(sampler(cumulative, std::max(low, 0x1p-53)), i, 0, "at the lower step");
      finding.near(sampler(cumulative, std::nextafter(high, 0)), i, 0, "below the upper step");
    }
  }
  const std::vector<double> holes = {0, 0, 0.5, 0.5, 0.5, 1, 1};
  finding.near(sampler(holes, 0x1p-53), 2, 0, "levels of probability 0 before");
  finding.near(sampler(holes, 0.5), 5, 0, "levels of probability 0 between");
  finding.near(sampler(holes, 1 - 0x1p-53), 5, 0, "levels of probability 0 after");
  return finding;
}

LAW(SamplerLaws, LevelsChangeAtTheSteps, levels_change_at_steps,
    {{"sample_level", sample_level},
     {"upper_bound",
      [](std::span<const double> c, double u) {
        return int(std::upper_bound(c.begin(), c.end(), u) - c.begin());
      }}},
    {{"lower_bound",
      [](std::span<const double> c, double u) {
        return int(std::lower_bound(c.begin(), c.end(), u) - c.begin());
      }},
     {"off by one", off_by_one_level}});

/// Levels of many rows at once: out[i] from row configuration[i] of a table, by u[i * stride].
using ManyLevels = std::function<void(std::span<const double> cumulative, std::size_t levels,
                                      const std::int32_t* configuration, const double* u,
                                      std::size_t stride, std::span<std::int32_t> out)>;

Finding many_levels_are_single_levels(const ManyLevels& sampler) {
  Finding finding;
  Stream stream = test_stream(45);
  support::for_each_simd_target([&](const std::string& target) {
    for (std::size_t levels : {1, 2, 3, 7, 8, 10, 100})
      for (std::size_t n : {1, 2, 3, 7, 8, 9, 31}) {
        const std::size_t rows = 5, stride = 3;
        std::vector<double> cumulative(rows * levels), u(n * stride);
        std::vector<std::int32_t> configuration(n), out(n, -1), marginal(n, -1);
        for (std::size_t i = 0; i < rows; ++i) {
          std::vector<double> log_p(levels);
          const auto row = std::span(cumulative).subspan(i * levels, levels);
          sample_log_dirichlet(stream, 1, log_p, row);
        }
        for (double& v : u) v = stream.uniform();
        u[0] = cumulative[0];  // on a step
        for (auto& c : configuration) c = sample_index(stream, int(rows));
        configuration[0] = 0;
        sampler(cumulative, levels, configuration.data(), u.data(), stride, out);
        sampler(cumulative, levels, nullptr, u.data(), stride, marginal);
        for (std::size_t i = 0; i < n; ++i) {
          const auto row = [&](std::size_t c) {
            return std::span<const double>(cumulative).subspan(c * levels, levels);
          };
          finding.require(out[i] == sample_level(row(std::size_t(configuration[i])), u[i * stride]),
                          target + ": conditional");
          finding.require(marginal[i] == sample_level(row(0), u[i * stride]),
                          target + ": marginal");
        }
      }
  });
  return finding;
}

ManyLevels one_by_one(std::size_t wrong_stride, bool last_forgotten) {
  return
      [=](std::span<const double> cumulative, std::size_t levels, const std::int32_t* configuration,
          const double* u, std::size_t stride, std::span<std::int32_t> out) {
        for (std::size_t i = 0; i < out.size() - last_forgotten; ++i) {
          const std::size_t c = configuration ? std::size_t(configuration[i]) : 0;
          out[i] = sample_level(cumulative.subspan(c * levels, levels),
                                u[i * (wrong_stride ? wrong_stride : stride)]);
        }
      };
}

LAW(SamplerLaws, ManyLevelsAreSingleLevelsOnEveryInstructionSet, many_levels_are_single_levels,
    {{"sample_levels", sample_levels}, {"one by one", one_by_one(0, false)}},
    {{"stride ignored", one_by_one(1, false)}, {"last one forgotten", one_by_one(0, true)}});

using IndexSampler = std::function<int(Stream&, int)>;

Finding indices_are_uniform(const IndexSampler& sampler) {
  Finding finding;
  for (int n : {1, 2, 3, 10, 97}) {
    Stream stream = test_stream(50 + std::uint32_t(n));
    std::vector<std::size_t> counts(std::size_t(n), 0);
    for (std::size_t i = 0; i < effort(200000); ++i) {
      const int index = sampler(stream, n);
      finding.require(index >= 0 && index < n, "in range");
      ++counts[std::size_t(std::clamp(index, 0, n - 1))];
    }
    const std::vector<double> p(std::size_t(n), 1.0 / n);
    finding.likely(support::counts_p_value(counts, p), "n = " + std::to_string(n));
  }
  return finding;
}

LAW(SamplerLaws, IndicesAreUniform, indices_are_uniform, {{"sample_index", sample_index}},
    {{"rounded to nearest",
      [](Stream& s, int n) { return std::min(n - 1, int(s.uniform() * n + 0.5)); }},
     {"modulo of a byte", [](Stream& s, int n) { return int(s.uniform() * 256) % n; }}});

}  // namespace
}  // namespace whence::laws
