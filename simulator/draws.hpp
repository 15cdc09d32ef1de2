#pragma once

#include <cmath>

#include "headroom/base/random.hpp"

namespace headroom::sim {

// Marsaglia and Tsang (2000).
inline double draw_gamma(double shape, Draws& draws) {
  if (shape < 1.0) {
    const double more = draw_gamma(shape + 1.0, draws);
    return more * std::pow(1.0 - draws.uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = draws.normal(), v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    if (std::log(1.0 - draws.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

inline double draw_beta(double a, double b, Draws& draws) {
  const double x = draw_gamma(a, draws), y = draw_gamma(b, draws);
  return x / (x + y);
}

// In minutes or whatever the mean is in.
inline double draw_exponential(double mean, Draws& draws) {
  return -mean * std::log(1.0 - draws.uniform());
}

}  // namespace headroom::sim
