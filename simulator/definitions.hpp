#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/ratings.hpp"

namespace headroom::sim {

// The paper's ways of setting what no public data set has. All are taken over the whole data set.
struct CapacitySetting {
  enum class Kind { kActual, kBinning, kUniform, kLinearMax, kLinearMean, kReverseBinning };
  Kind kind = Kind::kActual;
  float uniform = 0.0F;  // the k of uniform-k
};

enum class PropensitySetting { kActual, kMedian, kLinear, kLiked };

// actual | binning | uniform-K | linear-max | linear-mean | reverse-binning; Error otherwise.
CapacitySetting parse_capacity(std::string_view words);
std::string to_string(const CapacitySetting& setting);
// actual | median | linear | liked
PropensitySetting parse_propensity(std::string_view words);
std::string_view to_string(PropensitySetting setting);

// The linear settings have nothing to do with usage, so that who gets which value is drawn by seed.
// The smallest capacity is one step above 0, since the paper wants every capacity to be positive.
std::vector<float> capacities(const CapacitySetting& setting, const Ratings& ratings,
                              std::uint64_t seed);
std::vector<float> listen_propensities(PropensitySetting setting, const Ratings& ratings,
                                       std::uint64_t seed);

// Of an even number, the mean of the two in the middle.
float median_of(std::vector<float> values);

}  // namespace headroom::sim
