#pragma once

namespace headroom {

// The standard normal distribution.
double normal_density(double z);
double normal_share(double z);        // of variates below z
double normal_inverse(double share);  // below which so many are, 0 < share < 1

}  // namespace headroom
