#include "whence/discover/pair/no_shift_control.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence {

double NoShiftControl::left_of(double log_odds) const {
  // Only ever less: a bias against the finding is no evidence for it.
  const double off = bias * log_odds <= 0 ? 0 : std::abs(bias);
  return std::copysign(std::clamp(std::abs(log_odds) - off, 0.0, most), log_odds);
}

std::array<double, structures> NoShiftControl::left_of(const std::array<double, structures>& belief,
                                                       const ChangePrior& prior) const {
  const double linked = belief[0] + belief[1];
  if (deals == 0 || linked == 0) return belief;
  const double before = std::log(prior.structure[0]) - std::log(prior.structure[1]);
  const double gamma = before + left_of(std::log(belief[0]) - std::log(belief[1]) - before);
  return {linked * sigmoid(gamma), linked * sigmoid(-gamma), belief[2]};
}

bool few_rows(std::span<const FamilyCounts> tables) {
  constexpr double enough = 50;  // rows per cell: then data speak, not guesses about tables
  double rows = 0;
  for (const FamilyCounts& table : tables)
    for (double c : table.cells) rows += c;
  return rows < enough * double(tables[0].cells.size());
}

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/// What distinguishes the levels of a variable but their names: the cells they fill, and
/// the levels of the other variable that they meet there.
using Looks = std::vector<std::uint64_t>;

/// One look at every level from the level's cells; `of(i)` names the level of cell i.
template <class Of, class Met>
Looks look(const Looks& cells, std::size_t levels, const Of& of, const Met& met) {
  std::vector<Looks> seen(levels);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] != 0) seen[of(i)].push_back(mixed(cells[i], met(i)));
  Looks looks(levels, 0);
  for (std::size_t l = 0; l < levels; ++l) {
    std::sort(seen[l].begin(), seen[l].end());
    for (std::uint64_t s : seen[l]) looks[l] = mixed(looks[l], s);
  }
  return looks;
}

/// Cells in an order that depends neither on the order of the rows nor on the names of the levels.
std::vector<std::size_t> order_of_cells(std::span<const FamilyCounts> tables) {
  const std::size_t wide = tables[0].levels, cells = tables[0].cells.size();
  Looks filled(cells, 0);
  for (const FamilyCounts& table : tables)
    for (std::size_t i = 0; i < cells; ++i)
      filled[i] = mixed(filled[i], std::uint64_t(table.cells[i]));
  const auto x = [&](std::size_t i) { return i / wide; };
  const auto y = [&](std::size_t i) { return i % wide; };
  Looks of_x(tables[0].rows, 0), of_y(wide, 0);
  for (int glance = 0; glance < 4; ++glance) {
    Looks next_x = look(filled, of_x.size(), x, [&](std::size_t i) { return of_y[y(i)]; });
    of_y = look(filled, of_y.size(), y, [&](std::size_t i) { return of_x[x(i)]; });
    of_x = std::move(next_x);
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cells; ++i)
    if (filled[i] != 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    // Nor on which variable comes first: their looks enter as a sum.
    return std::tuple(of_x[x(a)] + of_y[y(a)], filled[a]) <
           std::tuple(of_x[x(b)] + of_y[y(b)], filled[b]);
  });
  return order;
}

/// All rows by the cell they are in.
std::vector<std::size_t> rows_of(std::span<const FamilyCounts> tables) {
  std::vector<std::size_t> rows;
  for (std::size_t i : order_of_cells(tables))
    for (const FamilyCounts& table : tables)
      rows.insert(rows.end(), std::size_t(table.cells[i]), i);
  return rows;
}

std::vector<FamilyCounts> next_deal(std::span<const FamilyCounts> tables,
                                    std::vector<std::size_t>& rows, Stream& stream) {
  for (std::size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1], rows[std::size_t(sample_index(stream, int(i)))]);
  std::vector<FamilyCounts> dealt;
  std::size_t next = 0;
  for (const FamilyCounts& table : tables) {
    FamilyCounts& own = dealt.emplace_back(table.rows, table.levels);
    double size = 0;
    for (double c : table.cells) size += c;
    for (const std::size_t end = next + std::size_t(size); next < end; ++next)
      own.cells[rows[next]] += 1;
  }
  return dealt;
}

/// The middle of the deals, how far they stray from it, and the furthest.
struct Spread {
  double mean = 0, stray = 0, furthest = 0;

  explicit Spread(std::span<const double> deals) {
    for (double d : deals) mean += d / double(deals.size());
    for (double d : deals) {
      stray += std::abs(d - mean) / double(deals.size());
      furthest = std::max(furthest, std::abs(d - mean));
    }
  }
};

}  // namespace

double most_evidence(double chance) {
  if (chance <= 0) return INFINITY;
  if (chance >= std::exp(-1.0)) return 0;
  return -(1 + std::log(chance) + std::log(-std::log(chance)));
}

NoShiftControl deal_out(std::span<const FamilyCounts> tables, double found,
                        const LogOdds& log_odds) {
  constexpr std::size_t fewest = 19, most = 399;
  constexpr std::size_t several = 8;  // deals that say as much: then their share is known well
  constexpr double margin = 3;  // times as far as an exponential tail would go: none comes near
  std::vector<std::size_t> rows = rows_of(tables);
  Stream stream(0, Purpose::shift, {0, 0, 5});
  std::vector<double> deals;
  NoShiftControl control;
  while (deals.size() < most) {
    deals.push_back(log_odds(next_deal(tables, rows, stream)));
    if (deals.size() < fewest) continue;
    const Spread spread(deals);
    control.bias = spread.mean;
    const double apart = std::abs(found - spread.mean);
    // A right model strays by about a nat: odds of e^l come by chance at most once in e^l times.
    const double stray = std::max(1.0, spread.stray);
    const auto as_much = std::size_t(std::count_if(deals.begin(), deals.end(), [&](double deal) {
      return std::abs(deal - spread.mean) >= apart;
    }));
    const double beyond = std::max(0.0, apart - spread.furthest) / stray;
    control.most =
        most_evidence(double(as_much + 1) / double(deals.size() + 1) * std::exp(-beyond));
    const double reach = std::log(double(most) / double(deals.size()));
    if (as_much >= several || beyond > margin * reach) break;
  }
  control.deals = deals.size();
  return control;
}

}  // namespace whence
