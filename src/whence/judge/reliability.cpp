#include "whence/judge/reliability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace whence {

void Reliability::add(double stated, bool came_true) {
  const auto above = std::upper_bound(limits_.begin() + 1, limits_.end() - 1, stated);
  Sums& bin = bins_[std::size_t(above - limits_.begin()) - 1];
  bin.cases += 1;
  bin.came_true += came_true;
  bin.stated += stated;
  bin.squares += (stated - came_true) * (stated - came_true);
}

void Reliability::add(const Reliability& others) {
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const Sums& more = others.bins_[b];
    bins_[b].cases += more.cases;
    bins_[b].came_true += more.came_true;
    bins_[b].stated += more.stated;
    bins_[b].squares += more.squares;
  }
}

std::array<Reliability::Bin, 10> Reliability::bins() const {
  std::array<Bin, 10> list;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Sums& sums = bins_[i];
    const double n = std::max(1.0, double(sums.cases));
    list[i] = {limits_[i], limits_[i + 1], sums.cases, sums.stated / n, double(sums.came_true) / n};
  }
  return list;
}

std::size_t Reliability::cases() const {
  std::size_t n = 0;
  for (const Sums& bin : bins_) n += bin.cases;
  return n;
}

double Reliability::brier() const {
  double sum = 0;
  for (const Sums& bin : bins_) sum += bin.squares;
  return cases() ? sum / double(cases()) : 0;
}

double Reliability::expected_error() const {
  double sum = 0;
  for (const Bin& bin : bins()) sum += double(bin.cases) * std::abs(bin.stated - bin.observed);
  return cases() ? sum / double(cases()) : 0;
}

double Reliability::worst(std::size_t cases, bool two_sided) const {
  double worst = 0;
  for (const Bin& bin : bins()) {
    const double gap = bin.stated - bin.observed;
    if (bin.cases >= cases) worst = std::max(worst, two_sided ? std::abs(gap) : gap);
  }
  return worst;
}

Table Reliability::table(std::string id, std::string title) const {
  Table table{std::move(id),
              std::move(title),
              {"belief from", "to", "cases", "stated", "came true", "stated - true"},
              {}};
  for (const Bin& bin : bins())
    if (bin.cases > 0)
      table.rows.push_back({fmt::format("{:.2f}", bin.low), fmt::format("{:.2f}", bin.high),
                            std::to_string(bin.cases), fmt::format("{:.4f}", bin.stated),
                            fmt::format("{:.4f}", bin.observed),
                            fmt::format("{:+.4f}", bin.stated - bin.observed)});
  return table;
}

}  // namespace whence
