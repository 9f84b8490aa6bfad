#include "bench/quality/direction/direction_honesty.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "whence/backends/threads.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

using Row = std::pair<double, double>;

/// Two columns; levels 0: real. Four environments, the first a baseline.
struct HonestyCase {
  std::string name;
  std::size_t rows;  // of each environment
  int levels_x, levels_y;
  int from;  // the cause: 0, 1, or -1: none
  std::function<Row(Stream&, std::size_t environment, std::uint32_t run)> row;
};

/// Every second data set has heavy tails, every second pair of them its shifts in Y.
double noise(Stream& stream, std::uint32_t run) {
  const double z = sample_normal(stream);
  return run % 2 ? z * std::abs(z) : z;
}

Row beside_hidden(Stream& stream, std::size_t e, std::uint32_t run, bool wider) {
  const double h = noise(stream, run);
  double a = noise(stream, run);
  const double b = noise(stream, run);
  if (wider) a *= 1 + 0.5 * double(e);
  const double shifted = h + a + (e == 0 ? 0 : 1.2 * double(e) - 2), still = h + b;
  return run % 4 > 1 ? Row{still, shifted} : Row{shifted, still};
}

std::vector<HonestyCase> honesty_cases() {
  return {
      {"hidden cause, own mean shifts", 300, 0, 0, -1,
       [](Stream& s, std::size_t e, std::uint32_t run) { return beside_hidden(s, e, run, false); }},
      {"hidden cause, own mean and spread shift", 300, 0, 0, -1,
       [](Stream& s, std::size_t e, std::uint32_t run) { return beside_hidden(s, e, run, true); }},
      {"X causes Y, X shifts", 300, 0, 0, 0,
       [](Stream& s, std::size_t e, std::uint32_t run) {
         const double x = noise(s, run) + (e == 0 ? 0 : 1.2 * double(e) - 2);
         return Row{x, x + noise(s, run)};
       }},
      {"X causes Y, slope shifts", 300, 0, 0, 0,
       [](Stream& s, std::size_t e, std::uint32_t run) {
         const double x = noise(s, run);
         return Row{x, (1 + 0.7 * double(e)) * x + noise(s, run)};
       }},
      {"seven levels, correlation .19", 400, 0, 7, -1,
       [](Stream& s, std::size_t e, std::uint32_t) {
         const double x = sample_normal(s);
         const double y = 0.2 * x + sample_normal(s);
         return Row{x + 0.5 * double(e), std::clamp(std::floor(y * 1.5 + 3.5), 0.0, 6.0)};
       }},
      {"18 x 2 table, 60 and 40 %", 400, 18, 2, 0,
       [](Stream& s, std::size_t e, std::uint32_t) {
         int x = sample_index(s, 18);
         if (e > 0 && s.uniform() < 0.2) x = int(e);
         return Row{double(x), double(s.uniform() < (x % 2 ? 0.6 : 0.4))};
       }},
      {"parabola", 400, 0, 0, -1,
       [](Stream& s, std::size_t e, std::uint32_t) {
         const double x = sample_normal(s);
         return Row{x * (1 + 0.1 * double(e)), 0.2 * x * x + sample_normal(s)};
       }},
      {"no link", 400, 0, 0, -1,
       [](Stream& s, std::size_t e, std::uint32_t run) {
         return Row{noise(s, run) + 0.5 * double(e), noise(s, run)};
       }},
      {"no link, 12 rows", 12, 0, 0, -1,
       [](Stream& s, std::size_t e, std::uint32_t run) {
         return Row{noise(s, run) + 0.5 * double(e), noise(s, run)};
       }},
  };
}

Dataset drawn(const HonestyCase& what, std::uint64_t seed, std::uint32_t kind, std::uint32_t run) {
  Dataset data;
  const auto variable = [](const char* name, int levels) {
    return levels > 0 ? Variable{name, Variable::Kind::categorical, levels}
                      : Variable{name, Variable::Kind::real};
  };
  data.variables = {variable("X", what.levels_x), variable("Y", what.levels_y)};
  data.columns.resize(2);
  const auto put = [&](std::size_t v, double value) {
    if (data.variables[v].kind == Variable::Kind::categorical)
      data.columns[v].levels.push_back(std::int32_t(value));
    else
      data.columns[v].values.push_back(value);
  };
  Stream stream(seed, Purpose::sample, {kind, run});
  for (std::size_t e = 0; e < 4; ++e) {
    data.environments.push_back({"e" + std::to_string(e), e * what.rows, (e + 1) * what.rows});
    for (std::size_t r = 0; r < what.rows; ++r) {
      const auto [x, y] = what.row(stream, e, run);
      put(0, x);
      put(1, y);
    }
  }
  return data;
}

}  // namespace

std::vector<HonestyRow> direction_honesty(std::size_t cases, bool hidden,
                                          const RunOptions& options) {
  const auto kinds = honesty_cases();
  std::vector<DirectionResult> found(kinds.size() * cases);
  DirectionOptions how;
  how.baseline = 0;
  how.sensitivity = false;
  if (!hidden) how.prior.hidden = 0;
  parallel_for(found.size(), options.threads, [&](std::size_t i) {
    const auto kind = std::uint32_t(i / cases), run = std::uint32_t(i % cases);
    found[i] = find_direction(drawn(kinds[kind], options.seed, kind, run), how, {.threads = 1});
  });
  std::vector<HonestyRow> rows;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    HonestyRow& row = rows.emplace_back(HonestyRow{kinds[k].name, cases});
    for (std::size_t i = k * cases; i < (k + 1) * cases; ++i) {
      const Verdict& verdict = found[i].verdict;
      const bool direction = verdict.kind == Verdict::Kind::direction;
      row.directions += direction;
      row.wrong += direction && verdict.from != kinds[k].from;
      row.not_linked += verdict.kind == Verdict::Kind::no_link;
      row.confounded += verdict.confounded;
    }
  }
  return rows;
}

Table honesty_table(const std::vector<HonestyRow>& with, const std::vector<HonestyRow>& without) {
  Table table{"honesty",
              "What must not be said: beside a hidden cause, and of weak links",
              {"data", "cases", "directions", "wrong", "not linked", "hidden named",
               "nothing hidden: directions", "wrong", "not linked"},
              {}};
  for (std::size_t i = 0; i < with.size(); ++i) {
    const HonestyRow &a = with[i], &b = without[i];
    std::vector<std::string>& row = table.rows.emplace_back(std::vector<std::string>{a.data});
    for (const std::size_t count : {a.cases, a.directions, a.wrong, a.not_linked, a.confounded,
                                    b.directions, b.wrong, b.not_linked})
      row.push_back(std::to_string(count));
  }
  return table;
}

}  // namespace whence
