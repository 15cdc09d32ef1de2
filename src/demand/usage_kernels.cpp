#include "headroom/demand/usage_kernels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "headroom/base/lanes.hpp"

namespace headroom {
namespace {

static_assert(kClosedItems % kLanes == 0);

// The rule of Gauss and Hermite with seven points, six of them in pairs. By the error of the
// estimator: five points do worse once scores of an item spread by more than 2, nine no better; the
// usual sigmoid(mean / sqrt(1 + pi variance / 8)) errs by a sixth more, for shifted users by twice.
constexpr float kMiddle = 0.45714285714285713F;
constexpr std::array<std::pair<float, float>, 3> kOuter = {
    {{1.1544053947399682F, 0.2401231786050127F},
     {2.3667594107345416F, 0.03075712396758652F},
     {3.7504397177257425F, 0.000548268855972217F}}};

Lanes mean_chance(Lanes mean, Lanes deviation) {
  Lanes total = kMiddle * sigmoid(mean);
  for (const auto& [point, weight] : kOuter) {
    const Lanes away = point * deviation;
    total += weight * (sigmoid(mean + away) + sigmoid(mean - away));
  }
  return total;
}

}  // namespace

void add_chances(const float* scores, std::size_t count, float weight, float* sums) {
  const std::size_t rest = count % kLanes, whole = count - rest;
  for (std::size_t n = 0; n < whole; n += kLanes) {
    store(sums + n, load(sums + n) + weight * sigmoid(load(scores + n)));
  }
  if (rest == 0) return;
  float last[kLanes] = {};
  std::copy_n(scores + whole, rest, last);
  const Lanes chances = sigmoid(load(last));
  for (std::size_t n = 0; n < rest; ++n) sums[whole + n] += weight * chances[n];
}

void add_closure(const NormalCrowd& crowd, const float* vectors, const float* biases, float sign,
                 float* out) {
  for (std::size_t n = 0; n < kClosedItems; n += kLanes) {
    const auto coordinate = [&](std::size_t k) { return load(vectors + k * kClosedItems + n); };
    Lanes mean = load(biases + n), variance = {};
    for (std::size_t k = 0; k < crowd.rank; ++k) {
      mean += crowd.mean[k] * coordinate(k);
      Lanes along = {};  // the k-th of L' v, whose square is v' C v
      for (std::size_t l = k; l < crowd.rank; ++l) {
        along += crowd.factor[l * crowd.rank + k] * coordinate(l);
      }
      variance += along * along;
    }
    store(out + n, load(out + n) + sign * mean_chance(mean, sqrt(variance)));
  }
}

}  // namespace headroom
