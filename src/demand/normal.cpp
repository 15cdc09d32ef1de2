#include "headroom/demand/normal.hpp"

#include <algorithm>
#include <cmath>

namespace headroom {

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI); }

double normal_share(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// By Newton's method.
double normal_inverse(double share) {
  double z = 0.0;
  for (int n = 0; n < 60; ++n) {
    const double step = std::clamp((normal_share(z) - share) / normal_density(z), -1.0, 1.0);
    z -= step;
    if (std::abs(step) < 1e-14) break;
  }
  return z;
}

}  // namespace headroom
