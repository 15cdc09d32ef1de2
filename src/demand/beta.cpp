#include "headroom/demand/beta.hpp"

#include <algorithm>
#include <cmath>

namespace headroom {

namespace {

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method; it
// converges fast where x is below the mean.
double fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kClose = 1e-14;
  constexpr int kMost = 2000;  // about the root of a + b is needed
  const auto safe = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1.0;
  double d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
  double h = d;
  for (int m = 1; m < kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / safe(1.0 + even * d);
    c = safe(1.0 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / safe(1.0 + odd * d);
    c = safe(1.0 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1.0) < kClose) break;
  }
  return h;
}

// With log B(a, b), which is the same for all x.
double cdf(double a, double b, double x, double log_b) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) - log_b);
  return x < (a + 1.0) / (a + b + 2.0) ? front * fraction(a, b, x) / a
                                       : 1.0 - front * fraction(b, a, 1.0 - x) / b;
}

}  // namespace

double beta_cdf(double a, double b, double x) { return cdf(a, b, x, log_beta(a, b)); }

// Newton's steps inside a bracket that shrinks at each of them; where a step leaves the bracket
// (the density runs to 0 or to infinity at the ends), it is halved instead.
double beta_quantile(double a, double b, double chance) {
  constexpr double kClose = 1e-10;
  constexpr int kMost = 100;
  const double log_b = log_beta(a, b);
  double low = 0.0, high = 1.0, x = a / (a + b);
  for (int step = 0; step < kMost && high - low > kClose; ++step) {
    const double excess = cdf(a, b, x, log_b) - chance;
    (excess > 0.0 ? high : low) = x;
    const double density = std::exp((a - 1) * std::log(x) + (b - 1) * std::log1p(-x) - log_b);
    const double next = x - excess / density;
    const bool inside = next > low && next < high;  // false for NaN
    if (inside && std::abs(next - x) < kClose) return next;
    x = inside ? next : (low + high) / 2;
  }
  return std::clamp(x, 0.0, 1.0);
}

}  // namespace headroom
