#include "headroom/demand/usage_kernels.hpp"

#include <algorithm>

#include "headroom/base/lanes.hpp"

namespace headroom {
namespace {

static_assert(kTasteGroups % kLanes == 0 && kControlledItems % kLanes == 0);

// The mean over a normal distribution of sigmoid, of its slope and of half its curvature: by
// Stein's lemma the quadratic that fits it best. The rule of Gauss and Hermite with five points:
// three give the estimator up to 5 % more error, seven no less.
struct Fit {
  Lanes value = {}, slope = {}, bend = {};

  void add(float weight, Lanes score) {
    const Lanes chance = sigmoid(score);
    const Lanes rise = weight * chance * (1.0F - chance);
    value += weight * chance;
    slope += rise;
    bend += rise * (0.5F - chance);
  }
};

Fit fit(Lanes mean, Lanes deviation) {
  constexpr float kNear = 1.3556261799742659F, kFar = 2.8569700138728056F;
  constexpr float kMiddleWeight = 0.5333333333F, kNearWeight = 0.2220759220F,
                  kFarWeight = 0.0112574113F;
  Fit fit;
  fit.add(kMiddleWeight, mean);
  fit.add(kNearWeight, mean - kNear * deviation);
  fit.add(kNearWeight, mean + kNear * deviation);
  fit.add(kFarWeight, mean - kFar * deviation);
  fit.add(kFarWeight, mean + kFar * deviation);
  return fit;
}

}  // namespace

std::size_t nearest_group(const float* z, std::size_t rank, const float* toward, const float* far) {
  constexpr std::size_t kRegisters = kTasteGroups / kLanes;
  Lanes near[kRegisters];
  for (std::size_t n = 0; n < kRegisters; ++n) near[n] = -load(far + n * kLanes);
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t n = 0; n < kRegisters; ++n) {
      near[n] += z[k] * load(toward + k * kTasteGroups + n * kLanes);
    }
  }
  // No branch depends on z: which group is nearest is what no processor can foresee.
  float all[kTasteGroups], most[kTasteGroups];
  for (std::size_t n = 0; n < kRegisters; ++n) store(all + n * kLanes, near[n]);
  std::copy_n(all, kTasteGroups, most);
  for (std::size_t half = kTasteGroups / 2; half > 0; half /= 2) {
    for (std::size_t g = 0; g < half; ++g) most[g] = std::max(most[g], most[g + half]);
  }
  std::size_t nearest = 0;
  for (std::size_t g = kTasteGroups; g-- > 0;) nearest = all[g] == most[0] ? g : nearest;
  return nearest;
}

void add_control(const GroupControl& group, const float* vectors, const float* biases, float* out) {
  for (std::size_t n = 0; n < kControlledItems; n += kLanes) {
    Lanes mean = load(biases + n), lean = {}, variance = {}, excess = {};
    for (std::size_t k = 0; k < group.rank; ++k) {
      const Lanes v = load(vectors + k * kControlledItems + n);
      Lanes in_covariance = {}, in_excess = {};
      for (std::size_t l = 0; l < k; ++l) {
        const Lanes other = load(vectors + l * kControlledItems + n);
        in_covariance += group.covariance[k * group.rank + l] * other;
        in_excess += group.excess[k * group.rank + l] * other;
      }
      mean += group.mean[k] * v;
      lean += group.lean[k] * v;
      variance += v * (2.0F * in_covariance + group.covariance[k * group.rank + k] * v);
      excess += v * (2.0F * in_excess + group.excess[k * group.rank + k] * v);
    }
    variance = variance > 0.0F ? variance : Lanes{};  // rounding
    const Fit curve = fit(mean, sqrt(variance));
    const Lanes control = group.missing * curve.value - lean * curve.slope - excess * curve.bend;
    store(out + n, load(out + n) + control);
  }
}

}  // namespace headroom
