#pragma once

#include <cstddef>

namespace headroom {

// The inner loops of expected usage: plain pointers in and out, so that one file with them can be
// compiled for several widths of registers.

// sums[n] += weight * sigmoid(scores[n]), for n < count.
void add_chances(const float* scores, std::size_t count, float weight, float* sums);

// A normal distribution of user vectors: its mean, and the lower triangle L, row by row in a
// square, of its covariance L L'.
struct NormalCrowd {
  const float* mean;
  const float* factor;
  std::size_t rank;
};

// So many items are closed over at once, whatever the registers: they divide it.
inline constexpr std::size_t kClosedItems = 16;

// out[n] += sign * E sigmoid(b_n + z . v_n) for z of the crowd and the n-th of kClosedItems items,
// of which vectors[k * kClosedItems + n] is the k-th coordinate.
void add_closure(const NormalCrowd& crowd, const float* vectors, const float* biases, float sign,
                 float* out);

}  // namespace headroom
