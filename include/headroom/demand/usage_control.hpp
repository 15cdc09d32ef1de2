#pragma once

#include <vector>

#include "headroom/base/workers.hpp"
#include "headroom/demand/crowd.hpp"
#include "headroom/demand/usage.hpp"

namespace headroom {

// For each item the mean chance over the crowd less that over its sample, as far as a quadratic in
// the user's vector knows it.
std::vector<float> control_usage(const UsageInput& input, const Crowd& crowd, const Crowd& sample,
                                 Workers& workers);

}  // namespace headroom
