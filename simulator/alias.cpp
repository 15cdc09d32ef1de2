#include "simulator/alias.hpp"

#include <numeric>

namespace headroom::sim {

AliasTable::AliasTable(std::span<const double> weights)
    : keep_(weights.size(), 1.0F), other_(weights.size()) {
  std::iota(other_.begin(), other_.end(), 0U);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double scale = static_cast<double>(weights.size()) / sum;
  std::vector<double> share;
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t n = 0; n < weights.size(); ++n) {
    share.push_back(weights[n] * scale);
    (share[n] < 1.0 ? small : large).push_back(n);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back(), high = large.back();
    small.pop_back();
    keep_[low] = static_cast<float>(share[low]);
    other_[low] = high;
    share[high] -= 1.0 - share[low];
    if (share[high] < 1.0) {
      large.pop_back();
      small.push_back(high);
    }
  }
}

}  // namespace headroom::sim
