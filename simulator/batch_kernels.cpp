#include "simulator/batch_kernels.hpp"

namespace headroom::sim {

std::vector<Chunk> chunks_of(std::size_t users) {
  constexpr std::size_t kUsersInChunk = 256;
  const std::size_t blocks = (users + kLanes - 1) / kLanes;
  const std::size_t count = (users + kUsersInChunk - 1) / kUsersInChunk;
  std::vector<Chunk> chunks;
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t first = c * blocks / count;
    chunks.push_back({first, (c + 1) * blocks / count - first});
  }
  return chunks;
}

// Sixteen sums side by side in double: exact enough for a tolerance of 1e-5, and fast.
double sum_of_squares(std::span<const float> values) {
  constexpr std::size_t kSums = 16;
  double part[kSums] = {};
  std::size_t at = 0;
  for (; at + kSums <= values.size(); at += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) {
      const double value = values[at + s];
      part[s] += value * value;
    }
  }
  double total = 0.0;
  for (; at < values.size(); ++at) total += static_cast<double>(values[at]) * values[at];
  for (const double one : part) total += one;
  return total;
}

Field spread(const Influence& influence, const Field& from) {
  Field to(influence.size(), from.blocks());
  for (std::uint32_t tile = 0; tile < influence.size(); ++tile) {
    Lanes* out = to.tile(tile);
    for (const auto& [other, weight] : influence.row(tile)) {
      const Lanes* in = from.tile(other);
      for (std::size_t b = 0; b < from.blocks(); ++b) out[b] += weight * in[b];
    }
  }
  return to;
}

}  // namespace headroom::sim
