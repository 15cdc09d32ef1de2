#pragma once

#include <algorithm>
#include <cmath>

namespace headroom::test {

// P(a, x) as 1 - the sum of what lies above is of no use here: x not far above a, by the plain
// series.
inline double naive_gamma_share(double a, double x) {
  if (x <= 0.0) return 0.0;
  double term = 1.0 / a, sum = term;
  for (double k = a + 1.0; term > 1e-14 * sum; k += 1.0) {
    term *= x / k;
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// Where that is `share`, at most two thirds: by halving and, once near, by Newton.
inline double naive_gamma_inverse(double share, double a) {
  double low = 0.0, high = a + std::sqrt(a) + 1.0, x = 0.5 * a;
  for (int n = 0; n < 100 && high - low > 1e-7 * a; ++n) {
    const double off = naive_gamma_share(a, x) - share;
    (off > 0.0 ? high : low) = x;
    const double slope = std::exp((a - 1.0) * std::log(x) - x - std::lgamma(a));
    const double next = x - off / slope;
    if (std::abs(next - x) < 1e-8) return std::clamp(next, low, high);
    x = next > low && next < high ? next : 0.5 * (low + high);
  }
  return x;
}

}  // namespace headroom::test
