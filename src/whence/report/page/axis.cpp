#include "whence/report/page/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "whence/io/json/markup.hpp"

namespace whence {
namespace {

constexpr double largest = 1e300;  // beyond it differences could overflow
constexpr double finest = 1e-290;  // below it steps between ticks could underflow

int floor_log10(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// 1, 2 or 5 times a power of ten, so that `span` takes about `wanted` steps.
double nice_step(double span, int wanted) {
  const double raw = span / wanted;
  const double power = std::pow(10.0, floor_log10(raw));
  const double mantissa = raw / power;
  return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

double step_of(const Axis& axis, int wanted) {
  const double step = nice_step(axis.high - axis.low, wanted);
  return axis.whole ? std::max(step, 1.0) : step;
}

/// Digits in groups of three from 10 000 on, with thin spaces.
std::string grouped(const std::string& plain) {
  const std::size_t whole = std::min(plain.find('.'), plain.size());
  if (whole < 5) return plain;
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) out += "\u2009";
    out += plain[i];
  }
  return out;
}

/// Every label of an axis shows the same decimals, those that its step needs, and the same power.
std::string tick_label(double value, double step, double greatest) {
  if (std::fabs(value) < step / 2) return "0";
  const std::string sign = value < 0 ? "−" : "";
  const double size = std::fabs(value);
  const int step_power = floor_log10(step);
  if (greatest <= 1e7 && step_power >= -5)
    return sign + grouped(fmt::format("{:.{}f}", size, std::max(0, -step_power)));
  const int power = floor_log10(greatest);
  const int decimals = std::clamp(power - step_power, 0, 15);
  return sign + fmt::format("{:.{}f}", size / std::pow(10.0, power), decimals) + " × " +
         power_of_ten(power);
}

std::vector<Tick> linear_ticks(const Axis& axis, int wanted) {
  const double low = axis.low, high = axis.high;
  const double step = step_of(axis, wanted);
  const double slack = (high - low) * 1e-6;
  const double greatest = std::max(std::fabs(low), std::fabs(high));
  std::vector<Tick> out;
  const double first = std::ceil((low - slack) / step);
  for (int i = 0; i <= 2 * wanted + 2; ++i) {
    const double value = (first + i) * step;
    if (value > high + slack) break;
    out.push_back({value, tick_label(value, step, greatest)});
  }
  return out;
}

std::string log_label(int mantissa, int power) {
  if (power >= -4 && power <= 5)
    return grouped(fmt::format("{:.{}f}", mantissa * std::pow(10.0, power), std::max(0, -power)));
  return mantissa == 1 ? power_of_ten(power)
                       : fmt::format("{} × {}", mantissa, power_of_ten(power));
}

/// The given mantissas in every `stride`-th decade; `labelled` says which of them get a label.
template <class Labelled>
std::vector<Tick> decade_ticks(const Axis& axis, int stride, bool between, Labelled labelled) {
  std::vector<Tick> out;
  const int top = floor_log10(axis.high);
  for (int power = floor_log10(axis.low); power <= top; ++power) {
    if (power % stride != 0) continue;
    for (int mantissa = 1; mantissa <= (between ? 9 : 1); ++mantissa) {
      const double value = mantissa * std::pow(10.0, power);
      if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
      out.push_back({value, labelled(mantissa) ? log_label(mantissa, power) : ""});
    }
  }
  return out;
}

std::vector<Tick> log_ticks(const Axis& axis, int wanted) {
  const auto labels = [](const std::vector<Tick>& list) {
    return std::count_if(list.begin(), list.end(), [](const Tick& t) { return !t.label.empty(); });
  };
  // Long axes: powers of ten, thinned out when there are too many of them.
  const int decades = floor_log10(axis.high) + floor_log10(1 / axis.low) + 1;
  const int stride = std::max(1, (decades + wanted + 1) / (wanted + 2));
  auto list = decade_ticks(axis, stride, decades <= 7, [](int m) { return m == 1; });
  if (labels(list) >= 3) return list;
  // Shorter ones: 1, 2, 5; then every digit; then round values as on a linear axis.
  list = decade_ticks(axis, 1, true, [](int m) { return m == 1 || m == 2 || m == 5; });
  if (labels(list) >= 3) return list;
  list = decade_ticks(axis, 1, true, [](int) { return true; });
  if (labels(list) >= 3) return list;
  return linear_ticks(axis, wanted);
}

}  // namespace

double Axis::pixel(double value) const {
  if (!std::isfinite(value) || (logarithmic && value <= 0))
    return std::numeric_limits<double>::quiet_NaN();
  const double share =
      logarithmic ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                  : (value - low) / (high - low);
  return start + share * (end - start);
}

bool can_be_drawn(double low, double high, bool logarithmic) {
  if (!(low < high) || low < -largest || high > largest) return false;
  if (logarithmic) return low >= 1 / largest;
  return high - low > std::max(finest, 1e-9 * std::max(std::fabs(low), std::fabs(high)));
}

void Extent::include(double value) {
  if (!std::isfinite(value)) return;
  value = std::clamp(value, -largest, largest);
  const bool first = empty();
  low = first ? value : std::min(low, value);
  high = first ? value : std::max(high, value);
}

Axis fit_axis(Extent data, bool logarithmic, double margin) {
  if (logarithmic) {
    if (data.empty()) return {1, 10, true};
    if (data.high < data.low * 1.0001) return {data.low / 2, data.high * 2, true};
    const double factor = std::pow(10.0, (std::log10(data.high) - std::log10(data.low)) * margin);
    return {data.low / factor, std::min(data.high * factor, 1e307), true};
  }
  if (data.empty()) return {0, 1, false};
  const double greatest = std::max(std::fabs(data.low), std::fabs(data.high));
  if (!can_be_drawn(data.low, data.high, false)) {  // constant: the value in the middle
    const double around = greatest <= finest ? 1 : greatest * 0.1;
    return {data.low - around, data.high + around, false};
  }
  const double extra = (data.high - data.low) * margin;
  const double low = data.low >= 0 && data.low < extra ? 0 : data.low - extra;
  const double high = data.high <= 0 && -data.high < extra ? 0 : data.high + extra;
  return {low, high, false};
}

Axis round_off(Axis axis, int wanted) {
  if (axis.logarithmic) return axis;
  const double span = axis.high - axis.low, step = step_of(axis, std::max(2, wanted));
  const double next = std::ceil(axis.high / step) * step;
  const double before = std::floor(axis.low / step) * step;
  if (next - axis.high < 0.02 * span) axis.high = next;
  if (axis.low - before < 0.02 * span) axis.low = before;
  return axis;
}

std::vector<Tick> ticks(const Axis& axis, int wanted) {
  wanted = std::max(2, wanted);
  return axis.logarithmic ? log_ticks(axis, wanted) : linear_ticks(axis, wanted);
}

}  // namespace whence
