#include "whence/judge/reliability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace whence {

void Reliability::add(double stated, bool came_true) {
  const double last = double(bins_.size()) - 1;
  Sums& bin = bins_[std::size_t(std::clamp(std::floor(stated * (last + 1)), 0.0, last))];
  bin.cases += 1;
  bin.came_true += came_true;
  bin.stated += stated;
  bin.squares += (stated - came_true) * (stated - came_true);
}

std::vector<Reliability::Bin> Reliability::bins() const {
  std::vector<Bin> list;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const Sums& sums = bins_[i];
    const double width = 1.0 / double(bins_.size()), n = std::max(1.0, double(sums.cases));
    list.push_back({double(i) * width, double(i + 1) * width, sums.cases, sums.stated / n,
                    double(sums.came_true) / n});
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
