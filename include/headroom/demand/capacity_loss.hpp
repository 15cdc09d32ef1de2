#pragma once

#include <algorithm>
#include <cmath>

#include "headroom/base/lanes.hpp"

namespace headroom {

// The surrogates of 1[usage >= capacity], on the excess usage - capacity in people.
enum class CapacityLoss { kLogistic, kExponential, kHinge };

// Beyond this excess (over the temperature) the exponential goes on as a straight line: e^30 people
// is no figure that anyone can act on, and its square still fits into a float.
inline constexpr float kExponentialLimit = 30.0F;

// The loss at excess / temperature; temperature 1 is the paper's.
inline float loss(CapacityLoss kind, float excess, float temperature = 1.0F) {
  const float z = excess / temperature;
  switch (kind) {
    case CapacityLoss::kLogistic:
      return softplus(z);
    case CapacityLoss::kExponential: {
      const float bounded = std::min(z, kExponentialLimit);
      return std::exp(bounded) * (1.0F + (z - bounded));
    }
    case CapacityLoss::kHinge:
      return std::max(z, 0.0F);
  }
  return 0.0F;
}

// Its derivative by the excess: the pressure on the item.
inline float slope(CapacityLoss kind, float excess, float temperature = 1.0F) {
  const float z = excess / temperature;
  switch (kind) {
    case CapacityLoss::kLogistic:
      return sigmoid(z) / temperature;
    case CapacityLoss::kExponential:
      return std::exp(std::min(z, kExponentialLimit)) / temperature;
    case CapacityLoss::kHinge:
      return (z > 0.0F ? 1.0F : 0.0F) / temperature;
  }
  return 0.0F;
}

}  // namespace headroom
