#pragma once

#include <cstddef>

namespace headroom {

// The inner loops of expected usage: plain pointers in and out, so that one file with them can be
// compiled for several widths of registers.

// Users are told apart by so many groups, and items are looked at so many at once, whatever the
// registers: they divide both.
inline constexpr std::size_t kTasteGroups = 16, kControlledItems = 16;

// The g with the greatest z . toward_g - far[g]; toward[k * kTasteGroups + g] is the k-th of
// toward_g.
std::size_t nearest_group(const float* z, std::size_t rank, const float* toward, const float* far);

// What the estimator knows of a group of users, of all users and of the sample. Matrices are
// squares of which only the lower triangle is read; entries off the diagonal count twice.
struct GroupControl {
  std::size_t rank;
  float missing;            // the group's share of all weight, less that of the sample
  const float* mean;        // of z, over the group
  const float* covariance;  // of z, over the group
  const float* lean;        // sum over the sample of weight * (z - mean)
  const float* excess;      // sum over the sample of weight * ((z - mean)(z - mean)' - covariance)
};

// For each of kControlledItems items the chance sigmoid(b + z . v) as a quadratic in z, fitted as
// if z were normal: out[n] += its sum over all users of the group less that over the sample.
// vectors[k * kControlledItems + n] is the k-th coordinate of the n-th v.
void add_control(const GroupControl& group, const float* vectors, const float* biases, float* out);

}  // namespace headroom
