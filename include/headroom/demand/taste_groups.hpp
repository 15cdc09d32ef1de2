#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "headroom/base/kernels.hpp"
#include "headroom/base/lanes.hpp"
#include "headroom/base/workers.hpp"
#include "headroom/demand/crowd.hpp"

namespace headroom {

// Users of like taste in one of 16 groups, by k-means: a quadratic of z that misses a crowd's tails
// fits each of its groups, and the estimator's variance is a quarter of that with one group.
class TasteGroups {
 public:
  static constexpr std::size_t kGroups = kTasteGroups;

  // Two users are as far apart as their scores: `metric` is the mean of v v' over items, a square.
  TasteGroups(const Crowd& crowd, std::span<const float> metric, std::size_t rank,
              const UserVector& vector);

  std::size_t of(const float* z) const {
    return kernels().nearest_group(z, rank_, toward_.data(), far_.data());
  }

 private:
  void place(std::span<const float> metric, std::span<const double> middles);

  std::size_t rank_;
  // The nearest middle c is that with the greatest z . Mc - c'Mc / 2: all Mc, coordinate by
  // coordinate, and all c'Mc / 2.
  AlignedFloats toward_;
  std::array<float, kGroups> far_{};
};

// Sums over a crowd for each group: of weight, of weight * z, and of weight * z z' as a square of
// which the lower triangle is filled.
struct GroupSums {
  double weight = 0.0;
  std::vector<double> first, second;
};
using CrowdSums = std::array<GroupSums, TasteGroups::kGroups>;
CrowdSums sum_groups(const Crowd& crowd, const TasteGroups& groups, std::size_t rank,
                     const UserVector& vector, Workers& workers);

}  // namespace headroom
