// Dual numbers: value and derivative along one direction, carried through any templated code.
#pragma once

#include <cmath>

namespace whence {

template <class T = double>
struct Dual {
  T value{};
  T slope{};

  constexpr Dual() = default;
  constexpr Dual(T v) : value(v) {}  // NOLINT(google-explicit-constructor): constants are duals
  constexpr Dual(T v, T s) : value(v), slope(s) {}

  constexpr Dual& operator+=(const Dual& o) { return *this = *this + o; }
  constexpr Dual& operator-=(const Dual& o) { return *this = *this - o; }
  constexpr Dual& operator*=(const Dual& o) { return *this = *this * o; }
  constexpr Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend Dual exp(const Dual& a) {
    using std::exp;
    const T e = exp(a.value);
    return {e, e * a.slope};
  }
  friend Dual log(const Dual& a) {
    using std::log;
    return {log(a.value), a.slope / a.value};
  }
  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const T root = sqrt(a.value);
    // The root of 0 with no slope (an untouched second moment) stays flat.
    return {root, a.slope == T(0) ? T(0) : a.slope / (2 * root)};
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const T t = tanh(a.value);
    return {t, (1 - t * t) * a.slope};
  }
  friend Dual sin(const Dual& a) {
    using std::cos;
    using std::sin;
    return {sin(a.value), cos(a.value) * a.slope};
  }
  friend Dual cos(const Dual& a) {
    using std::cos;
    using std::sin;
    return {cos(a.value), -sin(a.value) * a.slope};
  }
  friend bool isfinite(const Dual& a) {
    using std::isfinite;
    return isfinite(a.value) && isfinite(a.slope);
  }
};

}  // namespace whence
